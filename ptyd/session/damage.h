/* damage.h - what stands where a session's files should be, and cannot be opened. */
#ifndef PTYD_SESSION_DAMAGE_H
#define PTYD_SESSION_DAMAGE_H

#include "ptyd/core/aside.h"

/* Sets aside what cannot be opened of the session whose files are in `directory` (.../agent_pty): a
 * directory or a link where a file should be, or a file without rights. Returns 0, or the -errno of
 * one that had to stay. */
int damage_set_aside(const char *directory, struct aside *aside);

/* Sets aside all files of the session, which cannot be read at all. */
void damage_set_all_aside(const char *state, const char *name);

#endif
