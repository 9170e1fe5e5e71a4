/* sgr.h - what SGR (`ESC [ ... m`) does to a pen, and the SGR that sets one.
 *
 * The common forms alone; whoever finds another asks libvterm.
 */
#ifndef VTERM_SNAPSHOT_SGR_H
#define VTERM_SNAPSHOT_SGR_H

#include <stdbool.h>

#include "base/bytes.h"
#include "vterm_snapshot/csi_short.h"
#include "vterm_snapshot/pen.h"

#define SGR_PARAMS 16

/* The numbers from `at`, behind `ESC [`, to `end`; -1 for one that is not there. Returns where they
 * end (the final, or what is neither digit nor semicolon), NULL for more than SGR_PARAMS of them or
 * one above LIMIT_CSI_VALUE. */
const char *sgr_parse(const char *at, const char *end, int params[SGR_PARAMS], int *ret_count);

/* Applies SGR with these parameters. False, the pen unchanged, for a form that is not known. */
bool sgr_apply(struct pen *pen, const int *params, int count);

/* Applies the short SGR that was read (its final is `m`) to the pen with this number. False, both
 * unchanged, for a form that is not known, or when there is no number left. */
bool sgr_apply_short(struct pen_table *pens, const struct csi_short *sgr, struct pen *pen,
                     uint16_t *number);

/* Appends one SGR that sets the pen from any other. */
void sgr_append(const struct pen *pen, struct bytes *out);

#endif
