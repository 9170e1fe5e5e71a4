/* csi.h - control sequences that libvterm survives and that still mean the same.
 *
 * libvterm writes past its argument array at the seventeenth parameter and overflows on long
 * numbers. Sequences are therefore re-emitted: values clamped to LIMIT_CSI_VALUE, SGR and modes
 * split into several sequences at group ends, anything else cut at LIMIT_CSI_PARAMS.
 */
#ifndef VTERM_SNAPSHOT_CSI_H
#define VTERM_SNAPSHOT_CSI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

/* Whether csi_rewrite() would change nothing that matters: few short numbers, and nothing that is
 * dropped. Nearly all sequences are so. */
bool csi_is_plain(const char *body, size_t len, char final);

/* The length of the sequence at the front (`ESC [ ... final`) if it is there whole, plain, and has
 * nothing else to it that is looked for; else 0. */
size_t csi_plain_length(const char *bytes, size_t len);

/* Appends to `out` the sequences that stand for `ESC [ body final` (`body`: leader, parameters
 * and intermediates, no control characters). Appends nothing for what must not reach libvterm. */
void csi_rewrite(const char *body, size_t len, char final, struct bytes *out);

/* The first parameter, `fallback` when it is missing or zero. */
int csi_first_param(const char *body, size_t len, int fallback);

/* Whether the sequence puts back a saved cursor (CSI u, DECRST 1048 and 1049). */
bool csi_restores_cursor(const char *body, size_t len, char final);

/* Whether it asks the terminal for an answer, so that an attached terminal must not see it. */
bool csi_is_query(const char *body, size_t len, char final);

#endif
