/* Secrets out of what a block has of text: of what agents will be told of it, and of its JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ptyd/core/block.h"
#include "ptyd/core/edges.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

static int redact(const char *text, const int *widths, const struct redact_secrets *secrets,
                  char **told)
{
    struct bytes out = {0};
    struct redact_ends ends = edges_find(text, strlen(text), widths);
    int count = redact_text_over(text, strlen(text), &ends, secrets, &out);
    redact_ends_finish(&ends);
    free(*told);
    *told = count ? text_copy(out.data) : NULL;
    if (out.failed)
        memory_end();
    bytes_finish(&out);
    return count;
}

void block_redact(struct block *b, const struct redact_secrets *secrets)
{
    static const int none[1];
    b->redacted = redact(b->cmd, none, secrets, &b->told_cmd);
    b->redacted += redact(b->preview, b->widths, secrets, &b->told_preview);
    b->redacted += redact(b->cwd, none, secrets, &b->told_cwd);
    int after = redact(b->cwd_after, none, secrets, &b->told_cwd_after);
    b->redacted += strcmp(b->cwd, b->cwd_after) ? after : 0; /* else it is told once */
}

/* ---- JSON ---- */

int block_redact_member(json_t *object, const char *key, const struct redact_secrets *secrets)
{
    const json_t *text = json_object_get(object, key);
    struct bytes out = {0};
    int count = json_is_string(text)
                    ? redact_text(json_string_value(text), json_string_length(text), secrets, &out)
                    : 0;
    if (count)
        json_object_set_new(object, key, json_stringn(out.data, out.len));
    bytes_finish(&out);
    return count;
}

/* As one text, so that a key of several lines is found. */
static int redact_lines(json_t *lines, const int *widths, const struct redact_secrets *secrets)
{
    struct bytes text = {0}, out = {0};
    size_t i;
    json_t *line;
    json_array_foreach(lines, i, line)
        bytes_printf(&text, "%s\n", json_string_value(line) ? json_string_value(line) : "");
    struct redact_ends ends = edges_find(text.data, text.len, widths);
    int count = text.len ? redact_text_over(text.data, text.len, &ends, secrets, &out) : 0;
    redact_ends_finish(&ends);
    if (count)
        json_array_clear(lines);
    for (size_t at = 0; count && at < out.len;) {
        const char *end = memchr(out.data + at, '\n', out.len - at);
        size_t len = end ? (size_t)(end - out.data) - at : out.len - at;
        json_array_append_new(lines, json_stringn(out.data + at, len));
        at += len + 1;
    }
    bytes_finish(&text);
    bytes_finish(&out);
    return count;
}

int block_redact_json(json_t *block, const struct redact_secrets *secrets)
{
    static const char *const members[] = {"cmd", "cwd", "cwd_after", "place"};
    int count = 0, widths[LIMIT_BLOCK_WIDTHS + 1];
    block_widths(block, widths);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        count += block_redact_member(block, members[i], secrets);
    return count + redact_lines(json_at(block, "preview", "lines"), widths, secrets);
}
