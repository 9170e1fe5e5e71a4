/* The widths are those of the terminal alone, and not of what stands in the rows: they are the same
 * every time, and the first row need not wait for the last. */
#define _GNU_SOURCE
#include "ptyd/command/table.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ptyd/command/columns.h"
#include "ptyd/command/show.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

#define GAP "  "

enum { ID = 5, DAY_AND_TIME = 19, TIME = 11, STATUS = 9, EXIT = 4, DURATION = 9 };
enum { GAP_WIDTH = 2, DIRECTORY_LEAST = 8, DIRECTORY_MOST = 40, DIRECTORY_UNCUT = 24 };
enum { COMMAND_LEAST = 12 };

static size_t time_width(const struct table_look *look)
{
    return look->width ? TIME : DAY_AND_TIME;
}

/* ---- columns ---- */

/* Those that a row can do without, the dearest last: a narrow terminal has room for few of them
 * beside the command. */
enum column { DIRECTORIES, DURATIONS, TIMES, STATUSES, EXITS, COLUMNS };

static size_t least_width(const struct table_look *look, enum column column)
{
    static const size_t widths[] = {[DIRECTORIES] = DIRECTORY_LEAST,
                                    [DURATIONS] = DURATION,
                                    [STATUSES] = STATUS,
                                    [EXITS] = EXIT};
    return GAP_WIDTH + (column == TIMES ? time_width(look) : widths[column]);
}

/* What is in front of the command, with the columns from `first` on. */
static size_t taken_from(const struct table_look *look, enum column first)
{
    size_t taken = ID + GAP_WIDTH;
    for (enum column i = first; i < COLUMNS; i++)
        taken += least_width(look, i);
    return taken;
}

static enum column first_shown(const struct table_look *look)
{
    enum column first = DIRECTORIES;
    while (look->width && first < COLUMNS && taken_from(look, first) + COMMAND_LEAST > look->width)
        first++;
    return first;
}

static bool shows(const struct table_look *look, enum column column)
{
    return first_shown(look) <= column;
}

/* A third of what is left goes to the directory. */
static size_t directory_width(const struct table_look *look)
{
    size_t taken = taken_from(look, DURATIONS) + GAP_WIDTH;
    size_t third = look->width > taken ? (look->width - taken) / 3 : 0;
    if (!look->width)
        return DIRECTORY_UNCUT;
    return third < DIRECTORY_LEAST  ? DIRECTORY_LEAST
           : third > DIRECTORY_MOST ? DIRECTORY_MOST
                                    : third;
}

/* Of a row with that many columns for the ID. */
static size_t command_room(const struct table_look *look, size_t id)
{
    size_t taken = taken_from(look, first_shown(look)) - ID + id;
    if (shows(look, DIRECTORIES))
        taken += directory_width(look) - DIRECTORY_LEAST;
    return look->width > taken ? look->width - taken : 0;
}

/* ---- cells ---- */

void table_duration(int64_t ms, struct bytes *out)
{
    long long s = ms / 1000;
    if (ms < 1000)
        bytes_printf(out, "%lld ms", (long long)ms);
    else if (s < 60)
        bytes_printf(out, "%lld.%lld s", s, (long long)ms / 100 % 10);
    else if (s < 3600)
        bytes_printf(out, "%lld m %02lld s", s / 60, s % 60);
    else if (s < 24 * 3600)
        bytes_printf(out, "%lld h %02lld m", s / 3600, s / 60 % 60);
    else
        bytes_printf(out, "%lld d %02lld h", s / 86400, s / 3600 % 24);
}

void table_directory(const char *path, const char *home, struct bytes *out)
{
    size_t len = home ? strlen(home) : 0;
    bool below = len > 1 && !strncmp(path, home, len) && (path[len] == '/' || !path[len]);
    bytes_append_text(out, below ? "~" : "");
    path += below ? len : 0;
    show_clean(path, strlen(path), out);
}

/* One line of it: a line end is an arrow, as a key has it. */
static void one_line(struct bytes *text)
{
    struct bytes line = {0};
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] == '\n')
            bytes_append_text(&line, "\xe2\x86\xb5");
        else
            bytes_append_char(&line, text->data[i] == '\t' ? ' ' : text->data[i]);
    bytes_finish(text);
    *text = line;
}

static bool same_day(int64_t one_ms, int64_t other_ms)
{
    time_t one = (time_t)(one_ms / 1000), other = (time_t)(other_ms / 1000);
    struct tm a, b;
    return localtime_r(&one, &a) && localtime_r(&other, &b) && a.tm_year == b.tm_year &&
           a.tm_yday == b.tm_yday;
}

