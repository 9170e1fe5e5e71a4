#define _GNU_SOURCE
#include "ptyd/agents/above.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"

/* A file of /proc/PID, NUL behind it; false where there is none. */
static bool read_of(long pid, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    memset(text + (n > 0 ? n : 0), 0, size - (n > 0 ? (size_t)n : 0));
    return n > 0;
}

static long parent_of(long pid)
{
    char text[512];
    const char *behind =
        read_of(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL; /* its name */
    long parent = 0;
    return behind && sscanf(behind, ") %*c %ld", &parent) == 1 ? parent : 0;
}

/* The words in front of `--`: PTYD proxy ... --acp. */
static bool is_acp(long pid)
{
    char words[4096];
    bool proxy = false;
    if (!read_of(pid, "cmdline", words, sizeof words))
        return false;
    const char *slash = strrchr(words, '/'), *at = words, *end = words + sizeof words;
    if (strcmp(slash ? slash + 1 : words, "ptyd") != 0)
        return false;
    while ((at += strlen(at) + 1) < end && *at && strcmp(at, "--") != 0) {
        if (!strcmp(at, "--acp"))
            return proxy;
        proxy = proxy || !strcmp(at, "proxy");
    }
    return false;
}

bool above_is_acp(void)
{
    long pid = getppid();
    for (int i = 0; i < LIMIT_ANCESTORS && pid > 1; i++, pid = parent_of(pid))
        if (is_acp(pid))
            return true;
    return false;
}
