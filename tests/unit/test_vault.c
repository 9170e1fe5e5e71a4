/* What shells were started with, beyond the death of whoever kept it. A process to come is this
 * one, which opens the same memory again. */
#define _GNU_SOURCE
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/vault.h"

#define ENV  "HOME=/x\0TOKEN=abc"
#define MOST (2 * LIMIT_SESSIONS) /* the shells of all sessions, and as many that were replaced */

static int memory = -1;

static int begin(void **state)
{
    (void)state;
    memory = vault_create_fd();
    assert_true(memory >= 0);
    vault_open(dup(memory));
    return 0;
}

static int end(void **state)
{
    (void)state;
    vault_open(-1);
    close(memory);
    return 0;
}

/* The process dies, and another comes. */
static void die(void)
{
    vault_open(-1);
    vault_open(dup(memory));
}

static void expect_kept(const char *id, const char *environment, size_t len)
{
    struct bytes got = {0};
    bytes_append_text(&got, "before ");
    assert_true(vault_get(id, &got));
    assert_int_equal(got.len, 7 + len);
    assert_memory_equal(got.data, "before ", 7);
    assert_memory_equal(got.data + 7, environment, len);
    bytes_finish(&got);
}

static void expect_none(const char *id)
{
    struct bytes got = {0};
    assert_false(vault_get(id, &got));
    assert_int_equal(got.len, 0);
    bytes_finish(&got);
}

static long long memory_used(void)
{
    struct stat st;
    assert_int_equal(fstat(memory, &st), 0);
    return (long long)st.st_blocks * 512;
}

/* Writes over what stands where the table has that shell, and `from` bytes behind. */
static void damage(const char *id, size_t from, const void *bytes, size_t len)
{
    static char table[1 << 20];
    ssize_t n = pread(memory, table, sizeof table, 0);
    const char *at = n > 0 ? memmem(table, (size_t)n, id, strlen(id) + 1) : NULL;
    assert_non_null(at);
    assert_int_equal(pwrite(memory, bytes, len, at - table + (off_t)from), len);
}

/* ---- what is kept ---- */

static void what_was_put_is_found(void **state)
{
    (void)state;
    expect_none("shell_1");
    vault_put("shell_1", ENV, sizeof ENV);
    vault_put("shell_2", "A=1", 4);
    expect_kept("shell_1", ENV, sizeof ENV);
    expect_kept("shell_2", "A=1", 4);
    vault_put("shell_1", "B=2", 4); /* anew */
    expect_kept("shell_1", "B=2", 4);
    expect_none("shell_");
    expect_none("");
}

static void another_process_finds_it(void **state)
{
    (void)state;
    vault_put("shell_1", ENV, sizeof ENV);
    vault_put("shell_2", "A=1", 4);
    die();
    expect_kept("shell_1", ENV, sizeof ENV);
    vault_drop("shell_1");
    die();
    expect_none("shell_1");
    expect_kept("shell_2", "A=1", 4);
}

static void what_is_dropped_takes_no_memory(void **state)
{
    (void)state;
    char *large = calloc(1, LIMIT_ENVIRONMENT_BYTES);
    assert_non_null(large);
    vault_put("shell_1", ENV, sizeof ENV);
    long long before = memory_used();
    vault_put("shell_2", large, LIMIT_ENVIRONMENT_BYTES);
    expect_kept("shell_2", large, LIMIT_ENVIRONMENT_BYTES);
    assert_true(memory_used() >= before + LIMIT_ENVIRONMENT_BYTES);
    vault_drop("shell_2");
    assert_int_equal(memory_used(), before);
    vault_drop("shell_2");
    expect_kept("shell_1", ENV, sizeof ENV);
    free(large);
}

static bool is_even(void *user, const char *id)
{
    ++*(int *)user;
    return (id[strlen(id) - 1] - '0') % 2 == 0;
}

