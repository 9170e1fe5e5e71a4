/* ask.h - one question to the hub, for who does nothing else. */
#ifndef PTYD_RELAY_ASK_H
#define PTYD_RELAY_ASK_H

#include <jansson.h>

#include "ptyd/relay/hub.h"

/* Asks and waits at most `wait_ms`. Returns the answer, a new reference: JSON, or {"error":
 * {"description": why}} where it is none, comes too late or is refused. Steals `question`, NULL for
 * an empty one. */
json_t *ask_hub(struct hub *hub, const char *subject, json_t *question, int wait_ms);

/* The same with a text, and an id by which a stream knows it; NULL for none. */
json_t *ask_hub_text(struct hub *hub, const char *subject, const char *text, const char *id,
                     int wait_ms);

/* The same for what that host answers, or the hub in its place: as it came, owned. NULL where
 * there is none, with *ret_why, a new string, which is never what was answered. */
struct hub_message *ask_host_message(struct hub *hub, const char *host_id, const char *subject,
                                     const char *text, int wait_ms, char **ret_why);

/* Why an answer of the hub's may not have come; "" for another error. A literal. */
const char *ask_hub_hint(const char *error);

/* Whether it says that what was sent is larger than the stream takes: so for good. */
bool ask_is_too_large(const json_t *answer);

/* What is wrong with an answer; NULL for nothing. Borrowed. */
const char *ask_error(const json_t *answer);

#endif
