#define _GNU_SOURCE
#include "ptyd/forget/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/block.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/overlay.h"
#include "ptyd/forget/spelled.h"
#include "ptyd/forget/wish.h"

#define FILE_MOST (4 * (size_t)LIMIT_JSONL_BYTES) /* no line of ours is longer than its file */

/* ---- the text, in values ---- */

/* Names and ids lead from one file to another. */
static bool is_name(const char *key)
{
    static const char *const names[] = {"block_id", "conversation_id", "host_id",
                                        "shell_id", "output_path",     "session",
                                        "type",     "status",          "sum"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(key, names[i]))
            return true;
    return false;
}

static size_t cover_string(json_t *value, const char *text)
{
    char *copy = text_copy(json_string_value(value));
    size_t count = spelled_cover(copy, strlen(copy), text);
    if (count)
        json_string_set(value, copy);
    free(copy);
    return count;
}

/* What an object has of strings: secrets, where there is a finder. */
static size_t redact_value(json_t *value, const struct redact_secrets *secrets)
{
    const char *key;
    json_t *member;
    void *next;
    size_t i, count = 0;
    json_array_foreach(value, i, member)
        count += redact_value(member, secrets);
    json_object_foreach_safe(value, next, key, member)
        count += is_name(key)             ? 0
                 : json_is_string(member) ? (size_t)block_redact_member(value, key, secrets)
                                          : redact_value(member, secrets);
    return count;
}

static size_t cover_value(json_t *value, const char *text)
{
    const char *key;
    json_t *member;
    size_t i, count = 0;
    if (json_is_string(value))
        return cover_string(value, text);
    json_array_foreach(value, i, member)
        count += cover_value(member, text);
    json_object_foreach(value, key, member)
        count += is_name(key) ? 0 : cover_value(member, text);
    return count;
}

static bool stands_in(const char *bytes, size_t len, const char *text)
{
    size_t said;
    return text && spelled_find(bytes, len, text, &said);
}

/* ---- commands ---- */

/* A number is never given again: what is left says that this one was, and that it is forgotten. */
static void empty_block(json_t *block)
{
    static const char *const gone[] = {"told", "key", "place"};
    json_t *nothing = json_pack(
        "{s:s, s:s, s:s, s:s, s:n, s:n, s:i, s:i, s:s, s:b, s:b, s:b, s:o, s:i, s:b, s:b}", "cmd",
        "", "cmd_source", "unknown", "cwd", "", "cwd_after", "", "exit_code", "signal",
        "output_lines", 0, "output_bytes", 0, "output_path", "", "cmd_truncated", 0, "alt_screen",
        0, "nested", 0, "preview", json_pack("{s:[], s:b}", "lines", "truncated", 0),
        "omitted_lines", 0, "private", 1, "forgotten", 1);
    json_object_update(block, nothing);
    json_decref(nothing);
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        json_object_del(block, gone[i]);
}

/* NAME:NUMBER:BEGUN. */
static uint64_t seq_of(const char *id)
{
    const char *colon = strchr(id, ':');
    return colon ? strtoull(colon + 1, NULL, 10) : 0;
}

enum line { STAYS, CHANGED, GOES };

/* Of a line of blocks.jsonl, a block, or of events.jsonl, which has one or the id of one. */
static enum line forget_command(const struct forget *f, json_t *line)
{
    json_t *inner = json_object_get(line, "block"), *block = inner ? inner : line;
    const char *id = json_text(block, "block_id", "");
    if (!json_object_get(block, "seq"))
        return wish_has(f->seqs, seq_of(id)) ? GOES : STAYS;
    if (!wish_has(f->seqs, (uint64_t)json_number(block, "seq", 0)) || json_flag(block, "forgotten"))
        return STAYS;
    empty_block(block);
    return CHANGED;
}

/* ---- a file of lines ---- */

struct rewriting {
    struct forget *forget;
    struct bytes out;
    bool changed;
    int error; /* -errno of a line that could not be looked at */
};

static void keep_line(struct rewriting *r, const char *line, size_t len)
{
    bytes_append(&r->out, line, len);
    bytes_append_char(&r->out, '\n');
}

/* Whether the line was sealed it is to be again. */
static void write_line(struct rewriting *r, const char *line, size_t len, const json_t *value)
{
    bool sealed = memmem(line, len, "\"sum\":\"", 7);
    char *text = sealed ? seal_dump(value) : json_dumps(value, JSON_COMPACT);
    keep_line(r, text, strlen(text));
    r->changed = true;
    free(text);
}

/* One that is damaged is no line: nobody reads it. With the text it goes, and with a command, for
 * nobody knows whose it was. */
static void drop_damaged(struct rewriting *r)
{
    r->changed = true;
    r->forget->places++;
}

static void note_place(void *user, size_t from, size_t to, const char *what)
{
    (void)from, (void)to, (void)what;
    ++*(size_t *)user;
}

/* Of what a command printed meanwhile a line may have half of a secret: it goes. */
static void take_secrets(struct rewriting *r, const char *line, size_t len)
{
    struct forget *f = r->forget;
    json_t *value = seal_load(line, len), *inner = json_object_get(value, "block");
    size_t count = 0;
    if (!value)
        f->finder->in_text(f->finder->user, line, len, note_place, &count);
    bool is_delta = !strcmp(json_text(value, "type", ""), "agent_block_delta");
    if (value && !is_delta)
        count = (size_t)block_redact_json(inner ? inner : value, f->secrets);
    f->places += count;
    if (is_delta || (!value && count))
        r->changed = true;
    else if (count)
        write_line(r, line, len, value);
    else
        keep_line(r, line, len);
    if (f->moves)
        f->moves();
    json_decref(value);
}

