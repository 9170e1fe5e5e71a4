#include "ptyd/notify/wake.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/table.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/notify/server.h"
#include "ptyd/proxy/items.h"
#include "ptyd/proxy/leases.h"

const char *wake_end_name(enum wake_end end)
{
    static const char *const names[] = {"begun", "known", "cancelled", "unshown", "late", "failed"};
    return names[end];
}

/* ---- the server's answers ---- */

static const char *error_of(const json_t *answer)
{
    return answer ? json_text(json_object_get(answer, "error"), "message", "") : "no answer";
}

/* The result, a new reference; NULL with *ret_why (a new string, one line), where it is wanted. */
static json_t *ask(struct server *s, const char *method, json_t *params, char **ret_why)
{
    json_t *answer = server_ask(s, method, params);
    json_t *result = json_incref(json_object_get(answer, "result"));
    const char *error = error_of(answer);
    if (!result && ret_why)
        *ret_why = text_clean(error, strlen(error), LIMIT_WORD_BYTES);
    json_decref(answer);
    return result;
}

static json_t *of_thread(const char *thread)
{
    return json_pack("{s:s}", "threadId", thread);
}

/* A thread as thread/read has it, new reference; NULL where the server does not know it. */
static json_t *read_thread(struct server *s, const char *id)
{
    json_t *params = of_thread(id);
    json_object_set_new(params, "includeTurns", json_false());
    json_t *result = ask(s, "thread/read", params, NULL);
    json_t *thread = json_incref(json_object_get(result, "thread"));
    json_decref(result);
    return thread;
}

/* ---- which thread ---- */

/* One that the user sees. */
static bool is_users(const json_t *thread)
{
    const char *source = json_text(thread, "threadSource", "user");
    return thread && !json_flag(thread, "ephemeral") && !strcmp(source, "user");
}

static bool is_below(const char *path, const char *root)
{
    size_t len = strlen(root);
    return *root && !strncmp(path, root, len) && (!path[len] || path[len] == '/');
}

/* Whether `one` is likelier than `other` to be what is meant: it works where the session is, or, if
 * both or none do, something was said in it later. */
static bool is_likelier(const json_t *one, const json_t *other, const char *directory)
{
    bool here = is_below(directory, json_text(one, "cwd", ""));
    bool there = is_below(directory, json_text(other, "cwd", ""));
    if (here != there)
        return here;
    return json_number(one, "recencyAt", json_number(one, "updatedAt", 0)) >
           json_number(other, "recencyAt", json_number(other, "updatedAt", 0));
}

static char *choose_thread(struct server *s, const char *directory)
{
    json_t *loaded = ask(s, "thread/loaded/list", json_object(), NULL), *id, *best = NULL;
    size_t i;
    json_array_foreach(json_object_get(loaded, "data"), i, id) {
        json_t *thread = json_is_string(id) ? read_thread(s, json_string_value(id)) : NULL;
        if (is_users(thread) && (!best || is_likelier(thread, best, directory))) {
            json_decref(best);
            best = json_incref(thread);
        }
        json_decref(thread);
    }
    char *chosen = best ? text_copy(json_text(best, "id", "")) : NULL;
    json_decref(best);
    json_decref(loaded);
    return chosen;
}

/* ---- whether it would be seen ---- */

static enum wake_end unshown(const char *why)
{
    say("codex gets no turn: %s", why);
    return WAKE_UNSHOWN;
}

static bool is_loaded(const json_t *thread)
{
    return thread && strcmp(json_text(json_object_get(thread, "status"), "type", ""), "notLoaded");
}

static enum wake_end look(struct wake *w, struct server *s, const char *directory)
{
    if (!w->thread)
        w->thread = choose_thread(s, directory);
    if (!w->thread)
        return unshown("its server has no thread of yours open");
    json_t *thread = read_thread(s, w->thread);
    bool loaded = is_loaded(thread);
    json_decref(thread);
    if (!loaded)
        return unshown("nobody has that thread open");
    if (!server_has_others(s))
        return unshown("no client is connected to its server that would show one");
    char *why = NULL;
    json_t *queue = ask(s, "thread/queue/list", of_thread(w->thread), &why);
    if (!queue) {
        say("codex gets no turn: its server has no queue for one, and it might steer yours (%s)",
            why);
        free(why);
        return WAKE_UNSHOWN;
    }
    json_decref(queue);
    return WAKE_BEGUN;
}