static void who_does_not_stay_is_swept(void **state)
{
    (void)state;
    static const char *const ids[] = {"shell_1", "shell_2", "shell_3", "shell_4"};
    int asked = 0;
    for (int i = 0; i < 4; i++)
        vault_put(ids[i], ids[i], strlen(ids[i]));
    die();
    vault_sweep(is_even, &asked);
    assert_int_equal(asked, 4);
    die();
    expect_none("shell_1");
    expect_kept("shell_2", "shell_2", 7);
    expect_none("shell_3");
    expect_kept("shell_4", "shell_4", 7);
}

/* ---- what is not ---- */

static void where_there_is_none_nothing_is_kept(void **state)
{
    (void)state;
    vault_put("shell_1", ENV, sizeof ENV);
    vault_open(-1);
    expect_none("shell_1");
    vault_put("shell_1", ENV, sizeof ENV);
    expect_none("shell_1");
    vault_drop("shell_1");
}

/* The former one is not found in its place, either. */
static void one_too_large_is_not_kept(void **state)
{
    (void)state;
    char *large = calloc(1, LIMIT_ENVIRONMENT_BYTES + 1);
    assert_non_null(large);
    vault_put("shell_1", ENV, sizeof ENV);
    vault_put("shell_1", large, LIMIT_ENVIRONMENT_BYTES + 1);
    expect_none("shell_1");
    free(large);
}

static void a_full_one_keeps_what_it_has(void **state)
{
    (void)state;
    char id[32];
    for (int i = 0; i < MOST; i++) {
        snprintf(id, sizeof id, "shell_%d", i);
        vault_put(id, id, strlen(id));
    }
    vault_put("shell_more", ENV, sizeof ENV);
    expect_none("shell_more");
    die();
    snprintf(id, sizeof id, "shell_%d", MOST - 1);
    expect_kept("shell_0", "shell_0", 7);
    expect_kept(id, id, strlen(id));
    vault_drop("shell_7");
    vault_put("shell_more", ENV, sizeof ENV);
    die();
    expect_kept("shell_more", ENV, sizeof ENV);
    expect_kept("shell_8", "shell_8", 7);
}

/* ---- deaths and damage ---- */

/* It has written the environment and not that it is there, or taken that away and not the
 * environment. */
static void a_death_beside_the_entry_leaves_a_free_place(void **state)
{
    (void)state;
    static const char none[40];
    vault_put("shell_1", ENV, sizeof ENV);
    vault_put("shell_2", "A=1", 4);
    long long before = memory_used();
    damage("shell_1", 0, none, sizeof none);
    die();
    expect_none("shell_1");
    expect_kept("shell_2", "A=1", 4);
    vault_put("shell_3", "C=3", 4);
    expect_kept("shell_3", "C=3", 4);
    assert_int_equal(memory_used(), before); /* in that place */
}

static void a_damaged_entry_is_none(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {0, LIMIT_ENVIRONMENT_BYTES + 1, UINT64_MAX};
    char filled[32];
    memset(filled, 'x', sizeof filled);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        vault_put("shell_1", ENV, sizeof ENV);
        damage("shell_1", 32, &lengths[i], sizeof lengths[i]);
        die();
        expect_none("shell_1");
    }
    vault_put("shell_2", "A=1", 4);
    damage("shell_1", 0, filled, sizeof filled); /* which nothing ends */
    die();
    expect_none("shell_1");
    expect_kept("shell_2", "A=1", 4);
}

/* Its length says more than there is. */
static void half_of_one_is_none(void **state)
{
    (void)state;
    uint64_t more = 4096;
    vault_put("shell_1", ENV, sizeof ENV);
    damage("shell_1", 32, &more, sizeof more);
    die();
    expect_none("shell_1");
    assert_int_equal(ftruncate(memory, 100), 0); /* and half a table */
    die();
    expect_none("shell_1");
    vault_put("shell_2", "A=1", 4);
    expect_kept("shell_2", "A=1", 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_put_is_found),
        TEST(another_process_finds_it),
        TEST(what_is_dropped_takes_no_memory),
        TEST(who_does_not_stay_is_swept),
        TEST(where_there_is_none_nothing_is_kept),
        TEST(one_too_large_is_not_kept),
        TEST(a_full_one_keeps_what_it_has),
        TEST(a_death_beside_the_entry_leaves_a_free_place),
        TEST(a_damaged_entry_is_none),
        TEST(half_of_one_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
