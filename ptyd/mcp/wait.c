/* The tool that waits for the command that runs: the daemon tells every end once, whoever waits. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/mcp.h"

struct waiting {
    struct waiting *next;
    struct call *call;
    long long seq;              /* of the block; 0 while that is asked for */
    char *session;              /* whose it is, by its own name; NULL then */
    char *cmd;                  /* its head */
    int64_t begun, until, told; /* monotonic ms; told: when its client heard last */
    bool late;                  /* the time is over: it is looked at once more */
    bool ended;                 /* somebody said so; the same */
};

struct waits {
    struct mcp *mcp;
    struct waiting *first;
};

static struct waits *waits_of(struct call *c)
{
    return c->mcp->waits;
}

static void drop_waiting(struct call *c)
{
    struct waiting *w = c->state;
    for (struct waiting **at = &waits_of(c)->first; *at; at = &(*at)->next)
        if (*at == w) {
            *at = w->next;
            break;
        }
    free(w->session);
    free(w->cmd);
    free(w);
}

/* ---- looking ---- */

/* Its block as it stands; the end may have been told in between. */
static void on_block(struct call *c, const json_t *result)
{
    struct waiting *w = c->state;
    const json_t *block = json_object_get(result, "block");
    bool runs = !strcmp(json_text(block, "status", ""), "running");
    if (runs && !w->late) {
        w->ended = false;
        return;
    }
    call_answer(c, json_pack("{s:O, s:b, s:b}", "block", block, "running", runs, "timed_out",
                             runs && w->late));
}

static void look(struct waiting *w)
{
    char *number;
    if (w->call->ask)
        return; /* an answer is on its way: of that it will be seen */
    number = text_format("%lld", w->seq);
    call_ask(w->call, "session.block", json_pack("{s:s}", "block", number), on_block);
    free(number);
}

static void begin(struct waiting *w, const json_t *block)
{
    const char *cmd = json_text(block, "cmd", "");
    w->seq = json_number(block, "seq", 0);
    w->session = text_copy(json_text(block, "conversation_id", ""));
    free(w->cmd);
    w->cmd = text_format("%.*s", (int)utf8_floor(cmd, strlen(cmd), 60), cmd);
}

static void answer_nothing(struct call *c, const json_t *newest)
{
    call_answer(c, json_pack("{s:o, s:b, s:b}", "block",
                             newest ? json_incref((json_t *)newest) : json_null(), "running", 0,
                             "timed_out", 0));
}

static void on_newest(struct call *c, const json_t *blocks)
{
    struct waiting *w = c->state;
    const json_t *newest = NULL, *block;
    for (size_t i = json_array_size(blocks); i-- && !newest;) {
        block = json_array_get(blocks, i);
        newest = json_flag(block, "private") ? NULL : block;
    }
    if (newest && !strcmp(json_text(newest, "status", ""), "running"))
        begin(w, newest);
    else
        answer_nothing(c, newest);
}

static void on_wanted(struct call *c, const json_t *result)
{
    struct waiting *w = c->state;
    const json_t *block = json_object_get(result, "block");
    if (!strcmp(json_text(block, "status", ""), "running"))
        begin(w, block);
    else
        answer_nothing(c, block);
}

/* The number of the one that runs is cheap to be had, also by a thousand who wait. */
static void on_state(struct call *c, const json_t *state)
{
    long long running = json_number(state, "running", 0);
    char *number = text_format("%lld", running);
    if (running)
        call_ask(c, "session.block", json_pack("{s:s}", "block", number), on_wanted);
    else
        call_ask(c, "session.blocks", json_pack("{s:i}", "last", 3), on_newest);
    free(number);
}

void tool_wait(struct call *c)
{
    struct waiting *w = memory_new(sizeof *w);
    const char *id = call_text(c, "block_id", NULL), *colon = id ? strchr(id, ':') : NULL;
    bool pair = colon && !strchr(colon + 1, ':'); /* NAME:NUMBER */
    int64_t now = clock_monotonic_ms();
    *w = (struct waiting){.next = waits_of(c)->first,
                          .call = c,
                          .cmd = text_copy(""),
                          .begun = now,
                          .until = now + call_number(c, "timeout_ms", LIMIT_MCP_WAIT_MS)};
    waits_of(c)->first = w;
    c->state = w;
    c->drop = drop_waiting;
    backend_follow(c->mcp->daemon); /* before the first look */
    if (id)
        call_ask(c, "session.block", json_pack("{s:s}", "block", pair ? colon + 1 : id), on_wanted);
    else
        call_ask(c, "session.wait", json_object(), on_state);
}

/* ---- what is heard ---- */

void waits_ended(struct waits *waits, const char *session, long long seq)
{
    for (struct waiting *w = waits->first; w; w = w->next)
        if (!w->seq || (w->seq == seq && !strcmp(w->session, session)))
            w->ended = true;
}

void waits_look_again(struct waits *waits)
{
    for (struct waiting *w = waits->first; w; w = w->next)
        w->ended = true;
}

void waits_gone(struct waits *waits)
{
    for (struct waiting *w = waits->first, *next; w; w = next) {
        next = w->next;
        if (!w->call->ask)
            call_fail(w->call, "the daemon is gone; `ptyd` in a terminal starts it again");
    }
}

/* ---- time ---- */

static bool tells(const struct waiting *w)
{
    return w->seq && w->call->request->token;
}

int64_t waits_due(const struct waits *waits)
{
    int64_t due = -1;
    for (const struct waiting *w = waits->first; w; w = w->next) {
        if (!w->seq || w->call->ask)
            continue; /* the answer comes first */
        int64_t at = w->until;
        if (tells(w) && w->told + LIMIT_MCP_PROGRESS_MS < at)
            at = w->told + LIMIT_MCP_PROGRESS_MS;
        if (w->ended)
            at = 0;
        if (at >= 0 && (due < 0 || at < due))
            due = at;
    }
    return due;
}

static void tell(struct waiting *w, int64_t now)
{
    double seconds = (double)(now - w->begun) / 1000;
    char *words = text_format("%.0f s: %s", seconds, w->cmd);
    request_progress(w->call->request, seconds, (double)(w->until - w->begun) / 1000, words);
    free(words);
    w->told = now;
}

void waits_work(struct waits *waits)
{
    int64_t now = clock_monotonic_ms();
    for (struct waiting *w = waits->first; w; w = w->next) {
        if (!w->seq || w->call->ask)
            continue;
        w->late = w->late || now >= w->until;
        if (tells(w) && (!w->told || now >= w->told + LIMIT_MCP_PROGRESS_MS))
            tell(w, now);
        if (w->ended || w->late)
            look(w);
    }
}

/* ---- their life ---- */

struct waits *waits_create(struct mcp *mcp)
{
    struct waits *waits = memory_new(sizeof *waits);
    *waits = (struct waits){.mcp = mcp};
    return waits;
}

void waits_destroy(struct waits *waits)
{
    free(waits);
}

void waits_end(struct waits *waits)
{
    while (waits->first)
        call_fail(waits->first->call, "the client has gone");
}
