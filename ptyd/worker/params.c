/* What several methods find in their params. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/kept.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/closed.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/worker.h"

/* The session that somebody may have meant by a name that none has. */
static const char *nearest(const struct worker *w, const char *name)
{
    struct text_nearest nearest = text_nearest_begin(name);
    for (int i = 0; i < w->session_count; i++)
        if (worker_lists(w->sessions[i]))
            text_nearest_offer(&nearest, session_called(w->sessions[i]));
    return nearest.found;
}

/* The only session that a list would show, NULL where there is none or another. */
static const char *only(struct worker *w)
{
    const char *found = NULL;
    for (int i = 0; i < w->session_count; i++) {
        if (!worker_lists(w->sessions[i]))
            continue;
        if (found)
            return NULL;
        found = session_called(w->sessions[i]);
    }
    return found;
}

/* What is known of a session that is not served. New string. */
static char *whereabouts(struct worker *w, const char *name)
{
    char *closed = closed_directory(w, name), *gone = NULL, *said;
    const char *near = nearest(w, name);
    if (closed)
        said =
            text_format("session %s is closed; `ptyd blocks -s %s` reads what it held", name, name);
    else if ((gone = kept_say_gone(w->options->state, name)))
        said = text_format("there is no session %s: %s", name, gone);
    else if (near)
        said = text_format("there is no session %s; did you mean %s?", name, near);
    else if (only(w))
        said = text_format("there is no session %s, only %s", name, only(w));
    else
        said = text_format("there is no session %s", name);
    free(closed);
    free(gone);
    return said;
}

static void fail_without_session(struct client *client, const json_t *id, const char *name)
{
    char *said = whereabouts(client_worker(client), name);
    size_t len = strlen(said);
    client_fail(client, id, RPC_NO_SESSION, "%s%s `ptyd open %s` starts it, `ptyd list` shows all",
                said, said[len - 1] == '?' ? "" : ";", *name ? name : "NAME");
    free(said);
}

bool worker_knows_session(struct client *client, const json_t *id, const char *name)
{
    struct worker *w = client_worker(client);
    char *closed = closed_directory(w, name);
    bool known = closed || worker_find(w, name);
    if (!known)
        fail_without_session(client, id, name);
    free(closed);
    return known;
}

struct session *worker_session(struct client *client, const json_t *id, const json_t *params)
{
    const char *name = json_text(params, "name", "");
    struct session *session = worker_find(client_worker(client), name);
    if (!session)
        fail_without_session(client, id, name);
    return session;
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
        session_called(session), session_called(session));
    return NULL;
}

struct session *worker_shown_session(struct client *client, const json_t *id, const json_t *params)
{
    return refuse_quarantined(client, id, worker_session(client, id, params));
}

struct session *worker_live_session(struct client *client, const json_t *id, const json_t *params)
{
    const char *name = json_text(params, "name", "");
    struct session *session = worker_session(client, id, params);
    if (!session || !session_exited(session))
        return refuse_quarantined(client, id, session);
    client_fail(client, id, RPC_NO_SESSION, "session %s has ended; `ptyd open %s` starts it again",
                name, name);
    return NULL;
}

static int pixels_of(const json_t *size, const char *key)
{
    long long pixels = json_number(size, key, 0);
    return pixels > 0 && pixels <= UINT16_MAX ? (int)pixels : 0;
}

bool worker_read_size(const json_t *params, struct session_size *ret_size)
{
    const json_t *size = json_object_get(params, "size");
    long long cols = json_number(size, "cols", 0), rows = json_number(size, "rows", 0);
    if (cols < 1 || rows < 1 || cols > LIMIT_SIZE_ASKED || rows > LIMIT_SIZE_ASKED)
        return false;
    *ret_size = (struct session_size){.cols = (int)cols,
                                      .rows = (int)rows,
                                      .x_pixels = pixels_of(size, "x_pixels"),
                                      .y_pixels = pixels_of(size, "y_pixels")};
    return true;
}
