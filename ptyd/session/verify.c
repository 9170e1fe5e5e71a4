/* Each kind of file has a check, which returns what is wrong with it. What a daemon writes in that
 * moment may look damaged: a file that changed meanwhile is looked at again. */
#define _GNU_SOURCE
#include "ptyd/session/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/aside.h"
#include "ptyd/core/file.h"
#include "ptyd/core/heard.h"
#include "ptyd/core/json.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/names.h"
#include "ptyd/core/pair.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/session/private.h"

#define PIECE (1 << 16) /* read at once */
#define TRIES 3         /* looks at a file that changes */

/* ---- kinds of files: NULL, or what is wrong; new string ---- */

struct checking {
    size_t number, bad, first; /* lines; those that are damaged, and the first of them */
    bool rest;                 /* the last one has no end */
};

static void check_line(void *user, char *line, size_t len, bool is_whole)
{
    struct checking *c = user;
    json_t *object = line && is_whole ? seal_load(line, len) : NULL;
    c->rest = !is_whole;
    c->number += is_whole;
    c->bad += is_whole && !object;
    c->first = is_whole && !object && c->bad == 1 ? c->number : c->first;
    json_decref(object);
}

static char *check_lines(int fd, const char *path)
{
    struct checking c = {0};
    (void)path;
    lines_each(fd, LIMIT_JSONL_LINE_BYTES, check_line, &c);
    if (c.bad)
        return text_format("%zu of %zu lines are damaged, line %zu the first", c.bad, c.number,
                           c.first);
    return c.rest ? text_format("its last line, %zu, has no end", c.number + 1) : NULL;
}

static char *check_object(int fd, const char *path)
{
    struct bytes text = {0};
    (void)fd;
    int result = file_read_regular(path, LIMIT_META_BYTES, &text);
    json_t *object = result == 0 && text.len ? json_loadb(text.data, text.len, 0, NULL) : NULL;
    bool is_object = json_is_object(object);
    bytes_finish(&text);
    json_decref(object);
    return is_object ? NULL : text_copy("it holds no JSON object");
}

static char *check_shell_id(int fd, const char *path)
{
    char id[64] = "";
    (void)path;
    ssize_t n = read(fd, id, sizeof id - 1);
    if (n > 0 && (size_t)n == strlen(id) && !strncmp(id, "shell_", 6) && text_is_name(id))
        return NULL;
    return text_copy("it holds no shell's id");
}

static char *check_checkpoint(int fd, const char *path)
{
    (void)path;
    return session_is_checkpoint(fd) ? NULL : text_copy("its sum is wrong");
}

static char *check_raw(int fd, const char *path)
{
    (void)fd;
    (void)path;
    return NULL; /* what is known of it is in the index */
}

static bool has_mark(int raw, uint64_t offset)
{
    char head[sizeof MARK_HEAD - 1];
    ssize_t n = file_read_at(raw, head, sizeof head, (off_t)offset);
    return n >= 0 && !memcmp(head, MARK_HEAD, (size_t)n); /* its end is not written yet */
}

/* What the index says of the log. */
struct index_check {
    int raw;
    uint64_t base, end, last;
    size_t bad, records, missing;
    uint64_t first_missing;
    bool gap;
};

static void check_record(struct index_check *c, const struct rawlog_record *r)
{
    c->records++;
    if (!rawlog_is_record(r)) {
        c->bad++;
        return;
    }
    if (r->kind == RAWLOG_GAP)
        c->gap = r->detail;
    if (r->kind == RAWLOG_SHELL)
        c->gap = false;
    if (r->kind == RAWLOG_LOST)
        c->missing = 0; /* what is gone before is known to be */
    c->last = r->offset > c->last ? r->offset : c->last;
    bool kept = r->offset >= c->base && r->offset < c->end;
    if (r->kind != RAWLOG_MARK || c->gap || !kept || c->raw < 0 || has_mark(c->raw, r->offset))
        return;
    c->first_missing = c->missing++ ? c->first_missing : r->offset;
}

