#define _GNU_SOURCE
#include "envelope/legacy.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define START                                                                                      \
    "\x1e"                                                                                         \
    "CODEX_META "
#define END     '\x1f'
#define ESCAPED "CODEX_META " /* behind its first character, however that is escaped */

static bool is_envelope(const char *text, size_t len)
{
    return len >= strlen(START) && !memcmp(text, START, strlen(START));
}

/* Moves the elements of a text that became longer (or, negative, shorter) at its front. */
static void shift_elements(json_t *item, json_int_t by)
{
    static const char *const ends[] = {"start", "end"};
    json_t *element;
    size_t i;
    json_array_foreach(json_object_get(item, "text_elements"), i, element)
    {
        json_t *range = json_object_get(element, "byteRange");
        for (int k = 0; k < 2; k++) {
            json_int_t at = json_integer_value(json_object_get(range, ends[k]));
            json_object_set_new(range, ends[k], json_integer(at + by > 0 ? at + by : 0));
        }
    }
}

static int dump(json_t *message, struct bytes *out)
{
    char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(17));
    bytes_append_text(out, text ? text : "");
    bool failed = !text || out->failed;
    free(text);
    return failed ? -ENOMEM : 1;
}

/* ---- adding ---- */

static json_t *first_text(const json_t *message)
{
    json_t *input = json_object_get(json_object_get(message, "params"), "input"), *item;
    size_t i;
    json_array_foreach(input, i, item)
    {
        const char *type = json_string_value(json_object_get(item, "type"));
        if (type && !strcmp(type, "text") && json_is_string(json_object_get(item, "text")))
            return item;
    }
    return NULL;
}

static int add_to(json_t *item, const char *object)
{
    const json_t *text = json_object_get(item, "text");
    struct bytes joined = {0};
    if (!object && !is_envelope(json_string_value(text), json_string_length(text)))
        return 0;
    bytes_printf(&joined, START "%s%c", object ? object : "{}", END);
    size_t prefix = joined.len;
    bytes_append(&joined, json_string_value(text), json_string_length(text));
    json_t *value = joined.failed ? NULL : json_stringn(joined.data, joined.len);
    bytes_finish(&joined);
    if (!value)
        return -ENOMEM;
    json_object_set_new(item, "text", value);
    shift_elements(item, (json_int_t)prefix);
    return 1;
}

int legacy_add(const char *line, size_t len, const char *object, struct bytes *out)
{
    json_t *message = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
    json_t *item = first_text(message);
    int result = !message ? -EINVAL : !item ? -ENOENT : add_to(item, object);
    if (result == 1)
        result = dump(message, out);
    json_decref(message);
    return result;
}

/* ---- taking off ---- */

bool legacy_may_hold(const char *line, size_t len)
{
    return memmem(line, len, ESCAPED, strlen(ESCAPED)) != NULL;
}

/* Bytes of the envelope in front of a text. One that was cut off by a preview's bound is all there
 * is; one that says something else is the user's own. */
static size_t envelope_length(const char *text, size_t len)
{
    if (!is_envelope(text, len))
        return 0;
    const char *object = text + strlen(START);
    const char *end = memchr(object, END, len - strlen(START));
    size_t object_len = (end ? (size_t)(end - text) : len) - strlen(START);
    bool ours = object_len >= 2 && (!memcmp(object, "{}", 2) || !memcmp(object, "{\"v\":", 5));
    if (!ours && end)
        return 0;
    return end ? (size_t)(end - text) + 1 : len;
}

/* What is left of a string that begins with an envelope (a new reference), NULL for anything else.
 */
static json_t *rest_of(const json_t *value, size_t *ret_off)
{
    const char *text = json_string_value(value);
    *ret_off = text ? envelope_length(text, json_string_length(value)) : 0;
    return *ret_off ? json_stringn(text + *ret_off, json_string_length(value) - *ret_off) : NULL;
}

static int strip_value(json_t *value);

static int strip_object(json_t *object)
{
    const char *key;
    json_t *member;
    void *next;
    int changed = 0;
    json_object_foreach_safe(object, next, key, member)
    {
        size_t off;
        json_t *rest = rest_of(member, &off);
        if (rest && !strcmp(key, "text"))
            shift_elements(object, -(json_int_t)off);
        if (rest)
            json_object_set_new(object, key, rest);
        changed |= rest ? 1 : strip_value(member);
    }
    return changed;
}

static int strip_value(json_t *value)
{
    int changed = 0;
    size_t i, off;
    json_t *item;
    if (json_is_object(value))
        return strip_object(value);
    json_array_foreach(value, i, item)
    {
        json_t *rest = rest_of(item, &off);
        if (rest)
            json_array_set_new(value, i, rest);
        changed |= rest ? 1 : strip_value(item);
    }
    return changed;
}

int legacy_strip(const char *line, size_t len, struct bytes *out)
{
    json_t *message = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
    int result = message ? strip_value(message) : -EINVAL;
    if (result == 1)
        result = dump(message, out);
    json_decref(message);
    return result;
}
