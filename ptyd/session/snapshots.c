#include "ptyd/session/snapshots.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/json.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"
#include "ptyd/core/told_rows.h"

/* Takes the text, which lacks its end. */
static void replace(const struct snapshots *s, const char *name, const struct block *block,
                    struct bytes *text)
{
    char *id = block_id(block), *path = text_format("%s/%s", s->directory, name);
    bytes_append_text(text, ",\"block_id\":");
    json_append_string(text, id);
    bytes_printf(text, ",\"ts\":%lld}", (long long)block->ts_end);
    owed_replace(s->owed, path, text->data, text->len);
    bytes_finish(text);
    free(path);
    free(id);
}

static size_t lines_since(const struct terminal *terminal, uint64_t from)
{
    size_t since = terminal_scrollback_since(terminal, from);
    return since < LIMIT_SNAPSHOT_LINES ? since : LIMIT_SNAPSHOT_LINES;
}

/* ---- without secrets ---- */

/* Lines of scrollback in front of the newest `lines`, in which a secret may begin. */
static size_t lines_in_front(const struct snapshots *s, size_t lines)
{
    size_t older = terminal_scrollback_count(s->terminal) - lines;
    size_t around = told_rows_around(terminal_cols(s->terminal));
    return older < around ? older : around;
}

/* The newest `lines` of scrollback, and the screen's rows. */
static struct told_row *gather(const struct snapshots *s, size_t lines)
{
    const struct terminal *t = s->terminal;
    size_t held = terminal_scrollback_count(t), rows = (size_t)terminal_rows(t);
    struct told_row *all = memory_new((lines + rows) * sizeof *all);
    for (size_t i = 0; i < lines; i++) {
        terminal_scrollback_text(t, held - lines + i, &all[i].text);
        all[i].goes_on = terminal_scrollback_goes_on(t, held - lines + i);
    }
    for (size_t i = 0; i < rows; i++) {
        screen_row_text(t, (int)i, s->from, &all[lines + i].text);
        all[lines + i].goes_on = terminal_row_goes_on(t, (int)i);
    }
    for (size_t i = 0; i < lines + rows; i++)
        told_row_measure(&all[i], terminal_cols(t));
    return all;
}

static void append_clean(const struct snapshots *s, size_t lines, struct bytes *screen,
                         struct bytes *scrollback)
{
    size_t front = lines_in_front(s, lines), count = lines + (size_t)terminal_rows(s->terminal);
    struct told_row *rows = gather(s, front + lines);
    struct bytes *texts = memory_new(count * sizeof *texts), title = {0};
    struct told_row of_title = {0};
    bytes_append_text(&of_title.text, terminal_title(s->terminal));
    told_rows_clean(rows, front + count, front, front + count, s->secrets, TOLD_AS_IT_IS, texts);
    told_rows_clean(&of_title, 1, 0, 1, s->secrets, TOLD_AS_IT_IS, &title);
    screen_append_told(s->terminal, texts + lines, title.data, screen);
    screen_append_told_lines(s->terminal, texts, lines, scrollback);
    for (size_t i = 0; i < count; i++)
        bytes_finish(&texts[i]);
    free(texts);
    bytes_finish(&title);
    bytes_finish(&of_title.text);
    told_rows_finish(rows, front + count);
}

/* ---- both ---- */

/* Nobody else has a turn meanwhile: they are not made as values first. */
void snapshots_replace(const struct snapshots *s, const struct block *block)
{
    struct bytes screen = {0}, scrollback = {0};
    size_t held = terminal_scrollback_count(s->terminal), lines = lines_since(s->terminal, s->from);
    lines = lines < held ? lines : held;
    if (s->redacts) {
        append_clean(s, lines, &screen, &scrollback);
    } else {
        screen_append(s->terminal, s->from, &screen);
        screen_append_scrollback(s->terminal, lines ? 0 : SIZE_MAX, lines, &scrollback);
    }
    replace(s, "screen.snapshot.json", block, &screen);
    bytes_printf(&scrollback, ",\"scrollback_total\":%llu",
                 (unsigned long long)terminal_scrollback_total(s->terminal));
    replace(s, "scrollback.snapshot.json", block, &scrollback);
}
