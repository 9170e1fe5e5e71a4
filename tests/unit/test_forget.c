/* What is forgotten, in a log: the text is gone, and nothing else moved; and in files. */
#define _GNU_SOURCE
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "ptyd/core/seal.h"
#include "ptyd/forget/lines.h"
#include "ptyd/forget/wish.h"
#include "vterm_snapshot/blot.h"
#include "vterm_snapshot/mark.h"
#include "vterm_snapshot/terminal.h"

#define ZEROS "00000000000000000000000000000000"

static const struct blot_width eighty = {0, 80};

/* ---- the log ---- */

static void expect_stream(const char *from, const char *to, const char *wanted)
{
    char *bytes = strdup(from);
    blot_stream(bytes, strlen(bytes), 0, &eighty, 1, wanted, NULL);
    assert_string_equal(bytes, to);
    free(bytes);
}

static void test_text_is_covered_where_it_stands(void **state)
{
    (void)state;
    expect_stream("a secret, secrets", "a xxxxxx, xxxxxxs", "secret");
    expect_stream("sec\033[31mret\033[m.", "xxx\033[31mxxx\033[m.", "secret");
    expect_stream("secXX\b\bret", "xxxXX\b\bxxx", "secret");
    expect_stream("secret\b\b\bXXX\r\n", "xxxxxx\b\b\bXXX\r\n", "secret"); /* it was to be seen */
    expect_stream("\033]2;secret\a\033]52;c;secret\033\\", "\033]2;xxxxxx\a\033]52;c;xxxxxx\033\\",
                  "secret");
    expect_stream("sec\r\nret", "sec\r\nret", "secret");
    expect_stream("", "", "secret");
}

static void test_a_wrap_is_no_end(void **state)
{
    (void)state;
    char line[90], covered[90];
    memset(line, '.', 77);
    strcpy(line + 77, "secret");
    strcpy(covered, line);
    memset(covered + 77, 'x', 6);
    expect_stream(line, covered, "secret");
}

/* Characters keep their bytes and their columns. */
static void test_characters_keep_their_size(void **state)
{
    (void)state;
    expect_stream("\xc3\xa4\xe2\x82\xac\xe7\x95\x8c\xf0\x9f\x98\x80",
                  "\xc3\x97\xe2\xa8\xaf\xef\xbd\x98\xf0\x9f\x94\xb3",
                  "\xc3\xa4\xe2\x82\xac\xe7\x95\x8c\xf0\x9f\x98\x80");
    expect_stream("e\xcc\x81"
                  "abc",
                  "x\xcc\xb5"
                  "xxx",
                  "e\xcc\x81"
                  "abc");
}

/* ---- marks ---- */

/* A mark of these fields, with its length in characters, as shells make it. */
static char *mark_of(const char *fields)
{
    char *mark;
    size_t count = 0;
    for (const char *at = fields; *at; at++)
        count += (*at & 0xc0) != 0x80;
    assert_true(asprintf(&mark, MARK_HEAD ZEROS ";%s;1%04zu;" ZEROS "\a", fields, count) > 0);
    return mark;
}

/* The same fields, as they are read. */
static struct mark read_mark(const char *mark)
{
    struct mark read;
    const size_t head = sizeof MARK_HEAD - 1 + MARK_NONCE_LEN + 1, close = MARK_NONCE_LEN + 2;
    assert_int_equal(mark_parse(mark + head, strlen(mark) - head - close, true, &read), 0);
    assert_int_equal(read.seal, MARK_SEALED);
    return read;
}

static void test_marks_stay_whole(void **state)
{
    (void)state;
    char *mark = mark_of("17;D;st=3;cwd=/home/s%3becret;text=  12  echo s;ecret \xc3\xa4"), *all;
    struct mark read;
    assert_int_equal(blot_mark(mark, strlen(mark)), strlen(mark));
    all = strdup(mark);
    blot_stream(mark, strlen(mark), 0, &eighty, 1, "s;ecret", NULL);
    read = read_mark(mark);
    assert_string_equal(read.cwd.data, "/home/xxxxxxxxx");
    assert_string_equal(read.cmd.data, "  12  echo xxxxxxx \xc3\xa4");
    assert_int_equal(read.status, 3);
    mark_finish(&read);
    blot_command(all, strlen(all));
    read = read_mark(all);
    assert_string_equal(read.cwd.data, "/home/s;ecret"); /* it is no command's alone */
    assert_int_equal(read.status, 3);
    assert_null(strstr(all, "echo"));
    mark_finish(&read);
    free(mark);
    free(all);
}

