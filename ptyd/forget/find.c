#define _GNU_SOURCE
#include "ptyd/forget/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/heard.h"
#include "ptyd/core/json.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/forget/files.h"
#include "ptyd/session/block_reader.h"

struct search {
    const char *state, *text;
    int64_t since_ms;
    json_t *found;
};

/* ---- commands ---- */

/* Of a command that runs nobody else hears yet. */
static bool is_sendable(const json_t *block)
{
    return !json_flag(block, "private") && strcmp(json_text(block, "status", ""), "running") != 0 &&
           strcmp(json_text(block, "type", ""), "agent_cmd") != 0;
}

json_t *find_command(const json_t *block)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:b, s:b}", "block_id", json_text(block, "block_id", ""),
                     "session", json_text(block, "conversation_id", ""), "seq",
                     (json_int_t)json_number(block, "seq", 0), "ts",
                     (json_int_t)json_number(block, "ts_begin", 0), "told", 1, "sendable",
                     is_sendable(block));
}

static bool has_text(const json_t *value, const char *text)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_string(value))
        return strstr(json_string_value(value), text);
    json_array_foreach((json_t *)value, i, member)
        if (has_text(member, text))
            return true;
    json_object_foreach((json_t *)value, key, member)
        if (has_text(member, text))
            return true;
    return false;
}

static bool says(const json_t *block, const char *text)
{
    static const char *const told[] = {"cmd", "cwd", "cwd_after", "preview"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (has_text(json_object_get(block, told[i]), text))
            return true;
    return false;
}

static bool prints(const char *directory, const json_t *block, const char *text)
{
    const char *name = json_text(block, "output_path", "");
    char *path = text_format("%s/%s", directory, name);
    struct bytes output = {0};
    int result = *name ? file_read_regular(path, LIMIT_OUTPUT_FILE_BYTES, &output) : -1;
    bool found = result == 0 && output.len && memmem(output.data, output.len, text, strlen(text));
    bytes_finish(&output);
    free(path);
    return found;
}

static void take_block(struct search *s, const char *directory, const json_t *block)
{
    bool told = s->text && says(block, s->text);
    long long end = json_number(block, "ts_end", INT64_MAX);
    bool wanted = s->text ? told || prints(directory, block, s->text) : end >= s->since_ms;
    if (!wanted || json_flag(block, "forgotten"))
        return;
    json_t *command = find_command(block);
    if (s->text)
        json_object_set_new(command, "told", json_boolean(told));
    json_array_append_new(s->found, command);
}

static void search_session(void *user, const char *name)
{
    struct search *s = user;
    char *directory = text_format("%s/conversations/%s/agent_pty", s->state, name);
    struct block_reader *reader =
        text_is_name(name) ? block_reader_open(directory, 0, false) : NULL;
    json_t *block = NULL;
    int more = 0;
    while (reader && (more = block_reader_next(reader, &block)) >= 0)
        if (more) {
            take_block(s, directory, block);
            json_decref(block);
        }
    if (reader)
        block_reader_close(reader);
    free(directory);
}

/* Nothing but what agents are told is kept of it. */
static void search_heard(void *user, json_t *block)
{
    struct search *s = user;
    if (!says(block, s->text))
        return;
    json_t *command = find_command(block);
    json_object_set_new(command, "session", json_string(""));
    json_array_append_new(s->found, command);
}

json_t *find_commands(const char *state, const char *session, const char *text, int64_t since_ms)
{
    struct search s = {.state = state, .text = text, .since_ms = since_ms, .found = json_array()};
    if (session)
        search_session(&s, session);
    else
        forget_each_session(state, search_session, &s);
    if (text && !session) {
        char *directory = heard_directory(state);
        heard_each(directory, search_heard, &s);
        free(directory);
    }
    return s.found;
}

/* ---- who heard ---- */

struct hearing {
    const json_t *ids; /* {block_id: true} */
    json_t *heard;
};

static void take_id(const struct hearing *h, const json_t *id, json_t *blocks)
{
    if (json_is_string(id) && json_object_get(h->ids, json_string_value(id)))
        json_array_append(blocks, (json_t *)id);
}

/* What a turn's receipt says, or what was taken and not settled. */
static void take_told(struct hearing *h, const json_t *told, const char *consumer, const char *turn,
                      long long ts)
{
    json_t *blocks = json_array(), *block;
    size_t i;
    json_array_foreach(json_object_get(told, "blocks"), i, block)
        take_id(h, json_object_get(block, "block_id"), blocks);
    take_id(h, json_object_get(told, "running"), blocks);
    if (json_array_size(blocks))
        json_array_append_new(h->heard,
                              json_pack("{s:s, s:s?, s:I, s:O}", "consumer", consumer, "turn", turn,
                                        "ts", (json_int_t)ts, "blocks", blocks));
    json_decref(blocks);
}

static void hear_receipt(void *user, char *line, size_t len, bool is_whole)
{
    json_t *receipt = line && is_whole ? seal_load(line, len) : NULL;
    take_told(user, receipt, json_text(receipt, "consumer", ""), json_text(receipt, "turn", NULL),
              json_number(receipt, "ts", 0));
    json_decref(receipt);
}

static void hear_receipts(struct hearing *h, const char *state, const char *former)
{
    char *path = text_format("%s/receipts.jsonl%s", state, former);
    lines_each_of(path, LIMIT_JSONL_LINE_BYTES, hear_receipt, h);
    free(path);
}

static void hear_leases(struct hearing *h, const char *state, const char *session)
{
    char *path = *session ? text_format("%s/conversations/%s/meta.json", state, session)
                          : text_format("%s/hosts/ledger.json", state);
    struct bytes file = {0};
    int result = file_read_regular(path, LIMIT_META_BYTES, &file);
    json_t *meta = result == 0 && file.len ? seal_load(file.data, file.len) : NULL, *lease;
    const json_t *part = *session ? json_object_get(meta, "ptyd_ledger") : meta;
    size_t i;
    json_array_foreach(json_object_get(part, "leases"), i, lease)
        take_told(h, json_object_get(lease, "told"), json_text(lease, "consumer", ""), NULL,
                  json_number(lease, "ts", 0));
    json_decref(meta);
    bytes_finish(&file);
    free(path);
}

json_t *find_heard(const char *state, const json_t *commands)
{
    json_t *ids = json_object(), *sessions = json_object(), *command;
    struct hearing h = {.ids = ids, .heard = json_array()};
    const char *session;
    size_t i;
    json_array_foreach((json_t *)commands, i, command) {
        if (json_flag(command, "told"))
            json_object_set_new(ids, json_text(command, "block_id", ""), json_true());
        json_object_set_new(sessions, json_text(command, "session", ""), json_true());
    }
    hear_receipts(&h, state, ".1");
    hear_receipts(&h, state, "");
    json_object_foreach(sessions, session, command)
        hear_leases(&h, state, session);
    json_decref(ids);
    json_decref(sessions);
    return h.heard;
}
