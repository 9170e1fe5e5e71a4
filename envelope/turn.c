#include "envelope/turn.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/encode.h"
#include "envelope/span.h"

/* One edit: the bytes of `place` are replaced by what `text` holds. */
struct edit {
    struct span place;
    struct bytes text;
};

static void apply(const char *line, size_t len, const struct edit *edit, struct bytes *out)
{
    size_t before = (size_t)(edit->place.at - line);
    bytes_append(out, line, before);
    bytes_append(out, edit->text.data, edit->text.len);
    bytes_append(out, edit->place.at + edit->place.len, len - before - edit->place.len);
}

/* The place right behind an object's or array's opening bracket. */
static struct span inside(struct span value)
{
    return (struct span){.at = value.at + 1};
}

/* Ends a text that goes in front of the members of `object`. */
static void close_members(struct span object, struct edit *edit)
{
    if (!span_is_empty(object))
        bytes_append_char(&edit->text, ',');
}

static bool is_json(const char *line, size_t len)
{
    json_t *json = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
    bool object = json_is_object(json);
    json_decref(json);
    return object;
}

static void append_entries(const struct turn_entry *entries, size_t count, struct bytes *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            bytes_append_char(out, ',');
        encode_string(entries[i].key, strlen(entries[i].key), out);
        bytes_append_text(out, ":{\"value\":");
        /* A second encoding: the value is JSON text inside a JSON string. */
        json_t *value = json_string(entries[i].value);
        char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
        if (text)
            bytes_append_text(out, text);
        else
            out->failed = true;
        json_decref(value);
        free(text);
        bytes_append_text(out, ",\"kind\":\"application\"}");
    }
}

bool turn_has_key(const char *line, size_t len, const char *key)
{
    struct span params, context, value;
    return span_member(line, len, "params", &params) == 0 && span_is_object(params) &&
           span_member(params.at, params.len, "additionalContext", &context) == 0 &&
           span_is_object(context) && span_member(context.at, context.len, key, &value) != -ENOENT;
}

static int context_edit(const char *line, size_t len, const struct turn_entry *entries,
                        size_t count, struct edit *edit, const char **ret_why)
{
    struct span params, context;
    if (span_member(line, len, "params", &params) < 0 || !span_is_object(params)) {
        *ret_why = "the message has no params object";
        return -EINVAL;
    }
    int found = span_member(params.at, params.len, "additionalContext", &context);
    if (found == -ENOENT) {
        edit->place = inside(params);
        bytes_append_text(&edit->text, "\"additionalContext\":{");
        append_entries(entries, count, &edit->text);
        bytes_append_char(&edit->text, '}');
        close_members(params, edit);
    } else if (found == 0 && span_is_null(context)) {
        edit->place = context;
        bytes_append_char(&edit->text, '{');
        append_entries(entries, count, &edit->text);
        bytes_append_char(&edit->text, '}');
    } else if (found == 0 && span_is_object(context)) {
        edit->place = inside(context);
        append_entries(entries, count, &edit->text);
        close_members(context, edit);
    } else {
        *ret_why = "its additionalContext is neither an object nor null";
        return -EINVAL;
    }
    return edit->text.failed ? -ENOMEM : 0;
}

int turn_add_context(const char *line, size_t len, const struct turn_entry *entries, size_t count,
                     struct bytes *out, const char **ret_why)
{
    if (!is_json(line, len)) {
        *ret_why = "the message cannot be parsed";
        return -EINVAL;
    }
    struct edit edit = {0};
    int result = context_edit(line, len, entries, count, &edit, ret_why);
    if (result == 0)
        apply(line, len, &edit, out);
    bytes_finish(&edit.text);
    return result == 0 && out->failed ? -ENOMEM : result;
}

static void quote(const char *text, struct bytes *out)
{
    encode_string(text, strlen(text), out);
}

/* `object` gets another first member. */
static void edit_add_member(struct span object, const char *key, struct edit *edit)
{
    edit->place = inside(object);
    quote(key, &edit->text);
    bytes_append_char(&edit->text, ':');
}

static int edit_flag(struct span capabilities, const char *method, struct edit *edit)
{
    (void)method;
    struct span flag;
    int found = span_member(capabilities.at, capabilities.len, "experimentalApi", &flag);
    if (found == 0 && span_is_true(flag))
        return 0;
    if (found == 0)
        edit->place = flag;
    else if (found == -ENOENT)
        edit_add_member(capabilities, "experimentalApi", edit);
    else
        return -EINVAL;
    bytes_append_text(&edit->text, "true");
    if (found == -ENOENT)
        close_members(capabilities, edit);
    return 1;
}

static int edit_opt_out(struct span capabilities, const char *method, struct edit *edit)
{
    static const char key[] = "optOutNotificationMethods";
    struct span list;
    int found = span_member(capabilities.at, capabilities.len, key, &list);
    if (found == 0 && span_is_array(list)) {
        edit->place = inside(list);
        quote(method, &edit->text);
        close_members(list, edit);
        return 1;
    }
    if (found == 0 && span_is_null(list))
        edit->place = list;
    else if (found == -ENOENT)
        edit_add_member(capabilities, key, edit);
    else
        return -EINVAL;
    bytes_append_char(&edit->text, '[');
    quote(method, &edit->text);
    bytes_append_char(&edit->text, ']');
    if (found == -ENOENT)
        close_members(capabilities, edit);
    return 1;
}

/* Gives the message a `capabilities` object if it has none. */
static int edit_capabilities(const char *line, size_t len, struct edit *edit)
{
    struct span params, capabilities;
    if (span_member(line, len, "params", &params) < 0 || !span_is_object(params))
        return -EINVAL;
    int found = span_member(params.at, params.len, "capabilities", &capabilities);
    if (found == 0 && span_is_object(capabilities))
        return 0;
    if (found == 0 && span_is_null(capabilities))
        edit->place = capabilities;
    else if (found == -ENOENT)
        edit_add_member(params, "capabilities", edit);
    else
        return -EINVAL;
    bytes_append_text(&edit->text, "{}");
    if (found == -ENOENT)
        close_members(params, edit);
    return 1;
}

/* Applies one edit inside `capabilities` to the message in `text`. */
static int edit_inside(struct bytes *text, const char *method,
                       int (*make)(struct span, const char *, struct edit *))
{
    struct span params, capabilities;
    if (span_member(text->data, text->len, "params", &params) < 0 ||
        span_member(params.at, params.len, "capabilities", &capabilities) < 0)
        return -EINVAL;
    struct edit edit = {0};
    struct bytes next = {0};
    int result = make(capabilities, method, &edit);
    if (result == 1) {
        apply(text->data, text->len, &edit, &next);
        bytes_finish(text);
        *text = next;
    }
    bytes_finish(&edit.text);
    return result;
}

int turn_upgrade_initialize(const char *line, size_t len, const char *method, struct bytes *out)
{
    if (!is_json(line, len))
        return -EINVAL;
    struct edit edit = {0};
    struct bytes text = {0};
    int result = edit_capabilities(line, len, &edit);
    if (result == 1)
        apply(line, len, &edit, &text);
    else
        bytes_append(&text, line, len);
    bytes_finish(&edit.text);
    if (result >= 0)
        result = edit_inside(&text, method, edit_flag);
    if (result == 1)
        result = edit_inside(&text, method, edit_opt_out);
    if (result == 1)
        bytes_append(out, text.data, text.len);
    bytes_finish(&text);
    return result == 1 && out->failed ? -ENOMEM : result;
}
