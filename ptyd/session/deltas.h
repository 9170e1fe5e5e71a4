/* deltas.h - what changed on a screen since it was last told. */
#ifndef PTYD_SESSION_DELTAS_H
#define PTYD_SESSION_DELTAS_H

#include <jansson.h>
#include <stdint.h>

#include "vterm_snapshot/terminal.h"

/* A zeroed struct has told nothing: its first delta has every row. */
struct deltas {
    uint64_t *rows; /* a sum of each row's text as it was told; owned */
    int count;
    uint64_t frame; /* of cursor, title and size */
};

void deltas_finish(struct deltas *deltas);

/* {rows: [{row, text}...], cursor, title, alt_screen, cols, rows_count} with the rows that changed,
 * or NULL when nothing did; new reference. `hidden`: see screen_row_text(). */
json_t *deltas_take(struct deltas *deltas, const struct terminal *terminal, uint64_t hidden);

#endif