static struct server *connect_server(const struct wake *w)
{
    struct server *s = server_connect(w->url);
    if (!s)
        say("codex gets no turn: it is reached where `ptyd enable codex` or `ptyd proxy --listen` "
            "serves it; a server on pipes has one client alone");
    return s;
}

enum wake_end wake_look(struct wake *w, const char *directory)
{
    struct server *s = connect_server(w);
    enum wake_end end = s ? look(w, s, directory) : WAKE_UNSHOWN;
    server_destroy(s);
    return end;
}

/* ---- the words ---- */

static void append_outcome(const json_t *block, struct bytes *out)
{
    const char *signal = json_text(block, "signal", NULL);
    const json_t *code = json_object_get(block, "exit_code");
    if (signal)
        bytes_printf(out, "ended by %s", signal);
    else if (json_is_integer(code))
        bytes_printf(out, "ended with exit %lld", (long long)json_integer_value(code));
    else
        bytes_append_text(out, "ended");
    bytes_append_text(out, " after ");
    table_duration(json_number(block, "duration_ms", 0), out);
}

/* The message is the user's: it says what they asked for, and nothing that a program printed but
 * the line that they named. */
char *wake_text(const struct wake *w, const struct event_met *met)
{
    const char *cmd = json_text(met->block, "cmd", "");
    char *head = text_clean(cmd, strlen(cmd), LIMIT_NOTIFY_BYTES);
    struct bytes text = {0};
    bytes_printf(&text, "`%s` in terminal session %s ", head, w->session);
    if (met->line) {
        char *line = text_clean(met->line, strlen(met->line), LIMIT_NOTIFY_BYTES);
        bytes_printf(&text, "printed: %s", line);
        free(line);
    } else {
        append_outcome(met->block, &text);
    }
    free(head);
    return text.data;
}

/* ---- the turn ---- */

struct delivery {
    struct wake *wake;
    struct server *server;
    struct leases *leases;
    json_t *taken; /* NULL: nothing is pending */
    int lane;      /* -1: there is none, or nobody else is heeded */
    bool has_lane;
    int64_t first;  /* turns that were begun by us all, in that thread, when this came */
    int64_t others; /* since then, by others like this: known with the lane */
};

/* ---- others that wait for the same thread ---- */

/* A file that one at a time holds, from waiting to its turn's begin, with the number of turns that
 * were begun so: whoever waits behind it knows which turns were no user's. */

static int64_t lane_count(int lane)
{
    int64_t count = 0;
    return pread(lane, &count, sizeof count, 0) == sizeof count ? count : 0;
}

static void lane_open(struct delivery *d)
{
    static const char plain[] = "0123456789abcdefABCDEF-";
    const char *thread = d->wake->thread;
    bool is_plain = *thread && strlen(thread) < 64 && !thread[strspn(thread, plain)];
    char *socket = paths_socket(), *directory = paths_parent(socket);
    char *path = text_format("%s/notify-%s", directory, is_plain ? thread : "other");
    d->lane = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    d->first = d->lane < 0 ? 0 : lane_count(d->lane);
    free(path);
    free(directory);
    free(socket);
}

static bool lane_take(struct delivery *d)
{
    if (d->lane < 0 || d->has_lane)
        return true;
    if (flock(d->lane, LOCK_EX | LOCK_NB) < 0)
        return false;
    d->has_lane = true;
    d->others = lane_count(d->lane) - d->first;
    return true;
}

static void lane_note_begun(const struct delivery *d)
{
    int64_t count = d->has_lane ? lane_count(d->lane) + 1 : 0;
    if (d->has_lane && pwrite(d->lane, &count, sizeof count, 0) != sizeof count)
        say("those that wait for the same thread may take this turn for one of yours");
}

enum state { IDLE, BUSY, GONE };

enum { NOT_QUEUED = -1 };

/* How many messages stand in the thread's own queue before the one of that id, or NOT_QUEUED; for
 * NULL, how many there are. */
