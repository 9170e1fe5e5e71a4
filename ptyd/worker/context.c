/* The ledger knows no session: it is told what there is (struct feeds), and what it changed is kept
 * with the session it concerns before anybody is answered. */
#include "ptyd/worker/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/hosts.h"

/* ---- what the ledger changed ---- */

static void keep_part(struct worker *w, struct session *s)
{
    session_set_key(s, ledger_last_key(w->ledger));
    session_keep(s, "ptyd_ledger", ledger_saved(w->ledger, session_name(s)));
    session_keep(s, "pending_cmd_buffer",
                 ledger_pending_buffer(w->ledger, session_name(s), session_shell_id(s)));
    session_flush(s);
}

static void keep_changed(struct worker *w)
{
    const char *name;
    while ((name = ledger_next_changed(w->ledger))) {
        struct session *s = worker_find(w, name);
        if (s)
            keep_part(w, s);
        else if (!strcmp(name, LEDGER_HOSTS))
            hosts_keep(w->hosts);
    }
}

/* ---- what becomes of sessions ---- */

/* One of them is what workers died of. */
static void drop_offers(struct worker *w, struct session *s)
{
    ledger_clear(w->ledger, session_name(s));
    keep_part(w, s);
}

void context_opened(void *worker, struct session *s)
{
    struct worker *w = worker;
    ledger_raise_keys(w->ledger, session_key(s));
    if (session_quarantined(s) && session_deadly_step(s) == BOARD_OFFER)
        return;
    struct board_place before = board_enter(session_name(s), BOARD_OFFER, 0);
    json_t *blocks = session_quarantined(s)
                         ? json_array()
                         : store_blocks(session_store(s), LIMIT_CONTEXT_MEMORY, true);
    ledger_add_session(w->ledger, session_name(s), store_directory(session_store(s)),
                       session_kept(s, "ptyd_ledger"), blocks, clock_now());
    json_decref(blocks);
    if (!session_quarantined(s) && session_deadly_step(s) == BOARD_RENDER)
        drop_offers(w, s);
    board_leave(&before);
}

static void take_receipt_back(void *ledger, const char *line)
{
    ledger_take_receipt_back(ledger, line);
}

void context_closing(struct worker *w, struct session *s)
{
    char *receipts = ledger_receipts_path(w->ledger);
    store_take_waiting(session_store(s), receipts, take_receipt_back, w->ledger);
    free(receipts);
    if (!session_quarantined(s) || session_deadly_step(s) != BOARD_OFFER)
        keep_part(w, s);
    ledger_remove_session(w->ledger, session_name(s));
}

/* A shell's directory is called as its user went there, an agent's as the kernel has it. What ran
 * on another host is in none here. */
static void note_place(const struct session *s, struct block *block)
{
    char *place = *block->host ? NULL : session_place(s);
    if (place && strcmp(place, block->cwd_after) != 0) {
        free(block->place);
        block->place = place;
    } else {
        free(place);
    }
}

void context_block_ended(void *worker, struct session *s, struct block *block)
{
    struct worker *w = worker;
    ledger_set_conf(w->ledger, worker_conf(w));
    if (!ledger_offer(w->ledger, session_name(s), store_directory(session_store(s)), block))
        return;
    note_place(s, block);
    if (block->seq <= store_known_seq(session_store(s)))
        ledger_note_repeated(w->ledger, session_name(s), clock_now());
    keep_part(w, s);
    follow_pending(w, block);
}

void context_delivered(void *worker, const char *consumer, const char *turn, json_t *block_ids)
{
    keep_changed(worker);
    follow_delivered(worker, consumer, turn, block_ids);
}

void context_released(void *worker, const char *consumer, json_t *block_ids)
{
    keep_changed(worker);
    follow_released(worker, consumer, block_ids);
}

/* ---- what finds no room ---- */

static void note_one(void *user, const char *line)
{
    (void)line;
    *(bool *)user = true;
}

/* With whom some wait already, or who lives. */
static struct session *waits_with(const struct worker *w, const char *path)
{
    struct session *lives = NULL;
    for (int i = 0; i < w->session_count; i++) {
        struct session *s = w->sessions[i];
        bool waits = false;
        store_each_waiting(session_store(s), path, note_one, &waits);
        if (waits)
            return s;
        lives = !lives && !session_exited(s) && !session_quarantined(s) ? s : lives;
    }
    return lives;
}

bool context_append(void *worker, const char *path, const char *line, long long most)
{
    struct session *s = waits_with(worker, path);
    if (s)
        store_append_other(session_store(s), path, line, most);
    return s;
}

