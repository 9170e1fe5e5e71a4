/* Edits of a client's messages: the result is JSON when the message was, and taking our entry out
 * again gives the message's meaning back. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/encode.h"
#include "envelope/turn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define KEY "terminal_block_000000001"

static void check_turn(const char *text, size_t size)
{
    struct bytes out = {0};
    const char *why = NULL;
    struct turn_entry entry = {KEY, "{\"cmd\":\"\\u003c\"}"};
    if (!turn_has_key(text, size, KEY) &&
        turn_add_context(text, size, &entry, 1, &out, &why) == 0) {
        json_t *edited = json_loadb(out.data, out.len, JSON_ALLOW_NUL, NULL);
        json_t *context = json_object_get(json_object_get(edited, "params"), "additionalContext");
        if (!json_object_get(context, KEY))
            abort();
        json_decref(edited);
    }
    bytes_finish(&out);
}

static void check_initialize(const char *text, size_t size)
{
    struct bytes out = {0};
    if (turn_upgrade_initialize(text, size, "m", &out) == 1) {
        json_t *edited = json_loadb(out.data, out.len, JSON_ALLOW_NUL, NULL);
        if (!json_is_true(
                json_object_get(json_object_get(json_object_get(edited, "params"), "capabilities"),
                                "experimentalApi")))
            abort();
        json_decref(edited);
    }
    bytes_finish(&out);
}

static void check_encoding(const char *text, size_t size)
{
    struct bytes out = {0};
    encode_string(text, size, &out);
    if (out.len != encoded_length(text, size) + 2 || memchr(out.data, '<', out.len))
        abort();
    json_t *string = json_loadb(out.data, out.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!json_is_string(string))
        abort();
    json_decref(string);
    bytes_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_turn((const char *)data, size);
    check_initialize((const char *)data, size);
    check_encoding((const char *)data, size);
    return 0;
}
