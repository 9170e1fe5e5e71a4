/* shown.h - secrets in what a stream of output shows (vterm_snapshot/transcript.h), whatever
 * colours and movements come in between: over rows that are full, by themselves and joined.
 */
#ifndef PTYD_CORE_SHOWN_H
#define PTYD_CORE_SHOWN_H

#include <stddef.h>

#include "envelope/redact/redact.h"
#include "vterm_snapshot/transcript.h"

/* Calls `found` with the places of those in the transcript's text, from `from` on; they may
 * overlap.
 */
void shown_secrets(struct transcript *transcript, size_t from, const struct redact_secrets *secrets,
                   redact_found *found, void *user);

#endif
