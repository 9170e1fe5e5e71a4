/* What changes is heard of by inotify: of the folder of sessions, of each session's while it has no
 * blocks.jsonl, of that file. Where the queue of that overflows, and now and then, all is looked
 * at. */
#include "ptyd/relay/spool.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/aside.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/pair.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/letter.h"
#include "ptyd/relay/setup.h"
#include "ptyd/session/block_lines.h"

struct spool {
    char *conversations;
    int64_t since_ms;
    bool to_send;
    struct pair file;
    struct aside aside;
    bool was_clean, changed;
    bool kept_clean; /* as the file says */
    struct spool_session **sessions;
    size_t count;
    int inotify;
};

/* ---- sessions ---- */

static char *directory_of(const struct spool *s, const struct spool_session *session)
{
    return text_format("%s/%s/agent_pty", s->conversations, session->name);
}

static struct spool_session *find(const struct spool *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->sessions[i]->name, name))
            return s->sessions[i];
    return NULL;
}

static struct spool_session *add(struct spool *s, const char *name)
{
    struct spool_session *session = memory_new(sizeof *session);
    *session = (struct spool_session){
        .name = text_copy(name), .shell_id = text_copy(""), .watch = -1, .file_watch = -1};
    s->sessions = memory_grow(s->sessions, (s->count + 1) * sizeof(struct spool_session *));
    s->sessions[s->count++] = session;
    return session;
}

static void remove_session(struct spool *s, size_t index)
{
    struct spool_session *session = s->sessions[index];
    if (session->watch >= 0)
        inotify_rm_watch(s->inotify, session->watch);
    if (session->file_watch >= 0)
        inotify_rm_watch(s->inotify, session->file_watch);
    free(session->name);
    free(session->shell_id);
    json_decref(session->page);
    free(session);
    s->sessions[index] = s->sessions[--s->count];
}

struct spool_session *spool_session(const struct spool *s, size_t index)
{
    return index < s->count ? s->sessions[index] : NULL;
}

/* ---- what changes ---- */

static int watch(struct spool *s, const char *path, uint32_t events)
{
    return s->inotify < 0 ? -1 : inotify_add_watch(s->inotify, path, events);
}

