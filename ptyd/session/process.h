/* process.h - what the kernel says of a session's shell. */
#ifndef PTYD_SESSION_PROCESS_H
#define PTYD_SESSION_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A number that stays while a process runs the same program, started the same way, and changes when
 * it execs: of its executable, its arguments and its first environment. 0 when it cannot be read.
 */
uint64_t process_fingerprint(pid_t pid);

/* Whether it is at work rather than waiting for something; false also when that cannot be known. */
bool process_busy(pid_t pid);

/* The same of the leader of a process group, and of what it started and is of that group: what a
 * shell waits for in its hooks and prompts is. Up to LIMIT_FAMILY threads are looked at. */
bool process_works(pid_t pid);

/* Whether it waits for what others write into a pipe, or for their end; false also where the kernel
 * does not say in which of its functions a process is (/proc/PID/wchan). */
bool process_waits_for_others(pid_t pid);

/* How many bytes its first thread has read of anything, 0 where that is not known. */
uint64_t process_read_bytes(pid_t pid);

/* Whether it waits for something. *ret_turn is another number when it did something in between. The
 * other one: and no child of its is at work that may be about to come in front. */
bool process_waits(pid_t pid, uint64_t *ret_turn);
bool process_rests(pid_t pid, uint64_t *ret_turn);

#endif
