#include "memory.h"

#include <stdlib.h>
#include <unistd.h>

static bool ends_always;
static void (*before_end)(void);

static void *answered(void *memory)
{
    if (!memory && ends_always)
        memory_end();
    return memory;
}

void *memory_try(size_t size)
{
    return answered(calloc(1, size));
}

void *memory_try_grow(void *memory, size_t size)
{
    return answered(realloc(memory, size));
}

void *memory_new(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        memory_end();
    return memory;
}

void *memory_grow(void *memory, size_t size)
{
    void *grown = realloc(memory, size);
    if (!grown)
        memory_end();
    return grown;
}

void memory_end(void)
{
    static const char text[] = "ptyd: out of memory\n";
    ssize_t said = write(STDERR_FILENO, text, sizeof text - 1);
    (void)said;
    if (before_end)
        before_end();
    _exit(MEMORY_STATUS);
}

void memory_before_end(void (*last)(void))
{
    before_end = last;
}

void memory_end_always(bool on)
{
    ends_always = on;
}
