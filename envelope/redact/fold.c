/* Text as it is seen: without the characters that show nothing and the marks on others, in one
 * width, without accents, names of other scripts as what they say. A secret, or a name that tells
 * of one, with any of these in its midst is one. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "envelope/redact/rules.h"
#include "envelope/redact/seam.h"

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

/* A blank that no line is cut at, or of a width of its own. */
static bool is_other_blank(uint32_t c)
{
    return c == 0xa0 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* The character of ASCII that it is in the width of two, or with an accent; 0 for none, and for
 * signs that names and tokens do not have: what stands for itself in a value ends none. */
static char plain(uint32_t c)
{
    char letter = ' ';
    if ((c < 0xc0 || c >= 0x2000) && is_other_blank(c))
        return ' ';
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

/* ---- lines that are one ---- */

#define QUOTE_MOST  256 /* bytes in front of a line's end in which a quote may have begun */
#define INDENT_MOST 40  /* blanks in front of what goes on */
#define DRIVE_MOST  64  /* and in which a path of Windows may have */

/* The quote that is open at `at`, of those that begin in its line; 0 for none. */
static char open_quote(const char *text, size_t at)
{
    size_t from = at;
    char quote = 0;
    while (from && text[from - 1] != '\n' && at - from < QUOTE_MOST)
        from--;
    for (; from < at; from++)
        if (quote ? text[from] == quote : text[from] == '"' || text[from] == '\'')
            quote = quote ? 0 : text[from];
    return quote;
}

/* How many blanks stand in front of what goes on in the line at `from`. */
static size_t indent_of(const char *text, size_t len, size_t from)
{
    size_t to = from;
    while (to < len && to - from < INDENT_MOST && redact_in(text[to], CLASS_BLANK))
        to++;
    return to - from;
}

/* Whether what the backslash at `at` cuts in double quotes goes on at `line` behind blanks, which
 * YAML takes away. */
static bool is_indented(const char *text, size_t len, size_t at, size_t line)
{
    size_t next = line + indent_of(text, len, line);
    return next > line && next < len && redact_in(text[next], CLASS_ALNUM) &&
           redact_in(text[at - 1], CLASS_ALNUM | CLASS_BASE64) && open_quote(text, at) == '"';
}

/* Where the line goes on that the backslash at `at` ends, \r or not; 0 where it does not end it. */
static size_t next_line(const char *text, size_t len, size_t at)
{
    size_t feed = at + 1 + (at + 1 < len && text[at + 1] == '\r');
    return feed + 1 < len && text[feed] == '\n' ? feed + 1 : 0;
}

/* Whether the backslash at `at`, behind which the next line begins at `line`, cuts a word or what
 * is in quotes, as a shell puts them together: none that ends a path of Windows, or is escaped. */
static bool cuts_word(const char *text, size_t len, size_t at, size_t line)
{
    if (!at || !line)
        return false;
    char before = text[at - 1], next = text[line];
    bool docs = at >= 3 && before == text[at - 2] && before == text[at - 3]; /* Python's """ */
    if (redact_in(next, CLASS_SPACE))
        return is_indented(text, len, at, line);
    if (docs && REDACT_ONE_OF(before, "\"'"))
        return false;
    if (redact_in(before, CLASS_BLANK))
        return open_quote(text, at);
    if (!redact_in(before, CLASS_WORD) && !REDACT_ONE_OF(before, "=\"':./+@"))
        return false;
    for (size_t i = at; i && at - i < DRIVE_MOST && !redact_in(text[i - 1], CLASS_SPACE); i--)
        if (text[i - 1] == '\\')
            return false;
    return true;
}

/* Whether MIME says that a = at a line's end is none of the text's (RFC 2045, 6.7). */
enum mime { MIME_UNKNOWN, MIME_NONE, MIME_QUOTED };
static enum mime mime_of(const char *text, size_t len)
{
    return memmem(text, len, "uoted-printable", 15) ? MIME_QUOTED : MIME_NONE;
}

/* Whether the line that ends at `at` > 0 goes on in the next. */
static bool has_cut(const char *text, size_t len, size_t at, enum mime *mime)
{
    size_t end = text[at - 1] == '\r' && at > 1 ? at - 1 : at;
    char last = text[end - 1];
    if (last == '=') {
        if (*mime == MIME_UNKNOWN)
            *mime = mime_of(text, len);
        return *mime == MIME_QUOTED;
    }
    if (last == '\\')
        return cuts_word(text, len, end - 1, at + 1 < len ? at + 1 : 0);
    return redact_seam_over(text, len, at);
}

/* How many bytes stand between the two parts of a line that is cut in front of `at`. */
static size_t cut_at(const struct redact_fold *f, size_t at)
{
    const char *t = f->from + at;
    if (*t == '"')
        return redact_seam(f->from, f->len, at);
    size_t line = *t == '\\' ? next_line(f->from, f->len, at) : 0;
    if (line && cuts_word(f->from, f->len, at, line))
        return line + 2 < f->len && !memcmp(f->from + line, "> ", 2) /* the shell's prompt */
                   ? line + 2 - at
                   : line - at + indent_of(f->from, f->len, line);
    if (*t == '=' && f->mime && at + 2 < f->len)
        return t[1] == '\n' ? 2 : t[1] == '\r' && t[2] == '\n' ? 3 : 0;
    return 0;
}

enum redact_folds redact_folds_of(const char *text, size_t len)
{
    enum redact_folds has = FOLDS_NOTHING;
    enum mime mime = MIME_UNKNOWN;
    size_t next = 0;
    if (redact_has_escape(text, len))
        has = FOLDS_UNSEEN;
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
            if (code == '\n' && at && has_cut(text, len, at, &mime))
                has = FOLDS_UNSEEN;
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

/* The end of the escape that the terminal takes as a command, `ESC [ 3 1 m`; `at` where none is. */
static size_t skip_command(const char *text, size_t len, size_t at)
{
    size_t end = at + 2;
    if (end >= len || text[at] != '\x1b' || text[at + 1] != '[')
        return at;
    end += REDACT_ONE_OF(text[end], "?>");
    while (end < len && end - at < 32 &&
           (redact_in(text[end], CLASS_DIGIT | CLASS_COLON) || text[end] == ';'))
        end++;
    return end < len ? end + 1 : at;
}

/* How long the escape is that sets a colour or a mode, clears a line behind it, or goes to the
 * right and back; 0 for none. */
static size_t colour(const char *text, size_t len, size_t at)
{
    if (len - at > 3 && text[at] == '\x1b' && text[at + 1] == '(')
        return text[at + 2] == 'B' ? 3 : 0;
    size_t end = skip_command(text, len, at), back;
    switch (end > at ? text[end - 1] : 0) {
    case 'm':
    case 'K':
        return end - at;
    case 'h':
    case 'l': /* behind what was pasted, to the line's beginning */
        return end - at + (end < len && text[end] == '\r');
    case 'C':
        back = skip_command(text, len, end);
        return back - end == end - at && text[back - 1] == 'D' &&
                       !memcmp(text + at, text + end, end - at - 1)
                   ? back - at
                   : 0;
    default:
        return 0;
    }
}

size_t redact_fold_unseen(const char *text, size_t len, size_t at)
{
    uint32_t code;
    if (text[at] == '\x1b')
        return colour(text, len, at);
    int n = utf8_decode(text + at, len - at, &code);
    return n > 0 && (is_unseen(code) || is_mark(code)) ? (size_t)n : 0;
}

/* Keeps the character of ASCII at `at`, or what its escape says; returns how long that is. */
static inline size_t fold_plain(struct redact_fold *f, size_t at)
{
    char c = f->from[at];
    size_t cut = REDACT_ONE_OF(c, "\\=\"") ? cut_at(f, at) : 0;
    if (cut)
        return cut;
    size_t escape = REDACT_ONE_OF(c, "\\%&") ? redact_escape(f->from, f->len, at, &c) : 0;
    keep(f, at, c);
    return escape ? escape : 1;
}

/* The same of any other. */
static inline size_t fold_other(struct redact_fold *f, size_t at)
{
    uint32_t code;
    if (parts_lines(f, at)) {
        keep(f, at, '\n');
        return 1;
    }
    size_t step = f->from[at] == '\x1b' ? colour(f->from, f->len, at) : 0;
    if (step)
        return step;
    int n = utf8_decode(f->from + at, f->len - at, &code);
    step = n > 0 ? (size_t)n : 1;
    const char *says = n > 1 ? redact_script_name(f->from + at, f->len - at, &step) : NULL;
    if (says)
        for (size_t i = 0; says[i]; i++)
            keep(f, at + i, says[i]);
    else if (n > 0 && plain(code))
        keep(f, at, plain(code));
    else if (n <= 0 || !(is_unseen(code) || is_mark(code)))
        for (size_t i = 0; i < step; i++)
            keep(f, at + i, f->from[at + i]);
    return step;
}

bool redact_fold(struct redact_fold *f, size_t len)
{
    f->len = len;
    f->mime = mime_of(f->from, len) == MIME_QUOTED;
    f->places = memory_try((len + 1) * sizeof *f->places);
    bytes_reserve(&f->text, len + 1);
    if (!f->places || f->text.failed) {
        redact_fold_finish(f);
        return false;
    }
    for (size_t at = 0; at < len;) {
        unsigned char c = (unsigned char)f->from[at];
        at += c >= 0x20 && c < 0x7f ? fold_plain(f, at) : fold_other(f, at);
    }
    f->places[f->text.len] = len;
    return true;
}

size_t redact_fold_end(const struct redact_fold *f, size_t to)
{
    size_t last = f->places[to - 1];
    uint32_t code;
    char c;
    if (f->text.data[to - 1] == f->from[last])
        return last + 1;
    if (REDACT_ONE_OF(f->from[last], "\\%&"))
        return last + redact_escape(f->from, f->len, last, &c);
    int n = utf8_decode(f->from + last, f->len - last, &code);
    return last + (n > 0 ? (size_t)n : 1);
}

void redact_fold_finish(struct redact_fold *f)
{
    bytes_finish(&f->text);
    free(f->places);
    f->places = NULL;
}
