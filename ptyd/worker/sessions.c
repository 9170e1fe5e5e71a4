/* The table of sessions, and what the keeper is told of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ptyd/core/say.h"
#include "ptyd/worker/context.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/leaving.h"
#include "ptyd/worker/link.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/worker.h"

const struct conf *worker_conf(struct worker *w)
{
    struct conf_file *file = w->options->conf;
    const struct conf *conf = conf_now(file);
    char *const *lines;
    size_t count = conf_wrong(file, &lines);
    bool anew = conf_wrong_anew(file);
    for (size_t i = 0; anew && i < count; i++)
        say("%s", lines[i]);
    return conf;
}

struct session *worker_find(struct worker *w, const char *name)
{
    for (int i = 0; i < w->session_count; i++)
        if (!strcmp(session_name(w->sessions[i]), name))
            return w->sessions[i];
    return NULL;
}

bool worker_means(const struct session *s, const char *name)
{
    return !name || !strcmp(session_name(s), name);
}

bool worker_lists(const struct session *s)
{
    return !(session_is_terminals(s) && session_exited(s));
}

void worker_append_sessions(const struct worker *w, const char *name,
                            const struct session_choice *choice, struct bytes *out)
{
    size_t before = out->len;
    bytes_append_char(out, '[');
    for (int i = 0; i < w->session_count; i++) {
        if (!worker_lists(w->sessions[i]) || !worker_means(w->sessions[i], name))
            continue;
        if (out->len > before + 1)
            bytes_append_char(out, ',');
        if (choice)
            session_append_chosen(w->sessions[i], choice, out);
        else
            session_append_json(w->sessions[i], out);
    }
    bytes_append_char(out, ']');
}

struct board_place worker_looks_at(const struct session *s)
{
    return board_enter(session_name(s), BOARD_LOOK, terminal_offset(session_terminal(s)));
}

/* Nobody may find one that is about to go. */
static void take_out(struct worker *w, struct session *s)
{
    for (int i = 0; i < w->session_count; i++)
        if (w->sessions[i] == s) {
            w->sessions[i] = w->sessions[--w->session_count];
            context_closing(w, s);
            follow_sessions(w);
            return;
        }
}

void worker_remove(struct worker *w, struct session *s)
{
    take_out(w, s);
    session_destroy(s);
}

void worker_forget(struct worker *w, struct session *s)
{
    session_give_up(s);
    worker_tell(w, WIRE_FORGET, session_name(s), NULL, 0);
    take_out(w, s);
    leaving_add(w, s);
    worker_check_idle(w);
}

int worker_tell(struct worker *w, enum wire_type type, const char *name, const int *fds, int count)
{
    struct wire_message m = {.type = type};
    if (name)
        snprintf(m.name, sizeof m.name, "%s", name);
    int result = link_send(w->link, &m, fds, count);
    if (result < 0 && result != -EPIPE)
        say("cannot reach the keeper: %s", strerror(-result));
    return result;
}

static void on_idle(uv_timer_t *timer)
{
    worker_tell(timer->data, WIRE_STOP, NULL, NULL, 0);
}

static bool anything_lives(const struct worker *w)
{
    for (int i = 0; i < w->session_count; i++)
        if (!session_exited(w->sessions[i]))
            return true;
    return w->server && server_client_count(w->server) > 0;
}

void worker_check_idle(struct worker *w)
{
    if (!w->options->auto_ended || uv_is_closing((uv_handle_t *)&w->idle_timer))
        return;
    if (anything_lives(w))
        uv_timer_stop(&w->idle_timer);
    else if (!uv_is_active((uv_handle_t *)&w->idle_timer))
        uv_timer_start(&w->idle_timer, on_idle, LIMIT_IDLE_MS, 0);
}
