#include "envelope/encode.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* One character's encoded form (at most 12 bytes) in `out`; returns its length. */
static size_t encode_character(uint32_t code, char *out)
{
    static const char *const names[] = {
        ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t", ['"'] = "\\\"", ['\\'] = "\\\\"};
    if (code < sizeof names / sizeof *names && names[code]) {
        out[0] = names[code][0];
        out[1] = names[code][1];
        return 2;
    }
    if (code != '<' && !utf8_hidden(code))
        return utf8_encode(code, out);
    if (code < 0x10000)
        return (size_t)snprintf(out, 13, "\\u%04x", (unsigned)code);
    code -= 0x10000;
    return (size_t)snprintf(out, 13, "\\u%04x\\u%04x", (unsigned)(0xd800 + (code >> 10)),
                            (unsigned)(0xdc00 + (code & 0x3ff)));
}

/* Reads one character, U+FFFD for a bad byte, and returns its length in the text. */
static size_t read_character(const char *text, size_t len, uint32_t *ret_code)
{
    int step = utf8_decode(text, len, ret_code);
    if (step > 0)
        return (size_t)step;
    *ret_code = 0xfffd;
    return 1;
}

/* So many bytes at its begin stand in every form as they are, as most of what is told does. */
static size_t plain_run(const char *text, size_t len)
{
    size_t run = 0;
    while (run < len && text[run] >= ' ' && text[run] <= '~' && text[run] != '"' &&
           text[run] != '\\' && text[run] != '<')
        run++;
    return run;
}

static size_t append_plain_run(const char *text, size_t len, struct bytes *out)
{
    size_t run = plain_run(text, len);
    bytes_append(out, text, run);
    return run;
}

void encode_string(const char *text, size_t len, struct bytes *out)
{
    bytes_append_char(out, '"');
    for (size_t i = 0; (i += append_plain_run(text + i, len - i, out)) < len;) {
        uint32_t code;
        char form[16];
        i += read_character(text + i, len - i, &code);
        bytes_append(out, form, encode_character(code, form));
    }
    bytes_append_char(out, '"');
}

static bool begins_tag(const char *next, size_t len)
{
    return len && (strchr("/!?", *next) || ((*next | 32) >= 'a' && (*next | 32) <= 'z'));
}

/* What stands there as it is. */
static bool is_plain(uint32_t code, enum encode_form form, const char *next, size_t len)
{
    if (code == '\n' || code == '\t' || code == '"' || code == '\\')
        return form != ENCODE_QUOTED;
    if (code == '<')
        return form != ENCODE_TAGGED || !begins_tag(next, len);
    return code < 0x80 && !utf8_hidden(code);
}

void encode_text(const char *text, size_t len, enum encode_form form, struct bytes *out)
{
    for (size_t i = 0; (i += append_plain_run(text + i, len - i, out)) < len;) {
        uint32_t code;
        char encoded[16];
        i += read_character(text + i, len - i, &code);
        if (is_plain(code, form, text + i, len - i))
            bytes_append_char(out, (char)code);
        else
            bytes_append(out, encoded, encode_character(code, encoded));
    }
}

void encode_plain(const char *text, size_t len, struct bytes *out)
{
    encode_text(text, len, ENCODE_TAGGED, out);
}

size_t encoded_length(const char *text, size_t len)
{
    size_t total = 0;
    for (size_t i = 0; i < len;) {
        uint32_t code;
        char form[16];
        size_t run = plain_run(text + i, len - i);
        total += run;
        i += run;
        if (i == len)
            break;
        i += read_character(text + i, len - i, &code);
        total += encode_character(code, form);
    }
    return total;
}

size_t encoded_head(const char *text, size_t len, size_t limit)
{
    size_t total = 0;
    for (size_t i = 0; i < len;) {
        uint32_t code;
        char form[16];
        size_t step = read_character(text + i, len - i, &code);
        total += encode_character(code, form);
        if (total > limit)
            return i;
        i += step;
    }
    return len;
}

size_t encoded_tail(const char *text, size_t len, size_t limit)
{
    size_t excess = encoded_length(text, len);
    size_t from = 0;
    while (from < len && excess > limit) {
        uint32_t code;
        char form[16];
        from += read_character(text + from, len - from, &code);
        excess -= encode_character(code, form);
    }
    return len - from;
}
