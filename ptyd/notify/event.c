/* A line is looked for in the command's rendered output, which is what an agent would be shown:
 * what was typed, other commands and escape sequences are not in it, and no secret is. */
#include "ptyd/notify/event.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* A wait under way. */
struct watch {
    struct dialog *dialog;
    const struct event *event;
    int64_t until;
    char name[24];   /* of the block, for requests */
    uint64_t cursor; /* in the stream: what is behind it was not waited for yet */
    json_int_t line; /* lines of the output that were looked at */
    struct event_met *met;
};

/* ---- what is waited for ---- */

char *event_parse(const char *text, struct event *ret_event)
{
    size_t len = strlen(text);
    char *error = NULL;
    *ret_event = (struct event){.kind = strcmp(text, "fail") ? EVENT_EXIT : EVENT_FAIL};
    if (!strcmp(text, "exit") || !strcmp(text, "fail"))
        return NULL;
    if (len < 3 || text[0] != '/' || text[len - 1] != '/')
        return text_format("'%s' is neither exit, nor fail, nor /PATTERN/", text);
    char *pattern = text_format("%.*s", (int)len - 2, text + 1);
    ret_event->kind = EVENT_LINE;
    ret_event->regex = regex_create_rule(pattern, false, &error);
    char *why = error ? text_format("'%s' is no pattern: %s", pattern, error) : NULL;
    free(error);
    free(pattern);
    return why;
}

void event_finish(struct event *e)
{
    regex_destroy(e->regex);
    e->regex = NULL;
}

void event_met_finish(struct event_met *m)
{
    json_decref(m->block);
    free(m->line);
    *m = (struct event_met){0};
}

/* ---- asking ---- */

/* The answer, a new reference; NULL after a message. */
static json_t *look(struct dialog *d, const char *method, json_t *params)
{
    json_t *result = NULL;
    int64_t until = clock_monotonic_ms() + LIMIT_ANSWER_MS;
    if (dialog_ask(d, method, params, until, &result) == RPC_LATE)
        say("the daemon does not answer; `ptyd status` says more");
    return result;
}

uint64_t event_running(struct dialog *d, bool *ret_failed)
{
    json_t *state = look(d, "session.wait", json_object());
    uint64_t seq = (uint64_t)json_number(state, "running", 0);
    *ret_failed = !state;
    d->now = (uint64_t)json_number(state, "to", 0);
    json_decref(state);
    return seq;
}

static json_t *look_at_block(struct watch *w)
{
    json_t *result =
        look(w->dialog, "session.block", json_pack("{s:s, s:b}", "block", w->name, "agent", 1));
    json_t *block = json_incref(json_object_get(result, "block"));
    json_decref(result);
    return block;
}

static bool runs(const json_t *block)
{
    return !strcmp(json_text(block, "status", ""), "running");
}

/* Waits until the stream goes on behind the cursor. Nothing hangs on how: the block is looked at.
 */
static enum event_end wait_for_more(struct watch *w, const char *goal)
{
    json_t *answer = NULL;
    json_t *params = json_pack("{s:s, s:I}", "for", goal, "from", (json_int_t)w->cursor);
    enum rpc_wait end = dialog_ask(w->dialog, "session.wait", params, w->until, &answer);
    if (end == RPC_CAME)
        w->cursor = (uint64_t)json_number(answer, strcmp(goal, "exit") ? "end" : "to", 0);
    json_decref(answer);
    return end == RPC_CAME ? EVENT_MET : end == RPC_LATE ? EVENT_LATE : EVENT_LOST;
}

/* ---- ends ---- */

static bool has_failed(const json_t *block)
{
    const json_t *code = json_object_get(block, "exit_code");
    return !json_is_integer(code) || json_integer_value(code) != 0;
}

/* Steals the block. */
static enum event_end end_with(struct watch *w, json_t *block)
{
    w->met->block = block;
    return w->event->kind == EVENT_EXIT || has_failed(block) ? EVENT_MET : EVENT_NEVER;
}

static enum event_end wait_for_exit(struct watch *w)
{
    json_t *block;
    while ((block = look_at_block(w)) && runs(block)) {
        uint64_t before = w->cursor;
        json_decref(block);
        enum event_end end = wait_for_more(w, "exit");
        if (end != EVENT_MET)
            return end;
        if (w->cursor == before) /* nothing ended, and it was answered */
            poll(NULL, 0, LIMIT_EVENT_LOOK_MS);
    }
    return block ? end_with(w, block) : EVENT_LOST;
}

/* ---- lines ---- */

static bool is_wanted(struct watch *w, const char *line)
{
    size_t from, to;
    return regex_search(w->event->regex, line, strlen(line), 0, false, &from, &to) == REGEX_FOUND;
}

/* Looks at the next lines. Returns 1 where one is it, 0 where none is, -1 after a message;
 * *ret_more says that there are more. The last one of a command that runs may change: it is looked
 * at again. */
static int search_lines(struct watch *w, bool *ret_more)
{
    json_t *output = look(w->dialog, "session.output",
                          json_pack("{s:s, s:I, s:i}", "block", w->name, "offset", w->line, "limit",
                                    LIMIT_MCP_LINES));
    const json_t *next = json_object_get(output, "next");
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(output, "lines"), i, line)
        if (!w->met->line && is_wanted(w, json_string_value(line)))
            w->met->line = text_copy(json_string_value(line));
    const json_t *numbers = json_object_get(output, "numbers");
    size_t count = json_array_size(numbers);
    *ret_more = json_is_integer(next);
    if (*ret_more)
        w->line = json_integer_value(next);
    else if (count)
        w->line =
            json_integer_value(json_array_get(numbers, count - 1)) - !json_flag(output, "whole");
    int result = !output ? -1 : w->met->line != NULL;
    json_decref(output);
    return result;
}

static enum event_end wait_for_line(struct watch *w)
{
    for (;;) {
        bool more = true, running;
        int found = 0;
        json_decref(w->met->block);
        if (!(w->met->block = look_at_block(w)))
            return EVENT_LOST;
        running = runs(w->met->block); /* what it prints from now on is looked for once more */
        while (more && !found)
            found = search_lines(w, &more);
        if (found)
            return found > 0 ? EVENT_MET : EVENT_LOST;
        if (!running)
            return EVENT_NEVER;
        poll(NULL, 0, LIMIT_EVENT_LOOK_MS);
        enum event_end end = wait_for_more(w, "output");
        if (end != EVENT_MET)
            return end;
    }
}

enum event_end event_wait(struct dialog *d, const struct event *e, uint64_t seq, int64_t until,
                          struct event_met *ret_met)
{
    struct watch w = {.dialog = d, .event = e, .until = until, .cursor = d->now, .met = ret_met};
    snprintf(w.name, sizeof w.name, "%" PRIu64, seq);
    *ret_met = (struct event_met){0};
    return e->kind == EVENT_LINE ? wait_for_line(&w) : wait_for_exit(&w);
}
