/* wire.h - JSON-RPC 2.0 with an MCP client: messages in, requests out; answers, and what is told.
 *
 * A message is a line. Requests go on side by side; each is answered once, or cancelled. What is
 * no request at all is answered here. Batches are for whoever spoke a version that has them.
 */
#ifndef PTYD_MCP_WIRE_H
#define PTYD_MCP_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "ptyd/core/rpc_error.h"

struct wire;

/* A request that is under way. */
struct request {
    struct request *next;
    struct wire *wire;
    json_t *id, *token;  /* its progress token; NULL for none. Owned */
    struct batch *batch; /* NULL for none */
    double progress;     /* told last */
    bool modern;         /* it says its version itself: its results say more */
    /* Its owner's: ends the work for it, which is cancelled; nothing is answered. NULL: it cannot
     * be. */
    void (*cancel)(void *work);
    void *work;
};

struct wire_handler {
    /* A request; answers now or later. `params`: an object, or NULL. */
    void (*call)(void *user, struct request *request, const char *method, const json_t *params);
    void (*notified)(void *user, const char *method, const json_t *params);
    void *user;
};

struct wire *wire_create(const struct wire_handler *handler);
/* What is under way is cancelled; what is unsent is forgotten. */
void wire_destroy(struct wire *wire);

/* Whether arrays of messages are taken. */
void wire_set_batches(struct wire *wire, bool on);

/* Bytes from the client. */
void wire_take(struct wire *wire, const char *bytes, size_t len);

/* Sends what can be sent without waiting; false when the client is gone. */
bool wire_flush(struct wire *wire);
/* Bytes that are not sent yet. */
size_t wire_unsent(const struct wire *wire);

/* Whether a request is under way that ends by itself: one that cannot be cancelled, or may soon be
 * answered. */
int wire_under_way(const struct wire *wire);

/* Answer a request, which is gone then; the first steals the result. */
void request_answer(struct request *request, json_t *result);
void request_fail(struct request *request, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with `data`, which is stolen. */
void request_fail_with(struct request *request, int code, json_t *data, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Tells how far it is, if its client asked for that, and `progress` is more than what was told.
 * `total` is left out where it is not above 0. */
void request_progress(struct request *request, double progress, double total, const char *message);

/* Sends a notification; steals `params`. */
void wire_notify(struct wire *wire, const char *method, json_t *params);

/* Cancels every request whose cancel() is this one. */
void wire_cancel_all(struct wire *wire, void (*cancel)(void *work));

#endif
