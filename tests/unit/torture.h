/* torture.h - a story told again and again, each time with another allocation that fails, once, in
 * a process of its own. It must come to its end with all it had given back, or, where the story is
 * the program's, end as memory_end() does; with a sanitizer nothing else may be wrong either.
 *
 * The program is linked with --wrap for what allocates (Makefile). TORTURE=all takes every
 * allocation, otherwise an even sample.
 */
#ifndef TESTS_UNIT_TORTURE_H
#define TESTS_UNIT_TORTURE_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "ptyd/core/json.h"

#define TORTURE_SAMPLE 60

enum { TORTURE_ENDED, TORTURE_LEAKS = 90, TORTURE_WRONG };

struct torture {
    const char *name;
    void (*tell)(void);     /* the story */
    long sample;            /* allocations that fail, about; 0 for TORTURE_SAMPLE */
    bool of_program;        /* which ends at any failure */
    void (*prepare)(void);  /* before each, in the parent; or NULL */
    bool (*is_whole)(void); /* whether what is left on disk is, behind each; or NULL */
};

/* What a child tells of itself. */
static struct torture_state {
    long count;   /* allocations so far, armed */
    long failing; /* the one that fails; 0 for none */
    long live;    /* that were not given back */
    bool armed;   /* they count, and one may fail */
} * torture_state;

static int torture_tests, torture_failures;

/* ---- what allocates ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
int __real_vasprintf(char **ret, const char *format, va_list args);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_vasprintf(char **ret, const char *format, va_list args);
void __wrap_free(void *memory);

static bool torture_fails(void)
{
    return torture_state && torture_state->armed &&
           ++torture_state->count == torture_state->failing;
}

static void *torture_counted(void *memory)
{
    if (torture_state && memory)
        torture_state->live++;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return torture_fails() ? NULL : torture_counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return torture_fails() ? NULL : torture_counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (torture_fails())
        return NULL;
    return memory ? __real_realloc(memory, size) : torture_counted(__real_realloc(NULL, size));
}

char *__wrap_strdup(const char *text)
{
    return torture_fails() ? NULL : torture_counted(__real_strdup(text));
}

int __wrap_vasprintf(char **ret, const char *format, va_list args)
{
    int len = torture_fails() ? -1 : __real_vasprintf(ret, format, args);
    if (len >= 0)
        torture_counted(*ret);
    return len;
}

void __wrap_free(void *memory)
{
    if (torture_state && memory)
        torture_state->live--;
    __real_free(memory);
}

/* ---- the runner ---- */

static _Noreturn void torture_child(const struct torture *t, int said)
{
    dup2(said, STDERR_FILENO);
    json_need_memory();
    memory_end_always(t->of_program);
    torture_state->count = torture_state->live = 0;
    torture_state->armed = true;
    t->tell();
    torture_state->armed = false;
    _exit(torture_state->live ? TORTURE_LEAKS : TORTURE_ENDED);
}

/* Tells it with that allocation failing; returns whether all was well, else says what was not. */
static bool torture_once(const struct torture *t, long failing)
{
    char text[4096];
    int pipes[2], status;
    size_t len = 0;
    ssize_t n;
    if (t->prepare)
        t->prepare();
    if (pipe(pipes) < 0)
        return false;
    torture_state->failing = failing;
    pid_t pid = fork();
    if (pid == 0)
        torture_child(t, pipes[1]);
    close(pipes[1]);
    while ((n = read(pipes[0], text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)n;
    text[len] = '\0';
    close(pipes[0]);
    waitpid(pid, &status, 0);
    bool ended = status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS &&
                                 !strcmp(text, "ptyd: out of memory\n"));
    bool whole = !t->is_whole || t->is_whole();
    if (!ended || !whole)
        printf("# %s, allocation %ld of it failed: status %#x, %ld not given back%s\n# %s\n",
               t->name, failing, (unsigned)status, torture_state->live, whole ? "" : ", torn",
               text);
    return ended && whole;
}

static void torture_tell(const struct torture *t)
{
    const char *all = getenv("TORTURE");
    bool good = torture_once(t, 0);
    long total = torture_state->count, told = 0;
    long sample = t->sample ? t->sample : TORTURE_SAMPLE;
    long step = all && !strcmp(all, "all") ? 1 : total / sample + 1;
    for (long i = 1; good && i <= total; i += step, told++)
        good = torture_once(t, i);
    torture_failures += !good;
    printf("%s %d - %s: %ld of %ld allocations failed, one by one\n", good ? "ok" : "not ok",
           ++torture_tests, t->name, told, total);
    fflush(stdout);
}

static void torture_begin(void)
{
    torture_state = mmap(NULL, sizeof *torture_state, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (torture_state == MAP_FAILED)
        abort();
}

static int torture_end(void)
{
    printf("1..%d\n", torture_tests);
    return torture_failures != 0;
}

#endif
