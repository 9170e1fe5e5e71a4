/* A tool that is called: its session, what it asks, and how it ends. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/mcp.h"

/* ---- text for agents ---- */

static bool is_shown(uint32_t code)
{
    return code == '\n' || code == '\t' || !utf8_hidden(code);
}

/* What nobody could see in it is written out. */
static json_t *visible_text(const char *text, size_t len)
{
    struct bytes out = {0};
    for (size_t at = 0; at < len;) {
        uint32_t code;
        int step = utf8_decode(text + at, len - at, &code);
        size_t size = step > 0 ? (size_t)step : 1;
        if (step > 0 && is_shown(code))
            bytes_append(&out, text + at, size);
        else
            bytes_printf(&out, "\\u{%x}", step > 0 ? code : 0xfffd);
        at += size;
    }
    json_t *value = json_stringn(out.data ? out.data : "", out.len);
    bytes_finish(&out);
    return value;
}

static void show_members(json_t *object)
{
    const char *key;
    json_t *member;
    void *next;
    json_object_foreach_safe(object, next, key, member)
        json_object_set_new(object, key, call_visible(json_incref(member)));
}

json_t *call_visible(json_t *value)
{
    size_t i;
    json_t *item;
    if (json_is_string(value)) {
        json_t *text = visible_text(json_string_value(value), json_string_length(value));
        json_decref(value);
        return text;
    }
    if (json_is_object(value))
        show_members(value);
    json_array_foreach(value, i, item)
        json_array_set_new(value, i, call_visible(json_incref(item)));
    return value;
}

/* ---- time ---- */

void call_until(struct call *c, int64_t until, void (*late)(struct call *call))
{
    for (struct call **at = &c->mcp->timed; *at; at = &(*at)->timed)
        if (*at == c) {
            *at = c->timed;
            break;
        }
    c->until = until;
    c->late = late;
    if (!until)
        return;
    c->timed = c->mcp->timed;
    c->mcp->timed = c;
}

int64_t calls_due(const struct mcp *mcp)
{
    int64_t due = -1;
    for (const struct call *c = mcp->timed; c; c = c->timed)
        due = due < 0 || c->until < due ? c->until : due;
    return due;
}

static void end_until(struct mcp *mcp, int64_t now)
{
    for (struct call *c = mcp->timed, *next; c; c = next) {
        void (*late)(struct call *) = c->late;
        next = c->timed;
        if (c->until > now)
            continue;
        backend_forget(c->ask);
        c->ask = NULL;
        call_until(c, 0, NULL);
        late(c);
    }
}

void calls_work(struct mcp *mcp)
{
    end_until(mcp, clock_monotonic_ms());
}

void calls_end(struct mcp *mcp)
{
    mcp->leaving = true;
    end_until(mcp, INT64_MAX);
}

/* ---- its end ---- */

static void free_call(struct call *c)
{
    backend_forget(c->ask);
    call_until(c, 0, NULL);
    if (c->token)
        drive_give_up(c);
    if (c->drop)
        c->drop(c);
    free(c->typing.text);
    json_decref(c->arguments);
    free(c->session);
    free(c);
}

static void cancel(void *work)
{
    free_call(work);
}

static void end(struct call *c, json_t *result)
{
    struct request *r = c->request;
    free_call(c);
    request_answer(r, result);
}

void call_answer(struct call *c, json_t *value)
{
    json_t *shown = call_visible(value);
    char *text = json_dumps(shown, JSON_COMPACT);
    json_t *result = json_pack("{s:[{s:s, s:s}], s:b}", "content", "type", "text", "text",
                               text ? text : "", "isError", 0);
    if (c->version >= VERSION_2025_06_18)
        json_object_set(result, "structuredContent", shown);
    free(text);
    json_decref(shown);
    end(c, result);
}

static json_t *failure(const char *text)
{
    json_t *shown = visible_text(text, strlen(text));
    return json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text", shown, "isError",
                     1);
}