static int queued_before(const struct delivery *d, const char *id)
{
    json_t *list = ask(d->server, "thread/queue/list", of_thread(d->wake->thread), NULL), *one;
    int place = id ? NOT_QUEUED : (int)json_array_size(json_object_get(list, "data"));
    size_t i;
    json_array_foreach(json_object_get(list, "data"), i, one)
        if (id && place == NOT_QUEUED && !strcmp(json_text(one, "id", ""), id))
            place = (int)i;
    json_decref(list);
    return place;
}

static enum state state_of(const struct delivery *d)
{
    json_t *thread = read_thread(d->server, d->wake->thread);
    bool busy = !strcmp(json_text(json_object_get(thread, "status"), "type", ""), "active");
    enum state state = !is_loaded(thread) ? GONE : busy ? BUSY : IDLE;
    json_decref(thread);
    return state;
}

/* Until something changed, or, without the lane, for a moment. False when the time is over, or the
 * server gone. */
static bool wait_on(struct delivery *d, bool first)
{
    int64_t until = d->wake->until, moment = clock_monotonic_ms() + LIMIT_QUEUE_LOOK_MS;
    if (first)
        return server_waits(d->server, until);
    server_waits(d->server, until >= 0 && until < moment ? until : moment);
    return until < 0 || clock_monotonic_ms() < until;
}

/* A turn that runs is waited for, and those of others like this; one that begins behind it is the
 * user's own next. WAKE_BEGUN: none runs. */
static enum wake_end wait_idle(struct delivery *d)
{
    bool said = false;
    server_watch(d->server, d->wake->thread);
    for (;;) {
        bool first = lane_take(d);
        enum state state = state_of(d);
        if (state == GONE)
            return unshown("nobody has that thread open any more");
        if (first && server_turns(d->server) > d->others)
            return WAKE_CANCELLED;
        if (first && state == IDLE)
            return WAKE_BEGUN;
        if (!said)
            say("codex is at work: the turn comes behind the one that runs");
        said = true;
        if (!wait_on(d, first))
            return d->wake->until >= 0 && clock_monotonic_ms() >= d->wake->until
                       ? WAKE_LATE
                       : unshown("its server went away");
    }
}

static bool is_told(const json_t *taken, const char *block_id)
{
    json_t *told;
    size_t i;
    json_array_foreach(json_at(taken, "receipt", "told", "blocks"), i, told)
        if (!strcmp(json_text(told, "block_id", ""), block_id))
            return true;
    return false;
}

static void give_back(struct delivery *d, bool unseen)
{
    if (d->taken)
        leases_release(d->leases, d->taken, unseen);
    json_decref(d->taken);
    d->taken = NULL;
}

/* What waits for the agent goes into the thread's history. */
static enum wake_end inject(struct delivery *d)
{
    if (!d->taken)
        return WAKE_BEGUN;
    char *why = NULL;
    json_t *params = of_thread(d->wake->thread);
    json_object_set_new(params, "items", items_of(d->taken));
    json_t *result = ask(d->server, "thread/inject_items", params, &why);
    if (result)
        leases_commit(d->leases, d->taken, NULL);
    else
        say("codex takes no items into the thread's history: %s", why);
    if (!result)
        give_back(d, !strcmp(why, "no answer"));
    free(why);
    json_decref(result);
    return result ? WAKE_BEGUN : WAKE_FAILED;
}

/* Takes it out of the queue again; codex says whether it was begun before. */
static bool take_back(const struct delivery *d, const char *id)
{
    json_t *params = of_thread(d->wake->thread);
    json_object_set_new(params, "queuedSubmissionId", json_string(id));
    json_t *result = ask(d->server, "thread/queue/delete", params, NULL);
    bool gone = json_flag(result, "deleted");
    json_decref(result);
    return gone;
}

/* It is begun at once, unless a turn of the user's came first: then that one has what there is to
 * tell. Behind a turn that the user interrupted codex begins nothing of its queue. */