void context_each_waiting(void *worker, const char *path,
                          void (*each)(void *user, const char *line), void *user)
{
    const struct worker *w = worker;
    for (int i = 0; i < w->session_count; i++)
        store_each_waiting(session_store(w->sessions[i]), path, each, user);
}

/* ---- what there is ---- */

static struct feeds make_feeds(const struct worker *w, struct feed feed[LIMIT_SESSIONS])
{
    for (int i = 0; i < w->session_count; i++) {
        const struct session *s = w->sessions[i];
        feed[i] = (struct feed){
            .name = session_name(s),
            .shell_id = session_shell_id(s),
            .cwd = session_knows_secrets(s) ? tracker_cwd(session_tracker(s)) : "",
            .secrets = session_secrets(s),
            .paused = session_paused(s) || session_quarantined(s),
            .exited = session_exited(s),
            .running = session_knows_secrets(s) ? tracker_running(session_tracker(s)) : NULL,
        };
    }
    return (struct feeds){.feed = feed, .count = (size_t)w->session_count};
}

/* Brings the running command's preview up to date, as an agent may be told of it. */
static void refresh_running(struct worker *w, const struct feed *feed)
{
    struct session *s = feed ? worker_find(w, feed->name) : NULL;
    if (!s || !feed->running || feed->running->private || feed->running->unrecorded)
        return;
    struct board_place before = worker_looks_at(s);
    tracker_peek(session_tracker(s), LIMIT_RUNNING_LINES, LIMIT_RUNNING_BYTES);
    block_redact(feed->running, session_secrets(s));
    board_leave(&before);
}

/* ---- methods ---- */

static enum ledger_format format_of(const json_t *params)
{
    const char *format = json_text(params, "format", NULL);
    return format && !strcmp(format, "text")       ? LEDGER_TEXT
           : format && !strcmp(format, "envelope") ? LEDGER_ENVELOPE
                                                   : LEDGER_ENTRIES;
}

/* The seconds for which a lease is wanted, in ms; 0 where that is not said. */
static int64_t lasts_ms(const json_t *params)
{
    json_int_t seconds = json_number(params, "lasts", 0);
    return seconds <= 0 ? 0 : (seconds < LIMIT_HELD_S ? seconds : LIMIT_HELD_S) * 1000LL;
}

static void take_call(struct client *client, const json_t *id, const json_t *params, bool peek)
{
    struct worker *w = client_worker(client);
    const char *consumer = json_text(params, "consumer", NULL);
    bool expires = json_flag(params, "expires") && !json_flag(params, "until_held");
    struct feed feed[LIMIT_SESSIONS];
    struct feeds feeds = make_feeds(w, feed);
    struct ledger_request request = {
        .consumer = consumer ? consumer : "cli",
        .session = json_text(params, "session", NULL),
        .thread = json_text(params, "thread", NULL),
        .roots = json_object_get(params, "roots"),
        .taken = json_object_get(params, "taken_keys"),
        .renumber = json_flag(params, "renumber"),
        .format = format_of(params),
        .peek = peek,
        .expires = expires,
        .lasts_ms = lasts_ms(params),
        .owner = expires ? NULL : client,
        .pid = expires ? 0 : client_pid(client),
        .now = clock_now(),
        .tagged = json_flag(params, "tagged"),
    };
    if (json_is_array(json_object_get(params, "held")))
        ledger_release_unheard(w->ledger, client_pid(client), json_object_get(params, "held"));
    ledger_set_conf(w->ledger, worker_conf(w));
    refresh_running(w, ledger_header_feed(w->ledger, &request, &feeds));
    json_t *result = ledger_take(w->ledger, &request, &feeds);
    keep_changed(w);
    if (result)
        client_reply(client, id, result);
    else
        client_fail(client, id, RPC_BUSY, "%d leases are out; commit or release one", LIMIT_LEASES);
}

void context_take_call(struct client *client, const json_t *id, const json_t *params)
{
    take_call(client, id, params, false);
}

/* A person looks: of a session that never was nothing is pending, but nothing is known, either. */
void context_show_call(struct client *client, const json_t *id, const json_t *params)
{
    const char *name = json_text(params, "session", NULL);
    if (!name || worker_knows_session(client, id, name))
        take_call(client, id, params, true);
}

/* What was settled is kept before it is answered. */
static void settled(struct client *client, const json_t *id, bool known)
{
    keep_changed(client_worker(client));
    if (known)
        client_reply(client, id, json_object());
    else
        client_fail(client, id, RPC_FAILED, "no such lease: it was settled or has expired");
}

void context_commit_call(struct client *client, const json_t *id, const json_t *params)
{
    settled(client, id,
            ledger_commit(client_worker(client)->ledger, json_number(params, "lease", 0),
                          json_object_get(params, "receipt"), json_text(params, "turn_id", NULL)));
}

