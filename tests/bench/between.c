/* between: two terminals and nothing else. It reads keys from the one it was started in and writes
 * them to another, in which COMMAND runs, and what that shows the other way: a thread for each way,
 * no parsing, nothing kept. That is what a second terminal costs.
 *
 * usage: between COMMAND... */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define CHUNK (1 << 16)

static struct termios before;
static int inner; /* the master of the terminal within */

static void write_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno != EINTR)
            return;
        data += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
}

static void pass(int from, int to, char *buffer)
{
    ssize_t n;
    while ((n = read(from, buffer, CHUNK)) > 0 || (n < 0 && errno == EINTR))
        write_all(to, buffer, n > 0 ? (size_t)n : 0);
}

static void *pass_keys(void *none)
{
    static char buffer[CHUNK];
    pass(STDIN_FILENO, inner, buffer);
    return none;
}

int main(int argc, char **argv)
{
    static char buffer[CHUNK];
    struct winsize size;
    pthread_t keys;
    int status;
    if (argc < 2 || tcgetattr(STDIN_FILENO, &before) < 0 ||
        ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0) {
        fprintf(stderr, "usage: between COMMAND..., in a terminal\n");
        return 2;
    }
    pid_t child = forkpty(&inner, NULL, &before, &size);
    if (child == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    struct termios raw = before;
    cfmakeraw(&raw);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    if (child < 0 || pthread_create(&keys, NULL, pass_keys, NULL))
        return 1;
    pass(inner, STDOUT_FILENO, buffer);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    if (waitpid(child, &status, 0) != child)
        return 1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
