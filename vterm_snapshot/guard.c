/* A state machine after Paul Williams' DEC parser, reduced to what must be told apart: text,
 * escape, control sequence, string. Each state has one function that takes the bytes at hand and
 * returns how many it used; HOLD asks for more of them. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "vterm_snapshot/csi.h"
#include "vterm_snapshot/csi_short.h"
#include "vterm_snapshot/guard_private.h"

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

struct guard_point {
    uint64_t offset;
    char last[4], passed[SCRUB_SHOWN];
    uint8_t last_len, passed_len;
};

bool guard_save(const struct guard *g, struct bytes *out)
{
    struct guard_point point = {.offset = g->offset,
                                .last_len = (uint8_t)g->last_len,
                                .passed_len = (uint8_t)g->scrub.passed_len};
    if (g->state != GROUND)
        return false;
    memcpy(point.last, g->last, sizeof point.last);
    memcpy(point.passed, g->scrub.passed, sizeof point.passed);
    bytes_append(out, &point, sizeof point);
    return true;
}

bool guard_load(struct guard *g, struct unpack *in)
{
    struct guard_point point;
    if (!unpack_value(in, &point, sizeof point) || point.last_len > sizeof point.last ||
        point.passed_len > sizeof point.passed)
        return false;
    g->offset = point.offset;
    g->last_len = point.last_len;
    g->scrub.passed_len = point.passed_len;
    memcpy(g->last, point.last, sizeof point.last);
    memcpy(g->scrub.passed, point.passed, sizeof point.passed);
    return true;
}

/* ---- output ---- */

void guard_show(struct guard *g, const char *bytes, size_t len)
{
    if (g->shown && len)
        g->events->display(g->user, bytes, len);
}

void guard_feed(struct guard *g, const char *bytes, size_t len)
{
    if (len)
        g->events->feed(g->user, bytes, len);
}

void guard_insert(struct guard *g, const char *sequences)
{
    size_t len = strlen(sequences);
    guard_feed(g, sequences, len);
    guard_show(g, sequences, len);
}

/* ---- text ---- */

