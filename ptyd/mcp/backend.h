/* backend.h - the user's daemon, asked many things at once.
 *
 * It is found without the environment, too, and never started. A connection that is lost is made
 * again, and what was asked and not answered is asked again of the worker's successor: all that
 * is asked only looks.
 */
#ifndef PTYD_MCP_BACKEND_H
#define PTYD_MCP_BACKEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct backend;
struct ask;

struct backend_handler {
    /* An event, once backend_follow() was called. */
    void (*event)(void *user, const json_t *event);
    /* Events are followed anew: what was told before may have been missed. */
    void (*followed)(void *user);
    /* There is no daemon any more. */
    void (*gone)(void *user);
    void *user;
};

/* `session`: the one whose agents are told of the tools while this lives; NULL for all. */
struct backend *backend_create(const char *session, const struct backend_handler *handler);
void backend_destroy(struct backend *d);

/* Called once: `result`, borrowed, or NULL with what is wrong in `error`. */
typedef void backend_answer(void *work, const json_t *result, const char *error);

/* Asks; steals `params`. `wait_ms`: how long an answer may take, -1 for ever. The answer comes
 * later, never from within; backend_forget() before that takes it back, and what is answered then
 * is nobody's. */
struct ask *backend_ask(struct backend *d, const char *method, json_t *params, int wait_ms,
                        backend_answer *then, void *work);
void backend_forget(struct ask *ask);

/* Events are wanted from now on. */
void backend_follow(struct backend *d);

/* The connection to be polled; -1 for none. And until when (monotonic ms), -1 for ever. */
int backend_fd(const struct backend *d);
int64_t backend_due(const struct backend *d);
/* While it is held nothing is read or asked, and no answer is late. */
void backend_hold(struct backend *d, bool hold);
/* Does what is to be done: reads where `readable`, connects again, ends what takes too long. */
void backend_work(struct backend *d, bool readable);

#endif
