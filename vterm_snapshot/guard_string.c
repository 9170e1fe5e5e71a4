/* Inside OSC, DCS, APC, PM and SOS: everything is consumed; what an OSC says becomes an event, and
 * one on 7711 a mark. */
#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/guard_private.h"

#define MARK_PREFIX     "7711;"
#define MARK_PREFIX_LEN 5
#define MARK_HEAD_LEN   (MARK_PREFIX_LEN + MARK_NONCE_LEN + 1)

/* ---- strings ---- */

static void keep(struct guard *g, const char *bytes, size_t len)
{
    size_t room = LIMIT_STRING_BYTES - g->string.len;
    if (len > room) {
        len = room;
        g->string_truncated = true;
    }
    bytes_append(&g->string, bytes, len);
}

static bool is_shown_osc(const char *payload)
{
    if (!strncmp(payload, "52;", 3))
        return !strchr(payload, '?'); /* writing the clipboard asks nothing; reading it does */
    return !strncmp(payload, "0;", 2) || !strncmp(payload, "1;", 2) || !strncmp(payload, "2;", 2) ||
           !strncmp(payload, "8;", 2);
}

static void finish_string(struct guard *g)
{
    g->state = GROUND;
    if (g->string_kind != ']' || !g->string.len || g->string.failed)
        return;
    g->events->osc(g->user, g->string.data, g->string.len);
    if (!g->string_truncated && is_shown_osc(g->string.data)) {
        guard_show(g, "\x1b]", 2);
        guard_show(g, g->string.data, g->string.len);
        guard_show(g, "\x1b\\", 2);
    }
}

static bool all_zero(const char *nonce)
{
    return strspn(nonce, "0") >= MARK_NONCE_LEN;
}

static bool is_nonce(const char *text)
{
    return strspn(text, "0123456789abcdef") >= MARK_NONCE_LEN;
}

/* Compares in constant time: how long it takes tells a forger nothing. */
static bool same_nonce(const char *a, const char *b)
{
    unsigned char difference = 0;
    for (int i = 0; i < MARK_NONCE_LEN; i++)
        difference |= (unsigned char)(a[i] ^ b[i]);
    return difference == 0;
}

static void begin_mark(struct guard *g, char *nonce)
{
    char copy[MARK_NONCE_LEN + 1] = {0};
    memcpy(copy, nonce, MARK_NONCE_LEN);
    g->signature = MARK_FORGED;
    if (g->has_nonce && same_nonce(copy, g->nonce))
        g->signature = MARK_SIGNED;
    else if (!g->has_nonce && g->trust == GUARD_TRUST_FIRST && is_nonce(copy))
        g->signature = MARK_SIGNED; /* until it turns out to be no A */
    else if (all_zero(copy))
        g->signature = MARK_ZEROED;
    g->closer[0] = ';';
    memcpy(g->closer + 1, copy, MARK_NONCE_LEN);
    g->closer[MARK_NONCE_LEN + 1] = 0x07;
    if (is_nonce(copy))
        memset(nonce, '0', MARK_NONCE_LEN);
    g->raw_len = 0;
    g->state = MARK;
}

/* Decides between a mark and any other OSC, once enough of it is there. */
ssize_t guard_osc_start(struct guard *g, char *bytes, size_t len)
{
    size_t known = len < MARK_PREFIX_LEN ? len : MARK_PREFIX_LEN;
    if (memcmp(bytes, MARK_PREFIX, known)) {
        g->state = STRING;
        return 0;
    }
    for (size_t i = known; i < len && i < MARK_HEAD_LEN; i++)
        if (i == MARK_HEAD_LEN - 1 ? bytes[i] != ';' : (unsigned char)bytes[i] < '0') {
            g->events->malformed(g->user);
            g->string_kind = 0; /* swallow it */
            g->state = STRING;
            return 0;
        }
    if (len < MARK_HEAD_LEN)
        return HOLD;
    begin_mark(g, bytes + MARK_PREFIX_LEN);
    return MARK_HEAD_LEN;
}

static bool ends_string(const struct guard *g, char c)
{
    return c == 0x1b || c == 0x18 || c == 0x1a || (c == 0x07 && g->string_kind == ']') ||
           (c == 0x07 && g->string_kind == 0);
}