/* ---- a command ---- */

static void test_a_command_is_covered_whole(void **state)
{
    (void)state;
    char bytes[] =
        "echo me\r\n\033[?2004l\033]0;me\a\033[1mme\033[m\xe7\x95\x8c\t\033P1$r\033\\end";
    const char to[] = "xxxxxxx\r\n\033[?2004l\0\0\0\0\0\0\0\033[1mxx\033[m\xef\xbd\x98\t\0\0\0\0\0"
                      "\0\0xxx";
    assert_int_equal(sizeof bytes, sizeof to);
    blot_command(bytes, sizeof bytes - 1);
    assert_memory_equal(bytes, to, sizeof to);
}

static struct terminal *show(const char *bytes, size_t len)
{
    static const struct terminal_events none;
    struct terminal_options options = {.cols = 40, .rows = 10, .scrollback = 100, .events = &none};
    struct terminal *t = terminal_create(&options);
    char *copy = malloc(len + 1);
    memcpy(copy, bytes, len);
    terminal_write(t, copy, len);
    free(copy);
    return t;
}

/* Whatever is covered, the terminal comes to the same place and modes. */
static void test_nothing_else_moves(void **state)
{
    static const char *const parts[] = {"secret",      "sec",
                                        "ret",         " and more of it ",
                                        "\r\n",        "\r",
                                        "\b",          "\t",
                                        "\033[31m",    "\033[2C",
                                        "\033[A",      "\033[K",
                                        "\033[?2004h", "\033[?1049h",
                                        "\033[?1049l", "\xe7\x95\x8c",
                                        "e\xcc\x81",   "\033]2;secret\a",
                                        "\033(0",      "\033(B"};
    (void)state;
    srandom(4711);
    for (int round = 0; round < 500; round++) {
        struct bytes log = {0};
        for (int i = 0; i < 60; i++) {
            long which = random() % (long)(sizeof parts / sizeof *parts);
            bytes_append_text(&log, parts[which]);
        }
        char *covered = malloc(log.len);
        memcpy(covered, log.data, log.len);
        const struct blot_width width = {0, 40};
        blot_stream(covered, log.len, 0, &width, 1, "secret", NULL);
        assert_null(memmem(covered, log.len, "secret", 6));
        if (round % 2)
            blot_command(covered, log.len);
        struct terminal *before = show(log.data, log.len), *after = show(covered, log.len);
        struct terminal_cursor at = terminal_cursor(before), is = terminal_cursor(after);
        assert_int_equal(is.row, at.row);
        assert_int_equal(is.col, at.col);
        assert_int_equal(terminal_alt_screen(after), terminal_alt_screen(before));
        assert_int_equal(terminal_scrollback_total(after), terminal_scrollback_total(before));
        terminal_destroy(before);
        terminal_destroy(after);
        bytes_finish(&log);
        free(covered);
    }
}

/* ---- files ---- */

static void nothing(struct forget *f)
{
    (void)f;
}

static char place[] = "/tmp/ptyd-forget-XXXXXX";

