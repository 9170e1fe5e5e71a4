/* end.h - one side of a conversation: messages out of bytes, and into bytes.
 *
 * A message is a line (JSON lines over two descriptors) or a WebSocket message (RFC 6455, over one
 * socket; framing by libwslay). Long lines can be handed on before they are whole.
 */
#ifndef PTYD_PROXY_END_H
#define PTYD_PROXY_END_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct end;

/* Lines from `in` and to `out`. The descriptors stay the caller's, but `out` is closed by
 * end_close() when `owns_out`. */
struct end *end_create_lines(int in, int out, bool owns_out);

/* WebSocket messages over `fd`, after the handshake; `early` are bytes that came with it. As the
 * client of the connection every frame is masked. Takes the socket over. */
struct end *end_create_frames(int fd, bool as_client, const struct bytes *early);

void end_destroy(struct end *end);

/* ---- reading ---- */

/* Reads what is there; after the last of it end_is_over() is true once all was consumed. */
void end_read(struct end *end);

/* The message at hand, or what there is of it. */
struct end_piece {
    const char *data;
    size_t len;
    bool whole; /* it ends here; its line end is not in `len` */
};

/* Returns false when there is nothing. */
bool end_peek(struct end *end, struct end_piece *ret_piece);

/* `piece`, as it was handed out, is dealt with. */
void end_consume(struct end *end, const struct end_piece *piece);

/* Drops what was not consumed and reads no more. */
void end_stop_reading(struct end *end);

/* Nothing more will come. */
bool end_has_ended(const struct end *end);
/* And all that came was consumed. */
bool end_is_over(const struct end *end);

/* ---- writing ---- */

/* A piece of a message; `last` ends it. `raw_lines`: the piece may hold line ends of its own, which
 * are white space in JSON: over lines they become blanks. */
void end_write(struct end *end, const char *data, size_t len, bool last, bool raw_lines);

/* Bytes not written to the descriptor yet. */
size_t end_queued(const struct end *end);

/* Writes as much as goes; what a dead reader does not take is dropped and end_is_dead() true. */
void end_flush(struct end *end);
bool end_is_dead(const struct end *end);

/* No more messages will be written: closes the descriptor or sends a close frame, with the code
 * that `other` was closed with (NULL: 1000). What is queued goes first. */
void end_close(struct end *end, const struct end *other);

/* After end_close() and a flush: a socket is shut for writing, and what the peer still sends is
 * read and dropped until it has hung up, at most `ms`. Closing on unread bytes would take our last
 * words from it. */
void end_linger(struct end *end, int ms);

/* ---- waiting ---- */

/* Fills one or two entries; returns how many. `may_read`: more input is welcome. */
int end_poll(const struct end *end, bool may_read, struct pollfd fds[2]);
/* Whether the first of them, which is the one that is read from, reports something to read. */
bool end_readable(const struct pollfd *fds);
/* Input was read but not understood yet, because there was no room: poll will not tell. */
bool end_has_more(const struct end *end);

/* Whether messages are frames: then they may hold line ends. */
bool end_is_framed(const struct end *end);

#endif
