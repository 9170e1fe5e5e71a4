#include "envelope/span.h"

#include <jansson.h>
#include <string.h>

bool span_is_escaped(struct span value, const char *text)
{
    if (!memchr(value.at, '\\', value.len))
        return false;
    size_t len = strlen(text);
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
    size_t i = 1;
    while (i + 1 < value.len && strchr(" \t\r\n", value.at[i]))
        i++;
    return i + 1 == value.len;
}
