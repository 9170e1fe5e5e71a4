/* message.h - the parts of a JSON-RPC message, found in one pass over its bytes.
 *
 * A proxy hands on a client's own bytes: to parse and print them again would change numbers, order
 * and spacing. So a message is read into spans of its own text, and edits go between them
 * (splice.h). Nothing is copied; the text must stay where it is.
 */
#ifndef ENVELOPE_MESSAGE_H
#define ENVELOPE_MESSAGE_H

#include <stdbool.h>

#include "envelope/span.h"

/* Each part is the whole text of a value: a string with its quotes, an object with its brackets. A
 * part that is not there has `at` NULL. One that is there twice has `at` set and `len` 0: nobody
 * can tell which of them counts, and what is inside of them is not there. */
struct message {
    struct span line; /* all that was given, white space around the object included */
    bool sound;       /* JSON through and through: with another value between, it still is */

    struct span method, id, params, result;
    struct span thread_id, last_turn_id, before_turn_id; /* params.threadId, ... */
    struct span context;                                 /* params.additionalContext */
    struct span capabilities;                            /* params.capabilities */
    struct span experimental, opt_out;     /* its experimentalApi, optOutNotificationMethods */
    struct span session_id, prompt;        /* params.sessionId, params.prompt */
    struct span input;                     /* params.input */
    struct span type, text, elements;      /* of its first item that is a text: type, text,
                                              text_elements; no parts without such an item */
    struct span steered_id, turn, turn_id; /* result.turnId; result.turn and its id */
};

/* Reads a whole message. What is no JSON object has no parts. Strings and numbers that no parser
 * would take leave the parts as they are, but the message is not `sound`. */
struct message message_read(const char *line, size_t len);

/* What decides whether a message concerns anybody; `at` NULL for what was not found. */
struct message_head {
    struct span method, id;
};

/* Reads a message that may be cut off anywhere, up to its method: the first method, and the first
 * id in front of it. What is passed on the way is hardly looked into. */
struct message_head message_peek(const char *line, size_t len);

#endif
