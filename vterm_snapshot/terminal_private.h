/* terminal_private.h - what a terminal is made of, for terminal.c and terminal_read.c alone. */
#ifndef VTERM_SNAPSHOT_TERMINAL_PRIVATE_H
#define VTERM_SNAPSHOT_TERMINAL_PRIVATE_H

#include "base/limits.h"
#include "vterm_snapshot/answer.h"
#include "vterm_snapshot/colours.h"
#include "vterm_snapshot/parser.h"
#include "vterm_snapshot/screen.h"
#include "vterm_snapshot/terminal.h"
#include "vterm_snapshot/titles.h"

struct terminal {
    struct terminal_options options;
    struct parser parser;
    struct screen *screen;
    struct colours *colours;
    struct answer_facts facts;
    struct titles titles;
    bool line_expected;
    bool watched; /* terminal_watch() */
    bool stopped; /* terminal_stop() */
    int returns;  /* carriage returns drawn last, while a line is expected */
    bool shown;   /* somebody wants what an attached terminal may see */
};

#endif
