/* peer.h - whether who asks is more confined than the daemon itself.
 *
 * What is typed into a shell runs outside of any sandbox its sender sits in. So whoever is in one
 * may look, and types nothing. What all processes may read of each other in /proc says it, also of
 * one that lets nobody look into it: no new privileges, filters of system calls, namespaces.
 */
#ifndef PTYD_WORKER_PEER_H
#define PTYD_WORKER_PEER_H

#include <stdbool.h>
#include <sys/types.h>

/* Notes how the daemon is confined: the keeper, for the worker confines itself. */
void peer_prepare(void);

/* When a process began, in ticks of the system; 0 where it is gone. */
unsigned long long peer_began(pid_t pid);

/* What of the process behind a connected socket is more confined than we are, in a word; NULL for
 * nothing, "gone" where it cannot be known any more. `pid`, `began`: of whom it was accepted from,
 * and peer_began() then. */
const char *peer_confinement(int socket, pid_t pid, unsigned long long began);

#endif
