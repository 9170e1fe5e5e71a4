#define _GNU_SOURCE
#include "vterm_snapshot/blot_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "vterm_snapshot/mark.h"
#include "vterm_snapshot/width.h"

#define PIECE     (16 << 10) /* bytes of a log that are read at once */
#define HEAD_LEN  (sizeof MARK_HEAD - 1)
#define SEAL_LEN  6 /* `;` and five digits: a mark's length */
#define MARK_MOST LIMIT_RAW_BYTES

static const char zeros[] = ";00000000000000000000000000000000\a";

/* ---- one character ---- */

/* By bytes and columns. Those of no column are marks themselves. */
static const char *const covers[5][3] = {
    {"", "", ""},
    {"x", "x", "x"},
    {"\xcc\xb5", "\xc3\x97", "\xc3\x97"},                         /* U+0335, U+00D7 */
    {"\xe2\x83\x92", "\xe2\xa8\xaf", "\xef\xbd\x98"},             /* U+20D2, U+2A2F, U+FF58 */
    {"\xf0\x9d\x85\xa7", "\xf0\x9d\x97\x91", "\xf0\x9f\x94\xb3"}, /* U+1D167, U+1D5D1, U+1F533 */
};

/* Covers the character at `at`; controls stay. Returns how many bytes it has. */
static size_t cover(char *at, size_t len)
{
    uint32_t code;
    int n = utf8_decode(at, len, &code);
    bool is_control = n > 0 && (code < 0x20 || (code >= 0x7f && code < 0xa0));
    size_t size = n > 0 ? (size_t)n : 1;
    if (!is_control)
        memcpy(at, covers[size][n > 0 ? width_of(code) : WIDTH_ONE], size);
    return size;
}

void blot_cover(char *at, size_t len)
{
    for (size_t i = 0; i < len;)
        i += cover(at + i, len - i);
}

size_t blot_text(char *text, size_t len, const char *wanted)
{
    size_t size = strlen(wanted), count = 0;
    char *end = text + len, *at = size ? text : end;
    while ((at = at < end ? memmem(at, (size_t)(end - at), wanted, size) : NULL)) {
        blot_cover(at, size);
        at += size;
        count++;
    }
    return count;
}

/* ---- marks ---- */

size_t blot_mark(const char *bytes, size_t len)
{
    size_t head = HEAD_LEN + MARK_NONCE_LEN, most = len < MARK_MOST ? len : MARK_MOST;
    if (len <= head || memcmp(bytes, MARK_HEAD, HEAD_LEN) != 0)
        return 0;
    const char *next = memmem(bytes + HEAD_LEN, most - HEAD_LEN, MARK_HEAD, HEAD_LEN);
    most = next ? (size_t)(next - bytes) : most;
    const char *from = bytes + head < bytes + most ? bytes + head : bytes + most;
    size_t left = (size_t)(bytes + most - from);
    const char *closed = memmem(from, left, zeros, sizeof zeros - 1);
    const char *bell = memchr(from, '\a', left);
    return closed ? (size_t)(closed - bytes) + sizeof zeros - 1
           : bell ? (size_t)(bell - bytes) + 1
                  : 0;
}

/* What the field at `at` says that may be text; false for none. */
static bool read_value(char *at, const char *end, struct blot_value *ret_value)
{
    static const struct {
        const char *key;
        bool encoded, stays, last;
    } keys[] = {{"cmd=", true, false, false},
                {"lost=", true, true, false},
                {"cwd=", true, true, false},
                {"raw=", false, false, true},
                {"text=", false, false, true}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen(keys[i].key);
        if ((size_t)(end - at) < n || memcmp(at, keys[i].key, n) != 0)
            continue;
        char *stop = keys[i].last ? NULL : memchr(at + n, ';', (size_t)(end - at) - n);
        *ret_value = (struct blot_value){.at = at + n,
                                         .len = (size_t)((stop ? stop : end) - at) - n,
                                         .encoded = keys[i].encoded,
                                         .stays = keys[i].stays};
        return true;
    }
    return false;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'                     ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                    : -1;
}

/* The byte that stands at `at`, and how many bytes say it. */
char blot_decode(const struct blot_value *v, size_t i, size_t *ret_len)
{
    const char *at = v->at + i;
    bool fits =
        v->encoded && *at == '%' && v->len - i > 2 && digit(at[1]) >= 0 && digit(at[2]) >= 0;
    *ret_len = fits ? 3 : 1;
    return fits ? (char)(digit(at[1]) << 4 | digit(at[2])) : *at;
}

/* How many bytes from `i` on say the text; 0 where they say another one. */
static size_t says(const struct blot_value *v, size_t i, const char *wanted)
{
    size_t from = i, len;
    for (; *wanted; wanted++, i += len)
        if (i >= v->len || blot_decode(v, i, &len) != *wanted)
            return 0;
    return i - from;
}

