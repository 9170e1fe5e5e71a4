#include "ptyd/core/deliver.h"

#include <stdlib.h>
#include <string.h>

#include "envelope/entry.h"
#include "ptyd/core/agent.h"
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

bool deliver_wanted(const struct block *b)
{
    if (b->status == BLOCK_RUNNING || b->private)
        return false;
    size_t len;
    const char *word = program_word(b->cmd, &len);
    return !agent_find(word, len) && !(len == strlen("ptyd") && !memcmp(word, "ptyd", len));
}

const char *deliver_cmd(const struct block *b)
{
    return b->told_cmd ? b->told_cmd : b->cmd;
}

const char *deliver_preview(const struct block *b)
{
    return b->told_preview ? b->told_preview : b->preview;
}

static const char *status_word(const struct block *b)
{
    static const char *const words[] = {"running", "completed", "killed", "stopped", "abandoned"};
    return words[b->status];
}

void deliver_block(const struct block *b, const char *directory, const char *header_shell_id,
                   struct bytes *out)
{
    static const char *const types[] = {"user_cmd", "user_kill", "agent_cmd"};
    char *id = block_id(b);
    char *path = *directory && *b->output_path ? text_format("%s/%s", directory, b->output_path)
                                               : text_copy("");
    const char *signal = block_signal(b);
    entry_render_block(
        &(struct entry_block){
            .block_id = id,
            .shell_id = b->shell_id,
            .cmd = deliver_cmd(b),
            .cwd = b->cwd,
            .cwd_after = b->cwd_after,
            .status = status_word(b),
            .type = types[b->type],
            .signal = signal ? signal : "",
            .output_path = path,
            .preview = deliver_preview(b),
            .redacted = b->redacted,
            .has_exit_code = b->has_exit_code,
            .exit_code = b->exit_code,
            .duration_ms = b->duration_ms,
            .ts_end = b->ts_end,
            .omitted_lines = b->omitted_lines,
            .truncated = b->truncated,
            .nested = b->nested,
        },
        header_shell_id, out);
    free(id);
    free(path);
}

void deliver_header(const struct deliver_header *h, struct bytes *out)
{
    struct entry_running running = {0};
    if (h->running)
        running = (struct entry_running){.cmd = deliver_cmd(h->running),
                                         .cwd = h->running->cwd,
                                         .ts = h->running->ts_begin,
                                         .preview = deliver_preview(h->running),
                                         .truncated = h->running->truncated};
    entry_render_header(
        &(struct entry_header){
            .conversation_id = h->conversation_id,
            .shell_id = h->shell_id,
            .cwd = h->cwd,
            .total_commands_run = h->total,
            .kept = h->kept,
            .dropped = h->total - h->kept,
            .mcp = h->mcp,
            .running = h->running ? &running : NULL,
        },
        out);
}
