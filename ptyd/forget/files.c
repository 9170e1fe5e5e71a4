#define _GNU_SOURCE
#include "ptyd/forget/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/aside.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/lines.h"
#include "ptyd/forget/log.h"
#include "ptyd/forget/overlay.h"

/* ---- names ---- */

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool ends(const char *name, const char *with)
{
    size_t len = strlen(name), n = strlen(with);
    return len >= n && !strcmp(name + len - n, with);
}

static bool is_lines(const char *name)
{
    return ends(name, ".jsonl") || ends(name, ".jsonl.1");
}

/* What is made of other files, or was on its way to be one. */
static bool is_made(const char *name)
{
    return begins(name, "screen.jsonl") || ends(name, ".snapshot.json") ||
           begins(name, "checkpoint") || ends(name, ".new");
}

/* In numbers and names alone there is no text. */
static bool has_no_text(const char *name)
{
    static const char *const names[] = {
        "output.idx",    "shell_id.txt",   "screen_size.json",  "keys.json",   "keys.copy.json",
        "redacted.json", "context.json",   "context.copy.json", "names.json",  "gone.jsonl",
        "gone.jsonl.1",  "receipts.jsonl", "receipts.jsonl.1",  "search.lock", "forget.json",
        "covering.json", "overlay.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Calls it for what is in the directory, `path` and name. */
static void each_entry(struct forget *f, const char *directory,
                       void (*each)(struct forget *f, const char *path, const char *name))
{
    DIR *entries = opendir(directory);
    struct dirent *entry;
    if (!entries && errno != ENOENT && errno != ENOTDIR)
        forget_failed(f, directory, -errno);
    while (entries && (entry = readdir(entries))) {
        char *path = text_format("%s/%s", directory, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            each(f, path, entry->d_name);
        free(path);
    }
    if (entries)
        closedir(entries);
}

/* ---- one session ---- */

static void drop(struct forget *f, const char *path)
{
    if (forget_begins(f))
        forget_failed(f, path, file_remove_tree(AT_FDCWD, path, LIMIT_KEPT_DEPTH));
}

static void drop_made(struct forget *f, const char *path, const char *name)
{
    if (is_made(name))
        drop(f, path);
}

static void drop_what_is_made(struct forget *f)
{
    each_entry(f, f->directory, drop_made);
}

static void forget_output(struct forget *f, const char *path, const char *name)
{
    if (wish_has(f->seqs, strtoull(name, NULL, 10)))
        drop(f, path);
    else
        forget_in_bytes(f, path);
}

static bool is_directory(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Whether it is the session's log, or the directory of its files: they are gone through apart. What
 * has such a name in what was set aside is not. */
static bool is_apart(const struct forget *f, const char *path)
{
    size_t len = f->directory ? strlen(f->directory) : 0;
    return len && begins(path, f->directory) && (!path[len] || !strcmp(path + len, "/output.raw"));
}

/* What was set aside may hold anything: with a command it goes, with a text it is covered. */
static void forget_file(struct forget *f, const char *path, const char *name)
{
    if (f->finder && f->finder->gives_up && f->finder->gives_up(f->finder->user))
        forget_failed(f, path, -EINTR);
    else if (json_array_size(f->seqs) && aside_is_name(name))
        drop(f, path);
    else if (!strcmp(name, "blocks") && f->finder)
        return; /* by secrets.c */
    else if (!strcmp(name, "blocks"))
        each_entry(f, path, forget_output);
    else if (has_no_text(name) || is_apart(f, path))
        return;
    else if (is_directory(path))
        each_entry(f, path, forget_file);
    else if (is_lines(name))
        forget_in_lines(f, path);
    else if (ends(name, ".json"))
        forget_in_object(f, path);
    else if (begins(name, "output.raw"))
        forget_in_stream(f, path);
    else
        forget_in_bytes(f, path);
}

/* A checkpoint that was covered is none any more. */
static void forget_made(struct forget *f)
{
    char *checkpoint = text_format("%s/checkpoint", f->directory);
    struct forget looks = {.directory = f->directory, .text = f->text, .looks = true};
    forget_in_bytes(&looks, checkpoint);
    if (looks.places) {
        f->places += looks.places;
        forget_begins(f);
    }
    free(looks.error_path);
    free(checkpoint);
}

/* Half of a text is not found by it: where that cannot be finished nothing else is begun, which
 * would be noted in its place. */
static bool go_on(struct forget *f)
{
    int result = f->looks ? 0 : overlay_go_on(f->directory);
    forget_failed(f, f->directory, result);
    return result >= 0;
}

static void note_error(struct forgotten *all, struct forget *f)
{
    if (f->error && !all->error)
        all->error = text_format("%s: %s", f->error_path, strerror(-f->error));
    free(f->error_path);
}

static void add(struct forgotten *all, const char *name, struct forget *f)
{
    if (f->changed || f->places || json_array_size(f->seqs)) {
        all->sessions = all->sessions ? all->sessions : json_array();
        json_array_append_new(all->sessions, json_string(name));
    }
    note_error(all, f);
}

void forget_in_session(const char *state, const char *name, const struct wish *wish, bool looks,
                       struct forgotten *all)
{
    struct forget f = {.looks = looks, .before = drop_what_is_made, .moves = all->moves};
    if (!wish_of(wish, name, &f.text, &f.seqs))
        return;
    char *above = text_format("%s/conversations/%s", state, name);
    char *directory = text_format("%s/agent_pty", above);
    f.directory = directory;
    if (go_on(&f)) {
        if (f.text)
            forget_made(&f);
        forget_in_log(&f);
        each_entry(&f, directory, forget_file);
        each_entry(&f, above, forget_file);
    }
    add(all, name, &f);
    free(directory);
    free(above);
}

int forget_secrets_in_lines(const char *state, const char *name, const struct blot_finder *finder,
                            const struct redact_secrets *secrets, void (*moves)(void))
{
    char *above = text_format("%s/conversations/%s", state, name);
    char *directory = text_format("%s/agent_pty", above);
    struct forget f = {.directory = directory,
                       .finder = finder,
                       .secrets = secrets,
                       .before = drop_what_is_made,
                       .moves = moves};
    if (go_on(&f)) {
        forget_begins(&f); /* what is made of others has what they have */
        each_entry(&f, directory, forget_file);
        each_entry(&f, above, forget_file);
    }
    free(f.error_path);
    free(directory);
    free(above);
    return f.error;
}

/* ---- the rest ---- */

static void nothing_is_made(struct forget *f)
{
    (void)f;
}

/* What was heard of other hosts is in files as a session's are. To a rule of the user's a key of
 * the relay may look like a secret that was shown, which it is not. */
static void forget_in_root(struct forget *f, const char *path, const char *name)
{
    if (has_no_text(name) || begins(name, "search.db") || !strcmp(name, "conversations") ||
        (f->finder && !strcmp(name, "relay")))
        return;
    if (is_directory(path))
        each_entry(f, path, forget_file);
    else
        forget_in_bytes(f, path);
}

static void forget_last_line(struct forget *f, const char *path, const char *name)
{
    if (ends(name, ".bash"))
        forget_in_bytes(f, path);
}

int forget_secrets_in_state(const char *state, const struct blot_finder *finder)
{
    struct forget f = {.finder = finder, .before = nothing_is_made};
    each_entry(&f, state, forget_in_root);
    free(f.error_path);
    return f.error;
}

void forget_in_state(const char *state, const char *runtime, const struct wish *wish, bool looks,
                     struct forgotten *all)
{
    struct forget f = {.text = wish->text, .looks = looks, .before = nothing_is_made};
    if (wish->session)
        return;
    each_entry(&f, state, forget_in_root);
    if (runtime)
        each_entry(&f, runtime, forget_last_line);
    all->elsewhere = all->elsewhere || f.places;
    note_error(all, &f);
}

static void drop_index(struct forget *f, const char *path, const char *name)
{
    if (begins(name, "search.db") && unlink(path) < 0 && errno != ENOENT)
        forget_failed(f, path, -errno);
}

void forget_index(const char *state, struct forgotten *all)
{
    struct forget f = {.before = nothing_is_made};
    each_entry(&f, state, drop_index);
    note_error(all, &f);
}

void forget_each_session(const char *state, void (*each)(void *user, const char *name), void *user)
{
    char *path = text_format("%s/conversations", state);
    DIR *entries = opendir(path);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            each(user, entry->d_name);
    if (entries)
        closedir(entries);
    free(path);
}

void forgotten_finish(struct forgotten *all)
{
    json_decref(all->sessions);
    free(all->error);
    *all = (struct forgotten){0};
}
