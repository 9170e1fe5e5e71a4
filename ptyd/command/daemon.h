/* daemon.h - starting the daemon, and what can be said of one that does not answer. */
#ifndef PTYD_COMMAND_DAEMON_H
#define PTYD_COMMAND_DAEMON_H

#include <stdbool.h>
#include <sys/types.h>

/* One that was started, seen from outside. Zeroed it is none. */
struct daemon {
    int process;    /* a pidfd; -1 where there is none to be had */
    char *log;      /* the file that it writes its messages to, which may not be there; owned */
    off_t log_from; /* where its own begin */
};

/* Starts `ptyd serve` for that socket, on its own: own session, no terminal, messages in a file
 * beside the socket. Returns 0 or -errno: that of the socket's directory, -EPERM where this is
 * another's. Either way daemon_forget() ends what this process holds of it. */
int daemon_start(const char *socket, struct daemon *ret_daemon);

/* The same for another command of ptyd's, with `log` the name of the file beside the socket. */
int daemon_launch(const char *socket, const char *log, char *const *argv,
                  struct daemon *ret_daemon);
void daemon_forget(struct daemon *daemon);

/* Whether it is over already: another one serves, or none can. */
bool daemon_ended(const struct daemon *daemon);

/* What it wrote last; NULL where it wrote nothing. New string. */
char *daemon_last_words(const struct daemon *daemon);

/* The process that has locked the socket; 0 when none has. */
long daemon_keeper(const char *socket);

/* Whether its worker gets on with something: it runs, waits for a disk, or has used more of a
 * processor than `*used` (ticks), where it is noted how much. One that is stopped does not. */
bool daemon_gets_on(const char *socket, unsigned long *used);

/* Whether another worker may be expected: the keeper or the worker gets on, in the same way, or
 * there is none between two of them. Not where one of both is stopped. */
bool daemon_comes(const char *socket, unsigned long *used);

/* Whether one of its processes is stopped: it answers when it is let go on, and not before. */
bool daemon_is_stopped(const char *socket);

/* Whom the socket belongs to and what can be done about it when nobody answers there, for the end
 * of a message: "process 12 is stopped: `kill -CONT 12` lets it go on". New string. */
char *daemon_advice(const char *socket);

#endif
