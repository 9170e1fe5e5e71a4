/* passage.h - the bytes of a log as an attached terminal is shown them.
 *
 * In goes what terminal_write() took and left (nonces zeroed), out comes what its event `display`
 * gave, by the same parser, without a screen: for a viewer that is fed from the log. It may start
 * wherever a `display` ended (`offset` there), and where it has shown all, the viewer goes on with
 * the live one.
 */
#ifndef VTERM_SNAPSHOT_PASSAGE_H
#define VTERM_SNAPSHOT_PASSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "vterm_snapshot/query.h"

struct passage;

/* Called during passage_write(), in order. */
struct passage_events {
    /* As `display` of a terminal: `offset` is behind the bytes in the stream. */
    void (*display)(void *user, const char *bytes, size_t len, uint64_t offset);
    /* A query was displayed: whoever is fed will answer it, perhaps not alone. NULL: none is told.
     */
    void (*query)(void *user, const struct query *query, uint64_t offset);
    /* Where behind this offset the terminal went back from the alternate screen by itself next,
     * UINT64_MAX for nowhere: whoever is fed is told so there, too. NULL: it never did. */
    uint64_t (*left)(void *user, uint64_t offset);
};

/* At `offset` of the stream. `events` outlives it. Returns NULL without memory. */
struct passage *passage_create(uint64_t offset, const struct passage_events *events, void *user);
void passage_destroy(struct passage *passage);

/* Takes bytes, cut anywhere, and may change them. Returns how many: the rest is given again in
 * front of what follows. */
size_t passage_write(struct passage *passage, char *bytes, size_t len);

/* Behind the bytes that were taken; of them, behind those that were shown or taken out: there a
 * viewer stands that has all that came. */
uint64_t passage_offset(const struct passage *passage);
uint64_t passage_shown(const struct passage *passage);

#endif
