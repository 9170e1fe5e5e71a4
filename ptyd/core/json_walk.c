#include "ptyd/core/json_walk.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void skip_blanks(struct json_piece *in)
{
    while (in->len && strchr(" \t\r\n", *in->at) && *in->at) {
        in->at++;
        in->len--;
    }
}

static void skip(struct json_piece *in, size_t len)
{
    in->at += len;
    in->len -= len;
}

static bool take_char(struct json_piece *in, char c)
{
    skip_blanks(in);
    if (!in->len || *in->at != c)
        return false;
    skip(in, 1);
    return true;
}

/* Bytes of the string that begins there, its quotes included; 0 where it does not end. */
static size_t string_length(const char *text, size_t len)
{
    for (const char *at = text + 1, *end = text + len; at < end;) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        if (!quote)
            return 0;
        size_t slashes = 0;
        while (quote - slashes > at && quote[-1 - (ptrdiff_t)slashes] == '\\')
            slashes++;
        at = quote + 1;
        if (slashes % 2 == 0)
            return (size_t)(at - text);
    }
    return 0;
}

/* Bytes of the object or array that begins there; 0 where it does not end. */
static size_t nest_length(const char *text, size_t len)
{
    size_t depth = 0;
    for (size_t i = 0, step; i < len; i += step) {
        step = 1;
        if (text[i] == '"' && (step = string_length(text + i, len - i)) == 0)
            return 0;
        depth += text[i] == '{' || text[i] == '[';
        depth -= text[i] == '}' || text[i] == ']';
        if (!depth)
            return i + 1;
    }
    return 0;
}

static size_t value_length(const char *text, size_t len)
{
    size_t n = 0;
    if (!len)
        return 0;
    if (*text == '"')
        return string_length(text, len);
    if (*text == '{' || *text == '[')
        return nest_length(text, len);
    while (n < len &&
           (strchr("+-.", text[n]) ? text[n] != '\0'
                                   : (text[n] >= '0' && text[n] <= '9') ||
                                         (text[n] >= 'a' && text[n] <= 'z') || text[n] == 'E'))
        n++;
    return n;
}

static bool take_value(struct json_piece *in, struct json_piece *ret)
{
    skip_blanks(in);
    size_t len = value_length(in->at, in->len);
    *ret = (struct json_piece){in->at, len};
    skip(in, len);
    return len > 0;
}

bool json_walk_into(struct json_piece text, char bracket, struct json_piece *ret_inside)
{
    char closing = bracket == '{' ? '}' : ']';
    bool is = take_char(&text, bracket);
    while (text.len && strchr(" \t\r\n", text.at[text.len - 1]))
        text.len--;
    if (!is || !text.len || text.at[text.len - 1] != closing)
        return false;
    *ret_inside = (struct json_piece){text.at, text.len - 1};
    return true;
}

/* Behind a value there is a comma and another one, or nothing. */
static bool take_comma(struct json_piece *in)
{
    if (!take_char(in, ','))
        return !in->len;
    skip_blanks(in);
    return in->len > 0;
}

int json_walk_item(struct json_piece *in, struct json_piece *ret_value)
{
    skip_blanks(in);
    if (!in->len)
        return 0;
    return take_value(in, ret_value) && take_comma(in) ? 1 : -1;
}

int json_walk_member(struct json_piece *in, struct json_piece *ret_key,
                     struct json_piece *ret_value)
{
    skip_blanks(in);
    if (!in->len)
        return 0;
    bool is = *in->at == '"' && take_value(in, ret_key) && take_char(in, ':');
    return is && take_value(in, ret_value) && take_comma(in) ? 1 : -1;
}

/* ---- values ---- */

bool json_piece_is(struct json_piece value, const char *text)
{
    size_t len = strlen(text);
    return value.len == len + 2 && *value.at == '"' && !memcmp(value.at + 1, text, len);
}

static bool hex_of(const char *at, const char *end, uint32_t *ret)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t code = 0;
    if (end - at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        const char *digit = at[i] ? strchr(digits, at[i] | 0x20) : NULL;
        if (!digit)
            return false;
        code = code << 4 | (uint32_t)(digit - digits);
    }
    *ret = code;
    return true;
}

/* What stands behind \u; a pair of them may be one character. Returns its bytes, 0 for none. */
static size_t append_code(const char *at, const char *end, struct bytes *out)
{
    uint32_t code, low;
    char text[4];
    size_t used = 4;
    if (!hex_of(at, end, &code))
        return 0;
    if (code >> 10 == 0xd800 >> 10 && end - at >= 10 && at[4] == '\\' && at[5] == 'u' &&
        hex_of(at + 6, end, &low) && low >> 10 == 0xdc00 >> 10) {
        code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
        used = 10;
    }
    bytes_append(out, text, utf8_encode(code, text));
    return used;
}

/* What stands behind a backslash. Returns its bytes, 0 for nothing that may. */
static size_t append_escape(const char *at, const char *end, struct bytes *out)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *name = at < end && *at ? strchr(names, *at) : NULL;
    if (name)
        bytes_append_char(out, meant[name - names]);
    if (name)
        return 1;
    size_t used = at < end && *at == 'u' ? append_code(at + 1, end, out) : 0;
    return used ? used + 1 : 0;
}

bool json_piece_text(struct json_piece value, struct bytes *out)
{
    if (value.len < 2 || *value.at != '"')
        return false;
    const char *at = value.at + 1, *end = value.at + value.len - 1;
    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        bytes_append(out, at, (size_t)((slash ? slash : end) - at));
        size_t used = slash ? append_escape(slash + 1, end, out) : 0;
        if (slash && !used)
            return false;
        at = slash ? slash + 1 + used : end;
    }
    return true;
}

long long json_piece_number(struct json_piece value, long long fallback)
{
    char text[32], *end;
    if (!value.len || value.len >= sizeof text)
        return fallback;
    memcpy(text, value.at, value.len);
    text[value.len] = '\0';
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return *end || errno ? fallback : number;
}
