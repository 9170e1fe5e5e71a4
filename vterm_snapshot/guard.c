/* A state machine after Paul Williams' DEC parser, reduced to what must be told apart: text,
 * escape, control sequence, string. Each state has one function that takes the bytes at hand and
 * returns how many it used; HOLD asks for more of them. */
#include "vterm_snapshot/guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "vterm_snapshot/csi.h"
#include "vterm_snapshot/scrub.h"

#define HOLD            (-1)
#define MARK_PREFIX     "7711;"
#define MARK_PREFIX_LEN 5
#define MARK_HEAD_LEN   (MARK_PREFIX_LEN + MARK_NONCE_LEN + 1)

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

struct guard *guard_create(const struct guard_events *events, void *user)
{
    struct guard *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->events = events;
    g->user = user;
    g->columns = LIMIT_COLS_DEFAULT;
    g->shown = events->display != NULL;
    return g;
}

void guard_destroy(struct guard *g)
{
    if (!g)
        return;
    bytes_finish(&g->string);
    bytes_finish(&g->rewritten);
    free(g);
}

void guard_set_nonce(struct guard *g, const char *nonce)
{
    g->has_nonce = nonce != NULL;
    if (nonce)
        memcpy(g->nonce, nonce, MARK_NONCE_LEN);
    scrub_set_nonce(&g->scrub, nonce);
}

void guard_set_trust(struct guard *g, enum guard_trust trust)
{
    g->trust = trust;
}

void guard_set_shown(struct guard *g, bool shown)
{
    g->shown = shown && g->events->display;
}

void guard_set_columns(struct guard *g, int columns)
{
    g->columns = columns;
}

uint64_t guard_offset(const struct guard *g)
{
    return g->offset;
}

void guard_set_offset(struct guard *g, uint64_t offset)
{
    g->offset = offset;
}

/* ---- output ---- */

static void show(struct guard *g, const char *bytes, size_t len)
{
    if (g->shown && len)
        g->events->display(g->user, bytes, len);
}

static void feed(struct guard *g, const char *bytes, size_t len)
{
    if (len)
        g->events->feed(g->user, bytes, len);
}

/* ---- text ---- */

static void remember_last(struct guard *g, const char *bytes, size_t len)
{
    size_t from = len;
    while (from > 0 && ((unsigned char)bytes[from - 1] < 0x20 || bytes[from - 1] == 0x7f))
        from--;
    size_t end = from;
    while (from > 0 && end - from < 4 && ((unsigned char)bytes[--from] & 0xc0) == 0x80)
        ;
    if (end == from || end - from > 4)
        return;
    g->last_len = end - from;
    memcpy(g->last, bytes + from, g->last_len);
}

/* How many bytes from the start are ASCII: eight at a time, as nearly all text is. */
static size_t ascii_run(const char *bytes, size_t len)
{
    size_t i = 0;
    for (uint64_t eight; i + 8 <= len; i += 8) {
        memcpy(&eight, bytes + i, 8);
        if (eight & 0x8080808080808080ull)
            break;
    }
    while (i < len && (unsigned char)bytes[i] < 0x80)
        i++;
    return i;
}

/* How many are text as it should be: valid UTF-8 without C1 controls. */
static size_t good_run(const char *bytes, size_t len)
{
    size_t i = ascii_run(bytes, len);
    while (i < len) {
        uint32_t code;
        int step = utf8_decode(bytes + i, len - i, &code);
        if (step <= 0 || (code >= 0x80 && code < 0xa0))
            break;
        i += (size_t)step;
        i += ascii_run(bytes + i, len - i);
    }
    return i;
}

static void feed_good(struct guard *g, const char *bytes, size_t len)
{
    if (!len)
        return;
    remember_last(g, bytes, len);
    feed(g, bytes, len);
    show(g, bytes, len);
}

/* libvterm puts its sign for a bad character in another place when a write ends inside it, so
 * ours is put instead. C1 controls print nothing and confuse libvterm's widths: they are left out.
 */
static void feed_text(struct guard *g, const char *bytes, size_t len)
{
    while (len) {
        size_t run = good_run(bytes, len);
        feed_good(g, bytes, run);
        bytes += run;
        len -= run;
        if (!len)
            break;
        uint32_t code;
        int step = utf8_decode(bytes, len, &code);
        if (step <= 0)
            feed_good(g, "\xef\xbf\xbd", 3);
        run = step > 0 ? (size_t)step : utf8_bad_length(bytes, len);
        bytes += run;
        len -= run;
    }
}

