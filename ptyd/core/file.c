#define _GNU_SOURCE
#include "ptyd/core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"
#include "ptyd/core/trust.h"

/* Closes the descriptor. */
static int read_all(int fd, size_t limit, struct bytes *out)
{
    int result = 0;
    for (;;) {
        char *to = bytes_reserve(out, 1 << 16);
        if (!to) {
            result = -ENOMEM;
            break;
        }
        ssize_t n = read(fd, to, 1 << 16);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            result = n < 0 ? -errno : 0;
            break;
        }
        out->len += (size_t)n;
        out->data[out->len] = '\0';
        if (out->len > limit) {
            result = -EFBIG;
            break;
        }
    }
    close(fd);
    return result;
}

int file_read(const char *path, size_t limit, struct bytes *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? -errno : read_all(fd, limit, out);
}

int file_open_regular(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd < 0 ? -errno : fd;
    close(fd);
    return -EINVAL;
}

int file_read_regular(const char *path, size_t limit, struct bytes *out)
{
    int fd = file_open_regular(path);
    return fd < 0 ? fd : read_all(fd, limit, out);
}

ssize_t file_read_at(int fd, void *data, size_t len, long long offset)
{
    size_t got = 0;
    while (got < len) {
        ssize_t n = pread(fd, (char *)data + got, len - got, offset + (long long)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

int file_write_all(int fd, const char *data, size_t len, long long offset)
{
    while (len) {
        ssize_t n = offset < 0 ? write(fd, data, len) : pwrite(fd, data, len, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        data += n;
        len -= (size_t)n;
        offset += offset < 0 ? 0 : n;
    }
    return 0;
}

int file_write_whole(int fd, const char *data, size_t len, long long offset)
{
    int result = file_write_all(fd, data, len, offset);
    if (result < 0 && ftruncate(fd, (off_t)offset) < 0)
        return result; /* the next line's writer finds it */
    return result;
}

/* What `data` begins with, a line end, only where the last line has none. */
static int append_at(int fd, off_t end, const char *data, size_t len)
{
    char last = '\n';
    if (end > 0 && file_read_at(fd, &last, 1, end - 1) != 1)
        return -EIO;
    return file_write_whole(fd, data + (last == '\n'), len - (last == '\n'), end);
}

void file_cut_half_line(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END), from = end;
    char chunk[4096];
    while (from > 0 && end - from < LIMIT_HALF_LINE_BYTES) {
        size_t n = from < (off_t)sizeof chunk ? (size_t)from : sizeof chunk;
        from -= (off_t)n;
        if (file_read_at(fd, chunk, n, from) != (ssize_t)n)
            break;
        const char *last = memrchr(chunk, '\n', n);
        off_t whole = last ? from + (last - chunk) + 1 : 0;
        if (!last && from > 0)
            continue;
        if (whole < end && ftruncate(fd, whole) < 0)
            break; /* the next line's writer finds it */
        from = 0;
    }
    if (fd >= 0)
        close(fd);
}

static int open_to_append(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd < 0 ? -errno : fd;
}

int file_lines_open(struct file_lines *f, const char *path)
{
    *f = (struct file_lines){.fd = open_to_append(path), .end = -1};
    return f->fd < 0 ? f->fd : 0;
}

void file_lines_close(struct file_lines *f)
{
    close(f->fd);
}

/* The first line goes behind whatever stands there, the others behind it. */
long long file_lines_append(struct file_lines *f, const char *text)
{
    char *line = text_format("\n%s\n", text);
    size_t len = strlen(line);
    off_t end = f->end < 0 ? lseek(f->fd, 0, SEEK_END) : 0;
    int result = end < 0      ? -errno
                 : f->end < 0 ? append_at(f->fd, end, line, len)
                              : file_write_whole(f->fd, line + 1, len - 1, f->end);
    f->end = result < 0   ? -1
             : f->end < 0 ? (long long)lseek(f->fd, 0, SEEK_END)
                          : f->end + (long long)len - 1;
    free(line);
    return result < 0 ? result : f->end;
}

long long file_append_line(const char *path, const char *text)
{
    struct file_lines lines;
    int result = file_lines_open(&lines, path);
    if (result < 0)
        return result;
    long long size = file_lines_append(&lines, text);
    file_lines_close(&lines);
    return size;
}

int file_make_secret(const char *path, const char *data, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int result = file_write_all(fd, data, len, -1);
    close(fd);
    if (result < 0)
        unlink(path);
    return result;
}

bool file_others_may(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (st.st_mode & 077);
}

int file_append(const char *path, const char *data, size_t len)
{
    int fd = open_to_append(path);
    if (fd < 0)
        return fd;
    off_t end = lseek(fd, 0, SEEK_END);
    int result = end < 0 ? -errno : file_write_whole(fd, data, len, end);
    close(fd);
    return result;
}

/* An empty one is not cut: behind that ext4 writes it to the disk when it is closed. */
static int open_empty(const char *path)
{
    struct stat st;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && (!st.st_size || ftruncate(fd, 0) == 0))
        return fd;
    int error = -errno;
    close(fd);
    return error;
}

/* Takes `temporary` over. `fd` may be -errno. */
static int begin(struct file_new *file, const char *path, char *temporary, int fd)
{
    if (fd >= 0)
        *file = (struct file_new){.path = text_copy(path), .temporary = temporary, .fd = fd};
    else
        free(temporary);
    return fd < 0 ? fd : 0;
}

int file_new_begin(struct file_new *file, const char *path)
{
    char *temporary = text_format("%s.new", path);
    return begin(file, path, temporary, open_empty(temporary));
}

/* Others may do the same at the same time, and PATH.new may be the user's. */
static int begin_beside_others(struct file_new *file, const char *path)
{
    char *temporary = text_format("%s.ptyd-XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    return begin(file, path, temporary, fd < 0 ? -errno : fd);
}

int file_new_write(struct file_new *file, const char *data, size_t len)
{
    return file_write_all(file->fd, data, len, -1);
}

int file_new_end(struct file_new *file, bool keeps)
{
    if (!file->path)
        return 0;
    int result = close(file->fd) < 0 ? -errno : 0;
    if (keeps && result == 0 && rename(file->temporary, file->path) < 0)
        result = -errno;
    if (!keeps || result < 0)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (struct file_new){0};
    return result;
}

int file_replace(const char *path, const char *data, size_t len)
{
    struct file_new file = {.fd = -1};
    int result = file_new_begin(&file, path);
    if (result < 0)
        return result;
    result = file_new_write(&file, data, len);
    int ended = file_new_end(&file, result == 0);
    return result < 0 ? result : ended;
}

/* As the file is that it takes the place of, or, where there is none, the directory that it is for.
 */
static int give_owner(int fd, const char *target, bool exists, const struct stat *old)
{
    struct stat st = *old;
    char *directory = exists ? NULL : paths_parent(target);
    bool known = exists || stat(directory, &st) == 0;
    int result = 0;
    free(directory);
    if (known && geteuid() == 0 && fchown(fd, st.st_uid, st.st_gid) < 0)
        result = -errno;
    if (result == 0 && exists && geteuid() != 0 && fchown(fd, (uid_t)-1, st.st_gid) < 0)
        result = 0; /* a group that we are not in: its members read it no more */
    if (result == 0 && exists && fchmod(fd, st.st_mode & 07777) < 0)
        result = -errno;
    return result;
}

int file_replace_kept(const char *path, const char *data, size_t len)
{
    struct stat st = {0};
    struct file_new file = {.fd = -1};
    bool exists = lstat(path, &st) == 0;
    char *target = exists ? realpath(path, NULL) : strdup(path);
    int result = !target ? -errno : exists && stat(target, &st) < 0 ? -errno : 0;
    if (result == 0)
        result = begin_beside_others(&file, target);
    if (result == 0)
        result = file_new_write(&file, data, len);
    if (result == 0)
        result = give_owner(file.fd, target, exists, &st);
    int ended = file_new_end(&file, result == 0);
    free(target);
    return result < 0 ? result : ended;
}

/* Opens it as it will be opened; -EISDIR for what is neither file nor directory, too. */
static int try_open(const char *path, int flags)
{
    struct stat st;
    int mode = flags & O_DIRECTORY ? O_RDONLY : O_RDWR;
    int fd = open(path, mode | flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -errno;
    bool fits = flags & O_DIRECTORY || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode));
    close(fd);
    return fits ? 0 : -EISDIR;
}

/* Whether it is the fault of what stands there, so that moving it away helps; a lack of
 * descriptors, say, is not. */
static bool is_damage(int error)
{
    return error == -ELOOP || error == -EISDIR || error == -ENOTDIR || error == -EACCES ||
           error == -EPERM || error == -ENXIO || error == -ENOENT;
}

/* Not over what stands there, where the file system can tell. */
static int rename_beside(const char *path, const char *name)
{
    if (renameat2(AT_FDCWD, path, AT_FDCWD, name, RENAME_NOREPLACE) == 0)
        return 0;
    return errno == EINVAL && rename(path, name) == 0 ? 0 : -errno;
}

/* Another may have been set aside in the same moment. */
int file_move_aside(const char *path, char **ret_name)
{
    for (int64_t time = clock_wall_ms();; time++) {
        char *name = text_format("%s.damaged-%lld", path, (long long)time);
        int result = rename_beside(path, name);
        if (result == 0) {
            *ret_name = name;
            return 1;
        }
        free(name);
        if (result != -EEXIST)
            return result;
    }
}

int file_set_aside(const char *path, int flags, char **ret_name)
{
    struct stat st;
    int result = try_open(path, flags);
    if (result == 0 || (result == -ENOENT && lstat(path, &st) < 0))
        return 0; /* there is none, nor a link to nowhere */
    return is_damage(result) ? file_move_aside(path, ret_name) : result;
}

int file_make_directory(const char *path)
{
    char *copy = text_copy(path);
    int result = 0;
    for (char *at = copy + 1; result == 0; at++) {
        if (*at && *at != '/')
            continue;
        char end = *at;
        *at = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST && errno != EISDIR)
            result = -errno;
        *at = end;
        if (!end)
            break;
    }
    free(copy);
    return result;
}

/* A link is followed where nobody else can change what it leads through. */
static int open_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 || (errno != ELOOP && errno != ENOTDIR))
        return fd;
    char *inside = text_format("%s/.", path), *doubt = trust_doubt(inside, true);
    fd = doubt ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    errno = fd < 0 ? ELOOP : errno;
    free(inside);
    free(doubt);
    return fd;
}

