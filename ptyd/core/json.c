#include "ptyd/core/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "ptyd/core/file.h"

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

/* How many bytes stand for themselves in a string: all but quote, backslash and controls. */
static size_t plain_span(const char *text)
{
    size_t len = 0;
    while ((unsigned char)text[len] >= 0x20 && text[len] != '"' && text[len] != '\\')
        len++;
    return len;
}

void json_append_string(struct bytes *out, const char *text)
{
    bytes_append_char(out, '"');
    for (;;) {
        size_t plain = plain_span(text);
        bytes_append(out, text, plain);
        text += plain;
        if (!*text)
            break;
        bytes_printf(out, "\\u%04x", (unsigned char)*text++);
    }
    bytes_append_char(out, '"');
}

int json_replace_file(const char *path, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    int result = text ? file_replace(path, text, strlen(text)) : -ENOMEM;
    free(text);
    return result;
}

/* Not memory_new(): jansson sets what it allocates itself, and a long answer has many values. */
static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        memory_end();
    return memory;
}

/* By itself jansson would open a file for its seed. */
void json_need_memory(void)
{
    size_t seed;
    memory_end_always(true);
    json_set_alloc_funcs(allocate, free);
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed)
        json_object_seed(seed);
}
