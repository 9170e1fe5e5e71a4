/* Names that sessions are given: what is kept of them, and what becomes of a file that is damaged.
 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/names.h"
#include "ptyd/core/text.h"

static char state[64], file[96];

static int in_state(void **unused)
{
    (void)unused;
    strcpy(state, "/tmp/ptyd-names-XXXXXX");
    if (!mkdtemp(state))
        return -1;
    snprintf(file, sizeof file, "%s/names.json", state);
    return 0;
}

static int gone(void **unused)
{
    char command[96];
    (void)unused;
    snprintf(command, sizeof command, "rm -rf %s", state);
    return system(command);
}

static void write_file(const char *text)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_given_and_taken(void **unused)
{
    (void)unused;
    struct names *n = names_open(state, true);
    assert_string_equal(names_own(n, "work"), "work");
    assert_null(names_given(n, "work"));
    assert_int_equal(names_give(n, "work", NULL), 0); /* it had none */
    assert_int_equal(names_give(n, "work", "deploy"), 0);
    assert_int_equal(names_give(n, "term-3", "logs"), 0);
    assert_int_equal(names_give(n, "work", "release"), 0);
    assert_string_equal(names_own(n, "deploy"), "deploy");
    assert_string_equal(names_own(n, "release"), "work");
    names_close(n);

    n = names_open(state, false); /* another process */
    assert_string_equal(names_given(n, "work"), "release");
    assert_string_equal(names_own(n, "logs"), "term-3");
    assert_int_equal(names_give(n, "work", NULL), 0);
    assert_null(names_given(n, "work"));
    assert_string_equal(names_own(n, "release"), "release");
    assert_string_equal(names_own(n, "logs"), "term-3");
    names_close(n);
}

static void test_damaged(void **unused)
{
    static const char *const damaged[] = {
        "",
        "{",
        "[]",
        "{\"names\":[]}",
        "{\"names\":{\"a\":1}}",
        "{\"names\":{\"a/b\":\"work\"}}",
        "{\"names\":{\"a\":\"../work\"}}",
        "{\"names\":{\"a\":\"work\",\"a\":\"other\"}}",
    };
    (void)unused;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        write_file(damaged[i]);
        assert_int_equal(names_check(file), -EBADMSG);
        names_close(names_open(state, false)); /* who only reads leaves it where it is */
        assert_int_equal(access(file, F_OK), 0);
        struct names *n = names_open(state, true);
        assert_string_equal(names_own(n, "a"), "a");
        assert_int_equal(access(file, F_OK), -1);
        names_close(n);
    }
    assert_int_equal(names_check(file), -ENOENT);
}

/* It is nobody's fault but the reader's: the names are there again when it has a descriptor. */
static void test_no_descriptor_left(void **unused)
{
    static const char names[] = "{\"version\":1,\"names\":{\"deploy\":\"work\"}}";
    struct rlimit many, none = {0};
    (void)unused;
    write_file(names);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &many), 0);
    none.rlim_max = many.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct names *n = names_open(state, true);
    assert_string_equal(names_own(n, "deploy"), "deploy");
    assert_int_equal(names_give(n, "term-3", "logs"), -EMFILE);
    assert_int_equal(names_give(n, "work", NULL), -EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &many), 0);
    assert_int_equal(access(file, F_OK), 0);
    assert_string_equal(names_own(n, "deploy"), "work");
    assert_int_equal(names_give(n, "term-3", "logs"), 0);
    names_close(n);
    n = names_open(state, true);
    assert_string_equal(names_given(n, "work"), "deploy");
    assert_string_equal(names_given(n, "term-3"), "logs");
    names_close(n);
    assert_int_equal(unlink(file), 0);
}

/* Nor is it when the disk cannot tell, first or behind that; what is damaged is set aside then. */
static void test_nothing_is_known_of_it(void **unused)
{
    static const char names[] = "{\"version\":1,\"names\":{\"deploy\":\"work\"}}";
    char away[96];
    (void)unused;
    snprintf(away, sizeof away, "%s.away", state);
    write_file(names);
    assert_int_equal(rename(state, away), 0);
    close(creat(state, 0600)); /* what should be a directory is none: ENOTDIR */
    struct names *n = names_open(state, true);
    assert_string_equal(names_own(n, "deploy"), "deploy");
    assert_int_equal(names_give(n, "term-3", "logs"), -ENOTDIR);
    assert_int_equal(unlink(state), 0);
    assert_int_equal(rename(away, state), 0);
    assert_int_equal(names_give(n, "term-3", "logs"), 0);
    assert_string_equal(names_own(n, "deploy"), "work");
    names_close(n);

    struct rlimit many, none = {0};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &many), 0);
    none.rlim_max = many.rlim_max;
    write_file("{");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    n = names_open(state, true);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &many), 0);
    assert_int_equal(names_give(n, "term-3", "logs"), 0);
    names_close(n);
    assert_int_equal(names_check(file), 0);
    snprintf(away, sizeof away, "ls %s/names.json.?* >/dev/null", state);
    assert_int_equal(system(away), 0);
    assert_int_equal(unlink(file), 0);
}

