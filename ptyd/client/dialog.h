/* dialog.h - a session that is typed into and waited for, over the deaths of workers.
 *
 * A cursor is a place in the session's stream: what is waited for has to come behind it. Nothing is
 * typed twice.
 */
#ifndef PTYD_CLIENT_DIALOG_H
#define PTYD_CLIENT_DIALOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "ptyd/client/key_names.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/rpc.h"

struct dialog {
    const struct cli *cli;
    struct rpc rpc;
    bool connected;
    int64_t until;          /* monotonic ms: whoever asks has no more time then; -1 for ever */
    bool late;              /* that is why something failed */
    uint64_t now;           /* where the stream stood at the last dialog_look() */
    uint64_t end;           /* the same, also inside a sequence */
    struct key_modes modes; /* then */
    int cols;
};

/* Connects; starts no daemon; `until` is for ever. Returns 0, or -1 after a message. The struct
 * outlives no `cli`. */
int dialog_open(struct dialog *d, const struct cli *cli, int wait_ms);
void dialog_close(struct dialog *d);

/* When `wait_ms` from now, or all the time that there is, are over. */
int64_t dialog_until(const struct dialog *d, int wait_ms);

/* Says that there is no answer. */
void dialog_say_late(struct dialog *d);

/* Asks how the session stands. Returns 0, or -1 after a message. */
int dialog_look(struct dialog *d);

/* Asks something that only looks, until `until` (monotonic ms, -1 for ever); of a worker's
 * successor again. RPC_CAME sets *ret_result, a new reference; RPC_LOST comes after a message.
 * Steals `params`, gets `name` into them. */
enum rpc_wait dialog_ask(struct dialog *d, const char *method, json_t *params, int64_t until,
                         json_t **ret_result);

/* Types the bytes; ends when the terminal has them, or when `timeout` seconds (0 for none) are
 * over. Returns EXIT_OK with where the stream stood before the first byte in *ret_from, or
 * EXIT_TIMEOUT or EXIT_FAILED after a message that says how much was typed. */
int dialog_type(struct dialog *d, const struct bytes *input, double timeout, uint64_t *ret_from);

#endif
