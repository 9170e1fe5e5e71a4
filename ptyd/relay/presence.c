#include "ptyd/relay/presence.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/local.h"

static json_t *cleaned(const json_t *object, const char *key, size_t most)
{
    const char *text = json_text(object, key, NULL);
    char *clean = text ? text_clean(text, strlen(text), most) : NULL;
    json_t *value = clean ? json_string(clean) : json_null();
    free(clean);
    return value;
}

/* ---- ours ---- */

/* What runs in a session, as an agent is shown it; NULL where nothing does. Borrowed from `answer`,
 * which the caller lets go. */
static const char *running(const char *name, json_t **answer)
{
    *answer = local_ask("session.blocks",
                        json_pack("{s:s, s:i, s:b}", "name", name, "last", 1, "agent", 1));
    const json_t *block = json_array_get(json_at(*answer, "result"), 0);
    bool runs = !strcmp(json_text(block, "status", ""), "running");
    return runs ? json_text(block, "cmd", NULL) : NULL;
}

static json_t *session_json(const json_t *session)
{
    const char *name = json_text(session, "conversation_id", "");
    json_t *answer = NULL;
    const char *state = json_text(session, "state", ""), *cmd = NULL;
    if (!strcmp(state, "running") || !strcmp(state, "fullscreen"))
        cmd = running(name, &answer);
    char *head = cmd ? text_clean(cmd, strlen(cmd), LIMIT_TOLD_COMMAND_BYTES) : NULL;
    json_t *json = json_pack("{s:s, s:s, s:s*}", "name", name, "state", state, "cmd", head);
    free(head);
    json_decref(answer);
    return json;
}

json_t *presence_sessions(void)
{
    json_t *sessions = json_array();
    json_t *answer = local_ask("session.list", json_pack("{s:b}", "agent", 1));
    const json_t *session;
    size_t i;
    json_array_foreach(json_at(answer, "result"), i, session)
        if (i < LIMIT_RELAY_SESSIONS)
            json_array_append_new(sessions, session_json(session));
    json_decref(answer);
    return sessions;
}

bool presence_lives(const json_t *sessions)
{
    const json_t *session;
    size_t i;
    json_array_foreach(sessions, i, session)
        if (strcmp(json_text(session, "state", ""), "exited") != 0)
            return true;
    return false;
}

static bool fits(const struct sealing *sealing, const json_t *presence)
{
    char *text = json_dumps(presence, JSON_COMPACT);
    bool fits = text && sealing_size(sealing, strlen(text)) <= LIMIT_RELAY_LETTER_BYTES;
    free(text);
    return fits;
}

/* Of all that runs; nothing of it with 0. */
static void cut_commands(json_t *sessions, size_t most)
{
    json_t *session;
    size_t i;
    json_array_foreach(sessions, i, session) {
        const char *cmd = json_text(session, "cmd", NULL);
        if (cmd && most)
            json_object_set_new(session, "cmd", cleaned(session, "cmd", most));
        else
            json_object_del(session, "cmd");
    }
}

json_t *presence_json(const struct setup *setup, const struct identity *own, int64_t since_ms,
                      bool gone, json_t *sessions)
{
    json_t *presence =
        json_pack("{s:i, s:s, s:s, s:I, s:I, s:b, s:O}", "v", 1, "host_id", own->host_id, "host",
                  setup->host, "since_ms", (json_int_t)since_ms, "now_ms",
                  (json_int_t)clock_wall_ms(), "gone", gone, "sessions", sessions);
    for (size_t most = LIMIT_TOLD_COMMAND_BYTES; most && !fits(&setup->sealing, presence);) {
        most /= 2;
        cut_commands(sessions, most);
    }
    return presence;
}

/* ---- another's ---- */

static json_t *read_session(const json_t *session)
{
    const char *name = json_text(session, "name", "");
    if (!text_is_name(name))
        return NULL;
    return json_pack("{s:s, s:o, s:o}", "name", name, "state",
                     cleaned(session, "state", LIMIT_NAME_BYTES), "cmd",
                     cleaned(session, "cmd", LIMIT_TOLD_COMMAND_BYTES));
}

json_t *presence_read(const json_t *said, const char *host_id)
{
    json_t *sessions = json_array();
    const json_t *session;
    size_t i;
    bool is_one = json_number(said, "v", 0) == 1 &&
                  !strcmp(json_text(said, "host_id", ""), host_id) && *json_text(said, "host", "");
    json_array_foreach(json_object_get(said, "sessions"), i, session) {
        json_t *read = i < LIMIT_RELAY_SESSIONS ? read_session(session) : NULL;
        if (read)
            json_array_append_new(sessions, read);
    }
    json_t *presence = is_one ? json_pack("{s:s, s:o, s:I, s:b, s:O}", "host_id", host_id, "host",
                                          cleaned(said, "host", LIMIT_HOST_BYTES), "since_ms",
                                          (json_int_t)json_number(said, "since_ms", 0), "gone",
                                          json_flag(said, "gone"), "sessions", sessions)
                              : NULL;
    if (presence)
        json_object_set_new(presence, "now_ms", json_integer(json_number(said, "now_ms", 0)));
    json_decref(sessions);
    return presence;
}
