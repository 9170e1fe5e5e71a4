/* Waiting for text that commands print, as agents are shown it, or for the prompt. Nothing is read
 * twice but the line at hand, and nobody else is held up: the daemon says when there is more. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/regex.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/all.h"
#include "ptyd/mcp/scan.h"

struct wanted {
    struct scan scan;
    struct regex *regex; /* NULL: the prompt */
    json_int_t end;      /* of the session's stream, before it was read the last time */
    int64_t until;       /* monotonic ms: time is over then, */
    int64_t read_ms;     /* and when it was read the last time */
    const char *send;    /* to be typed then; NULL for nothing */
    json_t *found;       /* the answer */
};

static void drop_wanted(struct call *c)
{
    struct wanted *w = c->state;
    scan_finish(&w->scan);
    regex_destroy(w->regex);
    json_decref(w->found);
    free(w);
}

/* ---- its end ---- */

static json_t *add_sent(const struct wanted *w, json_t *answer, bool sent)
{
    if (w->send)
        json_object_set_new(answer, "sent", json_boolean(sent));
    return answer;
}

/* The half of a match that has come is behind the cursor. */
static void on_late(struct call *c)
{
    const struct wanted *w = c->state;
    long long from = call_number(c, "from_cursor", 0),
              reached = cursor_of(w->scan.seq, w->scan.byte);
    call_answer(
        c, add_sent(w,
                    json_pack("{s:b, s:b, s:s, s:I}", "ok", 0, "matched", 0, "error", "timeout",
                              "resume_cursor", (json_int_t)(reached > from ? reached : from)),
                    false));
}

static void on_sent(struct call *c, const json_t *typed)
{
    struct wanted *w = c->state;
    (void)typed;
    drive_answer(c, add_sent(w, json_incref(w->found), true));
}

/* Steals the answer. */
static void finish(struct call *c, json_t *found)
{
    struct wanted *w = c->state;
    call_until(c, 0, NULL);
    if (!w->send) {
        call_answer(c, found);
        return;
    }
    w->found = found;
    json_object_del(c->arguments, "timeout_ms"); /* it was the text's: the user has their own */
    char *purpose = text_format("keys: %s", w->send);
    drive_keys(c, w->send, purpose, on_sent);
    free(purpose);
}

static json_t *match_json(const char *text, size_t len, long long from, long long to)
{
    return json_pack("{s:b, s:b, s:o, s:I, s:{s:I, s:I}, s:I}", "ok", 1, "matched", 1, "match_text",
                     json_stringn(text, len), "match_cursor", (json_int_t)from, "match_span",
                     "start", (json_int_t)from, "end", (json_int_t)to, "resume_cursor",
                     (json_int_t)to);
}

/* ---- text ---- */

static void on_more(struct call *c, const json_t *state);

/* Where in what was read a match of what may yet come could begin. */
static size_t keep_from(const struct scan *s, enum regex_result result, size_t part, size_t from)
{
    size_t keep = result == REGEX_PART ? part : s->read.len;
    size_t settled = scan_settled(s);
    keep = keep < settled ? keep : settled;
    return keep > from ? keep : from;
}

static void on_text(struct call *c)
{
    struct wanted *w = c->state;
    struct scan *s = &w->scan;
    size_t len, from, begin = 0, end = 0;
    const char *text = scan_text(s, &len, &from);
    enum regex_result result =
        regex_search(w->regex, text, len, from, scan_goes_on(s), &begin, &end);
    if (result == REGEX_FOUND) {
        finish(c,
               match_json(text + begin, end - begin, cursor_of(s->seq, s->base + (long long)begin),
                          cursor_of(s->seq, s->base + (long long)end)));
    } else if (result == REGEX_LIMIT) {
        call_fail(
            c, "match takes too long on this output: nobody knows whether it is there. A simpler "
               "pattern, without repetitions in repetitions, will do");
    } else {
        size_t keep = keep_from(s, result, begin, from);
        scan_take(s, keep);
        scan_next(c, keep);
    }
}

/* A wait that its caller gives up, and cannot take back, ends at the daemon soon, too. */
static void ask_wait(struct call *c, json_int_t from, const char *what,
                     void (*then)(struct call *c, const json_t *state))
{
    const struct wanted *w = c->state;
    int64_t left = w->until - clock_monotonic_ms();
    json_int_t ms = left < 1 ? 1 : left < LIMIT_MCP_ASK_MS ? left : LIMIT_MCP_ASK_MS;
    call_ask_for(c, "session.wait",
                 json_pack("{s:I, s:s, s:I}", "from", from, "for", what, "timeout_ms", ms), -1,
                 then);
}

/* All is read: it is read on when more is printed. */
static void on_over(struct call *c)
{
    const struct wanted *w = c->state;
    ask_wait(c, w->end, "output", on_more);
}

