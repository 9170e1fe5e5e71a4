/* proc.h - processes as the kernel tells of them: files below /proc/PID (proc(5)).
 *
 * A process may be gone, or show its files to nobody else: then there is nothing in them.
 */
#ifndef PTYD_CORE_PROC_H
#define PTYD_CORE_PROC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

#define PROC_SELF 0 /* instead of a pid */

/* Appends all of a file, `limit` bytes together with what was there at most. Returns whether there
 * was something in it. `name` may hold slashes: `task/12/children`. */
bool proc_read(long pid, const char *name, size_t limit, struct bytes *out);

/* The first bytes of a file, size - 1 at most, and a NUL. Returns how many, 0 for none. */
size_t proc_head(long pid, const char *name, char *text, size_t size);

/* Of what `stat` holds (proc_head()): what stands behind the process's name, ") S 12 ...", for the
 * name may hold anything; NULL when it is not there. */
const char *proc_stat_fields(const char *stat);

/* Where it works, without the links that led it there; a new string, NULL where that is not known.
 * No file system is asked. */
char *proc_directory(long pid);

/* Its parent: 0 for one outside of our container, -1 when it is not known. */
long proc_parent(long pid);

/* Whether a command line, as `cmdline` has it, begins with ptyd, wherever that lies. */
bool proc_is_ptyd(const char *cmdline);

#endif
