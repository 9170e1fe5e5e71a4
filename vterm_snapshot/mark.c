#define _GNU_SOURCE
#include "vterm_snapshot/mark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A `%` that no two hex digits follow stands for itself. */
void mark_decode(const char *text, size_t len, struct bytes *out)
{
    for (size_t i = 0; i < len; i++) {
        int high = i + 2 < len && text[i] == '%' ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (low < 0) {
            bytes_append_char(out, text[i]);
            continue;
        }
        bytes_append_char(out, (char)(high << 4 | low));
        i += 2;
    }
}

/* Decimal digits up to the next `;` or the end. Returns the digits used, 0 for none or too many. */
static size_t read_number(const char *text, size_t len, uint64_t *ret_number)
{
    size_t i = 0;
    uint64_t number = 0;
    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(text[i] - '0');
    if (i == 0 || i > 18 || (i < len && text[i] != ';'))
        return 0;
    *ret_number = number;
    return i;
}

static bool value_of(const char *field, size_t len, const char *key, const char **ret_value,
                     size_t *ret_len)
{
    size_t n = strlen(key);
    if (len < n || memcmp(field, key, n))
        return false;
    *ret_value = field + n;
    *ret_len = len - n;
    return true;
}

static void read_status(struct mark *mark, const char *value, size_t len)
{
    char digits[12] = {0};
    if (len == 0 || len >= sizeof digits)
        return;
    memcpy(digits, value, len);
    char *end;
    long status = strtol(digits, &end, 10);
    if (*end || status < -1 || status > 65535)
        return;
    mark->has_status = true;
    mark->status = (int)status;
}

/* A part may end within what is encoded: it is decoded with the others. */
static void take_text(const struct mark *mark, const char *value, size_t len, struct bytes *text)
{
    text->len = 0;
    if (mark->kind == MARK_TEXT)
        bytes_append(text, value, len);
    else
        mark_decode(value, len, text);
}

/* 0 for what is none. */
static uint64_t number_of(const char *value, size_t len)
{
    uint64_t number;
    return read_number(value, len, &number) ? number : 0;
}

static void read_field(struct mark *mark, const char *field, size_t len)
{
    const char *value;
    size_t n;
    if (value_of(field, len, "st=", &value, &n)) {
        read_status(mark, value, n);
    } else if (value_of(field, len, "cwd=", &value, &n)) {
        mark->has_cwd = true;
        take_text(mark, value, n, &mark->cwd);
    } else if (value_of(field, len, "cmd=", &value, &n)) {
        mark->has_cmd = true;
        take_text(mark, value, n, &mark->cmd);
    } else if (value_of(field, len, "lost=", &value, &n)) {
        mark->has_lost = true;
        mark->lost.len = 0;
        mark_decode(value, n, &mark->lost);
    } else if (value_of(field, len, "hist=", &value, &n)) {
        mark->unrecorded = n == 1 && value[0] == '0';
        mark->entries = number_of(value, n);
    } else if (value_of(field, len, "ran=", &value, &n)) {
        mark->refused = n == 1 && value[0] == '0';
        mark->ran = number_of(value, n);
    } else if (value_of(field, len, "line=", &value, &n)) {
        mark->by_line = n == 1 && (value[0] == '1' || value[0] == '2');
        mark->edits = mark->by_line && value[0] == '2';
    } else if (value_of(field, len, "more=", &value, &n)) {
        mark->more = n == 1 && value[0] == '1';
    } else if (value_of(field, len, "ign=", &value, &n)) {
        mark->has_habits = true;
        mark->ignore_space = n == 1 && value[0] == '1';
    } else if (value_of(field, len, "cut=", &value, &n)) {
        mark->cut = n == 1 && value[0] == '1';
    } else if (value_of(field, len, "keep=", &value, &n)) {
        mark->keeps = n == 1 && (value[0] == '1' || value[0] == '2')
                          ? (enum mark_keeps)(value[0] - '0')
                          : MARK_KEEPS_ANY;
    } else if (value_of(field, len, "i=", &value, &n)) {
        mark->index = number_of(value, n);
    } else if (value_of(field, len, "cmds=", &value, &n)) {
        mark->cmds = number_of(value, n);
    } else if (value_of(field, len, "cwds=", &value, &n)) {
        mark->cwds = number_of(value, n);
    }
}

