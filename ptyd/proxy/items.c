#include "ptyd/proxy/items.h"

#include <string.h>

#include "ptyd/core/json.h"

static bool is_untrusted(const json_t *entry)
{
    return !strcmp(json_text(entry, "kind", ""), "untrusted");
}

/* What a program printed, where that is apart, goes in no more than the user's name, for an output
 * must be a call's. */
json_t *items_of(const json_t *taken)
{
    json_t *items = json_array(), *entry;
    const char *key;
    json_object_foreach(json_object_get(taken, "additionalContext"), key, entry) {
        const char *value = json_text(entry, "value", NULL);
        json_array_append_new(items, json_pack("{s:s, s:s, s:[{s:s, s:o}]}", "type", "message",
                                               "role", is_untrusted(entry) ? "user" : "developer",
                                               "content", "type", "input_text", "text",
                                               json_sprintf("<%s>%s</%s>", key, value, key)));
    }
    return items;
}
