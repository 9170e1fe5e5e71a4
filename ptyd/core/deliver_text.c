/* Blocks as plain text: `$ command`, what came of it, and its output behind `| `. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "envelope/encode.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/text.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* A block and what is left of its preview. */
struct part {
    const struct block *block;
    const char *cmd, *preview, *directory;
    bool served;     /* a tool has all of its output */
    int64_t omitted; /* lines in front of it */
};

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Every line behind `first`, or behind `next` from the second on; at least one. */
static void append_prefixed(const char *text, size_t len, const char *first, const char *next,
                            struct bytes *out)
{
    size_t at = 0;
    do {
        const char *end = memchr(text + at, '\n', len - at);
        size_t line = end ? (size_t)(end - text) - at : len - at;
        bytes_append_text(out, at ? next : first);
        bytes_append(out, text + at, line);
        bytes_append_char(out, '\n');
        at += line + 1;
    } while (at <= len);
}

/* Whether something in it cannot be seen, or could be read as what stands behind it. */
static bool is_odd(const char *path, size_t len)
{
    bool odd = path[0] != '/' || strpbrk(path, "\"\\") || strstr(path, ", ");
    for (size_t i = 0; i < len && !odd;) {
        uint32_t code = 0;
        int step = utf8_decode(path + i, len - i, &code);
        odd = step <= 0 || utf8_hidden(code);
        i += step > 0 ? (size_t)step : 1;
    }
    return odd;
}

/* A directory's or a file's name on one line, of a long one the end: as it is, or quoted as in
 * JSON. */
static void append_name(const char *path, struct bytes *out)
{
    size_t len = strlen(path), kept = encoded_tail(path, len, LIMIT_HEADER_CWD_BYTES);
    if (kept == len && !is_odd(path, len)) {
        bytes_append(out, path, len);
        return;
    }
    bytes_append_text(out, kept < len ? "\"" ELLIPSIS : "\"");
    encode_text(path + len - kept, kept, ENCODE_QUOTED, out);
    bytes_append_char(out, '"');
}

/* Where it ran: a plain name as it is, anything else quoted as in JSON. */
static void append_host(const char *host, struct bytes *out)
{
    bytes_append_text(out, " on ");
    if (text_is_name(host)) {
        bytes_append_text(out, host);
        return;
    }
    bytes_append_char(out, '"');
    encode_text(host, encoded_head(host, strlen(host), LIMIT_HOST_TOLD_BYTES), ENCODE_QUOTED, out);
    bytes_append_char(out, '"');
}

static void append_outcome(const struct part *p, struct bytes *out)
{
    const struct block *b = p->block;
    const char *signal = block_signal(b);
    if (b->has_exit_code)
        bytes_printf(out, "exit %d", b->exit_code);
    else
        bytes_append_text(out, b->status == BLOCK_RUNNING ? "still running" : "exit unknown");
    if (signal)
        bytes_printf(out, " (%s)", signal);
    if (b->status != BLOCK_RUNNING)
        bytes_printf(out, " after %.1f s", (double)b->duration_ms / 1000);
    if (*b->host)
        append_host(b->host, out);
    if (*b->cwd) {
        int64_t redacted = 0;
        char *cwd = deliver_directory(deliver_cwd(b), NULL, &redacted);
        bytes_append_text(out, " in ");
        append_name(cwd, out);
        free(cwd);
    }
    if (b->missed_before)
        bytes_printf(out, ", %lld commands there before it never came here",
                     (long long)b->missed_before);
    if (b->cmd_source == BLOCK_FROM_UNKNOWN)
        bytes_append_text(out, ", the command is not certain");
    if (p->omitted)
        bytes_printf(out, ", last %d of %lld lines", count_lines(p->preview),
                     (long long)count_lines(p->preview) + (long long)p->omitted);
}