/* Who prints into a mark can bring a field once more; `first` is the mark's first one. */
static bool is_repeated(const char *first, const char *field, size_t len)
{
    const char *end = memchr(field, '=', len);
    return end && memmem(first - 1, (size_t)(field - first), field - 1, (size_t)(end - field) + 2);
}

/* The last field may hold anything. */
static bool read_last(struct mark *mark, const char *field, size_t len)
{
    const char *value;
    size_t n;
    if (value_of(field, len, "raw=", &value, &n)) {
        mark->has_raw = true;
        bytes_append(&mark->raw, value, n);
        return true;
    }
    if (mark->seal == MARK_SEALED && value_of(field, len, "text=", &value, &n)) {
        mark->has_cmd = true;
        mark->cmd.len = 0;
        bytes_append(&mark->cmd, value, n);
        return true;
    }
    return false;
}

/* Returns false for a mark that is sealed and has a field twice. */
static bool read_fields(struct mark *mark, const char *text, size_t len)
{
    for (const char *field = text; len;) {
        const char *end = memchr(field, ';', len);
        size_t n = end ? (size_t)(end - field) : len;
        if (mark->seal == MARK_SEALED && is_repeated(text, field, n))
            return false;
        if (read_last(mark, field, len))
            return true;
        read_field(mark, field, n);
        n = end ? n + 1 : n;
        field += n;
        len -= n;
    }
    return true;
}

/* ---- the length ---- */

#define SEAL_LEN 6 /* `;`, what is counted, four digits */

