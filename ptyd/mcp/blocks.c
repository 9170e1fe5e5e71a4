/* The tools that look at a session's commands. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/helper.h"
#include "ptyd/mcp/mcp.h"

#define WINDOW  100 /* blocks that are looked at at once */
#define WINDOWS 50  /* and how often for one answer; then the cursor goes on */

/* ---- blocks ---- */

/* A list from its newest end: blocks in front of `before` are asked for in windows, each oldest
 * first, until there are enough. */
struct list {
    json_t *found;    /* newest first */
    json_t *window;   /* oldest first, as far as it came */
    long long before; /* of the window: the number behind its last */
    long long after;  /* and in front of its first */
    long long limit;
    int windows;
};

static void drop_list(struct call *c)
{
    struct list *l = c->state;
    json_decref(l->found);
    json_decref(l->window);
    free(l);
}

static bool is_wanted(const struct call *c, const json_t *block)
{
    const char *filter = call_text(c, "filter", "");
    const json_t *code = json_object_get(block, "exit_code");
    bool runs = !strcmp(json_text(block, "status", ""), "running");
    if (json_flag(block, "private"))
        return false;
    if (!strcmp(filter, "failed"))
        return json_is_integer(code) && json_integer_value(code) != 0;
    if (!strcmp(filter, "running"))
        return runs;
    return strstr(json_text(block, "cmd", ""), filter) != NULL;
}

/* What a list says of it. */
static json_t *summary_of(const json_t *block)
{
    static const char *const members[] = {"block_id", "seq",         "exit_code",    "signal",
                                          "status",   "type",        "cwd",          "ts_begin",
                                          "ts_end",   "duration_ms", "output_lines", "redacted"};
    const char *cmd = json_text(block, "cmd", "");
    size_t len = strlen(cmd), head = utf8_floor(cmd, len, LIMIT_MCP_COMMAND_BYTES);
    json_t *summary = json_pack("{s:o}", "cmd", json_stringn(cmd, head));
    if (head < len)
        json_object_set_new(summary, "cmd_truncated", json_true());
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(summary, members[i], json_object_get(block, members[i]));
    return summary;
}

static void answer_list(struct call *c)
{
    struct list *l = c->state;
    json_t *value = json_pack("{s:s, s:O}", "conversation_id", c->session, "blocks", l->found);
    if (l->after > 0 || json_array_size(l->window)) {
        char *place = text_format("%s/%lld", c->session, l->before);
        char *cursor = cursor_make("blocks", place);
        json_object_set_new(value, "nextCursor", json_string(cursor));
        free(cursor);
        free(place);
    }
    call_answer(c, value);
}

/* Takes what is wanted of the window, newest first; true when that is enough. */
static bool take_window(struct call *c)
{
    struct list *l = c->state;
    size_t count;
    while ((count = json_array_size(l->window))) {
        const json_t *block = json_array_get(l->window, count - 1);
        if (json_array_size(l->found) >= (size_t)l->limit)
            return true;
        l->before = json_number(block, "seq", 1);
        if (is_wanted(c, block))
            json_array_append_new(l->found, summary_of(block));
        json_array_remove(l->window, count - 1);
    }
    l->before = l->after + 1;
    return json_array_size(l->found) >= (size_t)l->limit;
}

static void ask_part(struct call *c, long long after);

static void next_window(struct call *c)
{
    struct list *l = c->state;
    if (take_window(c) || l->after <= 0 || ++l->windows >= WINDOWS) {
        answer_list(c);
        return;
    }
    l->after = l->before - 1 > WINDOW ? l->before - 1 - WINDOW : 0;
    ask_part(c, l->after);
}

/* A part of the window, which may be less than all of it. */
static void on_part(struct call *c, const json_t *part)
{
    struct list *l = c->state;
    size_t i;
    json_t *block;
    long long last = 0;
    json_array_foreach(part, i, block) {
        last = json_number(block, "seq", 0);
        if (last < l->before)
            json_array_append(l->window, block);
    }
    if (last && last + 1 < l->before)
        ask_part(c, last);
    else
        next_window(c);
}

static void ask_part(struct call *c, long long after)
{
    call_ask(c, "session.blocks", json_pack("{s:I}", "after", (json_int_t)after), on_part);
}

static void on_newest(struct call *c, const json_t *newest)
{
    struct list *l = c->state;
    size_t i;
    json_t *block;
    json_array_foreach(newest, i, block)
        json_array_append(l->window, block);
    l->after = json_number(json_array_get(newest, 0), "seq", 1) - 1;
    l->before = json_number(json_array_get(newest, json_array_size(newest) - 1), "seq", 0) + 1;
    next_window(c);
}

