/* transcript.h - what an agent itself has written of a conversation: a file of JSON lines (Claude
 * Code's).
 *
 * Only its end is read, LIMIT_TRANSCRIPT_BYTES: what is in front of that is long over. Where the
 * turn that is looked for is larger more is read.
 */
#ifndef PTYD_AGENTS_TRANSCRIPT_H
#define PTYD_AGENTS_TRANSCRIPT_H

#include <jansson.h>
#include <stdbool.h>

/* Whether the conversation has gone on behind the user's prompt of that id, so that the agent has
 * kept it with all that came along. False for a prompt that was taken back before anything came of
 * it, and where the file cannot be read. */
bool transcript_goes_on(const char *path, const char *prompt_id);

/* The prompts that were taken back (/rewind) for the one of that id, or for one of those in front
 * of it, LIMIT_PROMPTS_BEFORE in all: they begin in the file behind what that one follows, and in
 * front of it. An array of ids, LIMIT_TAKEN_BACK for each at most, new reference. */
json_t *transcript_taken_back(const char *path, const char *prompt_id);

/* The id of the conversation that one was forked from, a new string; NULL where that is not known.
 * `start`: the event by which the agent tells of the fork. What it says of the last answer (how
 * many seconds ago, how many tokens) is looked for in the conversations beside the new one. */
char *transcript_parent(const json_t *start);

#endif
