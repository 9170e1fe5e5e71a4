/* child.h - the program that a proxy starts and stands for: found, started, given our signals, and
 * its exit status made ours. */
#ifndef PTYD_PROXY_CHILD_H
#define PTYD_PROXY_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    int pidfd;   /* readable when it has ended; -1 where the kernel has none */
    int in, out; /* to and from it; -1 without pipes */
};

/* The program a name stands for in PATH, this very program under another name left out. New
 * string; NULL when there is none. */
char *child_find(const char *name);

/* Starts argv (found by child_find()); it ends with us. `pipes`: its stdin and stdout are ours;
 * otherwise stdin is empty and stdout is our stderr. Returns 0, or 127 or 126 after a message. */
int child_start(char **argv, bool pipes, struct child *ret_child);

/* From now on signals that end a process are passed to the child, but for those that a terminal
 * sent to both. */
void child_pass_signals(const struct child *child);

/* Waits for its end, closes what is open; returns the wait status. */
int child_wait(struct child *child);

/* The exit status that stands for a wait status; when a signal ended the child, it ends us too. */
int child_become(int wait_status);

#endif
