#define _GNU_SOURCE
#include "ptyd/session/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/proc.h"

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

/* Whether it is at work, a process or one of its threads; and its process group. */
static bool read_stat(pid_t pid, const char *name, long *ret_group)
{
    char text[512];
    proc_head(pid, name, text, sizeof text);
    const char *fields = proc_stat_fields(text);
    char state = 0;
    *ret_group = 0;
    return fields && sscanf(fields, ") %c %*d %ld", &state, ret_group) == 2 &&
           (state == 'R' || state == 'D');
}

bool process_busy(pid_t pid)
{
    long group;
    return read_stat(pid, "stat", &group);
}

static bool child_busy(pid_t pid)
{
    char name[64], text[4096], *at = text, *end;
    bool busy = false;
    snprintf(name, sizeof name, "task/%d/children", (int)pid);
    proc_head(pid, name, text, sizeof text);
    for (long child; !busy && (child = strtol(at, &end, 10)) > 0; at = end)
        busy = process_busy((pid_t)child);
    return busy;
}

static bool family_works(pid_t pid, long group, int *left);

/* One thread, and the children that it started, where they are of that group. */
static bool thread_works(pid_t pid, const char *thread, long group, int *left)
{
    char name[320], text[4096], *at = text, *end;
    long its_group;
    snprintf(name, sizeof name, "task/%s/stat", thread);
    bool works = read_stat(pid, name, &its_group);
    if (its_group != group)
        return false;
    snprintf(name, sizeof name, "task/%s/children", thread);
    proc_head(pid, name, text, sizeof text);
    for (long child; !works && (child = strtol(at, &end, 10)) > 0; at = end)
        works = family_works((pid_t)child, group, left);
    return works;
}

static bool family_works(pid_t pid, long group, int *left)
{
    char path[64];
    bool works = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = *left > 0 ? opendir(path) : NULL;
    for (struct dirent *entry; threads && !works && (entry = readdir(threads));)
        works = entry->d_name[0] != '.' && (*left)-- > 0 &&
                thread_works(pid, entry->d_name, group, left);
    if (threads)
        closedir(threads);
    return works;
}

bool process_works(pid_t pid)
{
    int left = LIMIT_FAMILY;
    return family_works(pid, pid, &left);
}

bool process_waits_for_others(pid_t pid)
{
    static const char *const places[] = {"do_wait", "pipe_read", "pipe_wait", "sigsuspend"};
    char text[128];
    bool waits = false;
    proc_head(pid, "wchan", text, sizeof text);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        waits = waits || strstr(text, places[i]);
    return waits;
}

uint64_t process_read_bytes(pid_t pid)
{
    static const char name[] = "rchar: ";
    char file[64], text[256];
    snprintf(file, sizeof file, "task/%d/io", (int)pid); /* PID/io counts children, too */
    proc_head(pid, file, text, sizeof text);
    return strncmp(text, name, sizeof name - 1) ? 0 : strtoull(text + sizeof name - 1, NULL, 10);
}

/* Whoever waits was switched away from, of its own accord. */
bool process_waits(pid_t pid, uint64_t *ret_turn)
{
    static const char name[] = "\nvoluntary_ctxt_switches:";
    char text[4096];
    proc_head(pid, "status", text, sizeof text);
    const char *switches = strstr(text, name);
    *ret_turn = switches ? strtoull(switches + sizeof name - 1, NULL, 10) : 0;
    return switches && !process_busy(pid);
}

bool process_rests(pid_t pid, uint64_t *ret_turn)
{
    return process_waits(pid, ret_turn) && !child_busy(pid);
}
