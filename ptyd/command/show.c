#include "ptyd/command/show.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "ptyd/core/block.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"

/* Bytes at the head that a terminal shows as they are. */
static size_t plain_span(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && ((text[n] >= 0x20 && text[n] < 0x7f) || text[n] == '\n' || text[n] == '\t'))
        n++;
    return n;
}

void show_clean(const char *text, size_t len, struct bytes *out)
{
    for (size_t i = 0; i < len;) {
        size_t plain = plain_span(text + i, len - i);
        bytes_append(out, text + i, plain);
        i += plain;
        if (i == len)
            break;
        uint32_t code = 0;
        int step = utf8_decode(text + i, len - i, &code);
        if (step <= 0 || (utf8_hidden(code) && code != 0x200d && !utf8_modifies(code)))
            bytes_printf(out, "\\u{%x}", step > 0 ? code : (unsigned char)text[i]);
        else
            bytes_append(out, text + i, (size_t)step);
        i += step > 0 ? (size_t)step : 1;
    }
}

static void show_characters(const char *text, size_t len)
{
    struct bytes clean = {0};
    show_clean(text, len, &clean);
    fwrite(clean.data ? clean.data : "", 1, clean.len, stdout);
    bytes_finish(&clean);
}

void show_text(const char *text)
{
    show_characters(text, strlen(text));
}

static void show_block(const json_t *json)
{
    struct block *block = block_from_json(json);
    struct bytes text = {0};
    if (!block)
        return;
    deliver_block_text(block, &text);
    show_characters(text.data ? text.data : "", text.len);
    bytes_finish(&text);
    block_unref(block);
}

static void show_blocks(const json_t *blocks)
{
    size_t i;
    json_t *block;
    if (!json_array_size(blocks))
        puts("No commands yet.");
    json_array_foreach(blocks, i, block) {
        if (i)
            putchar('\n');
        printf("[%lld] ", json_number(block, "seq", 0));
        show_block(block);
    }
}

/* ---- sessions ---- */

/* The columns, but for the size's parts. */
enum column { NAME, STATE, SHELL, PID, SIZE, DIRECTORY, COLUMNS };

static const char *const members[COLUMNS] = {"name", "state", "shell", "shell_pid", "size", "cwd"};

json_t *show_session_members(void)
{
    json_t *names = json_array();
    for (int i = 0; i < COLUMNS; i++)
        json_array_append_new(names, json_string(members[i]));
    return names;
}

static const json_t *member(const json_t *session, enum column column)
{
    return json_is_array(session) ? json_array_get(session, column)
                                  : json_object_get(session, members[column]);
}

static const char *word(const json_t *session, enum column column)
{
    const char *text = json_string_value(member(session, column));
    return text ? text : "";
}

static void append_blanks(struct bytes *out, size_t count)
{
    static const char blanks[] = "                ";
    bytes_append(out, blanks, count < sizeof blanks ? count : sizeof blanks - 1);
}

/* A column's text, and blanks up to its width and one more. */
static void append_column(struct bytes *out, const char *text, size_t width)
{
    size_t len = strlen(text);
    bytes_append(out, text, len);
    append_blanks(out, len < width ? width - len : 0);
    bytes_append_char(out, ' ');
}

static void append_process(struct bytes *out, unsigned process)
{
    size_t len = 1;
    for (unsigned rest = process; rest >= 10; rest /= 10)
        len++;
    append_blanks(out, len < 8 ? 8 - len : 0);
    bytes_append_number(out, process);
    bytes_append_char(out, ' ');
}

static void append_size(struct bytes *out, const json_t *size)
{
    size_t before = out->len;
    bytes_append_number(out, (unsigned)json_number(size, "cols", 0));
    bytes_append_char(out, 'x');
    bytes_append_number(out, (unsigned)json_number(size, "rows", 0));
    append_blanks(out, out->len - before < 9 ? 9 - (out->len - before) : 0);
    bytes_append_char(out, ' ');
}

static void append_session(const json_t *s, struct bytes *out)
{
    const json_t *used = json_object_get(s, "used_ms");
    const char *directory = word(s, DIRECTORY);
    char text[CLOCK_TEXT_SIZE];
    append_column(out, word(s, NAME), 16);
    append_column(out, word(s, STATE), 11);
    if (used) {
        bytes_printf(out, "last used %s\n", clock_text(json_integer_value(used), text));
        return;
    }
    append_column(out, word(s, SHELL), 6);
    append_process(out, (unsigned)json_integer_value(member(s, PID)));
    append_size(out, member(s, SIZE));
    show_clean(directory, strlen(directory), out);
    bytes_append_char(out, '\n');
}

void show_sessions(const json_t *sessions)
{
    struct bytes out = {0};
    size_t i;
    json_t *s;
    if (!json_array_size(sessions)) {
        puts("No sessions. `ptyd open NAME` makes one.");
        return;
    }
    printf("%-16s %-11s %-6s %8s %-9s %s\n", "NAME", "STATE", "SHELL", "PID", "SIZE", "DIRECTORY");
    json_array_foreach(sessions, i, s)
        append_session(s, &out);
    fwrite(out.data, 1, out.len, stdout);
    bytes_finish(&out);
}

/* ---- a replay ---- */

static void show_screen(const json_t *screen)
{
    const json_t *rows = json_object_get(screen, "rows");
    size_t count = json_array_size(rows);
    while (count && !*json_string_value(json_array_get(rows, count - 1)))
        count--;
    for (size_t i = 0; i < count; i++) {
        show_text(json_string_value(json_array_get(rows, i)));
        putchar('\n');
    }
}

void show_replay(const json_t *result)
{
    const json_t *blocks = json_object_get(result, "blocks");
    show_blocks(blocks);
    puts("\nThe screen at the end:");
    show_screen(json_object_get(result, "screen"));
}
