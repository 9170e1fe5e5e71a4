/* Two sources of lines, each an older and a newer file, are merged like sorted lists. A line's
 * order is its seq, and whether the block has begun or ended there. */
#define _GNU_SOURCE
#include "ptyd/session/block_mend.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_files.h"

#define CREATE (O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
#define PIECE  (1 << 16) /* read and written at once */
/* What is compared in any case: the kernel's times are coarse, and what agents are told is there.
 */
#define END (1 << 18)

/* ---- a source ---- */

enum { OLD, NOW, AGES };

struct source {
    char *paths[AGES];
    int fds[AGES];      /* -1: none */
    bool there[AGES];   /* something stands there */
    bool damaged[AGES]; /* and it cannot be written, or has a line that is none */
    size_t lacks;       /* lines that the other one had alone */
    int age;            /* of the file at hand; AGES behind the last */
    struct lines lines; /* of it */
    char *line;         /* at hand, and its length */
    size_t len;
    uint64_t order; /* of it; UINT64_MAX behind the last */
};

/* What cannot be written may still be read. Returns 0, or -errno of what is not the file's fault.
 */
static int open_file(struct source *s, int age)
{
    const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    struct stat st;
    int fd = open(s->paths[age], O_RDWR | flags);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
        return -errno;
    s->there[age] = fd >= 0 || lstat(s->paths[age], &st) == 0;
    s->damaged[age] = fd < 0 && s->there[age];
    if (s->damaged[age])
        fd = open(s->paths[age], O_RDONLY | flags);
    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
        s->damaged[age] = true;
    }
    s->fds[age] = fd;
    return 0;
}

static int source_open(struct source *s, const char *directory, const char *name)
{
    int result = 0;
    *s = (struct source){.fds = {-1, -1}, .lines = {.limit = LIMIT_JSONL_LINE_BYTES}};
    s->paths[OLD] = text_format("%s/%s.1", directory, name);
    s->paths[NOW] = text_format("%s/%s", directory, name);
    for (int age = 0; age < AGES && result == 0; age++)
        result = open_file(s, age);
    return result;
}

static void source_close(struct source *s)
{
    for (int age = 0; age < AGES; age++) {
        if (s->fds[age] >= 0)
            close(s->fds[age]);
        free(s->paths[age]);
    }
    lines_finish(&s->lines);
}

/* A line that is none says that its file is damaged; so does one without an end. */
static bool take_line(struct source *s)
{
    int found = lines_next(&s->lines, &s->line, &s->len);
    if (found == 0)
        return false;
    json_t *block = found > 0 ? seal_load(s->line, s->len) : NULL;
    uint64_t seq = (uint64_t)json_number(block, "seq", 0);
    s->order = 2 * seq + (strcmp(json_text(block, "status", ""), "running") != 0);
    s->damaged[s->age] = s->damaged[s->age] || !seq;
    s->line = seq ? s->line : NULL;
    json_decref(block);
    return true;
}

static bool read_piece(struct source *s)
{
    char piece[PIECE];
    ssize_t n;
    do
        n = s->fds[s->age] < 0 ? 0 : read(s->fds[s->age], piece, sizeof piece);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        lines_add(&s->lines, piece, (size_t)n);
    return n > 0;
}

static void next_file(struct source *s)
{
    bool rest = s->lines.buffer.len > s->lines.at || s->lines.skipping;
    s->damaged[s->age] = s->damaged[s->age] || rest;
    lines_finish(&s->lines);
    s->lines = (struct lines){.limit = LIMIT_JSONL_LINE_BYTES};
    s->age++;
}

/* Goes on to the next line that is one. */
static void advance(struct source *s)
{
    s->line = NULL;
    while (s->age < AGES && !s->line)
        if (!take_line(s) && !read_piece(s))
            next_file(s);
    if (!s->line)
        s->order = UINT64_MAX;
}

/* ---- whether they are the same ---- */

/* Of their last `most` bytes. */
static bool same_content(int a, int b, long long most)
{
    char of_a[PIECE], of_b[PIECE];
    struct stat st_a, st_b;
    if (a < 0 && b < 0)
        return true;
    if (a < 0 || b < 0 || fstat(a, &st_a) < 0 || fstat(b, &st_b) < 0 ||
        st_a.st_size != st_b.st_size)
        return false;
    for (off_t at = st_a.st_size > most ? st_a.st_size - most : 0; at < st_a.st_size;) {
        ssize_t n = file_read_at(a, of_a, sizeof of_a, at);
        if (n <= 0 || file_read_at(b, of_b, (size_t)n, at) != n ||
            memcmp(of_a, of_b, (size_t)n) != 0)
            return false;
        at += n;
    }
    return true;
}

static bool are_same(const struct source sources[2], long long most)
{
    for (int age = 0; age < AGES; age++)
        if (sources[0].damaged[age] || sources[1].damaged[age] ||
            !same_content(sources[0].fds[age], sources[1].fds[age], most))
            return false;
    return true;
}

