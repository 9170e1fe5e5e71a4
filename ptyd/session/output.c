#define _GNU_SOURCE
#include "ptyd/session/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

#define MUCH (64 << 10) /* bytes that are written without being asked */

struct output {
    char *path;        /* NULL while no block runs */
    int fd;            /* -1: not open */
    int64_t written;   /* bytes */
    char last;         /* of them; 0 when it is not known */
    int64_t missing;   /* bytes that went, behind those and before `text` */
    struct bytes text; /* not written yet */
    bool held;         /* output_hold() */
};

struct output *output_create(void)
{
    struct output *o = memory_new(sizeof *o);
    o->fd = -1;
    return o;
}

static void forget(struct output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
    free(o->path);
    o->path = NULL;
    o->missing = 0;
    o->text.len = 0;
}

void output_destroy(struct output *o, struct owed *owed)
{
    output_end(o, owed);
    bytes_finish(&o->text);
    free(o);
}

/* It may be shorter than it was said to be, where a disk was full. */
static int open_file(struct output *o)
{
    struct stat st;
    if (o->fd >= 0)
        return 0;
    int fd = open(o->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0 || (st.st_size > o->written && ftruncate(fd, o->written) < 0)) {
        int error = -errno;
        close(fd);
        return error;
    }
    o->written = st.st_size < o->written ? st.st_size : o->written;
    o->fd = fd;
    return 0;
}

void output_begin(struct output *o, struct owed *owed, const char *path, int64_t written)
{
    forget(o);
    o->path = text_copy(path);
    o->written = written;
    o->last = written ? '\0' : '\n';
    if (o->held)
        return;
    owed_drop_output(owed, path);
    open_file(o);
}

struct output_rest output_rest(const struct output *o)
{
    return (struct output_rest){
        .written = o->written, .missing = o->missing, .text = o->text.data, .len = o->text.len};
}

/* What is begun while it is held is taken to have nothing. */
void output_hold(struct output *o, bool hold)
{
    struct stat st;
    if (o->held && !hold && o->path) {
        o->written = lstat(o->path, &st) == 0 ? st.st_size : 0;
        o->last = o->written ? '\0' : '\n';
    }
    o->held = hold;
}

void output_restore(struct output *o, struct owed *owed, const struct output_rest *rest)
{
    o->held = false;
    if (o->path)
        owed_drop_output(owed, o->path);
    if (o->fd >= 0)
        close(o->fd);
    o->fd = -1;
    o->written = rest->written;
    o->missing = rest->missing;
    o->last = '\0';
    o->text.len = 0;
    bytes_append(&o->text, rest->text, rest->len);
}

int64_t output_written(const struct output *o)
{
    return o->written;
}

/* ---- writing ---- */

static int write_some(struct output *o, const char *text, size_t len)
{
    int result = file_write_whole(o->fd, text, len, o->written);
    if (result < 0 || !len)
        return result;
    o->last = text[len - 1];
    o->written += (int64_t)len;
    return 0;
}

/* What is said in the place of what went; "" when nothing did. */
static char *missing_note(const struct output *o)
{
    if (!o->missing)
        return text_copy("");
    return text_format("%s[ptyd: %lld bytes are missing here: they could not be written]\n",
                       o->last == '\n' ? "" : "\n", (long long)o->missing);
}

static int write_note(struct output *o)
{
    char *note = missing_note(o);
    int result = write_some(o, note, strlen(note));
    o->missing = result < 0 ? o->missing : 0;
    free(note);
    return result;
}

static size_t room(const struct output *o)
{
    int64_t left = LIMIT_OUTPUT_FILE_BYTES - o->written;
    return (int64_t)o->text.len < left ? o->text.len : left > 0 ? (size_t)left : 0;
}

/* The newest stays, from the beginning of a line where there is one. */
static void bound(struct output *o)
{
    const char *data = o->text.data;
    if (o->text.len <= LIMIT_OWED_OUTPUT_BYTES)
        return;
    size_t cut = o->text.len - LIMIT_OWED_OUTPUT_BYTES;
    const char *end = memchr(data + cut, '\n', o->text.len - cut - 1);
    cut = end ? (size_t)(end + 1 - data) : utf8_ceil(data, o->text.len, cut);
    bytes_consume(&o->text, cut);
    o->missing += (int64_t)cut;
}

bool output_flush(struct output *o)
{
    if (o->held || !o->path || !(o->text.len || o->missing))
        return true;
    int result = open_file(o);
    if (result == 0)
        result = write_note(o);
    if (result == 0)
        result = write_some(o, o->text.data, room(o));
    if (result == 0)
        o->text.len = 0;
    else
        bound(o);
    return result == 0;
}

void output_add(struct output *o, const char *text, size_t len)
{
    if (o->held)
        return;
    bytes_append(&o->text, text, len);
    if (o->text.len > MUCH)
        output_flush(o);
}

void output_end(struct output *o, struct owed *owed)
{
    if (!output_flush(o)) {
        struct bytes rest = {0};
        char *note = missing_note(o);
        bytes_append_text(&rest, note);
        bytes_append(&rest, o->text.data, room(o));
        if (rest.len)
            owed_append_output(owed, o->path, rest.data, rest.len);
        bytes_finish(&rest);
        free(note);
    }
    forget(o);
}
