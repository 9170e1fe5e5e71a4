/* request.h - what several commands ask of the daemon. */
#ifndef PTYD_CLIENT_REQUEST_H
#define PTYD_CLIENT_REQUEST_H

#include <jansson.h>

#include "ptyd/command/cli.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/view_wire.h"

/* Connects, asks one thing, disconnects. The result is a new reference; NULL after a message. */
json_t *request_once(const struct cli *cli, bool start, const char *method, json_t *params);

/* The same of what only looks: where LIMIT_LOOK_MS pass without the whole answer, and without work
 * of the daemon's, it is said that it does not answer. The first of the two connects for more than
 * one such question; -1 after a message. */
int request_connect_to_look(struct rpc *ret_rpc);
json_t *request_look(const char *method, json_t *params);

/* A number that nobody else makes, by which the daemon knows a request behind its worker's death;
 * positive, with room for a million behind it. */
json_int_t request_new_token(void);

/* A command line of words behind `--`: one alone is the line as it is, several are quoted for the
 * shell. New string. */
char *request_command(char *const *words);

/* Where a session that session.open makes begins: whatever bytes its name has. */
void request_set_directory(json_t *params, const char *path);

/* Parameters of session.open, without a name for a terminal's own: this process's environment,
 * directory and umask. New reference. */
json_t *request_open_params(const char *name);

/* The size of the terminal on stdin or stdout, 80x24 without one. */
struct view_size request_terminal_size(void);

/* {"cols":...,"rows":...}, with pixels where they are known; new reference. */
json_t *request_size_json(struct view_size size);

/* The same from an argument, `80x24`: clamped with a word on stderr to what a terminal may have;
 * ends with status 2 for what is no size. */
json_t *request_size_of(const char *text);

#endif
