/* The index finds, in texts as they are kept; what is told is looked for once more in what agents
 * are shown: nothing can be guessed from that something was found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/json.h"
#include "ptyd/core/regex.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/helper.h"
#include "ptyd/mcp/mcp.h"

struct search {
    struct regex *regex; /* of what is looked for */
    struct helper *helper;
    json_t *open;    /* the names of sessions that agents may look at */
    json_t *found;   /* what the index said, newest first */
    size_t at;       /* the next of them */
    size_t match;    /* and of its matches; 0: its block is to be asked for */
    json_t *current; /* the result that is put together; NULL for none */
    json_t *results;
};

static void drop_search(struct call *c)
{
    struct search *s = c->state;
    regex_destroy(s->regex);
    helper_end(s->helper);
    json_decref(s->open);
    json_decref(s->found);
    json_decref(s->current);
    json_decref(s->results);
    free(s);
}

/* ---- what is looked for ---- */

static bool has_capital(const char *text, bool regex)
{
    for (const char *at = text; *at; at++) {
        if (regex && *at == '\\' && at[1])
            at++; /* \S is no letter */
        else if (*at >= 'A' && *at <= 'Z')
            return true;
    }
    return false;
}

char *search_quoted(const char *text)
{
    struct bytes out = {0};
    for (const char *at = text; *at; at++) {
        bool plain = (unsigned char)*at >= 0x80 || (*at >= '0' && *at <= '9') ||
                     (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        bytes_append_text(&out, plain ? "" : "\\");
        bytes_append_char(&out, *at);
    }
    return out.data;
}

/* NULL after the call has failed. */
static struct regex *pattern_of(struct call *c)
{
    const char *query = call_text(c, "query", "");
    bool is_regex = json_flag(c->arguments, "regex");
    char *pattern = is_regex ? text_copy(query) : search_quoted(query), *why = NULL;
    struct regex *regex = regex_create(pattern, !has_capital(query, is_regex), &why);
    free(pattern);
    if (!regex)
        call_fail(c, "query is no regular expression: %s", why ? why : "");
    free(why);
    return regex;
}

/* ---- going through what was found ---- */

static void go_on(struct call *c);

/* The line around a match, as much as is told. */
static bool add_match(struct search *s, const char *in, long long line, const char *text)
{
    size_t len = strlen(text), from = 0, to = 0;
    if (regex_search(s->regex, text, len, 0, false, &from, &to) != REGEX_FOUND)
        return false;
    size_t begin = from > LIMIT_SEARCH_LINE_BYTES / 2 ? from - LIMIT_SEARCH_LINE_BYTES / 2 : 0;
    begin = utf8_ceil(text, len, begin);
    size_t end = begin + utf8_floor(text + begin, len - begin, LIMIT_SEARCH_LINE_BYTES);
    json_array_append_new(json_object_get(s->current, "matches"),
                          json_pack("{s:s, s:I, s:o}", "in", in, "line", (json_int_t)line, "text",
                                    json_stringn(text + begin, end - begin)));
    return true;
}

static const json_t *match_at(const struct search *s)
{
    const json_t *found = json_array_get(s->found, s->at);
    return s->match ? json_array_get(json_object_get(found, "matches"), s->match - 1) : NULL;
}

/* Line by line: the command may have several. */
static void match_command(struct search *s, const char *cmd)
{
    long long number = 1;
    for (const char *at = cmd; *at; number++) {
        size_t len = strcspn(at, "\n");
        char *line = text_format("%.*s", (int)len, at);
        add_match(s, "command", number, line);
        free(line);
        at += len + (at[len] == '\n');
    }
}

static void on_block(struct call *c, const json_t *result)
{
    static const char *const members[] = {"block_id", "exit_code", "status", "cwd", "ts_begin"};
    struct search *s = c->state;
    const json_t *block = json_object_get(result, "block");
    const char *cmd = json_text(block, "cmd", "");
    size_t head = utf8_floor(cmd, strlen(cmd), LIMIT_MCP_COMMAND_BYTES);
    s->current = json_pack("{s:o, s:[]}", "cmd", json_stringn(cmd, head), "matches");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(s->current, members[i], json_object_get(block, members[i]));
    match_command(s, cmd);
    s->match = 1;
    go_on(c);
}

static void on_line(struct call *c, const json_t *output)
{
    struct search *s = c->state;
    const json_t *line = json_array_get(json_object_get(output, "lines"), 0);
    if (line)
        add_match(s, "output",
                  json_integer_value(json_array_get(json_object_get(output, "numbers"), 0)),
                  json_string_value(line));
    s->match++;
    go_on(c);
}

static void end_result(struct search *s)
{
    if (s->current && json_array_size(json_object_get(s->current, "matches")))
        json_array_append(s->results, s->current);
    json_decref(s->current);
    s->current = NULL;
    s->match = 0;
    s->at++;
}

static bool is_open(const struct search *s, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(s->open, i, one)
        if (!strcmp(json_string_value(json_array_get(one, 0)), name))
            return true;
    return false;
}

/* What is private, or gone meanwhile, is passed over. */
static void on_refused(void *work, const json_t *result, const char *error)
{
    struct call *c = work;
    (void)error;
    c->ask = NULL;
    if (result) {
        c->then(c, result);
        return;
    }
    end_result(c->state);
    go_on(c);
}

static void ask_of(struct call *c, const char *method, json_t *params,
                   void (*then)(struct call *, const json_t *))
{
    c->then = then;
    c->ask = backend_ask(c->mcp->daemon, method, params, LIMIT_ANSWER_MS, on_refused, c);
}

static void go_on(struct call *c)
{
    struct search *s = c->state;
    size_t limit = (size_t)call_number(c, "limit", 10);
    for (;;) {
        const json_t *found = json_array_get(s->found, s->at), *match;
        const char *name = json_text(found, "conversation_id", "");
        const char *id = json_text(found, "block_id", "");
        if (!found || json_array_size(s->results) >= limit) {
            call_answer(c, json_pack("{s:O, s:b}", "results", s->results, "more", found != NULL));
            return;
        }
        if (!is_open(s, name)) {
            s->at++;
        } else if (!s->match) {
            ask_of(c, "session.block",
                   json_pack("{s:s, s:s, s:b}", "name", name, "block", id, "agent", true),
                   on_block);
            return;
        } else if (!(match = match_at(s))) {
            end_result(s);
        } else if (strcmp(json_text(match, "in", ""), "output") != 0) {
            s->match++; /* the command was looked at */
        } else {
            ask_of(c, "session.output",
                   json_pack("{s:s, s:s, s:b, s:I, s:i}", "name", name, "block", id, "agent", true,
                             "offset", (json_int_t)json_number(match, "line", 1) - 1, "limit", 1),
                   on_line);
            return;
        }
    }
}

/* ---- finding ---- */

static void on_found(void *work, const char *text, size_t len, int status)
{
    struct call *c = work;
    struct search *s = c->state;
    json_t *found = json_loadb(text, len, 0, NULL);
    s->helper = NULL;
    if (!json_is_array(found) || status < 0 || status > 1) {
        json_decref(found);
        call_fail(c, "the search failed; `ptyd search` in a terminal says more");
        return;
    }
    s->found = json_array();
    for (size_t i = json_array_size(found); i--;)
        json_array_append(s->found, json_array_get(found, i));
    json_decref(found);
    go_on(c);
}

static void start(struct call *c, const char *state)
{
    struct search *s = c->state;
    char *argv[16] = {(char *)"ptyd", (char *)"search", (char *)"--json", (char *)"--last",
                      (char *)"200"};
    int n = 5;
    if (json_flag(c->arguments, "regex"))
        argv[n++] = (char *)"--regex";
    if (json_flag(c->arguments, "failed"))
        argv[n++] = (char *)"--failed";
    if (c->session) {
        argv[n++] = (char *)"-s";
        argv[n++] = c->session;
    }
    argv[n++] = (char *)"--";
    argv[n++] = (char *)call_text(c, "query", "");
    s->helper = helper_start(argv, state, on_found, c);
    if (!s->helper)
        call_fail(c, "%d searches are under way; wait for one of them", LIMIT_MCP_HELPERS);
}

/* The daemon's files are where it says, whatever this process's environment does. */
static void on_place(struct call *c, const json_t *session)
{
    char *state = text_copy(json_text(session, "directory", ""));
    char *end = strstr(state, "/conversations/");
    for (char *next; end && (next = strstr(end + 1, "/conversations/"));)
        end = next;
    if (end)
        *end = '\0';
    if (end)
        start(c, state);
    else
        call_fail(c, "the daemon does not say where its files are");
    free(state);
}

static void on_open(struct call *c, const json_t *sessions)
{
    struct search *s = c->state;
    const char *first = json_string_value(json_array_get(json_array_get(sessions, 0), 0));
    s->open = json_deep_copy(sessions);
    if (!first)
        call_answer(c, json_pack("{s:[], s:b}", "results", "more", false));
    else /* where its files are is for us alone, also where nobody is told of that session */
        call_ask(c, "session.wait",
                 json_pack("{s:s, s:b}", "name", c->session ? c->session : first, "agent", false),
                 on_place);
}

void tool_search(struct call *c)
{
    struct regex *regex = pattern_of(c);
    if (!regex)
        return;
    struct search *s = memory_new(sizeof *s);
    *s = (struct search){.regex = regex, .results = json_array()};
    c->state = s;
    c->drop = drop_search;
    call_ask(c, "session.list", json_pack("{s:[s]}", "members", "conversation_id"), on_open);
}
