/* share.h - what is secret in what a session showed, before it is given to others. */
#ifndef PTYD_CLIENT_SHARE_H
#define PTYD_CLIENT_SHARE_H

#include "envelope/redact/redact.h"

/* The telling values in the environment of the session's shell, where it runs, of those that it
 * had, and in our own; NULL for none. `ret_shell`: whether those of shells are known. Shapes and
 * keys redact_text() knows by itself. From here on the user's own rules count, too; what is wrong
 * in the settings is said. */
struct redact_secrets *share_secrets(const char *session, bool *ret_shell);

#endif