static char *file_of(const char *content)
{
    char *path;
    assert_true(asprintf(&path, "%s/file", place) > 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    return path;
}

static char *content_of(const char *path)
{
    static char content[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    content[fread(content, 1, sizeof content - 1, file)] = '\0';
    fclose(file);
    return content;
}

static void test_lines_stay_sealed(void **state)
{
    (void)state;
    json_t *block = json_pack("{s:s, s:i, s:s, s:{s:[s, s]}}", "block_id", "secret:7:1", "seq", 7,
                              "cmd", "say \"secret\"", "preview", "lines", "no", "a secret");
    json_t *other =
        json_pack("{s:s, s:i, s:s}", "block_id", "secret:8:2", "seq", 8, "cmd", "other");
    char *of_block = seal_dump(block), *of_other = seal_dump(other), *content;
    assert_true(asprintf(&content, "%s\n%s\nhalf a li", of_block, of_other) > 0);
    char *path = file_of(content);
    struct forget f = {.text = "secret", .before = nothing};
    forget_in_lines(&f, path);
    char *now = content_of(path), *end = strchr(now, '\n');
    json_t *read = seal_load(now, (size_t)(end - now));
    assert_non_null(read);
    assert_string_equal(json_string_value(json_object_get(read, "cmd")), "say \"xxxxxx\"");
    assert_string_equal(json_string_value(json_object_get(read, "block_id")), "secret:7:1");
    assert_memory_equal(end + 1, of_other, strlen(of_other));
    assert_string_equal(end + 1 + strlen(of_other), "\nhalf a li");
    assert_int_equal(f.places, 2);
    json_decref(read);
    json_decref(block);
    json_decref(other);
    free(of_block);
    free(of_other);
    free(content);
    free(path);
}

static void test_a_command_leaves_its_number(void **state)
{
    (void)state;
    char *path =
        file_of("{\"type\":\"agent_block_end\",\"block\":{\"block_id\":\"a:7:1\",\"seq\":7,"
                "\"cmd\":\"gone\",\"ts_begin\":1}}\n"
                "{\"type\":\"agent_block_delta\",\"block_id\":\"a:7:1\",\"delta\":\"gone\"}\n"
                "{\"type\":\"agent_block_delta\",\"block_id\":\"a:8:1\",\"delta\":\"here\"}\n");
    json_t *seqs = json_pack("[i, i]", 3, 7);
    struct forget f = {.seqs = seqs, .before = nothing};
    forget_in_lines(&f, path);
    char *now = content_of(path);
    assert_null(strstr(now, "gone"));
    assert_non_null(strstr(now, "\"forgotten\":true"));
    assert_non_null(strstr(now, "\"seq\":7"));
    assert_non_null(strstr(now, "here"));
    json_decref(seqs);
    free(path);
}

static void test_a_wish_is_not_found_by_its_text(void **state)
{
    (void)state;
    json_t *params = json_pack("{s:i, s:s, s:{s:[i, i, i]}}", "token", 9, "text", "secret",
                               "blocks", "work", 30, 2, 11);
    struct wish wish, kept;
    const char *text;
    const json_t *seqs;
    assert_true(wish_read(params, false, &wish));
    assert_int_equal(wish_save(place, &wish), 0);
    char *path;
    assert_true(asprintf(&path, "%s/forget.json", place) > 0);
    assert_null(strstr(content_of(path), "secret"));
    assert_true(wish_load(place, &kept));
    assert_int_equal(kept.token, 9);
    assert_true(wish_of(&kept, "work", &text, &seqs));
    assert_string_equal(text, "secret");
    assert_true(wish_has(seqs, 2) && wish_has(seqs, 11) && wish_has(seqs, 30));
    assert_false(wish_has(seqs, 3) || wish_has(seqs, 31) || wish_has(NULL, 2));
    wish_done(place);
    assert_false(wish_load(place, &kept));
    assert_false(wish_is_text("ab") || wish_is_text("xxxx") || wish_is_text("a\nbc"));
    wish_finish(&wish);
    wish_finish(&kept);
    json_decref(params);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_covered_where_it_stands),
        cmocka_unit_test(test_a_wrap_is_no_end),
        cmocka_unit_test(test_characters_keep_their_size),
        cmocka_unit_test(test_marks_stay_whole),
        cmocka_unit_test(test_a_command_is_covered_whole),
        cmocka_unit_test(test_nothing_else_moves),
        cmocka_unit_test(test_lines_stay_sealed),
        cmocka_unit_test(test_a_command_leaves_its_number),
        cmocka_unit_test(test_a_wish_is_not_found_by_its_text),
    };
    assert_non_null(mkdtemp(place));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", place);
    return system(command) ? 1 : failed;
}
