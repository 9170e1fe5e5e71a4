#define _GNU_SOURCE /* memmem */
#include "vterm_snapshot/scrub.h"

#include <string.h>

void scrub_set_nonce(struct scrub *s, const char *nonce)
{
    s->active = false;
    for (int i = 0; nonce && i < MARK_NONCE_LEN; i++) {
        s->nonce[i] = nonce[i];
        s->active = s->active || nonce[i] != '0';
    }
}

/* The last bytes that passed and the first at hand, in one piece. */
struct window {
    char bytes[SCRUB_SHOWN + MARK_NONCE_LEN];
    size_t before; /* of them passed already */
    size_t len;
};

static void zero_digits(char *bytes, size_t nonce_at, size_t len)
{
    size_t from = nonce_at + SCRUB_SHOWN, to = nonce_at + MARK_NONCE_LEN;
    memset(bytes + from, '0', (to < len ? to : len) - from);
}

/* Overwrites a nonce that began in what passed before. */
static void overwrite_begun(struct scrub *s, char *bytes, size_t len)
{
    struct window w = {.before = s->passed_len};
    size_t more = len < MARK_NONCE_LEN ? len : MARK_NONCE_LEN;
    memcpy(w.bytes, s->passed, w.before);
    memcpy(w.bytes + w.before, bytes, more);
    w.len = w.before + more;
    for (size_t at = 0; at < w.before && at + MARK_NONCE_LEN <= w.len; at++)
        if (!memcmp(w.bytes + at, s->nonce, MARK_NONCE_LEN))
            memset(bytes + (at + SCRUB_SHOWN - w.before), '0', MARK_NONCE_LEN - SCRUB_SHOWN);
}

/* How many bytes at the end may belong to a nonce whose rest has not come. */
static size_t held_digits(const struct scrub *s, const char *bytes, size_t len)
{
    char end[MARK_NONCE_LEN - 1];
    size_t own = len < sizeof end ? len : sizeof end;
    size_t passed = sizeof end - own < s->passed_len ? sizeof end - own : s->passed_len;
    memcpy(end, s->passed + s->passed_len - passed, passed);
    memcpy(end + passed, bytes + len - own, own);
    for (size_t n = passed + own; n > SCRUB_SHOWN; n--)
        if (!memcmp(end + passed + own - n, s->nonce, n))
            return n - SCRUB_SHOWN;
    return 0;
}

static void remember_passed(struct scrub *s, const char *bytes, size_t len)
{
    size_t own = len < SCRUB_SHOWN ? len : SCRUB_SHOWN;
    size_t kept = SCRUB_SHOWN - own < s->passed_len ? SCRUB_SHOWN - own : s->passed_len;
    memmove(s->passed, s->passed + s->passed_len - kept, kept);
    memcpy(s->passed + kept, bytes + len - own, own);
    s->passed_len = kept + own;
}

size_t scrub_run(struct scrub *s, char *bytes, size_t len, bool goes_on)
{
    if (!s->active)
        return len;
    overwrite_begun(s, bytes, len);
    char *at = bytes;
    while ((at = memmem(at, len - (size_t)(at - bytes), s->nonce, MARK_NONCE_LEN)))
        zero_digits(bytes, (size_t)(at++ - bytes), len); /* one of zeros stays where it is */
    size_t ready = goes_on ? len - held_digits(s, bytes, len) : len;
    remember_passed(s, bytes, ready);
    return ready;
}
