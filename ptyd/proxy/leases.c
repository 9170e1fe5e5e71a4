#define _GNU_SOURCE
#include "ptyd/proxy/leases.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

struct leases {
    const char *agent; /* a literal */
    char *session;
    int wait_ms; /* how long for an answer */
    struct rpc rpc;
    bool connected;
    json_int_t abandoned; /* id of a take whose answer came too late, 0 for none */
    bool said_missing;
    json_t *held; /* leases whose takes were answered, and that are not settled: numbers */
};

struct leases *leases_create(const char *agent, const char *session, int wait_ms)
{
    struct leases *d = memory_new(sizeof *d);
    d->agent = agent;
    d->wait_ms = wait_ms ? wait_ms : LIMIT_PROXY_WAIT_MS;
    d->session = session ? text_copy(session) : NULL;
    d->held = json_array();
    return d;
}

static void disconnect(struct leases *d)
{
    if (d->connected)
        rpc_close(&d->rpc);
    d->connected = false;
    d->abandoned = 0;
}

void leases_destroy(struct leases *d)
{
    if (!d)
        return;
    disconnect(d); /* the daemon releases what this connection held */
    free(d->session);
    json_decref(d->held);
    free(d);
}

static bool connect_daemon(struct leases *d)
{
    char *path = paths_socket(), *doubt = NULL;
    int fd = local_socket_connect(path, true, d->wait_ms, &doubt);
    if (doubt && !d->said_missing)
        say("nothing is asked of %s: %s", path, doubt);
    free(path);
    free(doubt);
    if (fd < 0)
        return false;
    d->rpc = (struct rpc){.fd = fd, .lines = {.limit = LIMIT_PROXY_ANSWER_BYTES}};
    return d->connected = true;
}

/* The answer to a take that was given up: its turn is gone, so the lease is released at once. The
 * daemon reads requests in order, so the next take finds the blocks on offer again. */
static void release_late(struct leases *d, const json_t *message)
{
    const json_t *lease = json_at(message, "result", "lease");
    d->abandoned = 0;
    if (json_is_integer(lease))
        rpc_send(&d->rpc, "context.release", json_pack("{s:I}", "lease", json_integer_value(lease)),
                 clock_monotonic_ms() + d->wait_ms);
}

/* The answer to `id`, NULL when it does not come in time. */
static json_t *await(struct leases *d, json_int_t id, int wait_ms)
{
    long long deadline = clock_monotonic_ms() + wait_ms;
    for (;;) {
        json_t *message;
        while ((message = rpc_next(&d->rpc))) {
            json_int_t got = json_number(message, "id", 0);
            if (got == id)
                return message;
            if (got && got == d->abandoned)
                release_late(d, message);
            json_decref(message);
        }
        long long left = deadline - clock_monotonic_ms();
        struct pollfd fd = {.fd = d->rpc.fd, .events = POLLIN};
        int ready = left > 0 ? poll(&fd, 1, (int)left) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return NULL;
        if (!rpc_fill(&d->rpc)) {
            disconnect(d);
            return NULL;
        }
    }
}

static json_t *call(struct leases *d, const char *method, json_t *params, int wait_ms)
{
    if (!d->connected && !connect_daemon(d)) {
        json_decref(params);
        return NULL;
    }
    json_int_t id = rpc_send(&d->rpc, method, params, clock_monotonic_ms() + wait_ms);
    if (id < 0) {
        disconnect(d);
        return NULL;
    }
    json_t *answer = await(d, id, wait_ms);
    if (!answer && d->connected && !strcmp(method, "context.take"))
        d->abandoned = id;
    return answer;
}

/* Waits for the answer to a take that was given up. Returns whether none is owed any more. */
static bool hear_late(struct leases *d, int wait_ms)
{
    if (!d->abandoned)
        return true;
    json_t *message = await(d, d->abandoned, wait_ms);
    if (message)
        release_late(d, message);
    json_decref(message);
    return !d->abandoned;
}

/* While the daemon still owes the answer to an earlier take it is not asked for another. */
static json_t *call_take(struct leases *d, json_t *params)
{
    long long deadline = clock_monotonic_ms() + d->wait_ms;
    json_t *again = json_incref(params), *answer = NULL;
    if (hear_late(d, d->wait_ms))
        answer = call(d, "context.take", params, (int)(deadline - clock_monotonic_ms()));
    else
        json_decref(params);
    if (!answer && !d->connected) /* it was restarted between two turns */
        answer = call(d, "context.take", again, d->wait_ms);
    else
        json_decref(again);
    return answer;
}