/* The place of a cursor of this session's; 0 where it is none. */
static long long place_of(const struct call *c, const char *cursor)
{
    char *place = NULL;
    long number = 0;
    bool right = cursor_read("blocks", cursor, &place);
    const char *slash = right ? strchr(place, '/') : NULL;
    right = slash && strlen(c->session) == (size_t)(slash - place) &&
            !strncmp(place, c->session, (size_t)(slash - place)) &&
            text_parse_number(slash + 1, 1, 0x7fffffffffff, &number);
    free(place);
    return right ? number : 0;
}

void tool_blocks(struct call *c)
{
    const char *cursor = call_text(c, "cursor", NULL);
    long long place = cursor ? place_of(c, cursor) : 0;
    if (cursor && !place) {
        struct request *r = c->request;
        r->cancel(r->work);
        request_fail(r, RPC_INVALID_PARAMS, "cursor is none that this list gave");
        return;
    }
    struct list *l = memory_new(sizeof *l);
    *l = (struct list){.found = json_array(),
                       .window = json_array(),
                       .limit = call_number(c, "limit", 20),
                       .before = place,
                       .after = place - 1};
    c->state = l;
    c->drop = drop_list;
    if (place)
        next_window(c);
    else
        call_ask(c, "session.blocks", json_pack("{s:i}", "last", WINDOW), on_newest);
}

/* ---- block_output ---- */

static void on_output(struct call *c, const json_t *output)
{
    json_t *value = json_deep_copy(output);
    json_object_set(value, "next_offset", json_object_get(value, "next"));
    json_object_del(value, "next");
    call_answer(c, value);
}

/* ---- of another host ---- */

/* HOSTID:NAME:NUMBER:TIME. */
static bool is_of_other_host(const char *id)
{
    int colons = 0;
    for (const char *at = id; *at; at++)
        colons += *at == ':';
    return colons == 3 && strcspn(id, ":") == 16 && strspn(id, "0123456789abcdef") == 16;
}

static void drop_helper(struct call *c)
{
    helper_end(c->state);
}

static void on_fetched(void *work, const char *text, size_t len, int status)
{
    struct call *c = work;
    json_t *output = status == 0 ? json_loadb(text, len, 0, NULL) : NULL;
    c->state = NULL;
    if (json_is_array(json_object_get(output, "lines"))) {
        json_object_set_new(output, "block_id", json_string(call_text(c, "block_id", "")));
        on_output(c, output);
    } else {
        call_fail(c,
                  "that host does not give it, or is not there; `ptyd relay output %s` in a "
                  "terminal says why",
                  call_text(c, "block_id", ""));
    }
    json_decref(output);
}

/* Where the user tells agents nothing, nothing of other hosts is told either. */
static void on_told(struct call *c, const json_t *status)
{
    char *state = paths_state();
    char *offset = text_format("%lld", call_number(c, "offset", 0));
    char *limit = text_format("%lld", call_number(c, "limit", LIMIT_MCP_LINES_DEFAULT));
    char *argv[] = {(char *)"ptyd",
                    (char *)"relay",
                    (char *)"output",
                    (char *)call_text(c, "block_id", ""),
                    (char *)"--json",
                    (char *)"--offset",
                    offset,
                    (char *)"--limit",
                    limit,
                    (char *)"--grep",
                    (char *)call_text(c, "grep", ""),
                    NULL};
    if (!*call_text(c, "grep", ""))
        argv[9] = NULL;
    if (!json_flag(status, "injection"))
        call_fail(c, "the user has switched telling off");
    else if (!(c->state = helper_start(argv, state, on_fetched, c)))
        call_fail(c, "%d searches are under way; wait for one of them", LIMIT_MCP_HELPERS);
    else
        c->drop = drop_helper;
    free(limit);
    free(offset);
    free(state);
}

void tool_block_output(struct call *c)
{
    if (is_of_other_host(call_text(c, "block_id", ""))) {
        free(c->session); /* none of ours */
        c->session = NULL;
        call_ask(c, "status.short", json_object(), on_told);
        return;
    }
    const char *grep = call_text(c, "grep", NULL), *id = call_text(c, "block_id", "");
    const char *colon = strchr(id, ':');
    bool pair = colon && !strchr(colon + 1, ':'); /* NAME:NUMBER */
    json_t *params = json_pack("{s:s, s:I, s:I}", "block", pair ? colon + 1 : id, "offset",
                               (json_int_t)call_number(c, "offset", 0), "limit",
                               (json_int_t)call_number(c, "limit", LIMIT_MCP_LINES_DEFAULT));
    if (grep)
        json_object_set_new(params, "grep", json_string(grep));
    call_ask(c, "session.output", params, on_output);
}
