#define _GNU_SOURCE
#include "ptyd/core/aside.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

#define SUFFIX ".damaged-"

void aside_finish(struct aside *a)
{
    json_decref(a->items);
    a->items = NULL;
}

void aside_take(struct aside *a, struct aside *other)
{
    a->items = a->items ? a->items : json_array();
    if (other->items)
        json_array_extend(a->items, other->items);
    aside_finish(other);
}

static void add(struct aside *a, const char *text, const char *path)
{
    a->items = a->items ? a->items : json_array();
    json_array_append_new(a->items, json_pack("[s, s?]", text, path));
}

void aside_note(struct aside *a, const char *format, ...)
{
    char *text = NULL, when[CLOCK_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0)
        return;
    say("%s", text);
    char *dated = text_format("%s (%s)", text, clock_text(clock_wall_ms(), when));
    add(a, dated, NULL);
    free(dated);
    free(text);
}

/* Takes `moved` over. */
static int moved_away(struct aside *a, const char *path, const char *is, int result, char *moved)
{
    if (result < 0)
        aside_note(a, "%s %s and cannot be moved: %s", path, is, strerror(-result));
    if (result > 0) {
        char *text = text_format("%s %s; it is %s now", path, is, moved);
        say("%s", text);
        add(a, text, moved);
        free(text);
    }
    free(moved);
    return result < 0 ? result : 0;
}

int aside_check(struct aside *a, const char *path, int flags)
{
    char *moved = NULL;
    int result = file_set_aside(path, flags, &moved);
    return moved_away(a, path, "cannot be opened", result, moved);
}

int aside_move(struct aside *a, const char *path, const char *is)
{
    char *moved = NULL;
    int result = file_move_aside(path, &moved);
    return moved_away(a, path, is, result, moved);
}

static bool is_listed(const struct aside *a, const char *path)
{
    const json_t *item;
    size_t i;
    json_array_foreach(a->items, i, item) {
        const char *known = json_string_value(json_array_get(item, 1));
        if (known && !strcmp(known, path))
            return true;
    }
    return false;
}

/* When it was set aside, ms since the epoch; 0 for a file of another name. */
static long long time_of(const char *name)
{
    const char *suffix = strstr(name, SUFFIX);
    int used = 0;
    long long ms = 0;
    if (!suffix || sscanf(suffix, SUFFIX "%lld%n", &ms, &used) < 1 || suffix[used])
        return 0;
    return ms;
}

bool aside_is_name(const char *name)
{
    return time_of(name) > 0;
}

/* ---- the oldest ---- */

struct found {
    char *name; /* owned */
    long long ms;
    int64_t bytes;
};

static int64_t bytes_of(int parent, const char *name)
{
    struct file_measure measure = {0};
    struct stat st;
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    int fd = S_ISDIR(st.st_mode)
                 ? openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                 : -1;
    if (fd >= 0)
        file_measure(fd, LIMIT_KEPT_DEPTH, &measure);
    return st.st_blocks * INT64_C(512) + measure.bytes;
}

static int newest_first(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->ms > y->ms ? -1 : x->ms < y->ms;
}

/* The caller's, with their names. */
static struct found *find_all(DIR *open, size_t *ret_count)
{
    struct found *all = NULL;
    struct dirent *entry;
    *ret_count = 0;
    while (open && (entry = readdir(open))) {
        long long ms = time_of(entry->d_name);
        if (!ms)
            continue;
        all = memory_grow(all, (*ret_count + 1) * sizeof *all);
        all[(*ret_count)++] =
            (struct found){text_copy(entry->d_name), ms, bytes_of(dirfd(open), entry->d_name)};
    }
    if (all)
        qsort(all, *ret_count, sizeof *all, newest_first);
    return all;
}

/* The newest stays however large it is. */
void aside_bound(struct aside *a, const char *directory)
{
    DIR *open = opendir(directory);
    size_t count, gone = 0;
    int64_t bytes = 0;
    struct found *all = find_all(open, &count);
    for (size_t i = 0; i < count; i++) {
        bytes += all[i].bytes;
        bool goes = i > 0 && (i >= LIMIT_ASIDE_FILES || bytes > LIMIT_ASIDE_BYTES);
        gone += goes && file_remove_tree(dirfd(open), all[i].name, LIMIT_KEPT_DEPTH) == 0;
        free(all[i].name);
    }
    free(all);
    if (open)
        closedir(open);
    if (gone)
        aside_note(a, "%s: the oldest %zu of what was set aside there were removed", directory,
                   gone);
}

void aside_list(struct aside *a, const char *directory)
{
    DIR *open = opendir(directory);
    struct dirent *entry;
    while (open && (entry = readdir(open))) {
        char when[CLOCK_TEXT_SIZE];
        long long ms = time_of(entry->d_name);
        if (!ms)
            continue;
        char *path = text_format("%s/%s", directory, entry->d_name);
        char *text = text_format("%s was set aside on %s", path, clock_text(ms, when));
        if (!is_listed(a, path))
            add(a, text, path);
        free(text);
        free(path);
    }
    if (open)
        closedir(open);
}

void aside_tell(const struct aside *a, const char *about, json_t *warnings)
{
    const json_t *item;
    struct stat st;
    size_t i;
    json_array_foreach(a->items, i, item) {
        const char *path = json_string_value(json_array_get(item, 1));
        if (!path || lstat(path, &st) == 0)
            json_array_append_new(
                warnings, json_sprintf("%s%s", about, json_string_value(json_array_get(item, 0))));
    }
}
