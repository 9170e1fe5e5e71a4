#define _GNU_SOURCE
#include "vterm_snapshot/blot.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "vterm_snapshot/mark.h"
#include "vterm_snapshot/transcript.h"
#include "vterm_snapshot/width.h"

#define PIECE     (16 << 10) /* bytes of a log that are read at once */
#define KEPT      (64 << 10) /* bytes of text that are held at most, but for the line at hand */
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

static void cover_all(char *at, size_t len)
{
    for (size_t i = 0; i < len;)
        i += cover(at + i, len - i);
}

size_t blot_text(char *text, size_t len, const char *wanted)
{
    size_t size = strlen(wanted), count = 0;
    char *end = text + len, *at = size ? text : end;
    while ((at = at < end ? memmem(at, (size_t)(end - at), wanted, size) : NULL)) {
        cover_all(at, size);
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

struct value {
    char *at;
    size_t len;
    bool encoded, stays; /* it is no command's: covered only where it is wanted */
};

/* What the field at `at` says that may be text; false for none. */
static bool read_value(char *at, const char *end, struct value *ret_value)
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
        *ret_value = (struct value){.at = at + n,
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
static char decode(const struct value *v, size_t i, size_t *ret_len)
{
    const char *at = v->at + i;
    bool fits =
        v->encoded && *at == '%' && v->len - i > 2 && digit(at[1]) >= 0 && digit(at[2]) >= 0;
    *ret_len = fits ? 3 : 1;
    return fits ? (char)(digit(at[1]) << 4 | digit(at[2])) : *at;
}

/* How many bytes from `i` on say the text; 0 where they say another one. */
static size_t says(const struct value *v, size_t i, const char *wanted)
{
    size_t from = i, len;
    for (; *wanted; wanted++, i += len)
        if (i >= v->len || decode(v, i, &len) != *wanted)
            return 0;
    return i - from;
}

static size_t cover_value(const struct value *v, const char *wanted)
{
    size_t count = 0, len;
    if (!wanted) {
        if (!v->stays)
            cover_all(v->at, v->len);
        return 0;
    }
    for (size_t i = 0; i < v->len; i += len) {
        size_t said = says(v, i, wanted);
        cover_all(v->at + i, said);
        count += said > 0;
        decode(v, i, &len);
        len = said ? said : len;
    }
    return count;
}

/* A mark's kind stands behind its nonce and its number. */
static bool is_property(const char *at, const char *end)
{
    const char *kind = end - at > 1 ? memchr(at + 1, ';', (size_t)(end - at - 1)) : NULL;
    return kind && end - kind > 1 && kind[1] == MARK_PROPERTY;
}

/* Of a mark of so many bytes: all texts of commands, or what is wanted. */
static size_t cover_mark(char *mark, size_t len, const char *wanted)
{
    const size_t close = sizeof zeros - 1;
    bool closed = len > close && !memcmp(mark + len - close, zeros, close);
    char *end = mark + len - (closed ? close : 1), *at = mark + HEAD_LEN + MARK_NONCE_LEN;
    size_t count = 0;
    struct value value;
    bool raw = at < end && memmem(at, (size_t)(end - at), ";raw=", 5);
    if (closed && !raw && end - at > SEAL_LEN && end[-SEAL_LEN] == ';')
        end -= SEAL_LEN; /* a length in front of raw= is a field as others are */
    if (!wanted && at < end && is_property(at, end))
        return 0;
    while (at && at < end) {
        at++;
        if (read_value(at, end, &value)) {
            count += cover_value(&value, wanted);
            at = value.at + value.len;
        }
        at = at < end ? memchr(at, ';', (size_t)(end - at)) : NULL;
    }
    return count;
}

/* The next mark at or behind `at`, and its length; `end` and 0 for none. */
static char *find_mark(char *at, char *end, size_t *ret_len)
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
        char *mark = find_mark(at, end, &mark_len);
        count += blot_text(at, (size_t)(mark - at), wanted);
        count += mark_len ? cover_mark(mark, mark_len, wanted) : 0;
        at = mark + mark_len;
    }
    return count;
}

struct reading {
    struct transcript *transcript;
    char *bytes;
    uint64_t offset; /* of them in the stream */
    size_t len;
    const char *wanted;
    void (*moves)(void);
    size_t size;     /* of it */
    size_t searched; /* of the text: what begins before it was looked at */
    size_t count;
};

/* The stream's bytes of the text's cluster at `i`. */
static void cover_character(struct reading *r, const char *text, size_t i, size_t len)
{
    uint64_t end = transcript_place(r->transcript, i, i + len);
    if (end < r->offset + len || end > r->offset + r->len)
        return;
    char *at = r->bytes + (end - r->offset) - len;
    if (!memcmp(at, text + i, len))
        cover_all(at, len);
}

/* How many bytes the character at `at` has with the marks that join it. */
static size_t cluster(const char *at, size_t len)
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
            step = cluster(text + i, len - i);
            cover_character(r, text, i, step);
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
    if (len <= KEPT)
        return;
    size_t gone = transcript_forget(r->transcript, len - KEPT / 2);
    r->searched = r->searched > gone ? r->searched - gone : 0;
}

/* The transcript may change what it is given: it is given copies. */
static void read_part(struct reading *r, size_t from, size_t to)
{
    char piece[PIECE];
    while (from < to) {
        size_t n = to - from < sizeof piece ? to - from : sizeof piece;
        memcpy(piece, r->bytes + from, n);
        size_t taken = transcript_write(r->transcript, piece, n);
        look(r);
        forget_text(r);
        if (r->moves)
            r->moves();
        if (!taken) /* a sequence that is longer than that, or has no end */
            transcript_leave_sequence(r->transcript);
        from += taken ? taken : n;
    }
}

static size_t cover_shown(struct reading *r, const struct blot_width *widths, size_t count)
{
    size_t i = 0, from = 0;
    int cols = 80;
    for (; i < count && widths[i].offset <= r->offset; i++)
        cols = widths[i].cols;
    r->transcript = transcript_create(r->offset, cols, on_changes, r);
    if (!r->transcript)
        memory_end();
    for (; i < count && widths[i].offset < r->offset + r->len; i++) {
        read_part(r, from, (size_t)(widths[i].offset - r->offset));
        from = (size_t)(widths[i].offset - r->offset);
        transcript_set_cols(r->transcript, widths[i].cols);
    }
    read_part(r, from, r->len);
    transcript_destroy(r->transcript);
    return r->count;
}

size_t blot_stream(char *bytes, size_t len, uint64_t offset, const struct blot_width *widths,
                   size_t width_count, const char *wanted, void (*moves)(void))
{
    struct reading r = {.moves = moves,
                        .bytes = bytes,
                        .offset = offset,
                        .len = len,
                        .wanted = wanted,
                        .size = strlen(wanted)};
    if (!r.size)
        return 0;
    size_t together = cover_bytes(bytes, len, wanted);
    return together + cover_shown(&r, widths, width_count);
}

/* ---- all ---- */

/* Behind the string that begins at `at`, or `end`. */
static char *string_end(char *at, char *end)
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
            char *behind = string_end(at, end);
            memset(at, 0, (size_t)(behind - at));
            at = behind;
        } else if (*at == '\033') {
            at = sequence_end(at, end);
        } else {
            at += cover(at, (size_t)(end - at));
        }
    }
}