void call_fail(struct call *c, const char *format, ...)
{
    char text[LIMIT_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *clean = text_clean(text, strlen(text), sizeof text);
    end(c, failure(clean));
    free(clean);
}

/* ---- asking ---- */

static void on_answer(void *work, const json_t *result, const char *error)
{
    struct call *c = work;
    c->ask = NULL;
    if (result)
        c->then(c, result);
    else
        call_fail(c, "%s", error ? error : "the daemon does not know");
}

void call_ask_for(struct call *c, const char *method, json_t *params, int wait_ms,
                  void (*then)(struct call *call, const json_t *result))
{
    if (!json_object_get(params, "agent"))
        json_object_set_new(params, "agent", json_true());
    if (c->session && !json_object_get(params, "name"))
        json_object_set_new(params, "name", json_string(c->session));
    c->then = then;
    c->ask = backend_ask(c->mcp->daemon, method, params, wait_ms, on_answer, c);
}

void call_ask(struct call *c, const char *method, json_t *params,
              void (*then)(struct call *call, const json_t *result))
{
    call_ask_for(c, method, params, LIMIT_ANSWER_MS, then);
}

const char *call_text(const struct call *c, const char *key, const char *otherwise)
{
    return json_text(c->arguments, key, otherwise);
}

long long call_number(const struct call *c, const char *key, long long otherwise)
{
    return json_number(c->arguments, key, otherwise);
}

/* ---- its session ---- */

/* `NAME:7` and `NAME:7:1795207146949` say whose block it is. New string, NULL for another form. */
static char *session_in(const char *id)
{
    const char *colon = id ? strchr(id, ':') : NULL;
    char *name = colon ? text_format("%.*s", (int)(colon - id), id) : NULL;
    if (name && text_is_name(name))
        return name;
    free(name);
    return NULL;
}

/* Nobody said which one: the one that is called as usual, or the only one. */
static void on_sessions(struct call *c, const json_t *sessions)
{
    struct bytes names = {0};
    const char *only = NULL;
    size_t i, count = 0;
    json_t *one;
    json_array_foreach(sessions, i, one) {
        const char *name = json_string_value(json_array_get(one, 0));
        const char *given = json_string_value(json_array_get(one, 1));
        if (name && (!strcmp(name, c->mcp->session) || !strcmp(given, c->mcp->session))) {
            only = name;
            count = 1;
            break;
        }
        only = name ? name : only;
        count++;
        if (count <= 10)
            bytes_printf(&names, "%s%s", count > 1 ? ", " : "", name ? name : "");
    }
    if (count == 1)
        c->session = text_copy(only);
    if (c->session)
        c->tool->call(c);
    else if (count)
        call_fail(c, "which session? There are %zu: %s%s; say conversation_id", count, names.data,
                  count > 10 ? " ..." : "");
    else
        call_fail(c, "no session is open. The user opens one with `ptyd` or `ptyd open NAME`");
    bytes_finish(&names);
}

void call_begin(struct mcp *mcp, struct request *request, enum version version,
                const struct tool *tool, json_t *arguments)
{
    struct call *c = memory_new(sizeof *c);
    *c = (struct call){
        .mcp = mcp, .request = request, .tool = tool, .version = version, .arguments = arguments};
    request->cancel = cancel;
    request->work = c;
    const char *named = json_text(arguments, "conversation_id", NULL);
    char *in_id = session_in(json_text(arguments, "block_id", NULL));
    bool differ = named && in_id && strcmp(named, in_id) != 0;
    if (tool->types && !mcp->drive) {
        call_fail(
            c, "nothing is typed: this server only looks. Its user lets it ask to type with `ptyd "
               "mcp --tools all --drive`, and then grants it each time (Ctrl-\\ g, `ptyd grant`)");
        free(in_id);
        return;
    }
    c->session = named                ? text_copy(named)
                 : in_id              ? text_copy(in_id)
                 : mcp->session_given ? text_copy(mcp->session)
                                      : NULL;
    if (differ)
        call_fail(c, "block %s is one of session %s, and conversation_id says %s",
                  json_text(arguments, "block_id", ""), in_id, named);
    else if (c->session || tool->anywhere)
        tool->call(c);
    else
        call_ask(c, "session.list", json_pack("{s:[s, s]}", "members", "conversation_id", "name"),
                 on_sessions);
    free(in_id);
}
