/* Text as it is seen: without the characters that show nothing and the marks on others, in one
 * width, without accents, names of other scripts as what they say. A secret, or a name that tells
 * of one, with any of these in its midst is one. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "envelope/redact_private.h"

static bool is_unseen(uint32_t c)
{
    return c != '\n' && c != '\t' &&
           (utf8_hidden(c) || c == 0x34f || (c >= 0x17b4 && c <= 0x17b5) ||
            (c >= 0x180b && c <= 0x180f) || (c >= 0xfe00 && c <= 0xfe0f) ||
            (c >= 0xfff0 && c <= 0xfffb) || (c >= 0x1bca0 && c <= 0x1bca3) ||
            (c >= 0x1d173 && c <= 0x1d17a));
}

static bool is_mark(uint32_t c)
{
    return (c >= 0x300 && c <= 0x36f) || (c >= 0x1ab0 && c <= 0x1aff) ||
           (c >= 0x1dc0 && c <= 0x1dff) || (c >= 0x20d0 && c <= 0x20ff) ||
           (c >= 0xfe20 && c <= 0xfe2f);
}

/* The letters of U+00C0 to U+024F and U+1E00 to U+1EFF without their accents (the first of each
 * canonical decomposition, UnicodeData 15; of those that have none, the letter that is crossed);
 * blank for what is none. */
/* clang-format off */
static const char latin[] =
    "AAAAAA CEEEEIIIIDNOOOOO OUUUUY  aaaaaa ceeeeiiiidnooooo ouuuuy y"
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi  JjKk LlLlLl "
    " LlNnNnNn   OoOoOo  RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs"
    "bB     Cc        FfG   IKkl  Nn Oo  Pp     tTt Uu VYyZz         "
    "             AaIiOoUuUuUuUuUu AaAa    GgKkOoOo  j   Gg  NnAa    "
    "AaAaEeEeIiIiOoOoRrRrUuUuSsTt  Hh      AaEeOoOoOoOoYy      ACcLTs"
    "z  BU EeJj  RrYy";
static const char latin_more[] =
    "AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMm"
    "MmMmNnNnNnNnOoOoOoOoPpPpRrRrRrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVv"
    "WwWwWwWwWwXxXxYyZzZzZzhtwy      AaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEe"
    "EeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUuUuYyYyYyYy      ";
/* clang-format on */

/* The character of ASCII that it is in the width of two, or with an accent; 0 for none, and for
 * signs that names and tokens do not have: what stands for itself in a value ends none. */
static char plain(uint32_t c)
{
    char letter = ' ';
    if (c >= 0xff01 && c <= 0xff5e) {
        letter = (char)(c - 0xff01 + '!');
        return redact_in(letter, CLASS_NAME | CLASS_BASE64 | CLASS_COLON) || letter == '@' ? letter
                                                                                           : 0;
    }
    if (c >= 0xc0 && c <= 0x24f)
        letter = latin[c - 0xc0];
    else if (c >= 0x1e00 && c <= 0x1eff)
        letter = latin_more[c - 0x1e00];
    return letter == ' ' ? 0 : letter;
}

/* Whether any of eight bytes is a control or of a character beyond ASCII. */
static bool has_others(const char *eight)
{
    const uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    uint64_t bytes;
    memcpy(&bytes, eight, sizeof bytes);
    uint64_t below = bytes - ones * 0x20, del = (bytes ^ ones * 0x7f) - ones;
    return (bytes | below | del) & tops;
}

enum redact_folds redact_folds_of(const char *text, size_t len)
{
    enum redact_folds has = FOLDS_NOTHING;
    size_t next = 0;
    for (size_t at = 0; at < len && has < FOLDS_MARKS;) {
        while (at >= next && len - at >= 8)
            if (has_others(text + at))
                next = at + 8; /* those are looked at one by one */
            else
                at += 8;
        if (at == len)
            break;
        uint32_t code = (unsigned char)text[at];
        int n = 1;
        if ((code >= 0x20 && code < 0x7f) || code == '\n' || code == '\t') {
            at++;
            continue;
        }
        if (code >= 0x80)
            n = utf8_decode(text + at, len - at, &code);
        size_t name;
        if (n > 0 && (is_mark(code) || plain(code) ||
                      (n > 1 && redact_script_name(text + at, len - at, &name))))
            has = FOLDS_MARKS;
        else if (n > 0 && is_unseen(code))
            has = FOLDS_UNSEEN;
        at += n > 0 ? (size_t)n : 1;
    }
    return has;
}

static void keep(struct redact_fold *f, size_t at, char c)
{
    f->places[f->text.len] = at;
    f->text.data[f->text.len++] = c;
}

/* What ends an entry of /proc/PID/environ; in UTF-16 there is one beside each character. */
static bool parts_lines(const struct redact_fold *f, size_t at)
{
    return !f->from[at] && at >= 2 && at + 2 < f->len && f->from[at - 1] && f->from[at + 1] &&
           f->from[at - 2] && f->from[at + 2];
}

/* How long the escape is that sets a colour or clears a line behind it; 0 for none. */
static size_t colour(const struct redact_fold *f, size_t at)
{
    size_t end = at + 2;
    if (f->from[at] != '\x1b' || end >= f->len || f->from[at + 1] != '[')
        return 0;
    while (end < f->len && end - at < 32 &&
           (redact_in(f->from[end], CLASS_DIGIT | CLASS_COLON) || f->from[end] == ';'))
        end++;
    return end < f->len && (f->from[end] == 'm' || f->from[end] == 'K') ? end + 1 - at : 0;
}

bool redact_fold(struct redact_fold *f, size_t len)
{
    f->len = len;
    f->places = memory_try((len + 1) * sizeof *f->places);
    bytes_reserve(&f->text, len + 1);
    if (!f->places || f->text.failed) {
        redact_fold_finish(f);
        return false;
    }
    for (size_t at = 0, step; at < len; at += step) {
        uint32_t code = (unsigned char)f->from[at];
        step = 1;
        if (code >= 0x20 && code < 0x7f) {
            keep(f, at, f->from[at]);
            continue;
        }
        if (parts_lines(f, at)) {
            keep(f, at, '\n');
            continue;
        }
        if (colour(f, at)) {
            step = colour(f, at);
            continue;
        }
        int n = utf8_decode(f->from + at, len - at, &code);
        step = n > 0 ? (size_t)n : 1;
        const char *says = n > 1 ? redact_script_name(f->from + at, len - at, &step) : NULL;
        if (says)
            for (size_t i = 0; says[i]; i++)
                keep(f, at + i, says[i]);
        else if (n > 0 && plain(code))
            keep(f, at, plain(code));
        else if (n <= 0 || !(is_unseen(code) || is_mark(code)))
            for (size_t i = 0; i < step; i++)
                keep(f, at + i, f->from[at + i]);
    }
    f->places[f->text.len] = len;
    return true;
}

size_t redact_fold_end(const struct redact_fold *f, size_t to)
{
    size_t last = f->places[to - 1];
    uint32_t code;
    if (f->text.data[to - 1] == f->from[last])
        return last + 1;
    int n = utf8_decode(f->from + last, f->len - last, &code);
    return last + (n > 0 ? (size_t)n : 1);
}

void redact_fold_finish(struct redact_fold *f)
{
    bytes_finish(&f->text);
    free(f->places);
    f->places = NULL;
}
