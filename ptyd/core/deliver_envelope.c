/* The form of the first proposal: one JSON object with all commands. It goes in front of a user's
 * text, so it is plain ASCII: neither of the bytes that enclose it can appear in it. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/deliver.h"

static json_t *command_json(const struct block *b)
{
    int64_t redacted = 0;
    char *id = block_id(b), *cwd = deliver_directory(deliver_cwd(b), NULL, &redacted);
    struct board_place before = deliver_enter(b);
    json_t *json =
        json_pack("{s:s, s:o, s:s, s:s*, s:s, s:I, s:o}", "cmd", deliver_cmd(b), "exit_code",
                  b->has_exit_code ? json_integer(b->exit_code) : json_null(), "cwd", cwd, "host",
                  *b->host ? b->host : NULL, "block_id", id, "ts", (json_int_t)deliver_ended_ms(b),
                  "preview", block_preview_json(deliver_preview(b), b->truncated));
    board_leave(&before);
    free(cwd);
    free(id);
    return json;
}

json_t *deliver_commands(const struct block *const *blocks, size_t count)
{
    json_t *commands = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(commands, command_json(blocks[i]));
    return commands;
}

/* Makes the oldest command that has a preview lose it; then the oldest go. */
static void shrink(json_t *commands)
{
    size_t i;
    json_t *command;
    json_array_foreach(commands, i, command) {
        json_t *preview = json_object_get(command, "preview");
        json_t *lines = json_object_get(preview, "lines");
        if (json_array_size(lines)) {
            json_array_clear(lines);
            json_object_set_new(preview, "truncated", json_true());
            return;
        }
    }
    json_array_remove(commands, 0);
}

/* DEL is ASCII for jansson, and a control for everybody else. */
static void append_without_delete(const char *text, struct bytes *out)
{
    for (const char *end; (end = strchr(text, 0x7f)); text = end + 1) {
        bytes_append(out, text, (size_t)(end - text));
        bytes_append_text(out, "\\u007f");
    }
    bytes_append_text(out, text);
}

void deliver_envelope(const struct block *const *blocks, size_t count,
                      const struct deliver_header *h, struct bytes *out)
{
    json_t *commands = deliver_commands(blocks, count);
    char *text = NULL;
    for (;;) {
        size_t kept = json_array_size(commands);
        json_t *object = json_pack(
            "{s:i, s:s, s:s, s:s, s:I, s:I, s:I, s:O, s:o}", "v", 1, "type", "user_cmd_context",
            "conversation_id", h->conversation_id, "shell_id", h->shell_id, "total_commands_run",
            (json_int_t)h->total, "kept", (json_int_t)kept, "dropped",
            (json_int_t)(h->total - (int64_t)kept), "commands", commands, "mcp",
            h->mcp
                ? json_pack("[s, s, s]", "pty_read_screen", "pty_read_scrollback", ENTRY_REST_TOOL)
                : json_array());
        text = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
        json_decref(object);
        if (!text || strlen(text) <= LIMIT_ENVELOPE_BYTES || !kept)
            break;
        free(text);
        shrink(commands);
    }
    append_without_delete(text ? text : "{}", out);
    free(text);
    json_decref(commands);
}
