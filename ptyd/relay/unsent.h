/* unsent.h - what `ptyd exec` could not tell the hub of. It stands in `<state>/relay/unsent.json`,
 * the newest LIMIT_EXEC_KEPT of them and LIMIT_EXEC_KEPT_BYTES, and is sent by whoever reaches that
 * hub next as that host, another `exec` or the relay: the hub and the receivers know what came
 * already.
 */
#ifndef PTYD_RELAY_UNSENT_H
#define PTYD_RELAY_UNSENT_H

#include "ptyd/relay/visit.h"

/* Where a message goes, and what it is. Borrowed. */
struct unsent {
    const char *url, *host_id; /* the hub, and as whom */
    const char *subject, *id, *text;
};

/* The file's path, new string; and how many are in it. */
char *unsent_path(const char *state);
size_t unsent_count(const char *state);

/* Returns 0 or -errno. *ret_given_up counts older ones that had to go for it. */
int unsent_keep(const char *state, const struct unsent *unsent, size_t *ret_given_up);

/* Sends what is kept for this visit's hub and host, oldest first, until one is not taken. */
void unsent_send(const char *state, struct visit *visit);

/* The same for a relay, which waits for nothing: one is under way. The strings are borrowed. */
struct unsent_way {
    struct hub *hub;
    const char *state, *url, *host_id;
    uint64_t sends; /* each has a number of its own */
    char *id;       /* of the one under way; NULL */
    int64_t at;     /* monotonic: when it is looked again, or the answer is waited for no longer */
};

/* Sends one that is due; returns when that is looked at again. */
int64_t unsent_step(struct unsent_way *way);
/* The answer to "u.N". */
void unsent_answer(struct unsent_way *way, const struct hub_message *message);
/* The connection is gone, or the relay ends. */
void unsent_lost(struct unsent_way *way);

#endif
