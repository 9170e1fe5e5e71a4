/* Recordings: lines that are JSON whatever was printed, and what is veiled for others. */
#define _GNU_SOURCE
#include "test.h"

#include <jansson.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/record/cast.h"
#include "ptyd/record/tape.h"
#include "ptyd/record/veil.h"
#include "ptyd/session/rawlog.h"

#define SECRET "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
#define STARS  "****************************************"

/* ---- casts ---- */

/* The data of all events of that kind, one behind the other; each line is a value of its own. */
static void read_events(const struct cast *c, const char *kind, struct bytes *out)
{
    const char *at = strchr(c->lines.data, '\n') + 1, *end = c->lines.data + c->lines.len;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        assert_non_null(newline);
        json_t *event = json_loadb(at, (size_t)(newline - at), JSON_ALLOW_NUL, NULL);
        assert_int_equal(json_array_size(event), 3);
        const json_t *data = json_array_get(event, 2);
        if (!strcmp(json_string_value(json_array_get(event, 1)), kind))
            bytes_append(out, json_string_value(data), json_string_length(data));
        json_decref(event);
        at = newline + 1;
    }
}

static void assert_recorded(const char *bytes, size_t len, const char *shown, size_t shown_len)
{
    for (size_t chunk = 1; chunk <= len; chunk++) {
        struct cast c;
        struct bytes out = {0};
        cast_begin(&c, &(struct cast_header){.version = 3, .cols = 80, .rows = 24});
        for (size_t at = 0; at < len; at += chunk)
            cast_output(&c, (int64_t)at, bytes + at, len - at < chunk ? len - at : chunk);
        cast_flush(&c, true);
        read_events(&c, "o", &out);
        assert_int_equal(out.len, shown_len);
        assert_memory_equal(out.data, shown, shown_len);
        bytes_finish(&out);
        cast_finish(&c);
    }
}

static void output_is_json_wherever_it_is_cut(void **state)
{
    static const char odd[] = "\"\\\n\r\t\b\0\x7f\x1b[m<\xe2\x80\xa8>";
    static const char bad[] = "a\xff"
                              "b\xe6\x97"
                              "c\xf0\x9f\x98\x80\xc3";
    static const char shown[] = "a\xef\xbf\xbd"
                                "b\xef\xbf\xbd"
                                "c\xf0\x9f\x98\x80\xef\xbf\xbd";
    (void)state;
    assert_recorded(odd, sizeof odd - 1, odd, sizeof odd - 1);
    assert_recorded("gr\xc3\xbcn \xe6\x97\xa5", 9, "gr\xc3\xbcn \xe6\x97\xa5", 9);
    assert_recorded(bad, sizeof bad - 1, shown, sizeof shown - 1);
}

/* The first part of a character waits, and comes out behind what came later: no time goes back. */
static void half_a_character_is_of_the_time_it_comes_out_at(void **state)
{
    struct cast c;
    (void)state;
    cast_begin(&c, &(struct cast_header){.version = 3, .cols = 80, .rows = 24});
    size_t head = c.lines.len;
    cast_output(&c, 500, "a\xe6", 2);
    cast_size(&c, 2000, 90, 30);
    cast_exit(&c, 2250, 0);
    assert_string_equal(c.lines.data + head, "[0.500, \"o\", \"a\"]\n"
                                             "[1.500, \"r\", \"90x30\"]\n"
                                             "[0.000, \"o\", \"\xef\xbf\xbd\"]\n"
                                             "[0.250, \"x\", \"0\"]\n");
    cast_finish(&c);
}

static char *lines_of(int version)
{
    struct cast c;
    cast_begin(&c, &(struct cast_header){.version = version,
                                         .cols = 100,
                                         .rows = 30,
                                         .wall_ms = 1700000000250,
                                         .idle_limit = 2,
                                         .title = "a \"b\""});
    cast_output(&c, 0, "one", 3);
    cast_output(&c, 0, "two", 3);
    cast_output(&c, 1500, "three", 5);
    cast_size(&c, 1500, 80, 24);
    cast_marker(&c, 2000, "here");
    cast_exit(&c, 2001, 7);
    char *text = strdup(c.lines.data);
    cast_finish(&c);
    return text;
}