/* The watch on the file is there before it is read. */
static void watch_session(struct spool *s, struct spool_session *session)
{
    char *directory = directory_of(s, session), *file = text_format("%s/blocks.jsonl", directory);
    if (session->watch < 0)
        session->watch = watch(s, directory, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
    if (session->watch < 0) { /* the folder comes yet */
        char *parent = text_format("%s/%s", s->conversations, session->name);
        session->watch = watch(s, parent, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
        free(parent);
    }
    if (session->file_watch < 0)
        session->file_watch = watch(s, file, IN_MODIFY | IN_MOVE_SELF | IN_DELETE_SELF);
    free(file);
    free(directory);
}

/* Nothing of it was written since it is sent at all. */
static bool is_old(const struct spool *s, const struct spool_session *session)
{
    char *directory = directory_of(s, session), *file = text_format("%s/blocks.jsonl", directory);
    struct stat st;
    bool old = stat(file, &st) == 0 && (int64_t)st.st_mtim.tv_sec * 1000 + 1000 < s->since_ms;
    free(file);
    free(directory);
    return old;
}

void spool_look(struct spool *s)
{
    DIR *folder = opendir(s->conversations);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (text_is_name(entry->d_name) && !find(s, entry->d_name))
            add(s, entry->d_name);
    if (folder)
        closedir(folder);
    for (size_t i = s->count; i > 0; i--) {
        struct spool_session *session = s->sessions[i - 1];
        char *path = text_format("%s/%s", s->conversations, session->name);
        bool gone = access(path, F_OK) < 0 && !session->user;
        free(path);
        if (gone) {
            s->changed = true;
            remove_session(s, i - 1);
            continue;
        }
        if (s->to_send)
            watch_session(s, session);
        session->due = session->due || !is_old(s, session);
    }
}

int spool_fd(const struct spool *s)
{
    return s->inotify;
}

/* Returns whether all has to be looked at. */
static bool hear(struct spool *s, const struct inotify_event *event)
{
    for (size_t i = 0; i < s->count; i++) {
        struct spool_session *session = s->sessions[i];
        if (event->wd == session->file_watch) {
            session->due = true;
            if (!(event->mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_IGNORED)))
                return false;
            if (!(event->mask & IN_IGNORED))
                inotify_rm_watch(s->inotify, session->file_watch);
            session->file_watch = -1;
            watch_session(s, session);
            return false;
        }
        if (event->wd == session->watch) {
            if (event->len && !strcmp(event->name, "agent_pty")) {
                inotify_rm_watch(s->inotify, session->watch);
                session->watch = -1;
            }
            if (event->mask & IN_IGNORED)
                session->watch = -1;
            watch_session(s, session);
            session->due = true;
            return false;
        }
    }
    return !(event->mask & IN_IGNORED);
}

void spool_take_news(struct spool *s)
{
    char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    bool all = false;
    for (ssize_t n; (n = read(s->inotify, buffer, sizeof buffer)) > 0;)
        for (const char *at = buffer; at < buffer + n;) {
            const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
            all = hear(s, event) || all;
            at += sizeof *event + event->len;
        }
    if (all)
        spool_look(s);
}

/* ---- the file ---- */

/* A session that ended and began again under its name counts from 1. */
static bool is_behind(const struct spool *s, const struct spool_session *session)
{
    char *directory = directory_of(s, session);
    bool behind = block_lines_highest(directory) < session->seq;
    free(directory);
    return behind;
}

static void read_cursors(struct spool *s, const json_t *object)
{
    const char *name;
    json_t *cursor;
    json_object_foreach(json_object_get(object, "sessions"), name, cursor) {
        if (!text_is_name(name) || find(s, name))
            continue;
        struct spool_session *session = add(s, name);
        session->seq = (uint64_t)json_number(cursor, "seq", 0);
        session->first = (uint64_t)json_number(cursor, "first", 0);
        session->number = (uint64_t)json_number(cursor, "number", 0);
        if (is_behind(s, session))
            session->seq = session->first = 0;
        free(session->shell_id);
        session->shell_id = text_copy(json_text(cursor, "shell", ""));
    }
    s->was_clean = json_flag(object, "clean");
}

struct spool *spool_open(const char *state, int64_t since_ms, bool to_send)
{
    struct spool *s = memory_new(sizeof *s);
    char *directory = identity_directory(state);
    char *path = text_format("%s/cursors.json", directory);
    enum pair_state states[2];
    bool lost;
    *s = (struct spool){.since_ms = since_ms,
                        .to_send = to_send,
                        .inotify = -1,
                        .conversations = text_format("%s/conversations", state)};
    pair_init(&s->file, path);
    json_t *object = to_send ? pair_open(&s->file, LIMIT_META_BYTES, &s->aside, &lost)
                             : pair_read(&s->file, LIMIT_META_BYTES, states);
    read_cursors(s, object);
    json_decref(object);
    if (to_send) {
        file_make_directory(s->conversations); /* what is not there cannot be watched */
        s->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
        watch(s, s->conversations, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
    }
    spool_look(s);
    free(path);
    free(directory);
    return s;
}

void spool_close(struct spool *s)
{
    if (!s)
        return;
    while (s->count)
        remove_session(s, s->count - 1);
    if (s->inotify >= 0)
        close(s->inotify);
    free(s->sessions);
    free(s->conversations);
    pair_finish(&s->file);
    aside_finish(&s->aside);
    free(s);
}

bool spool_was_clean(const struct spool *s)
{
    return s->was_clean;
}

void spool_keep(struct spool *s, bool clean)
{
    if (!s->changed && s->kept_clean == clean)
        return;
    json_t *sessions = json_object();
    for (size_t i = 0; i < s->count; i++) {
        const struct spool_session *session = s->sessions[i];
        if (session->seq)
            json_object_set_new(sessions, session->name,
                                json_pack("{s:I, s:I, s:s, s:I}", "seq", (json_int_t)session->seq,
                                          "first", (json_int_t)session->first, "shell",
                                          session->shell_id, "number",
                                          (json_int_t)session->number));
    }
    json_t *object = json_pack("{s:o, s:b}", "sessions", sessions, "clean", clean);
    if (pair_write(&s->file, object) == 0) {
        s->changed = false;
        s->kept_clean = clean;
    }
    json_decref(object);
}

/* ---- blocks ---- */

static uint64_t file_of(const struct spool *s, const struct spool_session *session)
{
    char *directory = directory_of(s, session), *path = text_format("%s/blocks.jsonl", directory);
    struct stat st;
    uint64_t file = stat(path, &st) == 0 ? st.st_ino : 0;
    free(path);
    free(directory);
    return file;
}

static const json_t *read_on(struct spool *s, struct spool_session *session)
{
    const json_t *block = json_array_get(session->page, session->page_at);
    uint64_t file = file_of(s, session);
    if (block && session->page_file == file)
        return block;
    char *directory = directory_of(s, session);
    session->page_file = file;
    json_decref(session->page);
    session->page = block_lines_kept_after(directory, session->seq, LIMIT_RELAY_PAGE_BYTES,
                                           &session->page_is_all);
    session->page_at = 0;
    free(directory);
    return json_array_get(session->page, 0);
}

static void forget_page(struct spool_session *session)
{
    json_decref(session->page);
    session->page = NULL;
    session->page_at = 0;
}

/* It is as far as that one. */
static void pass(struct spool *s, struct spool_session *session, uint64_t seq)
{
    session->seq = seq;
    session->page_at++;
    s->changed = true;
}

/* Whether it is to be sent; *ret_waits: it runs, and nothing came behind it. */
static struct block *wanted(const struct spool *s, const struct spool_session *session,
                            const json_t *json, const struct conf *conf, bool *ret_waits)
{
    struct block *b = block_from_json(json);
    bool is_last = session->page_is_all && session->page_at + 1 == json_array_size(session->page);
    *ret_waits = b && b->status == BLOCK_RUNNING && is_last;
    if (b && (b->status == BLOCK_RUNNING || b->ts_end < s->since_ms || !deliver_wanted(b, conf))) {
        block_unref(b);
        return NULL;
    }
    return b;
}

struct block *spool_next(struct spool *s, struct spool_session *session, const struct conf *conf,
                         uint64_t *ret_number)
{
    const json_t *json;
    while ((json = read_on(s, session))) {
        bool waits;
        struct block *b = wanted(s, session, json, conf, &waits);
        if (waits)
            break;
        if (b) {
            letter_take_secrets_out(b);
            *ret_number = strcmp(b->shell_id, session->shell_id) ? 1 : session->number + 1;
            return b;
        }
        pass(s, session, (uint64_t)json_number(json, "seq", 0));
    }
    forget_page(session);
    session->due = false;
    return NULL;
}

struct block *spool_again(struct spool *s, struct spool_session *session, struct block *block,
                          const struct conf *conf)
{
    if (session->page_file == file_of(s, session))
        return block_ref(block);
    const json_t *json = read_on(s, session);
    bool waits, is_it = json && (uint64_t)json_number(json, "seq", 0) == block->seq;
    struct block *b = is_it ? wanted(s, session, json, conf, &waits) : NULL;
    if (b)
        letter_take_secrets_out(b);
    return b;
}

void spool_sent(struct spool *s, struct spool_session *session, const struct block *b,
                uint64_t number)
{
    if (!session->first)
        session->first = *session->shell_id ? 1 : b->seq; /* a former program noted none */
    if (strcmp(session->shell_id, b->shell_id) != 0) {
        free(session->shell_id);
        session->shell_id = text_copy(b->shell_id);
    }
    session->number = number;
    pass(s, session, b->seq);
}

uint64_t spool_waiting(struct spool *s, int64_t *ret_oldest_ms)
{
    uint64_t waiting = 0;
    *ret_oldest_ms = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct spool_session *session = s->sessions[i];
        if (!session->due)
            continue;
        char *directory = directory_of(s, session);
        uint64_t ended = block_lines_ended(directory);
        bool all;
        json_t *first =
            ended > session->seq ? block_lines_after(directory, session->seq, 1, &all) : NULL;
        int64_t when = json_number(json_array_get(first, 0), "ts_end", 0);
        if (ended > session->seq && when >= s->since_ms) {
            waiting += ended - session->seq;
            *ret_oldest_ms = *ret_oldest_ms && *ret_oldest_ms < when ? *ret_oldest_ms : when;
        }
        json_decref(first);
        free(directory);
    }
    return waiting;
}
