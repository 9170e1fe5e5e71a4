/* child.h - a command that is run once, without a terminal of its own, and the end of what it
 * printed. */
#ifndef PTYD_RELAY_CHILD_H
#define PTYD_RELAY_CHILD_H

#include <stdint.h>

#include "base/bytes.h"

struct child {
    int status;           /* as a shell's $? */
    struct bytes text;    /* the newest of what it printed, LIMIT_EXEC_BYTES at most */
    int64_t lines, bytes; /* of all of it; lines that are not in `text` are counted, too */
    int64_t begun_ms, ended_ms, lasted_ms; /* wall clock, and by the one that never jumps */
};

/* Runs argv: one word is a command line for sh, more are a program and its arguments. What it
 * prints goes on to our stdout and stderr as it comes. Ctrl-C is its business, SIGTERM and SIGHUP
 * are passed on. Returns 0 or -errno: nothing was run. child_finish() frees what it holds. */
int child_run(char *const *argv, struct child *ret_child);
void child_finish(struct child *child);

#endif
