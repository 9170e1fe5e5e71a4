/* The line that is typed at a prompt, for whoever asks before it runs. */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

uint64_t tracker_input_row(const struct tracker *t)
{
    return t->has_input ? anchor_row(t->input) : UINT64_MAX;
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

/* Where the cursor is in front of B the screen was cleared, and the prompt drawn without marks. */
static bool is_elsewhere(const struct tracker *t)
{
    struct terminal_anchor at = terminal_anchor(t->options.terminal);
    uint64_t row = anchor_row(at), input = anchor_row(t->input);
    return t->prompt_late || row < input || (row == input && anchor_col(at) < anchor_col(t->input));
}

void tracker_keyed_text(const struct tracker *t, struct bytes *out)
{
    bool asked = t->has_input && is_elsewhere(t);
    char *line = asked ? line_keys_so_far(&t->keys) : NULL;
    if (asked && t->keys.blank)
        bytes_append_char(out, ' ');
    if (line)
        bytes_append_text(out, line);
    free(line);
    append_end(out);
}

bool tracker_shows_line(const struct tracker *t)
{
    struct bytes text = {0};
    if (t->has_input)
        terminal_text_since(t->options.terminal, t->input, &text);
    append_end(&text);
    bool shows = text.len && text.data[strspn(text.data, " \n")];
    bytes_finish(&text);
    return shows;
}
