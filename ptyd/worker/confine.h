/* confine.h - the system calls that are left to the worker: a filter (seccomp) that refuses.
 *
 * What it never needs and an accident could use is refused with EPERM: to execute, to look into
 * other processes, sockets of other families than AF_UNIX. What is neither allowed nor named so
 * fails with ENOSYS, as a call does that the kernel does not have. Nothing is killed for it. It
 * limits accidents; a subverted worker types into shells all the same (SECURITY.md).
 */
#ifndef PTYD_WORKER_CONFINE_H
#define PTYD_WORKER_CONFINE_H

#include <stdbool.h>

/* Loads what it takes (base/late.h). */
void confine_prepare(void);

/* Takes the calls away from this thread, and from those that it makes: before there is another.
 * Once; what is confined stays so. With `wanted` false, and in a build with a sanitizer, nothing is
 * taken. Returns 0, also then, or -errno where the kernel would not. */
int confine(bool wanted);

/* How it went, in words for people: `on`, `off`, or `not possible: ` and why. */
const char *confine_words(void);

#endif
