/* PEM (RFC 7468): a BEGIN line, base64, an END line. A preview holds the end of an output, so the
 * beginning may be missing; a broken off command leaves the end out. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact_private.h"

#define BEGIN     "-----BEGIN "
#define END       "-----END "
#define DASHES    "-----"
#define LABEL_MAX 64

static const char *find(const char *text, size_t len, size_t from, const char *wanted)
{
    return memmem(text + from, len - from, wanted, strlen(wanted));
}

/* Behind `-----BEGIN LABEL-----` at `at`; 0 when that is not there. */
static size_t skip_line(const char *text, size_t len, size_t at, const char *start, bool *ret_key)
{
    size_t label = at + strlen(start);
    if (len < label || memcmp(text + at, start, strlen(start)))
        return 0;
    const char *dashes = find(text, len, label, DASHES);
    size_t label_len = dashes ? (size_t)(dashes - text) - label : LABEL_MAX + 1;
    if (label_len > LABEL_MAX || memchr(text + label, '\n', label_len))
        return 0;
    *ret_key = memmem(text + label, label_len, "PRIVATE", 7) != NULL;
    return label + label_len + strlen(DASHES);
}

/* Whether a line may belong to a PEM body: base64, or a header of the old encrypted form. */
static bool is_body(const char *line, size_t len)
{
    while (len && strchr(" \t|", *line))
        line++, len--;
    if (len >= 5 && (!memcmp(line, "Proc-", 5) || !memcmp(line, "DEK-I", 5)))
        return true;
    return redact_run(line, len, 0, CLASS_ALNUM | CLASS_BASE64) == len;
}

/* The end of the body lines from `at` on. */
static size_t skip_body(const char *text, size_t len, size_t at)
{
    while (at < len) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t line = newline ? (size_t)(newline - text) - at : len - at;
        if (!is_body(text + at, line))
            break;
        at += line + (newline != NULL);
    }
    return at > 0 && at <= len && text[at - 1] == '\n' ? at - 1 : at;
}

static const char *type_of(bool key)
{
    return key ? "private-key" : "pem";
}

bool redact_pem(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    bool key, ignored;
    if (text[at] != '-')
        return false;
    size_t body = skip_line(text, len, at, BEGIN, &key);
    if (!body)
        return false;
    const char *end = find(text, len, body, END);
    const char *next = find(text, len, body, BEGIN);
    size_t to = end && (!next || end < next)
                    ? skip_line(text, len, (size_t)(end - text), END, &ignored)
                    : 0;
    *ret_match = (struct redact_match){at, to ? to : skip_body(text, len, body), type_of(key)};
    return true;
}

bool redact_pem_tail(const char *text, size_t len, struct redact_match *ret_match)
{
    bool key;
    const char *end = find(text, len, 0, END), *begin = find(text, len, 0, BEGIN);
    if (!end || (begin && begin < end))
        return false;
    size_t at = (size_t)(end - text);
    size_t to = skip_line(text, len, at, END, &key), from = at;
    while (from > 0) {
        const char *newline = from > 1 ? memrchr(text, '\n', from - 1) : NULL;
        size_t line = newline ? (size_t)(newline - text) + 1 : 0;
        const char *shown = text + line; /* the cut line of a preview begins with an ellipsis */
        size_t cut = line == 0 && from > 3 && !memcmp(shown, "\xe2\x80\xa6", 3) ? 3 : 0;
        if (line + cut < at && !is_body(shown + cut, from - line - cut - (text[from - 1] == '\n')))
            break;
        from = line;
    }
    if (!to || from == at)
        return false;
    *ret_match = (struct redact_match){from, to, type_of(key)};
    return true;
}
