/* The log of a session: its index stays within its bound and tells what a rebuild needs. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/session/rawlog.h"

static char place[] = "/tmp/ptyd-rawlog-XXXXXX";
static char index_path[64], raw_path[64];

static off_t index_size(void)
{
    struct stat st;
    assert_int_equal(stat(index_path, &st), 0);
    return st.st_size;
}

/* So many commands, each of 100 bytes, a time and a mark; its number is the mark's value. */
static void log_commands(struct rawlog *log, uint32_t count)
{
    char bytes[100];
    memset(bytes, 'x', sizeof bytes);
    for (uint32_t i = 1; i <= count; i++) {
        uint64_t offset = rawlog_end(log);
        rawlog_record(log, RAWLOG_TIME, offset, (struct moment){i, i}, 0, 0);
        rawlog_record(log, RAWLOG_MARK, offset + 50, (struct moment){i, i}, 0, i);
        assert_int_equal(rawlog_flush(log), 0);
        assert_int_equal(rawlog_write(log, offset, bytes, sizeof bytes), 0);
        assert_true(index_size() <= LIMIT_INDEX_BYTES);
    }
}

/* Of the marks none is missing from the first that is held on. */
static void expect_marks(const struct rawlog_record *records, size_t count, uint64_t base,
                         uint32_t last)
{
    uint32_t expected = 0;
    for (size_t i = 0; i < count; i++) {
        if (records[i].kind != RAWLOG_MARK)
            continue;
        assert_true(records[i].offset >= base);
        assert_int_equal(records[i].offset, (records[i].value - 1) * 100ull + 50);
        assert_true(!expected || records[i].value == expected);
        expected = records[i].value + 1;
    }
    assert_int_equal(expected, last + 1);
}

static void the_index_is_trimmed_with_what_it_describes(void **state)
{
    const uint32_t commands = 300000;
    size_t count;
    (void)state;
    struct rawlog *log = rawlog_open(place, NULL);
    rawlog_record(log, RAWLOG_SHELL, 0, (struct moment){1, 1}, 0, 0);
    rawlog_record(log, RAWLOG_RESIZE, 0, (struct moment){1, 1}, 0, 1);
    rawlog_record(log, RAWLOG_RESIZE, 0, (struct moment){1, 1}, 0, 2);
    log_commands(log, commands);
    rawlog_close(log);
    log = rawlog_open(place, NULL); /* as if killed */
    assert_true(rawlog_base(log) > 0);
    assert_int_equal(rawlog_end(log), commands * 100ull);
    struct rawlog_record *records = rawlog_records(log, &count);
    assert_int_equal(records[0].kind, RAWLOG_SHELL);
    assert_int_equal(records[1].kind, RAWLOG_RESIZE);
    assert_int_equal(records[1].value, 2);
    expect_marks(records, count, rawlog_base(log), commands);
    size_t kept = rawlog_cut(log, records, count, commands * 100ull - 250);
    expect_marks(records, kept, rawlog_base(log), commands - 3);
    free(records);
    records = rawlog_records(log, &count);
    assert_int_equal(count, kept);
    free(records);
    rawlog_close(log);
}

static int make_place(void **state)
{
    (void)state;
    if (!mkdtemp(place))
        return -1;
    snprintf(index_path, sizeof index_path, "%s/output.idx", place);
    snprintf(raw_path, sizeof raw_path, "%s/output.raw", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    unlink(index_path);
    unlink(raw_path);
    return rmdir(place);
}

/* A checkpoint stands in the session's offsets: no trimming may pass it. */
static void a_checkpoint_that_is_wanted_stays_in_the_log(void **state)
{
    uint64_t checkpoint = 0;
    (void)state;
    struct rawlog *log = rawlog_open(place, NULL);
    for (int i = 0; i < 300; i++) {
        log_commands(log, 1000);
        if (rawlog_wants_checkpoint(log)) {
            checkpoint = rawlog_end(log);
            rawlog_record(log, RAWLOG_CHECKPOINT, checkpoint, (struct moment){1, 1}, 0, 0);
        }
        assert_false(rawlog_wants_checkpoint(log));
        assert_true(!checkpoint || rawlog_base(log) <= checkpoint);
    }
    assert_true(rawlog_base(log) > 0);
    rawlog_close(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_is_trimmed_with_what_it_describes),
        cmocka_unit_test(a_checkpoint_that_is_wanted_stays_in_the_log),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
