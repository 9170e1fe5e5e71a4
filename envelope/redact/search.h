/* search.h - the search of one text. */
#ifndef ENVELOPE_REDACT_SEARCH_H
#define ENVELOPE_REDACT_SEARCH_H

#include "envelope/redact/fold.h"
#include "envelope/redact/redact.h"

/* Tells of each secret of `text`, in order, none of which overlaps another. REDACT_BESIDE (scan.h)
 * line ends are in front of it, and behind it. `fold` is what it was made by; NULL where it is as
 * it was. */
void redact_search(const char *text, size_t len, const struct redact_fold *fold,
                   const struct redact_secrets *secrets, redact_found *found, void *user);

#endif
