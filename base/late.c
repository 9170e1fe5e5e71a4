#define _GNU_SOURCE
#include "base/late.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void end_without(const char *file)
{
    const char *why = dlerror();
    fprintf(stderr,
            "ptyd: the library %s cannot be used: %s; its package may have to be installed\n", file,
            why ? why : "it lacks a function");
    exit(LATE_STATUS);
}

void late_load(struct late_library *library)
{
    if (__atomic_load_n(&library->functions[0], __ATOMIC_ACQUIRE))
        return;
    if (!dlopen(library->file, RTLD_NOW | RTLD_GLOBAL))
        end_without(library->file);
    /* The first one last: it says that all are there. */
    size_t count = 0;
    while (library->names[count])
        count++;
    while (count--) {
        void *function = dlsym(RTLD_DEFAULT, library->names[count]); /* LD_PRELOAD comes first */
        if (!function)
            end_without(library->file);
        __atomic_store_n(&library->functions[count], function, __ATOMIC_RELEASE);
    }
}
