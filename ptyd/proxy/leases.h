/* leases.h - what the proxy takes from the daemon's ledger for a turn, and settles with it.
 *
 * Never blocks for long: a daemon that does not answer in time has no context.
 */
#ifndef PTYD_PROXY_LEASES_H
#define PTYD_PROXY_LEASES_H

#include <jansson.h>
#include <stdbool.h>

struct leases;

/* `agent`: what consumers' names begin with, `codex` or `acp`. `session`: what feeds every turn, or
 * NULL to let the daemon choose by thread. `wait_ms`: how long an answer of the daemon's is waited
 * for; 0: LIMIT_PROXY_WAIT_MS. */
struct leases *leases_create(const char *agent, const char *session, int wait_ms);
void leases_destroy(struct leases *d);

/* What is pending for a thread; `roots` and `taken_keys` are borrowed arrays or NULL; with
 * `renumber` all keys are new; `format` as in `context.take`, or NULL; a text is one to go between
 * tags. Returns the daemon's answer (with `lease`, `receipt`, `additionalContext`), a new
 * reference; NULL when there is nothing or no daemon. */
json_t *leases_take(struct leases *d, const char *thread, const json_t *roots,
                    const json_t *taken_keys, bool renumber, const char *format);

/* `to` was forked from the thread `from`, at the turns named (NULL: with all of them). */
void leases_inherit(struct leases *d, const char *from, const char *to, const char *last_turn,
                    const char *before_turn);

/* The thread's history ends behind the turn `last_turn` now ("": it has none), or in front of
 * `before_turn`; the other one is NULL. */
void leases_revert(struct leases *d, const char *thread, const char *last_turn,
                   const char *before_turn);

/* The server has accepted the turn (of this id, or NULL) that carried `taken`. */
void leases_commit(struct leases *d, const json_t *taken, const char *turn);
/* It has refused it; or (`unseen`) nobody saw whether. */
void leases_release(struct leases *d, const json_t *taken, bool unseen);

#endif