/* docs.asciinema.org/manual/asciicast/v3 and v2. */
static void both_versions(void **state)
{
    (void)state;
    char *three = lines_of(3), *two = lines_of(2);
    assert_string_equal(three,
                        "{\"version\": 3, \"term\": {\"cols\": 100, \"rows\": 30}, \"timestamp\": "
                        "1700000000, \"idle_time_limit\": 2.0, \"title\": \"a \\\"b\\\"\"}\n"
                        "[0.250, \"o\", \"onetwo\"]\n"
                        "[1.500, \"o\", \"three\"]\n"
                        "[0.000, \"r\", \"80x24\"]\n"
                        "[0.500, \"m\", \"here\"]\n"
                        "[0.001, \"x\", \"7\"]\n");
    assert_string_equal(two, "{\"version\": 2, \"width\": 100, \"height\": 30, \"timestamp\": "
                             "1700000000, \"idle_time_limit\": 2.0, \"title\": \"a \\\"b\\\"\"}\n"
                             "[0.250, \"o\", \"onetwo\"]\n"
                             "[1.750, \"o\", \"three\"]\n"
                             "[1.750, \"r\", \"80x24\"]\n"
                             "[2.250, \"m\", \"here\"]\n");
    free(three);
    free(two);
}

/* ---- veils ---- */

static void on_output(void *user, int64_t ms, const char *bytes, size_t len)
{
    (void)ms;
    bytes_append(user, bytes, len);
}

static void on_size(void *user, int64_t ms, int cols, int rows)
{
    (void)ms;
    bytes_printf(user, "<%dx%d>", cols, rows);
}

static const struct veil_events events = {.output = on_output, .size = on_size};

static void assert_veiled(const char *bytes, const char *shown)
{
    size_t len = strlen(bytes);
    for (size_t chunk = 1; chunk <= len; chunk = chunk * 2 + 1) {
        struct bytes out = {0};
        struct veil *v = veil_create(80, NULL, &events, &out);
        for (size_t at = 0; at < len; at += chunk)
            veil_output(v, 0, bytes + at, len - at < chunk ? len - at : chunk);
        veil_flush(v);
        assert_string_equal(out.data, shown);
        veil_destroy(v);
        bytes_finish(&out);
    }
}

/* 66 columns, so that a secret behind them has its first 14 characters in the row. */
#define ROW "------------------------------------------------------------------"

/* By a program that ends the row itself, as it would stand alone, and as fish 3.6 draws a line that
 * is typed: it goes into the new row by a line feed, back, and wraps then. (What it drew over
 * before the rest was there, one character, stays.) */
static void a_secret_over_two_rows_is_veiled(void **state)
{
    (void)state;
    assert_veiled(ROW "ghp_abcdefghij\r\nklmnopqrstuvwxyz0123456789\r\n$ ",
                  ROW "**************\r\n**************************\r\n$ ");
    assert_veiled("\033[32m" ROW "ghp_abcdefghij\033[m\r\n\033[32mklmnopqrstuvwxyz0123456789\r\n$ ",
                  "\033[32m" ROW
                  "**************\033[m\r\n\033[32m**************************\r\n$ ");
    assert_veiled("--------------" ROW ROW
                  "ghp_abcdefghi\033[30m\033[A\r\r\n\033[79Cj\r\033[A\r\n\r\n\033[30m"
                  "\033[A\033[79Cjk\033[A\r\r\n\033[Clmnopqrstuvwxyz0123456789\r\n$ ",
                  "--------------" ROW ROW
                  "*************\033[30m\033[A\r\r\n\033[79Cj\r\033[A\r\n\r\n\033[30m"
                  "\033[A\033[79C**\033[A\r\r\n\033[C*************************\r\n$ ");
    /* It ends where the row does: what follows may be part of it, and cannot hide it. */
    assert_veiled("----------------------------------------" SECRET "\r\nword and more\r\n$ ",
                  "----------------------------------------" STARS "\r\n**** and more\r\n$ ");
    assert_veiled(ROW "--------------\r\n" ROW "--------------\r\n" SECRET "\r\n",
                  ROW "--------------\r\n" ROW "--------------\r\n" STARS "\r\n");
}

