/* A session's terminal is the controlling terminal of its shell, and of whatever runs there until
 * something has a terminal of its own: tmux, an editor's terminal, ssh to this very host. Their
 * shells lead sessions of their own; ours is led by what the keeper started. So the question is
 * who the parent of this session's leader is, and that is asked of the kernel: nothing is written
 * down that could be left behind, or be true of a terminal that got the same number later.
 *
 * su and sudo leave the terminal as it is, and whoever is another user then still sees both
 * processes. */
#define _GNU_SOURCE
#include "ptyd/client/inside.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <stdbool.h>

/* The first bytes of a process's file, ended by a NUL. Returns how many, 0 when it cannot be read.
 */
static size_t read_of(pid_t pid, const char *file, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* -1 when it is not known, 0 for one outside of our container. The name in front may hold anything,
 * parentheses, too. */
static pid_t parent_of(pid_t pid)
{
    char text[512], state;
    long parent = -1;
    read_of(pid, "stat", text, sizeof text);
    const char *behind = strrchr(text, ')');
    if (!behind || sscanf(behind, ") %c %ld", &state, &parent) != 2)
        return -1;
    return (pid_t)parent;
}

/* Whatever has executed it, and however often it was upgraded: `ptyd serve`. */
static enum inside is_keeper(pid_t pid)
{
    char text[4096];
    size_t len = read_of(pid, "cmdline", text, sizeof text);
    if (!len) /* hidden; a kernel's thread is no parent of shells */
        return INSIDE_UNKNOWN;
    const char *slash = strrchr(text, '/'), *word = text + strlen(text) + 1;
    bool serves = word < text + len && !strcmp(word, "serve");
    return serves && !strncmp(slash ? slash + 1 : text, "ptyd", 4) ? INSIDE_YES : INSIDE_NO;
}

enum inside inside(void)
{
    pid_t leader = getsid(0), parent = leader > 0 ? parent_of(leader) : -1;
    return parent > 0 ? is_keeper(parent) : parent == 0 ? INSIDE_NO : INSIDE_UNKNOWN;
}

const char *inside_session(void)
{
    const char *name = getenv("PTYD_SESSION");
    return name && inside() == INSIDE_YES ? name : "";
}
