/* The table that one keeper hands to the next, and the trial of a program before it gets it. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "ptyd/core/clock.h"
#include "base/limits.h"
#include "ptyd/keeper/table.h"
#include "ptyd/keeper/trial.h"

/* ---- the table ---- */

static struct table_shell three_shells[] = {
    {.name = "one", .pid = 4711, .master = 7, .intake = 8, .slate = -1, .kill_at = 123456789012},
    {.name = "two", .status = 0x0300, .master = 9, .intake = 10, .slate = 11, .layout = 5},
    {.name = "three", .status = 0x0100, .master = -1, .intake = 12, .slate = -1, .over = 1},
};

static struct table small_table(void)
{
    return (struct table){.listener = 3,
                          .lock = 4,
                          .state_lock = -1,
                          .program = 6,
                          .inherited = true,
                          .files = 1024,
                          .files_at_most = 4096,
                          .socket = "/run/s",
                          .state = "/state",
                          .path = "/bin/ptyd",
                          .options = "keep_days=7\n",
                          .upgrade = {.token = 99, .from = "1", .to = "2", .error = "none"},
                          .count = 3,
                          .shells = three_shells};
}

static void what_is_written_is_read(void **state)
{
    struct table out = small_table(), in;
    char *message = NULL;
    int fd = table_write(&out);
    (void)state;
    assert_int_equal(table_read(fd, &in, &message), 0);
    assert_int_equal(in.listener, 3);
    assert_int_equal(in.lock, 4);
    assert_int_equal(in.state_lock, -1);
    assert_int_equal(in.program, 6);
    assert_true(in.inherited);
    assert_false(in.auto_ended);
    assert_string_equal(in.options, "keep_days=7\n");
    assert_int_equal(in.files, 1024);
    assert_int_equal(in.files_at_most, 4096);
    assert_string_equal(in.socket, "/run/s");
    assert_string_equal(in.state, "/state");
    assert_string_equal(in.path, "/bin/ptyd");
    assert_int_equal(in.upgrade.token, 99);
    assert_string_equal(in.upgrade.error, "none");
    assert_int_equal(in.count, 3);
    assert_memory_equal(in.shells, three_shells, sizeof three_shells);
    table_finish(&in);
    close(fd);
}

static int memory_file(const void *data, size_t len)
{
    int fd = memfd_create("table", MFD_CLOEXEC);
    assert_int_equal(pwrite(fd, data, len, 0), len);
    return fd;
}

static bool is_refused(const void *data, size_t len, const char *why)
{
    struct table in;
    char *message = NULL;
    int fd = memory_file(data, len);
    bool refused = table_read(fd, &in, &message) < 0;
    if (!refused)
        table_finish(&in);
    else if (why && !strstr(message, why))
        fail_msg("%s", message);
    free(message);
    close(fd);
    return refused;
}

static void every_damage_is_refused(void **state)
{
    struct table out = small_table();
    struct stat st;
    int fd = table_write(&out);
    (void)state;
    assert_int_equal(fstat(fd, &st), 0);
    size_t len = (size_t)st.st_size;
    unsigned char *data = malloc(len);
    assert_int_equal(pread(fd, data, len, 0), len);
    assert_false(is_refused(data, len, NULL));
    for (size_t i = 0; i < len; i++) {
        data[i] ^= 0x41;
        assert_true(is_refused(data, len, NULL));
        data[i] ^= 0x41;
        assert_true(is_refused(data, i, NULL));
    }
    free(data);
    close(fd);
}

/* A table written here byte for byte, as any version may have it. */
static void put(struct bytes *out, uint32_t kind, const void *data, uint32_t size)
{
    bytes_append(out, &kind, 4);
    bytes_append(out, &size, 4);
    bytes_append(out, data, size);
}

static struct bytes by_hand(uint32_t version, const struct bytes *records)
{
    struct bytes all = {0};
    uint64_t magic = 0x7074796474626c65, hash = 0xcbf29ce484222325;
    uint32_t size = 24;
    for (size_t i = 0; i < records->len; i++)
        hash = (hash ^ (unsigned char)records->data[i]) * 0x100000001b3;
    bytes_append(&all, &magic, 8);
    bytes_append(&all, &version, 4);
    bytes_append(&all, &size, 4);
    bytes_append(&all, &hash, 8);
    bytes_append(&all, records->data, records->len);
    return all;
}

/* listener 3, lock 4, state_lock 5, program 6, inherited, auto_ended, files, files_at_most */
static const uint32_t daemon_record[12] = {3, 4, 5, 6, 0, 1, 256, 0, 512, 0, 77, 78};

