/* told.h - what a session shows, as rows for agents (core/told_rows.h). */
#ifndef PTYD_WORKER_TOLD_H
#define PTYD_WORKER_TOLD_H

#include <jansson.h>
#include <stddef.h>

#include "ptyd/core/told_rows.h"
#include "ptyd/session/session.h"

/* Rows as they are now, not cleaned yet. */
struct told {
    struct told_row *rows; /* the caller frees them: told_rows_finish() */
    size_t count;
    size_t before; /* how many stand in front of those asked for */
};

/* Lines [from, to) of scrollback with LIMIT_TOLD_AROUND before and behind them, those of the screen
 * among them; SIZE_MAX: none but those around, and all of the screen. */
struct told told_gather(const struct session *s, size_t from, size_t to);

/* What is told of rows [from, to) of them, an array of strings; adds to *found how many secrets
 * begin there. New reference. */
json_t *told_json(const struct told *told, size_t from, size_t to,
                  const struct redact_secrets *secrets, int *found);

#endif
