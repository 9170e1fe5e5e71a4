/* How a session stands, for `list`, `status` and whoever serves it. */
#include "ptyd/session/private.h"

#include <string.h>
#include <time.h>

const char *session_name(const struct session *s)
{
    return s->name;
}

const char *session_shell_id(const struct session *s)
{
    return s->shell_id;
}

bool session_exited(const struct session *s)
{
    return s->exited;
}

struct terminal *session_terminal(const struct session *s)
{
    return s->terminal;
}

struct tracker *session_tracker(const struct session *s)
{
    return s->tracker;
}

struct store *session_store(const struct session *s)
{
    return s->store;
}

uint64_t session_spoofed_marks(const struct session *s)
{
    return s->spoofed;
}

bool session_integrated(const struct session *s)
{
    return intake_facts(s->intake)->nonce[0] != '\0' && !*tracker_lost(s->tracker);
}

const char *session_state(const struct session *s)
{
    if (s->exited)
        return "exited";
    if (terminal_alt_screen(s->terminal))
        return "fullscreen";
    switch (tracker_state(s->tracker)) {
    case TRACKER_START:
        return session_integrated(s) ? "starting" : "running";
    case TRACKER_RUNNING:
        return "running";
    default:
        if (!session_integrated(s))
            return "running"; /* nobody can say more */
        return "prompt";
    }
}

json_t *session_json(const struct session *s)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:s, s:{s:i, s:i}, s:s, s:b, s:s}", "name", s->name,
                     "shell_id", s->shell_id, "shell", intake_facts(s->intake)->shell, "shell_pid",
                     (json_int_t)s->pid, "cwd", tracker_cwd(s->tracker), "size", "cols",
                     terminal_cols(s->terminal), "rows", terminal_rows(s->terminal), "state",
                     session_state(s), "marks", tracker_marked(s->tracker), "capture",
                     s->paused ? "paused" : "on");
}

static void add_log_warning(const struct session *s, json_t *warnings)
{
    int64_t since_ms;
    int error = rawlog_error(s->log, &since_ms);
    time_t since = (time_t)(since_ms / 1000);
    struct tm local;
    char when[32] = "";
    if (!error || !localtime_r(&since, &local))
        return;
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
    json_array_append_new(warnings,
                          json_sprintf("session %s: its output is not logged since %s: %s", s->name,
                                       when, strerror(-error)));
}

void session_add_warnings(const struct session *s, json_t *warnings)
{
    const char *error = store_error(s->store);
    if (error)
        json_array_append_new(warnings,
                              json_sprintf("session %s: cannot write %s", s->name, error));
    add_log_warning(s, warnings);
    const char *damaged = store_damaged(s->store);
    if (damaged)
        json_array_append_new(warnings,
                              json_sprintf("session %s: could not be opened and was set aside: %s",
                                           s->name, damaged));
    if (s->paused)
        json_array_append_new(
            warnings, json_sprintf("session %s: capture is paused; `ptyd context resume -s %s` "
                                   "undoes it",
                                   s->name, s->name));
    const char *lost = tracker_lost(s->tracker);
    if (session_integrated(s) || s->exited)
        return;
    json_array_append_new(
        warnings, json_sprintf("session %s: no command blocks: %s", s->name,
                               *lost ? lost
                                     : "its shell has no integration; bash, zsh, fish, dash and "
                                       "busybox sh have"));
}
