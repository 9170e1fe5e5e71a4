/* The lists of a session's blocks, long ones, as their worker leaves them: the next one reads them
 * only where somebody else was there. What it reads the kernel counts. */
#define _GNU_SOURCE
#include "tests/unit/harm.h"

#include <jansson.h>
#include <time.h>

#include "base/limits.h"
#include "ptyd/core/owed.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_files.h"
#include "ptyd/session/block_mend.h"

#define LONG_BYTES (2 << 20)
#define ENDS       (1200 << 10) /* more than is read of them in any case */

static char place[64];
static struct owed *owed;
static uint64_t seq, same;

static void ignore(void *user)
{
    (void)user;
}

static char *path_of(const char *name)
{
    return text_format("%s/%s", place, name);
}

static char *next_line(void)
{
    char text[1025];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    json_t *block =
        json_pack("{s:I, s:s, s:s}", "seq", (json_int_t)++seq, "status", "completed", "cmd", text);
    char *line = seal_dump(block);
    json_decref(block);
    return line;
}

static void append(void)
{
    char *line = next_line();
    block_files_append(owed, place, line, &same);
    free(line);
}

/* Both lists, of at least so many bytes. */
static void write_lists(size_t bytes)
{
    struct bytes text = {0};
    while (text.len < bytes) {
        char *line = next_line();
        bytes_printf(&text, "%s\n", line);
        free(line);
    }
    for (int i = 0; i < 2; i++) {
        char *path = path_of(i ? "blocks.copy.jsonl" : "blocks.jsonl");
        harm_write(path, text.data, text.len);
        free(path);
    }
    bytes_finish(&text);
}

static long long bytes_read(void)
{
    struct bytes text = {0};
    assert_int_equal(file_read("/proc/self/io", 4096, &text), 0);
    long long count = atoll(strstr(text.data, "rchar: ") + 7);
    bytes_finish(&text);
    return count;
}

/* Older kernels know times to a few milliseconds: what happens in the same ones is not seen. */
static void let_time_pass(void)
{
    struct timespec before, now;
    clock_gettime(CLOCK_REALTIME_COARSE, &before);
    do
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
    while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec);
}

/* The next worker comes: how much it reads; `*ret_found`: whether it found anything. */
static long long take_over(bool *ret_found)
{
    struct aside aside = {0};
    long long before = bytes_read();
    harm_hush(true);
    assert_int_equal(block_mend(place, &same, &aside), 0);
    harm_hush(false);
    *ret_found = json_array_size(aside.items) > 0;
    aside_finish(&aside);
    return bytes_read() - before;
}

static void expect_little_is_read(void)
{
    bool found;
    assert_true(take_over(&found) < ENDS);
    assert_false(found);
}

static void expect_alike(uint64_t last)
{
    char *paths[] = {path_of("blocks.jsonl"), path_of("blocks.copy.jsonl")};
    char *texts[] = {harm_read(paths[0]), harm_read(paths[1])};
    assert_string_equal(texts[0], texts[1]);
    uint64_t lines = 0;
    for (char *at = texts[0]; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, last);
    for (int i = 0; i < 2; i++) {
        free(texts[i]);
        free(paths[i]);
    }
}

static int begin(void **state)
{
    (void)state;
    strcpy(place, "/tmp/ptyd-blocks-XXXXXX");
    seq = same = 0;
    owed = owed_create(ignore, NULL);
    return mkdtemp(place) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    owed_destroy(owed);
    harm_remove(place);
    return 0;
}

/* ---- tests ---- */

static void what_is_known_to_be_alike_is_not_read(void **state)
{
    bool found;
    (void)state;
    write_lists(LONG_BYTES);
    assert_true(take_over(&found) > 2 * LONG_BYTES);
    assert_false(found);
    expect_little_is_read();
    for (int i = 0; i < 3; i++)
        append();
    expect_little_is_read();
    expect_alike(seq);
}

static void nor_where_the_lists_began_anew(void **state)
{
    bool found;
    (void)state;
    write_lists(LIMIT_JSONL_BYTES - 4000);
    take_over(&found);
    for (int i = 0; i < 8; i++)
        append();
    char *former = path_of("blocks.copy.jsonl.1");
    assert_true(harm_size(former) > LIMIT_JSONL_BYTES);
    free(former);
    expect_little_is_read();
}

static void lists_that_are_not_there_yet_are_known(void **state)
{
    (void)state;
    expect_little_is_read();
    append();
    assert_true(same != 0);
    expect_little_is_read();
    expect_alike(1);
}

static void whatever_happened_to_one_is_found(void **state)
{
    static const char *const names[] = {"blocks.jsonl", "blocks.copy.jsonl"};
    bool found;
    (void)state;
    write_lists(LONG_BYTES);
    take_over(&found);
    for (size_t i = 0; i < 2; i++)
        for (enum harm harm = 0; harm < LOCKED; harm++) {
            char *path = path_of(names[i]);
            let_time_pass();
            harm_file(path, harm, harm == FLIPPED ? 8 * 5000 : 5000);
            free(path);
            take_over(&found);
            assert_true(found);
            expect_alike(seq);
            expect_little_is_read();
        }
}

/* It is not the session's own word that counts: what it appended to was another file by then. */
static void what_happened_before_a_line_came_is_found(void **state)
{
    bool found;
    (void)state;
    write_lists(LONG_BYTES);
    take_over(&found);
    char *path = path_of("blocks.jsonl");
    let_time_pass();
    harm_file(path, TURNED, 5000);
    append();
    take_over(&found);
    assert_true(found);
    expect_alike(seq);
    harm_file(path, DIRECTORY, 0);
    append(); /* waits */
    free(path);
    take_over(&found);
    assert_true(found);
    assert_int_equal(owed_pay(owed), 0);
    take_over(&found);
    expect_alike(seq);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_known_to_be_alike_is_not_read, begin, end),
        cmocka_unit_test_setup_teardown(nor_where_the_lists_began_anew, begin, end),
        cmocka_unit_test_setup_teardown(lists_that_are_not_there_yet_are_known, begin, end),
        cmocka_unit_test_setup_teardown(whatever_happened_to_one_is_found, begin, end),
        cmocka_unit_test_setup_teardown(what_happened_before_a_line_came_is_found, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
