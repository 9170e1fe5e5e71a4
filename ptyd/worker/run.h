/* run.h - `session.run`: a command typed at the prompt, followed to its end.
 *
 * Those of one session wait for each other, in the order in which they came. Each is typed at a
 * prompt that nothing typed before has yet to answer, and its block is the one that begins there.
 */
#ifndef PTYD_WORKER_RUN_H
#define PTYD_WORKER_RUN_H

#include "ptyd/worker/server.h"

/* params: {name, command, timeout_ms, actor, stream, token, shell_id, streamed}. Waits for a
 * prompt, types the command, says `run.state {typed, begun, awaits}` when that changes and at first
 * (`begun`: its block is there), sends its rendered output as `run.output {text}` if `stream`, and
 * replies {completed, timed_out, typed, doubtful, block, streamed, directory}: `completed` false
 * when it was no command (a comment), when its end will not be seen (no marks, the shell is gone),
 * when something that is no prompt waits for input, or when the time is over (`timed_out`).
 *
 * `token`, a number that the client made, makes it one run over the deaths of workers: asked again,
 * what was typed is not typed again. `shell_id` says for which shell; `streamed` how many bytes of
 * the output came. `doubtful`: a worker died while it typed, and nobody knows what became of it.
 * With `actor` "agent" it is refused to who does not hold the baton (baton.h). */
void run_call(struct client *client, const json_t *id, const json_t *params);

#endif
