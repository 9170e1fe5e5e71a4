/* start.h - how a session's shell is started: environment, arguments, integration script. */
#ifndef PTYD_START_START_H
#define PTYD_START_START_H

#include <jansson.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "ptyd/core/intake.h"

/* What a client asks for. Strings are borrowed; NULL where it said nothing. */
struct start_request {
    const char *name;  /* of the session */
    const char *shell; /* program; else $SHELL of the environment */
    const char *cwd;
    const char *runtime; /* directory for what a shell reads at its start; made when missing */
    const json_t *argv;  /* array: run this instead of a shell */
    const json_t *env;   /* object: the client's environment */
    int cols, rows;
    int x_pixels, y_pixels; /* of all of it; 0 where they are not known */
    unsigned umask;
    bool login;
    bool terminal; /* it is to be a terminal's own */
};

/* Makes the two descriptors of a WIRE_SPAWN, which are the caller's: spawn request and intake.
 * Returns 0, -E2BIG for an environment over the limit, or another -errno. With 0 *ret_file is for
 * start_finish(), once they are sent, and the shell's environment is kept (core/vault.h). */
int start_prepare(const struct start_request *request, int ret_fds[2], char **ret_file);

/* What is left to do for the shell while it starts. */
void start_finish(char *file);

#endif