ssize_t guard_string(struct guard *g, char *bytes, size_t len)
{
    size_t run = 0;
    while (run < len && !ends_string(g, bytes[run]))
        run++;
    size_t ready = scrub_run(&g->scrub, bytes, run, run == len);
    if (g->string_kind == ']')
        for (size_t i = 0; i < ready; i++)
            if ((unsigned char)bytes[i] >= 0x20 && bytes[i] != 0x7f)
                keep(g, bytes + i, 1);
    if (ready < run || run == len)
        return ready ? (ssize_t)ready : HOLD;
    char c = bytes[run];
    if (c == 0x07)
        finish_string(g);
    else
        g->state = c == 0x1b ? STRING_ESCAPE : GROUND;
    return (ssize_t)run + 1;
}

/* Behind an ESC: a backslash ends the string, anything else begins a sequence instead of it. */
static bool escape_terminates(struct guard *g, char c)
{
    g->state = ESCAPE;
    g->sequence_len = 0;
    g->sequence_overflow = false;
    g->mark_offset = g->offset - 1;
    return c == '\\';
}

ssize_t guard_string_escape(struct guard *g, char *bytes, size_t len)
{
    (void)len;
    if (!escape_terminates(g, bytes[0]))
        return 0;
    finish_string(g);
    return 1;
}

/* ---- marks ---- */

static void finish_mark(struct guard *g)
{
    struct mark mark;
    g->state = GROUND;
    if (g->string.failed || !g->string.data ||
        mark_parse(g->string.data, g->string.len, &mark) < 0) {
        g->events->malformed(g->user);
        return;
    }
    mark.signature = g->signature;
    mark.offset = g->mark_offset;
    mark.truncated = g->string_truncated;
    if (!g->has_nonce && g->signature == MARK_SIGNED) {
        if (mark.kind == MARK_PROMPT)
            guard_set_nonce(g, g->closer + 1);
        else
            mark.signature = MARK_FORGED;
    }
    g->events->mark(g->user, &mark);
    mark_finish(&mark);
}

/* raw= is honoured in marks that are genuine; any other ends at its first BEL. */
static bool raw_begins(const struct guard *g)
{
    if (g->string.len < 5 || memcmp(g->string.data + g->string.len - 5, ";raw=", 5))
        return false;
    return g->signature == MARK_SIGNED ||
           (g->signature == MARK_ZEROED && g->events->recorded(g->user, g->mark_offset));
}

ssize_t guard_mark(struct guard *g, char *bytes, size_t len)
{
    size_t i = 0;
    for (; i < len && g->state == MARK; i++) {
        char c = bytes[i];
        if (c == 0x07)
            finish_mark(g);
        else if (c == 0x1b)
            g->state = MARK_ESCAPE;
        else if (c == 0x18 || c == 0x1a)
            g->state = GROUND;
        else if ((unsigned char)c >= 0x20) {
            keep(g, &c, 1);
            if (c == '=' && raw_begins(g))
                g->state = MARK_RAW;
        }
    }
    return (ssize_t)i;
}

ssize_t guard_mark_escape(struct guard *g, char *bytes, size_t len)
{
    (void)len;
    if (!escape_terminates(g, bytes[0]))
        return 0;
    finish_mark(g);
    return 1;
}

static bool raw_too_long(struct guard *g, size_t more)
{
    g->raw_len += more;
    if (g->raw_len <= LIMIT_RAW_BYTES)
        return false;
    g->events->malformed(g->user);
    g->state = GROUND;
    return true;
}

/* raw= ends only at the mark's own nonce: the command in it may hold any byte at all. */
ssize_t guard_mark_raw(struct guard *g, char *bytes, size_t len)
{
    const char *semicolon = memchr(bytes, ';', len);
    size_t run = semicolon ? (size_t)(semicolon - bytes) : len;
    if (run) {
        if (!raw_too_long(g, run))
            keep(g, bytes, run);
        return (ssize_t)run;
    }
    size_t known = len < sizeof g->closer ? len : sizeof g->closer;
    if (memcmp(bytes, g->closer, known)) {
        if (!raw_too_long(g, 1))
            keep(g, bytes, 1);
        return 1;
    }
    if (known < sizeof g->closer)
        return HOLD;
    memset(bytes + 1, '0', MARK_NONCE_LEN);
    finish_mark(g);
    return sizeof g->closer;
}
