/* held.h - what a hook took for a turn, until the agent's next event says what became of that.
 *
 * A hook is a process for each event: what it holds stands in <state>/hooks/, a file for each
 * conversation.
 */
#ifndef PTYD_AGENTS_HELD_H
#define PTYD_AGENTS_HELD_H

#include <jansson.h>
#include <stdbool.h>

/* Keeps what `context.take` answered for the consumer, in place of what it held, with what the
 * agent calls the prompt that it went with (NULL: it does not say). Returns 0 or -errno. */
int held_keep(const char *consumer, const json_t *taken, const char *prompt);

/* What it holds, which it holds no more; new reference, NULL for nothing. */
json_t *held_let_go(const char *consumer);

/* Whether what it holds went with that prompt. */
bool held_is_of(const char *consumer, const char *prompt);

#endif
