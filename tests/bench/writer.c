/* writer: what a program in a terminal writes, and how long the terminal takes it.
 *
 * usage: writer WORK MEGABYTES RESULT    writes the work to stdout, then the seconds that took, up
 * to the last byte taken, into RESULT writer raw WORK MEGABYTES RESULT    the same in a terminal
 * whose reader only reads */
#define _GNU_SOURCE
#include <errno.h>
#include <pty.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/works.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* On one processor: where the scheduler puts a writer beside its reader, and that it changes its
 * mind now and then, makes a factor of two and is not what is measured. */
static void stay_on_one_processor(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static int write_work(const char *name, size_t len, const char *result)
{
    struct bytes work = {0};
    for (size_t i = 0; i < WORK_COUNT; i++)
        if (!strcmp(works[i].name, name))
            work_make(&works[i], len, &work);
    stay_on_one_processor();
    double began = now();
    for (size_t at = 0; at < work.len;) {
        size_t n = work.len - at < 65536 ? work.len - at : 65536;
        ssize_t wrote = write(STDOUT_FILENO, work.data + at, n);
        if (wrote < 0 && errno != EINTR)
            return 1;
        at += wrote > 0 ? (size_t)wrote : 0;
    }
    tcdrain(STDOUT_FILENO);
    double took = now() - began;
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.new", result) < 0)
        return 1;
    FILE *file = fopen(temporary, "w");
    if (!file)
        return 1;
    fprintf(file, "%.6f %zu\n", took, work.len);
    fclose(file);
    return rename(temporary, result) < 0;
}

static int raw(char **argv)
{
    static char buffer[65536];
    struct winsize size = {.ws_col = 80, .ws_row = 24};
    int master;
    pid_t pid = forkpty(&master, NULL, NULL, &size);
    if (pid == 0)
        _exit(write_work(argv[2], (size_t)atoi(argv[3]) << 20, argv[4]));
    while (read(master, buffer, sizeof buffer) > 0)
        ;
    waitpid(pid, NULL, 0);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "raw"))
        return raw(argv);
    if (argc != 4)
        return 2;
    return write_work(argv[1], (size_t)atoi(argv[2]) << 20, argv[3]);
}
