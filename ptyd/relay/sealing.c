#include "ptyd/relay/sealing.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

/* ---- the key ---- */

char *sealing_read(const char *path, struct sealing *ret_sealing)
{
    struct sealing sealing = {0};
    struct bytes text = {0};
    char *why = NULL;
    int result = file_read_regular(path, LIMIT_RELAY_FILE_BYTES, &text);
    while (text.len && (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == '\r'))
        text.data[--text.len] = '\0';
    if (result < 0)
        why =
            text_format("the key with which commands are sealed: %s: %s", path, strerror(-result));
    else if (!text.data || !keys_unhex(text.data, sealing.key, sizeof sealing.key))
        why = text_format("%s holds no key of a fleet, 64 hexadecimal digits", path);
    else if (file_others_may(path))
        why = text_format("others on this machine can read the key in %s: `chmod 600` ends that, "
                          "and if they did, hosts need a new one",
                          path);
    if (!why) {
        keys_seal_id(sealing.key, sealing.id);
        *ret_sealing = sealing;
    }
    bytes_finish(&text);
    return why;
}

char *sealing_make(const char *path)
{
    unsigned char key[KEYS_SEAL_BYTES];
    char text[2 * sizeof key + 2];
    keys_random(key, sizeof key);
    keys_hex(key, sizeof key, text);
    strcpy(text + 2 * sizeof key, "\n");
    int result = file_make_secret(path, text, strlen(text));
    return result < 0 ? text_format("cannot make %s: %s", path, strerror(-result)) : NULL;
}

/* ---- what is said ---- */

/* Neither a subject nor an id has a line feed in it. */
static char *about(const char *subject, const char *id)
{
    return text_format("ptyd 1\n%s\n%s", subject, id);
}

char *sealing_close(const struct sealing *s, const char *subject, const char *id, const char *text)
{
    struct bytes box = {0}, coded = {0};
    if (!*s->id)
        return text_copy(text);
    char *context = about(subject, id);
    keys_seal(s->key, context, text, strlen(text), &box);
    base64_encode(box.data, box.len, &coded);
    if (coded.failed)
        memory_end();
    char *sealed = text_format("{\"v\":1,\"sealed\":\"%s\",\"box\":\"%s\"}", s->id, coded.data);
    bytes_finish(&coded);
    bytes_finish(&box);
    free(context);
    return sealed;
}

/* Nonce and tag, in base64, with what stands around it. */
size_t sealing_size(const struct sealing *s, size_t len)
{
    return *s->id ? (len + 42) / 3 * 4 + 64 : len;
}

static enum sealing_found open_box(const struct sealing *s, const char *subject, const char *id,
                                   const char *coded, json_t **ret_said)
{
    struct bytes box = {0}, text = {0};
    char *context = about(subject, id);
    bool good = base64_decode(coded, strlen(coded), &box) == 0 &&
                keys_open(s->key, context, box.data, box.len, &text);
    if (good)
        *ret_said = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
    bytes_finish(&text);
    bytes_finish(&box);
    free(context);
    return good ? SEALING_GOOD : SEALING_BROKEN;
}

enum sealing_found sealing_open(const struct sealing *s, const char *subject, const char *id,
                                const char *data, size_t len, json_t **ret_said)
{
    json_t *message = json_loadb(data, len, JSON_REJECT_DUPLICATES, NULL);
    const char *key = json_text(message, "sealed", NULL);
    enum sealing_found found = SEALING_UNSEALED;
    if (key && (!*s->id || strcmp(key, s->id) != 0))
        found = SEALING_FOREIGN;
    else if (key)
        found = open_box(s, subject, id, json_text(message, "box", ""), ret_said);
    else if (!*s->id) {
        *ret_said = json_incref(message);
        found = SEALING_GOOD;
    }
    json_decref(message);
    return found;
}
