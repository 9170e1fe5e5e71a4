#include "ptyd/core/screen.h"

#include "ptyd/core/json.h"

void screen_row_text(const struct terminal *t, int row, uint64_t hidden, struct bytes *out)
{
    uint64_t top = terminal_scrollback_total(t);
    uint64_t number = terminal_alt_screen(t) ? top : top + (uint64_t)row;
    if (number >= hidden)
        terminal_row_text(t, row, out);
}

/* Of a text that ends with a NUL. */
static void append_line(struct bytes *out, bool first, struct bytes *text)
{
    bytes_append_char(text, '\0');
    bytes_append_text(out, first ? "" : ",");
    json_append_string(out, text->data);
    text->len = 0;
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

static void append_frame(const struct terminal *t, const char *title, struct bytes *out)
{
    struct terminal_cursor cursor = terminal_cursor(t);
    bytes_printf(out, "],\"cursor\":{\"row\":%d,\"col\":%d},\"title\":", cursor.row, cursor.col);
    json_append_string(out, title);
    bytes_printf(out, ",\"alt_screen\":%s,\"cols\":%d,\"rows_count\":%d",
                 terminal_alt_screen(t) ? "true" : "false", terminal_cols(t), terminal_rows(t));
}

void screen_append(const struct terminal *t, uint64_t hidden, struct bytes *out)
{
    struct bytes text = {0};
    bytes_append_text(out, "{\"rows\":[");
    for (int i = 0; i < terminal_rows(t); i++) {
        screen_row_text(t, i, hidden, &text);
        append_line(out, i == 0, &text);
    }
    bytes_finish(&text);
    append_frame(t, terminal_title(t), out);
}

void screen_append_told(const struct terminal *t, struct bytes *rows, const char *title,
                        struct bytes *out)
{
    bytes_append_text(out, "{\"rows\":[");
    for (int i = 0; i < terminal_rows(t); i++)
        append_line(out, i == 0, &rows[i]);
    append_frame(t, title, out);
}

void screen_append_told_lines(const struct terminal *t, struct bytes *lines, size_t count,
                              struct bytes *out)
{
    bytes_append_text(out, "{\"lines\":[");
    for (size_t i = 0; i < count; i++)
        append_line(out, i == 0, &lines[i]);
    bytes_printf(out, "],\"total\":%llu", (unsigned long long)terminal_scrollback_total(t));
}

void screen_append_scrollback(const struct terminal *t, size_t skip, size_t limit,
                              struct bytes *out)
{
    size_t count = terminal_scrollback_count(t);
    size_t end = skip < count ? count - skip : 0;
    size_t from = limit && limit < end ? end - limit : 0;
    struct bytes text = {0};
    bytes_append_text(out, "{\"lines\":[");
    for (size_t i = from; i < end; i++) {
        terminal_scrollback_text(t, i, &text);
        append_line(out, i == from, &text);
    }
    bytes_finish(&text);
    bytes_printf(out, "],\"total\":%llu", (unsigned long long)terminal_scrollback_total(t));
}

/* What was appended, closed, as a value; frees it. */
static json_t *value_of(struct bytes *text)
{
    bytes_append_char(text, '}');
    json_t *value = json_loadb(text->data, text->len, JSON_ALLOW_NUL, NULL);
    bytes_finish(text);
    return value;
}

json_t *screen_json(const struct terminal *t)
{
    struct bytes text = {0};
    screen_append(t, 0, &text);
    return value_of(&text);
}

json_t *screen_scrollback_json(const struct terminal *t, size_t skip, size_t limit)
{
    struct bytes text = {0};
    screen_append_scrollback(t, skip, limit, &text);
    return value_of(&text);
}
