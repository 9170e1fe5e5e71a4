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

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/proc.h"

/* Whatever has executed it, and however often it was upgraded: `ptyd serve`. */
static enum inside is_keeper(long pid)
{
    char text[4096];
    size_t len = proc_head(pid, "cmdline", text, sizeof text);
    if (!len) /* hidden; a kernel's thread is no parent of shells */
        return INSIDE_UNKNOWN;
    const char *slash = strrchr(text, '/'), *word = text + strlen(text) + 1;
    bool serves = word < text + len && !strcmp(word, "serve");
    return serves && !strncmp(slash ? slash + 1 : text, "ptyd", 4) ? INSIDE_YES : INSIDE_NO;
}

enum inside inside(void)
{
    long leader = getsid(0), parent = leader > 0 ? proc_parent(leader) : -1;
    return parent > 0 ? is_keeper(parent) : parent == 0 ? INSIDE_NO : INSIDE_UNKNOWN;
}

const char *inside_session(void)
{
    const char *name = getenv("PTYD_SESSION");
    return name && inside() == INSIDE_YES ? name : "";
}
