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
#include "ptyd/core/paths.h"
#include "ptyd/core/proc.h"
#include "ptyd/core/text.h"

/* Its shell's pid, 0 where that has ended, and the name of its files, a new string. */
static long long find_session(const char *called, char **ret_name)
{
    json_t *sessions = request_look("session.list", json_object()), *s;
    long long pid = 0;
    size_t i;
    *ret_name = text_copy(called);
    json_array_foreach(sessions, i, s) {
        bool runs = strcmp(json_text(s, "state", "exited"), "exited") != 0;
        if (strcmp(json_text(s, "name", ""), called) != 0)
            continue;
        pid = runs ? json_number(s, "shell_pid", 0) : 0;
        free(*ret_name);
        *ret_name = text_copy(json_text(s, "conversation_id", called));
    }
    json_decref(sessions);
    return pid;
}

/* What was secret in its shells, as long as it is kept. */
static bool add_former(const char *name, struct redact_secrets **secrets)
{
    char *state = paths_state();
    bool kept = former_read(state, name, secrets);
    free(state);
    return kept;
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
    char *name;
    long long pid = find_session(session, &name);
    own_rules_use();
    *ret_shell = pid > 0 && add_environment((long)pid, &environ);
    add_environment(PROC_SELF, &environ);
    if (environ.len && redact_secrets_create(environ.data, environ.len, &secrets) < 0)
        memory_end(); /* what is not known to be secret would be shared */
    *ret_shell = add_former(name, &secrets) || *ret_shell;
    free(name);
    if (environ.data)
        explicit_bzero(environ.data, environ.len);
    bytes_finish(&environ);
    return secrets;
}
