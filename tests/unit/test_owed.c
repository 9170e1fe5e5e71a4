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
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/owed.h"
#include "ptyd/core/slate.h"
#include "ptyd/session/output.h"

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
    /* what is noted of each line is a tenth of it at most */
    assert_in_range(waiting.len, LIMIT_OWED_BYTES / 10 * 9, LIMIT_OWED_BYTES);
    assert_int_equal(atoi(waiting.data + waiting.len - 8), many - 1);
    struct owed_state stands = owed_state(o);
    assert_int_equal(stands.dropped, 1 + many - (int)stands.count);
    bytes_finish(&waiting);
    assert_int_equal(owed_destroy(o), stands.count);
    set_room(RLIM_INFINITY);
}

/* ---- behind the death of whoever owed it ---- */

static int slate;    /* as its keeper has it; -1 for none */
static int refusals; /* so often the keeper cannot hold one yet */

static bool on_keep(void *user, int fd)
{
    (void)user;
    if (refusals && refusals--)
        return false;
    assert_int_equal(slate, -1);
    slate = dup(fd);
    return true;
}

/* It is tried again after a while. */
static void pay_until_it_outlives(struct owed *o)
{
    int64_t deadline = clock_monotonic_ms() + 10000;
    while (!owed_state(o).outlives && clock_monotonic_ms() < deadline)
        owed_pay(o);
    assert_true(owed_state(o).outlives);
}