/* The last printed character, for REP. */
static void remember_last(struct guard *g, const char *bytes, size_t len)
{
    size_t from = len;
    if (len && bytes[len - 1] >= 0x20 && bytes[len - 1] < 0x7f) {
        g->last[0] = bytes[len - 1];
        g->last_len = 1;
        return;
    }
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

static void feed_run(struct guard *g, const char *bytes, size_t len)
{
    guard_feed(g, bytes, len);
    guard_show(g, bytes, len);
}

static void feed_good(struct guard *g, const char *bytes, size_t len)
{
    if (!len)
        return;
    remember_last(g, bytes, len);
    feed_run(g, bytes, len);
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

/* ESC: a sequence that is there whole and is as it should be, or the beginning of any other. */
static ssize_t ground_escape(struct guard *g, char *bytes, size_t len)
{
    size_t whole = csi_plain_length(bytes, len);
    scrub_break(&g->scrub);
    if (whole) {
        guard_feed(g, bytes, whole);
        if (g->shown && !csi_is_query(bytes + 2, whole - 3, bytes[whole - 1]))
            guard_show(g, bytes, whole);
        return (ssize_t)whole;
    }
    g->state = ESCAPE;
    g->sequence_len = 0;
    g->sequence_overflow = false;
    g->mark_offset = g->offset;
    return 1;
}

/* A sequence that is as it should be and only draws: it may stand within a run. Its length, or 0.
 */
static size_t drawing_csi(struct guard *g, const char *bytes, size_t len)
{
    struct csi_short s;
    bool is_short = len >= 2 + CSI_SHORT && bytes[1] == '[' && csi_short_read(bytes + 2, &s) &&
                    csi_short_is_plain(&s);
    size_t whole = is_short ? 2 + s.len + 1 : csi_plain_length(bytes, len);
    char final = whole ? bytes[whole - 1] : 0;
    if (final != 'm' && final != 'K' && final != 'H')
        return 0;
    scrub_break(&g->scrub);
    return whole;
}

/* A word of ASCII between two sequences, as programs print them that draw: its length, or 0. Too
 * short for a nonce, and none has begun. */
static size_t short_text(const struct guard *g, const char *bytes, size_t len)
{
    if ((g->scrub.active && g->scrub.passed_len) || len < MARK_NONCE_LEN)
        return 0;
    if (bytes[1] == 0x1b)
        return (unsigned char)bytes[0] < 0x80;
    for (size_t at = 0; at < MARK_NONCE_LEN; at += 8) {
        uint64_t eight = ascii_load(bytes + at);
        uint64_t escape = ~csi_other_than_0(eight ^ ASCII_ONES * 0x1b) & ASCII_HIGH;
        if ((eight | escape) & ASCII_HIGH) {
            at += ascii_before((eight | escape) & ASCII_HIGH);
            return bytes[at] == 0x1b ? at : 0;
        }
    }
    return 0;
}

/* How much of the text at `bytes`, which ends at ESC, may pass now; *ret_all says whether all. */
static size_t ready_text(struct guard *g, char *bytes, size_t len, bool *ret_all)
{
    const char *escape = memchr(bytes, 0x1b, len);
    size_t run = escape ? (size_t)(escape - bytes) : len;
    size_t ready = scrub_run(&g->scrub, bytes, run, !escape);
    if (!escape)
        ready -= utf8_incomplete_tail(bytes, ready);
    *ret_all = ready == run;
    return ready;
}

/* As much as can go on in one run; text that is not as it should be follows it piece by piece. */
static ssize_t ground(struct guard *g, char *bytes, size_t len)
{
    size_t at = 0;
    for (bool more = true; more && at < len;) {
        size_t ready;
        if (bytes[at] == 0x1b) {
            ready = drawing_csi(g, bytes + at, len - at);
            more = ready > 0;
        } else if ((ready = short_text(g, bytes + at, len - at))) {
            remember_last(g, bytes + at, ready);
        } else {
            ready = ready_text(g, bytes + at, len - at, &more);
            if (good_run(bytes + at, ready) < ready) {
                feed_run(g, bytes, at);
                feed_text(g, bytes + at, ready);
                return (ssize_t)(at + ready);
            }
            remember_last(g, bytes + at, ready);
        }
        at += ready;
    }
    feed_run(g, bytes, at);
    if (at)
        return (ssize_t)at;
    return bytes[0] == 0x1b ? ground_escape(g, bytes, len) : HOLD;
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
        guard_feed(g, &c, 1);
        guard_show(g, &c, 1);
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
    guard_feed(g, sequence, len);
    guard_show(g, sequence, len);
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
        guard_feed(g, g->last, g->last_len);
        guard_show(g, g->last, g->last_len);
    }
}

static void feed_csi(struct guard *g, char final)
{
    char sequence[LIMIT_CSI_BYTES + 3];
    memcpy(sequence, "\x1b[", 2);
    if (csi_is_plain(g->sequence, g->sequence_len, final)) {
        memcpy(sequence + 2, g->sequence, g->sequence_len);
        sequence[2 + g->sequence_len] = final;
        guard_feed(g, sequence, g->sequence_len + 3);
        return;
    }
    g->rewritten.len = 0;
    csi_rewrite(g->sequence, g->sequence_len, final, &g->rewritten);
    if (!g->rewritten.failed)
        guard_feed(g, g->rewritten.data, g->rewritten.len);
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
        guard_show(g, "\x1b[", 2);
        guard_show(g, g->sequence, g->sequence_len);
        guard_show(g, &final, 1);
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

size_t guard_write(struct guard *g, char *bytes, size_t len)
{
    static ssize_t (*const step[])(struct guard *, char *, size_t) = {
        [GROUND] = ground,
        [ESCAPE] = escape,
        [CSI] = csi,
        [OSC_START] = guard_osc_start,
        [STRING] = guard_string,
        [STRING_ESCAPE] = guard_string_escape,
        [MARK] = guard_mark,
        [MARK_ESCAPE] = guard_mark_escape,
        [MARK_RAW] = guard_mark_raw,
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
