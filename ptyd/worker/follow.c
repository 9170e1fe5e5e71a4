#include "ptyd/worker/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/board.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/session/block_lines.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/worker.h"

struct follower {
    struct errand errand;
    LIST_ENTRY(follower) others;
    struct worker *worker;
    struct client *client;
    json_int_t lost; /* events since it stopped keeping up */
    bool agent;      /* it hears what an agent is told of */
};

static void cancel(struct errand *errand)
{
    struct follower *f = (struct follower *)errand;
    LIST_REMOVE(f, others);
    free(f);
}

static void send_to(struct follower *f, json_t *event)
{
    if (!client_takes_more(f->client)) {
        f->lost++;
        return;
    }
    if (f->lost) {
        client_notify(f->client, "event",
                      json_pack("{s:s, s:I}", "type", "events_lost", "count", f->lost));
        f->lost = 0;
    }
    client_notify(f->client, "event", json_incref(event));
}

/* An event with these members besides type and time; steals them. New reference. */
static json_t *event_of(const char *type, json_t *members)
{
    json_t *event = json_pack("{s:s, s:I}", "type", type, "ts", (json_int_t)clock_now().wall_ms);
    json_object_update(event, members);
    json_decref(members);
    return event;
}

/* Where telling is switched off an agent hears that, and nothing of sessions and their commands. */
static bool may_hear(const struct follower *f, const char *type)
{
    bool is_told = !strcmp(type, "sessions_changed") || !strcmp(type, "agent_block_begin") ||
                   !strcmp(type, "agent_block_end");
    return !f->agent || !is_told || ledger_injects(f->worker->ledger, NULL, NULL);
}

/* One that no file holds has a number; whoever dies before it is sent has lost it. */
static void announce(struct worker *w, const char *type, json_t *members)
{
    json_t *event = event_of(type, members);
    if (!json_object_get(event, "block"))
        json_object_set_new(event, "number", json_integer((json_int_t)board_next_event()));
    for (struct follower *f = LIST_FIRST(&w->followers), *next; f; f = next) {
        next = LIST_NEXT(f, others);
        if (may_hear(f, type))
            send_to(f, event);
    }
    json_decref(event);
}

static json_int_t pending(struct worker *w)
{
    return (json_int_t)ledger_pending(w->ledger, NULL);
}

/* ---- joining ---- */

/* Of one follower alone, whatever is queued for it. */
static void tell(struct follower *f, const char *type, json_t *members)
{
    client_notify(f->client, "event", event_of(type, members));
}

static json_t *block_members(json_t *block)
{
    return json_pack("{s:O, s:O}", "conversation_id", json_object_get(block, "conversation_id"),
                     "block", block);
}

/* A block that has begun last, and one that has ended last. */
struct stand {
    json_int_t begun, ended;
};

/* What the files of a session say behind `heard`, up to where it stood when that was asked: of what
 * comes after, the follower hears. */
struct missed_blocks {
    struct missed_blocks *next;
    char *directory;
    struct stand heard, last;
    json_int_t lost; /* events that are too many: told first */
    json_int_t at;   /* up to this block all of the files is told */
    bool filed;      /* that is all of them */
    json_t *waiting; /* lines that waited for their file then, told behind it; NULL for none */
    size_t waiting_at;
    struct stand told; /* the newest that a file or a line said */
    bool dropped;      /* some lines are in no file: what is missing at the end is counted */
    json_int_t told_count;
};

/* Told in pieces, in front of what happens meanwhile. */
struct catch_up {
    struct stream stream;
    struct missed_blocks *first, **end;
};

static void append_event(struct bytes *out, const char *type, json_t *members)
{
    client_append_notification(out, "event", event_of(type, members));
}

static void append_line(struct missed_blocks *m, json_t *line, struct bytes *out)
{
    bool begins = !strcmp(json_text(line, "status", ""), "running");
    json_int_t seq = json_number(line, "seq", 0);
    json_int_t *told = begins ? &m->told.begun : &m->told.ended;
    *told = seq > *told ? seq : *told;
    if (seq > (begins ? m->heard.begun : m->heard.ended) &&
        seq <= (begins ? m->last.begun : m->last.ended)) {
        append_event(out, begins ? "agent_block_begin" : "agent_block_end", block_members(line));
        m->told_count++;
    }
}

/* Those that were written meanwhile the file has told. Returns whether there are more. */
static bool append_waiting(struct missed_blocks *m, size_t bytes, struct bytes *out)
{
    size_t before = out->len, count = json_array_size(m->waiting);
    while (m->waiting_at < count && out->len - before < bytes) {
        json_t *line = json_array_get(m->waiting, m->waiting_at++);
        bool begins = !strcmp(json_text(line, "status", ""), "running");
        if (json_number(line, "seq", 0) > (begins ? m->told.begun : m->told.ended))
            append_line(m, line, out);
    }
    return m->waiting_at < count;
}

