/* veil.h - a stream of output on its way to others: without marks, and with stars for secrets.
 *
 * What is a secret is said of the text that the output shows (envelope/redact/redact.h), whatever
 * colours and movements come in between, and over rows that are full, by themselves and joined;
 * what is overwritten was looked at before. A secret's characters become stars, as many as they
 * were, so that nothing else moves. Output waits until the line that it is of is known, with a key
 * all of it.
 */
#ifndef PTYD_RECORD_VEIL_H
#define PTYD_RECORD_VEIL_H

#include <stddef.h>
#include <stdint.h>

#include "envelope/redact/redact.h"

struct veil;

/* What comes out, in order, each with the time it came in with. */
struct veil_events {
    void (*size)(void *user, int64_t ms, int cols, int rows);
    void (*output)(void *user, int64_t ms, const char *bytes, size_t len);
    void (*marker)(void *user, int64_t ms, const char *text);
};

/* `secrets` (NULL for none) and `events` outlive it. */
struct veil *veil_create(int cols, const struct redact_secrets *secrets,
                         const struct veil_events *events, void *user);
void veil_destroy(struct veil *veil);

void veil_output(struct veil *veil, int64_t ms, const char *bytes, size_t len);
void veil_size(struct veil *veil, int64_t ms, int cols, int rows);
/* `text` is static. */
void veil_marker(struct veil *veil, int64_t ms, const char *text);

/* Nothing more comes soon: all that waits comes out. */
void veil_flush(struct veil *veil);

#endif
