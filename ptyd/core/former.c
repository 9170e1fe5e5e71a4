#include "ptyd/core/former.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/json.h"
#include "ptyd/core/pair.h"
#include "ptyd/core/text.h"

/* A string of that many bytes. */
static bool read_bytes(const json_t *text, unsigned char *out, size_t len)
{
    struct bytes bytes = {0};
    bool is = json_is_string(text) &&
              base64_decode(json_string_value(text), json_string_length(text), &bytes) == 0 &&
              bytes.len == len;
    if (is)
        memcpy(out, bytes.data, len);
    bytes_finish(&bytes);
    return is;
}

static json_t *bytes_json(const unsigned char *data, size_t len)
{
    struct bytes text = {0};
    base64_encode((const char *)data, len, &text);
    json_t *json = json_stringn(text.data ? text.data : "", text.len);
    bytes_finish(&text);
    return json;
}

static bool read_one(const json_t *row, struct redact_former *ret_former)
{
    const char *name = json_string_value(json_array_get(row, 0));
    json_int_t len = json_integer_value(json_array_get(row, 1));
    json_int_t begin = json_integer_value(json_array_get(row, 2));
    *ret_former =
        (struct redact_former){.len = len > 0 ? (size_t)len : 0, .begin = (uint16_t)begin};
    if (!name || strlen(name) > LIMIT_NAME_BYTES)
        return false;
    memcpy(ret_former->name, name, strlen(name));
    return read_bytes(json_array_get(row, 3), ret_former->digest, sizeof ret_former->digest);
}

static json_t *one_json(const struct redact_former *f)
{
    return json_pack("[s, I, i, o]", f->name, (json_int_t)f->len, (int)f->begin,
                     bytes_json(f->digest, sizeof f->digest));
}

/* The member, with an empty one made where there is none, or none that can be read. */
static json_t *member_of(json_t *meta, unsigned char key[REDACT_KEY_BYTES])
{
    json_t *member = json_object_get(meta, "secrets");
    if (read_bytes(json_object_get(member, "key"), key, REDACT_KEY_BYTES) &&
        json_is_array(json_object_get(member, "known")))
        return member;
    if (getrandom(key, REDACT_KEY_BYTES, 0) != REDACT_KEY_BYTES)
        return NULL;
    member = json_pack("{s:o, s:[]}", "key", bytes_json(key, REDACT_KEY_BYTES), "known");
    json_object_set_new(meta, "secrets", member);
    return member;
}

static void take_out_equal(json_t *known, const json_t *row)
{
    for (size_t i = json_array_size(known); i-- > 0;)
        if (json_equal(json_array_get(json_array_get(known, i), 3), json_array_get(row, 3)))
            json_array_remove(known, i);
}

void former_keep(json_t *meta, const struct redact_secrets *now)
{
    unsigned char key[REDACT_KEY_BYTES];
    struct redact_former list[LIMIT_FORMER_SECRETS];
    json_t *known = json_object_get(member_of(meta, key), "known");
    size_t count = known ? redact_secrets_digest(now, key, list, LIMIT_FORMER_SECRETS) : 0;
    for (size_t i = 0; i < count; i++) {
        json_t *row = one_json(&list[i]);
        take_out_equal(known, row);
        json_array_append_new(known, row);
    }
    while (json_array_size(known) > LIMIT_FORMER_SECRETS)
        json_array_remove(known, 0);
}

bool former_add(const json_t *meta, struct redact_secrets **secrets)
{
    unsigned char key[REDACT_KEY_BYTES];
    struct redact_former list[LIMIT_FORMER_SECRETS];
    const json_t *member = json_object_get(meta, "secrets"), *row;
    size_t i, count = 0;
    if (!read_bytes(json_object_get(member, "key"), key, sizeof key))
        return false;
    json_array_foreach(json_object_get(member, "known"), i, row)
        count += count < LIMIT_FORMER_SECRETS && read_one(row, &list[count]);
    if (count && redact_secrets_add_former(secrets, key, list, count) < 0)
        memory_end(); /* what is not known to be secret would be told */
    return true;
}

bool former_read(const char *state, const char *session, struct redact_secrets **secrets)
{
    char *path = text_format("%s/conversations/%s/meta.json", state, session);
    struct pair files;
    enum pair_state states[2];
    pair_init(&files, path);
    json_t *meta = pair_read(&files, LIMIT_META_BYTES, states);
    bool kept = former_add(meta, secrets);
    json_decref(meta);
    pair_finish(&files);
    free(path);
    return kept;
}
