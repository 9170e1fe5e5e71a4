/* setup.h - whether blocks leave this host, and as whom.
 *
 * `relay.json` beside ptyd.conf is what `ptyd relay enable` was told; without it nothing runs.
 * `<state>/relay/` has what is this host's own: its id, the key from which it makes the ids of its
 * messages, and its NKey.
 */
#ifndef PTYD_RELAY_SETUP_H
#define PTYD_RELAY_SETUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "ptyd/relay/keys.h"
#include "ptyd/relay/sealing.h"

/* Which writing of the file it is; zeroed where there is none. */
struct setup_stamp {
    ino_t file;
    struct timespec at;
};

struct setup {
    char *url, *user;
    char *host;             /* the name that others show of this host */
    char *creds;            /* a file of NATS credentials, or NULL: the NKey */
    char *authority;        /* a file of certificates to trust, or NULL */
    char *seal;             /* the file of the key with which is sealed, or NULL */
    struct sealing sealing; /* that key, once setup_read_key() has read it */
    bool publish_only;      /* nothing comes here */
    bool outputs;           /* others may ask for whole outputs */
    int64_t since_ms;       /* what ended before stays here */
};

/* The file's path, new string. */
char *setup_path(void);

/* What is wrong with such a name of a user or of a host, NULL for nothing: a literal. Receivers
 * take no other. */
const char *setup_check_name(const char *name);

/* Of the file that is there now. Who goes by settings took it before it read them, and reads them
 * again once it is another: `enable` was run, though it may have said the same. */
struct setup_stamp setup_stamp(void);
bool setup_is_stamped(struct setup_stamp stamp);

/* Returns NULL, or why there are none (a new string). */
char *setup_read(struct setup *ret_settings);
/* Reads the key, where there is to be one. Returns NULL, or why not (a new string): then nothing
 * may be sent, nor believed. */
char *setup_read_key(struct setup *settings);
/* Returns 0 or -errno. */
int setup_write(const struct setup *settings);
void setup_finish(struct setup *settings);

struct identity {
    char host_id[2 * 8 + 1];
    unsigned char key[KEYS_MAC_BYTES];
    char seed[KEYS_SEED_SIZE], public[KEYS_PUBLIC_SIZE];
};

/* `<state>/relay`, new string. */
char *identity_directory(const char *state);

/* Reads this host's own; `make`: makes it where there is none, or `anew` another one. Returns NULL,
 * or why there is none (a new string): it was made on another machine, too, say, of which this one
 * is a copy. From then on this process shows its memory to nobody (core/cores.h). */
enum identity_way { IDENTITY_READ, IDENTITY_MAKE, IDENTITY_ANEW };
char *identity_open(const char *state, enum identity_way way, struct identity *ret_identity);

#endif
