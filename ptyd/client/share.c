/* The same of a shell's environment that the daemon looks at: the kernel shows it to its user. */
#define _GNU_SOURCE
#include "ptyd/client/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/client/request.h"
#include "ptyd/command/own_rules.h"
#include "ptyd/core/former.h"
#include "ptyd/core/json.h"
#include "ptyd/core/names.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/proc.h"

/* 0 where it has ended. */
static long long shell_pid(const char *session)
{
    json_t *sessions = request_look("session.list", json_object()), *s;
    long long pid = 0;
    size_t i;
    json_array_foreach(sessions, i, s) {
        bool runs = strcmp(json_text(s, "state", "exited"), "exited") != 0;
        if (runs && !strcmp(json_text(s, "name", ""), session))
            pid = json_number(s, "shell_pid", 0);
    }
    json_decref(sessions);
    return pid;
}

/* What was secret in its shells, whether it is open or closed. Returns whether that is all. */
static bool add_former(const char *session, struct redact_secrets **secrets)
{
    char *state = paths_state();
    struct names *names = names_open(state, false);
    bool whole = former_read(state, names_own(names, session), secrets);
    names_close(names);
    free(state);
    return whole;
}

/* Whether there was one. */
static bool add_environment(long pid, struct bytes *environ)
{
    return proc_read(pid, "environ", environ->len + 2 * LIMIT_ENVIRONMENT_BYTES, environ);
}

struct redact_secrets *share_secrets(const char *session, bool *ret_shell)
{
    struct redact_secrets *secrets = NULL;
    struct bytes environ = {0};
    long long pid = shell_pid(session);
    own_rules_use();
    *ret_shell = pid > 0 && add_environment((long)pid, &environ);
    add_environment(PROC_SELF, &environ);
    if (environ.len && redact_secrets_create(environ.data, environ.len, &secrets) < 0)
        memory_end(); /* what is not known to be secret would be shared */
    *ret_shell = add_former(session, &secrets) || *ret_shell;
    if (environ.data)
        explicit_bzero(environ.data, environ.len);
    bytes_finish(&environ);
    return secrets;
}
