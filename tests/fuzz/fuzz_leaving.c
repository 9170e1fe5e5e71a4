/* What leaves the machine: secrets taken out of any bytes, and the legacy envelope, which comes off
 * again wherever it was put. */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/encode.h"
#include "envelope/legacy.h"
#include "envelope/redact/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A value known to be secret never comes through. */
static void check_redaction(const char *text, size_t size)
{
    static const char environ[] = "A_TOKEN=hunter2hunter2";
    struct redact_secrets *secrets = NULL;
    redact_secrets_create(environ, sizeof environ, &secrets);
    struct bytes out = {0}, plain = {0};
    int count = redact_text(text, size, secrets, &out);
    if (out.len && memmem(out.data, out.len, "hunter2hunter2", 14))
        abort();
    if (count == 0 && (out.len != size || (size && memcmp(out.data, text, size))))
        abort();
    encode_plain(text, size, &plain);
    if (plain.len && memmem(plain.data, plain.len, "</", 2))
        abort();
    bytes_finish(&out);
    bytes_finish(&plain);
    redact_secrets_destroy(secrets);
}

static void check_envelope(const char *text, size_t size)
{
    struct bytes added = {0}, back = {0};
    json_t *before = json_loadb(text, size, JSON_ALLOW_NUL, NULL);
    /* What was there before must not hold envelopes of its own: they would come off too. */
    bool clean = before && !legacy_may_hold(text, size);
    struct message turn = message_read(text, size);
    if (clean && legacy_add(&turn, "{\"v\":1}", &added) == 1) {
        if (legacy_strip(added.data, added.len, &back) != 1)
            abort();
        json_t *first = json_object_get(json_object_get(before, "params"), "input");
        json_t *after = json_loadb(back.data, back.len, JSON_ALLOW_NUL, NULL);
        json_t *second = json_object_get(json_object_get(after, "params"), "input");
        if (json_array_size(first) != json_array_size(second))
            abort();
        json_decref(after);
    }
    json_decref(before);
    bytes_finish(&added);
    bytes_finish(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_redaction((const char *)data, size);
    check_envelope((const char *)data, size);
    return 0;
}
