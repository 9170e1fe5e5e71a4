#define _GNU_SOURCE
#include "ptyd/core/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

#define HIDDEN ".gone-" /* no session's name begins with a dot */

static char *path_of(const char *state, const char *prefix, const char *name)
{
    return text_format("%s/conversations/%s%s", state, prefix, name);
}

/* ---- looking ---- */

static void add(struct kept *kept, int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    struct file_measure measure = {0};
    file_measure(fd, LIMIT_KEPT_DEPTH, &measure);
    struct kept_session session = {
        .name = text_copy(name), .used_ms = measure.used_ms, .bytes = measure.bytes};
    if (!(kept->count & (kept->count + 1))) /* it doubles */
        kept->sessions =
            memory_grow(kept->sessions, (2 * kept->count + 1) * sizeof *kept->sessions);
    kept->sessions[kept->count++] = session;
    kept->bytes += session.bytes;
}

static int by_use(const void *a, const void *b)
{
    const struct kept_session *x = a, *y = b;
    return x->used_ms < y->used_ms ? -1 : x->used_ms > y->used_ms;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int kept_scan(const char *state, char *const *in_use, size_t in_use_count, struct kept *ret_kept)
{
    char *path = path_of(state, "", "");
    DIR *directory = opendir(path);
    int error = errno;
    struct dirent *entry;
    *ret_kept = (struct kept){0};
    free(path);
    if (!directory)
        return -error;
    while ((entry = readdir(directory))) {
        char *name = entry->d_name;
        if (!strncmp(name, HIDDEN, strlen(HIDDEN)))
            kept_remove(state, name + strlen(HIDDEN));
        else if (text_is_name(name) &&
                 !(in_use_count && bsearch(&name, in_use, in_use_count, sizeof name, by_name)))
            add(ret_kept, dirfd(directory), name);
    }
    closedir(directory);
    if (ret_kept->count)
        qsort(ret_kept->sessions, ret_kept->count, sizeof *ret_kept->sessions, by_use);
    return 0;
}

void kept_finish(struct kept *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        free(kept->sessions[i].name);
    free(kept->sessions);
    *kept = (struct kept){0};
}

/* ---- what has to go ---- */

const struct kept_session *kept_excess(const struct kept *kept, int64_t now_ms, int64_t most_ms,
                                       int64_t most_bytes, const char **ret_why)
{
    const struct kept_session *oldest = &kept->sessions[kept->next];
    if (kept->next == kept->count)
        return NULL;
    *ret_why = now_ms - oldest->used_ms > most_ms ? "keep_days"
               : kept->bytes > most_bytes         ? "keep_bytes"
                                                  : NULL;
    return *ret_why ? oldest : NULL;
}

void kept_pass(struct kept *kept)
{
    kept->bytes -= kept->sessions[kept->next++].bytes;
}

int kept_hide(const char *state, const char *name)
{
    char *from = path_of(state, "", name), *to = path_of(state, HIDDEN, name);
    int result = rename(from, to) < 0 ? -errno : 0;
    free(from);
    free(to);
    return result;
}

void kept_remove(const char *state, const char *name)
{
    char *path = path_of(state, HIDDEN, name);
    file_remove_tree(AT_FDCWD, path, LIMIT_KEPT_DEPTH + 1);
    free(path);
}

/* ---- what has gone ---- */

static char *gone_path(const char *state)
{
    return text_format("%s/gone.jsonl", state);
}

int kept_note_gone(const char *state, const struct kept_session *session, const char *why,
                   int64_t now_ms)
{
    char *path = gone_path(state);
    json_t *json = json_pack("{s:s, s:s, s:I, s:I, s:I}", "name", session->name, "why", why,
                             "removed", (json_int_t)now_ms, "used", (json_int_t)session->used_ms,
                             "bytes", (json_int_t)session->bytes);
    char *line = json_dumps(json, JSON_COMPACT);
    long long size = line ? file_append_line(path, line) : -ENOMEM;
    if (size > LIMIT_GONE_BYTES / 2) {
        char *old = text_format("%s.1", path);
        rename(path, old);
        free(old);
    }
    json_decref(json);
    free(line);
    free(path);
    return size < 0 ? (int)size : 0;
}

/* The last line of the text that speaks of the name; borrowed, cut out of the text. */
static char *last_line(char *text, const char *name)
{
    char *word = text_format("\"name\":\"%s\",", name), *found = NULL;
    for (char *at = text, *next; (next = at ? strstr(at, word) : NULL); at = next + 1)
        found = next;
    free(word);
    if (!found)
        return NULL;
    char *end = strchr(found, '\n');
    if (end)
        *end = '\0';
    while (found > text && found[-1] != '\n')
        found--;
    return found;
}

static char *say(const json_t *gone)
{
    time_t removed = (time_t)(json_number(gone, "removed", 0) / 1000);
    time_t used = (time_t)(json_number(gone, "used", 0) / 1000);
    struct tm at, last;
    char when[32] = "", before[32] = "";
    if (localtime_r(&removed, &at))
        strftime(when, sizeof when, "%Y-%m-%d", &at);
    if (localtime_r(&used, &last))
        strftime(before, sizeof before, "%Y-%m-%d", &last);
    return text_format("it was removed on %s by %s; it was used last on %s", when,
                       json_text(gone, "why", ""), before);
}

/* ---- numbers ---- */

/* The number behind the prefix, when nothing else follows up to `end`. */
static long number_of(const char *name, const char *prefix, char end)
{
    char *rest;
    size_t len = strlen(prefix);
    if (strncmp(name, prefix, len) || name[len] < '1' || name[len] > '9')
        return 0;
    long number = strtol(name + len, &rest, 10);
    return *rest == end && number < LONG_MAX ? number : 0;
}

static long last_of_those_there(const char *state, const char *prefix)
{
    char *path = path_of(state, "", "");
    DIR *directory = opendir(path);
    struct dirent *entry;
    long last = 0;
    while (directory && (entry = readdir(directory))) {
        const char *name = entry->d_name;
        size_t hidden = strncmp(name, HIDDEN, strlen(HIDDEN)) ? 0 : strlen(HIDDEN);
        long number = number_of(name + hidden, prefix, '\0');
        last = number > last ? number : last;
    }
    if (directory)
        closedir(directory);
    free(path);
    return last;
}

static long last_of_those_gone(const char *state, const char *prefix)
{
    char *path = gone_path(state), *word = text_format("\"name\":\"%s", prefix);
    size_t before = strlen(word) - strlen(prefix);
    long last = 0;
    for (int age = 0; age < 2; age++) {
        char *file = text_format("%s%s", path, age ? ".1" : "");
        struct bytes text = {0};
        file_read_regular(file, LIMIT_GONE_BYTES, &text);
        for (char *at = text.data; (at = at ? strstr(at, word) : NULL); at++) {
            long number = number_of(at + before, prefix, '"');
            last = number > last ? number : last;
        }
        bytes_finish(&text);
        free(file);
    }
    free(word);
    free(path);
    return last;
}

long kept_last_number(const char *state, const char *prefix)
{
    long there = last_of_those_there(state, prefix), gone = last_of_those_gone(state, prefix);
    return there > gone ? there : gone;
}

bool kept_exists(const char *state, const char *name)
{
    char *path = path_of(state, "", name);
    bool exists = access(path, F_OK) == 0;
    free(path);
    return exists;
}

char *kept_say_gone(const char *state, const char *name)
{
    char *path = gone_path(state), *said = NULL;
    for (int age = 0; age < 2 && !said && *name; age++) {
        char *file = text_format("%s%s", path, age ? ".1" : "");
        struct bytes text = {0};
        file_read_regular(file, LIMIT_GONE_BYTES, &text);
        char *line = last_line(text.data, name);
        json_t *gone = line ? json_loads(line, 0, NULL) : NULL;
        said = gone ? say(gone) : NULL;
        json_decref(gone);
        bytes_finish(&text);
        free(file);
    }
    free(path);
    return said;
}