void context_release_call(struct client *client, const json_t *id, const json_t *params)
{
    settled(client, id,
            ledger_release(client_worker(client)->ledger, json_number(params, "lease", 0),
                           json_flag(params, "unseen")));
}

void context_hold_call(struct client *client, const json_t *id, const json_t *params)
{
    json_int_t seconds = json_number(params, "lasts", 0);
    if (seconds < 1 || seconds > LIMIT_HELD_S) {
        client_fail(client, id, RPC_INVALID_PARAMS, "lasts is 1 to %d seconds", LIMIT_HELD_S);
        return;
    }
    settled(client, id,
            ledger_hold(client_worker(client)->ledger, json_number(params, "lease", 0),
                        seconds * 1000LL, clock_now()));
}

void context_explain_call(struct client *client, const json_t *id, const json_t *params)
{
    json_int_t last = json_number(params, "last", 1);
    last = last < 1 ? 1 : last > LIMIT_RECEIPTS_ASKED ? LIMIT_RECEIPTS_ASKED : last;
    client_reply(client, id,
                 json_pack("{s:o}", "receipts",
                           ledger_receipts(client_worker(client)->ledger,
                                           json_text(params, "turn", NULL), (size_t)last)));
}

void context_inherit_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    const char *from = json_text(params, "from", NULL), *to = json_text(params, "to", NULL);
    if (!from || !to) {
        client_fail(client, id, RPC_INVALID_PARAMS, "which consumers? from and to");
        return;
    }
    ledger_inherit(w->ledger, from, to, json_text(params, "last_turn", NULL),
                   json_text(params, "before_turn", NULL), clock_now());
    keep_changed(w);
    client_reply(client, id, json_object());
}

/* A new array of the ids: older clients name one, `turn`. */
static json_t *turns_of(const json_t *params)
{
    const json_t *listed = json_object_get(params, "turns");
    json_t *turns = json_is_array(listed) ? json_copy((json_t *)listed) : json_array();
    const char *turn = json_text(params, "turn", "");
    if (*turn)
        json_array_append(turns, json_object_get(params, "turn"));
    return turns;
}

void context_revert_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    const char *consumer = json_text(params, "consumer", NULL);
    struct ledger_cut cut = {
        .last = json_text(params, "last_turn", NULL),
        .before = json_text(params, "before_turn", NULL),
    };
    json_t *turns = turns_of(params);
    cut.turns = turns;
    if (!consumer || (cut.before && !*cut.before) ||
        (!cut.last && !cut.before && !json_array_size(turns))) {
        client_fail(client, id, RPC_INVALID_PARAMS,
                    "whose turns? consumer, and last_turn, before_turn or turns");
    } else {
        ledger_revert(w->ledger, consumer, &cut);
        keep_changed(w);
        client_reply(client, id, json_object());
    }
    json_decref(turns);
}

/* `on` may name a thread. */
void context_inject_call(struct client *client, const json_t *id, const json_t *params)
{
    const json_t *on = json_object_get(params, "on");
    if (!json_is_boolean(on)) {
        client_fail(client, id, RPC_INVALID_PARAMS, "on is true or false");
        return;
    }
    if (!ledger_set_injection(client_worker(client)->ledger, json_text(params, "thread", NULL),
                              json_is_true(on))) {
        client_fail(client, id, RPC_BUSY,
                    "%d threads are off already; switch one of them on (`ptyd context on --thread "
                    "ID`), or all (`ptyd context on`)",
                    LIMIT_THREADS_OFF);
        return;
    }
    follow_capture(client_worker(client), NULL);
    client_reply(
        client, id,
        json_pack("{s:b}", "injection", ledger_injects(client_worker(client)->ledger, NULL, NULL)));
}

/* One session, or all. */
void context_pause_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    bool all = !json_text(params, "name", NULL);
    bool paused = json_flag(params, "paused");
    struct session *one = all ? NULL : worker_session(client, id, params);
    if (!all && !one)
        return;
    for (int i = 0; i < w->session_count; i++)
        if (all || w->sessions[i] == one)
            session_set_paused(w->sessions[i], paused);
    client_reply(client, id, json_pack("{s:i}", "sessions", all ? w->session_count : 1));
}

void context_clear_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    size_t count = ledger_clear(w->ledger, json_text(params, "name", NULL));
    keep_changed(w);
    follow_pending(w, NULL);
    client_reply(client, id, json_pack("{s:I}", "cleared", (json_int_t)count));
}

void context_client_gone(struct client *client)
{
    struct worker *w = client_worker(client);
    ledger_release_owner(w->ledger, client);
    keep_changed(w);
}
