/* A message is read as sound exactly when the parser takes it. Edits of a client's messages: the
 * result is JSON when the message was, and holds what was put in. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "envelope/encode.h"
#include "envelope/legacy.h"
#include "envelope/edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define KEY "terminal_block_000000001"

/* The parser counts brackets a little differently: with that many nothing is expected. */
static void check_reading(const struct message *m)
{
    json_t *json = json_loadb(m->line.at, m->line.len, JSON_ALLOW_NUL, NULL);
    if (m->line.len < LIMIT_JSON_DEPTH && m->sound != json_is_object(json))
        abort();
    json_decref(json);
    struct message_head peeked = message_peek(m->line.at, m->line.len);
    if (m->sound && m->method.len && peeked.method.at != m->method.at)
        abort();
}

static void check_turn(const struct message *turn)
{
    struct bytes out = {0};
    const char *why = NULL;
    struct edit_entry entry = {KEY, "{\"cmd\":\"\\u003c\"}", "application", NULL};
    json_t *keys = edit_own_keys(turn, KEY);
    if (!json_array_size(keys) && edit_add_context(turn, &entry, 1, &out, &why) == 0) {
        json_t *edited = json_loadb(out.data, out.len, JSON_ALLOW_NUL, NULL);
        json_t *context = json_object_get(json_object_get(edited, "params"), "additionalContext");
        if (!json_object_get(context, KEY))
            abort();
        json_decref(edited);
    }
    json_decref(keys);
    bytes_finish(&out);
}

static void check_envelope(const struct message *turn)
{
    struct bytes added = {0}, back = {0};
    if (legacy_add(turn, "{}", &added) == 1) {
        struct message m = message_read(added.data, added.len);
        if (!m.sound || legacy_strip(added.data, added.len, &back) != 1)
            abort();
    }
    bytes_finish(&added);
    bytes_finish(&back);
}

static void check_initialize(const struct message *m)
{
    struct bytes out = {0};
    if (edit_upgrade_initialize(m, "m", &out) == 1) {
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
    struct message m = message_read((const char *)data, size);
    check_reading(&m);
    check_turn(&m);
    check_envelope(&m);
    check_initialize(&m);
    check_encoding((const char *)data, size);
    return 0;
}
