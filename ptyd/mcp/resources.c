/* Resources: the same that tools read, under names that a person may choose from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/mcp.h"
#include "ptyd/mcp/uri.h"

#define NOT_FOUND (-32002) /* until 2025-11-25 */

/* ---- lists ---- */

static const struct {
    const char *word, *title, *about, *type;
} listed[RESOURCE_LISTED] = {
    {"screen", "Screen", "What the user's terminal shows now", "text/plain"},
    {"scrollback", "Scrollback", "The newest lines above the screen", "text/plain"},
    {"blocks", "Commands", "The newest commands, with how they ended", "application/json"},
};

/* A list that is asked for. */
struct listing {
    struct mcp *mcp;
    struct request *request;
    struct ask *ask;
    char *behind; /* the session after which it goes on; "" for the first */
};

static void free_listing(void *work)
{
    struct listing *l = work;
    backend_forget(l->ask);
    free(l->behind);
    free(l);
}

static json_t *resource_of(const char *session, enum resource_kind kind)
{
    struct uri uri = {.kind = kind};
    snprintf(uri.session, sizeof uri.session, "%s", session);
    char *text = uri_make(&uri), *name = text_format("%s/%s", session, listed[kind].word);
    json_t *resource = json_pack("{s:s, s:s, s:o, s:s, s:s}", "uri", text, "name", name, "title",
                                 json_sprintf("%s of %s", listed[kind].title, session),
                                 "description", listed[kind].about, "mimeType", listed[kind].type);
    free(text);
    free(name);
    return resource;
}

static int by_name(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* In order, so that a cursor means the same whatever comes and goes. *ret_count of them, borrowed
 * from the sessions; the array is the caller's. */
static const char **sorted_names(const json_t *sessions, size_t *ret_count)
{
    size_t i, count = 0;
    json_t *one;
    const char **names = memory_new((json_array_size(sessions) + 1) * sizeof *names);
    json_array_foreach(sessions, i, one) {
        const char *name = json_string_value(json_array_get(one, 0));
        if (name)
            names[count++] = name;
    }
    qsort(names, count, sizeof *names, by_name);
    *ret_count = count;
    return names;
}

static json_t *page_of(const json_t *sessions, const char *behind)
{
    json_t *resources = json_array(), *page = json_pack("{s:o}", "resources", resources);
    size_t count, told = 0;
    const char **names = sorted_names(sessions, &count), *last = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], behind) <= 0)
            continue;
        if (told++ == LIMIT_MCP_PAGE) {
            char *cursor = cursor_make("resources", last);
            json_object_set_new(page, "nextCursor", json_string(cursor));
            free(cursor);
            break;
        }
        for (int kind = 0; kind < RESOURCE_LISTED; kind++)
            json_array_append_new(resources, resource_of(names[i], (enum resource_kind)kind));
        last = names[i];
    }
    free(names);
    return page;
}

static json_t *cacheable(const struct request *r, json_t *result)
{
    if (r->modern)
        json_object_update_new(result,
                               json_pack("{s:i, s:s}", "ttlMs", 0, "cacheScope", "private"));
    return result;
}

static void on_list(void *work, const json_t *sessions, const char *error)
{
    struct listing *l = work;
    struct request *r = l->request;
    (void)error; /* without a daemon there are none */
    json_t *page = page_of(sessions, l->behind);
    l->ask = NULL;
    free_listing(l);
    request_answer(r, cacheable(r, page));
}

void resources_list(struct mcp *mcp, struct request *request, const json_t *params)
{
    const json_t *cursor = json_object_get(params, "cursor");
    char *behind = cursor ? NULL : text_copy("");
    if (cursor &&
        !(json_is_string(cursor) && cursor_read("resources", json_string_value(cursor), &behind))) {
        request_fail(request, RPC_INVALID_PARAMS, "cursor is none that this list gave");
        return;
    }
    struct listing *l = memory_new(sizeof *l);
    *l = (struct listing){.mcp = mcp, .request = request, .behind = behind};
    request->cancel = free_listing;
    request->work = l;
    l->ask = backend_ask(mcp->daemon, "session.list",
                         json_pack("{s:[s], s:b}", "members", "conversation_id", "agent", true),
                         LIMIT_ANSWER_MS, on_list, l);
}