static void hold(struct leases *d, json_t *lease)
{
    json_array_append(d->held, lease);
    if (json_array_size(d->held) > LIMIT_LEASES) /* one that could not be settled, long ago */
        json_array_remove(d->held, 0);
}

json_t *leases_take(struct leases *d, const char *thread, const json_t *roots,
                    const json_t *taken_keys, bool renumber, const char *format)
{
    char *consumer = text_format("%s:%s", d->agent, thread);
    json_t *params =
        json_pack("{s:s, s:s, s:b}", "consumer", consumer, "thread", thread, "tagged", 1);
    free(consumer);
    if (!params)
        return NULL;
    if (d->session)
        json_object_set_new(params, "session", json_string(d->session));
    if (roots)
        json_object_set(params, "roots", (json_t *)roots);
    if (taken_keys)
        json_object_set(params, "taken_keys", (json_t *)taken_keys);
    if (renumber)
        json_object_set_new(params, "renumber", json_true());
    if (format)
        json_object_set_new(params, "format", json_string(format));
    json_object_set(params, "held", d->held);
    json_t *answer = call_take(d, params);
    if (!answer && !d->said_missing) {
        d->said_missing = true;
        say("no answer from the daemon: turns pass without the terminal's context; `ptyd "
            "open` starts it");
    }
    d->said_missing = d->said_missing && !answer;
    json_t *result = json_incref(json_object_get(answer, "result"));
    json_decref(answer);
    if (result && !json_object_get(result, "lease")) {
        json_decref(result);
        return NULL;
    }
    if (result)
        hold(d, json_object_get(result, "lease"));
    return result;
}

void leases_inherit(struct leases *d, const char *from, const char *to, const char *last_turn,
                    const char *before_turn)
{
    json_t *params = json_pack(
        "{s:o, s:o, s:s*, s:s*}", "from", json_sprintf("%s:%s", d->agent, from), "to",
        json_sprintf("%s:%s", d->agent, to), "last_turn", last_turn, "before_turn", before_turn);
    json_decref(call(d, "context.inherit", params, d->wait_ms));
}

void leases_revert(struct leases *d, const char *thread, const char *last_turn,
                   const char *before_turn)
{
    json_t *params =
        json_pack("{s:o, s:s*, s:s*}", "consumer", json_sprintf("%s:%s", d->agent, thread),
                  "last_turn", last_turn, "before_turn", before_turn);
    json_decref(call(d, "context.revert", params, d->wait_ms));
}

/* Commits or releases, by `method`. `key` and `value` are one more parameter, `value` stolen; it
 * may be NULL. Returns whether the daemon agreed. */
static bool settle(struct leases *d, const char *method, const json_t *taken, const char *key,
                   json_t *value, int wait_ms)
{
    json_t *params = json_pack("{s:O, s:O}", "lease", json_object_get(taken, "lease"), "receipt",
                               json_object_get(taken, "receipt"));
    if (value)
        json_object_set_new(params, key, value);
    json_t *answer = call(d, method, params, wait_ms);
    bool settled = json_object_get(answer, "result") != NULL;
    json_decref(answer);
    return settled;
}

static bool commit(struct leases *d, const json_t *taken, const char *turn)
{
    return settle(d, "context.commit", taken, "turn_id", turn ? json_string(turn) : NULL,
                  d->wait_ms > LIMIT_PROXY_COMMIT_MS ? d->wait_ms : LIMIT_PROXY_COMMIT_MS);
}

/* It is settled. One that could not be stays: what became of its blocks is seen by the daemon, when
 * it expires, as what nobody knows. */
static void forget(struct leases *d, const json_t *taken)
{
    for (size_t i = json_array_size(d->held); i > 0; i--)
        if (json_equal(json_array_get(d->held, i - 1), json_object_get(taken, "lease")))
            json_array_remove(d->held, i - 1);
}

void leases_commit(struct leases *d, const json_t *taken, const char *turn)
{
    /* The second try may reach a daemon that was restarted: it knows the receipt, if not the lease.
     */
    if (commit(d, taken, turn) || commit(d, taken, turn))
        forget(d, taken);
    else
        say("the daemon did not hear that the agent has the context; it may be sent again");
}

void leases_release(struct leases *d, const json_t *taken, bool unseen)
{
    if (settle(d, "context.release", taken, "unseen", json_boolean(unseen), d->wait_ms) || !unseen)
        forget(d, taken);
}
