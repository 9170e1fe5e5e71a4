/* vault.h - what shells were started with, in memory that outlives them and the worker.
 *
 * One memfd for all sessions, made by the keeper and handed to every worker: what in a session is
 * secret is known by the shell's environment, and the kernel's copy of that goes with the shell. It
 * is in no file, and mapped by nobody. Where there is none nothing is kept, and nothing found. One
 * process uses it at a time.
 */
#ifndef PTYD_CORE_VAULT_H
#define PTYD_CORE_VAULT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* Makes an empty one. Returns the descriptor, the caller's, or -errno. */
int vault_create_fd(void);

/* This process uses that one from here on, alone, and takes the descriptor over. -1: none. */
void vault_open(int fd);

/* Keeps an environment, strings that NUL ends, for the shell of that id; in vain where there is no
 * room. */
void vault_put(const char *shell_id, const char *environment, size_t len);

/* Appends it to `environment`. Returns whether there is one. */
bool vault_get(const char *shell_id, struct bytes *environment);

/* Forgets it; and all for which `stays` does not say otherwise. */
void vault_drop(const char *shell_id);
void vault_sweep(bool (*stays)(void *user, const char *shell_id), void *user);

#endif
