#define _GNU_SOURCE
#include "envelope/legacy.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/splice.h"

#define START                                                                                      \
    "\x1e"                                                                                         \
    "CODEX_META "
#define END     '\x1f'
#define ESCAPED "CODEX_META " /* behind its first character, however that is escaped */

static bool is_envelope(const char *text, size_t len)
{
    return text && len >= strlen(START) && !memcmp(text, START, strlen(START));
}

/* Moves the elements of a text that became longer (or, negative, shorter) at its front. */
static void shift_elements(const json_t *elements, json_int_t by)
{
    static const char *const ends[] = {"start", "end"};
    json_t *element;
    size_t i;
    json_array_foreach(elements, i, element) {
        json_t *range = json_object_get(element, "byteRange");
        for (int k = 0; k < 2; k++) {
            json_int_t at = json_integer_value(json_object_get(range, ends[k]));
            json_object_set_new(range, ends[k], json_integer(at + by > 0 ? at + by : 0));
        }
    }
}

static int dump(const json_t *message, struct bytes *out)
{
    char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(17));
    bytes_append_text(out, text ? text : "");
    bool failed = !text || out->failed;
    free(text);
    return failed ? -ENOMEM : 1;
}

/* ---- adding ---- */

/* Whether the text itself begins like an envelope. */
static bool begins_like_envelope(struct span text)
{
    json_t *string = json_loadb(text.at, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    bool does = is_envelope(json_string_value(string), json_string_length(string));
    json_decref(string);
    return does;
}

/* Inserts the envelope behind the quote that begins the text. Returns how much longer it is now. */
static size_t edit_text(struct span text, const char *object, struct splice *splice)
{
    char end[] = {END, '\0'};
    json_t *prefix = json_sprintf("%s%s%s", START, object, end);
    char *quoted = json_dumps(prefix, JSON_ENCODE_ANY);
    size_t len = json_string_length(prefix);
    struct bytes *out = splice_insert(splice, text);
    if (quoted)
        bytes_append(out, quoted + 1, strlen(quoted) - 2);
    out->failed = out->failed || !quoted;
    free(quoted);
    json_decref(prefix);
    return len;
}

static void edit_elements(struct span elements, size_t by, struct splice *splice)
{
    json_t *list = json_loadb(elements.at, elements.len, JSON_ALLOW_NUL, NULL);
    struct bytes *out = splice_replace(splice, elements);
    shift_elements(list, (json_int_t)by);
    out->failed = dump(list, out) < 0; /* also where jansson does not take the list */
    json_decref(list);
}

int legacy_add(const struct message *turn, const char *object, struct bytes *out)
{
    struct splice splice = {0};
    if (!turn->sound)
        return -EINVAL;
    if (!turn->text.len)
        return -ENOENT;
    if (!object && !begins_like_envelope(turn->text))
        return 0;
    size_t by = edit_text(turn->text, object ? object : "{}", &splice);
    if (span_is_array(turn->elements) && !span_is_empty(turn->elements))
        edit_elements(turn->elements, by, &splice);
    int result = splice_apply(&splice, turn->line, out);
    splice_finish(&splice);
    return result < 0 ? result : 1;
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
    json_object_foreach_safe(object, next, key, member) {
        size_t off;
        json_t *rest = rest_of(member, &off);
        if (rest && !strcmp(key, "text"))
            shift_elements(json_object_get(object, "text_elements"), -(json_int_t)off);
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
    json_array_foreach(value, i, item) {
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
