/* sgr.h - what SGR (`ESC [ ... m`) does to a pen, and the SGR that sets one.
 *
 * As xterm and kitty read it; what neither knows changes nothing.
 */
#ifndef VTERM_SNAPSHOT_SGR_H
#define VTERM_SNAPSHOT_SGR_H

#include "base/bytes.h"
#include "vterm_snapshot/csi.h"
#include "vterm_snapshot/pen.h"

/* Applies SGR (csi_is_sgr()) to the pen with this number; *number is that of the new one, 0 when
 * none is left. */
void sgr_apply(struct pen_table *pens, const struct csi *sgr, struct pen *pen, uint16_t *number);

/* Appends one SGR that sets the pen, but for its link, from any other. */
void sgr_append(const struct pen *pen, struct bytes *out);

#endif