static void secrets_are_stars_and_nothing_moves(void **state)
{
    (void)state;
    assert_veiled("a " SECRET " b\r\n", "a " STARS " b\r\n");
    assert_veiled("a ghp_abcdefghij\033[1mklmnopqrst\033[0;31muvwxyz0123456789 b\r\n",
                  "a **************\033[1m**********\033[0;31m**************** b\r\n");
    assert_veiled(SECRET "\rwhat comes over it is shown, all of it\r\n",
                  STARS "\rwhat comes over it is shown, all of it\r\n");
    assert_veiled(SECRET "\b\b\b\033[K\r\n", STARS "\b\b\b\033[K\r\n");
    assert_veiled("\033]0;" SECRET "\007\033]52;c;Z2hw\033\\\r\n",
                  "\033]0;" STARS "\007\033]52;******\033\\\r\n");
    assert_veiled("gr\xc3\xbcn, nothing to hide: 0123456789abcdef0123456789abcdef01234567\r\n",
                  "gr\xc3\xbcn, nothing to hide: 0123456789abcdef0123456789abcdef01234567\r\n");
}

static void marks_are_taken_out_and_keys_are_one_secret(void **state)
{
    (void)state;
    assert_veiled("\033]7711;00000000000000000000000000000000;1;A\a$ ls\r\n", "$ ls\r\n");
    assert_veiled("-----BEGIN PRIVATE KEY-----\r\nMIIEowIBAAKCAQEA\r\nx1y2z3==\r\n"
                  "-----END PRIVATE KEY-----\r\nbehind\r\n",
                  "********** ******* ********\r\n****************\r\n********\r\n"
                  "******** ******* ********\r\nbehind\r\n");
}

static void what_is_no_line_comes_out_all_the_same(void **state)
{
    (void)state;
    struct bytes out = {0};
    struct veil *v = veil_create(80, NULL, &events, &out);
    for (int i = 0; i < 100000; i++)
        veil_output(v, i, "\r12 %", 5);
    assert_true(out.len > 300000); /* of a line without an end not all waits */
    veil_output(v, 0, "\r\n$ ", 4);
    veil_size(v, 0, 90, 20);
    veil_output(v, 0, "x", 1);
    veil_flush(v);
    assert_int_equal(out.len, 500000 + 5 + strlen("<90x20>"));
    assert_string_equal(out.data + out.len - 12, "\r\n$ <90x20>x");
    veil_destroy(v);
    bytes_finish(&out);
}

/* More than waits: what is released ends anywhere in the string, also where it begins. */
static void a_long_clipboard_is_stars_to_its_end(void **state)
{
    static const char intro[] = "\033]52;c;";
    enum { LIMIT = 64 << 10, LONG = 3 * LIMIT };
    char *text = malloc(LIMIT), *copied = malloc(LONG);
    (void)state;
    memset(text, 'x', LIMIT);
    memset(copied, 'Z', LONG);
    for (size_t cut = 0; cut < sizeof intro; cut++) {
        struct bytes out = {0};
        struct veil *v = veil_create(80, NULL, &events, &out);
        veil_output(v, 0, text, LIMIT);
        veil_output(v, 0, intro, cut);
        veil_output(v, 0, intro + cut, sizeof intro - 1 - cut);
        for (size_t at = 0; at < LONG; at += 4096)
            veil_output(v, 0, copied + at, 4096);
        veil_output(v, 0, "\aZoo\r\n", 6);
        veil_flush(v);
        assert_int_equal(out.len, LIMIT + sizeof intro - 1 + LONG + 6);
        assert_memory_equal(out.data + LIMIT, "\033]52;**********", 15);
        assert_ptr_equal(memchr(out.data, 'Z', out.len), out.data + out.len - 5);
        veil_destroy(v);
        bytes_finish(&out);
    }
    free(text);
    free(copied);
}