/* ---- both anew ---- */

/* One of the two files that are written. */
struct target {
    char *paths[AGES]; /* NAME.1.new, NAME.new */
    int fd, error;
    struct bytes text; /* not written yet */
    long long size;
    bool rotated;
};

static void target_open(struct target *t, const struct source *s)
{
    *t = (struct target){
        .paths = {text_format("%s.new", s->paths[OLD]), text_format("%s.new", s->paths[NOW])}};
    t->fd = open(t->paths[NOW], CREATE, 0600);
    t->error = t->fd < 0 ? -errno : 0;
}

static void target_flush(struct target *t)
{
    if (!t->error)
        t->error = file_write_all(t->fd, t->text.data, t->text.len, -1);
    t->size += (long long)t->text.len;
    t->text.len = 0;
}

static void target_rotate(struct target *t)
{
    target_flush(t);
    if (!t->error && rename(t->paths[NOW], t->paths[OLD]) < 0)
        t->error = -errno;
    close(t->fd);
    t->fd = open(t->paths[NOW], CREATE, 0600);
    t->error = t->error ? t->error : t->fd < 0 ? -errno : 0;
    t->size = 0;
    t->rotated = true;
}

static void target_add(struct target *t, const char *line, size_t len)
{
    bytes_append(&t->text, line, len);
    bytes_append_char(&t->text, '\n');
    if (t->text.len >= PIECE)
        target_flush(t);
    if (t->size > LIMIT_JSONL_BYTES)
        target_rotate(t);
}

static void target_close(struct target *t)
{
    if (t->fd >= 0)
        close(t->fd);
    for (int age = 0; age < AGES; age++) {
        unlink(t->paths[age]);
        free(t->paths[age]);
    }
    bytes_finish(&t->text);
}

/* What the merged lines are in goes last: until then the old files are a whole. */
static int put_in_place(struct source *s, struct target *t, struct aside *aside)
{
    int result = 0;
    for (int age = NOW; age >= OLD; age--) {
        if (s->there[age] && s->damaged[age])
            aside_move(aside, s->paths[age], "is damaged");
        bool written = age == NOW || t->rotated;
        if (written && rename(t->paths[age], s->paths[age]) < 0)
            result = -errno;
        else if (!written)
            unlink(s->paths[age]); /* its lines are in the other */
    }
    return result;
}

/* The copy's last line comes second: without it its writer died between the two. */
static void note_lacking(const struct source sources[2], int which, struct aside *aside)
{
    const struct source *s = &sources[which];
    bool known = s->damaged[OLD] || s->damaged[NOW];
    if (s->lacks > (size_t)which && !known)
        aside_note(aside, "%s lacked %zu lines, which come from %s", s->paths[NOW], s->lacks,
                   sources[!which].paths[NOW]);
}

static void merge(struct source sources[2], struct target targets[2])
{
    uint64_t last = 0;
    advance(&sources[0]);
    advance(&sources[1]);
    for (;;) {
        struct source *from = &sources[sources[1].order < sources[0].order];
        struct source *other = &sources[from == &sources[0]];
        uint64_t order = from->order;
        if (order == UINT64_MAX)
            return;
        bool news = order > last;
        for (int i = 0; news && i < 2; i++)
            target_add(&targets[i], from->line, from->len);
        last = news ? order : last;
        other->lacks += news && other->order != order;
        if (other->order == order)
            advance(other);
        advance(from);
    }
}

static int replace_both(struct source sources[2], struct aside *aside)
{
    struct target targets[2];
    int result = 0;
    for (int i = 0; i < 2; i++)
        target_open(&targets[i], &sources[i]);
    merge(sources, targets);
    for (int i = 0; i < 2; i++) {
        target_flush(&targets[i]);
        result = targets[i].error ? targets[i].error : result;
    }
    for (int i = 0; i < 2 && result == 0; i++) {
        note_lacking(sources, i, aside);
        result = put_in_place(&sources[i], &targets[i], aside);
    }
    for (int i = 0; i < 2; i++)
        target_close(&targets[i]);
    return result;
}

int block_mend(const char *directory, uint64_t *same, struct aside *aside)
{
    struct source sources[2];
    uint64_t now = block_files_sum(directory);
    bool known = now == *same;
    int first = source_open(&sources[0], directory, "blocks.jsonl");
    int result = source_open(&sources[1], directory, "blocks.copy.jsonl");
    result = first ? first : result;
    bool differ = result == 0 && !are_same(sources, known ? END : LLONG_MAX);
    if (differ)
        result = replace_both(sources, aside);
    *same = result < 0 ? 0 : differ ? block_files_sum(directory) : now;
    source_close(&sources[0]);
    source_close(&sources[1]);
    return result;
}

void block_mend_ahead(const char *directory, struct block_mended *ret_mended)
{
    uint64_t same = 0;
    *ret_mended = (struct block_mended){0};
    ret_mended->result = block_mend(directory, &same, &ret_mended->aside);
    ret_mended->became = block_files_sum(directory);
}