static size_t cover_value(const struct blot_value *v, const char *wanted)
{
    size_t count = 0, len;
    if (!wanted) {
        if (!v->stays)
            blot_cover(v->at, v->len);
        return 0;
    }
    for (size_t i = 0; i < v->len; i += len) {
        size_t said = says(v, i, wanted);
        blot_cover(v->at + i, said);
        count += said > 0;
        blot_decode(v, i, &len);
        len = said ? said : len;
    }
    return count;
}

/* It stands behind the nonce and the number. */
char blot_mark_kind(const char *mark, size_t len)
{
    const char *at = mark + HEAD_LEN + MARK_NONCE_LEN, *end = mark + len;
    const char *kind = end - at > 1 ? memchr(at + 1, ';', (size_t)(end - at - 1)) : NULL;
    return kind && end - kind > 1 ? kind[1] : '\0';
}

void blot_each_value(char *mark, size_t len,
                     void (*each)(void *user, const struct blot_value *value), void *user)
{
    const size_t close = sizeof zeros - 1;
    bool closed = len > close && !memcmp(mark + len - close, zeros, close);
    char *end = mark + len - (closed ? close : 1), *at = mark + HEAD_LEN + MARK_NONCE_LEN;
    struct blot_value value;
    bool raw = at < end && memmem(at, (size_t)(end - at), ";raw=", 5);
    if (closed && !raw && end - at > SEAL_LEN && end[-SEAL_LEN] == ';')
        end -= SEAL_LEN; /* a length in front of raw= is a field as others are */
    while (at && at < end) {
        at++;
        if (read_value(at, end, &value)) {
            each(user, &value);
            at = value.at + value.len;
        }
        at = at < end ? memchr(at, ';', (size_t)(end - at)) : NULL;
    }
}

struct covering {
    const char *wanted;
    size_t count;
};

static void cover_one(void *user, const struct blot_value *value)
{
    struct covering *c = user;
    c->count += cover_value(value, c->wanted);
}

/* Whether it tells of no command: P, and D of a shell that says line=, in front of its directory.
 */
static bool is_of_directory(const char *mark, size_t len)
{
    char kind = blot_mark_kind(mark, len);
    const char *line = kind == MARK_DONE ? memmem(mark, len, ";line=", 6) : NULL;
    size_t front = line ? (size_t)(line - mark) : 0;
    return kind == MARK_PROPERTY ||
           (line && !memmem(mark, front, ";raw=", 5) && !memmem(mark, front, ";text=", 6) &&
            !memmem(mark, front, ";cmd=", 5));
}

/* Of a mark of so many bytes: all texts of commands, or what is wanted. */
static size_t cover_mark(char *mark, size_t len, const char *wanted)
{
    struct covering c = {.wanted = wanted};
    if (wanted || !is_of_directory(mark, len))
        blot_each_value(mark, len, cover_one, &c);
    return c.count;
}

/* The next mark at or behind `at`, and its length; `end` and 0 for none. */
char *blot_next_mark(char *at, char *end, size_t *ret_len)
{
    *ret_len = 0;
    while ((at = at < end ? memmem(at, (size_t)(end - at), MARK_HEAD, HEAD_LEN) : NULL)) {
        *ret_len = blot_mark(at, (size_t)(end - at));
        if (*ret_len)
            return at;
        at += HEAD_LEN;
    }
    return end;
}

/* ---- what is wanted ---- */

static size_t cover_bytes(char *at, size_t len, const char *wanted)
{
    char *end = at + len;
    size_t count = 0, mark_len;
    while (at < end) {
        char *mark = blot_next_mark(at, end, &mark_len);
        count += blot_text(at, (size_t)(mark - at), wanted);
        count += mark_len ? cover_mark(mark, mark_len, wanted) : 0;
        at = mark + mark_len;
    }
    return count;
}

struct reading {
    struct blot_part part;
    struct transcript *transcript;
    const char *wanted;
    void (*moves)(void);
    size_t size;     /* of it */
    size_t searched; /* of the text: what begins before it was looked at */
    size_t count;
};

void blot_cover_shown(struct transcript *t, const char *text, size_t i, size_t len,
                      const struct blot_part *part)
{
    uint64_t end = transcript_place(t, i, i + len);
    if (end < part->offset + len || end > part->offset + part->len)
        return;
    char *at = part->bytes + (end - part->offset) - len;
    if (!memcmp(at, text + i, len))
        blot_cover(at, len);
}

size_t blot_cluster(const char *at, size_t len)
{
    uint32_t code;
    size_t size = 0;
    int n;
    do {
        n = utf8_decode(at + size, len - size, &code);
        if (size && (n <= 0 || width_of(code) != WIDTH_MARK))
            break;
        size += n > 0 ? (size_t)n : 1;
    } while (size < len);
    return size;
}

