#include "ptyd/core/seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ptyd/core/text.h"

#define MEMBER    "\"sum\":\""
#define SEAL_SIZE (sizeof MEMBER - 1 + 16 + sizeof "\"}" - 1)

/* The seal of the `len` bytes before it, as the text ends with it. */
static void make_seal(const char *text, size_t len, char seal[SEAL_SIZE + 1])
{
    snprintf(seal, SEAL_SIZE + 1, MEMBER "%016llx\"}",
             (unsigned long long)hash_bytes(HASH_START, text, len));
}

char *seal_dump(const json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT);
    size_t len = text ? strlen(text) : 0;
    if (!text)
        return NULL;
    text = memory_grow(text, len + SEAL_SIZE + 2);
    len--; /* the brace goes to the end */
    if (len > 1)
        text[len++] = ',';
    make_seal(text, len, text + len);
    return text;
}

/* What was never sealed has JSON's own rules alone; its end is unlike any seal. One that is nearly
 * right was damaged itself. */
bool seal_is_whole(const char *text, size_t len)
{
    char seal[SEAL_SIZE + 1];
    size_t differ = 0;
    if (len <= SEAL_SIZE)
        return true;
    const char *end = text + len - SEAL_SIZE;
    make_seal(text, len - SEAL_SIZE, seal);
    for (size_t i = 0; i < SEAL_SIZE; i++)
        differ += end[i] != seal[i];
    bool sealed = differ < SEAL_SIZE / 3 || !memcmp(end, MEMBER, sizeof MEMBER - 1);
    return differ == 0 || !sealed;
}

json_t *seal_load(const char *text, size_t len)
{
    json_t *object = seal_is_whole(text, len) ? json_loadb(text, len, 0, NULL) : NULL;
    if (!json_is_object(object)) {
        json_decref(object);
        return NULL;
    }
    json_object_del(object, "sum");
    return object;
}
