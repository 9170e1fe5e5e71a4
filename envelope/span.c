#include "envelope/span.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* Behind the string that begins at `at`, NULL when it does not end. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end; at++) {
        const char *quote = memchr(at, '"', (size_t)(end - at));
        if (!quote)
            return NULL;
        const char *backslash = quote;
        while (backslash > at && backslash[-1] == '\\')
            backslash--;
        at = quote;
        if ((quote - backslash) % 2 == 0)
            return quote + 1;
    }
    return NULL;
}

/* Behind the value that begins at `at`, NULL when it does not end. */
static const char *skip_value(const char *at, const char *end)
{
    size_t depth = 0;
    while (at && at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
            if (at && depth == 0)
                return at;
            continue;
        }
        if (*at == '{' || *at == '[')
            depth++;
        else if (depth && (*at == '}' || *at == ']')) {
            if (--depth == 0)
                return at + 1;
        } else if (depth == 0 && strchr(",]} \t\r\n", *at))
            return at;
        at++;
    }
    return NULL;
}

static bool key_matches(struct span key, const char *wanted)
{
    size_t len = strlen(wanted);
    if (!memchr(key.at, '\\', key.len))
        return key.len == len + 2 && !memcmp(key.at + 1, wanted, len);
    return span_is_string(key, wanted);
}

static int find(const char *text, size_t len, const char *wanted, bool first,
                struct span *ret_value)
{
    const char *end = text + len;
    const char *at = skip_space(text, end);
    int found = -ENOENT;
    if (at == end || *at++ != '{')
        return -EINVAL;
    while ((at = skip_space(at, end)) < end && *at == '"') {
        struct span key = {.at = at};
        if (!(at = skip_string(at, end)))
            return -EINVAL;
        key.len = (size_t)(at - key.at);
        at = skip_space(at, end);
        if (at == end || *at++ != ':')
            return -EINVAL;
        struct span value = {.at = skip_space(at, end)};
        if (!(at = skip_value(value.at, end)))
            return -EINVAL;
        value.len = (size_t)(at - value.at);
        if (key_matches(key, wanted)) {
            if (found == 0)
                return -EEXIST;
            found = 0;
            *ret_value = value;
            if (first)
                return 0;
        }
        at = skip_space(at, end);
        if (at < end && *at == ',')
            at++;
        else
            break;
    }
    return at < end && *at == '}' ? found : -EINVAL;
}

int span_member(const char *text, size_t len, const char *key, struct span *ret_value)
{
    return find(text, len, key, false, ret_value);
}

int span_peek(const char *text, size_t len, const char *key, struct span *ret_value)
{
    return find(text, len, key, true, ret_value);
}

bool span_is_string(struct span value, const char *text)
{
    size_t len = strlen(text);
    if (value.len < 2 || value.at[0] != '"')
        return false;
    if (!memchr(value.at, '\\', value.len))
        return value.len == len + 2 && !memcmp(value.at + 1, text, len);
    json_t *string = json_loadb(value.at, value.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    bool same = json_is_string(string) && json_string_length(string) == len &&
                !memcmp(json_string_value(string), text, len);
    json_decref(string);
    return same;
}

bool span_is_null(struct span value)
{
    return value.len == 4 && !memcmp(value.at, "null", 4);
}

bool span_is_true(struct span value)
{
    return value.len == 4 && !memcmp(value.at, "true", 4);
}

bool span_is_object(struct span value)
{
    return value.len >= 2 && value.at[0] == '{';
}

bool span_is_array(struct span value)
{
    return value.len >= 2 && value.at[0] == '[';
}

bool span_is_empty(struct span value)
{
    const char *end = value.at + value.len - 1;
    return value.len >= 2 && skip_space(value.at + 1, end) == end;
}
