#include "ptyd/worker/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/ledger.h"
#include "ptyd/worker/server.h"
#include "ptyd/worker/worker.h"

struct follower {
    struct errand errand;
    struct follower *next;
    struct worker *worker;
    struct client *client;
    json_int_t lost; /* events since it stopped keeping up */
};

static void cancel(struct errand *errand)
{
    struct follower *f = (struct follower *)errand;
    for (struct follower **at = &f->worker->followers; *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            break;
        }
    free(f);
}

void follow_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    struct follower *f = memory_new(sizeof *f);
    (void)params;
    *f = (struct follower){
        .errand = {.cancel = cancel}, .next = w->followers, .worker = w, .client = client};
    w->followers = f;
    client_add_errand(client, &f->errand);
    client_reply(client, id, json_object());
}

static void send_to(struct follower *f, json_t *event)
{
    if (client_queued(f->client) > LIMIT_CLIENT_QUEUE) {
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

/* Tells all an event with these members besides type and time; steals them. */
static void announce(struct worker *w, const char *type, json_t *members)
{
    json_t *event = json_pack("{s:s, s:I}", "type", type, "ts", (json_int_t)clock_now().wall_ms);
    json_object_update(event, members);
    json_decref(members);
    for (struct follower *f = w->followers, *next; f; f = next) {
        next = f->next;
        send_to(f, event);
    }
    json_decref(event);
}

static json_int_t pending(struct worker *w)
{
    return (json_int_t)ledger_pending(w->ledger, NULL);
}

void follow_pending(struct worker *w, const struct block *block)
{
    if (!w->followers)
        return;
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
    json_t *event = json_pack("{s:b}", "injection", ledger_injects(w->ledger, NULL));
    if (session) {
        json_object_set_new(event, "conversation_id", json_string(session_name(session)));
        json_object_set_new(event, "capture",
                            json_string(session_paused(session) ? "paused" : "on"));
    }
    announce(worker, "capture_changed", event);
}

void follow_block(struct worker *w, const char *type, const struct block *block)
{
    if (w->followers)
        announce(w, type,
                 json_pack("{s:s, s:o}", "conversation_id", block->conversation_id, "block",
                           block_to_json(block)));
}
