/* What cannot be written: it waits, in order, within its bound, and is written once. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/owed.h"

static char place[] = "/tmp/ptyd-owed-XXXXXX";
static char lines[64], whole[64], output[64];
static int begun; /* calls of owing */

static void on_owing(void *user)
{
    (void)user;
    begun++;
}

/* So many bytes may be in a file: a write beyond them is short, then none. */
static void set_room(rlim_t bytes)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}), 0);
}

static void expect_content(const char *path, const char *wanted)
{
    struct bytes content = {0};
    assert_int_equal(file_read(path, 4 << 20, &content), 0);
    assert_string_equal(content.data ? content.data : "", wanted);
    bytes_finish(&content);
}

static void note_line(void *user, const char *line)
{
    bytes_printf(user, "%s;", line);
}

static void what_waits_is_written_in_order_and_once(void **state)
{
    (void)state;
    int64_t before = clock_wall_ms();
    struct owed *o = owed_create(on_owing, NULL);
    owed_append(o, lines, "one", LIMIT_JSONL_BYTES);
    owed_replace(o, whole, "old", 3);
    assert_int_equal(begun, 0);
    assert_int_equal(owed_pay(o), 0);
    set_room(6); /* for half a line */
    owed_append(o, lines, "two", LIMIT_JSONL_BYTES);
    owed_append(o, lines, "three", LIMIT_JSONL_BYTES);
    owed_replace(o, whole, "too large", 9);
    owed_replace(o, whole, "the newest", 10);
    owed_append_output(o, output, "some output", 11);
    assert_int_equal(begun, 1);
    assert_true(owed_pay(o) > 0);
    expect_content(lines, "one\n");
    expect_content(whole, "old");
    struct owed_state stands = owed_state(o);
    assert_int_equal(stands.count, 4);
    assert_int_equal(stands.error, -EFBIG);
    assert_string_equal(stands.path, lines);
    assert_in_range(stands.since_ms, before, clock_wall_ms());
    struct bytes waiting = {0};
    owed_each(o, lines, note_line, &waiting);
    assert_string_equal(waiting.data, "two;three;");
    bytes_finish(&waiting);
    set_room(RLIM_INFINITY);
    assert_int_equal(owed_pay(o), 0);
    expect_content(lines, "one\ntwo\nthree\n");
    expect_content(whole, "the newest");
    expect_content(output, "some output");
    assert_int_equal(owed_state(o).error, 0);
    owed_append(o, lines, "four", LIMIT_JSONL_BYTES);
    expect_content(lines, "one\ntwo\nthree\nfour\n");
    assert_int_equal(owed_destroy(o), 0);
}

static void a_file_that_cannot_be_written_keeps_no_other_back(void **state)
{
    char moved[80];
    (void)state;
    struct owed *o = owed_create(on_owing, NULL);
    unlink(lines);
    assert_int_equal(mkdir(lines, 0700), 0);
    owed_append(o, lines, "one", LIMIT_JSONL_BYTES);
    owed_replace(o, whole, "new", 3);
    expect_content(whole, "new");
    assert_true(owed_pay(o) > 0);
    snprintf(moved, sizeof moved, "%s.1", lines);
    assert_int_equal(rmdir(lines), 0);
    owed_append(o, lines, "two", 1);
    assert_int_equal(owed_pay(o), 0);
    expect_content(moved, "one\ntwo\n"); /* at its quota */
    assert_int_equal(unlink(moved), 0);
    assert_int_equal(owed_destroy(o), 0);
}

static void memory_is_bounded_outputs_go_first_and_what_went_is_counted(void **state)
{
    static char text[1 << 10];
    const int many = 2 * LIMIT_OWED_BYTES / (int)sizeof text;
    struct bytes waiting = {0};
    (void)state;
    struct owed *o = owed_create(on_owing, NULL);
    set_room(0);
    owed_append_output(o, output, "gone", 4);
    for (int i = 0; i < many; i++) {
        snprintf(text, sizeof text, "%0*d", (int)sizeof text - 1, i);
        owed_append(o, lines, text, LIMIT_JSONL_BYTES);
    }
    owed_each(o, lines, note_line, &waiting);
    assert_in_range(waiting.len, LIMIT_OWED_BYTES - sizeof text, LIMIT_OWED_BYTES + sizeof text);
    assert_int_equal(atoi(waiting.data + waiting.len - 8), many - 1);
    struct owed_state stands = owed_state(o);
    assert_int_equal(stands.dropped, 1 + many - (int)stands.count);
    bytes_finish(&waiting);
    assert_int_equal(owed_destroy(o), stands.count);
    set_room(RLIM_INFINITY);
}

static int make_place(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    if (!mkdtemp(place))
        return -1;
    snprintf(lines, sizeof lines, "%s/lines", place);
    snprintf(whole, sizeof whole, "%s/whole", place);
    snprintf(output, sizeof output, "%s/output", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    unlink(lines);
    unlink(whole);
    unlink(output);
    return rmdir(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_is_written_in_order_and_once),
        cmocka_unit_test(a_file_that_cannot_be_written_keeps_no_other_back),
        cmocka_unit_test(memory_is_bounded_outputs_go_first_and_what_went_is_counted),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
