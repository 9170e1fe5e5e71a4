#include "ptyd/forget/sent.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/pair.h"
#include "ptyd/core/text.h"

/* How far each session was sent: {sessions: {NAME: {first, seq, shell}}}; NULL. */
static json_t *cursors_of(const char *state)
{
    char *path = text_format("%s/relay/cursors.json", state);
    enum pair_state states[2];
    struct pair file;
    pair_init(&file, path);
    json_t *cursors = pair_read(&file, LIMIT_META_BYTES, states);
    pair_finish(&file);
    free(path);
    return cursors;
}

static json_t *status_of(const char *state)
{
    char *path = text_format("%s/relay/status.json", state);
    struct bytes text = {0};
    json_t *status = file_read_regular(path, LIMIT_META_BYTES, &text) == 0 && text.data
                         ? json_loadb(text.data, text.len, 0, NULL)
                         : NULL;
    bytes_finish(&text);
    free(path);
    return status;
}

/* A relay that is connected writes down a moment later how far it is: what is behind that is on its
 * way. A former one did not note which was the first: there it may have been any. */
static bool was_sent(const json_t *cursors, bool goes_on, const json_t *command)
{
    const json_t *cursor = json_at(cursors, "sessions", json_text(command, "session", ""));
    long long seq = json_number(command, "seq", 0), first = json_number(cursor, "first", 0);
    if (!json_flag(command, "sendable") || !*json_text(command, "session", ""))
        return false;
    if (seq > json_number(cursor, "seq", 0))
        return goes_on;
    return *json_text(cursor, "shell", "") && seq >= first;
}

static bool is_connected(const json_t *status)
{
    pid_t pid = (pid_t)json_number(status, "pid", 0);
    return json_flag(status, "connected") && pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

static json_t *names_of(const json_t *hosts)
{
    json_t *names = json_array(), *host;
    const char *id;
    json_object_foreach((json_t *)hosts, id, host)
        json_array_append_new(names, json_string(json_text(host, "host", id)));
    return names;
}

json_t *sent_of(const char *state, const json_t *commands)
{
    json_t *status = status_of(state), *cursors = cursors_of(state);
    json_t *blocks = json_array(), *command, *sent = NULL;
    bool goes_on = is_connected(status);
    size_t i;
    json_array_foreach((json_t *)commands, i, command)
        if (was_sent(cursors, goes_on, command))
            json_array_append(blocks, json_object_get(command, "block_id"));
    if (json_array_size(blocks))
        sent = json_pack("{s:s?, s:o, s:O}", "hub", json_text(status, "url", NULL), "hosts",
                         names_of(json_object_get(status, "hosts")), "blocks", blocks);
    json_decref(status);
    json_decref(blocks);
    json_decref(cursors);
    return sent;
}
