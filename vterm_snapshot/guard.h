/* guard.h - the bounded scanner in front of libvterm.
 *
 * Bytes from a terminal go in; out come, in order and at the exact byte: runs that libvterm
 * survives, the payloads of OSC strings, and shell marks. Every other string (DCS, APC, PM, SOS)
 * is consumed. What must be seen whole is held back: guard_write() then takes fewer bytes than it
 * was given and expects the rest again, in front of what follows.
 *
 * The shell's nonce is overwritten with zeros wherever it stands in the input, so that whoever
 * keeps the bytes afterwards (log, screen, attached terminals) keeps no secret.
 */
#ifndef VTERM_SNAPSHOT_GUARD_H
#define VTERM_SNAPSHOT_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pack.h"
#include "vterm_snapshot/mark.h"

struct guard;

/* All called during guard_write(), with the guard's user pointer. */
struct guard_events {
    /* A run for the emulator: text, which may be cut between characters, and among it whole SGR, EL
     * and CUP; any other sequence comes alone. */
    void (*feed)(void *user, const char *bytes, size_t len);
    /* An OSC's payload without introducer and terminator, NUL-terminated, C0 removed, at most
     * LIMIT_STRING_BYTES. Never 7711. */
    void (*osc)(void *user, const char *payload, size_t len);
    /* A mark, signed or forged; it is finished after the call. */
    void (*mark)(void *user, const struct mark *mark);
    /* Whether a mark of zeros at this offset was genuine when it was printed (our own log). */
    bool (*recorded)(void *user, uint64_t offset);
    /* Something on 7711 that is no mark at all. */
    void (*malformed)(void *user);
    /* The run just fed put back a saved cursor, which a resize may have left outside. */
    void (*restored)(void *user);
    /* NULL, or what an attached terminal may see: text, sequences that ask nothing, titles,
     * hyperlinks, clipboard writes. */
    void (*display)(void *user, const char *bytes, size_t len);
};

/* How marks are recognised. */
enum guard_trust {
    GUARD_TRUST_NONCE, /* those that carry the nonce set; without one, none */
    GUARD_TRUST_FIRST, /* the nonce of the first well-formed A becomes the nonce (replay) */
};

/* `events` and `user` must outlive the guard. Returns NULL without memory. */
struct guard *guard_create(const struct guard_events *events, void *user);
void guard_destroy(struct guard *guard);

/* Sets the shell's nonce (MARK_NONCE_LEN characters, NULL for none). */
void guard_set_nonce(struct guard *guard, const char *nonce);
void guard_set_trust(struct guard *guard, enum guard_trust trust);

/* Whether `display` is called at all; it is until this says otherwise. */
void guard_set_shown(struct guard *guard, bool shown);

/* Control sequences of our own at this point of the stream, for the terminal and whoever sees it.
 */
void guard_insert(struct guard *guard, const char *sequences);

/* Columns of the terminal: the most that one REP may repeat. */
void guard_set_columns(struct guard *guard, int columns);

/* Scans `bytes`, which it may change (see above). Returns how many it took. */
size_t guard_write(struct guard *guard, char *bytes, size_t len);

/* Where the guard stands between two runs; false within a sequence or string, `out` unchanged. The
 * nonce is not part of it: it is set again. */
bool guard_save(const struct guard *guard, struct bytes *out);
bool guard_load(struct guard *guard, struct unpack *in);

/* Bytes taken since the start. */
uint64_t guard_offset(const struct guard *guard);
void guard_set_offset(struct guard *guard, uint64_t offset);

#endif
