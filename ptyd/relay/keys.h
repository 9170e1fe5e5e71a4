/* keys.h - what a host proves itself with: an NKey of NATS (Ed25519, written as NATS writes it),
 * and a key of its own from which the ids of its messages are made; and what is done with the key
 * that a user's hosts share (relay/sealing.h). The only place that knows libsodium.
 */
#ifndef PTYD_RELAY_KEYS_H
#define PTYD_RELAY_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

#define KEYS_SEED_SIZE       59 /* of a seed as text, `SU...`, with its NUL */
#define KEYS_PUBLIC_SIZE     57 /* of a public key, `U...` */
#define KEYS_MAC_BYTES       32 /* of a key for keys_mac() */
#define KEYS_SIGNATURE_BYTES 64

/* A new user's NKey, as its seed. */
void keys_new_seed(char ret_seed[KEYS_SEED_SIZE]);

/* The public key of a seed; false where it is none. */
bool keys_public(const char *seed, char ret_public[KEYS_PUBLIC_SIZE]);

/* Whether it is a user's public key. */
bool keys_is_public(const char *text);

/* Signs a text with the seed; false where it is none. */
bool keys_sign(const char *seed, const char *text, unsigned char ret_signature[]);

/* Who signs at a hub whose hosts have tokens: the operator for accounts, an account for its users.
 */
enum keys_role { KEYS_ACCOUNT, KEYS_HOSTS, KEYS_SYSTEM, KEYS_OPERATOR, KEYS_ROLES };
struct keys_signer {
    char public[KEYS_PUBLIC_SIZE]; /* `A...` or `O...` */
    unsigned char secret[64];
};

/* The key of a role that belongs to a user's seed; who has the one finds the other, nobody else
 * does. False where it is no seed. */
bool keys_signer(const char *seed, enum keys_role role, struct keys_signer *ret_signer);

/* A token (JWT, as NATS has it) of claims, which are JSON; new string. And the claims of one,
 * which nobody has checked: new string, NULL for none. */
char *keys_token(const struct keys_signer *signer, const char *claims);
char *keys_claims(const char *token, size_t len);

/* So many random bytes. */
void keys_random(void *bytes, size_t len);

/* Bytes as hexadecimal text, twice as long, and a NUL; and back: false for another text. */
void keys_hex(const unsigned char *bytes, size_t len, char *ret_text);
bool keys_unhex(const char *text, unsigned char *ret_bytes, size_t len);

/* What nobody can guess who does not have the key: 32 characters, and a NUL. */
#define KEYS_ID_SIZE 33
void keys_mac(const unsigned char key[KEYS_MAC_BYTES], const char *text, char ret_id[KEYS_ID_SIZE]);

/* A box holds a nonce of its own and a text that only who has the key can read or make, and only
 * together with the same `about`. Appends it; false for what is no such box. */
#define KEYS_SEAL_BYTES   32
#define KEYS_SEAL_ID_SIZE 17
void keys_seal(const unsigned char key[KEYS_SEAL_BYTES], const char *about, const char *text,
               size_t len, struct bytes *out);
bool keys_open(const unsigned char key[KEYS_SEAL_BYTES], const char *about, const char *box,
               size_t len, struct bytes *out);
/* By which a key is called: it tells nothing of it. */
void keys_seal_id(const unsigned char key[KEYS_SEAL_BYTES], char ret_id[KEYS_SEAL_ID_SIZE]);

#endif
