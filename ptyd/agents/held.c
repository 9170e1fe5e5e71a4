#define _GNU_SOURCE
#include "ptyd/agents/held.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"

static char *directory_path(void)
{
    char *state = paths_state(), *path = text_format("%s/hooks", state);
    free(state);
    return path;
}

/* Its name says what it is for as far as a file's may; two of one name are told apart by what is
 * in them. */
static char *file_path(const char *consumer)
{
    char *directory = directory_path(),
         *name = text_clean(consumer, strlen(consumer), NAME_MAX / 2);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '-')
            *at = '_';
    char *path = text_format("%s/%s.json", directory, name);
    free(directory);
    free(name);
    return path;
}

/* Conversations end without a word: what nothing was heard of for long is let go of. */
static void sweep(const char *directory)
{
    DIR *files = opendir(directory);
    const struct dirent *file;
    time_t now = time(NULL);
    while (files && (file = readdir(files))) {
        struct stat st;
        if (fstatat(dirfd(files), file->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && now - st.st_mtime > LIMIT_HELD_S)
            unlinkat(dirfd(files), file->d_name, 0);
    }
    if (files)
        closedir(files);
}

int held_keep(const char *consumer, const json_t *taken, const char *prompt)
{
    char *directory = directory_path(), *path = file_path(consumer);
    json_t *held = json_pack("{s:s, s:O, s:O, s:s*}", "consumer", consumer, "lease",
                             json_object_get(taken, "lease"), "receipt",
                             json_object_get(taken, "receipt"), "prompt", prompt);
    char *text = held ? json_dumps(held, JSON_COMPACT) : NULL;
    int result = text ? file_make_directory(directory) : -EINVAL;
    sweep(directory);
    if (result == 0)
        result = file_replace(path, text, strlen(text));
    json_decref(held);
    free(text);
    free(directory);
    free(path);
    return result;
}

static json_t *read_held(const char *path, const char *consumer)
{
    struct bytes text = {0};
    json_t *held = file_read_regular(path, LIMIT_SETTINGS_BYTES, &text) == 0 && text.data
                       ? json_loadb(text.data, text.len, 0, NULL)
                       : NULL;
    if (held && strcmp(json_text(held, "consumer", ""), consumer) != 0) {
        json_decref(held);
        held = NULL;
    }
    bytes_finish(&text);
    return held;
}

json_t *held_let_go(const char *consumer)
{
    char *path = file_path(consumer);
    json_t *held = read_held(path, consumer);
    if (held)
        unlink(path);
    free(path);
    return held;
}

bool held_is_of(const char *consumer, const char *prompt)
{
    char *path = file_path(consumer);
    json_t *held = read_held(path, consumer);
    bool is = held && !strcmp(json_text(held, "prompt", ""), prompt);
    json_decref(held);
    free(path);
    return is;
}
