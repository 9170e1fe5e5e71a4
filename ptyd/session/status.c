/* How a session stands, for `list`, `status` and whoever serves it. */
#include "ptyd/session/private.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/proc.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

const char *session_name(const struct session *s)
{
    return s->name;
}

const char *session_called(const struct session *s)
{
    return s->called ? s->called : s->name;
}

void session_call(struct session *s, const char *name)
{
    free(s->called);
    s->called = name ? text_copy(name) : NULL;
}

const char *session_shell_id(const struct session *s)
{
    return s->shell_id;
}

char *session_place(const struct session *s)
{
    return s->pid > 0 && !s->reaped ? proc_directory(s->pid) : NULL;
}

bool session_is_terminals(const struct session *s)
{
    return intake_facts(s->intake)->owner != INTAKE_NOBODYS;
}

bool session_is_owned(const struct session *s)
{
    return intake_facts(s->intake)->owner == INTAKE_TERMINAL;
}

void session_leave(struct session *s)
{
    if (session_is_owned(s))
        intake_facts(s->intake)->owner = INTAKE_LEFT;
}

bool session_exited(const struct session *s)
{
    return s->exited;
}

int session_exit_status(const struct session *s)
{
    return s->exit_status;
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

uint64_t session_first_seq(const struct session *s)
{
    return intake_facts(s->intake)->first_seq;
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
    if (s->quarantined)
        return "quarantined";
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

/* ---- its members ---- */

static void append_name(const struct session *s, struct bytes *out)
{
    json_append_string(out, session_called(s));
}

static void append_conversation_id(const struct session *s, struct bytes *out)
{
    json_append_string(out, s->name);
}

static void append_shell_id(const struct session *s, struct bytes *out)
{
    json_append_string(out, s->shell_id);
}

static void append_shell(const struct session *s, struct bytes *out)
{
    json_append_string(out, intake_facts(s->intake)->shell);
}

static void append_shell_pid(const struct session *s, struct bytes *out)
{
    bytes_append_number(out, (unsigned)s->pid);
}

static void append_cwd(const struct session *s, struct bytes *out)
{
    json_append_string(out, tracker_cwd(s->tracker));
}

static void append_size(const struct session *s, struct bytes *out)
{
    bytes_append_text(out, "{\"cols\":");
    bytes_append_number(out, (unsigned)terminal_cols(s->terminal));
    bytes_append_text(out, ",\"rows\":");
    bytes_append_number(out, (unsigned)terminal_rows(s->terminal));
    bytes_append_char(out, '}');
}

static void append_state(const struct session *s, struct bytes *out)
{
    json_append_string(out, session_state(s));
}

static void append_capture(const struct session *s, struct bytes *out)
{
    json_append_string(out, s->paused ? "paused" : "on");
}

static void append_marks(const struct session *s, struct bytes *out)
{
    bytes_append_text(out, tracker_marked(s->tracker) ? "true" : "false");
}

static const struct member {
    const char *name;
    void (*append)(const struct session *s, struct bytes *out);
} members[SESSION_MEMBERS] = {
    {"name", append_name},   {"shell_id", append_shell_id},
    {"shell", append_shell}, {"shell_pid", append_shell_pid},
    {"cwd", append_cwd},     {"size", append_size},
    {"state", append_state}, {"capture", append_capture},
    {"marks", append_marks}, {"conversation_id", append_conversation_id},
};

static int find_member(const char *name)
{
    for (int i = 0; name && i < SESSION_MEMBERS; i++)
        if (!strcmp(members[i].name, name))
            return i;
    return -1;
}

bool session_choose(const json_t *names, struct session_choice *ret_choice)
{
    struct session_choice choice = {0};
    size_t i;
    json_t *name;
    if (!json_is_array(names) || json_array_size(names) > SESSION_MEMBERS)
        return false;
    json_array_foreach(names, i, name) {
        int member = find_member(json_string_value(name));
        if (member < 0)
            return false;
        choice.members[choice.count++] = (unsigned char)member;
    }
    *ret_choice = choice;
    return true;
}

void session_append_chosen(const struct session *s, const struct session_choice *choice,
                           struct bytes *out)
{
    bytes_append_char(out, '[');
    for (int i = 0; i < choice->count; i++) {
        if (i)
            bytes_append_char(out, ',');
        members[choice->members[i]].append(s, out);
    }
    bytes_append_char(out, ']');
}

void session_append_json(const struct session *s, struct bytes *out)
{
    for (int i = 0; i < SESSION_MEMBERS; i++) {
        bytes_append_text(out, i ? ",\"" : "{\"");
        bytes_append_text(out, members[i].name);
        bytes_append_text(out, "\":");
        members[i].append(s, out);
    }
    bytes_append_char(out, '}');
}

json_t *session_json(const struct session *s)
{
    struct bytes text = {0};
    session_append_json(s, &text);
    json_t *value = json_loadb(text.data, text.len, 0, NULL);
    bytes_finish(&text);
    return value;
}

static void add_quarantine_warning(const struct session *s, json_t *warnings)
{
    const struct intake_deadly *deadly = &intake_facts(s->intake)->deadly;
    if (s->quarantined)
        json_array_append_new(
            warnings,
            json_sprintf("session %s is quarantined: ptyd's worker died %d times %s (at %llu). Its "
                         "shell lives and its output is kept; `ptyd reset %s` goes on with it",
                         s->name, LIMIT_DEATHS, board_step_words(deadly->step),
                         (unsigned long long)deadly->at, s->name));
}

static void add_log_warning(const struct session *s, json_t *warnings)
{
    int64_t since_ms;
    int error = rawlog_error(s->log, &since_ms);
    char when[CLOCK_TEXT_SIZE];
    if (error)
        json_array_append_new(warnings,
                              json_sprintf("session %s: its output is not logged since %s: %s",
                                           s->name, clock_text(since_ms, when), strerror(-error)));
}

static void add_owed_warning(const struct session *s, json_t *warnings)
{
    struct owed_state owed = store_owed(s->store);
    char when[CLOCK_TEXT_SIZE];
    if (owed.count)
        json_array_append_new(
            warnings, json_sprintf("session %s: since %s %s cannot be written: %s; %zu blocks wait "
                                   "in memory, and are written when that works again",
                                   s->name, clock_text(owed.since_ms, when), owed.path,
                                   strerror(-owed.error), store_held_blocks(s->store)));
    if (owed.count && !owed.outlives)
        json_array_append_new(
            warnings, json_sprintf("session %s: what waits in memory would be lost with ptyd's "
                                   "worker: there is no descriptor left by which it is kept",
                                   s->name));
    if (owed.dropped)
        json_array_append_new(
            warnings, json_sprintf("session %s: %llu lines that could not be written found no room "
                                   "in memory and are in no file",
                                   s->name, (unsigned long long)owed.dropped));
}

void session_add_warnings(const struct session *s, json_t *warnings)
{
    const char *error = store_error(s->store);
    add_quarantine_warning(s, warnings);
    if (error)
        json_array_append_new(warnings, json_sprintf("session %s: cannot open %s", s->name, error));
    add_owed_warning(s, warnings);
    add_log_warning(s, warnings);
    char *about = text_format("session %s: ", s->name);
    aside_tell(store_aside(s->store), about, warnings);
    free(about);
    if (s->paused)
        json_array_append_new(
            warnings, json_sprintf("session %s: capture is paused; `ptyd context resume -s %s` "
                                   "undoes it",
                                   s->name, s->name));
    const char *lost = tracker_lost(s->tracker);
    if (session_integrated(s) || s->exited || s->quarantined)
        return;
    json_array_append_new(
        warnings, json_sprintf("session %s: no command blocks: %s", s->name,
                               *lost ? lost
                                     : "its shell has no integration; bash, zsh, fish, dash and "
                                       "busybox sh have"));
}
