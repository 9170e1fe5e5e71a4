/* find.h - what there is to forget, and who heard of it. Looks alone, while others may write. */
#ifndef PTYD_FORGET_FIND_H
#define PTYD_FORGET_FIND_H

#include <jansson.h>
#include <stdint.h>

/* Commands of a session (its directory's name; NULL: of all): those with the text in what is kept
 * of them, or (without one) those that ran at `since_ms` or later. Array, new reference, of
 * {block_id, session, seq, ts, told, sendable}: when it began; whether agents are told what has to
 * be forgotten; whether other hosts are told of it, where there are any. What other hosts ran, in
 * which the text is, follows where it is of all: their session is "". */
json_t *find_commands(const char *state, const char *session, const char *text, int64_t since_ms);

/* The same of one block, as the daemon shows it; new reference. */
json_t *find_command(const json_t *block);

/* What of these agents were told, as far as receipts go back: array, new reference, of {consumer,
 * turn, ts, blocks: [block_id, ...]}, oldest first. `turn` is null where the agent gave it no name,
 * or has the context and the turn is not over yet. */
json_t *find_heard(const char *state, const json_t *commands);

#endif
