/* The line that is typed at a prompt, for whoever asks before it runs. */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

/* Whether the cursor is in front of where the line begins: the screen was cleared, and the prompt
 * drawn without marks. */
static bool is_above(const struct tracker *t)
{
    struct terminal_anchor from = t->prompt_late && t->keys.here ? t->keyed_at : t->input;
    struct terminal_anchor at = terminal_anchor(t->options.terminal);
    uint64_t row = anchor_row(at), first = anchor_row(from);
    return t->stage == STAGE_INPUT && t->has_input &&
           (row < first || (row == first && anchor_col(at) < anchor_col(from)));
}

void tracker_note_place(struct tracker *t)
{
    if (t->moved || t->foreign.heard || !is_above(t))
        return;
    t->moved = true;
    t->moved_to = terminal_scrollback_total(t->options.terminal);
}

uint64_t tracker_input_row(const struct tracker *t)
{
    uint64_t row = t->has_input ? anchor_row(t->input) : UINT64_MAX;
    uint64_t top = t->moved      ? t->moved_to
                   : is_above(t) ? terminal_scrollback_total(t->options.terminal)
                                 : UINT64_MAX;
    return t->has_input && top < row ? top : row;
}

static void append_end(struct bytes *out)
{
    bytes_append_char(out, '\0');
    out->len -= out->len > 0;
}

void tracker_typed_text(const struct tracker *t, struct bytes *out)
{
    if (t->has_input && !t->prompt_late)
        terminal_text_since(t->options.terminal, t->input, out);
    else if (t->has_input && t->keys.here)
        terminal_text_since(t->options.terminal, t->keyed_at, out);
    append_end(out);
}

void tracker_keyed_text(const struct tracker *t, struct bytes *out)
{
    bool asked = t->has_input && (t->prompt_late || t->moved || is_above(t));
    char *line = asked ? line_keys_so_far(&t->keys) : NULL;
    if (asked && t->keys.blank)
        bytes_append_char(out, ' ');
    if (line)
        bytes_append_text(out, line);
    free(line);
    append_end(out);
}

void tracker_drawn_text(const struct tracker *t, struct bytes *out)
{
    int rows = t->moved || is_above(t) ? terminal_rows(t->options.terminal) : 0;
    for (int row = 0; row < rows; row++) {
        terminal_row_text(t->options.terminal, row, out);
        bytes_append_char(out, '\n');
    }
    append_end(out);
}

bool tracker_shows_line(const struct tracker *t)
{
    struct bytes text = {0};
    if (t->has_input && (t->moved || is_above(t)))
        return true;
    if (t->has_input)
        terminal_text_since(t->options.terminal, t->input, &text);
    append_end(&text);
    bool shows = text.len && text.data[strspn(text.data, " \n")];
    bytes_finish(&text);
    return shows;
}
