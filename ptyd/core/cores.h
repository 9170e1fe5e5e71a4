/* cores.h - no core file of ours: it would hold what sessions showed and were started with.
 *
 * Only the soft limit is lowered, so that programs that we start get back what the user had. What
 * is handed to them stands beside: whoever executes one calls cores_give_back() first.
 */
#ifndef PTYD_CORE_CORES_H
#define PTYD_CORE_CORES_H

#include <stddef.h>

/* From here on this process, and what it forks, leaves no core file. */
void cores_forbid(void);

/* For a child, or a process that another program takes the place of: the limit is as it was before
 * cores_forbid(). Safe in a signal's handler. */
void cores_give_back(void);

/* Nor may anybody else of this user look into its memory or attach to it, and who writes cores
 * whatever the limit says is told to write none. Its /proc/PID then belongs to root. Does nothing
 * in a build with a sanitizer, which looks into itself. */
void cores_hide(void);

/* Shared memory that belongs into no core, whoever maps it. */
void cores_leave_out(void *memory, size_t size);

#endif
