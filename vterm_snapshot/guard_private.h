/* guard_private.h - the guard from inside: guard.c scans text and sequences, guard_string.c strings
 * and the marks among them. */
#ifndef VTERM_SNAPSHOT_GUARD_PRIVATE_H
#define VTERM_SNAPSHOT_GUARD_PRIVATE_H

#include <sys/types.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "vterm_snapshot/guard.h"
#include "vterm_snapshot/scrub.h"

#define HOLD (-1) /* a state's answer: more bytes are needed */

enum state { GROUND, ESCAPE, CSI, OSC_START, STRING, STRING_ESCAPE, MARK, MARK_ESCAPE, MARK_RAW };

struct guard {
    const struct guard_events *events;
    void *user;
    enum state state;
    enum guard_trust trust;
    uint64_t offset;      /* bytes taken */
    uint64_t mark_offset; /* of the ESC that opened the string at hand */
    int columns;
    bool shown; /* somebody wants what an attached terminal may see */
    bool has_nonce;
    char nonce[MARK_NONCE_LEN];

    char sequence[LIMIT_CSI_BYTES + 1]; /* body of the escape or control sequence */
    size_t sequence_len;
    bool sequence_overflow;

    char string_kind;    /* ']' for OSC, else one of P X ^ _ */
    struct bytes string; /* payload so far */
    bool string_truncated;
    size_t raw_len; /* bytes of raw= seen */
    enum mark_signature signature;
    char closer[MARK_NONCE_LEN + 2]; /* `;` nonce BEL of the mark at hand */

    struct scrub scrub;

    char last[4]; /* the last printed character, for REP */
    size_t last_len;
    struct bytes rewritten;
};

/* Bytes for libvterm, and for attached terminals. */
void guard_feed(struct guard *g, const char *bytes, size_t len);
void guard_show(struct guard *g, const char *bytes, size_t len);

/* The states inside strings and marks. */
ssize_t guard_osc_start(struct guard *g, char *bytes, size_t len);
ssize_t guard_string(struct guard *g, char *bytes, size_t len);
ssize_t guard_string_escape(struct guard *g, char *bytes, size_t len);
ssize_t guard_mark(struct guard *g, char *bytes, size_t len);
ssize_t guard_mark_escape(struct guard *g, char *bytes, size_t len);
ssize_t guard_mark_raw(struct guard *g, char *bytes, size_t len);

#endif
