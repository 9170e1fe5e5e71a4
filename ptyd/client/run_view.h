/* run_view.h - this terminal as that of one command, which `ptyd run` runs: its bytes and keys pass
 * as they are from its begin to its end. Before and behind it the terminal is its owner's.
 *
 * Ctrl-C goes to the command; twice in a row leaves.
 */
#ifndef PTYD_CLIENT_RUN_VIEW_H
#define PTYD_CLIENT_RUN_VIEW_H

#include <stdbool.h>

#include "ptyd/command/rpc.h"

struct run_view;

/* Whether stdin and stdout are a terminal, and it is ours to read: not in the background. */
bool run_view_is_possible(void);

/* Joins the session for the command that `session.run` is asked for with that token; within
 * `wait_ms`. NULL where it is not shown so: after a word on stderr, or by an older daemon.
 * `session` outlives it. */
struct run_view *run_view_create(const char *session, json_int_t token, int wait_ms);

/* Puts the terminal back as it was, and leaves. What it has not taken yet it is given time for. */
void run_view_destroy(struct run_view *view);

/* The command began. */
void run_view_begin(struct run_view *view);

/* rpc_wait(), meanwhile showing and typing; RPC_LATE also when the user has left. */
enum rpc_wait run_view_wait(struct run_view *view, struct rpc *rpc, int64_t until,
                            json_t **ret_message);

/* The command has ended: shows what is on its way yet. False when some of it is missing. */
bool run_view_rest(struct run_view *view);

/* Whether the user left, or the terminal is gone. */
bool run_view_left(const struct run_view *view);

#endif
