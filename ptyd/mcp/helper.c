#define _GNU_SOURCE
#include "ptyd/mcp/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory.h"

struct helper {
    pid_t pid;
    int fd;
    struct bytes text;
    helper_answer *then;
    void *work;
};

static struct helper *helpers[LIMIT_MCP_HELPERS]; /* NULL where none is */

static struct helper **free_place(void)
{
    for (int i = 0; i < LIMIT_MCP_HELPERS; i++)
        if (!helpers[i])
            return &helpers[i];
    return NULL;
}

/* In the child: ends with us, and asks nobody anything. */
static _Noreturn void become(char *const *argv, const char *state, int out)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    setenv("PTYD_STATE_DIR", state, 1);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0 &&
        dup2(out, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", argv);
    _exit(127);
}

struct helper *helper_start(char *const *argv, const char *state, helper_answer *then, void *work)
{
    struct helper **place = free_place();
    int ends[2];
    if (!place || pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    pid_t pid = fork();
    if (pid == 0)
        become(argv, state, ends[1]);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return NULL;
    }
    *place = memory_new(sizeof **place);
    **place = (struct helper){.pid = pid, .fd = ends[0], .then = then, .work = work};
    return *place;
}

/* Returns the wait status. */
static int reap(struct helper *h)
{
    int status = 0;
    close(h->fd);
    while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < LIMIT_MCP_HELPERS; i++)
        if (helpers[i] == h)
            helpers[i] = NULL;
    return status;
}

void helper_end(struct helper *h)
{
    if (!h)
        return;
    kill(h->pid, SIGKILL);
    reap(h);
    bytes_finish(&h->text);
    free(h);
}

int helper_fds(int *fds)
{
    int count = 0;
    for (int i = 0; i < LIMIT_MCP_HELPERS; i++)
        if (helpers[i])
            fds[count++] = helpers[i]->fd;
    return count;
}

static void finish(struct helper *h, bool whole)
{
    if (!whole)
        kill(h->pid, SIGKILL);
    int status = reap(h);
    h->then(h->work, h->text.data ? h->text.data : "", h->text.len,
            whole && WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    bytes_finish(&h->text);
    free(h);
}

void helper_work(int fd)
{
    struct helper *h = NULL;
    for (int i = 0; i < LIMIT_MCP_HELPERS; i++)
        if (helpers[i] && helpers[i]->fd == fd)
            h = helpers[i];
    if (!h)
        return;
    char *room = bytes_reserve(&h->text, LIMIT_OUTPUT_PIECE_BYTES);
    ssize_t n = room ? read(h->fd, room, LIMIT_OUTPUT_PIECE_BYTES) : 0;
    if (n > 0)
        h->text.len += (size_t)n;
    if (n == 0 || (n < 0 && errno != EINTR) || h->text.len > LIMIT_MCP_HELPER_BYTES)
        finish(h, n == 0);
}
