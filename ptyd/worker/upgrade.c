#define _GNU_SOURCE
#include "ptyd/worker/upgrade.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/link.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/worker.h"

/* A request that waits for what comes of its upgrade. */
struct waiter {
    struct task task;
    uint64_t token;
};

/* What another program said may be anything. */
static json_t *clean(const char *text)
{
    char *utf8 = text_clean(text, strlen(text), LIMIT_MESSAGE_BYTES);
    json_t *value = json_string(utf8);
    free(utf8);
    return value;
}

static json_t *outcome_json(const struct outcome *o)
{
    return json_pack("{s:o, s:o, s:i, s:b, s:o}", "from", clean(o->from), "to", clean(o->to),
                     "shells", (int)o->shells, "worker", o->worker, "error",
                     o->state == OUTCOME_FAILED ? clean(o->error) : json_null());
}

/* Asks the keeper; without a program for another worker alone. Returns 0 or -errno. */
static int ask(struct worker *w, uint64_t token, int program)
{
    struct wire_message m = {.type = WIRE_UPGRADE, .token = token};
    int result = link_send(w->link, &m, &program, program >= 0);
    if (result == 0)
        w->upgrade = (struct outcome){.token = token, .state = OUTCOME_UNDER_WAY};
    return result;
}

int upgrade_begin_worker(struct worker *w, uint64_t token)
{
    return w->upgrade.state == OUTCOME_UNDER_WAY ? -EBUSY : ask(w, token, -1);
}

/* False when it cannot begin, and the request is answered. */
static bool begin(struct client *client, const json_t *id, const json_t *params, uint64_t token)
{
    struct worker *w = client_worker(client);
    const char *path = json_text(params, "binary", w->options->path);
    bool alone = json_flag(params, "worker");
    int program = alone ? -1 : open(path, O_PATH | O_CLOEXEC);
    int result = !alone && program < 0 ? -errno : ask(w, token, program);
    if (result < 0)
        client_fail(client, id, RPC_FAILED,
                    "%s: %s; nothing has changed, name another file with "
                    "--binary",
                    path, strerror(-result));
    if (program >= 0)
        close(program);
    return result == 0;
}

static void wait_for_outcome(struct client *client, const json_t *id, uint64_t token)
{
    struct waiter *waiter = memory_new(sizeof *waiter);
    *waiter =
        (struct waiter){.task = {.list = &client_worker(client)->upgrade_waiters}, .token = token};
    task_begin(&waiter->task, client, id);
}

void upgrade_call(struct client *client, const json_t *id, const json_t *params)
{
    const struct outcome *o = &client_worker(client)->upgrade;
    uint64_t token = (uint64_t)json_number(params, "token", 0);
    bool known = o->state != OUTCOME_NONE && o->token == token;
    if (!token)
        client_fail(client, id, RPC_INVALID_PARAMS, "whose upgrade? a token is missing");
    else if (known && o->state != OUTCOME_UNDER_WAY)
        client_reply(client, id, outcome_json(o));
    else if (!known && o->state == OUTCOME_UNDER_WAY)
        client_fail(client, id, RPC_BUSY, "an upgrade is under way; try again when it is over");
    else if (known || begin(client, id, params, token))
        wait_for_outcome(client, id, token);
}

void upgrade_told(struct worker *w, int fd)
{
    if (fd < 0 || outcome_read(fd, &w->upgrade) < 0 || w->upgrade.state == OUTCOME_UNDER_WAY)
        return;
    for (struct task *t = LIST_FIRST(&w->upgrade_waiters), *next; t; t = next) {
        next = LIST_NEXT(t, others);
        client_reply(t->client, t->id, outcome_json(&w->upgrade));
        task_end(t);
    }
}

void upgrade_add_warning(const struct worker *w, json_t *warnings)
{
    if (w->upgrade.state != OUTCOME_FAILED)
        return;
    char *text = text_format("the last upgrade failed, and %s goes on: %s", w->upgrade.from,
                             w->upgrade.error);
    json_array_append_new(warnings, clean(text));
    free(text);
}
