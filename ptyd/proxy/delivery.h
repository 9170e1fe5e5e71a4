/* delivery.h - the proxy's side of the ledger: leases taken from the daemon and settled with it.
 *
 * Never blocks for long: a daemon that does not answer in LIMIT_PROXY_WAIT_MS has no context.
 */
#ifndef PTYD_PROXY_DELIVERY_H
#define PTYD_PROXY_DELIVERY_H

#include <jansson.h>
#include <stdbool.h>

struct delivery;

/* `session`: what feeds every turn, or NULL to let the daemon choose by thread. */
struct delivery *delivery_create(const char *session);
void delivery_destroy(struct delivery *d);

/* What is pending for a thread; `roots` and `taken_keys` are borrowed arrays or NULL; `format` as
 * in `context.take`, or NULL. Returns the
 * daemon's answer (with `lease`, `receipt`, `additionalContext`), a new reference; NULL when there
 * is nothing or no daemon. */
json_t *delivery_take(struct delivery *d, const char *thread, const json_t *roots,
                      const json_t *taken_keys, const char *format);

/* `to` was forked from the thread `from`, at the turns named (NULL: with all of them). */
void delivery_inherit(struct delivery *d, const char *from, const char *to, const char *last_turn,
                      const char *before_turn);

/* The server has accepted the turn (of this id, or NULL) that carried `taken`. */
void delivery_commit(struct delivery *d, const json_t *taken, const char *turn);
/* It has refused it; or (`unseen`) nobody saw whether. */
void delivery_release(struct delivery *d, const json_t *taken, bool unseen);

#endif
