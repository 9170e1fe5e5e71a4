#include "ptyd/core/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

struct names {
    char *path;
    json_t *own;   /* by given name */
    json_t *given; /* by own name */
    int unread;    /* -errno: there may be more, and what is written must have them; 0 */
    bool mends;
};

static bool is_whole(const json_t *by_name)
{
    const char *name;
    json_t *own;
    if (!json_is_object(by_name) || json_object_size(by_name) > LIMIT_NAMES)
        return false;
    json_object_foreach((json_t *)by_name, name, own)
        if (!text_is_name(name) || !json_is_string(own) || !text_is_name(json_string_value(own)))
            return false;
    return true;
}

/* Those of the file; NULL where there is none, or it holds something else. */
static json_t *read_file(const char *path, int *ret_error)
{
    struct bytes text = {0};
    *ret_error = file_read_regular(path, LIMIT_NAMES * (2 * LIMIT_NAME_BYTES + 8), &text);
    json_t *file =
        *ret_error ? NULL : json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
    json_t *by_name = json_object_get(file, "names");
    by_name = is_whole(by_name) ? json_incref(by_name) : NULL;
    if (!*ret_error && !by_name)
        *ret_error = -EBADMSG;
    json_decref(file);
    bytes_finish(&text);
    return by_name;
}

int names_check(const char *path)
{
    int error;
    json_decref(read_file(path, &error));
    return error;
}

static void set_aside(const char *path)
{
    char *away = NULL;
    if (file_move_aside(path, &away) == 1)
        say("%s is damaged and was set aside as %s; sessions that were renamed have the names "
            "that they were opened with",
            path, away);
    free(away);
}

/* What stands there is no such file, whoever reads it. All else, a disk that fails, say, tells
 * nothing of what it holds. */
static bool is_damage(int error)
{
    return error == -EBADMSG || error == -EFBIG || error == -EINVAL || error == -ENXIO ||
           error == -ELOOP;
}

/* Returns 0, or -errno of what is no fault of the file's: then nothing is changed. */
static int load(struct names *n)
{
    int error;
    const char *name;
    json_t *own, *by_name = read_file(n->path, &error);
    if (error && error != -ENOENT && !is_damage(error))
        return error;
    if (is_damage(error) && n->mends)
        set_aside(n->path);
    json_decref(n->own);
    json_decref(n->given);
    n->own = by_name ? by_name : json_object();
    n->given = json_object();
    json_object_foreach(n->own, name, own)
        json_object_set_new(n->given, json_string_value(own), json_string(name));
    return 0;
}

struct names *names_open(const char *state, bool mends)
{
    struct names *n = memory_new(sizeof *n);
    *n = (struct names){.path = text_format("%s/names.json", state),
                        .own = json_object(),
                        .given = json_object(),
                        .mends = mends};
    n->unread = load(n);
    if (n->unread && mends)
        say("%s cannot be read now: %s; until it can sessions that were renamed have the names "
            "that they were opened with",
            n->path, strerror(-n->unread));
    return n;
}

/* Whoever asks, it is tried again. */
static const struct names *at_last(const struct names *n)
{
    if (n->unread)
        ((struct names *)n)->unread = load((struct names *)n);
    return n;
}

void names_close(struct names *n)
{
    if (!n)
        return;
    json_decref(n->own);
    json_decref(n->given);
    free(n->path);
    free(n);
}

const char *names_own(const struct names *n, const char *name)
{
    return json_text(at_last(n)->own, name, name);
}

const char *names_given(const struct names *n, const char *own)
{
    return json_text(at_last(n)->given, own, NULL);
}

static int save(const struct names *n, json_t *by_name)
{
    json_t *file = json_pack("{s:i, s:O}", "version", 1, "names", by_name);
    int result = json_replace_file(n->path, file);
    json_decref(file);
    return result;
}

int names_give(struct names *n, const char *own, const char *name)
{
    const char *before = names_given(n, own);
    if (n->unread)
        return n->unread;
    if (!before && (!name || json_object_size(n->own) >= LIMIT_NAMES))
        return name ? -E2BIG : 0;
    json_t *by_name = json_copy(n->own);
    if (before)
        json_object_del(by_name, before);
    if (name)
        json_object_set_new(by_name, name, json_string(own));
    int result = save(n, by_name);
    if (result < 0) {
        json_decref(by_name);
        return result;
    }
    json_decref(n->own);
    n->own = by_name;
    if (name)
        json_object_set_new(n->given, own, json_string(name));
    else
        json_object_del(n->given, own);
    return 0;
}
