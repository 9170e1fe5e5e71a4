#include "ptyd/mcp/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "ptyd/core/text.h"

#define NAME_PATTERN "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"

static json_t *choices_of(const char *choices)
{
    json_t *words = json_array();
    for (const char *at = choices; *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        json_array_append_new(words, json_stringn(at, len));
        at += len;
    }
    return words;
}

static json_t *schema_of_param(const struct param *p)
{
    json_t *schema;
    switch (p->kind) {
    case PARAM_NUMBER:
        schema = json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)p->low,
                           "maximum", (json_int_t)p->high);
        break;
    case PARAM_FLAG:
        schema = json_pack("{s:s}", "type", "boolean");
        break;
    case PARAM_NAME:
        schema = json_pack("{s:s, s:s}", "type", "string", "pattern", NAME_PATTERN);
        break;
    case PARAM_CHOICE:
        schema = json_pack("{s:s, s:o}", "type", "string", "enum", choices_of(p->choices));
        break;
    default:
        schema = json_pack("{s:s, s:I, s:I}", "type", "string", "minLength", (json_int_t)p->low,
                           "maxLength", (json_int_t)p->high);
    }
    json_object_set_new(schema, "description", json_string(p->about));
    if (p->usual)
        json_object_set_new(schema, "default", json_loads(p->usual, JSON_DECODE_ANY, NULL));
    return schema;
}

json_t *schema_of(const struct param *params)
{
    json_t *properties = json_object(), *required = json_array();
    for (const struct param *p = params; p->name; p++) {
        json_object_set_new(properties, p->name, schema_of_param(p));
        if (p->required)
            json_array_append_new(required, json_string(p->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties", 0);
}

/* ---- checking ---- */

static size_t count_characters(const char *text)
{
    size_t count = 0, len = strlen(text);
    for (size_t at = 0; at < len; at = utf8_ceil(text, len, at + 1))
        count++;
    return count;
}

static bool is_among(const char *word, const char *choices)
{
    json_t *words = choices_of(choices), *one;
    size_t i;
    bool found = false;
    json_array_foreach(words, i, one)
        found = found || !strcmp(json_string_value(one), word);
    json_decref(words);
    return found;
}

static char *check_text(const struct param *p, const json_t *value)
{
    const char *text = json_string_value(value);
    if (!text)
        return text_format("%s is a string", p->name);
    if (strlen(text) != json_string_length(value))
        return text_format("%s holds a NUL", p->name);
    if (p->kind == PARAM_NAME && !text_is_name(text))
        return text_format("%s is a session's name: letters, digits, . _ -, at most 64", p->name);
    if (p->kind == PARAM_CHOICE && !is_among(text, p->choices))
        return text_format("%s is one of: %s", p->name, p->choices);
    size_t count = count_characters(text);
    if (p->kind == PARAM_TEXT && ((long long)count < p->low || (long long)count > p->high))
        return text_format("%s has %lld to %lld characters", p->name, p->low, p->high);
    return NULL;
}

static char *check_value(const struct param *p, const json_t *value)
{
    long long number = json_integer_value(value);
    switch (p->kind) {
    case PARAM_NUMBER:
        if (!json_is_integer(value) || number < p->low || number > p->high)
            return text_format("%s is an integer from %lld to %lld", p->name, p->low, p->high);
        return NULL;
    case PARAM_FLAG:
        return json_is_boolean(value) ? NULL : text_format("%s is true or false", p->name);
    default:
        return check_text(p, value);
    }
}

static const struct param *find(const struct param *params, const char *name)
{
    for (const struct param *p = params; p->name; p++)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}

static char *unknown(const struct param *params, const char *name)
{
    struct text_nearest nearest = text_nearest_begin(name);
    for (const struct param *p = params; p->name; p++)
        text_nearest_offer(&nearest, p->name);
    return nearest.found
               ? text_format("there is no argument '%.64s'; did you mean %s?", name, nearest.found)
               : text_format("there is no argument '%.64s'", name);
}

char *schema_check(const struct param *params, const json_t *arguments)
{
    const char *name;
    json_t *value;
    char *wrong = NULL;
    if (arguments && !json_is_object(arguments))
        return text_copy("arguments is an object");
    json_object_foreach((json_t *)arguments, name, value) {
        const struct param *p = find(params, name);
        wrong = p ? check_value(p, value) : unknown(params, name);
        if (wrong)
            return wrong;
    }
    for (const struct param *p = params; p->name; p++)
        if (p->required && !json_object_get(arguments, p->name))
            return text_format("%s is required", p->name);
    return NULL;
}
