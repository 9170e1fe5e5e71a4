/* snapshots.h - what the terminal showed when a block ended, and the newest lines above it:
 * screen.snapshot.json and scrollback.snapshot.json.
 */
#ifndef PTYD_SESSION_SNAPSHOTS_H
#define PTYD_SESSION_SNAPSHOTS_H

#include <stdint.h>

#include "ptyd/core/block.h"
#include "ptyd/core/owed.h"
#include "vterm_snapshot/terminal.h"

/* Replaces both in the session's directory; lines in front of the absolute number `from` stay out.
 */
void snapshots_replace(struct owed *owed, const char *directory, const struct block *block,
                       const struct terminal *terminal, uint64_t from);

#endif
