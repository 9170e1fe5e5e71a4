/* forgetting.h - commands and texts go out of everything that is kept, and of every memory.
 *
 * What is asked for is written down (forget/wish.h), and another worker begins: it takes no session
 * over before it has gone through its files, so that nothing of it is in any memory, and nobody
 * writes meanwhile. Sessions that are closed follow in a thread. A worker that dies in between is
 * followed by one that does the same again. */
#ifndef PTYD_WORKER_FORGETTING_H
#define PTYD_WORKER_FORGETTING_H

#include "ptyd/worker/server.h"
#include "ptyd/worker/worker.h"

struct forgetting;

/* What is to be forgotten yet, by what stands in the state directory; that one's own files are gone
 * through. Before anything else is read. */
struct forgetting *forgetting_create(struct worker *w);

/* Whether files of closed sessions are gone through. */
bool forgetting_works(const struct forgetting *f);

/* The session's files are about to be opened. */
void forgetting_before(struct forgetting *f, const char *session);

/* All sessions that live were taken over: the others follow. */
void forgetting_go_on(struct forgetting *f);

/* A command has ended and is stored: where it is the `ptyd forget` that names the text, that is
 * forgotten once more. */
void forgetting_stored(struct forgetting *f);

void forgetting_close(struct forgetting *f);
void forgetting_destroy(struct forgetting *f);

/* The method `forget`. */
void forgetting_call(struct client *client, const json_t *id, const json_t *params);

#endif