static void append_part(const struct part *p, size_t command_most, struct bytes *out)
{
    struct board_place before = deliver_enter(p->block);
    size_t len = strlen(p->cmd);
    size_t head = len > command_most ? encoded_head(p->cmd, len, command_most) : len;
    append_prefixed(p->cmd, head, "$ ", "> ", out);
    if (head < len) {
        out->len--;
        bytes_append_text(out, ELLIPSIS "\n");
    }
    append_outcome(p, out);
    bytes_append_char(out, '\n');
    if (*p->preview) {
        size_t preview = strlen(p->preview);
        append_prefixed(p->preview, preview - (p->preview[preview - 1] == '\n'), "| ", "| ", out);
    }
    board_leave(&before);
}

void deliver_block_text(const struct block *b, struct bytes *out)
{
    struct part part = {
        .block = b, .cmd = b->cmd, .preview = b->preview, .omitted = b->omitted_lines};
    append_part(&part, SIZE_MAX, out);
}

/* Takes the oldest line of the longest preview, one of a command that succeeded counting thrice.
 * Returns false when no preview is left. */
static bool shrink(struct part *parts, size_t count)
{
    struct part *longest = NULL;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const struct block *b = parts[i].block;
        bool fine = b->has_exit_code && b->exit_code == 0;
        size_t weight = strlen(parts[i].preview) * (fine ? 3 : 1);
        if (weight > most) {
            most = weight;
            longest = &parts[i];
        }
    }
    if (!longest)
        return false;
    const char *end = strchr(longest->preview, '\n');
    longest->preview = end ? end + 1 : "";
    longest->omitted++;
    return true;
}

static void append_path(const struct part *p, struct bytes *out)
{
    char *path = text_format("%s/%s", p->directory, p->block->output_path);
    bytes_append_text(out, "(whole output: ");
    append_name(path, out);
    bytes_append_text(out, ")\n");
    free(path);
}

/* By what an agent gets it that may not read the file. */
static void append_way(const struct part *p, struct bytes *out)
{
    char *id = block_id(p->block);
    bytes_printf(out,
                 p->served ? "(the rest: " ENTRY_REST_TOOL ", block_id %s)\n"
                           : "(the rest: ptyd block %s)\n",
                 id);
    free(id);
}

static void render(const struct deliver_text *t, const struct part *parts, size_t count,
                   struct bytes *out)
{
    struct bytes text = {0};
    out->len = 0;
    bytes_append_text(&text, DELIVER_TEXT_LEAD);
    if (t->dropped)
        bytes_printf(&text, "(%lld earlier ones are left out.)\n", (long long)t->dropped);
    for (size_t i = 0; i < count; i++) {
        bytes_append_char(&text, '\n');
        append_part(&parts[i], LIMIT_TOLD_COMMAND_BYTES, &text);
        if (!parts[i].omitted || !*parts[i].directory || !*parts[i].block->output_path)
            continue;
        append_path(&parts[i], &text);
        append_way(&parts[i], &text);
    }
    encode_text(text.data, text.len, t->tagged ? ENCODE_TAGGED : ENCODE_OPEN, out);
    bytes_finish(&text);
}

void deliver_text(const struct deliver_text *t, size_t limit, struct bytes *out)
{
    struct part parts[LIMIT_CONTEXT_BLOCKS + 1];
    struct bytes text = {0};
    size_t count = 0, from = 0;
    for (size_t i = 0; i <= t->count && count <= LIMIT_CONTEXT_BLOCKS; i++) {
        const struct block *b = i < t->count ? t->blocks[i] : t->running;
        if (b)
            parts[count++] = (struct part){.block = b,
                                           .cmd = deliver_cmd(b),
                                           .preview = deliver_preview(b),
                                           .directory = i < t->count ? t->directories[i] : "",
                                           .served = i < t->count && t->served && t->served[i],
                                           .omitted = b->omitted_lines};
    }
    render(t, parts, count, &text);
    while (text.len > limit && (shrink(parts + from, count - from) || ++from < count))
        render(t, parts + from, count - from, &text);
    for (size_t i = 0; t->ret_omitted && i < t->count; i++)
        t->ret_omitted[i] = i < from ? -1 : parts[i].omitted;
    bytes_append(out, text.data, utf8_floor(text.data, text.len, limit));
    bytes_finish(&text);
}
