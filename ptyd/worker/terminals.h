/* terminals.h - sessions of terminals: those that `ptyd` alone makes.
 *
 * Each is called `term-N`, and no N comes twice while anything is left of the former one. It ends
 * with its terminal, unless the user left it; when its shell has ended it is in no list any more,
 * and what it held is read from its files (closed.h).
 */
#ifndef PTYD_WORKER_TERMINALS_H
#define PTYD_WORKER_TERMINALS_H

#include <stdbool.h>

struct session;
struct terminals;
struct worker;

struct terminals *terminals_create(struct worker *worker);
/* Ends the timer; freed when it is closed. NULL is nothing. */
void terminals_close(struct terminals *terminals);

/* A name that no session has or had. New string. And whether a name is of that kind. */
char *terminals_new_name(struct worker *worker);
bool terminals_is_name(const char *name);

/* Its terminal has LIMIT_RECONNECT_MS to show it, or it is closed; where the shell has ended, to
 * hear that, before the session is gone: one that is still being sent what it missed has as long as
 * it is there. One that is quarantined cannot be shown: it stays, and
 * counts as left. Nothing is done for other sessions. */
void terminals_expect(struct worker *worker, const struct session *session);
/* The terminal shows it: nobody else ends it. */
void terminals_came(struct worker *worker, const struct session *session);

#endif
