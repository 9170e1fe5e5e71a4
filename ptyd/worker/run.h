/* run.h - `session.run`: a command typed at the prompt, followed to its end. */
#ifndef PTYD_WORKER_RUN_H
#define PTYD_WORKER_RUN_H

#include "ptyd/worker/server.h"

/* params: {name, command, timeout_ms, actor, stream}. Waits for a prompt, types the command, sends
 * its rendered output as `run.output {text}` if `stream`, and replies {completed, block, streamed,
 * directory}: `completed` false when it was no command (a comment), when its end will not be seen
 * (no marks, the shell is gone), when something that is no prompt waits for input, or when the time
 * is over (`timed_out`). */
void run_call(struct client *client, const json_t *id, const json_t *params);

#endif
