/* told_rows.h - rows of a screen or of scrollback as agents are told them, and as a page to share
 * has them: without secrets, which are looked for in what is one line however many rows it takes,
 * and without what is kept from them.
 */
#ifndef PTYD_CORE_TOLD_ROWS_H
#define PTYD_CORE_TOLD_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "envelope/redact/redact.h"

struct told_row {
    struct bytes text; /* as it is shown; owned */
    bool goes_on;      /* from the row before: it was wrapped there */
    bool full;         /* up to its edge: a program may have gone on by itself in the next row */
    bool withheld;     /* nothing of it is told */
};

/* Rows of so many columns around those told that count for what is found: LIMIT_TOLD_AROUND of
 * LIMIT_TOLD_AROUND_COLUMNS, or what those take where they are narrower, as what was printed on
 * wide rows is read on narrow ones, too. */
size_t told_rows_around(int cols);

/* Sets `full` by its text, in a terminal of so many columns. */
void told_row_measure(struct told_row *row, int cols);

enum told_form {
    TOLD_TO_AGENTS, /* what is hidden as \uXXXX */
    TOLD_AS_IT_IS,
};

/* Appends to each of `told` what is told of rows [from, to) of `count`: UTF-8 with
 * `[redacted:TYPE]` where a secret begins (its other rows have nothing for it); nothing of withheld
 * rows. The rows around them count for what is found. Secrets are
 * looked for in each row alone, with rows joined that go on, and with full ones, too. Returns how
 * many begin there. */
int told_rows_clean(const struct told_row *rows, size_t count, size_t from, size_t to,
                    const struct redact_secrets *secrets, enum told_form form, struct bytes *told);

/* The same of one text. Appends it. */
int told_text(const char *text, const struct redact_secrets *secrets, struct bytes *out);

void told_rows_finish(struct told_row *rows, size_t count);

#endif
