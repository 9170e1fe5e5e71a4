/* credentials.h - a file that somebody proves themselves with at a hub: an NKey's seed, or the
 * credentials that NATS's own tools make. */
#ifndef PTYD_RELAY_CREDENTIALS_H
#define PTYD_RELAY_CREDENTIALS_H

#include <stdbool.h>

#include "ptyd/relay/keys.h"

/* Whether the file holds an NKey's seed, which is *ret_seed then; else it is the library's to read.
 * Says so where others may read it. Returns NULL, or why it cannot be read or is neither (a new
 * string). */
char *credentials_read(const char *path, bool *ret_is_seed, char ret_seed[KEYS_SEED_SIZE]);

/* Whose they are, where the file holds a token that names a HOSTID: false for anything else. */
bool credentials_host(const char *path, char ret_host_id[2 * 8 + 1]);

/* That the token in the file has ended, by the clock here (a new string); NULL where it has not,
 * does not, or is none. */
char *credentials_ended(const char *path);

/* Writes a new seed into a new file. Returns NULL, or why not (a new string). */
char *credentials_make(const char *path, char ret_public[KEYS_PUBLIC_SIZE]);

#endif
