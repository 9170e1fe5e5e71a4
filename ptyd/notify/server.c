#define _GNU_SOURCE
#include "ptyd/notify/server.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/proc.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/address.h"
#include "ptyd/proxy/peer.h"
#include "ptyd/proxy/upgrade.h"

struct server {
    struct peer *peer;
    char *path; /* of its socket, as it was bound; NULL for none */
    json_int_t last_id;
    const char *thread; /* that is watched; NULL for none */
    bool changed;       /* its status, since somebody waited for that */
    bool idle;          /* that is the last that was heard of it */
    int turns;          /* that began when it was idle */
};

void server_destroy(struct server *s)
{
    if (!s)
        return;
    peer_close(s->peer, NULL);
    peer_flush(s->peer);
    peer_destroy(s->peer);
    free(s->path);
    free(s);
}

/* ---- messages ---- */

static void send_message(struct server *s, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    peer_write(s->peer, text, strlen(text), true, false);
    peer_flush(s->peer);
    free(text);
    json_decref(message);
}

/* The next that is whole; NULL for none yet. */
static json_t *next_message(struct server *s)
{
    struct peer_piece piece;
    json_t *message = NULL;
    while (!message && peer_peek(s->peer, &piece) && piece.whole) {
        message = json_loadb(piece.data, piece.len, JSON_ALLOW_NUL, NULL);
        peer_consume(s->peer, &piece);
    }
    return message;
}

/* Lets bytes come and go until `until`. Returns false when it is later, or nothing more comes. */
static bool exchange(struct server *s, int64_t until)
{
    struct pollfd fds[2];
    int64_t left = until < 0 ? -1 : until - clock_monotonic_ms();
    if (peer_has_ended(s->peer) || peer_is_dead(s->peer) || (until >= 0 && left <= 0))
        return false;
    int n = peer_poll(s->peer, true, fds);
    poll(fds, (nfds_t)n, peer_has_more(s->peer) ? 0 : left > INT32_MAX ? INT32_MAX : (int)left);
    if (peer_readable(fds) || peer_has_more(s->peer))
        peer_read(s->peer);
    peer_flush(s->peer);
    return true;
}

/* What nobody waits for: of a notification its word of the thread, a request of the server's is not
 * ours to answer, an answer comes too late. */
static void note(struct server *s, const json_t *message)
{
    const json_t *params = json_object_get(message, "params");
    const char *status = json_text(json_object_get(params, "status"), "type", "");
    if (!s->thread || strcmp(json_text(message, "method", ""), "thread/status/changed") ||
        strcmp(json_text(params, "threadId", ""), s->thread))
        return;
    s->changed = true;
    s->turns += s->idle && !strcmp(status, "active");
    s->idle = !strcmp(status, "idle");
}

json_t *server_ask(struct server *s, const char *method, json_t *params)
{
    int64_t until = clock_monotonic_ms() + LIMIT_APP_SERVER_MS;
    json_int_t id = ++s->last_id;
    json_t *message;
    send_message(s, json_pack("{s:I, s:s, s:o}", "id", id, "method", method, "params", params));
    do {
        while ((message = next_message(s))) {
            if (!json_object_get(message, "method") && json_number(message, "id", 0) == id)
                return message;
            note(s, message);
            json_decref(message);
        }
    } while (exchange(s, until));
    return NULL;
}

bool server_waits(struct server *s, int64_t until)
{
    json_t *message;
    do {
        while ((message = next_message(s))) {
            note(s, message);
            json_decref(message);
        }
    } while (!s->changed && exchange(s, until));
    bool changed = s->changed;
    s->changed = false;
    return changed;
}

void server_watch(struct server *s, const char *thread)
{
    s->thread = thread;
}

int server_turns(const struct server *s)
{
    return s->turns;
}

/* ---- the connection ---- */

static bool introduce(struct server *s)
{
    json_t *answer = server_ask(s, "initialize",
                                json_pack("{s:{s:s, s:s, s:s}, s:{s:b}}", "clientInfo", "name",
                                          "ptyd", "title", "ptyd notify", "version", PTYD_VERSION,
                                          "capabilities", "experimentalApi", 1));
    bool known = json_object_get(answer, "result") != NULL;
    json_decref(answer);
    if (known)
        send_message(s, json_pack("{s:s}", "method", "initialized"));
    else
        say("the app-server does not answer");
    return known;
}

struct server *server_connect(const char *url)
{
    struct address address = {0};
    char *message = NULL;
    struct server *s = NULL;
    signal(SIGPIPE, SIG_IGN);
    struct peer *peer = NULL;
    if (address_parse(url, &address, &message) == 0)
        peer = upgrade_connect(&address, NULL);
    else
        say("%s", message);
    if (peer) {
        s = memory_new(sizeof *s);
        *s = (struct server){.peer = peer};
        s->path = address.path ? realpath(address.path, NULL) : NULL;
    }
    free(message);
    address_finish(&address);
    if (!s || introduce(s))
        return s;
    server_destroy(s);
    return NULL;
}

/* ---- who else is there ---- */

/* A line of /proc/net/unix that is of a connection to the socket: its state is 03. */
static bool is_connection(const char *line, const char *end, const char *path)
{
    size_t len = strlen(path);
    const char *state = line;
    if ((size_t)(end - line) <= len || end[-(long)len - 1] != ' ' || memcmp(end - len, path, len))
        return false;
    for (int field = 0; field < 5 && state < end; field++) {
        state += strspn(state, " ");
        state += strcspn(state, " ");
    }
    return state + 3 <= end && !memcmp(state, " 03", 3);
}

bool server_has_others(const struct server *s)
{
    struct bytes text = {0};
    int count = 0;
    if (!s->path || !proc_read(PROC_SELF, "net/unix", LIMIT_NET_UNIX_BYTES, &text))
        return true;
    bytes_append_char(&text, '\0');
    for (const char *line = text.data, *end; line && (end = strchr(line, '\n')); line = end + 1)
        count += is_connection(line, end, s->path);
    bytes_finish(&text);
    return count != 1; /* we are one; where none is seen this is another namespace */
}
