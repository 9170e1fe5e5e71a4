#include "ptyd/relay/setup.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/aside.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/pair.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

/* ---- what the user said ---- */

char *setup_path(void)
{
    char *conf = paths_conf(), *directory = paths_parent(conf);
    char *path = text_format("%s/relay.json", directory);
    free(directory);
    free(conf);
    return path;
}

static char *copy_of(const json_t *object, const char *key)
{
    const char *text = json_text(object, key, NULL);
    return text ? text_copy(text) : NULL;
}

const char *setup_check_name(const char *name)
{
    size_t len = strlen(name);
    if (!len)
        return "it is empty";
    if (len > LIMIT_HOST_BYTES)
        return "it has more than 64 bytes";
    return utf8_valid(name, len) ? NULL : "it is no UTF-8";
}

/* What is no path would be taken for none: sent unsealed, say. */
static bool has_paths(const json_t *object)
{
    static const char *const names[] = {"creds", "authority", "seal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *path = json_object_get(object, names[i]);
        if (path && (!json_is_string(path) || !*json_string_value(path)))
            return false;
    }
    return true;
}

char *setup_read(struct setup *ret_settings)
{
    struct bytes text = {0};
    char *path = setup_path(), *why = NULL;
    int result = file_read_regular(path, LIMIT_RELAY_FILE_BYTES, &text);
    json_t *object = result == 0 ? json_loadb(text.data ? text.data : "", text.len, 0, NULL) : NULL;
    if (result == -ENOENT)
        why = text_copy("no hub is set: `ptyd relay enable --url tls://HUB:4222` sets one");
    else if (result < 0)
        why = text_format("%s: %s", path, strerror(-result));
    else if (!*json_text(object, "url", "") || setup_check_name(json_text(object, "user", "")) ||
             setup_check_name(json_text(object, "host", "?")) || !has_paths(object))
        why = text_format(
            "%s is damaged: `ptyd relay enable --url URL` writes it anew, with what else "
            "is said then (--seal, for example)",
            path);
    else
        *ret_settings = (struct setup){.url = copy_of(object, "url"),
                                       .user = copy_of(object, "user"),
                                       .host = text_copy(json_text(object, "host", "?")),
                                       .creds = copy_of(object, "creds"),
                                       .authority = copy_of(object, "authority"),
                                       .seal = copy_of(object, "seal"),
                                       .publish_only = json_flag(object, "publish_only"),
                                       .outputs = json_flag(object, "outputs"),
                                       .since_ms = json_number(object, "since_ms", 0)};
    json_decref(object);
    bytes_finish(&text);
    free(path);
    return why;
}

struct setup_stamp setup_stamp(void)
{
    char *path = setup_path();
    struct stat st;
    bool is_there = stat(path, &st) == 0;
    free(path);
    return is_there ? (struct setup_stamp){.file = st.st_ino, .at = st.st_mtim}
                    : (struct setup_stamp){0};
}

bool setup_is_stamped(struct setup_stamp s)
{
    struct setup_stamp now = setup_stamp();
    return now.file == s.file && now.at.tv_sec == s.at.tv_sec && now.at.tv_nsec == s.at.tv_nsec;
}

char *setup_read_key(struct setup *s)
{
    return s->seal ? sealing_read(s->seal, &s->sealing) : NULL;
}

int setup_write(const struct setup *s)
{
    char *path = setup_path(), *directory = paths_parent(path);
    json_t *object = json_pack("{s:s, s:s, s:s, s:s*, s:s*, s:s*, s:b, s:b, s:I}", "url", s->url,
                               "user", s->user, "host", s->host, "creds", s->creds, "authority",
                               s->authority, "seal", s->seal, "publish_only", s->publish_only,
                               "outputs", s->outputs, "since_ms", (json_int_t)s->since_ms);
    int result = file_make_directory(directory);
    if (result == 0)
        result = object ? json_replace_file(path, object) : -EINVAL;
    json_decref(object);
    free(directory);
    free(path);
    return result;
}