int file_make_private_directory(const char *path)
{
    struct stat st;
    int fd = open_directory(path); /* as a rule it is there */
    int result = fd < 0 ? file_make_directory(path) : 0;
    if (result < 0)
        return result;
    if (fd < 0)
        fd = open_directory(path);
    if (fd < 0)
        return errno == ELOOP ? -EPERM : -errno;
    if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 0022)
        result = -EPERM;
    close(fd);
    return result;
}

void file_measure(int fd, int depth, struct file_measure *m)
{
    DIR *directory = fdopendir(fd);
    struct dirent *entry;
    struct stat st;
    if (!directory) {
        close(fd);
        return;
    }
    while ((entry = readdir(directory))) {
        const char *name = entry->d_name;
        if (!strcmp(name, ".") || !strcmp(name, "..") ||
            fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        int64_t at = st.st_mtim.tv_sec * INT64_C(1000) + st.st_mtim.tv_nsec / 1000000;
        m->bytes += st.st_blocks * INT64_C(512);
        m->used_ms = at > m->used_ms ? at : m->used_ms;
        int below = S_ISDIR(st.st_mode) && depth > 0
                        ? openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                        : -1;
        if (below >= 0)
            file_measure(below, depth - 1, m);
    }
    closedir(directory);
}

static int remove_entries(int parent, const char *name, int depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), result = 0;
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    if (!directory) {
        result = -errno;
        if (fd >= 0)
            close(fd);
        return result;
    }
    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
            int one = file_remove_tree(fd, entry->d_name, depth - 1);
            result = one < 0 ? one : result;
        }
    closedir(directory);
    return result;
}

int file_remove_tree(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR)
        return -errno;
    int result = depth > 0 ? remove_entries(parent, name, depth) : -ELOOP;
    return unlinkat(parent, name, AT_REMOVEDIR) < 0 ? (result < 0 ? result : -errno) : 0;
}