/* Of 4 MB without a newline little is kept, and a secret behind them is found. */
static void a_line_without_an_end_takes_no_memory(void **state)
{
    enum { PIECE = 4096, PIECES = 1024 };
    char piece[PIECE];
    struct bytes out = {0};
    struct veil *v = veil_create(80, NULL, &events, &out);
    (void)state;
    memset(piece, 'x', sizeof piece);
    piece[PIECE - 1] = ' ';
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int i = 0; i < PIECES; i++) {
        veil_output(v, 0, piece, sizeof piece);
        veil_output(v, 0, SECRET " ", sizeof SECRET);
        assert_true(!out.len || !memmem(out.data, out.len, "ghp", 3));
        out.len = 0;
    }
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    assert_true(after < before + ((size_t)4 << 20));
    veil_output(v, 0, SECRET "\r " SECRET " \r\n", 2 * sizeof SECRET + 3);
    veil_flush(v);
    assert_null(memmem(out.data, out.len, "ghp", 3));
    veil_destroy(v);
    bytes_finish(&out);
}

/* ---- the log's index, which changes under a reader ---- */

static void tape_size(void *user, int64_t ms, int cols, int rows)
{
    (void)ms;
    bytes_printf(user, "[%dx%d]", cols, rows);
}

static void tape_output(void *user, int64_t ms, const char *bytes, size_t len)
{
    (void)ms;
    bytes_append(user, bytes, len);
}

static void expect_read(struct tape *tape, const char *expected)
{
    static const struct tape_events taken = {.size = tape_size, .output = tape_output};
    struct bytes out = {0};
    assert_int_equal(tape_read(tape, UINT64_MAX, true, &taken, &out), 0);
    assert_string_equal(out.data ? out.data : "", expected);
    bytes_finish(&out);
}

static void log_size(struct rawlog *log, int cols)
{
    rawlog_record(log, RAWLOG_RESIZE, rawlog_end(log), (struct moment){cols, cols}, 0,
                  (uint32_t)cols << 16 | 24);
    assert_int_equal(rawlog_flush(log), 0);
}

/* Another file with the same records, as when the oldest go. */
static void replace_index(const char *directory, size_t skip, size_t cut)
{
    char *path = text_format("%s/output.idx", directory);
    struct bytes all = {0};
    assert_int_equal(file_read(path, 1 << 20, &all), 0);
    skip *= sizeof(struct rawlog_record);
    cut *= sizeof(struct rawlog_record);
    assert_int_equal(file_replace(path, all.data + skip, all.len - skip - cut), 0);
    bytes_finish(&all);
    free(path);
}

static void an_index_that_is_replaced_is_gone_on_with(void **state)
{
    char directory[] = "/tmp/ptyd-tape-XXXXXX";
    struct tape_place place = {.cols = 80, .rows = 24};
    int error;
    (void)state;
    assert_non_null(mkdtemp(directory));
    struct rawlog *log = rawlog_open(directory, NULL);
    rawlog_record(log, RAWLOG_SHELL, 0, (struct moment){1, 1}, 0, 0);
    log_size(log, 80);
    assert_int_equal(rawlog_write(log, 0, "one", 3), 0);
    log_size(log, 81);
    rawlog_record(log, RAWLOG_LEFT, 3, (struct moment){81, 81}, 0, 0);
    log_size(log, 82);
    struct tape *tape = tape_open(directory, &error);
    assert_non_null(tape);
    tape_begin(tape, &place, (struct moment){1, 1});
    char *farewell = text_format("one[81x24]%s[82x24]", terminal_farewell);
    expect_read(tape, farewell);
    replace_index(directory, 0, 0);
    expect_read(tape, "");
    replace_index(directory, 2, 0);
    expect_read(tape, "");
    rawlog_close(log);
    log = rawlog_open(directory, NULL);
    log_size(log, 83);
    replace_index(directory, 0, 0);
    expect_read(tape, "[83x24]");
    rawlog_close(log);
    tape_close(tape);
    file_remove_tree(AT_FDCWD, directory, 1);
    free(farewell);
}

