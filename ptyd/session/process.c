#define _GNU_SOURCE
#include "ptyd/session/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "ptyd/core/file.h"

static bool hash_file(pid_t pid, const char *name, uint64_t *hash)
{
    char path[64], buffer[4096];
    off_t at = 0;
    ssize_t n;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    for (; (n = file_read_at(fd, buffer, sizeof buffer, at)) > 0; at += n)
        *hash = hash_bytes(*hash, buffer, (size_t)n);
    close(fd);
    return n == 0;
}

uint64_t process_fingerprint(pid_t pid)
{
    char path[64];
    struct stat st;
    uint64_t hash = HASH_START;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    if (stat(path, &st) < 0)
        return 0;
    hash = hash_bytes(hash, &st.st_dev, sizeof st.st_dev);
    hash = hash_bytes(hash, &st.st_ino, sizeof st.st_ino);
    if (!hash_file(pid, "cmdline", &hash) || !hash_file(pid, "environ", &hash))
        return 0;
    return hash ? hash : 1;
}

bool process_busy(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = file_read_at(fd, text, sizeof text - 1, 0);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *name_end = strrchr(text, ')'); /* proc(5): "pid (name) state", any name */
    return name_end && name_end[1] == ' ' && (name_end[2] == 'R' || name_end[2] == 'D');
}
