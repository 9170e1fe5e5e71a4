#include "ptyd/core/say.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SENT_MOST 4096 /* bytes of a line */

static bool sends; /* stderr is a socket that is not to be waited for */

static void say_long(const char *format, va_list args)
{
    fputs("ptyd: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

/* The line in one piece, so that what others say at the same time is not in the middle of it, nor
 * half of it lost where there is little room; what is longer is cut where it is sent, and written
 * in pieces else. */
void say_list(const char *format, va_list args)
{
    char text[SENT_MOST];
    const int most = (int)sizeof text - 1; /* and the line's end in the place of its NUL */
    va_list again;
    va_copy(again, args);
    int len = snprintf(text, sizeof text, "ptyd: ");
    int more = vsnprintf(text + len, sizeof text - (size_t)len, format, args);
    bool cut = more > most - len;
    len = more < 0 ? len : cut ? most : len + more;
    text[len++] = '\n';
    if (sends)
        send(STDERR_FILENO, text, (size_t)len, MSG_DONTWAIT | MSG_NOSIGNAL);
    else if (!cut)
        fwrite(text, 1, (size_t)len, stderr);
    else
        say_long(format, again);
    va_end(again);
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
}

int say_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
    return status;
}

/* With flags of its own. */
static void open_anew(void)
{
    int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    dup2(fd, STDERR_FILENO);
    close(fd);
}

void say_without_waiting(void)
{
    struct stat st;
    signal(SIGTTOU, SIG_IGN); /* in the background of a terminal that stops who writes there */
    if (fstat(STDERR_FILENO, &st) < 0)
        return;
    if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode))
        open_anew();
    sends = S_ISSOCK(st.st_mode); /* which cannot be opened */
}
