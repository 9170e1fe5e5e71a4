/* spool.h - what this host has yet to send: its sessions' blocks.jsonl, and how far each was sent.
 *
 * There is no other store: a block that is not acknowledged is read again. How far each session is
 * stands in `<state>/relay/cursors.json`; written a little later than it is so, for what is sent
 * twice the hub and the receivers know.
 */
#ifndef PTYD_RELAY_SPOOL_H
#define PTYD_RELAY_SPOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/core/block.h"
#include "ptyd/core/conf.h"

struct spool;

/* A session of which something may have to be sent. `user` is the caller's. */
struct spool_session {
    char *name;
    uint64_t seq;    /* all up to this one is dealt with */
    uint64_t first;  /* that was sent; 0 for none, or of a former program */
    char *shell_id;  /* of the last that was sent; "" for none */
    uint64_t number; /* of that shell's that were sent */
    bool due;        /* there may be more */
    json_t *page;    /* blocks behind `seq`, as they stand in the file; NULL */
    size_t page_at;
    bool page_is_all;      /* nothing was behind it */
    uint64_t page_file;    /* which blocks.jsonl that was: what is forgotten is so in another one */
    int watch, file_watch; /* inotify's; -1 */
    void *user;            /* while this is set it stays, also where its files are gone */
};

/* `since_ms`: what ended before is not sent. `to_send` is false for who only asks how far it is. */
struct spool *spool_open(const char *state, int64_t since_ms, bool to_send);
void spool_close(struct spool *spool);

/* Readable when some session may have more; reads it, and says which by their `due`. */
int spool_fd(const struct spool *spool);
void spool_take_news(struct spool *spool);
/* Looks at all of them. */
void spool_look(struct spool *spool);

/* The sessions, one after the other, from 0; NULL at the end. Their order and places change with
 * spool_look() and spool_take_news(), they themselves do not move. */
struct spool_session *spool_session(const struct spool *spool, size_t index);

/* The next block to send of a session, without its secrets, with *ret_number; a new reference, NULL
 * when there is none now (it is not due then). The same again until spool_sent(). What is not to be
 * sent is passed over. */
struct block *spool_next(struct spool *spool, struct spool_session *session,
                         const struct conf *conf, uint64_t *ret_number);
void spool_sent(struct spool *spool, struct spool_session *session, const struct block *block,
                uint64_t number);

/* For what is sent again: the block as it stands in the file by now, a new reference; NULL where it
 * is not to be sent any more, since it was forgotten, say. */
struct block *spool_again(struct spool *spool, struct spool_session *session, struct block *block,
                          const struct conf *conf);

/* Keeps how far it is, where that has changed. `clean`: nothing is under way that may come twice.
 */
void spool_keep(struct spool *spool, bool clean);
/* Whether the process before kept it so. */
bool spool_was_clean(const struct spool *spool);

/* How many blocks that are to be looked at wait in all sessions, and when the oldest of them ended
 * (0: none). */
uint64_t spool_waiting(struct spool *spool, int64_t *ret_oldest_ms);

#endif