/* Of lines that were dropped for want of room. */
static void append_missing(struct missed_blocks *m, struct bytes *out)
{
    json_int_t missing = m->last.begun - m->heard.begun + m->last.ended - m->heard.ended;
    if (m->dropped && missing > m->told_count)
        append_event(out, "events_lost", json_pack("{s:I}", "count", missing - m->told_count));
}

/* About as many bytes of lines; returns whether there are more. Where somebody else wrote lines
 * that are in no order a page may lead no further: that is the end. */
static bool append_filed(struct missed_blocks *m, size_t bytes, struct bytes *out)
{
    bool all;
    json_t *lines = block_lines_apart(m->directory, (uint64_t)m->at, bytes, &all), *line;
    json_int_t from = m->at;
    size_t i;
    if (m->lost)
        append_event(out, "events_lost", json_pack("{s:I}", "count", m->lost));
    m->lost = 0;
    json_array_foreach(lines, i, line) {
        json_int_t seq = json_number(line, "seq", from);
        m->at = seq > m->at ? seq : m->at;
        append_line(m, line, out);
    }
    json_decref(lines);
    return !all && m->at > from && m->at <= m->last.begun;
}

/* About as many bytes; returns whether there is more. */
static bool append_missed(struct missed_blocks *m, size_t bytes, struct bytes *out)
{
    m->filed = m->filed || !append_filed(m, bytes, out);
    if (!m->filed || append_waiting(m, bytes, out))
        return true;
    append_missing(m, out);
    return false;
}

static void drop_first(struct catch_up *c)
{
    struct missed_blocks *m = c->first;
    c->first = m->next;
    json_decref(m->waiting);
    free(m->directory);
    free(m);
}

static bool catch_up_piece(struct stream *stream, size_t bytes, struct bytes *out)
{
    struct catch_up *c = (struct catch_up *)stream;
    if (c->first && !append_missed(c->first, bytes, out))
        drop_first(c);
    return c->first;
}

static void catch_up_finish(struct stream *stream)
{
    struct catch_up *c = (struct catch_up *)stream;
    while (c->first)
        drop_first(c);
    free(c);
}

/* Returns how many of the events up to that block the follower did not hear; it hears of none. */
static json_int_t skip_to(json_int_t *heard, json_int_t first)
{
    json_int_t lost = *heard < first ? first - *heard : 0;
    *heard += lost;
    return lost;
}

/* A block has two events: of too many the newest are told. */
static struct missed_blocks *miss(struct catch_up *c, const char *directory, struct stand heard,
                                  struct stand last)
{
    json_int_t first = last.begun - LIMIT_EVENTS_AGAIN / 2;
    struct missed_blocks *m = memory_new(sizeof *m);
    json_int_t lost = skip_to(&heard.begun, first) + skip_to(&heard.ended, first);
    *m = (struct missed_blocks){.directory = text_copy(directory),
                                .heard = heard,
                                .last = last,
                                .lost = lost,
                                .at = heard.begun < heard.ended ? heard.begun : heard.ended};
    *c->end = m;
    c->end = &m->next;
    return m;
}

/* Whoever asks may say anything. */
static json_int_t number_or(const json_t *number, uint64_t otherwise)
{
    json_int_t said = json_is_integer(number) ? json_integer_value(number) : (json_int_t)otherwise;
    return said < 0 ? 0 : said;
}

/* What the follower heard of a session. */
static struct stand heard_of(const json_t *after, const char *name, uint64_t unknown)
{
    const json_t *place = json_object_get(after, name);
    return (struct stand){.begun = number_or(json_array_get(place, 0), unknown),
                          .ended = number_or(json_array_get(place, 1), unknown)};
}

static struct stand stand_of(const struct session *s)
{
    return (struct stand){.begun = (json_int_t)tracker_seq(session_tracker(s)),
                          .ended = (json_int_t)store_last_ended(session_store(s))};
}

/* What a session did since. One that was not there when the follower began is told from its shell's
 * first command on. */
static void miss_session(struct catch_up *c, struct session *s, const json_t *after)
{
    struct stand heard = heard_of(after, session_name(s), session_first_seq(s));
    struct stand last = stand_of(s);
    struct store *store = session_store(s);
    if (last.begun <= heard.begun && last.ended <= heard.ended)
        return;
    struct missed_blocks *m = miss(c, store_directory(store), heard, last);
    m->waiting = store_owed_lines(store, (uint64_t)m->at);
    m->dropped = store_owed(store).dropped;
}

/* Of the events with a number those behind `heard` are lost, unless there were none; which ones
 * nobody knows. */
