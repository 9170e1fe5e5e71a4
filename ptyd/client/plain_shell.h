/* plain_shell.h - the user's shell without ptyd, where ptyd cannot have it. */
#ifndef PTYD_CLIENT_PLAIN_SHELL_H
#define PTYD_CLIENT_PLAIN_SHELL_H

#include <stdbool.h>

/* Becomes $SHELL, the shell of the user's account, or /bin/sh, whichever can be started first, with
 * PTYD_SESSION empty: what is asked for by a profile does not begin again. Allocates nothing. Says
 * so on stderr, and returns EXIT_FAILED where none of them can. */
int plain_shell_become(bool login);

/* Where $SHELL is ptyd itself, which cannot be the shell of a session, names another one there. */
void plain_shell_correct(void);

#endif