static void look(struct reading *r)
{
    size_t len, changed = transcript_changed_from(r->transcript);
    const char *text = transcript_text(r->transcript, &len), *at;
    size_t from = changed > r->size ? changed - r->size : 0;
    from = from < r->searched ? from : r->searched;
    while (len > from && (at = memmem(text + from, len - from, r->wanted, r->size))) {
        size_t start = (size_t)(at - text);
        for (size_t i = start, step; i < start + r->size; i += step) {
            step = blot_cluster(text + i, len - i);
            blot_cover_shown(r->transcript, text, i, step, &r->part);
        }
        r->count++;
        from = start + r->size;
    }
    r->searched = len > r->size ? len - r->size : 0;
}

static void on_changes(void *user)
{
    look(user);
}

static void forget_text(struct reading *r)
{
    size_t len;
    transcript_text(r->transcript, &len);
    if (len <= BLOT_KEPT)
        return;
    size_t gone = transcript_forget(r->transcript, len - BLOT_KEPT / 2);
    r->searched = r->searched > gone ? r->searched - gone : 0;
}

static bool on_piece(void *user)
{
    struct reading *r = user;
    look(r);
    forget_text(r);
    if (r->moves)
        r->moves();
    return true;
}

/* The transcript may change what it is given: it is given copies. */
static bool read_some(const struct blot_part *part, struct transcript *t, size_t from, size_t to,
                      bool (*behind)(void *user), void *user)
{
    char piece[PIECE];
    bool goes_on = true;
    while (from < to && goes_on) {
        size_t n = to - from < sizeof piece ? to - from : sizeof piece;
        memcpy(piece, part->bytes + from, n);
        size_t taken = transcript_write(t, piece, n);
        goes_on = behind(user);
        if (!taken) /* a sequence that is longer than that, or has no end */
            transcript_leave_sequence(t);
        from += taken ? taken : n;
    }
    return goes_on;
}

int blot_cols(const struct blot_part *part)
{
    int cols = 80;
    for (size_t i = 0; i < part->width_count && part->widths[i].offset <= part->offset; i++)
        cols = part->widths[i].cols;
    return cols;
}

void blot_read(const struct blot_part *part, struct transcript *t, bool (*behind)(void *user),
               void *user)
{
    size_t from = 0;
    for (size_t i = 0; i < part->width_count; i++) {
        const struct blot_width *w = &part->widths[i];
        if (w->offset <= part->offset || w->offset >= part->offset + part->len)
            continue;
        if (!read_some(part, t, from, (size_t)(w->offset - part->offset), behind, user))
            return;
        from = (size_t)(w->offset - part->offset);
        transcript_set_cols(t, w->cols);
    }
    read_some(part, t, from, part->len, behind, user);
}

size_t blot_stream(char *bytes, size_t len, uint64_t offset, const struct blot_width *widths,
                   size_t width_count, const char *wanted, void (*moves)(void))
{
    struct reading r = {.part = {bytes, len, offset, widths, width_count},
                        .moves = moves,
                        .wanted = wanted,
                        .size = strlen(wanted)};
    if (!r.size)
        return 0;
    size_t together = cover_bytes(bytes, len, wanted);
    r.transcript = transcript_create(offset, blot_cols(&r.part), on_changes, &r);
    if (!r.transcript)
        memory_end();
    blot_read(&r.part, r.transcript, on_piece, &r);
    transcript_destroy(r.transcript);
    return together + r.count;
}

/* ---- all ---- */

/* Behind the string that begins at `at`, or `end`. */
char *blot_string_end(char *at, char *end)
{
    for (at += 2; at < end; at++)
        if (*at == '\a')
            return at + 1;
        else if (*at == '\033')
            return end - at > 1 && at[1] == '\\' ? at + 2 : at;
    return end;
}

/* Behind the escape or control sequence that begins at `at`. */
static char *sequence_end(char *at, char *end)
{
    bool is_csi = end - at > 1 && at[1] == '[';
    for (at += is_csi ? 2 : 1; at < end; at++)
        if ((unsigned char)*at >= (is_csi ? 0x40 : 0x30))
            return at + 1;
        else if ((unsigned char)*at < 0x20)
            return at;
    return end;
}

void blot_command(char *at, size_t len)
{
    char *end = at + len;
    while (at < end) {
        size_t mark_len = *at == '\033' ? blot_mark(at, (size_t)(end - at)) : 0;
        if (mark_len) {
            cover_mark(at, mark_len, NULL);
            at += mark_len;
        } else if (*at == '\033' && end - at > 1 && strchr("]PX^_", at[1]) && at[1]) {
            char *behind = blot_string_end(at, end);
            memset(at, 0, (size_t)(behind - at));
            at = behind;
        } else if (*at == '\033') {
            at = sequence_end(at, end);
        } else {
            at += cover(at, (size_t)(end - at));
        }
    }
}
