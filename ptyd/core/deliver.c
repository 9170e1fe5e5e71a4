#include "ptyd/core/deliver.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "envelope/entry.h"
#include "envelope/redact/redact.h"
#include "ptyd/core/text.h"

/* The first word as a program's name: assignments and paths in front of it do not hide it. */
static const char *program_word(const char *cmd, size_t *ret_len)
{
    for (;;) {
        cmd += strspn(cmd, " \t");
        size_t len = strcspn(cmd, " \t\n;|&");
        const char *equals = memchr(cmd, '=', len);
        if (!equals || equals == cmd) {
            for (size_t i = len; i > 0; i--)
                if (cmd[i - 1] == '/') {
                    *ret_len = len - i;
                    return cmd + i;
                }
            *ret_len = len;
            return cmd;
        }
        cmd += len;
    }
}

bool deliver_is_ptyd(const char *cmd)
{
    size_t len;
    const char *word = program_word(cmd, &len);
    return len == strlen("ptyd") && !memcmp(word, "ptyd", len);
}

/* `ptyd notify` runs a command that is its user's as any other: the one behind `--`. */
static const char *own_command(const char *cmd)
{
    size_t len;
    const char *word = program_word(cmd, &len);
    const char *next = word + len + strspn(word + len, " \t");
    if (!deliver_is_ptyd(cmd) || strncmp(next, "notify ", strlen("notify ")) != 0)
        return cmd;
    const char *behind = strstr(next, " -- ");
    return behind ? behind + strlen(" -- ") : cmd;
}

bool deliver_wanted(const struct block *b, const struct conf *conf)
{
    if (b->status == BLOCK_RUNNING || b->private || b->type == BLOCK_AGENT_CMD)
        return false;
    size_t len;
    const char *word = program_word(own_command(b->cmd), &len);
    return !conf_leaves_out(conf, word, len);
}

struct board_place deliver_enter(const struct block *b)
{
    return board_enter(*b->host_id ? "" : b->conversation_id, BOARD_RENDER, b->key);
}

const char *deliver_cmd(const struct block *b)
{
    return b->told_cmd ? b->told_cmd : b->cmd;
}

const char *deliver_preview(const struct block *b)
{
    return b->told_preview ? b->told_preview : b->preview;
}

int64_t deliver_ended_ms(const struct block *b)
{
    bool is_ahead = b->heard_ms && b->ts_end > b->heard_ms + LIMIT_CLOCK_APART_MS;
    return is_ahead ? b->heard_ms : b->ts_end;
}

/* Where the command text comes from is told where it is not certain. */
static const char *source(const struct block *b)
{
    return b->cmd_source == BLOCK_FROM_UNKNOWN ? "unknown" : "";
}

const char *deliver_cwd(const struct block *b)
{
    return b->told_cwd ? b->told_cwd : b->cwd;
}

char *deliver_directory(const char *path, const struct redact_secrets *secrets, int64_t *redacted)
{
    struct bytes out = {0};
    *redacted += redact_text(path, strlen(path), secrets, &out);
    char *copy = text_copy(out.data ? out.data : "");
    if (out.failed)
        memory_end();
    bytes_finish(&out);
    return copy;
}

void deliver_block(const struct block *b, const char *directory, const char *header_shell_id,
                   const struct entry_shape *shape, struct bytes *out, struct bytes *output)
{
    char *id = block_id(b);
    char *path = *directory && *b->output_path ? text_format("%s/%s", directory, b->output_path)
                                               : text_copy("");
    const char *signal = block_signal(b);
    struct board_place before = deliver_enter(b);
    struct entry_block entry = {
        .block_id = id,
        .cmd = deliver_cmd(b),
        .has_exit_code = b->has_exit_code,
        .exit_code = b->exit_code,
        .signal = signal ? signal : "",
        .preview = deliver_preview(b),
        .truncated = b->truncated,
        .redacted = b->redacted,
        .output_path = path,
        .rest = shape->tool && *path ? ENTRY_REST_TOOL : NULL,
        .cmd_source = source(b),
    };
    block_tell(b, &entry);
    entry.ts_end = deliver_ended_ms(b);
    char *cwd = deliver_directory(deliver_cwd(b), NULL, &entry.redacted);
    char *after = deliver_directory(b->told_cwd_after ? b->told_cwd_after : b->cwd_after, NULL,
                                    &entry.redacted);
    entry.cwd = cwd;
    entry.cwd_after = after;
    entry_render_shaped(&entry, header_shell_id, shape, out, output);
    board_leave(&before);
    free(cwd);
    free(after);
    free(id);
    free(path);
}

void deliver_header(const struct deliver_header *h, struct bytes *out, struct bytes *output)
{
    struct entry_running running = {0};
    struct board_place before = board_enter(h->conversation_id, BOARD_RENDER, 0);
    int64_t redacted = 0;
    char *cwd = deliver_directory(h->cwd, h->secrets, &redacted);
    char *there =
        h->running ? deliver_directory(deliver_cwd(h->running), h->secrets, &redacted) : NULL;
    if (h->running)
        running = (struct entry_running){.cmd = deliver_cmd(h->running),
                                         .cwd = there,
                                         .cmd_source = source(h->running),
                                         .ts = h->running->ts_begin,
                                         .preview = deliver_preview(h->running),
                                         .truncated = h->running->truncated,
                                         .apart = h->apart};
    if (h->running && h->apart && *running.preview)
        entry_render_running(&running, output);
    entry_render_header(
        &(struct entry_header){
            .conversation_id = h->conversation_id,
            .shell_id = h->shell_id,
            .cwd = cwd,
            .total_commands_run = h->total,
            .kept = h->kept,
            .dropped = h->total - h->kept,
            .mcp = h->mcp,
            .running = h->running ? &running : NULL,
            .hosts = h->hosts,
            .host_count = h->host_count,
        },
        out);
    board_leave(&before);
    free(cwd);
    free(there);
}
