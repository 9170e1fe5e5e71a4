#include "ptyd/worker/rename.h"

#include <errno.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/kept.h"
#include "ptyd/core/names.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/open.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/terminals.h"
#include "ptyd/worker/worker.h"

void rename_resolve(const struct worker *w, const json_t *params)
{
    static const char *const members[] = {"name", "session"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *name = json_text(params, members[i], NULL);
        const char *own = name ? names_own(w->names, name) : NULL;
        if (own != name)
            json_object_set_new((json_t *)params, members[i], json_string(own));
    }
}

void rename_restore(const struct worker *w, struct session *s)
{
    session_call(s, names_given(w->names, session_name(s)));
}

void rename_forget(struct worker *w, const char *own)
{
    names_give(w->names, own, NULL); /* where that cannot be written the name stays taken */
}

/* Why a name is not free; NULL when it is. */
static const char *taken(struct worker *w, const char *name)
{
    if (terminals_is_name(name))
        return "such names are those of terminals' own sessions";
    if (strcmp(names_own(w->names, name), name) != 0)
        return worker_find(w, names_own(w->names, name)) ? "another session has that name"
                                                         : "a closed session has that name";
    if (worker_find(w, name) || open_is_under_way(name))
        return "another session was opened by that name";
    if (kept_exists(w->options->state, name))
        return "what a closed session held is kept by that name";
    return NULL;
}

static void give(struct client *client, const json_t *id, struct session *s, const char *name)
{
    struct worker *w = client_worker(client);
    bool own = !strcmp(name, session_name(s));
    int result = names_give(w->names, session_name(s), own ? NULL : name);
    if (result < 0) {
        client_fail(client, id, RPC_FAILED, "session %s keeps its name: %s", session_called(s),
                    result == -E2BIG ? "too many sessions were renamed" : strerror(-result));
        return;
    }
    rename_restore(w, s);
    client_reply(client, id, json_pack("{s:o}", "session", session_json(s)));
}

void rename_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    const char *name = json_text(params, "to", ""), *why;
    struct session *s = worker_session(client, id, params);
    if (!s)
        return;
    if (!text_is_name(name))
        client_fail(client, id, RPC_INVALID_PARAMS,
                    "a session needs a name of letters, digits, . _ - (at most %d)",
                    LIMIT_NAME_BYTES);
    else if (worker_find(w, names_own(w->names, name)) != s && (why = taken(w, name)))
        client_fail(client, id, RPC_FAILED,
                    "session %s cannot be called %s: %s; another name will do", session_called(s),
                    name, why);
    else
        give(client, id, s, name);
}
