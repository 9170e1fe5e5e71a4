#include "ptyd/core/screen.h"

void screen_row_text(const struct terminal *t, int row, uint64_t hidden, struct bytes *out)
{
    uint64_t top = terminal_scrollback_total(t);
    uint64_t number = terminal_alt_screen(t) ? top : top + (uint64_t)row;
    if (number >= hidden)
        terminal_row_text(t, row, out);
}

json_t *screen_json(const struct terminal *t)
{
    return screen_json_without(t, 0);
}

json_t *screen_styled_rows(const struct terminal *t)
{
    json_t *rows = json_array();
    struct bytes text = {0};
    for (int i = 0; i < terminal_rows(t); i++) {
        text.len = 0;
        terminal_row_styled(t, i, &text);
        json_array_append_new(rows, json_stringn(text.data ? text.data : "", text.len));
    }
    bytes_finish(&text);
    return rows;
}

json_t *screen_json_without(const struct terminal *t, uint64_t hidden)
{
    json_t *rows = json_array();
    struct bytes text = {0};
    for (int i = 0; i < terminal_rows(t); i++) {
        text.len = 0;
        screen_row_text(t, i, hidden, &text);
        json_array_append_new(rows, json_stringn(text.data ? text.data : "", text.len));
    }
    bytes_finish(&text);
    struct terminal_cursor cursor = terminal_cursor(t);
    return json_pack("{s:o, s:{s:i, s:i}, s:s, s:b, s:i, s:i}", "rows", rows, "cursor", "row",
                     cursor.row, "col", cursor.col, "title", terminal_title(t), "alt_screen",
                     terminal_alt_screen(t), "cols", terminal_cols(t), "rows_count",
                     terminal_rows(t));
}

json_t *screen_scrollback_json(const struct terminal *t, size_t skip, size_t limit)
{
    size_t count = terminal_scrollback_count(t);
    size_t end = skip < count ? count - skip : 0;
    size_t from = limit && limit < end ? end - limit : 0;
    json_t *lines = json_array();
    struct bytes text = {0};
    for (size_t i = from; i < end; i++) {
        text.len = 0;
        terminal_scrollback_text(t, i, &text);
        json_array_append_new(lines, json_stringn(text.data ? text.data : "", text.len));
    }
    bytes_finish(&text);
    return json_pack("{s:o, s:I}", "lines", lines, "total",
                     (json_int_t)terminal_scrollback_total(t));
}
