#define _GNU_SOURCE
#include "ptyd/core/proc.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

static void name_path(long pid, const char *name, char path[PATH_MAX])
{
    if (pid == PROC_SELF)
        snprintf(path, PATH_MAX, "/proc/self/%s", name);
    else
        snprintf(path, PATH_MAX, "/proc/%ld/%s", pid, name);
}

bool proc_read(long pid, const char *name, size_t limit, struct bytes *out)
{
    size_t before = out->len;
    char path[PATH_MAX];
    name_path(pid, name, path);
    return file_read(path, limit, out) == 0 && out->len > before;
}

size_t proc_head(long pid, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    name_path(pid, name, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : file_read_at(fd, text, size - 1, 0);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

const char *proc_stat_fields(const char *stat)
{
    return strrchr(stat, ')');
}

char *proc_directory(long pid)
{
    char path[PATH_MAX], directory[PATH_MAX];
    name_path(pid, "cwd", path);
    ssize_t n = readlink(path, directory, sizeof directory);
    return n > 0 && n < (ssize_t)sizeof directory ? text_format("%.*s", (int)n, directory) : NULL;
}

long proc_parent(long pid)
{
    char text[512];
    long parent = -1;
    proc_head(pid, "stat", text, sizeof text);
    const char *fields = proc_stat_fields(text);
    return fields && sscanf(fields, ") %*c %ld", &parent) == 1 ? parent : -1;
}

bool proc_is_ptyd(const char *cmdline)
{
    const char *slash = strrchr(cmdline, '/');
    return !strcmp(slash ? slash + 1 : cmdline, "ptyd");
}
