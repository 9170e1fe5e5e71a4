#include "vterm_snapshot/mark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A `%` that no two hex digits follow stands for itself. */
static void percent_decode(const char *text, size_t len, struct bytes *out)
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

static void read_field(struct mark *mark, const char *field, size_t len)
{
    const char *value;
    size_t n;
    if (value_of(field, len, "st=", &value, &n)) {
        read_status(mark, value, n);
    } else if (value_of(field, len, "cwd=", &value, &n)) {
        mark->has_cwd = true;
        mark->cwd.len = 0;
        percent_decode(value, n, &mark->cwd);
    } else if (value_of(field, len, "cmd=", &value, &n)) {
        mark->has_cmd = true;
        mark->cmd.len = 0;
        percent_decode(value, n, &mark->cmd);
    } else if (value_of(field, len, "lost=", &value, &n)) {
        mark->has_lost = true;
        mark->lost.len = 0;
        percent_decode(value, n, &mark->lost);
    } else if (value_of(field, len, "hist=", &value, &n)) {
        mark->unrecorded = n == 1 && value[0] == '0';
    } else if (value_of(field, len, "line=", &value, &n)) {
        mark->by_line = n == 1 && (value[0] == '1' || value[0] == '2');
        mark->edits = mark->by_line && value[0] == '2';
    } else if (value_of(field, len, "more=", &value, &n)) {
        mark->more = n == 1 && value[0] == '1';
    } else if (value_of(field, len, "ign=", &value, &n)) {
        mark->ignore_space = n == 1 && value[0] == '1';
    }
}

static void read_fields(struct mark *mark, const char *text, size_t len)
{
    while (len) {
        const char *value;
        size_t n;
        if (value_of(text, len, "raw=", &value, &n)) { /* the last field: it may hold anything */
            mark->has_raw = true;
            bytes_append(&mark->raw, value, n);
            return;
        }
        const char *end = memchr(text, ';', len);
        n = end ? (size_t)(end - text) : len;
        read_field(mark, text, n);
        n = end ? n + 1 : n;
        text += n;
        len -= n;
    }
}

int mark_parse(const char *payload, size_t len, struct mark *ret_mark)
{
    uint64_t seq;
    size_t at = read_number(payload, len, &seq);
    if (at == 0 || at + 1 >= len || !strchr("ABCODP", payload[at + 1]) || payload[at + 1] == '\0')
        return -EINVAL;
    struct mark mark = {.seq = seq, .kind = (enum mark_kind)payload[at + 1]};
    at += 2;
    if (at < len && payload[at] != ';')
        return -EINVAL;
    if (at < len)
        read_fields(&mark, payload + at + 1, len - at - 1);
    if (mark.cwd.failed || mark.cmd.failed || mark.lost.failed || mark.raw.failed) {
        mark_finish(&mark);
        return -ENOMEM;
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
static size_t history_number(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len && text[i] == ' ')
        i++;
    size_t digits = i;
    while (i < len && text[i] >= '0' && text[i] <= '9')
        i++;
    bool is_number = i > digits && i >= 5 && i + 1 < len;
    return is_number && (text[i] == ' ' || text[i] == '*') && text[i + 1] == ' ' ? i + 2 : 0;
}

void mark_history_text(const char *raw, size_t len, struct bytes *out)
{
    size_t i = 0, used = 0;
    for (; i < len && !(used = history_number(raw + i, len - i)); i++)
        ; /* what was typed at that moment and echoed in between */
    i = used ? i + used : 0;
    size_t start = out->len;
    for (; i < len; i++)
        if (!(raw[i] == '\r' && i + 1 < len && raw[i + 1] == '\n'))
            bytes_append_char(out, raw[i]);
    while (out->len > start && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == '\r'))
        out->data[--out->len] = '\0';
}