void resources_templates(struct mcp *mcp, struct request *request, const json_t *params)
{
    static const char *const templates[][4] = {
        {"screen", "ptyd:///sessions/{conversation_id}/screen", "The screen of a session",
         "text/plain"},
        {"scrollback", "ptyd:///sessions/{conversation_id}/scrollback",
         "The newest lines above a session's screen", "text/plain"},
        {"blocks", "ptyd:///sessions/{conversation_id}/blocks", "The newest commands of a session",
         "application/json"},
        {"block", "ptyd:///sessions/{conversation_id}/blocks/{number}", "A command",
         "application/json"},
        {"output", "ptyd:///sessions/{conversation_id}/blocks/{number}/output",
         "What a command printed", "text/plain"},
    };
    json_t *all = json_array();
    (void)mcp;
    if (json_object_get(params, "cursor")) {
        json_decref(all);
        request_fail(request, RPC_INVALID_PARAMS, "cursor is none that this list gave");
        return;
    }
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s}", "name", templates[i][0],
                                             "uriTemplate", templates[i][1], "description",
                                             templates[i][2], "mimeType", templates[i][3]));
    request_answer(request, cacheable(request, json_pack("{s:o}", "resourceTemplates", all)));
}

/* ---- reading ---- */

struct reading {
    struct request *request;
    struct ask *ask;
    enum version version;
    struct uri uri;
    char *text; /* the URI as it was given */
};

static void free_reading(void *work)
{
    struct reading *r = work;
    backend_forget(r->ask);
    free(r->text);
    free(r);
}

static json_t *lines_text(const json_t *lines)
{
    struct bytes out = {0};
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line)
        bytes_printf(&out, "%s\n", json_string_value(line));
    json_t *text = json_stringn(out.data ? out.data : "", out.len);
    bytes_finish(&out);
    return text;
}

/* Of an array of blocks those that agents are told of. New reference. */
static json_t *public_blocks(const json_t *blocks)
{
    json_t *shown = json_array(), *block;
    size_t i;
    json_array_foreach(blocks, i, block)
        if (!json_flag(block, "private"))
            json_array_append_new(shown, json_deep_copy(block));
    return shown;
}

/* The text of a resource. */
static json_t *text_of(enum resource_kind kind, const json_t *result)
{
    if (kind == RESOURCE_SCREEN)
        return call_visible(lines_text(json_object_get(result, "rows")));
    if (kind == RESOURCE_SCROLLBACK || kind == RESOURCE_OUTPUT)
        return call_visible(lines_text(json_object_get(result, "lines")));
    json_t *shown =
        call_visible(kind == RESOURCE_BLOCK ? json_deep_copy(json_object_get(result, "block"))
                                            : public_blocks(result));
    char *text = json_dumps(shown, JSON_COMPACT);
    json_t *value = json_string(text);
    json_decref(shown);
    free(text);
    return value;
}

static void on_read(void *work, const json_t *result, const char *error)
{
    struct reading *reading = work;
    struct request *r = reading->request;
    enum resource_kind kind = reading->uri.kind;
    bool json = kind == RESOURCE_BLOCKS || kind == RESOURCE_BLOCK;
    json_t *uri = json_string(reading->text);
    int code = reading->version >= VERSION_2026_07_28 ? RPC_INVALID_PARAMS : NOT_FOUND;
    reading->ask = NULL;
    free_reading(reading);
    if (!result) {
        request_fail_with(r, code, json_pack("{s:o}", "uri", uri), "%s",
                          error ? error : "there is no such resource");
        return;
    }
    json_t *text = text_of(kind, result);
    request_answer(
        r, cacheable(r, json_pack("{s:[{s:o, s:s, s:o}]}", "contents", "uri", uri, "mimeType",
                                  json ? "application/json" : "text/plain", "text", text)));
}

static void ask_for(struct mcp *mcp, struct reading *r)
{
    static const char *const methods[] = {"session.screen", "session.scrollback", "session.blocks",
                                          "session.block", "session.output"};
    json_t *params = json_pack("{s:s, s:b}", "name", r->uri.session, "agent", 1);
    if (r->uri.kind == RESOURCE_SCROLLBACK || r->uri.kind == RESOURCE_OUTPUT)
        json_object_set_new(params, "limit", json_integer(LIMIT_MCP_LINES));
    if (r->uri.kind == RESOURCE_BLOCKS)
        json_object_set_new(params, "last", json_integer(20));
    if (r->uri.block)
        json_object_set_new(params, "block", json_sprintf("%lld", r->uri.block));
    r->ask = backend_ask(mcp->daemon, methods[r->uri.kind], params, LIMIT_ANSWER_MS, on_read, r);
}

void resources_read(struct mcp *mcp, struct request *request, enum version version,
                    const json_t *params)
{
    const char *text = json_text(params, "uri", NULL);
    struct uri uri;
    if (!text) {
        request_fail(request, RPC_INVALID_PARAMS, "uri is a string");
        return;
    }
    if (!uri_read(text, &uri)) {
        request_fail_with(request, version >= VERSION_2026_07_28 ? RPC_INVALID_PARAMS : NOT_FOUND,
                          json_pack("{s:s}", "uri", text), "there is no such resource");
        return;
    }
    struct reading *r = memory_new(sizeof *r);
    *r = (struct reading){
        .request = request, .version = version, .uri = uri, .text = text_copy(text)};
    request->cancel = free_reading;
    request->work = r;
    ask_for(mcp, r);
}