/* A control sequence that is there whole and passes as it is, as nearly all are: its length, else
 * 0. One pass; only what may be an extended or an underline colour (38, 48, 58) is looked at again.
 */
static size_t plain_csi(const char *bytes, size_t len)
{
    size_t at = 2;
    int digits = 0, count = 1;
    bool colours = false;
    if (len < 3 || bytes[1] != '[')
        return 0;
    for (; at < len && (bytes[at] == ';' || (bytes[at] >= '0' && bytes[at] <= '9')); at++) {
        bool digit = bytes[at] != ';';
        colours = colours || (bytes[at] == '8' && digits && strchr("345", bytes[at - 1]));
        digits = digit ? digits + 1 : 0;
        count += !digit;
        if (digits > 4 || count > LIMIT_CSI_PARAMS)
            return 0;
    }
    if (at == len || bytes[at] < 0x40 || bytes[at] == 0x7f)
        return 0;
    char final = bytes[at];
    if (final == 'b' || final == 'u' || final == 'l' ||
        (colours && !csi_is_plain(bytes + 2, at - 2, final)))
        return 0;
    return at + 1;
}

static ssize_t ground(struct guard *g, char *bytes, size_t len)
{
    if (bytes[0] == 0x1b) {
        size_t whole = plain_csi(bytes, len);
        if (whole) {
            scrub_break(&g->scrub);
            feed(g, bytes, whole);
            if (g->shown && !csi_is_query(bytes + 2, whole - 3, bytes[whole - 1]))
                show(g, bytes, whole);
            return (ssize_t)whole;
        }
        g->state = ESCAPE;
        g->sequence_len = 0;
        g->sequence_overflow = false;
        g->mark_offset = g->offset;
        scrub_break(&g->scrub);
        return 1;
    }
    char *escape = memchr(bytes, 0x1b, len);
    size_t run = escape ? (size_t)(escape - bytes) : len;
    size_t ready = scrub_run(&g->scrub, bytes, run, !escape);
    if (!escape)
        ready -= utf8_incomplete_tail(bytes, ready);
    if (!ready)
        return HOLD;
    feed_text(g, bytes, ready);
    return (ssize_t)ready;
}

/* ---- escape sequences ---- */

/* Executes a control character inside a sequence, as terminals do; false for one that ends it. */
static bool control_inside(struct guard *g, char c)
{
    if (c == 0x18 || c == 0x1a)
        g->state = GROUND;
    if (c == 0x18 || c == 0x1a || (unsigned char)c >= 0x80)
        return false;
    if (c != 0x7f) {
        feed(g, &c, 1);
        show(g, &c, 1);
    }
    return true;
}

static void begin_string(struct guard *g, char kind)
{
    g->string_kind = kind;
    g->string.len = 0;
    g->string_truncated = false;
    scrub_break(&g->scrub);
    g->state = kind == ']' ? OSC_START : STRING;
}

static void finish_escape(struct guard *g, char final)
{
    char sequence[8] = {0x1b};
    memcpy(sequence + 1, g->sequence, g->sequence_len);
    sequence[1 + g->sequence_len] = final;
    size_t len = g->sequence_len + 2;
    g->state = GROUND;
    if (g->sequence_len && g->sequence[0] == ' ')
        return; /* S7C1T, S8C1T: answers stay in seven bits */
    if (g->sequence_len && strchr("PX[]^_\\", final))
        return; /* libvterm overlooks the intermediate and begins a string or a sequence */
    if (!g->sequence_len && (final == 'Z' || final == '\\'))
        return;
    feed(g, sequence, len);
    show(g, sequence, len);
    if (!g->sequence_len && final == '8')
        g->events->restored(g->user);
}

