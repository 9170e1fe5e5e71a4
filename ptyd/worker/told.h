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
    size_t around; /* so many of them, in front of and behind those told, count */
};

/* All of the screen, with the lines of scrollback in front of it that count. */
struct told told_gather_screen(const struct session *s);

/* What is told of rows [from, to) of them, an array of strings; adds to *found how many secrets
 * begin there. New reference. */
json_t *told_json(const struct told *told, size_t from, size_t to,
                  const struct redact_secrets *secrets, int *found);

/* Lines [from, to) of scrollback as they are now, for who takes time to read them, whatever the
 * session does meanwhile: those around them count for what is secret, those of the screen, too. */
struct told_lines;
struct told_lines *told_lines_open(const struct session *s, size_t from, size_t to);
void told_lines_close(struct told_lines *lines);

/* The next LIMIT_TOLD_ROWS of them, or what is left, as told_json() has them; NULL behind the last.
 */
json_t *told_lines_next(struct told_lines *lines, const struct redact_secrets *secrets, int *found);

/* About how many bytes of memory they take. */
size_t told_lines_bytes(const struct told_lines *lines);

#endif
