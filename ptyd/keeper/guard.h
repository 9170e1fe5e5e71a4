/* guard.h - the way back from an upgrade: until the new program has shown that it works, whatever
 * befalls it ends in the one before, in the same process, with everything that it had inherited.
 *
 * While the guard is armed the program before is executed again when this one crashes, ends, or is
 * not done in time. Nothing that it was given may be changed meanwhile: no descriptor closed, no
 * shell reaped.
 */
#ifndef PTYD_KEEPER_GUARD_H
#define PTYD_KEEPER_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/* Arms it: `program` is the file to go back to and `table` the table that it wrote, both open. */
void guard_arm(int program, int table);

bool guard_is_armed(void);

/* A worker runs, or none (0): it is ended before the way back, for a terminal has one reader. */
void guard_set_worker(pid_t worker);

/* The daemon was told to end: the program before hears it too. */
void guard_set_stopping(void);

/* Goes back, and says why. Returns only where that cannot be done: armed no more. */
void guard_go_back(const char *why);

/* The new program works, or this process is another one: nothing leads back. Closes what
 * guard_arm() was given. */
void guard_disarm(void);

#endif
