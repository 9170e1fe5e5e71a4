#define _GNU_SOURCE
#include "ptyd/agents/above.h"

#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/proc.h"

/* The words in front of `--`: PTYD proxy ... --acp. */
static bool is_acp(long pid)
{
    char words[4096];
    size_t len = proc_head(pid, "cmdline", words, sizeof words);
    const char *at = words, *end = words + len;
    bool proxy = false;
    if (!len || !proc_is_ptyd(words))
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
    for (int i = 0; i < LIMIT_ANCESTORS && pid > 1; i++, pid = proc_parent(pid))
        if (is_acp(pid))
            return true;
    return false;
}