/* A new worker cuts records off that come again, and there may be more of them then. */
static void an_index_that_was_cut_and_grew_is_read_again(void **state)
{
    char directory[] = "/tmp/ptyd-tape-XXXXXX";
    struct tape_place place = {.cols = 80, .rows = 24};
    size_t count;
    int error;
    (void)state;
    assert_non_null(mkdtemp(directory));
    struct rawlog *log = rawlog_open(directory, NULL);
    rawlog_record(log, RAWLOG_SHELL, 0, (struct moment){1, 1}, 0, 0);
    log_size(log, 80);
    assert_int_equal(rawlog_write(log, 0, "one", 3), 0);
    log_size(log, 80);
    rawlog_record(log, RAWLOG_TIME, 5, (struct moment){2, 2}, 0, 0);
    assert_int_equal(rawlog_flush(log), 0);
    struct tape *tape = tape_open(directory, &error);
    tape_begin(tape, &place, (struct moment){1, 1});
    expect_read(tape, "one");
    struct rawlog_record *records = rawlog_records(log, &count);
    assert_int_equal(rawlog_cut(log, records, count, 3), 3);
    log_size(log, 84);
    log_size(log, 85);
    expect_read(tape, "[84x24][85x24]");
    free(records);
    rawlog_close(log);
    tape_close(tape);
    file_remove_tree(AT_FDCWD, directory, 1);
}

static void size_and_time(void *user, int64_t ms, int cols, int rows)
{
    (void)rows;
    bytes_printf(user, "%d at %lld, ", cols, (long long)ms);
}

/* The times of day say when blocks began: where the clocks are read apart once they count again
 * behind it, to the millisecond; where one is put right the other counts, from there on, too. */
static void times_of_day_come_again(void **state)
{
    static const struct moment moments[] = {
        {1000, 500}, {1010, 509}, {1020, 526}, {1030, 530}, /* read 6 ms apart */
        {9040, 540}, {9050, 549}, {9060, 560},              /* put right by 8 s */
        {9070, 10},  {9080, 20},                            /* another boot */
    };
    static const struct tape_events taken = {.size = size_and_time, .output = tape_output};
    char directory[] = "/tmp/ptyd-tape-XXXXXX";
    struct tape_place place = {.cols = 80, .rows = 24};
    struct bytes out = {0};
    int error;
    (void)state;
    assert_non_null(mkdtemp(directory));
    struct rawlog *log = rawlog_open(directory, NULL);
    rawlog_record(log, RAWLOG_SHELL, 0, moments[0], 0, 0);
    assert_int_equal(rawlog_write(log, 0, "one", 3), 0);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
        rawlog_record(log, RAWLOG_RESIZE, 3, moments[i], 0, (uint32_t)(81 + i) << 16 | 24);
    assert_int_equal(rawlog_flush(log), 0);
    struct tape *tape = tape_open(directory, &error);
    tape_begin(tape, &place, moments[0]);
    assert_int_equal(tape_read(tape, UINT64_MAX, true, &taken, &out), 0);
    assert_string_equal(out.data, "one81 at 0, 82 at 10, 83 at 27, 84 at 30, 85 at 40, 86 at 50, "
                                  "87 at 60, 88 at 70, 89 at 80, ");
    bytes_finish(&out);
    rawlog_close(log);
    tape_close(tape);
    file_remove_tree(AT_FDCWD, directory, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_day_come_again),
        cmocka_unit_test(output_is_json_wherever_it_is_cut),
        cmocka_unit_test(half_a_character_is_of_the_time_it_comes_out_at),
        cmocka_unit_test(both_versions),
        cmocka_unit_test(secrets_are_stars_and_nothing_moves),
        cmocka_unit_test(a_secret_over_two_rows_is_veiled),
        cmocka_unit_test(marks_are_taken_out_and_keys_are_one_secret),
        cmocka_unit_test(what_is_no_line_comes_out_all_the_same),
        cmocka_unit_test(a_long_clipboard_is_stars_to_its_end),
        cmocka_unit_test(a_line_without_an_end_takes_no_memory),
        cmocka_unit_test(an_index_that_is_replaced_is_gone_on_with),
        cmocka_unit_test(an_index_that_was_cut_and_grew_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
