#include "ptyd/core/json.h"

json_t *json_at_keys(const json_t *value, const char *const *keys)
{
    json_t *at = (json_t *)value;
    for (; *keys; keys++)
        at = json_object_get(at, *keys);
    return at;
}

const char *json_text(const json_t *object, const char *key, const char *fallback)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : fallback;
}

long long json_number(const json_t *object, const char *key, long long fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

bool json_flag(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}
