/* What counts for a group is whether others can be in it: one with our own number, as each user has
 * where groups are private, is ours. In a user namespace whoever has no number there is `nobody`,
 * root included: a directory of theirs that others cannot write says nothing then. */
#define _GNU_SOURCE
#include "ptyd/core/trust.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"

#define LINKS       40    /* as the kernel follows */
#define UNMAPPED_ID 65534 /* what stands for users without a number here */

/* A walk along a path. */
struct walk {
    char at[PATH_MAX];   /* what was gone through, no link among it; "" is the root */
    char rest[PATH_MAX]; /* what is yet to come */
    bool open;           /* others may write in `at`, and its sticky bit is set */
    int links;
};

/* Whether some users of the machine have no number here. */
static bool in_namespace(void)
{
    unsigned long inside = 0, outside = 0, count = 0;
    FILE *map = fopen("/proc/self/uid_map", "re");
    int found = map ? fscanf(map, "%lu %lu %lu", &inside, &outside, &count) : 0;
    if (map)
        fclose(map);
    return found == 3 && (inside || outside || count < UINT_MAX);
}

static bool is_trusted(uid_t owner)
{
    return owner == 0 || owner == geteuid() || (owner == UNMAPPED_ID && in_namespace());
}

/* What others may do, in the bits of a mode. */
static mode_t others(const struct stat *st)
{
    bool own_group = st->st_gid == getegid() && st->st_gid == geteuid();
    return st->st_mode & (own_group ? 0007 : 0077);
}

static char *foreign(const char *path, const struct stat *st)
{
    return text_format("%s belongs to user %u, who could put anything there; choose another place",
                       path, (unsigned)st->st_uid);
}

/* A directory that the path goes through. */
static char *doubt_directory(struct walk *w, const struct stat *st)
{
    const char *path = *w->at ? w->at : "/";
    bool writable = others(st) & 0022;
    w->open = writable;
    if (!is_trusted(st->st_uid))
        return foreign(path, st);
    if (writable && !(st->st_mode & S_ISVTX))
        return text_format("others may write in %s (mode %o); `chmod go-w %s`, or choose another "
                           "place",
                           path, (unsigned)st->st_mode & 07777, path);
    return NULL;
}

/* The directory that the path lies in. Others may look into it: the socket is 0600. */
static char *doubt_last(const char *path, const struct stat *st)
{
    if (st->st_uid != geteuid())
        return foreign(path, st);
    if (st->st_mode & 0022)
        return text_format("others may write in %s (mode %o); if it is yours alone to use, `chmod "
                           "700 %s`, or choose another place",
                           path, (unsigned)st->st_mode & 07777, path);
    return NULL;
}

/* Takes the next word of the rest; false at its end. */
static bool next_word(struct walk *w, char word[NAME_MAX + 1])
{
    const char *from = w->rest + strspn(w->rest, "/");
    size_t len = strcspn(from, "/");
    if (!len || len > NAME_MAX)
        return false;
    memcpy(word, from, len);
    word[len] = '\0';
    memmove(w->rest, from + len, strlen(from + len) + 1);
    return true;
}

/* The link at `path` leads on from where it stands. */
static bool follow(struct walk *w, const char *path)
{
    char to[PATH_MAX], rest[PATH_MAX];
    ssize_t len = readlink(path, to, sizeof to - 1);
    if (len < 0 || ++w->links > LINKS)
        return false;
    to[len] = '\0';
    if (snprintf(rest, sizeof rest, "%s/%s", to, w->rest) >= (int)sizeof rest)
        return false;
    strcpy(w->rest, rest);
    if (to[0] == '/')
        w->at[0] = '\0';
    return true;
}

/* Looks at the directory the walk has come to. */
static char *look(struct walk *w, bool *ret_there)
{
    struct stat st;
    *ret_there = stat(*w->at ? w->at : "/", &st) == 0;
    return *ret_there ? doubt_directory(w, &st) : NULL;
}

/* One word further. `*ret_goes`: there is more. */
static char *step(struct walk *w, const char *word, bool *ret_goes)
{
    char next[PATH_MAX];
    struct stat st;
    *ret_goes = true;
    if (!strcmp(word, "."))
        return NULL;
    if (!strcmp(word, "..")) {
        char *slash = strrchr(w->at, '/');
        if (slash)
            *slash = '\0';
        return look(w, ret_goes);
    }
    *ret_goes = snprintf(next, sizeof next, "%s/%s", w->at, word) < (int)sizeof next &&
                lstat(next, &st) == 0;
    if (!*ret_goes)
        return NULL;
    if ((w->open || S_ISLNK(st.st_mode)) && !is_trusted(st.st_uid))
        return foreign(next, &st);
    if (S_ISLNK(st.st_mode)) {
        *ret_goes = follow(w, next);
        return *ret_goes && !*w->at ? look(w, ret_goes) : NULL;
    }
    *ret_goes = S_ISDIR(st.st_mode);
    if (!*ret_goes)
        return NULL;
    strcpy(w->at, next);
    return doubt_directory(w, &st);
}

static char *doubt_way(const char *path)
{
    struct walk w = {0};
    char here[PATH_MAX] = "", word[NAME_MAX + 1];
    bool goes = true;
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return NULL;
    if (snprintf(w.rest, sizeof w.rest, "%s/%s", here, path) >= (int)sizeof w.rest)
        return NULL;
    char *doubt = look(&w, &goes);
    while (!doubt && goes && next_word(&w, word))
        doubt = step(&w, word, &goes);
    return doubt;
}

char *trust_doubt(const char *path, bool alone)
{
    char *doubt = doubt_way(path);
    if (doubt || !alone)
        return doubt;
    char *directory = paths_parent(path);
    struct stat st;
    if (stat(directory, &st) == 0)
        doubt = doubt_last(directory, &st);
    free(directory);
    return doubt;
}
