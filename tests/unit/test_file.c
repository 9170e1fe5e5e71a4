/* Files that are written to while there is no room. */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/core/file.h"

static char place[] = "/tmp/ptyd-file-XXXXXX";
static char path[64];

/* So many bytes may be in a file: a write beyond them is short, then none. */
static void set_room(rlim_t bytes)
{
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}), 0);
}

static void expect_content(const char *expected)
{
    struct bytes out = {0};
    assert_int_equal(file_read(path, 1 << 20, &out), 0);
    assert_string_equal(out.len ? out.data : "", expected);
    bytes_finish(&out);
}

static void write_file(const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_line_is_appended_whole_or_not_at_all(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(file_append_line(path, "{\"a\":1}"), 8);
    set_room(12);
    assert_int_equal(file_append_line(path, "{\"b\":2}"), -EFBIG);
    expect_content("{\"a\":1}\n");
    set_room(RLIM_INFINITY);
    assert_int_equal(file_append_line(path, "{\"c\":3}"), 16);
    expect_content("{\"a\":1}\n{\"c\":3}\n");
}

static void half_a_line_spoils_none_behind_it(void **state)
{
    (void)state;
    write_file("{\"a\":1}\n{\"b\":");
    assert_int_equal(file_append_line(path, "{\"c\":3}"), 22);
    expect_content("{\"a\":1}\n{\"b\":\n{\"c\":3}\n");
    write_file("{\"b\":");
    set_room(8); /* for the line end, not for the line */
    assert_int_equal(file_append_line(path, "{\"c\":3}"), -EFBIG);
    set_room(RLIM_INFINITY);
    expect_content("{\"b\":");
}

/* Between them the file stays open; what was not written leaves no trace. */
static void several_lines_are_appended_each_whole_or_not_at_all(void **state)
{
    struct file_lines lines;
    (void)state;
    write_file("{\"a\":");
    assert_int_equal(file_lines_open(&lines, path), 0);
    assert_int_equal(file_lines_append(&lines, "{\"b\":2}"), 14);
    assert_int_equal(file_lines_append(&lines, "{\"c\":3}"), 22);
    set_room(25);
    assert_int_equal(file_lines_append(&lines, "{\"d\":4}"), -EFBIG);
    expect_content("{\"a\":\n{\"b\":2}\n{\"c\":3}\n");
    set_room(RLIM_INFINITY);
    assert_int_equal(file_lines_append(&lines, "{\"e\":5}"), 30);
    assert_int_equal(file_lines_append(&lines, "{\"f\":6}"), 38);
    file_lines_close(&lines);
    expect_content("{\"a\":\n{\"b\":2}\n{\"c\":3}\n{\"e\":5}\n{\"f\":6}\n");
    assert_int_equal(file_lines_open(&lines, "/tmp/no/such/directory/file"), -ENOENT);
}

static void half_a_line_is_cut_away(void **state)
{
    static char line[9001];
    (void)state;
    unlink(path);
    file_cut_half_line(path);
    write_file("");
    file_cut_half_line(path);
    expect_content("");
    write_file("{\"a\":1}\n{\"b\":2}\n");
    file_cut_half_line(path);
    expect_content("{\"a\":1}\n{\"b\":2}\n");
    write_file("{\"a\":1}\n{\"b\":");
    file_cut_half_line(path);
    expect_content("{\"a\":1}\n");
    memset(line, 'x', sizeof line - 1);
    line[0] = '\n';
    write_file(line);
    file_cut_half_line(path);
    expect_content("\n");
    line[0] = 'x';
    write_file(line);
    file_cut_half_line(path);
    expect_content("");
}

static void what_cannot_be_opened_keeps_its_content_elsewhere(void **state)
{
    char *away = NULL;
    struct stat st;
    (void)state;
    unlink(path);
    assert_int_equal(file_set_aside(path, O_NOFOLLOW, &away), 0);
    write_file("sound");
    assert_int_equal(file_set_aside(path, O_NOFOLLOW, &away), 0);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(file_set_aside(path, O_NOFOLLOW, &away), 1);
    assert_int_equal(lstat(path, &st), -1);
    assert_int_equal(rmdir(away), 0);
    free(away);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(file_set_aside(path, O_NOFOLLOW, &away), 1);
    assert_int_equal(unlink(away), 0);
    free(away);
}

static int make_place(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    if (!mkdtemp(place))
        return -1;
    snprintf(path, sizeof path, "%s/file", place);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(place);
}

static void a_secret_is_its_owners_alone(void **state)
{
    (void)state;
    struct stat st;
    char link[sizeof path + 4];
    unlink(path);
    mode_t mask = umask(0);
    assert_int_equal(file_make_secret(path, "key\n", 4), 0);
    umask(mask);
    expect_content("key\n");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_false(file_others_may(path));
    assert_int_equal(file_make_secret(path, "x", 1), -EEXIST);
    expect_content("key\n");
    assert_int_equal(chmod(path, 0640), 0);
    assert_true(file_others_may(path));
    unlink(path);
    snprintf(link, sizeof link, "%s.ln", path);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(file_make_secret(link, "x", 1), -EEXIST);
    assert_int_equal(unlink(link), 0);
    assert_false(file_others_may(path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_appended_whole_or_not_at_all),
        cmocka_unit_test(half_a_line_spoils_none_behind_it),
        cmocka_unit_test(several_lines_are_appended_each_whole_or_not_at_all),
        cmocka_unit_test(half_a_line_is_cut_away),
        cmocka_unit_test(what_cannot_be_opened_keeps_its_content_elsewhere),
        cmocka_unit_test(a_secret_is_its_owners_alone),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
