/* queries.h - the queries of a session that are open: displayed, and not answered yet.
 *
 * Each belongs to the viewer that led when it was displayed. What that viewer sends is split into
 * what a person typed and what its terminal answered; an answer closes its query and those before
 * it that were to be answered earlier. One that is not answered in LIMIT_QUERY_MS
 * (LIMIT_QUERY_SLOW_MS) is closed, too: its answer counts as typed then. Of a viewer that goes the
 * open ones are answered by somebody else, exactly once: what its terminal still says to them is
 * dropped, however late: while it takes nothing they do not age.
 *
 * At most LIMIT_QUERIES are open, of which those of terminals that take nothing make room, and then
 * those that were answered; further ones are not noted: the viewer's terminal answers them all the
 * same, and that counts as typed.
 *
 * Pure: it is told the time, monotonic and in ms.
 */
#ifndef PTYD_SESSION_QUERIES_H
#define PTYD_SESSION_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vterm_snapshot/query_input.h"

struct queries;

/* `heard` gets whole answers of QUERY_HEAD_BYTES at most, also those that are dropped: they tell of
 * a terminal all the same. NULL for nobody. */
typedef void queries_heard(void *user, const char *answer, size_t len);
struct queries *queries_create(queries_heard *heard, void *user);
void queries_destroy(struct queries *queries);

/* The viewer, a number of the caller's and never 0, will answer it; `offset` is behind it in the
 * stream. `answered`: it was answered already, and what the viewer says to it is dropped. */
void queries_open(struct queries *queries, uint64_t viewer, const struct query *query,
                  uint64_t offset, int64_t now, bool answered);

/* The viewer is shown, from the log, a query that ends at `offset`: if it was noted as it came it
 * ages from now on, once for each; else false. */
bool queries_shown(struct queries *queries, uint64_t viewer, const struct query *query,
                   uint64_t offset, int64_t now);

enum queries_piece {
    QUERIES_TYPED,   /* by a person */
    QUERIES_REPLY,   /* an answer, or a report of focus, mouse or colours: for the program, and
                        nobody's keys */
    QUERIES_SIZE,    /* a report of the viewer's size, whole: for the program where it leads */
    QUERIES_DROPPED, /* an answer to what was answered: for nobody; never what may be a key */
};

/* The first piece of what a viewer sent, of which there is one byte at least: returns its length.
 * Nothing is held back: of a sequence that is cut the front counts as a reply when a query is open
 * that it may answer; its ESC alone as typed. */
size_t queries_take(struct queries *queries, uint64_t viewer, const char *bytes, size_t len,
                    int64_t now, enum queries_piece *ret_piece);

/* The viewer goes: gives `answer` what it left open, in order, and forgets it. */
typedef void queries_answer(void *user, const struct query *query);
void queries_leave(struct queries *queries, uint64_t viewer, queries_answer *answer, void *user);
/* The same of what stands behind `offset`: the viewer never will be shown that. */
void queries_skip(struct queries *queries, uint64_t viewer, uint64_t offset, queries_answer *answer,
                  void *user);
/* The same of one that stays, but does not listen now (it is passed over): what its terminal will
 * say when it does is dropped. And its terminal took all that was under way then: what it was asked
 * ages from now on. */
void queries_pass_over(struct queries *queries, uint64_t viewer, queries_answer *answer, void *user,
                       int64_t now);
void queries_took(struct queries *queries, uint64_t viewer, int64_t now);
/* Nobody waits any more for what it was asked: it is answered by nobody, and what its terminal says
 * to that is dropped. */
void queries_release(struct queries *queries, uint64_t viewer);

/* The viewer is asked DA1, by no program: the answer comes behind all others, and is dropped. */
void queries_ask_last(struct queries *queries, uint64_t viewer, int64_t now);
/* Whether its terminal may have something to say yet, but to slow ones. */
bool queries_awaits(struct queries *queries, uint64_t viewer, int64_t now);
/* The first that is not answered, but for slow ones, and when it was opened; false for none. */
bool queries_oldest(const struct queries *queries, uint64_t *ret_offset, int64_t *ret_since);

/* How many are open, those included whose answers are dropped. */
size_t queries_count(const struct queries *queries);

#endif
