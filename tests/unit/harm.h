/* harm.h - what can happen to a file, done to it. */
#ifndef TESTS_UNIT_HARM_H
#define TESTS_UNIT_HARM_H

#include "tests/unit/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "ptyd/core/file.h"

enum harm {
    CUT,         /* to `at` bytes */
    FLIPPED,     /* the bit 1 << at % 8 of the byte at / 8 */
    ZEROED,      /* every byte */
    HALF_ZEROED, /* from the middle on */
    TURNED,      /* every bit of the byte at `at` */
    MISSING,     /* gone; what follows stands in its place */
    DIRECTORY,   /* one that is not empty */
    DANGLING,    /* a link to nowhere */
    LINKED,      /* a link to another file */
    LOCKED,      /* mode 0000; root does not mind */
    READ_ONLY,   /* mode 0400; nor here */
    HARMS,
};

static inline void harm_write(const char *path, const char *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(file_write_all(fd, data, len, -1), 0);
    close(fd);
}

static inline void harm_bytes(struct bytes *b, enum harm harm, size_t at)
{
    size_t from = harm == HALF_ZEROED ? b->len / 2 : 0;
    if (harm == CUT)
        b->len = at < b->len ? at : b->len;
    else if (harm == FLIPPED)
        b->data[at / 8] ^= (char)(1 << at % 8);
    else if (harm == TURNED)
        b->data[at] = (char)~b->data[at];
    else
        memset(b->data + from, 0, b->len - from);
}

static inline void harm_place(const char *path, enum harm harm)
{
    char inside[256];
    assert_int_equal(unlink(path), 0);
    snprintf(inside, sizeof inside, "%s/inside", path);
    if (harm == DIRECTORY) {
        assert_int_equal(mkdir(path, 0700), 0);
        harm_write(inside, "x", 1);
    } else if (harm == DANGLING) {
        assert_int_equal(symlink("/nowhere/at/all", path), 0);
    } else if (harm == LINKED) {
        assert_int_equal(symlink("/etc/passwd", path), 0);
    }
}

/* Does it to the file at `path`, which is there. */
static inline void harm_file(const char *path, enum harm harm, size_t at)
{
    struct bytes b = {0};
    if (harm >= LOCKED) {
        assert_int_equal(chmod(path, harm == LOCKED ? 0000 : 0400), 0);
    } else if (harm >= MISSING) {
        harm_place(path, harm);
    } else {
        assert_int_equal(file_read(path, 1 << 26, &b), 0);
        harm_bytes(&b, harm, at);
        harm_write(path, b.data, b.len);
    }
    bytes_finish(&b);
}

/* How many places there are for it in a file of `size` bytes. */
static inline size_t harm_places(enum harm harm, size_t size)
{
    return harm == CUT || harm == TURNED ? size : harm == FLIPPED ? 8 * size : 1;
}

/* From one of them to the next: all of them with LONG set, else some. */
static inline size_t harm_step(void)
{
    return getenv("LONG") ? 1 : 151;
}

/* A file's content; the caller frees it. */
static inline char *harm_read(const char *path)
{
    struct bytes b = {0};
    assert_int_equal(file_read(path, 1 << 26, &b), 0);
    bytes_append_text(&b, "");
    return b.data ? b.data : calloc(1, 1);
}

static inline size_t harm_size(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

static inline int harm_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

/* Removes a directory and all in it. */
static inline void harm_remove(const char *directory)
{
    assert_int_equal(nftw(directory, harm_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* What is set aside is said thousands of times: not from here on, until it is told so again. */
static inline void harm_hush(bool hush)
{
    static int before = -1;
    if (before < 0)
        before = dup(STDERR_FILENO);
    int to = hush ? open("/dev/null", O_WRONLY | O_CLOEXEC) : before;
    dup2(to, STDERR_FILENO);
    if (hush)
        close(to);
}

#endif