/* A sequence beyond U+10FFFF, which some C libraries take for one character; 0 for none. */
static size_t beyond_unicode(const char *text, size_t len)
{
    const unsigned char *b = (const unsigned char *)text;
    size_t n = b[0] < 0xf4 || b[0] > 0xfd ? 0 : b[0] < 0xf8 ? 4 : b[0] < 0xfc ? 5 : 6;
    if (n > len || (b[0] == 0xf8 && b[1] < 0x88) || (b[0] == 0xfc && b[1] < 0x84))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

enum unit { CHARACTERS, LIBRARY_CHARACTERS, BYTES };

/* As the shell counts: an end of line of its own stands for the two that the tty made of it. */
static size_t count(const char *text, size_t len, enum unit unit)
{
    size_t number = 0;
    for (size_t i = 0; i < len; number++) {
        uint32_t code;
        int used = unit == BYTES ? 1 : utf8_decode(text + i, len - i, &code);
        if (used <= 0 && unit == LIBRARY_CHARACTERS)
            used = (int)beyond_unicode(text + i, len - i);
        used = text[i] == '\r' && i + 1 < len && text[i + 1] == '\n' ? 2 : used;
        i += used > 0 ? (size_t)used : 1;
    }
    return number;
}

/* Whoever prints into a text can only make it longer, however it is counted. */
static bool has_length(const char *text, size_t len, char unit, size_t said)
{
    if (unit == '2')
        return count(text, len, BYTES) == said;
    return count(text, len, CHARACTERS) == said || count(text, len, LIBRARY_CHARACTERS) == said;
}

/* The length is at the end, or in front of raw=, at whose end a former reader would take it for a
 * part of that. */
static const char *find_seal(const char *payload, size_t len, bool *ret_at_end)
{
    const char *raw = memmem(payload, len, ";raw=", 5), *text = memmem(payload, len, ";text=", 6);
    *ret_at_end = !raw || (text && text < raw);
    const char *end = *ret_at_end ? payload + len : raw;
    return end - payload > SEAL_LEN ? end - SEAL_LEN : NULL;
}

/* Takes the length away from a payload that a second nonce closed. -EINVAL when it is not true;
 * former shells closed raw=, and had none: those marks are not sealed. */
static int take_seal(const char *payload, size_t *len, enum mark_seal *ret_seal)
{
    bool at_end;
    const char *seal = find_seal(payload, *len, &at_end);
    if (!seal || seal[0] != ';' || (seal[1] != '1' && seal[1] != '2'))
        return 0;
    size_t said = 0, counted = at_end ? (size_t)(seal - payload) : *len;
    for (int i = 2; i < SEAL_LEN; i++) {
        if (seal[i] < '0' || seal[i] > '9')
            return 0;
        said = said * 10 + (size_t)(seal[i] - '0');
    }
    if (!has_length(payload, counted, seal[1], said))
        return -EINVAL;
    *len = counted;
    *ret_seal = MARK_SEALED;
    return 0;
}

int mark_parse(const char *payload, size_t len, bool closed, struct mark *ret_mark)
{
    enum mark_seal seal = MARK_UNSEALED;
    if (closed && take_seal(payload, &len, &seal) < 0)
        return -EINVAL;
    uint64_t seq;
    size_t at = read_number(payload, len, &seq);
    if (at == 0 || at + 1 >= len || !strchr("ABCODPT", payload[at + 1]) || payload[at + 1] == '\0')
        return -EINVAL;
    struct mark mark = {.seal = seal, .seq = seq, .kind = (enum mark_kind)payload[at + 1]};
    at += 2;
    mark.bare = at == len;
    if (at < len && payload[at] != ';')
        return -EINVAL;
    bool valid = at == len || read_fields(&mark, payload + at + 1, len - at - 1);
    bool failed = mark.cwd.failed || mark.cmd.failed || mark.lost.failed || mark.raw.failed;
    if (!valid || failed) {
        mark_finish(&mark);
        return failed ? -ENOMEM : -EINVAL;
    }
    *ret_mark = mark;
    return 0;
}

void mark_finish(struct mark *mark)
{
    bytes_finish(&mark->cwd);
    bytes_finish(&mark->cmd);
    bytes_finish(&mark->lost);
    bytes_finish(&mark->raw);
}

/* `history` prints `%5d%c %s`: the entry's number, a blank or, when it was edited, a star. Returns
 * the length of that at `text`, 0 when it is something else. */
static size_t history_number(const char *text, size_t len, uint64_t *ret_number)
{
    size_t i = 0;
    *ret_number = 0;
    while (i < len && text[i] == ' ')
        i++;
    size_t digits = i;
    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++)
        *ret_number = *ret_number * 10 + (uint64_t)(text[i] - '0');
    bool is_number = i > digits && i - digits < 19 && i >= 5 && i + 1 < len;
    return is_number && (text[i] == ' ' || text[i] == '*') && text[i + 1] == ' ' ? i + 2 : 0;
}

static void append_line(const char *line, size_t len, struct bytes *out)
{
    for (size_t i = 0; i < len; i++)
        if (!(line[i] == '\r' && i + 1 < len && line[i + 1] == '\n'))
            bytes_append_char(out, line[i]);
}

static void trim_line_ends(struct bytes *out, size_t start)
{
    while (out->len > start && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == '\r'))
        out->data[--out->len] = '\0';
}

/* A line of an entry may look like the begin of the next one; then there are two of those. */
size_t mark_history_text(const char *text, size_t len, uint64_t entries, struct bytes *out)
{
    size_t found = 0, start = out->len;
    bool certain = true;
    uint64_t first = 0, number;
    for (size_t at = 0, end; at < len; at = end) {
        const char *feed = memchr(text + at, '\n', len - at);
        end = feed ? (size_t)(feed - text) + 1 : len;
        size_t used = history_number(text + at, end - at, &number);
        if (used && (!found || (number == first + found && found < entries))) {
            trim_line_ends(out, start);
            bytes_append_text(out, found ? "\n" : "");
            first = found++ ? first : number;
            at += used;
        } else if (!found) {
            return 0;
        } else if (used && number > first && number < first + found) {
            certain = false;
        }
        append_line(text + at, end - at, out);
    }
    trim_line_ends(out, start);
    return certain ? found : 0;
}
