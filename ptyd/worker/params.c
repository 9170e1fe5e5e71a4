/* What several methods find in their params. */
#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/kept.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/worker.h"

struct session *worker_session(struct client *client, const json_t *id, const json_t *params)
{
    const char *name = json_text(params, "name", "");
    struct worker *worker = client_worker(client);
    struct session *session = worker_find(worker, name);
    if (session)
        return session;
    char *gone = kept_say_gone(worker->options->state, name);
    client_fail(client, id, RPC_NO_SESSION,
                "there is no session %s%s%s; `ptyd open %s` starts it, `ptyd list` shows all", name,
                gone ? ": " : "", gone ? gone : "", *name ? name : "NAME");
    free(gone);
    return NULL;
}

/* Nothing of a quarantined one can be shown. */
static struct session *refuse_quarantined(struct client *client, const json_t *id,
                                          struct session *session)
{
    if (!session || !session_quarantined(session))
        return session;
    client_fail(
        client, id, RPC_FAILED,
        "session %s is quarantined, `ptyd status` says why: `ptyd reset %s` goes on with it",
        session_name(session), session_name(session));
    return NULL;
}

struct session *worker_shown_session(struct client *client, const json_t *id, const json_t *params)
{
    return refuse_quarantined(client, id, worker_session(client, id, params));
}

struct session *worker_live_session(struct client *client, const json_t *id, const json_t *params)
{
    const char *name = json_text(params, "name", "");
    struct session *session = worker_find(client_worker(client), name);
    if (session && !session_exited(session))
        return refuse_quarantined(client, id, session);
    client_fail(client, id, RPC_NO_SESSION, "session %s does not run; `ptyd open %s` starts it",
                name, *name ? name : "NAME");
    return NULL;
}

bool worker_read_size(const json_t *params, int *ret_cols, int *ret_rows)
{
    const json_t *size = json_object_get(params, "size");
    long long cols = json_number(size, "cols", 0), rows = json_number(size, "rows", 0);
    if (cols < 1 || rows < 1 || cols > LIMIT_SIZE_ASKED || rows > LIMIT_SIZE_ASKED)
        return false;
    *ret_cols = (int)cols;
    *ret_rows = (int)rows;
    return true;
}
