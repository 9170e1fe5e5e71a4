/* spawn.h - a program on a new pseudo-terminal.
 *
 * The worker writes a request (strings and numbers) into a memfd; the keeper, which parses
 * nothing else, reads it and forks.
 */
#ifndef PTYD_KEEPER_SPAWN_H
#define PTYD_KEEPER_SPAWN_H

#include <stdint.h>
#include <sys/types.h>

/* Strings are borrowed. */
struct spawn_request {
    int cols, rows;
    int x_pixels, y_pixels; /* of all of it; 0 where they are not known */
    unsigned umask;
    const char *cwd;     /* falls back to $HOME, then / */
    const char *program; /* a path, or a name looked up in the PATH of `env` */
    char *const *argv;   /* NULL-terminated */
    char *const *env;    /* NULL-terminated, the whole environment */
    const char *script;  /* given to the program on descriptor 3, "" for no descriptor 3 */
};

#define SPAWN_SCRIPT_FD 3

/* Writes the request into a new memfd. Returns the descriptor, the caller's, or -errno. */
int spawn_pack(const struct spawn_request *request);

/* Gives this process, and those it forks, all the descriptors that it may have; programs that
 * spawn_run() starts get what there was before. */
void spawn_raise_files(void);

/* That limit, soft and hard, 0 before it was raised; and where a former program in this process has
 * raised it, what there was before that. */
void spawn_original_files(uint64_t *ret_soft, uint64_t *ret_hard);
void spawn_resume_files(uint64_t soft, uint64_t hard);

/* Makes the terminal that the next spawn_run() takes, where none lies ready: while nobody waits.
 * Without one it is made then. */
void spawn_make_spare(void);
void spawn_close_spare(void);

/* Runs what the memfd asks for. Returns 0 with the process and the terminal's master (CLOEXEC,
 * non-blocking), or -errno, that of a failed exec included. */
int spawn_run(int request_fd, pid_t *ret_pid, int *ret_master);

#endif
