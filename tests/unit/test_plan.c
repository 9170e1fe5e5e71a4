/* What is planned for a shell where not everything can be written. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/core/text.h"
#include "ptyd/start/plan.h"

static void bash_starts_without_its_file(void **state)
{
    (void)state;
    char place[] = "/tmp/ptyd-plan-XXXXXX";
    assert_non_null(mkdtemp(place));
    char *taken = text_format("%s/one.bash", place);
    assert_int_equal(mkdir(taken, 0700), 0);
    struct plan plan;
    struct plan_request request = {.shell = "/bin/bash", .runtime = place, .shell_id = "one"};
    assert_int_equal(plan_shell(&request, &plan), 0);
    assert_string_equal(plan.argv[0], "bash");
    assert_non_null(strstr(plan.script.data, taken));
    assert_string_equal(plan.file, taken);
    plan_make_file(plan.file);
    plan_finish(&plan);
    assert_int_equal(rmdir(taken), 0);
    assert_int_equal(rmdir(place), 0);
    free(taken);
}

/* Whatever the shell's umask, when it was faster. */
static void bash_has_a_private_file(void **state)
{
    (void)state;
    struct stat st;
    char place[] = "/tmp/ptyd-plan-XXXXXX";
    assert_non_null(mkdtemp(place));
    char *file = text_format("%s/one.bash", place);
    for (int made = 0; made < 2; made++) {
        plan_make_file(file);
        assert_int_equal(stat(file, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        assert_int_equal(chmod(file, 0444), 0);
    }
    plan_remove_files(place, "one");
    assert_int_equal(rmdir(place), 0);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bash_starts_without_its_file),
        cmocka_unit_test(bash_has_a_private_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
