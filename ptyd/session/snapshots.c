#include "ptyd/session/snapshots.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"

/* Takes the text, which lacks its end. */
static void replace(struct owed *owed, const char *directory, const char *name,
                    const struct block *block, struct bytes *text)
{
    char *id = block_id(block), *path = text_format("%s/%s", directory, name);
    bytes_append_text(text, ",\"block_id\":");
    json_append_string(text, id);
    bytes_printf(text, ",\"ts\":%lld}", (long long)block->ts_end);
    owed_replace(owed, path, text->data, text->len);
    bytes_finish(text);
    free(path);
    free(id);
}

static size_t lines_since(const struct terminal *terminal, uint64_t from)
{
    size_t since = terminal_scrollback_since(terminal, from);
    return since < LIMIT_SNAPSHOT_LINES ? since : LIMIT_SNAPSHOT_LINES;
}

/* Nobody else has a turn meanwhile: they are not made as values first. */
void snapshots_replace(struct owed *owed, const char *directory, const struct block *block,
                       const struct terminal *terminal, uint64_t from)
{
    struct bytes screen = {0}, scrollback = {0};
    size_t lines = lines_since(terminal, from);
    screen_append(terminal, from, &screen);
    replace(owed, directory, "screen.snapshot.json", block, &screen);
    screen_append_scrollback(terminal, lines ? 0 : SIZE_MAX, lines, &scrollback);
    bytes_printf(&scrollback, ",\"scrollback_total\":%llu",
                 (unsigned long long)terminal_scrollback_total(terminal));
    replace(owed, directory, "scrollback.snapshot.json", block, &scrollback);
}
