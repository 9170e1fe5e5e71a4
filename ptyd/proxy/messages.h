/* messages.h - whole messages in order: what the gate wants sent to the client or the server. */
#ifndef PTYD_PROXY_MESSAGES_H
#define PTYD_PROXY_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* A zeroed struct is empty and ready. */
struct messages {
    struct bytes text; /* of all; appended to directly, then messages_end() */
    struct bytes ends; /* size_t each: where in `text` a message ends */
};

void messages_finish(struct messages *m);

/* What was appended to `text` since the last end is one message. */
void messages_end(struct messages *m);
void messages_add(struct messages *m, const char *text, size_t len);

/* Drops what was appended since the last end. */
void messages_drop(struct messages *m);

size_t messages_count(const struct messages *m);
const char *messages_get(const struct messages *m, size_t index, size_t *ret_len);
void messages_clear(struct messages *m);

#endif