static void test_what_cannot_be_written(void **unused)
{
    (void)unused;
    struct names *n = names_open(state, true);
    assert_int_equal(names_give(n, "work", "deploy"), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(state), 0);
    assert_true(names_give(n, "work", "release") < 0);
    assert_string_equal(names_given(n, "work"), "deploy");
    assert_string_equal(names_own(n, "release"), "release");
    names_close(n);
    assert_int_equal(mkdir(state, 0700), 0);
}

/* The file holds as many as there may be, which is quicker than to give them one by one. */
static void test_so_many(void **unused)
{
    (void)unused;
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs("{\"version\":1,\"names\":{", f);
    for (int i = 0; i < LIMIT_NAMES; i++)
        fprintf(f, "%s\"n%063d\":\"s%063d\"", i ? "," : "", i, i);
    fputs("}}", f);
    fclose(f);
    struct names *n = names_open(state, true);
    char own[LIMIT_NAME_BYTES + 1];
    snprintf(own, sizeof own, "s%063d", LIMIT_NAMES - 1);
    assert_string_equal(names_given(n, own) + 1, own + 1);
    assert_int_equal(names_give(n, "one-more", "than-that"), -E2BIG);
    assert_int_equal(names_give(n, own, "another"), 0);
    names_close(n);
}

/* Of all that there is what may have been meant by what there is not; NULL: nothing. */
static void test_names_that_were_meant(void **unused)
{
    static const char *const there[] = {"run",  "blocks",     "status",  "screen", "scrollback",
                                        "send", "completion", "work",    "db1",    "x",
                                        "ab",   "F1",         "upgrade", "rename", "explain"};
    static const char *const typed[][2] = {
        {"rn", "run"},
        {"runn", "run"},
        {"rnu", "run"},
        {"block", "blocks"},
        {"blokcs", "blocks"},
        {"stauts", "status"},
        {"statsu", "status"},
        {"scren", "screen"},
        {"scroolback", "scrollback"},
        {"scrolback", "scrollback"},
        {"sent", "send"},
        {"complation", "completion"},
        {"wrok", "work"},
        {"db2", "db1"},
        {"Upgrade", "upgrade"},
        {"WORK", "work"},
        {"WROK", "work"},
        {"DB1", "db1"},
        {"f12", "F1"},
        {"renaem", "rename"},
        {"explian", "explain"},
        {"xeplian", "explain"},
        {"F12", "F1"},
        /* As far away as they are long, or about nothing. */
        {"Foo", NULL},
        {"y", NULL},
        {"cd", NULL},
        {"ls", NULL},
        {"fo", NULL},
        {"walk", NULL},
        {"stop", NULL},
        {"read", NULL},
        {"help", NULL},
        {"install", NULL},
        {"screenshot", NULL},
        {"hippopotamus", NULL},
        {"", NULL},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        struct text_nearest nearest = text_nearest_begin(typed[i][0]);
        for (size_t k = 0; k < sizeof there / sizeof *there; k++)
            text_nearest_offer(&nearest, there[k]);
        const char *found = nearest.found ? nearest.found : "", *wanted = typed[i][1];
        if (strcmp(found, wanted ? wanted : "") != 0)
            fail_msg("by '%s' was meant '%s'", typed[i][0], found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_that_were_meant),
        cmocka_unit_test_setup_teardown(test_given_and_taken, in_state, gone),
        cmocka_unit_test_setup_teardown(test_damaged, in_state, gone),
        cmocka_unit_test_setup_teardown(test_no_descriptor_left, in_state, gone),
        cmocka_unit_test_setup_teardown(test_nothing_is_known_of_it, in_state, gone),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_written, in_state, gone),
        cmocka_unit_test_setup_teardown(test_so_many, in_state, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
