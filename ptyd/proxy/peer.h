/* peer.h - the client or the server, as the proxy speaks with it: messages out of bytes, and into
 * bytes.
 *
 * A message is a line (JSON lines over two descriptors) or a WebSocket message (RFC 6455, over one
 * socket; framing by libwslay). Long lines can be handed on before they are whole.
 */
#ifndef PTYD_PROXY_PEER_H
#define PTYD_PROXY_PEER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct peer;

/* Lines from `in` and to `out`. The descriptors stay the caller's, but `out` is closed by
 * peer_close() when `owns_out`. */
struct peer *peer_create_lines(int in, int out, bool owns_out);

/* WebSocket messages over `fd`, after the handshake; `early` are bytes that came with it. As the
 * client of the connection every frame is masked. Takes the socket over. */
struct peer *peer_create_frames(int fd, bool as_client, const struct bytes *early);

void peer_destroy(struct peer *peer);

/* ---- reading ---- */

/* Reads what is there; after the last of it peer_is_over() is true once all was consumed. */
void peer_read(struct peer *peer);

/* The message at hand, or what there is of it. */
struct peer_piece {
    const char *data;
    size_t len;
    bool whole; /* it ends here; its line end is not in `len` */
};

/* Returns false when there is nothing. */
bool peer_peek(struct peer *peer, struct peer_piece *ret_piece);

/* The piece that peer_peek() gave was passed on or answered: the next one comes. */
void peer_consume(struct peer *peer, const struct peer_piece *piece);

/* Drops what was received and not consumed, and reads no more. */
void peer_stop_reading(struct peer *peer);

/* Nothing more will come. */
bool peer_has_ended(const struct peer *peer);
/* And all that came was consumed. */
bool peer_is_over(const struct peer *peer);

/* ---- writing ---- */

/* A piece of a message; `last` ends it. `raw_lines`: the piece may hold line ends of its own, which
 * are white space in JSON: over lines they become blanks. */
void peer_write(struct peer *peer, const char *data, size_t len, bool last, bool raw_lines);

/* Bytes not written to the descriptor yet. */
size_t peer_queued(const struct peer *peer);

/* Writes as much as the descriptor takes now. When nobody reads there any more what is queued is
 * dropped, and peer_is_dead() is true. */
void peer_flush(struct peer *peer);
bool peer_is_dead(const struct peer *peer);

/* No more messages will be written: closes the descriptor or sends a close frame, with the code
 * that `other` was closed with (NULL: 1000). What is queued goes first. */
void peer_close(struct peer *peer, const struct peer *other);

/* After peer_close() and a flush: a socket is shut for writing, and what the peer still sends is
 * read and dropped until it has hung up, at most `ms`. Closing on unread bytes would take our last
 * words from it. */
void peer_linger(struct peer *peer, int ms);

/* ---- waiting ---- */

/* Fills one or two entries; returns how many. `may_read`: more input is welcome. */
int peer_poll(const struct peer *peer, bool may_read, struct pollfd fds[2]);
/* Whether there is something to read, by what poll said of the first entry (the one read from). */
bool peer_readable(const struct pollfd *fds);
/* Whether bytes that were read wait inside for room: poll knows nothing of them. */
bool peer_has_more(const struct peer *peer);

/* Whether messages are frames: then they may hold line ends. */
bool peer_is_framed(const struct peer *peer);

#endif