static void append_time(const struct table_look *look, int64_t ms, struct bytes *out)
{
    char text[CLOCK_TEXT_SIZE]; /* 2026-11-22 06:45:00 */
    clock_text(ms, text);
    size_t len = strlen(text), from = 0, to = len;
    if (look->width && len == DAY_AND_TIME && same_day(ms, look->now_ms))
        from = 11;
    else if (look->width && len == DAY_AND_TIME) {
        from = 5;
        to = 16;
    }
    columns_fit(text + from, to - from, time_width(look), COLUMNS_CUT_END, out);
}

static void append_right(const char *text, size_t width, struct bytes *out)
{
    for (size_t len = strlen(text); len < width; len++)
        bytes_append_char(out, ' ');
    bytes_append_text(out, text);
}

static void append_exit(const struct table_look *look, const json_t *block, struct bytes *out)
{
    const json_t *code = json_object_get(block, "exit_code");
    char text[16] = "-";
    if (json_is_integer(code))
        snprintf(text, sizeof text, "%d", (int)json_integer_value(code));
    bool red = look->colour && json_is_integer(code) && json_integer_value(code);
    bytes_append_text(out, red ? "\x1b[31m" : "");
    append_right(text, EXIT, out);
    bytes_append_text(out, red ? "\x1b[0m" : "");
}

static void append_duration(const json_t *block, struct bytes *out)
{
    struct bytes text = {0};
    if (strcmp(json_text(block, "status", ""), "running") != 0)
        table_duration(json_number(block, "duration_ms", 0), &text);
    else
        bytes_append_char(&text, '-');
    append_right(text.data, DURATION, out);
    bytes_finish(&text);
}

static void append_directory(const struct table_look *look, const char *path, struct bytes *out)
{
    struct bytes text = {0};
    table_directory(path, look->home, &text);
    one_line(&text);
    size_t columns = columns_count(text.data, text.len), width = directory_width(look);
    columns_fit(text.data, text.len, look->width || columns < width ? width : columns,
                COLUMNS_CUT_BEGIN, out);
    bytes_finish(&text);
}

/* The last one: as wide as what is left. */
static void append_command(const struct table_look *look, size_t room, const char *cmd,
                           struct bytes *out)
{
    struct bytes text = {0};
    show_clean(cmd, strlen(cmd), &text);
    one_line(&text);
    const char *line = text.data ? text.data : "";
    size_t columns = columns_count(line, text.len);
    if (!look->width || columns <= room)
        bytes_append(out, line, text.len);
    else
        columns_fit(line, text.len, room, COLUMNS_CUT_END, out);
    bytes_finish(&text);
}

/* ---- rows ---- */

static void append_cell(enum column column, const struct table_look *look, const json_t *block,
                        struct bytes *out)
{
    switch (column) {
    case TIMES:
        append_time(look, json_number(block, "ts_begin", 0), out);
        break;
    case STATUSES:
        bytes_printf(out, "%-*s", STATUS, json_text(block, "status", ""));
        break;
    case EXITS:
        append_exit(look, block, out);
        break;
    case DURATIONS:
        append_duration(block, out);
        break;
    default:
        append_directory(look, json_text(block, "cwd", ""), out);
    }
}

static void append_heading(enum column column, const struct table_look *look, struct bytes *out)
{
    if (column == TIMES)
        bytes_printf(out, "%-*s", (int)time_width(look), "BEGUN");
    else if (column == STATUSES)
        bytes_printf(out, "%-*s", STATUS, "STATUS");
    else if (column == EXITS)
        append_right("EXIT", EXIT, out);
    else if (column == DURATIONS)
        append_right("DURATION", DURATION, out);
    else
        bytes_printf(out, "%-*s", (int)directory_width(look), "DIRECTORY");
}

/* As they stand from left to right. */
static const enum column in_order[] = {TIMES, STATUSES, EXITS, DURATIONS, DIRECTORIES};

void table_heading(const struct table_look *look, struct bytes *out)
{
    bytes_append_text(out, look->colour ? "\x1b[1m" : "");
    append_right("ID", ID, out);
    for (size_t i = 0; i < COLUMNS; i++)
        if (shows(look, in_order[i])) {
            bytes_append_text(out, GAP);
            append_heading(in_order[i], look, out);
        }
    bytes_append_text(out, GAP);
    append_command(look, command_room(look, ID), "COMMAND", out);
    bytes_append_text(out, look->colour ? "\x1b[0m\n" : "\n");
}

void table_block(const struct table_look *look, const json_t *block, struct bytes *out)
{
    size_t before = out->len;
    bytes_printf(out, "%*lld", ID, json_number(block, "seq", 0));
    size_t id = out->len - before;
    for (size_t i = 0; i < COLUMNS; i++)
        if (shows(look, in_order[i])) {
            bytes_append_text(out, GAP);
            append_cell(in_order[i], look, block, out);
        }
    bytes_append_text(out, GAP);
    append_command(look, command_room(look, id),
                   json_flag(block, "forgotten") ? "(forgotten)" : json_text(block, "cmd", ""),
                   out);
    bytes_append_char(out, '\n');
}
