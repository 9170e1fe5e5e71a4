/* What is forgotten, in a log: the text is gone, and nothing else moved; and in files. */
#define _GNU_SOURCE
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/seal.h"
#include "ptyd/forget/files.h"
#include "ptyd/forget/lines.h"
#include "ptyd/forget/spelled.h"
#include "ptyd/forget/wish.h"
#include "ptyd/session/rawlog.h"
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

/* The directory in the D of a shell without hooks is no command's; what only looks like one in a
 * command's text goes. */
static void test_a_directory_in_d_stays(void **state)
{
    (void)state;
    char mark[] = MARK_HEAD ZEROS ";100000010;D;st=3;line=1;10042;raw=/home/me;" ZEROS "\a";
    blot_command(mark, strlen(mark));
    struct mark read = read_mark(mark);
    assert_string_equal(read.raw.data, "/home/me");
    mark_finish(&read);
    char *text = mark_of("17;D;st=3;text=  12  echo ;line=1;raw=secret");
    blot_command(text, strlen(text));
    assert_null(strstr(text, "secret"));
    free(text);
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

/* Whatever is wrong with an object, no text stays in it. */
static void test_a_damaged_object_is_covered_too(void **state)
{
    static const char *const damaged[] = {
        "{\"title\":\"a secret\", and more \"",
        "{\"title\":\"a secret\",\"sum\":\"0123456789abcdef\"}", /* its seal is another one's */
        "[\"a secret\"]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        char *path = file_of(damaged[i]);
        struct forget f = {.text = "secret", .before = nothing};
        forget_in_object(&f, path);
        assert_null(strstr(content_of(path), "secret"));
        assert_non_null(strstr(content_of(path), "a xxxxxx\""));
        assert_int_equal(f.places, 1);
        assert_int_equal(f.error, 0);
        free(path);
    }
}

static void test_an_object_that_is_too_large_is_covered_too(void **state)
{
    size_t size = LIMIT_META_BYTES + 100;
    char *large = malloc(size + 1), *path;
    (void)state;
    memset(large, ' ', size);
    memcpy(large, "{\"title\":\"a secret\"}", 20);
    large[size] = '\0';
    path = file_of(large);
    struct forget f = {.text = "secret", .before = nothing};
    forget_in_object(&f, path);
    assert_memory_equal(content_of(path), "{\"title\":\"a xxxxxx\"}", 20);
    free(large);
    free(path);
}

/* Nobody knows what a damaged one says of a command: it goes, as what was set aside does. */
static void test_with_a_command_goes_what_is_damaged(void **state)
{
    json_t *seqs = json_pack("[i]", 7);
    struct forget f = {.seqs = seqs, .before = nothing};
    (void)state;
    char *path = file_of("{\"title\":\"of a command\"");
    forget_in_object(&f, path);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
    path = file_of("{\"seq\":7,\"cmd\":\"gone\n{\"seq\":8,\"cmd\":\"here\"}\n{\"seq\":7,\"cm");
    forget_in_lines(&f, path);
    assert_string_equal(content_of(path), "{\"seq\":8,\"cmd\":\"here\"}\n");
    json_decref(seqs);
    free(path);
}

/* `say "a\b" <umlaut, smiley>`, as every writer of JSON may spell it, and JSON in JSON. */
static void test_every_spelling_is_found(void **state)
{
    static const char text[] = "\"a\\b\" \xc3\xa4\xf0\x9f\x98\x80";
    static const char *const spelled[] = {
        "\"a\\b\" \xc3\xa4\xf0\x9f\x98\x80",
        "\\\"a\\\\b\\\" \xc3\xa4\xf0\x9f\x98\x80",
        "\\u0022a\\u005cb\\u0022 \xc3\xa4\xf0\x9f\x98\x80",
        "\\u0022\\u0061\\u005Cb\\\" \\u00e4\\ud83d\\ude00",
        "\\\\\\\"a\\\\\\\\b\\\\\\\" \\\\u00e4\\\\ud83d\\\\ude00",
        "\\u005c\\u0022a\\u005c\\u005cb\\u005c\\u0022 \xc3\xa4\xf0\x9f\x98\x80",
    };
    static const char *const others[] = {"\\u0022a\\u005cc", "\\u002", "\\ud83d\\u0041",
                                         "\\\"a\\\\b\\\" \\u00e4\\ud83d\\ude01", "\\"};
    size_t said;
    (void)state;
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) {
        char *bytes, *quoted = strdup(spelled[i]);
        assert_true(asprintf(&bytes, "{\"title\":\"is %s.\"", spelled[i]) > 0);
        char *found = spelled_find(bytes, strlen(bytes), text, &said);
        assert_ptr_equal(found, bytes + 13);
        assert_int_equal(said, strlen(quoted));
        assert_int_equal(spelled_cover(bytes, strlen(bytes), text), 1);
        assert_null(spelled_find(bytes, strlen(bytes), text, &said));
        assert_string_equal(bytes + strlen(bytes) - 2, ".\"");
        free(bytes);
        free(quoted);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(spelled_find(others[i], strlen(others[i]), text, &said));
}

/* As the screen's file has it, which json_append_string() writes. */
static void test_a_text_with_quotes_is_found_in_every_file(void **state)
{
    static const char text[] = "say \"a\\b\"";
    struct bytes line = {0};
    (void)state;
    bytes_append_text(&line, "{\"type\":\"screen\",\"title\":");
    json_append_string(&line, text);
    bytes_append_text(&line, "}\n");
    char *path = file_of(line.data);
    struct forget f = {.text = text, .before = nothing};
    forget_in_lines(&f, path);
    assert_int_equal(f.places, 1);
    assert_non_null(strstr(content_of(path), "\"title\":\"xxxxxxxxx\""));
    free(path);
    path = file_of(line.data);
    forget_in_object(&f, path);
    assert_int_equal(f.places, 2);
    free(path);
    path = file_of(line.data);
    forget_in_bytes(&f, path);
    assert_int_equal(f.places, 3);
    bytes_finish(&line);
    free(path);
}

/* ---- directories ---- */

static void put(const char *name, const char *content)
{
    char *path, *command;
    assert_true(asprintf(&path, "%s/%s", place, name) > 0);
    assert_true(asprintf(&command, "mkdir -p $(dirname %s)", path) > 0);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    free(command);
    free(path);
}

/* What was set aside is gone through whatever its names are: files of a session, and sessions. */
static void test_what_was_set_aside_is_gone_through(void **state)
{
    static const char *const names[] = {
        "conversations/work/agent_pty/meta.json.damaged-1700000000000",
        "conversations/work/agent_pty/output.raw.damaged-1700000000000",
        "conversations/work/agent_pty.damaged-1700000000000/output.raw",
        "conversations/work/agent_pty/blocks.damaged-1700000000000/agent_pty/output.raw",
        "conversations/work.damaged-1700000000000/agent_pty/output.raw",
        "conversations/work.damaged-1700000000000/agent_pty/meta.json",
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put(names[i], strstr(names[i], "output.raw") ? "a sec\033[31mret; a secret" : "a secret");
    json_t *params = json_pack("{s:i, s:s, s:s}", "token", 9, "text", "secret", "session", "work");
    struct wish wish;
    struct forgotten all = {0};
    assert_true(wish_read(params, false, &wish));
    forget_in_session(place, "work", &wish, false, &all);
    forget_in_session(place, "work.damaged-1700000000000", &wish, false, &all);
    assert_null(all.error);
    char *command;
    assert_true(asprintf(&command, "! grep -raE 'secret|ret' %s/conversations", place) > 0);
    assert_int_equal(system(command), 0);
    forgotten_finish(&all);
    wish_finish(&wish);
    json_decref(params);
    free(command);
}

/* A log of so many commands, a C and a D each, `cN` printed between. */
static void make_log(const char *directory, int count, int hidden)
{
    struct aside aside = {0};
    struct rawlog *log = rawlog_open(directory, &aside);
    uint64_t at = 0;
    for (int i = 1; i <= count; i++) {
        char line[16];
        size_t len = (size_t)snprintf(line, sizeof line, "c%05d\r\n", i);
        assert_int_equal(rawlog_write(log, at, line, len), 0);
        for (int mark = 0; mark < 2 && i > hidden; mark++)
            rawlog_record(log, RAWLOG_MARK, at + (uint64_t)mark * len, (struct moment){1, 1},
                          (uint16_t) "CD"[mark], (uint32_t)i);
        at += len;
    }
    assert_int_equal(rawlog_flush(log), 0);
    rawlog_close(log);
    aside_finish(&aside);
}

/* Many commands cost as many looks at the index, not their square. What the
 * index knows nothing of is covered with one that it does not know. */
static void test_many_commands_go_at_once(void **state)
{
    enum { COUNT = 45000, HIDDEN = 10 };
    char *directory, *path;
    json_t *seqs = json_array();
    (void)state;
    assert_true(asprintf(&directory, "%s/many", place) > 0);
    assert_true(asprintf(&path, "%s/output.raw", directory) > 0);
    put("many/none", "");
    make_log(directory, COUNT, HIDDEN);
    for (int i = 1; i <= COUNT; i++)
        if (i != 20000)
            json_array_append_new(seqs, json_integer(i));
    struct forget f = {.directory = directory, .seqs = seqs, .before = nothing};
    clock_t began = clock();
    forget_in_log(&f);
    assert_true(clock() - began < CLOCKS_PER_SEC);
    assert_int_equal(f.error, 0);
    struct bytes log = {0};
    assert_int_equal(file_read(path, SIZE_MAX, &log), 0);
    assert_int_equal(log.len, COUNT * 8);
    size_t left = 0;
    for (size_t i = 0; i < log.len; i += 8)
        left += log.data[i] == 'c';
    assert_int_equal(left, 1);
    assert_memory_equal(log.data + (size_t)19999 * 8, "c20000\r\n", 8);
    bytes_finish(&log);
    json_decref(seqs);
    free(directory);
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
        cmocka_unit_test(test_a_directory_in_d_stays),
        cmocka_unit_test(test_a_command_is_covered_whole),
        cmocka_unit_test(test_nothing_else_moves),
        cmocka_unit_test(test_lines_stay_sealed),
        cmocka_unit_test(test_a_command_leaves_its_number),
        cmocka_unit_test(test_a_damaged_object_is_covered_too),
        cmocka_unit_test(test_an_object_that_is_too_large_is_covered_too),
        cmocka_unit_test(test_with_a_command_goes_what_is_damaged),
        cmocka_unit_test(test_every_spelling_is_found),
        cmocka_unit_test(test_a_text_with_quotes_is_found_in_every_file),
        cmocka_unit_test(test_what_was_set_aside_is_gone_through),
        cmocka_unit_test(test_many_commands_go_at_once),
        cmocka_unit_test(test_a_wish_is_not_found_by_its_text),
    };
    assert_non_null(mkdtemp(place));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", place);
    return system(command) ? 1 : failed;
}
