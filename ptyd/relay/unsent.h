/* unsent.h - what `ptyd exec` could not tell the hub of. It stands in `<state>/relay/unsent.json`,
 * the newest LIMIT_EXEC_KEPT of them, and is sent by the next one that reaches that hub as that
 * host: the hub and the receivers know what came already.
 */
#ifndef PTYD_RELAY_UNSENT_H
#define PTYD_RELAY_UNSENT_H

#include "ptyd/relay/visit.h"

/* Where a message goes, and what it is. Borrowed. */
struct unsent {
    const char *url, *host_id; /* the hub, and as whom */
    const char *subject, *id, *text;
};

/* Returns 0 or -errno. */
int unsent_keep(const char *state, const struct unsent *unsent);

/* Sends what is kept for this visit's hub and host, oldest first, until one is not taken. */
void unsent_send(const char *state, struct visit *visit);

#endif
