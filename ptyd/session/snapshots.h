/* snapshots.h - what the terminal showed when a block ended, and the newest lines above it:
 * screen.snapshot.json and scrollback.snapshot.json.
 */
#ifndef PTYD_SESSION_SNAPSHOTS_H
#define PTYD_SESSION_SNAPSHOTS_H

#include <stdint.h>

#include "ptyd/core/block.h"
#include "ptyd/core/owed.h"
#include "vterm_snapshot/terminal.h"

struct snapshots {
    struct owed *owed;
    const char *directory; /* the session's */
    const struct terminal *terminal;
    uint64_t from; /* lines in front of this absolute number stay out */
    bool redacts;  /* secrets, too, with these of the shell (or NULL) */
    const struct redact_secrets *secrets;
};

/* Replaces both. */
void snapshots_replace(const struct snapshots *snapshots, const struct block *block);

#endif
