/* show.h - JSON results as text for a person. Output of programs is shown without its controls. */
#ifndef PTYD_COMMAND_SHOW_H
#define PTYD_COMMAND_SHOW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* Text that reached us from a terminal: hidden characters appear as \u{...}. The second appends it
 * instead of printing it. */
void show_text(const char *text);
void show_clean(const char *text, size_t len, struct bytes *out);

/* One block: command, outcome, the lines of its preview behind `| `. */
void show_block(const json_t *block);

/* An array of blocks, and a line when it is empty; `more`: it goes on behind others that were
 * shown. */
void show_blocks(const json_t *blocks, bool more);

/* A table of sessions. */
void show_sessions(const json_t *sessions);

/* The rows of a screen, blank ones at the end left out. */
void show_screen(const json_t *screen);

/* What `ptyd replay` found: blocks, then the screen. */
void show_replay(const json_t *result);

#endif
