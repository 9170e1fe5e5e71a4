/* peer_private.h - a peer from inside: peer.c, and the framing of each kind. */
#ifndef PTYD_PROXY_PEER_PRIVATE_H
#define PTYD_PROXY_PEER_PRIVATE_H

#include <stdint.h>

#include "ptyd/proxy/peer.h"

struct frames; /* frames.c */

struct peer {
    int in, out; /* -1 when closed */
    bool owns_out;
    bool ended;         /* nothing more will be read */
    bool dead;          /* nobody reads what is written */
    bool closed;        /* peer_close() was called */
    struct bytes text;  /* messages received: lines with their ends, or payloads */
    size_t at;          /* bytes of it that are consumed */
    size_t scanned;     /* lines: bytes known to hold no unconsumed line end */
    struct bytes sizes; /* frames: size_t each, of the payloads from `at` on */
    size_t sizes_at;
    struct bytes out_bytes; /* to be written */
    size_t written;
    struct frames *frames; /* NULL for lines */
};

/* Received and not consumed. */
size_t peer_held(const struct peer *peer);

struct frames *frames_create(struct peer *peer, bool as_client, const struct bytes *early);
void frames_destroy(struct frames *f);

/* Reads from the socket and turns what is there into payloads, as long as there is room. */
void frames_read(struct frames *f);
bool frames_has_more(const struct frames *f);

/* Gathers a message; at its end frames it into out_bytes. */
void frames_write(struct frames *f, const char *data, size_t len, bool last);

/* The code the peer closed with, 0 when it has not. */
uint16_t frames_close_code(const struct frames *f);
void frames_close(struct frames *f, uint16_t code);

#endif