static struct bytes beginning(void)
{
    struct bytes records = {0};
    put(&records, 1, daemon_record, 40);
    put(&records, 3, "/run/s", 7);
    put(&records, 4, "/state", 7);
    return records;
}

static void a_later_versions_records_are_read(void **state)
{
    struct bytes records = {0};
    char shell[72 + 16 + 8 + 8 + 8 + 24] = "named";
    int32_t numbers[] = {321, 0, 11, 12};
    struct table in;
    char *message = NULL;
    (void)state;
    memcpy(shell + 72, numbers, sizeof numbers);
    memset(shell + 72 + 16 + 8 + 8 + 8, 0x7f, 24); /* what is not known here */
    put(&records, 1, daemon_record, 48);
    put(&records, 1001, "a kind of its own", 17);
    put(&records, 3, "/run/s\0more", 11);
    put(&records, 4, "/state", 7);
    put(&records, 2, shell, sizeof shell);
    struct bytes all = by_hand(1, &records);
    int fd = memory_file(all.data, all.len);
    assert_int_equal(table_read(fd, &in, &message), 0);
    assert_int_equal(in.listener, 3);
    assert_true(in.auto_ended);
    assert_int_equal(in.files, 256);
    assert_int_equal(in.files_at_most, 512);
    assert_string_equal(in.socket, "/run/s");
    assert_int_equal(in.count, 1);
    assert_string_equal(in.shells[0].name, "named");
    assert_int_equal(in.shells[0].pid, 321);
    assert_int_equal(in.shells[0].master, 11);
    assert_int_equal(in.shells[0].intake, 12);
    assert_int_equal(in.shells[0].kill_at, 0);
    table_finish(&in);
    close(fd);
    bytes_finish(&all);
    bytes_finish(&records);
}

static void what_an_older_version_lacks_is_zero(void **state)
{
    struct bytes records = beginning();
    char shell[72 + 16] = "named";
    int32_t numbers[] = {321, 0, 11, 12};
    struct table in;
    char *message = NULL;
    (void)state;
    memcpy(shell + 72, numbers, sizeof numbers);
    put(&records, 2, shell, sizeof shell); /* it had neither kill_at nor layout */
    struct bytes all = by_hand(1, &records);
    int fd = memory_file(all.data, all.len);
    assert_int_equal(table_read(fd, &in, &message), 0);
    assert_int_equal(in.shells[0].pid, 321);
    assert_int_equal(in.shells[0].kill_at, 0);
    assert_int_equal(in.shells[0].layout, 0);
    assert_int_equal(in.shells[0].slate, -1);
    assert_int_equal(in.upgrade.token, 0);
    table_finish(&in);
    close(fd);
    bytes_finish(&all);
    bytes_finish(&records);
}

/* Kind 8, as the program before ptyd.conf wrote it: days and bytes, whatever they were. */
static char *options_of(int64_t days, int64_t keep_bytes, const char *options)
{
    struct bytes records = beginning();
    int64_t keep[] = {days, keep_bytes};
    struct table in;
    char *message = NULL;
    put(&records, 8, keep, sizeof keep);
    if (options)
        put(&records, 10, options, (uint32_t)strlen(options) + 1);
    struct bytes all = by_hand(1, &records);
    int fd = memory_file(all.data, all.len);
    assert_int_equal(table_read(fd, &in, &message), 0);
    char *found = in.options ? strdup(in.options) : NULL;
    table_finish(&in);
    close(fd);
    bytes_finish(&all);
    bytes_finish(&records);
    return found;
}

static void expect_options(int64_t days, int64_t keep_bytes, const char *options,
                           const char *expected)
{
    char *found = options_of(days, keep_bytes, options);
    if (expected && found)
        assert_string_equal(found, expected);
    else
        assert_ptr_equal(found, expected);
    free(found);
}

static void what_an_older_version_was_told_to_keep_is_kept(void **state)
{
    const int64_t usual = 4294967296;
    (void)state;
    expect_options(365, 21474836480, NULL, "keep_days=365\nkeep_bytes=21474836480\n");
    expect_options(0, usual, NULL, "keep_days=0\n");
    expect_options(90, 500, NULL, "keep_bytes=500\n");
    expect_options(90, usual, NULL, NULL); /* nobody said so: the file may */
    expect_options(365, usual, "notify_after=30\n", "notify_after=30\n");
}