void setup_finish(struct setup *s)
{
    free(s->url);
    free(s->user);
    free(s->host);
    free(s->creds);
    free(s->authority);
    free(s->seal);
    *s = (struct setup){0};
}

/* ---- this host's own ---- */

char *identity_directory(const char *state)
{
    return text_format("%s/relay", state);
}

/* What tells this machine from a copy of its disk, as far as the copy's owner made them two:
 * nothing where the system has none. New string. */
static char *machine(void)
{
    static const unsigned char public_key[KEYS_MAC_BYTES]; /* the id itself is for nobody else */
    char id[KEYS_ID_SIZE];
    struct bytes text = {0};
    if (file_read("/etc/machine-id", LIMIT_RELAY_FILE_BYTES, &text) < 0 || !text.len) {
        bytes_finish(&text);
        return text_copy("");
    }
    keys_mac(public_key, text.data, id);
    bytes_finish(&text);
    return text_copy(id);
}

static char *make(struct pair *pair, const char *directory, const char *here)
{
    struct identity new;
    unsigned char id[8];
    char hex[2 * KEYS_MAC_BYTES + 1];
    keys_random(id, sizeof id);
    keys_hex(id, sizeof id, new.host_id);
    keys_random(new.key, sizeof new.key);
    keys_hex(new.key, sizeof new.key, hex);
    keys_new_seed(new.seed);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:I}", "host_id", new.host_id, "key", hex, "seed", new.seed,
                  "machine", here, "made_ms", (json_int_t)clock_wall_ms());
    int result = file_make_directory(directory);
    if (result == 0)
        result = pair_write(pair, object);
    json_decref(object);
    return result == 0 ? NULL : text_format("cannot write %s: %s", directory, strerror(-result));
}

static bool take(const json_t *object, struct identity *identity)
{
    const char *id = json_text(object, "host_id", ""), *seed = json_text(object, "seed", "");
    if (strlen(id) != sizeof identity->host_id - 1 || strlen(seed) != KEYS_SEED_SIZE - 1 ||
        !keys_public(seed, identity->public))
        return false;
    strcpy(identity->host_id, id);
    strcpy(identity->seed, seed);
    return keys_unhex(json_text(object, "key", ""), identity->key, KEYS_MAC_BYTES);
}

static char *check(const json_t *object, const char *here, const char *directory,
                   struct identity *identity)
{
    const char *there = json_text(object, "machine", "");
    if (!take(object, identity))
        return text_format("%s is damaged: `ptyd relay enable --new-host` makes this another host",
                           directory);
    if (*there && *here && strcmp(there, here) != 0)
        return text_format("this machine is a copy of the one whose id %s is: `ptyd relay enable "
                           "--new-host` makes it another host",
                           identity->host_id);
    return NULL;
}

char *identity_open(const char *state, enum identity_way way, struct identity *ret_identity)
{
    char *directory = identity_directory(state), *path = text_format("%s/identity.json", directory);
    char *here = machine(), *why = NULL;
    enum pair_state states[2];
    struct pair pair;
    cores_hide();
    pair_init(&pair, path);
    json_t *object = pair_read(&pair, LIMIT_RELAY_FILE_BYTES, states);
    bool is_new = states[0] == PAIR_NONE && states[1] == PAIR_NONE;
    if (way == IDENTITY_ANEW || (way == IDENTITY_MAKE && is_new)) {
        why = make(&pair, directory, here);
        json_decref(object);
        object = pair_read(&pair, LIMIT_RELAY_FILE_BYTES, states);
    } else if (is_new) {
        why = text_copy("this host has no id yet: `ptyd relay enable` makes one");
    }
    if (!why)
        why = check(object, here, directory, ret_identity);
    json_decref(object);
    pair_finish(&pair);
    free(here);
    free(path);
    free(directory);
    return why;
}
