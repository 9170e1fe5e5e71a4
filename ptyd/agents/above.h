/* above.h - whether an agent's hook runs below a proxy that tells the same agent. */
#ifndef PTYD_AGENTS_ABOVE_H
#define PTYD_AGENTS_ABOVE_H

#include <stdbool.h>

/* Whether one of the processes above this one is `ptyd proxy --acp`. Asked of what all may read of
 * processes: an environment is filtered by some agents. */
bool above_is_acp(void);

#endif