static void what_must_be_understood_is_refused(void **state)
{
    struct bytes records = beginning();
    (void)state;
    struct bytes all = by_hand(1, &records);
    assert_false(is_refused(all.data, all.len, NULL));
    bytes_finish(&all);
    all = by_hand(2, &records);
    assert_true(is_refused(all.data, all.len, "version 2"));
    bytes_finish(&all);
    put(&records, 0x80000000u | 7, "needed", 6);
    all = by_hand(1, &records);
    assert_true(is_refused(all.data, all.len, "does not know (7)"));
    bytes_finish(&all);
    bytes_finish(&records);
}

static void no_more_shells_than_there_are_places(void **state)
{
    struct table out = small_table(), in;
    char *message = NULL;
    (void)state;
    out.count = LIMIT_SESSIONS + 1;
    out.shells = calloc((size_t)out.count, sizeof *out.shells);
    for (int i = 0; i < out.count; i++) {
        out.shells[i] = three_shells[0];
        snprintf(out.shells[i].name, sizeof out.shells[i].name, "s%d", i);
    }
    int fd = table_write(&out);
    assert_int_equal(table_read(fd, &in, &message), -1);
    assert_non_null(strstr(message, "more than"));
    free(message);
    close(fd);
    out.count--;
    fd = table_write(&out);
    assert_int_equal(table_read(fd, &in, &message), 0);
    assert_int_equal(in.count, LIMIT_SESSIONS);
    assert_string_equal(in.shells[LIMIT_SESSIONS - 1].name, "s999");
    table_finish(&in);
    free(out.shells);
    close(fd);
}

/* ---- the trial ---- */

struct tried {
    enum trial_state state;
    char version[32], why[256];
};

/* Tries a file until it is known what comes of it; without `patience` that is at once too late. */
static struct tried try(int program, bool patience)
{
    struct table table = small_table();
    struct tried tried = {0};
    struct trial trial = {0};
    int fd = table_write(&table), status;
    assert_int_equal(trial_begin(&trial, program, fd, clock_monotonic_ms()), 0);
    trial.deadline += patience ? 0 : -LIMIT_UPGRADE_TRY_MS;
    pid_t pid = trial.pid;
    do {
        poll(&(struct pollfd){.fd = trial.answer, .events = POLLIN}, 1, 10);
        bool gone = waitpid(pid, &status, WNOHANG) == pid;
        tried.state = trial_look(&trial, gone ? &status : NULL, clock_monotonic_ms(), tried.version,
                                 tried.why);
    } while (tried.state == TRIAL_GOES_ON);
    trial_end(&trial);
    waitpid(pid, NULL, 0);
    assert_int_equal(trial.pid, 0);
    close(fd);
    close(program);
    return tried;
}

static int script(const char *text)
{
    char path[] = "/tmp/ptyd-trial-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd); /* what is open for writing cannot be executed */
    fd = open(path, O_PATH | O_CLOEXEC);
    unlink(path);
    return fd;
}

static void only_who_has_read_the_table_will_do(void **state)
{
    (void)state;
    struct tried t = try(open("/bin/false", O_PATH | O_CLOEXEC), true);
    assert_int_equal(t.state, TRIAL_FAILED);
    assert_non_null(strstr(t.why, "ended with status 1"));
    t = try(script("#!/bin/sh\nkill -SEGV $$\n"), true);
    assert_int_equal(t.state, TRIAL_FAILED);
    assert_non_null(strstr(t.why, "signal 11"));
    t = try(script("#!/bin/sh\necho ptyd-table ok 1234 9.9.9\nread x\n"), true);
    assert_int_equal(t.state, TRIAL_FAILED);
    assert_non_null(strstr(t.why, "not what a ptyd says"));
    t = try(script("#!/bin/sh\necho ptyd-table no the moon is full\n"), true);
    assert_int_equal(t.state, TRIAL_FAILED);
    assert_string_equal(t.why, "the moon is full");
    t = try(script("no program at all\n"), true);
    assert_int_equal(t.state, TRIAL_FAILED);
    assert_non_null(strstr(t.why, "cannot be executed"));
    t = try(script("#!/bin/sh\nsleep 100\n"), false);
    assert_int_equal(t.state, TRIAL_FAILED);
    assert_non_null(strstr(t.why, "no answer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(every_damage_is_refused),
        cmocka_unit_test(a_later_versions_records_are_read),
        cmocka_unit_test(what_an_older_version_lacks_is_zero),
        cmocka_unit_test(what_an_older_version_was_told_to_keep_is_kept),
        cmocka_unit_test(what_must_be_understood_is_refused),
        cmocka_unit_test(no_more_shells_than_there_are_places),
        cmocka_unit_test(only_who_has_read_the_table_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
