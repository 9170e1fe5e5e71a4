/* keys.h - what of a person's keys goes to the session, and which of them leave it.
 *
 * Two keys: the prefix, Ctrl and a character (C-\), and a character (d). The prefix and anything
 * else send both; the prefix twice sends one, in the encoding in which it came; alone it is sent
 * when it has waited. They are recognised as control bytes, and as xterm's modifyOtherKeys, kitty's
 * keyboard protocol and Windows Terminal (mode 9001) write them; in a paste (bracketed) they are
 * text. What a terminal reports by itself (mouse, focus, answers) passes at once and decides
 * nothing. Pure.
 */
#ifndef PTYD_CLIENT_KEYS_H
#define PTYD_CLIENT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* For the key behind the prefix, and for the rest of a sequence: ESC may be a key, too. In a paste
 * it is none, nor where `ESC [` and a digit have come: that rest is waited for as long as a key. */
#define KEYS_PREFIX_MS   500
#define KEYS_SEQUENCE_MS 25
/* Between two presses that leave together. */
#define KEYS_TWICE_MS 1000

struct keys {
    char prefix; /* the character that is pressed with Ctrl; 0: no key leaves */
    char leave;  /* the character behind it */
    char grant;  /* another that is taken out, and counted in `granted`; 0: none is */
    int granted;
    bool twice; /* none: the prefix goes to the session at once, and twice in a row leaves */
    int64_t pressed_ms; /* then: when it was; 0 before */

    bool pressed;       /* the prefix was, and what follows decides */
    bool pasting;       /* what comes is pasted text */
    int character;      /* so many bytes the last character that went to the session has yet */
    struct bytes held;  /* what waits: the prefix, the head of a sequence */
    size_t decided;     /* so much of it was looked at */
    int64_t due;        /* when it waits no longer; 0 while nothing waits */
    int64_t prefix_due; /* when the prefix does not */
};

/* Which keys leave, as core/detach_key.h reads it. Returns 0, or -EINVAL with `keys` unchanged. A
 * zeroed struct leaves by none. */
int keys_init(struct keys *keys, const char *text);
/* Ctrl and that letter, twice within KEYS_TWICE_MS, leave; the first goes to the session. */
void keys_init_twice(struct keys *keys, char letter);
void keys_finish(struct keys *keys);

/* Takes keys as they came at `now` (ms), cut anywhere; appends what goes to the session. Returns
 * whether they leave: what stands behind that is nobody's. */
bool keys_take(struct keys *keys, const char *bytes, size_t len, int64_t now, struct bytes *out);

/* Whether nothing waits and no paste is under way: keys without a control byte of ours go to the
 * session as they are. *ret_special is that byte, ESC where there is none. */
bool keys_rest(const struct keys *keys, char *ret_special);

/* When keys_wait_over() is to be called, 0 for never; it appends what has waited long enough. */
int64_t keys_due(const struct keys *keys);
void keys_wait_over(struct keys *keys, int64_t now, struct bytes *out);

#endif
