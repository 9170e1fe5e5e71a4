/* environment.h - what of a client's environment a session's shell gets. */
#ifndef PTYD_START_ENVIRONMENT_H
#define PTYD_START_ENVIRONMENT_H

#include <jansson.h>
#include <stdbool.h>

/* The session `name` gets `env`, an object of strings, without what is not true in it, with the
 * names that are ours, and with `variable`, NAME=VALUE or NULL, in place of the client's own.
 *
 * A terminal's own session (`terminal`) keeps what the terminal says of itself, TERM, too: its
 * programs reach it. One that may be shown anywhere knows no emulator, and is an xterm-256color.
 *
 * Returns a NULL-terminated list of NAME=VALUE; free it with environment_free(). */
char **environment_make(const json_t *env, const char *name, const char *variable, bool terminal);
void environment_free(char **environment);

/* The bytes that it takes. */
size_t environment_size(char *const *environment);

#endif
