/* file.h - whole files: read, replace atomically, set aside; private directories. */
#ifndef PTYD_CORE_FILE_H
#define PTYD_CORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"

/* Appends a file's content. Returns 0, -EFBIG beyond `limit` bytes, or another -errno. */
int file_read(const char *path, size_t limit, struct bytes *out);

/* Opens a regular file for reading: its descriptor; -EINVAL for anything else, which is not waited
 * for, or another -errno. */
int file_open_regular(const char *path);

/* Reads such a file as file_read() does. */
int file_read_regular(const char *path, size_t limit, struct bytes *out);

/* Appends `text` and a line end: the whole line or, on failure, nothing. Half a line at the end, of
 * a process that died or a disk that was full, becomes a line of its own first. Makes the file,
 * 0600, follows no link. For one writer. Returns the file's size or -errno. */
long long file_append_line(const char *path, const char *text);

/* The same for several lines, between which the file stays open. file_lines_open() returns 0 or
 * -errno, and then there is nothing to close. */
struct file_lines {
    int fd;
    long long end; /* behind the last line; -1: not known, or something stands there */
};
int file_lines_open(struct file_lines *lines, const char *path);
long long file_lines_append(struct file_lines *lines, const char *text);
void file_lines_close(struct file_lines *lines);

/* Cuts half a line at a file's end away, of at most LIMIT_HALF_LINE_BYTES: a process died while it
 * wrote it. Nothing is said of a file that is not there. */
void file_cut_half_line(const char *path);

/* Appends bytes: all or, on failure, none. Makes the file, 0600, follows no link. For one writer.
 * Returns 0 or -errno. */
int file_append(const char *path, const char *data, size_t len);

/* Makes a file that its owner alone may read, 0600: follows no link, takes none that is there.
 * Returns 0 or -errno, and then there is none. */
int file_make_secret(const char *path, const char *data, size_t len);

/* Whether others than its owner may read or write what stands there. */
bool file_others_may(const char *path);

/* Replaces the file in one step: readers see the old content or the new, never a part. Mode 0600.
 * Returns 0 or -errno, with the old file as it was. */
int file_replace(const char *path, const char *data, size_t len);

/* The same in pieces. A zeroed struct is none. */
struct file_new {
    char *path, *temporary;
    int fd;
};
int file_new_begin(struct file_new *file, const char *path);
int file_new_write(struct file_new *file, const char *data, size_t len);
/* Whoever reads sees the new content, or where `keeps` is false the old one, for good. */
int file_new_end(struct file_new *file, bool keeps);

/* The same for a file of the user's: its mode and its owner stay, a new one has the mode 0600 and,
 * where root makes it, the owner of its directory; whoever replaces it at the same time has one of
 * the two whole, and nothing else of the user's is touched (it is made as PATH.ptyd-…); where
 * `path` is a link that leads to a file (dotfiles are) that is replaced. A link that leads nowhere
 * is -ENOENT. */
int file_replace_kept(const char *path, const char *data, size_t len);

/* Moves out of the way, as PATH.damaged-<ms since the epoch>, what stands at `path` and cannot be
 * opened: for reading and writing as a regular file, or with O_DIRECTORY in `flags` as a directory;
 * with O_NOFOLLOW no link is either. Returns 0 when nothing had to be done, 1 when it is away and
 * *ret_name is its new path (the caller frees it), or -errno: it is where it was. */
int file_set_aside(const char *path, int flags, char **ret_name);

/* Moves away what stands at `path`, whatever it is, as file_set_aside() does: 1 or -errno. */
int file_move_aside(const char *path, char **ret_name);
/* Reads `len` bytes at the offset, fewer only where the file ends. Returns how many, or -errno. */
ssize_t file_read_at(int fd, void *data, size_t len, long long offset);

/* Writes all of it at the offset, or at the end when `offset` is negative. Returns 0 or -errno. */
int file_write_all(int fd, const char *data, size_t len, long long offset);

/* Writes all of it at the offset, the file's end, or cuts the file there again. Returns 0 or
 * -errno. */
int file_write_whole(int fd, const char *data, size_t len, long long offset);

/* Makes the directory and those above it, 0700. Returns 0 or -errno. */
int file_make_directory(const char *path);

/* Like file_make_directory(); -EPERM where the directory is there and is not ours, or others may
 * write in it, or where a link stands there and others could make it lead elsewhere (trust.h). What
 * is there is left as it is. */
int file_make_private_directory(const char *path);

/* What lies in a directory and below, at most `depth` directories deep; links are not followed. */
struct file_measure {
    int64_t bytes;   /* on disk, holes left out */
    int64_t used_ms; /* when something of it was written last, since the epoch */
};
/* Adds that; closes the descriptor. */
void file_measure(int directory, int depth, struct file_measure *measure);

/* Removes a file, or a directory and what is in it, at most `depth` directories deep; links are
 * removed, not followed. `parent` is a directory's descriptor, or AT_FDCWD. Returns 0 or the last
 * -errno. */
int file_remove_tree(int parent, const char *name, int depth);

#endif
