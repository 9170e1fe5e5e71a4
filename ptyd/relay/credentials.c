#include "ptyd/relay/credentials.h"

#include <errno.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/grant.h"

char *credentials_read(const char *path, bool *ret_is_seed, char ret_seed[KEYS_SEED_SIZE])
{
    struct bytes text = {0};
    char public[KEYS_PUBLIC_SIZE], *why = NULL;
    int result = file_read_regular(path, LIMIT_RELAY_FILE_BYTES, &text);
    const char *all = text.data ? text.data : "";
    *ret_is_seed = !strncmp(all, "SU", 2);
    if (result < 0)
        why = text_format("%s: %s", path, result == -EINVAL ? "it is no file" : strerror(-result));
    else if (*ret_is_seed) {
        strncpy(ret_seed, all, KEYS_SEED_SIZE - 1);
        ret_seed[KEYS_SEED_SIZE - 1] = '\0';
        if (!keys_public(ret_seed, public))
            why = text_format("%s begins like an NKey's seed and is none", path);
    } else if (!strstr(all, "BEGIN NATS USER JWT"))
        why = text_format("%s is neither an NKey's seed nor credentials of NATS", path);
    if (!why && file_others_may(path)) /* who has it is this host to the hub */
        say("others on this machine can read the key in %s: `chmod 600` ends that", path);
    bytes_finish(&text);
    return why;
}

/* New reference; NULL for none. */
static json_t *token_of(const char *path)
{
    struct bytes text = {0};
    bool read = file_read_regular(path, LIMIT_RELAY_FILE_BYTES, &text) == 0 && text.data;
    json_t *token = read ? grant_read(text.data) : NULL;
    bytes_finish(&text);
    return token;
}

bool credentials_host(const char *path, char ret_host_id[2 * 8 + 1])
{
    json_t *token = token_of(path);
    const char *name = json_text(token, "name", "");
    bool names_one = roles_is_id(name);
    if (names_one)
        strcpy(ret_host_id, name);
    json_decref(token);
    return names_one;
}

char *credentials_ended(const char *path)
{
    char when[CLOCK_TEXT_SIZE];
    json_t *token = token_of(path);
    json_int_t until = json_number(token, "exp", 0);
    json_decref(token);
    if (until <= 0 || until > clock_wall_ms() / 1000)
        return NULL;
    return text_format("the credentials in %s ended at %s; the hub's owner makes others", path,
                       clock_text(until * 1000, when));
}

char *credentials_make(const char *path, char ret_public[KEYS_PUBLIC_SIZE])
{
    char seed[KEYS_SEED_SIZE];
    keys_new_seed(seed);
    keys_public(seed, ret_public);
    seed[KEYS_SEED_SIZE - 1] = '\n';
    int result = file_make_secret(path, seed, KEYS_SEED_SIZE);
    return result < 0 ? text_format("cannot make %s: %s", path, strerror(-result)) : NULL;
}
