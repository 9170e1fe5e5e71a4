/* cmd_private.h - `ptyd relay` from inside: its options, and the part of a hub's owner. */
#ifndef PTYD_RELAY_CMD_PRIVATE_H
#define PTYD_RELAY_CMD_PRIVATE_H

#include <stdbool.h>

#include "ptyd/command/cli.h"
#include "ptyd/relay/roles.h"

/* Borrowed strings, NULL where nothing is said. */
struct relay_options {
    const char *url, *creds, *ca, *user, *host, *new_key, *grant, *out, *seal_key;
    const char *block, *grep;
    long offset, limit; /* 0 where nothing is said */
    int64_t until_ms;   /* wall clock; 0: for ever */
    bool publish_only, outputs, new_host, init, seal;
    struct roles plan;
};

/* `ptyd relay hub` (cmd_hub.c). Returns the exit status. */
int relay_hub(const struct cli *cli, const struct relay_options *options);

/* `ptyd relay status` (cmd_status.c). Likewise. */
int relay_status(const struct cli *cli, const char *state);

/* Says a clock that is off, behind a host: `whose` it is compared with (cmd_hosts.c). */
void cmd_print_clock(int64_t ahead_ms, const char *whose);

/* `ptyd relay output` (cmd_hosts.c). Likewise. */
int relay_output(const struct cli *cli, const struct relay_options *options);

#endif