static void read_on(struct call *c)
{
    struct wanted *w = c->state;
    w->read_ms = clock_monotonic_ms();
    call_until(c, w->until, on_late);
    scan_begin(c, cursor_of(w->scan.seq, w->scan.byte));
}

static void on_rested(struct call *c)
{
    const struct wanted *w = c->state;
    if (c->mcp->leaving || clock_monotonic_ms() >= w->until)
        on_late(c);
    else
        read_on(c);
}

/* A program that prints without end is looked at now and then: each look costs the daemon one
 * through the command's file. */
static void on_more(struct call *c, const json_t *state)
{
    struct wanted *w = c->state;
    int64_t next = w->read_ms + LIMIT_MCP_LOOK_MS;
    json_int_t end = (json_int_t)json_number(state, "end", 0);
    if (json_flag(state, "exited") && end == w->end) {
        call_fail(c, "the session's shell has ended, and what was waited for did not come");
        return;
    }
    if (json_flag(state, "timed_out")) {
        on_over(c);
        return;
    }
    w->end = end;
    if (clock_monotonic_ms() >= next)
        read_on(c);
    else
        call_until(c, next < w->until ? next : w->until, on_rested);
}

static void on_begin(struct call *c, const json_t *state)
{
    struct wanted *w = c->state;
    w->end = (json_int_t)json_number(state, "end", 0);
    scan_begin(c, call_number(c, "from_cursor", 0));
}

/* ---- the prompt ---- */

static void on_newest(struct call *c, const json_t *newest)
{
    bool told = newest && !json_flag(newest, "private");
    long long seq = json_number(newest, "seq", 0), place = newest ? cursor_of(seq + 1, 0) : 0;
    json_t *found = match_json("", 0, place, place);
    json_t *extra = told ? json_pack("{s:O, s:O, s:O}", "cwd", json_object_get(newest, "cwd_after"),
                                     "ts", json_object_get(newest, "ts_end"), "exit_code",
                                     json_object_get(newest, "exit_code"))
                         : json_pack("{s:n, s:n, s:n}", "cwd", "ts", "exit_code");
    json_object_set_new(found, "extra", extra);
    json_object_del(c->mcp->interactive, c->session);
    finish(c, found);
}

static void wait_for_prompt(struct call *c);

static void on_prompt(struct call *c, const json_t *state)
{
    if (json_flag(state, "timed_out"))
        wait_for_prompt(c);
    else if (json_flag(state, "exited"))
        call_fail(c, "the session's shell has ended: no prompt comes any more");
    else
        all_newest(c, on_newest);
}

static void wait_for_prompt(struct call *c)
{
    ask_wait(c, 0, "prompt", on_prompt);
}

/* ---- the tools ---- */

static struct wanted *begin(struct call *c)
{
    struct wanted *w = memory_new(sizeof *w);
    *w = (struct wanted){.scan = {.text = on_text, .over = on_over},
                         .until = clock_monotonic_ms() +
                                  call_number(c, "timeout_ms", LIMIT_MCP_EXPECT_MS)};
    c->state = w;
    c->drop = drop_wanted;
    call_until(c, w->until, on_late);
    return w;
}

/* Blanks at the end of a line are not kept: those of a text that is looked for need not be there.
 */
static char *pattern_of(const char *text)
{
    size_t len = strlen(text), end = len;
    while (end > 1 && text[end - 1] == ' ')
        end--;
    char *head = text_format("%.*s", (int)end, text), *quoted = search_quoted(head);
    char *pattern = end == len ? text_copy(quoted)
                               : text_format("%s(?: {%zu}|(?= *(?:\\n|\\z)))", quoted, len - end);
    free(head);
    free(quoted);
    return pattern;
}

static void wait_for_text(struct call *c, const char *match, bool is_regex)
{
    struct wanted *w = c->state;
    char *pattern = is_regex ? text_copy(match) : pattern_of(match), *why = NULL;
    w->regex = regex_create(pattern, false, &why);
    free(pattern);
    if (w->regex)
        call_ask(c, "session.wait", json_object(), on_begin);
    else
        call_fail(c, "that is no regular expression: %s", why ? why : "");
    free(why);
}

static void wait_for(struct call *c, const char *match, const char *type)
{
    if (!strcmp(type, "prompt"))
        wait_for_prompt(c);
    else if (!*match)
        call_fail(c, "nothing is named to wait for; for the prompt say type prompt");
    else
        wait_for_text(c, match, !strcmp(type, "regex"));
}

void all_wait_for(struct call *c)
{
    begin(c);
    wait_for(c, call_text(c, "match", ""), call_text(c, "match_type", "substring"));
}

void all_wait_prompt(struct call *c)
{
    begin(c);
    wait_for_prompt(c);
}

void all_expect_send(struct call *c)
{
    struct wanted *w = begin(c);
    w->send = call_text(c, "send", "");
    wait_for(c, call_text(c, "expect", ""), call_text(c, "expect_type", "substring"));
}
