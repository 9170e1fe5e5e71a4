/* helper.h - this program run once more for something that takes long, and its answer. */
#ifndef PTYD_MCP_HELPER_H
#define PTYD_MCP_HELPER_H

#include <stdbool.h>
#include <stddef.h>

struct helper;

/* Called once, from helper_work(): what it printed, and its exit status; -1 where a signal ended
 * it, or it printed too much. */
typedef void helper_answer(void *work, const char *text, size_t len, int status);

/* Runs `ptyd` with argv behind its name, on the files below `state`. NULL, when it cannot be
 * started or LIMIT_MCP_HELPERS run. */
struct helper *helper_start(char *const *argv, const char *state, helper_answer *then, void *work);
/* Ends it; it answers nobody. */
void helper_end(struct helper *helper);

/* What they print is read from these: fills `fds`, room for LIMIT_MCP_HELPERS, returns how many. */
int helper_fds(int *fds);
void helper_work(int fd);

#endif