static char *describe(const struct index_check *c)
{
    if (c->bad)
        return text_format("%zu of %zu records are damaged", c->bad, c->records);
    if (c->raw < 0)
        return text_copy("there is no output.raw beside it");
    if (c->missing)
        return text_format("%zu of its marks are not in output.raw, that at byte %llu the first",
                           c->missing, (unsigned long long)c->first_missing);
    if (c->last > c->end + SESSION_SCRATCH_BYTES) /* it is written first */
        return text_format("it goes on to byte %llu, output.raw to %llu",
                           (unsigned long long)c->last, (unsigned long long)c->end);
    return NULL;
}

static char *check_index(int fd, const char *path)
{
    struct rawlog_record records[PIECE / sizeof(struct rawlog_record)];
    char *raw = text_format("%.*s.raw", (int)strlen(path) - 4, path);
    struct index_check c = {.raw = open(raw, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat st;
    ssize_t n;
    free(raw);
    if (c.raw >= 0 && fstat(c.raw, &st) == 0) {
        off_t data = lseek(c.raw, 0, SEEK_DATA);
        c.end = (uint64_t)st.st_size;
        c.base = data >= 0 ? (uint64_t)data : c.end;
    }
    for (off_t at = 0; (n = file_read_at(fd, records, sizeof records, at)) > 0; at += n) {
        n -= n % (ssize_t)sizeof *records;
        for (size_t i = 0; i < (size_t)n / sizeof *records; i++)
            check_record(&c, &records[i]);
        if (!n)
            break; /* one that is being written */
    }
    if (c.raw >= 0)
        close(c.raw);
    return describe(&c);
}

/* ---- all files ---- */

/* Behind `<state>/conversations/<name>/`; one with `partner` is missed where that is there. */
static const struct part {
    const char *name;
    char *(*check)(int fd, const char *path);
    const char *partner;
} parts[] = {
    {"agent_pty/blocks.jsonl", check_lines, "agent_pty/blocks.copy.jsonl"},
    {"agent_pty/blocks.copy.jsonl", check_lines, "agent_pty/blocks.jsonl"},
    {"agent_pty/blocks.jsonl.1", check_lines, NULL},
    {"agent_pty/blocks.copy.jsonl.1", check_lines, NULL},
    {"agent_pty/events.jsonl", check_lines, NULL},
    {"agent_pty/events.jsonl.1", check_lines, NULL},
    {"agent_pty/screen.jsonl", check_lines, NULL},
    {"agent_pty/screen.jsonl.1", check_lines, NULL},
    {"agent_pty/screen.snapshot.json", check_object, NULL},
    {"agent_pty/scrollback.snapshot.json", check_object, NULL},
    {"agent_pty/screen_size.json", check_object, NULL},
    {"agent_pty/shell_id.txt", check_shell_id, NULL},
    {"agent_pty/checkpoint", check_checkpoint, NULL},
    {"agent_pty/output.raw", check_raw, "agent_pty/output.idx"},
    {"agent_pty/output.idx", check_index, "agent_pty/output.raw"},
};

static bool is_there(const char *directory, const char *name)
{
    struct stat st;
    char *path = text_format("%s/%s", directory, name);
    bool there = name && lstat(path, &st) == 0;
    free(path);
    return there;
}

static bool same_time(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_ino == b->st_ino &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* One look; `*ret_changed`: it was written meanwhile. */
static char *look(const struct part *part, const char *path, bool *ret_changed)
{
    struct stat before = {0}, after = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    *ret_changed = false;
    if (fd < 0)
        return text_format("it cannot be opened: %s", strerror(errno));
    char *what = NULL;
    if (fstat(fd, &before) < 0 || !S_ISREG(before.st_mode)) {
        what = text_copy("it is no file");
    } else {
        what = part->check(fd, path);
        *ret_changed = stat(path, &after) < 0 || !same_time(&before, &after);
    }
    close(fd);
    return what;
}

static void check_part(const struct part *part, const char *directory, verify_report *report,
                       void *user)
{
    char *path = text_format("%s/%s", directory, part->name), *what = NULL;
    if (!is_there(directory, part->name)) {
        if (part->partner && is_there(directory, part->partner))
            report(user, path, VERIFY_DAMAGED, "it is missing");
    } else {
        bool changed = true;
        for (int i = 0; i < TRIES && changed; i++) {
            free(what);
            what = look(part, path, &changed);
            changed = changed && what;
        }
        report(user, path, what ? VERIFY_DAMAGED : VERIFY_OK, what);
    }
    free(what);
    free(path);
}

static void check_pair(const char *path, verify_report *report, void *user)
{
    static const char *const what[] = {[PAIR_NONE] = "it is missing",
                                       [PAIR_DAMAGED] = "it is damaged",
                                       [PAIR_UNREADABLE] = "it cannot be read"};
    enum pair_state states[2];
    struct pair pair;
    pair_init(&pair, path);
    json_t *object = pair_read(&pair, LIMIT_META_BYTES, states);
    for (int i = 0; i < 2; i++)
        if (states[i] != PAIR_NONE || pair.number > 1)
            report(user, pair.paths[i], states[i] == PAIR_WHOLE ? VERIFY_OK : VERIFY_DAMAGED,
                   states[i] == PAIR_WHOLE ? NULL : what[states[i]]);
    json_decref(object);
    pair_finish(&pair);
}

static void check_names(const char *state, verify_report *report, void *user)
{
    char *path = text_format("%s/names.json", state);
    int result = names_check(path);
    if (result != -ENOENT)
        report(user, path, result ? VERIFY_DAMAGED : VERIFY_OK,
               result == -EBADMSG ? "it is damaged"
               : result           ? "it cannot be read"
                                  : NULL);
    free(path);
}

static void report_aside(const char *directory, verify_report *report, void *user)
{
    struct aside aside = {0};
    const json_t *item;
    size_t i;
    aside_list(&aside, directory);
    json_array_foreach(aside.items, i, item)
        report(user, json_string_value(json_array_get(item, 1)), VERIFY_ASIDE,
               "it was set aside; remove it when nothing in it is of use");
    aside_finish(&aside);
}

void verify_conversation(const char *state, const char *name, verify_report *report, void *user)
{
    char *directory = text_format("%s/conversations/%s", state, name);
    char *meta = text_format("%s/meta.json", directory);
    char *inside = text_format("%s/agent_pty", directory);
    check_pair(meta, report, user);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        check_part(&parts[i], directory, report, user);
    report_aside(directory, report, user);
    report_aside(inside, report, user);
    free(inside);
    free(meta);
    free(directory);
}

/* What ran on other hosts. */
static void verify_hosts(const char *state, verify_report *report, void *user)
{
    static const struct part lines[] = {{"blocks.jsonl", check_lines, NULL},
                                        {"blocks.jsonl.1", check_lines, NULL}};
    static const char *const pairs[] = {"known.json", "ledger.json"};
    char *directory = heard_directory(state);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *path = text_format("%s/%s", directory, pairs[i]);
        check_pair(path, report, user);
        free(path);
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_part(&lines[i], directory, report, user);
    report_aside(directory, report, user);
    free(directory);
}

void verify_state_directory(const char *state, verify_report *report, void *user)
{
    static const char *const names[] = {"keys.json", "context.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = text_format("%s/%s", state, names[i]);
        check_pair(path, report, user);
        free(path);
    }
    check_names(state, report, user);
    verify_hosts(state, report, user);
    char *conversations = text_format("%s/conversations", state);
    report_aside(state, report, user);
    report_aside(conversations, report, user);
    free(conversations);
}
