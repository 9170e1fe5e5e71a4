/* attach.h - this terminal as a view of a session. */
#ifndef PTYD_CLIENT_ATTACH_H
#define PTYD_CLIENT_ATTACH_H

#include <stdbool.h>

#include "ptyd/client/view_link.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/conf.h"

struct attach_options {
    const char *name;   /* of the session */
    const char *within; /* the session whose own terminal this is; NULL or "" for none */
    bool looks;         /* --view: types nothing */
    bool owns;          /* the session is this terminal's and ends with it */
    bool verbose;       /* says in a line which session it is */
    const struct view_opened *opened; /* how it was attached already; NULL: it was not */
    int wait_ms;                      /* for the daemon to show it at first */
    struct conf_file *conf;           /* the user's settings */
};

/* The session was not shown, or its daemon is gone; why was said. No exit status. */
#define ATTACH_FAILED (-1)

/* Shows the session until it ends or the user leaves; the terminal is restored whatever happens.
 * Returns the exit status: the shell's when it ended, 0 after leaving; or ATTACH_FAILED. */
int attach_run(struct rpc *rpc, const struct attach_options *options);

#endif
