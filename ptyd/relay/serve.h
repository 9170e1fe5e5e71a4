/* serve.h - what other hosts of the user ask this one for: what a command printed, as an agent here
 * is shown it, where the user lets them.
 *
 * A request is {"v":1, "op":"output", "session", "block", "offset"?, "limit"?, "grep"?}, the answer
 * session.output's {"result":...} or {"error": why}. The daemon takes the secrets out and bounds
 * it.
 */
#ifndef PTYD_RELAY_SERVE_H
#define PTYD_RELAY_SERVE_H

#include <jansson.h>
#include <stdbool.h>

/* The answer to a request, new reference. `outputs`: the user lets others have them. */
json_t *serve_answer(const json_t *request, bool outputs);

#endif
