#define _GNU_SOURCE
#include "ptyd/session/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Fills `text` with the file's first bytes; "" when it cannot be read. */
static void read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : file_read_at(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

bool process_busy(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_text(path, text, sizeof text);
    const char *name_end = strrchr(text, ')'); /* proc(5): "pid (name) state", any name */
    return name_end && name_end[1] == ' ' && (name_end[2] == 'R' || name_end[2] == 'D');
}

static bool child_busy(pid_t pid)
{
    char path[64], text[4096], *at = text, *end;
    bool busy = false;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    read_text(path, text, sizeof text);
    for (long child; !busy && (child = strtol(at, &end, 10)) > 0; at = end)
        busy = process_busy((pid_t)child);
    return busy;
}

/* Whoever waits was switched away from, of its own accord. */
bool process_waits(pid_t pid, uint64_t *ret_turn)
{
    static const char name[] = "\nvoluntary_ctxt_switches:";
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    read_text(path, text, sizeof text);
    const char *switches = strstr(text, name);
    *ret_turn = switches ? strtoull(switches + sizeof name - 1, NULL, 10) : 0;
    return switches && !process_busy(pid);
}

bool process_rests(pid_t pid, uint64_t *ret_turn)
{
    return process_waits(pid, ret_turn) && !child_busy(pid);
}