static void take_line(struct rewriting *r, const char *line, size_t len)
{
    if (r->forget->finder) {
        take_secrets(r, line, len);
        return;
    }

    struct forget *f = r->forget;
    bool has_text = stands_in(line, len, f->text), of_command = json_array_size(f->seqs);
    json_t *value = has_text || of_command ? seal_load(line, len) : NULL;
    enum line is = value && of_command ? forget_command(f, value) : STAYS;
    size_t covered = has_text && value && is != GOES ? cover_value(value, f->text) : 0;
    f->places += covered;
    if ((has_text || of_command) && !value) {
        drop_damaged(r);
    } else if (is == GOES) {
        r->changed = true;
    } else if (is == CHANGED || covered) {
        write_line(r, line, len, value);
    } else {
        keep_line(r, line, len);
    }
    json_decref(value);
}

/* Half a line at the end stays half a line, unless it has the text or may be a command's. */
static void take_rest(struct rewriting *r, const char *rest, size_t len)
{
    size_t count = 0;
    if (r->forget->finder)
        r->forget->finder->in_text(r->forget->finder->user, rest, len, note_place, &count);
    if (count || stands_in(rest, len, r->forget->text) || json_array_size(r->forget->seqs))
        drop_damaged(r);
    else
        bytes_append(&r->out, rest, len);
}

static void take(void *user, char *line, size_t len, bool is_whole)
{
    struct rewriting *r = user;
    const struct blot_finder *finder = r->forget->finder;
    if (r->error == 0 && finder && finder->gives_up && finder->gives_up(finder->user))
        r->error = -EINTR;
    if (r->error < 0)
        return;
    if (!line)
        r->error = -EFBIG;
    else if (is_whole)
        take_line(r, line, len);
    else
        take_rest(r, line, len);
}

static bool is_wanted(const struct forget *f)
{
    return f->text || f->finder || json_array_size(f->seqs);
}

static void replace(struct rewriting *r, const char *path)
{
    if (r->out.failed)
        memory_end();
    if (r->changed && forget_begins(r->forget))
        forget_failed(r->forget, path,
                      file_replace(path, r->out.data ? r->out.data : "", r->out.len));
}

void forget_in_lines(struct forget *f, const char *path)
{
    struct rewriting r = {.forget = f};
    int result = is_wanted(f) ? lines_each_of(path, FILE_MOST, take, &r) : 0;
    result = result < 0 ? result : r.error;
    if (result == 0)
        replace(&r, path);
    else if (result != -ENOENT)
        forget_failed(f, path, result);
    bytes_finish(&r.out);
}

/* ---- one object ---- */

/* One that nobody can read: a text is covered where it stands, with a command it goes. */
static void forget_damaged(struct forget *f, const char *path)
{
    if (!json_array_size(f->seqs))
        forget_in_bytes(f, path);
    else if (forget_begins(f) && unlink(path) < 0)
        forget_failed(f, path, -errno);
}

static void forget_members(struct forget *f, const char *path, const struct bytes *file,
                           json_t *object)
{
    struct rewriting r = {.forget = f};
    bool waits = json_array_size(f->seqs) && json_object_get(object, "pending_cmd_buffer");
    size_t covered = f->finder                                   ? redact_value(object, f->secrets)
                     : stands_in(file->data, file->len, f->text) ? cover_value(object, f->text)
                                                                 : 0;
    f->places += covered;
    if (waits)
        json_object_del(object, "pending_cmd_buffer");
    if (covered || waits) {
        write_line(&r, file->data, file->len, object);
        replace(&r, path);
    }
    bytes_finish(&r.out);
}

void forget_in_object(struct forget *f, const char *path)
{
    struct bytes file = {0};
    int result = is_wanted(f) ? file_read_regular(path, LIMIT_META_BYTES, &file) : -ENOENT;
    json_t *object = result == 0 && file.len ? seal_load(file.data, file.len) : NULL;
    if (object)
        forget_members(f, path, &file, object);
    else if (result == -EFBIG || (result == 0 && file.len))
        forget_damaged(f, path);
    else if (result != -ENOENT && result != -EINVAL)
        forget_failed(f, path, result);
    json_decref(object);
    bytes_finish(&file);
}

/* ---- anything ---- */

void forget_in_bytes(struct forget *f, const char *path)
{
    struct stat st;
    int fd = !f->text && !f->finder
                 ? -1
                 : open(path, (f->looks ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool there = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size;
    size_t len = there ? (size_t)st.st_size : 0;
    char *bytes = there ? mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (there && bytes == MAP_FAILED)
        forget_failed(f, path, -errno);
    size_t found = bytes == MAP_FAILED ? 0
                   : f->finder         ? blot_found_text(bytes, len, f->finder)
                                       : spelled_cover(bytes, len, f->text);
    f->places += found;
    if (found && forget_begins(f))
        forget_failed(
            f, path,
            overlay_write(&(struct overlay){
                .directory = f->directory, .path = path, .fd = fd, .bytes = bytes, .len = len}));
    if (bytes != MAP_FAILED)
        munmap(bytes, len);
    if (fd >= 0)
        close(fd);
}