static ssize_t escape(struct guard *g, char *bytes, size_t len)
{
    (void)len;
    char c = bytes[0];
    if (c == 0x1b) {
        g->sequence_len = 0;
        g->mark_offset = g->offset;
    } else if ((unsigned char)c >= 0x80) {
        g->state = GROUND;
        return 0;
    } else if (c < 0x20 || c == 0x7f) {
        control_inside(g, c);
    } else if (c <= 0x2f) {
        if (g->sequence_len < 4)
            g->sequence[g->sequence_len++] = c;
    } else if (g->sequence_len) {
        finish_escape(g, c);
    } else if (c == '[') {
        g->state = CSI;
    } else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_') {
        begin_string(g, c);
    } else {
        finish_escape(g, c);
    }
    return 1;
}

static void repeat_last(struct guard *g)
{
    int count = csi_first_param(g->sequence, g->sequence_len, 1);
    count = count < g->columns ? count : g->columns;
    for (int i = 0; g->last_len && i < count; i++) {
        feed(g, g->last, g->last_len);
        show(g, g->last, g->last_len);
    }
}

static void feed_csi(struct guard *g, char final)
{
    char sequence[LIMIT_CSI_BYTES + 3];
    memcpy(sequence, "\x1b[", 2);
    if (csi_is_plain(g->sequence, g->sequence_len, final)) {
        memcpy(sequence + 2, g->sequence, g->sequence_len);
        sequence[2 + g->sequence_len] = final;
        feed(g, sequence, g->sequence_len + 3);
        return;
    }
    g->rewritten.len = 0;
    csi_rewrite(g->sequence, g->sequence_len, final, &g->rewritten);
    if (!g->rewritten.failed)
        feed(g, g->rewritten.data, g->rewritten.len);
}

static void finish_csi(struct guard *g, char final)
{
    g->state = GROUND;
    if (g->sequence_overflow)
        return;
    if (final == 'b') {
        repeat_last(g);
        return;
    }
    feed_csi(g, final);
    if (g->shown && !csi_is_query(g->sequence, g->sequence_len, final)) {
        show(g, "\x1b[", 2);
        show(g, g->sequence, g->sequence_len);
        show(g, &final, 1);
    }
    if ((final == 'u' || final == 'l') && csi_restores_cursor(g->sequence, g->sequence_len, final))
        g->events->restored(g->user);
}

static ssize_t csi(struct guard *g, char *bytes, size_t len)
{
    size_t i = 0;
    for (; i < len && g->state == CSI; i++) {
        char c = bytes[i];
        if (c == 0x1b || (unsigned char)c >= 0x80) {
            g->state = GROUND; /* a new sequence or text begins: take this byte again */
            break;
        }
        if (c < 0x20 || c == 0x7f)
            control_inside(g, c);
        else if (c >= 0x40)
            finish_csi(g, c);
        else if (g->sequence_len < LIMIT_CSI_BYTES)
            g->sequence[g->sequence_len++] = c;
        else
            g->sequence_overflow = true;
    }
    return (ssize_t)i;
}

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
        show(g, "\x1b]", 2);
        show(g, g->string.data, g->string.len);
        show(g, "\x1b\\", 2);
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
static ssize_t osc_start(struct guard *g, char *bytes, size_t len)
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

static ssize_t string(struct guard *g, char *bytes, size_t len)
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

static ssize_t string_escape(struct guard *g, char *bytes, size_t len)
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

/* raw= is honoured in marks that may be genuine; a forged one ends at its first BEL. */
static bool raw_begins(const struct guard *g)
{
    return g->signature != MARK_FORGED && g->string.len >= 5 &&
           !memcmp(g->string.data + g->string.len - 5, ";raw=", 5);
}

static ssize_t mark(struct guard *g, char *bytes, size_t len)
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

static ssize_t mark_escape(struct guard *g, char *bytes, size_t len)
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
static ssize_t mark_raw(struct guard *g, char *bytes, size_t len)
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

size_t guard_write(struct guard *g, char *bytes, size_t len)
{
    static ssize_t (*const step[])(struct guard *, char *, size_t) = {
        [GROUND] = ground,       [ESCAPE] = escape,           [CSI] = csi,
        [OSC_START] = osc_start, [STRING] = string,           [STRING_ESCAPE] = string_escape,
        [MARK] = mark,           [MARK_ESCAPE] = mark_escape, [MARK_RAW] = mark_raw,
    };
    size_t at = 0;
    while (at < len) {
        ssize_t used = step[g->state](g, bytes + at, len - at);
        if (used == HOLD)
            break;
        at += (size_t)used;
        g->offset += (uint64_t)used;
    }
    return at;
}
