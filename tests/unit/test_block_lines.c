/* Finding a block among many: over both files, with damaged lines, without reading them all. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "ptyd/session/block_lines.h"
#include "ptyd/session/block_reader.h"

static char directory[64];

static FILE *file_of(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

/* Its line at begin, and at end; every seventh block has a long command that looks like a line. */
static void put_block(FILE *file, int seq)
{
    for (int ended = 0; ended < 2; ended++) {
        fprintf(file, "{\"block_id\":\"default:%d:5\",\"cmd\":\"{\\\"seq\\\":%d}", seq, seq + 1);
        for (int i = 0; seq % 7 == 0 && i < 900; i++)
            fputs("0123456789", file);
        fprintf(file, "\",\"seq\":%d,\"status\":\"%s\"}\n", seq, ended ? "completed" : "running");
    }
}

static void put_damage(FILE *file)
{
    fputs("{\"block_id\":\"default:3:5\",\"seq\":3,\"cm{\"seq\":99999}\n\n[]\nno JSON \"seq\":1\n"
          "{\"seq\":\n{\"status\":\"running\"}\n",
          file);
}

static int in_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/ptyd-block-lines-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int gone(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

/* Returns what was read; `there`: whether it must be found, as it ended. */
static uint64_t find(int seq, int there)
{
    uint64_t bytes_read = 0;
    json_t *block = block_lines_find(directory, (uint64_t)seq, &bytes_read);
    assert_int_equal(block != NULL, there);
    if (there) {
        assert_int_equal(json_integer_value(json_object_get(block, "seq")), seq);
        assert_string_equal(json_string_value(json_object_get(block, "status")), "completed");
    }
    json_decref(block);
    return bytes_read;
}

static void each_block_is_found_over_rotation_and_damage(void **state)
{
    FILE *old = file_of("blocks.jsonl.1"), *now = file_of("blocks.jsonl");
    (void)state;
    put_damage(old);
    for (int seq = 3; seq <= 400; seq++) {
        if (seq % 50 == 0) /* these are missing */
            put_damage(seq < 250 ? old : now);
        else
            put_block(seq < 250 ? old : now, seq);
    }
    fputs("{\"seq\":401,\"status\":\"completed\"}", now); /* half a line: no end */
    fclose(old);
    fclose(now);
    for (int seq = 0; seq <= 410; seq++)
        find(seq, seq >= 3 && seq < 400 && seq % 50);
}

static void note_line(void *user, json_t *block)
{
    bool running = !strcmp(json_string_value(json_object_get(block, "status")), "running");
    bytes_printf(user, "%d%s ", (int)json_integer_value(json_object_get(block, "seq")),
                 running ? "+" : "");
}

static void expect_behind(uint64_t after, const char *expected)
{
    struct bytes seen = {0};
    block_lines_behind(directory, after, note_line, &seen);
    assert_string_equal(seen.len ? seen.data : "", expected);
    bytes_finish(&seen);
}

static void those_behind_a_number_come_line_by_line(void **state)
{
    FILE *old = file_of("blocks.jsonl.1"), *now = file_of("blocks.jsonl");
    (void)state;
    for (int seq = 1; seq <= 300; seq++)
        put_block(seq <= 298 ? old : now, seq);
    put_damage(now);
    fputs("{\"seq\":305,\"status\":\"running\"}\n{\"seq\":306,\"status\":\"running\"}", now);
    fclose(old);
    fclose(now);
    expect_behind(297, "298+ 298 299+ 299 300+ 300 305+ ");
    expect_behind(299, "300+ 300 305+ ");
    expect_behind(303, "305+ ");
    expect_behind(305, "");
    assert_int_equal(block_lines_ended(directory), 300);
    assert_int_equal(block_lines_highest(directory), 305);
}

/* The newest lines are longer than what is looked at first, and none of them is an end. */
static void the_last_that_ended_may_be_far_back(void **state)
{
    FILE *old = file_of("blocks.jsonl.1"), *now = file_of("blocks.jsonl");
    (void)state;
    put_block(old, 4);
    for (int seq = 5; seq < 3000; seq++)
        fprintf(now, "{\"seq\":%d,\"status\":\"running\",\"cmd\":\"0123456789012345678901234\"}\n",
                seq);
    fclose(old);
    fclose(now);
    assert_int_equal(block_lines_ended(directory), 4);
    assert_int_equal(block_lines_highest(directory), 2999);
}

static void no_file_has_no_block(void **state)
{
    (void)state;
    find(1, 0);
    fclose(file_of("blocks.jsonl"));
    find(1, 0);
}

static void of_a_hundred_thousand_lines_few_are_read(void **state)
{
    FILE *now = file_of("blocks.jsonl");
    (void)state;
    for (int seq = 1; seq <= 50000; seq++)
        put_block(now, seq);
    assert_true(ftell(now) > 100 << 20);
    fclose(now);
    for (int seq = 1; seq <= 50000; seq += 997)
        assert_true(find(seq, 1) < 1 << 20);
    assert_true(find(50000, 1) < 1 << 20);
    assert_true(find(50001, 0) < 1 << 20);
}

static void the_newest_reach_over_rotation(void **state)
{
    FILE *old = file_of("blocks.jsonl.1"), *now = file_of("blocks.jsonl");
    (void)state;
    for (int seq = 1; seq <= 100; seq++)
        put_block(seq <= 98 ? old : now, seq);
    fclose(old);
    fclose(now);
    for (size_t last = 0; last <= 101; last++) {
        json_t *blocks = block_reader_all(directory, last, false);
        size_t expected = last && last < 100 ? last : 100;
        assert_int_equal(json_array_size(blocks), expected);
        for (size_t i = 0; i < expected; i++)
            assert_int_equal(json_integer_value(json_object_get(json_array_get(blocks, i), "seq")),
                             100 - expected + 1 + i);
        json_decref(blocks);
    }
}

/* Page after page, whatever their size: each block once, with its second line, in order. */
static void pages_hold_each_block_once(void **state)
{
    FILE *old = file_of("blocks.jsonl.1"), *now = file_of("blocks.jsonl");
    (void)state;
    for (int seq = 1; seq <= 120; seq++) {
        if (seq % 40 == 0)
            put_damage(seq <= 70 ? old : now);
        else
            put_block(seq <= 70 ? old : now, seq);
    }
    fclose(old);
    fclose(now);
    for (size_t most = 1; most < 1 << 20; most = most * 3 + 1) {
        uint64_t after = 0;
        for (;;) {
            bool all;
            json_t *page = block_lines_after(directory, after, most, &all), *block;
            size_t i, count = json_array_size(page);
            json_array_foreach(page, i, block) {
                after += (after + 1) % 40 ? 1 : 2;
                assert_int_equal(json_integer_value(json_object_get(block, "seq")), after);
                assert_string_equal(json_string_value(json_object_get(block, "status")),
                                    "completed");
            }
            json_decref(page);
            assert_true(all || count);
            if (!count)
                break;
        }
        assert_int_equal(after, 119);
    }
}

/* The end of block 2 is damaged, its begin stands; of block 4 both lines are; a rotation tore one.
 */
static void damage_costs_what_is_damaged(void **state)
{
    FILE *old = file_of("blocks.jsonl.1"), *now = file_of("blocks.jsonl");
    (void)state;
    put_block(old, 1);
    fputs("{\"seq\":2,\"status\":\"running\"}\n{\"seq\":2,\"status\":\"comp}\n", old);
    put_block(old, 3);
    fputs("{\"seq\":4,}\n{\"seq\":4\n[\"seq\":4]\n{\"seq\":5,\"status\":", old);
    put_block(now, 5);
    fclose(old);
    fclose(now);
    json_t *blocks = block_reader_all(directory, 0, false);
    assert_int_equal(json_array_size(blocks), 4);
    for (size_t i = 0; i < 4; i++) {
        static const int seqs[] = {1, 2, 3, 5};
        const json_t *block = json_array_get(blocks, i);
        assert_int_equal(json_integer_value(json_object_get(block, "seq")), seqs[i]);
        assert_string_equal(json_string_value(json_object_get(block, "status")),
                            seqs[i] == 2 ? "running" : "completed");
    }
    json_decref(blocks);
}

/* The newest of many: a step costs little, and no more is gone through than holds them. */
static void few_of_many_are_read_in_small_steps(void **state)
{
    FILE *now = file_of("blocks.jsonl");
    (void)state;
    for (int seq = 1; seq <= 20000; seq++)
        put_block(now, seq);
    assert_true(ftell(now) > 40 << 20);
    fclose(now);
    struct block_reader *reader = block_reader_open(directory, 100, false);
    json_t *block;
    uint64_t before = 0;
    int found, seq = 19900;
    while ((found = block_reader_next(reader, &block)) >= 0) {
        assert_in_range(block_reader_passed(reader) - before, 0, 64 << 10);
        before = block_reader_passed(reader);
        if (!found)
            continue;
        assert_int_equal(json_integer_value(json_object_get(block, "seq")), ++seq);
        json_decref(block);
    }
    assert_int_equal(seq, 20000);
    assert_in_range(before, 100 << 10, 4 << 20);
    block_reader_close(reader);
}

/* A block has two lines; those behind a seq come in order, over rotation, however large they are.
 */
static void lines_behind_a_block(void **state)
{
    FILE *old = file_of("blocks.jsonl.1"), *now = file_of("blocks.jsonl");
    (void)state;
    for (int seq = 1; seq <= 300; seq++)
        for (int line = 0; line < 2; line++)
            fprintf(seq <= 200 ? old : now, "{\"seq\":%d,\"line\":%d,\"fill\":\"%0900d\"}\n", seq,
                    line, 0);
    fclose(old);
    fclose(now);
    for (int after = 0; after <= 301; after += 7) {
        bool all;
        json_t *lines = block_lines_apart(directory, (uint64_t)after, SIZE_MAX, &all), *line;
        size_t i;
        assert_int_equal(json_array_size(lines), after < 300 ? 2 * (300 - after) : 0);
        json_array_foreach(lines, i, line) {
            assert_int_equal(json_integer_value(json_object_get(line, "seq")),
                             after + 1 + (int)i / 2);
            assert_int_equal(json_integer_value(json_object_get(line, "line")), i % 2);
        }
        json_decref(lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_block_is_found_over_rotation_and_damage, in_directory,
                                        gone),
        cmocka_unit_test_setup_teardown(those_behind_a_number_come_line_by_line, in_directory,
                                        gone),
        cmocka_unit_test_setup_teardown(the_last_that_ended_may_be_far_back, in_directory, gone),
        cmocka_unit_test_setup_teardown(no_file_has_no_block, in_directory, gone),
        cmocka_unit_test_setup_teardown(of_a_hundred_thousand_lines_few_are_read, in_directory,
                                        gone),
        cmocka_unit_test_setup_teardown(the_newest_reach_over_rotation, in_directory, gone),
        cmocka_unit_test_setup_teardown(pages_hold_each_block_once, in_directory, gone),
        cmocka_unit_test_setup_teardown(damage_costs_what_is_damaged, in_directory, gone),
        cmocka_unit_test_setup_teardown(few_of_many_are_read_in_small_steps, in_directory, gone),
        cmocka_unit_test_setup_teardown(lines_behind_a_block, in_directory, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
