#include "envelope/edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/encode.h"
#include "envelope/splice.h"

/* ---- turn/start ---- */

json_t *edit_own_keys(const struct message *turn, const char *prefix)
{
    json_t *entries = json_loadb(turn->context.at ? turn->context.at : "", turn->context.len,
                                 JSON_ALLOW_NUL, NULL);
    json_t *keys = json_is_object(entries) ? json_array() : NULL, *entry;
    const char *key;
    json_object_foreach(entries, key, entry)
        if (!strncmp(key, prefix, strlen(prefix)))
            json_array_append_new(keys, json_string(key));
    json_decref(entries);
    return keys;
}

static void append_entries(const struct edit_entry *entries, size_t count, struct bytes *out)
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
        bytes_printf(out, ",\"kind\":\"%s\"", entries[i].kind);
        if (entries[i].name)
            bytes_printf(out, ",\"name\":\"%s\"", entries[i].name);
        bytes_append_char(out, '}');
    }
}

/* What keeps the entries from going into this turn; NULL for nothing. */
static const char *complaint(const struct message *turn)
{
    if (!turn->sound)
        return "the message cannot be parsed";
    if (!span_is_object(turn->params))
        return "the message has no params object";
    if (turn->context.at && !span_is_null(turn->context) && !span_is_object(turn->context))
        return "its additionalContext is neither an object nor null";
    return NULL;
}

static void edit_context(const struct message *turn, const struct edit_entry *entries, size_t count,
                         struct splice *splice)
{
    bool object = span_is_object(turn->context), null = span_is_null(turn->context);
    struct bytes *text = object ? splice_insert(splice, turn->context)
                         : null ? splice_replace(splice, turn->context)
                                : splice_insert(splice, turn->params);
    if (!object && !null)
        bytes_append_text(text, "\"additionalContext\":");
    bytes_append_text(text, object ? "" : "{");
    append_entries(entries, count, text);
    bytes_append_text(text, object ? "" : "}");
    if (!null)
        splice_end_insert(text, object ? turn->context : turn->params);
}

int edit_add_context(const struct message *turn, const struct edit_entry *entries, size_t count,
                     struct bytes *out, const char **ret_why)
{
    struct splice splice = {0};
    const char *why = complaint(turn);
    if (why) {
        *ret_why = why;
        return -EINVAL;
    }
    edit_context(turn, entries, count, &splice);
    int result = splice_apply(&splice, turn->line, out);
    splice_finish(&splice);
    return result;
}

/* ---- session/prompt ---- */

int edit_add_prompt(const struct message *prompt, const char *block, struct bytes *out,
                    const char **ret_why)
{
    struct splice splice = {0};
    if (!prompt->sound || !span_is_array(prompt->prompt)) {
        *ret_why = prompt->sound ? "its prompt is no list" : "the message cannot be parsed";
        return -EINVAL;
    }
    struct span end = {.at = prompt->prompt.at + prompt->prompt.len - 1};
    struct bytes *text = splice_replace(&splice, end);
    bytes_append_text(text, span_is_empty(prompt->prompt) ? "" : ",");
    bytes_append_text(text, block);
    int result = splice_apply(&splice, prompt->line, out);
    splice_finish(&splice);
    return result;
}

/* ---- initialize ---- */

#define EXPERIMENTAL "\"experimentalApi\":true"
#define OPT_OUT      "\"optOutNotificationMethods\":"

/* Whether a part is missing, or is what may be edited: null, or of the kind wanted. */
static bool may_edit(struct span part, bool wanted)
{
    return !part.at || span_is_null(part) || wanted;
}

static void quote_list(const char *method, struct bytes *text)
{
    bytes_append_char(text, '[');
    encode_string(method, strlen(method), text);
    bytes_append_char(text, ']');
}

/* There are no capabilities yet, or null. */
static void edit_without(const struct message *m, const char *method, struct splice *splice)
{
    bool null = m->capabilities.at != NULL;
    struct bytes *text =
        null ? splice_replace(splice, m->capabilities) : splice_insert(splice, m->params);
    bytes_append_text(text, null ? "{" OPT_OUT : "\"capabilities\":{" OPT_OUT);
    quote_list(method, text);
    bytes_append_text(text, "," EXPERIMENTAL "}");
    if (!null)
        splice_end_insert(text, m->params);
}

static void edit_capabilities(const struct message *m, const char *method, struct splice *splice)
{
    if (!m->opt_out.at || !m->experimental.at) {
        struct bytes *text = splice_insert(splice, m->capabilities);
        if (!m->opt_out.at) {
            bytes_append_text(text, OPT_OUT);
            quote_list(method, text);
        }
        if (!m->experimental.at)
            bytes_append_text(text, m->opt_out.at ? EXPERIMENTAL : "," EXPERIMENTAL);
        splice_end_insert(text, m->capabilities);
    }
    if (m->experimental.at)
        bytes_append_text(splice_replace(splice, m->experimental), "true");
    if (span_is_array(m->opt_out)) {
        struct bytes *text = splice_insert(splice, m->opt_out);
        encode_string(method, strlen(method), text);
        splice_end_insert(text, m->opt_out);
    } else if (m->opt_out.at) {
        quote_list(method, splice_replace(splice, m->opt_out));
    }
}

int edit_upgrade_initialize(const struct message *m, const char *method, struct bytes *out)
{
    bool object = span_is_object(m->capabilities);
    struct splice splice = {0};
    if (!m->sound || !span_is_object(m->params) || !may_edit(m->capabilities, object))
        return -EINVAL;
    if (span_is_true(m->experimental))
        return 0;
    if (!may_edit(m->experimental, m->experimental.len) ||
        !may_edit(m->opt_out, span_is_array(m->opt_out)))
        return -EINVAL;
    if (object)
        edit_capabilities(m, method, &splice);
    else
        edit_without(m, method, &splice);
    int result = splice_apply(&splice, m->line, out);
    splice_finish(&splice);
    return result < 0 ? result : 1;
}
