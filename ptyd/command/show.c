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
        if (step <= 0 || (utf8_hidden(code) && code != 0x200d))
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

void show_sessions(const json_t *sessions)
{
    size_t i;
    json_t *s;
    if (!json_array_size(sessions)) {
        puts("No sessions. `ptyd open NAME` makes one.");
        return;
    }
    printf("%-16s %-11s %-6s %8s %-9s %s\n", "NAME", "STATE", "SHELL", "PID", "SIZE", "DIRECTORY");
    json_array_foreach(sessions, i, s) {
        const json_t *size = json_object_get(s, "size");
        char text[CLOCK_TEXT_SIZE];
        if (json_object_get(s, "used_ms")) {
            printf("%-16s %-11s last used %s\n", json_text(s, "name", ""),
                   json_text(s, "state", ""), clock_text(json_number(s, "used_ms", 0), text));
            continue;
        }
        snprintf(text, sizeof text, "%dx%d", (int)json_number(size, "cols", 0),
                 (int)json_number(size, "rows", 0));
        printf("%-16s %-11s %-6s %8lld %-9s ", json_text(s, "name", ""), json_text(s, "state", ""),
               json_text(s, "shell", ""), json_number(s, "shell_pid", 0), text);
        show_text(json_text(s, "cwd", ""));
        putchar('\n');
    }
}

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
