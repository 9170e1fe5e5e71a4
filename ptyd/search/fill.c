#define _GNU_SOURCE
#include "ptyd/search/fill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/kept.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/search/harvest.h"

/* Sessions by name: those on disk, or those of the index. */
struct names {
    struct harvest_session *sessions; /* their names are owned */
    size_t count, room;
};

/* What differs between the two. */
struct changes {
    struct names here, known;
    struct harvest_session *changed; /* of those on disk, with what the index has; names borrowed */
    struct harvest_file *files;      /* what their files are now */
    size_t count;
    struct harvest_session *gone; /* of the index; names borrowed */
    size_t gone_count;
    int unread; /* 0, or the error for which not all on disk is known: then nothing is gone */
};

/* One filling of it. */
struct filling {
    struct index *index;
    const struct changes *changes;
    size_t done;
    struct progress progress;
};

/* ---- what there is ---- */

static void add_name(struct names *names, struct harvest_session session, const char *name)
{
    if (names->count == names->room) {
        names->room = names->room ? 2 * names->room : 64;
        names->sessions = memory_grow(names->sessions, names->room * sizeof *names->sessions);
    }
    session.name = text_copy(name);
    names->sessions[names->count++] = session;
}

static void names_finish(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free((char *)names->sessions[i].name);
    free(names->sessions);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct harvest_session *)a)->name,
                  ((const struct harvest_session *)b)->name);
}

/* The file that was written last: behind a rotation the older one, until a further line comes.
 * 0, or the error; ENOENT where there is none. */
static int look_at_lines(int conversations, const char *session, struct harvest_file *ret)
{
    static const char *const newest_first[] = {"blocks.jsonl", "blocks.jsonl.1"};
    int result = -1;
    struct stat st;
    for (size_t i = 0; i < 2 && result < 0; i++) {
        char *path = text_format("%s/agent_pty/%s", session, newest_first[i]);
        result = fstatat(conversations, path, &st, 0);
        free(path);
        if (result < 0 && errno != ENOENT && errno != ENOTDIR)
            return errno;
    }
    if (result < 0)
        return ENOENT;
    *ret = (struct harvest_file){.inode = (int64_t)st.st_ino,
                                 .size = (int64_t)st.st_size,
                                 .mtime =
                                     st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec};
    return 0;
}

/* 0, or the error for which some may be missing. */
static int list_disk(const char *state, struct names *out)
{
    char *path = text_format("%s/conversations", state);
    DIR *directory = opendir(path);
    struct dirent *entry;
    int unread = directory ? 0 : errno;
    while (directory && (errno = 0, entry = readdir(directory))) {
        struct harvest_session session = {0};
        int result = text_is_name(entry->d_name)
                         ? look_at_lines(dirfd(directory), entry->d_name, &session.file)
                         : ENOENT;
        if (result == 0)
            add_name(out, session, entry->d_name);
        else if (result != ENOENT)
            unread = result;
    }
    unread = directory && errno ? errno : unread;
    if (directory)
        closedir(directory);
    if (out->count)
        qsort(out->sessions, out->count, sizeof *out->sessions, by_name);
    free(path);
    return unread;
}

static void list_index(struct index *ix, struct names *out)
{
    sqlite3_stmt *s =
        index_prepare(ix, "SELECT id, inode, size, mtime, last, name FROM sessions ORDER BY name");
    while (index_step(ix, s))
        add_name(out,
                 (struct harvest_session){.id = sqlite3_column_int64(s, 0),
                                          .file = {.inode = sqlite3_column_int64(s, 1),
                                                   .size = sqlite3_column_int64(s, 2),
                                                   .mtime = sqlite3_column_int64(s, 3)},
                                          .last = sqlite3_column_int64(s, 4)},
                 (const char *)sqlite3_column_text(s, 5));
    sqlite3_finalize(s);
}

static bool same_file(const struct harvest_file *a, const struct harvest_file *b)
{
    return a->inode == b->inode && a->size == b->size && a->mtime == b->mtime;
}

/* Both lists are sorted. */
static void compare(struct changes *c)
{
    size_t k = 0, most = c->here.count;
    c->changed = memory_new((most + 1) * sizeof *c->changed);
    c->files = memory_new((most + 1) * sizeof *c->files);
    c->gone = memory_new((c->known.count + 1) * sizeof *c->gone);
    for (size_t i = 0; i < most; i++) {
        const struct harvest_session *here = &c->here.sessions[i];
        int order = -1;
        while (k < c->known.count && (order = by_name(&c->known.sessions[k], here)) < 0)
            c->gone[c->gone_count++] = c->known.sessions[k++];
        bool known = k < c->known.count && order == 0;
        if (!known || !same_file(&c->known.sessions[k].file, &here->file)) {
            c->files[c->count] = here->file;
            c->changed[c->count++] =
                known ? c->known.sessions[k] : (struct harvest_session){.name = here->name};
        }
        k += known;
    }
    while (k < c->known.count)
        c->gone[c->gone_count++] = c->known.sessions[k++];
    if (c->unread)
        c->gone_count = 0;
}