static void tell_lost(struct follower *f, json_int_t heard)
{
    json_int_t last = (json_int_t)board_last_event();
    bool known = heard >= 0 && heard <= last;
    if (heard == last)
        return;
    tell(f, "events_lost",
         json_pack("{s:o, s:I}", "count", known ? json_integer(last - heard) : json_null(),
                   "number", last));
    tell(f, "context_pending", json_pack("{s:I}", "pending", pending(f->worker)));
}

/* The follower heard a former worker up to `after`, whose blocks are in files or wait for them, and
 * `heard`. */
static void catch_up(struct follower *f, json_t *after, json_int_t heard)
{
    struct worker *w = f->worker;
    struct catch_up *c = memory_new(sizeof *c);
    *c = (struct catch_up){.stream = {.piece = catch_up_piece, .finish = catch_up_finish}};
    c->end = &c->first;
    const char *name;
    json_t *place;
    for (int i = 0; i < w->session_count; i++)
        miss_session(c, w->sessions[i], after);
    json_object_foreach(after, name, place) {
        if (worker_find(w, name) || !text_is_name(name))
            continue;
        char *directory = text_format("%s/conversations/%s/agent_pty", w->options->state, name);
        json_int_t last = (json_int_t)block_lines_highest(directory);
        miss(c, directory, heard_of(after, name, 0), (struct stand){last, last});
        free(directory);
    }
    client_stream_lines(f->client, &c->stream);
    tell_lost(f, heard);
}

static json_t *places(const struct worker *w)
{
    json_t *all = json_object();
    for (int i = 0; i < w->session_count; i++) {
        struct session *s = w->sessions[i];
        struct stand stand = stand_of(s);
        json_object_set_new(all, session_name(s), json_pack("[I, I]", stand.begun, stand.ended));
    }
    return all;
}

void follow_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    struct follower *f = memory_new(sizeof *f);
    json_t *after = json_object_get(params, "after");
    *f = (struct follower){.errand = {.cancel = cancel},
                           .worker = w,
                           .client = client,
                           .agent = json_flag(params, "agent")};
    LIST_INSERT_HEAD(&w->followers, f, others);
    client_add_errand(client, &f->errand);
    client_reply(
        client, id,
        json_pack("{s:o, s:I}", "places", places(w), "number", (json_int_t)board_last_event()));
    if (json_is_object(after))
        catch_up(f, after, json_number(params, "number", -1));
}

/* ---- events ---- */

void follow_pending(struct worker *w, const struct block *block)
{
    if (LIST_EMPTY(&w->followers)) { /* who comes back hears that there was one */
        board_next_event();
        return;
    }
    json_t *event = json_pack("{s:I}", "pending", pending(w));
    if (block) {
        char *id = block_id(block);
        json_object_set_new(event, "conversation_id", json_string(block->conversation_id));
        json_object_set_new(event, "block_id", json_string(id));
        free(id);
    }
    announce(w, "context_pending", event);
}

/* `codex:<thread>` names a thread behind the colon. */
static json_t *consumer_json(struct worker *w, const char *consumer, json_t *block_ids)
{
    const char *colon = strchr(consumer, ':');
    return json_pack("{s:s, s:s*, s:O, s:I}", "consumer", consumer, "thread_id",
                     colon ? colon + 1 : NULL, "block_ids", block_ids, "pending", pending(w));
}

void follow_delivered(void *worker, const char *consumer, const char *turn, json_t *block_ids)
{
    json_t *event = consumer_json(worker, consumer, block_ids);
    json_object_set_new(event, "turn_id", turn ? json_string(turn) : json_null());
    announce(worker, "context_delivered", event);
}

void follow_released(void *worker, const char *consumer, json_t *block_ids)
{
    announce(worker, "context_released", consumer_json(worker, consumer, block_ids));
}

void follow_capture(void *worker, struct session *session)
{
    const struct worker *w = worker;
    json_t *event = json_pack("{s:b}", "injection", ledger_injects(w->ledger, NULL, NULL));
    if (session) {
        json_object_set_new(event, "conversation_id", json_string(session_name(session)));
        json_object_set_new(event, "capture",
                            json_string(session_paused(session) ? "paused" : "on"));
    }
    announce(worker, "capture_changed", event);
}

void follow_baton(struct worker *w, json_t *members)
{
    announce(w, "baton_changed", members);
}

void follow_block(struct worker *w, const char *type, const struct block *block)
{
    if (!LIST_EMPTY(&w->followers))
        announce(w, type,
                 json_pack("{s:s, s:o}", "conversation_id", block->conversation_id, "block",
                           block_to_json(block)));
}

/* It has no number: who comes back asks for the list. */
void follow_sessions(struct worker *w)
{
    for (struct follower *f = LIST_FIRST(&w->followers), *next; f; f = next) {
        json_t *event = event_of("sessions_changed", json_object());
        next = LIST_NEXT(f, others);
        if (may_hear(f, "sessions_changed"))
            send_to(f, event);
        json_decref(event);
    }
}
