/* sealing.h - what hosts say to each other, so that the hub cannot read or change it.
 *
 * All hosts of a user have one key, in a file (XChaCha20-Poly1305, a random nonce each time). What
 * is sealed is sealed together with what it is about, its subject and id: so a hub can neither
 * read nor forge it, nor pass it for another host's, another session's, or another answer. Who has
 * the key believes nothing that is not sealed. The hub still sees who speaks to whom, when, how
 * much, and the names of sessions.
 */
#ifndef PTYD_RELAY_SEALING_H
#define PTYD_RELAY_SEALING_H

#include <jansson.h>
#include <stddef.h>

#include "ptyd/relay/keys.h"

/* A zeroed one is none: nothing is sealed then, nor opened. */
struct sealing {
    unsigned char key[KEYS_SEAL_BYTES];
    char id[KEYS_SEAL_ID_SIZE]; /* which key it is, as messages say; "" for none */
};

/* Returns NULL, or why not (a new string): it is not there, is none, or others may read it. */
char *sealing_read(const char *path, struct sealing *ret_sealing);
/* Makes a new key in a new file. Likewise. */
char *sealing_make(const char *path);

/* The text as it is sent under that subject and id ("" for none; an answer's is what its request
 * says, `ask`); without a key as it is. New string. */
char *sealing_close(const struct sealing *sealing, const char *subject, const char *id,
                    const char *text);

/* How many bytes that is at most, of a text of so many. */
size_t sealing_size(const struct sealing *sealing, size_t len);

enum sealing_found {
    SEALING_GOOD,     /* it is what was said there */
    SEALING_UNSEALED, /* and would have to be sealed */
    SEALING_FOREIGN,  /* sealed with another key than ours, or we have none */
    SEALING_BROKEN,   /* not what was said there: changed, cut, or moved */
};

/* What was said. *ret_said is a new reference where it is good, NULL for what is no JSON; else
 * untouched. */
enum sealing_found sealing_open(const struct sealing *sealing, const char *subject, const char *id,
                                const char *data, size_t len, json_t **ret_said);

#endif