static enum wake_end see_begin(const struct delivery *d, const char *id)
{
    int64_t until = clock_monotonic_ms() + LIMIT_QUEUED_MS;
    int before;
    while ((before = queued_before(d, id)) == 0 && state_of(d) != BUSY) {
        if (clock_monotonic_ms() >= until)
            return take_back(d, id) ? unshown("it begins none, as behind one that was interrupted; "
                                              "the next tells it")
                                    : WAKE_BEGUN;
        poll(NULL, 0, LIMIT_QUEUE_LOOK_MS);
    }
    return before != NOT_QUEUED && take_back(d, id) ? WAKE_CANCELLED : WAKE_BEGUN;
}

static enum wake_end queue(struct delivery *d, const struct event_met *met)
{
    char *text = wake_text(d->wake, met), *why = NULL;
    json_t *params = of_thread(d->wake->thread);
    json_object_set_new(params, "clientUserMessageId",
                        json_sprintf("ptyd-%s", json_text(met->block, "block_id", "")));
    json_object_set_new(params, "input", json_pack("[{s:s, s:s}]", "type", "text", "text", text));
    json_t *result = ask(d->server, "thread/queue/add", params, &why);
    const char *id = json_text(json_object_get(result, "queuedSubmission"), "id", "");
    enum wake_end end = result ? see_begin(d, id) : WAKE_FAILED;
    if (!result) /* not asked again: it may have begun */
        say("whether codex has begun the turn is not known: %s", why);
    json_decref(result);
    free(why);
    free(text);
    return end;
}

/* Whose turn is next. A message leaves the queue when its turn begins, and the thread is said to be
 * at work a moment later: so it is asked for behind. What runs then may be of one of us, who was
 * the first before: its turn was begun, and not yet said to be at work, when none seemed to run. */
enum next { NEXT_OURS, NEXT_THEIRS, NEXT_LATER };

static enum next whose_next(const struct delivery *d)
{
    bool theirs = queued_before(d, NULL) != 0;
    enum state state = state_of(d);
    if (theirs || server_turns(d->server) > d->others)
        return NEXT_THEIRS;
    if (state == IDLE)
        return NEXT_OURS;
    return d->others ? NEXT_LATER : NEXT_THEIRS;
}

/* The thread is idle. A command that has ended is told with the turn; where it was told before, the
 * user has said something since, and the agent knows; or another like this has told it along with
 * its own, and what is missing is the turn. *ret_again: one of us is at work yet. */
static enum wake_end tell(struct delivery *d, const struct event_met *met, bool *ret_again)
{
    json_t *thread = read_thread(d->server, d->wake->thread), *roots = json_array();
    const char *cwd = json_text(thread, "cwd", NULL), *id = json_text(met->block, "block_id", "");
    if (cwd)
        json_array_append_new(roots, json_string(cwd));
    d->taken = leases_take(d->leases, d->wake->thread, roots, NULL, false, NULL);
    json_decref(roots);
    json_decref(thread);
    if (!met->line && !d->others && !is_told(d->taken, id)) {
        give_back(d, false);
        return WAKE_KNOWN;
    }
    enum next next = whose_next(d);
    *ret_again = next == NEXT_LATER;
    if (next != NEXT_OURS) {
        give_back(d, false);
        return *ret_again ? WAKE_BEGUN : WAKE_CANCELLED;
    }
    enum wake_end end = inject(d);
    return end == WAKE_BEGUN ? queue(d, met) : end;
}

enum wake_end wake_begin(struct wake *w, const struct event_met *met)
{
    struct delivery d = {.wake = w, .server = connect_server(w), .lane = -1};
    if (!d.server)
        return WAKE_UNSHOWN;
    d.leases = leases_create("codex", w->session, LIMIT_ANSWER_MS);
    enum wake_end end = look(w, d.server, json_text(met->block, "cwd", ""));
    if (end == WAKE_BEGUN)
        lane_open(&d);
    for (bool again = true; end == WAKE_BEGUN && again;) {
        again = false;
        end = wait_idle(&d);
        if (end == WAKE_BEGUN)
            end = tell(&d, met, &again);
    }
    if (end == WAKE_BEGUN)
        lane_note_begun(&d);
    if (d.lane >= 0)
        close(d.lane);
    json_decref(d.taken);
    leases_destroy(d.leases);
    server_destroy(d.server);
    return end;
}
