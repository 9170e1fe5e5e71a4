/* styled.h - a row's text with the colours it is drawn in: SGR where the pen changes, and no other
 * sequence. Each begins as who resets the pen would, and leaves it so; links are left out.
 */
#ifndef VTERM_SNAPSHOT_STYLED_H
#define VTERM_SNAPSHOT_STYLED_H

#include <stdbool.h>

#include "base/bytes.h"
#include "vterm_snapshot/grid.h"
#include "vterm_snapshot/pen.h"
#include "vterm_snapshot/scrollback.h"
#include "vterm_snapshot/width.h"

/* What a screen's rows name by numbers. Borrowed. */
struct styles {
    const struct cluster_table *clusters;
    const struct pen_table *pens;
};

/* Appends the cells [from, to); `trimmed`: without those at the end that show nothing, neither a
 * character nor a colour. */
void styled_cells(const struct row *row, int from, int to, bool trimmed,
                  const struct styles *styles, struct bytes *out);

/* Appends a row that left the screen. */
void styled_left(const struct scrollback_row *row, const struct styles *styles, struct bytes *out);

#endif