static void changes_find(struct index *ix, const char *state, struct changes *ret)
{
    *ret = (struct changes){0};
    ret->unread = list_disk(state, &ret->here);
    list_index(ix, &ret->known);
    compare(ret);
}

static void changes_finish(struct changes *c)
{
    names_finish(&c->here);
    names_finish(&c->known);
    free(c->changed);
    free(c->files);
    free(c->gone);
}

/* ---- progress ---- */

static void tell(struct filling *f, int64_t bytes)
{
    int64_t took = progress_ms(&f->progress);
    progress_say(&f->progress, "%zu of %zu sessions, %.0f MB, %.0f MB/s", f->done,
                 f->changes->count, (double)bytes / 1e6,
                 took > 0 ? (double)bytes / 1e3 / (double)took : 0);
}

/* Others can read what there is so far. */
static void take_pause(void *user, int64_t bytes)
{
    struct filling *f = user;
    index_run(f->index, "COMMIT");
    tell(f, bytes);
    index_run(f->index, "BEGIN IMMEDIATE");
}

/* ---- filling ---- */

#define SAID 3 /* sessions that are named one by one */

static void remove_gone(struct harvest *h, const char *state, const struct changes *c)
{
    for (size_t i = 0; i < c->gone_count; i++) {
        const char *name = c->gone[i].name;
        char *why = i < SAID ? kept_say_gone(state, name) : NULL;
        long long count = harvest_remove(h, c->gone[i].id);
        if (i < SAID)
            say("session %s is gone with its %lld command%s%s%s", name, count,
                count == 1 ? "" : "s", why ? ": " : "", why ? why : "");
        free(why);
    }
    if (c->gone_count > SAID)
        say("%zu more sessions are gone", c->gone_count - SAID);
}

static void read_changed(struct harvest *h, const char *state, struct filling *f)
{
    const struct changes *c = f->changes;
    for (; f->done < c->count && !index_failure(f->index); f->done++) {
        const struct harvest_session *session = &c->changed[f->done];
        char *directory = text_format("%s/conversations/%s/agent_pty", state, session->name);
        long long gone = harvest_read(h, session, directory, &c->files[f->done]);
        if (gone)
            progress_clear(&f->progress);
        if (gone)
            say("session %s: %lld of its oldest commands are kept no more", session->name, gone);
        free(directory);
    }
}

static void fill(struct index *ix, const char *state, const struct changes *c)
{
    struct filling f = {.index = ix, .changes = c, .progress = progress_begin("indexing")};
    struct harvest *h = harvest_create(ix, take_pause, &f);
    index_run(ix, "BEGIN IMMEDIATE");
    remove_gone(h, state, c);
    read_changed(h, state, &f);
    harvest_end(h);
    index_run(ix, "COMMIT");
    progress_clear(&f.progress);
}

static void say_lacking(const struct changes *c, const char *why)
{
    if (c->count || c->gone_count)
        say("%s: of %zu of %zu sessions it does not tell all yet", why, c->count, c->here.count);
}

static void find_again(struct index *ix, const char *state, struct changes *c)
{
    changes_finish(c);
    changes_find(ix, state, c);
}

static void fill_alone(struct index *ix, const char *state, struct changes *c)
{
    find_again(ix, state, c); /* another may have done it meanwhile */
    if (c->count || c->gone_count)
        fill(ix, state, c);
    if (index_failure(ix) && !index_is_damaged(ix)) {
        char *why = text_format("the index cannot be brought up to date (%s)", index_failure(ix));
        index_go_back(ix);
        find_again(ix, state, c);
        say_lacking(c, why);
        free(why);
    }
}

void fill_index(struct index *ix, const char *state)
{
    struct changes c;
    changes_find(ix, state, &c);
    if (c.unread)
        say("%s/conversations cannot be read whole: %s; what is in the index stays there", state,
            strerror(c.unread));
    bool writes = (c.count || c.gone_count) && !index_failure(ix);
    if (writes && !index_begin_writing(ix, LIMIT_SEARCH_WAIT_MS)) {
        find_again(ix, state, &c);
        say_lacking(&c, "another search is making the index");
    } else if (writes) {
        fill_alone(ix, state, &c);
        index_end_writing(ix);
    }
    changes_finish(&c);
}
