/* http.h - the little of HTTP/1.1 that starts a WebSocket (RFC 6455, section 4). */
#ifndef PTYD_PROXY_HTTP_H
#define PTYD_PROXY_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* A request's or an answer's head as it came, and what came behind it. Zeroed is empty. */
struct http_head {
    struct bytes text;  /* up to and with the empty line */
    struct bytes early; /* behind it */
};

void http_head_finish(struct http_head *head);

/* Reads a head from a socket; waits at most LIMIT_HTTP_WAIT_MS. Returns 0, -ETIMEDOUT, -EFBIG
 * beyond LIMIT_HTTP_HEAD_BYTES, -ECONNRESET at the end, or another -errno. */
int http_read_head(int fd, struct http_head *head);

/* Whether every line of it is one header, which ends in CR LF: none goes on in the next line or
 * hides behind half a line end. What is not, two readers would read in two ways. */
bool http_is_strict(const struct http_head *head);

/* How many headers of that name there are. */
int http_header_count(const struct http_head *head, const char *name);

/* The value of a header (the first of that name), without blanks around it; new string, NULL
 * without one. */
char *http_header(const struct http_head *head, const char *name);

/* Whether a header's value, a list with commas, holds the word in any case. */
bool http_header_has(const struct http_head *head, const char *name, const char *word);

/* The target of a GET request; NULL for another method or version. New string. */
char *http_target(const struct http_head *head);

/* The status of an answer, 0 when it is none. */
int http_status(const struct http_head *head);

/* The Sec-WebSocket-Accept that answers a Sec-WebSocket-Key; `out` has room for 29 bytes. */
void http_accept_key(const char *key, char out[29]);

/* A fresh Sec-WebSocket-Key; `out` has room for 25 bytes. */
void http_new_key(char out[25]);

/* Sends a whole answer with a short text and closes nothing. */
void http_answer(int fd, int status, const char *reason, const char *text);

#endif
