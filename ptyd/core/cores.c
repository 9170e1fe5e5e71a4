#define _GNU_SOURCE
#include "ptyd/core/cores.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static struct rlimit before;
static bool known;

void cores_forbid(void)
{
    known = known || getrlimit(RLIMIT_CORE, &before) == 0;
    if (known)
        setrlimit(RLIMIT_CORE, &(struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max});
}

void cores_give_back(void)
{
    if (known)
        setrlimit(RLIMIT_CORE, &before);
}

void cores_hide(void)
{
#ifndef PTYD_SANITIZED
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void cores_leave_out(void *memory, size_t size)
{
    madvise(memory, size, MADV_DONTDUMP);
}
