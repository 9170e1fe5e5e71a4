/* What lies ready for the next session, and that nobody depends on it. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/session/spare.h"
#include "ptyd/start/plan.h"

static char place[] = "/tmp/ptyd-spare-XXXXXX";

static bool is_there(const char *name)
{
    char *path = text_format("%s/%s", place, name);
    bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

static void make_directory(const char *name)
{
    char *path = text_format("%s/%s", place, name);
    assert_int_equal(file_make_directory(path), 0);
    free(path);
}

static ino_t inode_of(const char *name)
{
    struct stat st;
    char *path = text_format("%s/%s", place, name);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 077, 0);
    free(path);
    return st.st_ino;
}

static void it_becomes_the_sessions(void **state)
{
    (void)state;
    spare_make(place, false);
    ino_t log = inode_of("spare/agent_pty/output.raw");
    spare_make(place, false); /* another worker's */
    assert_true(spare_take(place, "one"));
    assert_false(is_there("spare"));
    assert_int_equal(inode_of("conversations/one/agent_pty/output.raw"), log);
    assert_true(is_there("conversations/one/agent_pty/blocks"));
    assert_true(is_there("conversations/one/agent_pty/screen.jsonl"));
}

static void half_of_one_is_none(void **state)
{
    (void)state;
    make_directory("spare.new/agent_pty");
    assert_false(spare_take(place, "half"));
    spare_make(place, false);
    assert_true(is_there("spare/agent_pty/blocks"));
    assert_false(is_there("spare.new"));
    spare_remove(place);
}

static void who_has_a_directory_keeps_it(void **state)
{
    (void)state;
    make_directory("conversations/two");
    ino_t before = inode_of("conversations/two");
    spare_make(place, true);
    assert_false(is_there("spare/agent_pty/screen.jsonl"));
    assert_false(spare_take(place, "two"));
    assert_int_equal(inode_of("conversations/two"), before);
    assert_true(is_there("spare"));
}

static void without_one_nothing_is_made(void **state)
{
    (void)state;
    spare_remove(place);
    assert_false(is_there("spare"));
    assert_false(spare_take(place, "three"));
    assert_false(is_there("conversations/three"));
}

static void a_shell_has_its_file_from_there(void **state)
{
    (void)state;
    char *file = text_format("%s/shell_1.bash", place);
    plan_make_spare(place);
    ino_t spare = inode_of("spare.bash");
    plan_make_file(file);
    assert_int_equal(inode_of("shell_1.bash"), spare);
    plan_make_spare(place);
    plan_make_file(file); /* the shell was faster */
    assert_int_equal(inode_of("shell_1.bash"), spare);
    plan_remove_spare(place);
    assert_false(is_there("spare.bash"));
    free(file);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(place) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return file_remove_tree(AT_FDCWD, place, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_becomes_the_sessions),
        cmocka_unit_test(half_of_one_is_none),
        cmocka_unit_test(who_has_a_directory_keeps_it),
        cmocka_unit_test(without_one_nothing_is_made),
        cmocka_unit_test(a_shell_has_its_file_from_there),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
