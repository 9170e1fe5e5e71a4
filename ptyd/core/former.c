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
    const char *name;
    json_int_t len, begin, end;
    json_t *digest;
    if (json_unpack((json_t *)row, "[s, I, I, I, o]", &name, &len, &begin, &end, &digest) < 0 ||
        len < 0 || strlen(name) > LIMIT_NAME_BYTES)
        return false;
    *ret_former =
        (struct redact_former){.len = (size_t)len, .begin = (uint16_t)begin, .end = (uint16_t)end};
    memcpy(ret_former->name, name, strlen(name));
    return read_bytes(digest, ret_former->digest, sizeof ret_former->digest);
}

static json_t *one_json(const struct redact_former *f)
{
    return json_pack("[s, I, i, i, o]", f->name, (json_int_t)f->len, (int)f->begin, (int)f->end,
                     bytes_json(f->digest, sizeof f->digest));
}

/* The member, with an empty one made where there is none, or none that can be read; NULL where no
 * key is to be had. `whole`: that one is all there was. */
static json_t *member_of(json_t *meta, bool whole, unsigned char key[REDACT_KEY_BYTES])
{
    json_t *member = json_object_get(meta, "secrets");
    if (read_bytes(json_object_get(member, "key"), key, REDACT_KEY_BYTES) &&
        json_is_array(json_object_get(member, "known")))
        return member;
    if (getrandom(key, REDACT_KEY_BYTES, 0) != REDACT_KEY_BYTES)
        return NULL;
    whole = whole && !member;
    member = json_pack("{s:o, s:[], s:b}", "key", bytes_json(key, REDACT_KEY_BYTES), "known",
                       "whole", whole);
    json_object_set_new(meta, "secrets", member);
    return member;
}

static void take_out_equal(json_t *known, const json_t *row)
{
    for (size_t i = json_array_size(known); i-- > 0;)
        if (json_equal(json_array_get(json_array_get(known, i), 4), json_array_get(row, 4)))
            json_array_remove(known, i);
}

static void lose_some(json_t *member)
{
    json_object_set_new(member, "whole", json_false());
}

void former_keep(json_t *meta, const struct redact_secrets *now, bool known, bool first)
{
    unsigned char key[REDACT_KEY_BYTES];
    struct redact_former list[LIMIT_FORMER_SECRETS];
    json_t *member = member_of(meta, first, key), *rows = json_object_get(member, "known");
    size_t count = rows ? redact_secrets_digest(now, key, list, LIMIT_FORMER_SECRETS) : 0;
    if (!known)
        lose_some(member);
    for (size_t i = 0; i < count; i++) {
        json_t *row = one_json(&list[i]);
        take_out_equal(rows, row);
        json_array_append_new(rows, row);
    }
    for (; json_array_size(rows) > LIMIT_FORMER_SECRETS; lose_some(member))
        json_array_remove(rows, 0);
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
    return json_flag(member, "whole");
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