/* Does it in a process that dies then; returns the slate as its keeper has it. */
static void die_after(void (*work)(struct owed *o))
{
    int status;
    set_room(RLIM_INFINITY);
    slate = slate < 0 ? slate_create_fd() : slate;
    assert_true(slate >= 0);
    set_room(0);
    pid_t pid = fork();
    if (pid == 0) {
        struct owed *o = owed_create(on_owing, NULL);
        owed_outlive(o, slate, on_keep);
        work(o);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static struct owed *go_on(void)
{
    struct owed *o = owed_create(on_owing, NULL);
    owed_outlive(o, slate, on_keep);
    return o;
}

static void end(struct owed *o)
{
    assert_int_equal(owed_pay(o), 0);
    assert_int_equal(owed_destroy(o), 0);
    o = go_on();
    assert_int_equal(owed_state(o).count, 0); /* nothing comes a second time */
    assert_int_equal(owed_destroy(o), 0);
    close(slate);
    slate = -1;
}

static void start_anew(void)
{
    set_room(RLIM_INFINITY);
    unlink(lines);
    unlink(whole);
    unlink(output);
    slate = -1;
}

static void owe_several(struct owed *o)
{
    owed_append(o, lines, "one", LIMIT_JSONL_BYTES);
    owed_replace(o, whole, "old", 3);
    owed_append_output(o, output, "some ", 5);
    owed_append(o, lines, "two", LIMIT_JSONL_BYTES);
    owed_replace(o, whole, "the newest", 10);
}

static void owe_more(struct owed *o)
{
    struct bytes waiting = {0};
    size_t len;
    assert_int_equal(owed_state(o).count, 4);
    assert_string_equal(owed_whole(o, whole, &len), "the newest");
    assert_int_equal(len, 10);
    owed_each(o, lines, note_line, &waiting);
    assert_string_equal(waiting.data, "one;two;");
    owed_append(o, lines, "three", LIMIT_JSONL_BYTES);
    owed_append_output(o, output, "output", 6);
}

static void what_waits_outlives_those_who_owe_it(void **state)
{
    (void)state;
    start_anew();
    int64_t before = clock_wall_ms();
    die_after(owe_several);
    int64_t behind = clock_wall_ms();
    die_after(owe_more);
    begun = 0;
    struct owed *o = go_on();
    assert_int_equal(begun, 1);
    struct owed_state stands = owed_state(o);
    assert_int_equal(stands.count, 6);
    assert_int_equal(stands.error, -EFBIG);
    assert_in_range(stands.since_ms, before, behind);
    set_room(RLIM_INFINITY);
    assert_int_equal(owed_pay(o), 0);
    expect_content(lines, "one\ntwo\nthree\n");
    expect_content(whole, "the newest");
    expect_content(output, "some output");
    end(o);
}

static void begin_slate(const struct slate_entry *entry)
{
    slate = slate_create_fd();
    struct slate *s = slate_map(slate);
    slate_begin(s, slate_add(s, entry), entry->size);
    slate_unmap(s);
}

static void put_file(const char *path, const char *text, size_t len)
{
    unlink(path);
    assert_int_equal(file_append(path, text, len), 0);
}

/* So much of the last write was in the file when its writer was killed. */
/* Neither a keeper that cannot hold it nor one that finds out later costs what waits by then. */
static void a_slate_that_nobody_holds_is_made_again(void **state)
{
    (void)state;
    start_anew();
    assert_int_equal(mkdir(lines, 0700) + mkdir(whole, 0700), 0); /* cannot be written, then */
    refusals = 2;
    struct owed *o = owed_create(on_owing, NULL);
    owed_outlive(o, -1, on_keep);
    owed_append(o, lines, "one", LIMIT_JSONL_BYTES);
    owed_note(o, OWED_SEQUENCE, "noted", 5);
    owed_note(o, OWED_OUTPUT, "printed", 7);
    assert_false(owed_state(o).outlives);
    assert_int_equal(slate, -1);
    pay_until_it_outlives(o);
    assert_int_equal(refusals, 0);

    close(slate);
    slate = -1;
    owed_slate_lost(o);
    assert_false(owed_state(o).outlives);
    owed_append(o, lines, "two", LIMIT_JSONL_BYTES);
    owed_replace(o, whole, "all", 3);
    pay_until_it_outlives(o);

    size_t len;
    struct bytes waiting = {0};
    struct owed *next = go_on(); /* as behind its death */
    assert_int_equal(owed_state(next).count, 3);
    owed_each(next, lines, note_line, &waiting);
    assert_string_equal(waiting.data, "one;two;");
    assert_string_equal(owed_whole(next, whole, &len), "all");
    assert_memory_equal(owed_noted(next, OWED_SEQUENCE, &len), "noted", 5);
    assert_int_equal(len, 5);
    assert_memory_equal(owed_noted(next, OWED_OUTPUT, &len), "printed", 7);
    assert_int_equal(len, 7);
    bytes_finish(&waiting);
    assert_int_equal(rmdir(lines) + rmdir(whole), 0);
    assert_int_equal(owed_destroy(next), 0);
    expect_content(lines, "one\ntwo\n");
    unlink(lines);
    assert_int_equal(owed_destroy(o), 0);
    close(slate);
    slate = -1;
}

static void what_was_being_written_is_there_once(void **state)
{
    (void)state;
    start_anew();
    for (size_t part = 0; part <= strlen("first\nsecond\n"); part++) {
        put_file(lines, "first\nsecond\n", part < 6 ? 6 : part);
        begin_slate(&(struct slate_entry){
            .size = 6, .most = 1 << 20, .path = lines, .data = "second", .len = 6});
        end(go_on());
        expect_content(lines, "first\nsecond\n");
        put_file(output, "firstsecond", part < 5 ? 5 : part < 11 ? part : 11);
        begin_slate(&(struct slate_entry){
            .kind = 1, .size = 5, .path = output, .data = "second", .len = 6});
        end(go_on());
        expect_content(output, "firstsecond");
    }
    for (size_t part = 0; part <= strlen("\nsecond\n"); part++) { /* behind half a line */
        put_file(lines, "fir\nsecond\n", 3 + part);
        begin_slate(&(struct slate_entry){
            .size = 3, .most = 1 << 20, .path = lines, .data = "second", .len = 6});
        end(go_on());
        expect_content(lines, "fir\nsecond\n");
    }
}

static void a_file_that_became_older_meanwhile_has_it(void **state)
{
    char moved[80];
    (void)state;
    start_anew();
    snprintf(moved, sizeof moved, "%s.1", lines);
    put_file(moved, "first\nsecond\n", 13);
    begin_slate(
        &(struct slate_entry){.size = 6, .most = 8, .path = lines, .data = "second", .len = 6});
    end(go_on());
    expect_content(moved, "first\nsecond\n");
    assert_int_equal(access(lines, F_OK), -1);
    unlink(moved);
}

static void owe_very_many(struct owed *o)
{
    static char text[1 << 10], large[LIMIT_SLATE_WHOLE_BYTES];
    for (int i = 0; i < 5000; i++) {
        snprintf(text, sizeof text, "%0*d", 100 + i % 900, i);
        owed_append(o, lines, text, LIMIT_JSONL_BYTES);
        snprintf(large, sizeof large, "%0*d", (int)sizeof large - 1, i);
        if (i % 10 == 0)
            owed_replace(o, whole, large, sizeof large - 1);
    }
}

static void much_more_than_there_is_room_for_keeps_the_newest(void **state)
{
    struct bytes waiting = {0};
    struct stat st;
    (void)state;
    start_anew();
    die_after(owe_very_many);
    struct owed *o = go_on();
    owed_each(o, lines, note_line, &waiting);
    assert_in_range(waiting.len, LIMIT_OWED_BYTES / 10 * 8, LIMIT_OWED_BYTES);
    struct owed_state stands = owed_state(o);
    assert_int_equal(stands.dropped + stands.count - 1, 5000);
    size_t len = 0;
    assert_int_equal(atoi(owed_whole(o, whole, &len) + len - 8), 4990);
    assert_int_equal(fstat(slate, &st), 0);
    assert_in_range(st.st_blocks * 512, LIMIT_OWED_BYTES, LIMIT_SLATE_BYTES + (8 << 10));
    bytes_finish(&waiting);
    set_room(RLIM_INFINITY);
    assert_int_equal(owed_pay(o), 0);
    assert_int_equal(fstat(slate, &st), 0);
    assert_in_range(st.st_blocks * 512, 0, 8 << 10); /* what is empty takes no memory */
    end(o);
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

static void note_kind(void *user, uint32_t at, const struct slate_entry *e)
{
    (void)at;
    *(uint32_t *)user |= 1u << e->kind;
}

/* Another program may have left it, or be the next. */
static void a_note_of_a_kind_that_is_not_known_is_none(void **state)
{
    (void)state;
    start_anew();
    begin_slate(&(struct slate_entry){.kind = 30, .path = "", .data = "newer", .len = 5});
    struct owed *o = go_on();
    for (int i = 0; i < OWED_NOTES; i++) {
        size_t len;
        owed_noted(o, (enum owed_note)i, &len);
        assert_int_equal(len, 0);
        owed_note(o, (enum owed_note)i, "ours", 4);
    }
    uint32_t kinds = 0;
    struct slate *s = slate_map(slate);
    slate_each(s, note_kind, &kinds);
    slate_unmap(s);
    assert_int_equal(kinds,
                     1u << 3 | 1u << 4); /* each its own; the first has been 3 from the first */
    end(o);
}

/* ---- the output of the block that runs ---- */

/* Who came before it owed that already, and died before it said that the block was over. */
static void the_end_of_an_output_that_begins_again_is_written_once(void **state)
{
    (void)state;
    struct owed *o = owed_create(on_owing, NULL);
    struct output *out = output_create();
    output_begin(out, o, output, 0);
    output_add(out, "written\n", 8);
    assert_true(output_flush(out));
    set_room(8);
    output_add(out, "owed\n", 5);
    assert_false(output_flush(out));
    output_end(out, o);
    assert_int_equal(owed_state(o).count, 1);
    output_hold(out, true);
    output_begin(out, o, output, 0);
    output_restore(out, o, &(struct output_rest){.written = 8, .text = "owed\n", .len = 5});
    set_room(RLIM_INFINITY);
    assert_true(output_flush(out));
    assert_int_equal(owed_pay(o), 0);
    expect_content(output, "written\nowed\n");
    output_destroy(out, o);
    assert_int_equal(owed_destroy(o), 0);
    unlink(output);
}

static void an_output_that_was_held_goes_on_behind_its_end(void **state)
{
    (void)state;
    struct owed *o = owed_create(on_owing, NULL);
    struct output *out = output_create();
    assert_int_equal(file_append(output, "a former worker's, ", 19), 0);
    output_hold(out, true);
    output_begin(out, o, output, 0);
    output_add(out, "known", 5); /* it is there */
    output_hold(out, false);
    output_add(out, "and ours", 8);
    output_destroy(out, o);
    assert_int_equal(owed_destroy(o), 0);
    expect_content(output, "a former worker's, and ours");
    unlink(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_waits_is_written_in_order_and_once),
        cmocka_unit_test(a_file_that_cannot_be_written_keeps_no_other_back),
        cmocka_unit_test(memory_is_bounded_outputs_go_first_and_what_went_is_counted),
        cmocka_unit_test(what_waits_outlives_those_who_owe_it),
        cmocka_unit_test(a_slate_that_nobody_holds_is_made_again),
        cmocka_unit_test(what_was_being_written_is_there_once),
        cmocka_unit_test(a_file_that_became_older_meanwhile_has_it),
        cmocka_unit_test(much_more_than_there_is_room_for_keeps_the_newest),
        cmocka_unit_test(a_note_of_a_kind_that_is_not_known_is_none),
        cmocka_unit_test(the_end_of_an_output_that_begins_again_is_written_once),
        cmocka_unit_test(an_output_that_was_held_goes_on_behind_its_end),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
