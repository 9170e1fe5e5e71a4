/* ptyd.conf: what is read of it, what is said of lines that are wrong, and what then holds. */
#include "tests/unit/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "envelope/redact/redact.h"
#include "ptyd/core/conf.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

static char place[] = "/tmp/ptyd-conf-XXXXXX";
static char *path;

static int make_place(void **state)
{
    (void)state;
    if (!mkdtemp(place))
        return -1;
    setenv("XDG_CONFIG_HOME", place, 1);
    unsetenv("PTYD_DETACH_KEY");
    char *directory = text_format("%s/ptyd", place);
    path = text_format("%s/ptyd.conf", directory);
    mkdir(directory, 0700);
    free(directory);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    free(path);
    return file_remove_tree(AT_FDCWD, place, 3);
}

static void set(const char *text)
{
    assert_int_equal(file_replace(path, text, strlen(text)), 0);
}

/* What is said, a line each, without the file's name. */
static void expect_wrong(struct conf_file *file, const char *expected)
{
    char said[8192] = "";
    char *const *lines;
    conf_now(file);
    size_t count = conf_wrong(file, &lines);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(strncmp(lines[i], path, strlen(path)), 0);
        snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", lines[i] + strlen(path));
    }
    assert_string_equal(said, expected);
}

static void without_a_file_the_usual_holds(void **state)
{
    struct conf_file *file = conf_open();
    const struct conf *conf = conf_now(file);
    (void)state;
    assert_string_equal(conf_path(file), path);
    assert_int_equal(conf->keep_days, 90);
    assert_int_equal(conf->keep_bytes, 4LL << 30);
    assert_int_equal(conf->new_thread_lookback_ms, 15 * 60 * 1000);
    assert_int_equal(conf->context_max_bytes, 44000);
    assert_int_equal(conf->private_space, PRIVATE_SPACE_AUTO);
    assert_int_equal(conf->preview_kind, PREVIEW_APPLICATION);
    assert_int_equal(conf->private_commands.count, 0);
    assert_true(conf_leaves_out(conf, "codex", 5) && conf_leaves_out(conf, "ptyd", 4));
    assert_false(conf_leaves_out(conf, "code", 4));
    assert_string_equal(conf->detach_key, "C-\\ d");
    expect_wrong(file, "");
    conf_close(file);
}

static void values_are_read(void **state)
{
    struct conf_file *file = conf_open();
    (void)state;
    set("# a comment\n"
        "keep_days = 7\r\n"
        "  keep_bytes=20G\n"
        "new_thread_lookback: 2h\n"
        "context_max_bytes = 20000 ; a comment, too\n"
        "\n"
        "private_space = always\n"
        "private_commands = pass\n"
        "private_commands = *--password*\n"
        "untold_programs = aider, codex\n"
        "preview_kind = untrusted\n"
        "detach_key = C-a q");
    const struct conf *conf = conf_now(file);
    expect_wrong(file, "");
    assert_int_equal(conf->keep_days, 7);
    assert_int_equal(conf->keep_bytes, 20LL << 30);
    assert_int_equal(conf->new_thread_lookback_ms, 2 * 60 * 60 * 1000);
    assert_int_equal(conf->context_max_bytes, 20000);
    assert_int_equal(conf->private_space, PRIVATE_SPACE_ALWAYS);
    assert_int_equal(conf->preview_kind, PREVIEW_UNTRUSTED);
    assert_string_equal(conf->detach_key, "C-a q");
    assert_true(conf_leaves_out(conf, "aider", 5) && conf_leaves_out(conf, "codex", 5));
    assert_false(conf_leaves_out(conf, "claude", 6));
    unlink(path);
    assert_int_equal(conf_now(file)->keep_days, 90);
    assert_true(conf_leaves_out(conf_now(file), "claude", 6));
    conf_close(file);
}

/* ---- rules of what is secret ---- */

static void expect_redacted(const char *text, const char *expected, int expected_count)
{
    struct bytes out = {0};
    int count = redact_text(text, strlen(text), NULL, &out);
    bytes_append_char(&out, '\0');
    assert_string_equal(out.data, expected);
    assert_int_equal(count, expected_count);
    bytes_finish(&out);
}

static void count_line(void *user, const char *line)
{
    int *count = user;
    *count += strstr(line, ": redact = slow (a+)+$ takes too long: of ") != NULL;
}

static int met(const struct conf_file *file)
{
    int count = 0;
    conf_rules_met(file, count_line, &count);
    return count;
}

static void rules_say_what_is_secret_and_what_is_none(void **state)
{
    (void)state;
    struct conf_file *file = conf_open();
    conf_use_rules(file);
    expect_redacted("CUST-1234", "CUST-1234", 0);
    set("redact = customer CUST-\\d{4}\n"
        "redact = badge badge \\K[a-z]+\n"
        "redact = line ^line$\n"
        "redact = size (?i)gr\xc3\xb6\xc3\x9f"
        "e\n"
        "redact_except = CUST-0{4}\n"
        "redact_except = ghp_0+\n");
    expect_wrong(file, "");
    expect_redacted("for CUST-1234, badge abc", "for [redacted:customer], badge [redacted:badge]",
                    2);
    expect_redacted("CUST-0000 cust-1234", "CUST-0000 cust-1234", 0);
    expect_redacted("line\na line\nline", "[redacted:line]\na line\n[redacted:line]", 2);
    expect_redacted("Gr\xc3\xb6\xc3\x9f"
                    "e",
                    "[redacted:size]", 1);
    expect_redacted("ghp_000000000000000000000000000000000000 x",
                    "ghp_000000000000000000000000000000000000 x", 0);
    expect_redacted("ghp_000000000000000000000000000000000001 x", "[redacted:github-token] x", 1);
    expect_redacted("a \xff CUST-1234 \xc3", "a \xff [redacted:customer] \xc3", 1);
    /* What shows nothing takes no part here, either. */
    expect_redacted("CUST\xe2\x80\x8b-1234.", "[redacted:customer].", 1);
    set("redact = all a.*b\nredact = empty x*\n");
    expect_redacted("a ghp_q1w2e3r4t5q1w2e3r4t5q1w2e3r4t5q1w2e3b4 y xx",
                    "[redacted:all] y "
                    "[redacted:empty]",
                    2);
    unlink(path);
    expect_redacted("a b", "a b", 0);
    redact_use(NULL);
    conf_close(file);
}

static void a_rule_that_is_none_is_named(void **state)
{
    (void)state;
    struct conf_file *file = conf_open();
    set("redact = name\nredact = n (\nredact = \xc3\xa4 a\nredact_except = (\n"
        "redact_except =\nredact = abcdefghijklmnopqrstuvwxyz0123456 a\nredact = good a\n");
    expect_wrong(file,
                 ":1: redact is 'name'; expected NAME REGEX; the name has letters, digits and "
                 "_ . -\n"
                 ":2: redact is 'n ('; expected a regular expression (missing closing "
                 "parenthesis, at character 2)\n"
                 ":3: redact is '\xc3\xa4 a'; expected NAME REGEX; the name has letters, "
                 "digits and _ . -\n"
                 ":4: redact_except is '('; expected a regular expression (missing closing "
                 "parenthesis, at character 2)\n"
                 ":5: redact_except is ''; expected a regular expression\n"
                 ":6: redact is 'abcdefghijklmnopqrstuvwxyz0123456 a'; expected NAME REGEX; "
                 "the name has letters, digits and _ . -\n");
    conf_use_rules(file);
    expect_redacted("banana", "b[redacted:good]n[redacted:good]n[redacted:good]", 3);
    redact_use(NULL);
    conf_close(file);
}

/* A line on which a bound is met is taken out, others are not, and it is said until the rules are
 * others. Texts that would take longer than there is time are taken out from there on. */
static void a_rule_that_takes_for_ever_takes_the_line(void **state)
{
    (void)state;
    static char text[1 << 16];
    struct conf_file *file = conf_open();
    conf_use_rules(file);
    set("redact = slow (a+)+$\n");
    memset(text, 'a', 3000);
    memcpy(text, "b c\n", 4);
    memcpy(text + 3000 - 6, "c\nd d", 6);
    assert_int_equal(met(file), 0);
    expect_redacted(text, "b c\n[redacted:slow]\nd d", 1);
    assert_int_equal(met(file), 1);
    set("redact = slow (a+)+$\n\n");
    expect_redacted("b", "b", 0);
    assert_int_equal(met(file), 1);
    set("redact_except = .*|(a+)+$\n");
    expect_redacted("password=hunter2hunter2", "password=hunter2hunter2", 0);
    assert_int_equal(met(file), 0);
    set("redact = slow (a+)+$\n");
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = i % 100 == 99 ? '\n' : i % 100 == 98 ? 'c' : 'a';
    struct bytes out = {0};
    assert_true(redact_text(text, sizeof text - 1, NULL, &out) > 0);
    assert_true(out.len < sizeof text / 4);
    bytes_append_char(&out, '\0');
    assert_null(strstr(out.data, "aa"));
    bytes_finish(&out);
    redact_use(NULL);
    conf_close(file);
}

static void a_pattern_is_a_command_with_or_without_more(void **state)
{
    struct conf_file *file = conf_open();
    (void)state;
    set("private_commands = pass\nprivate_commands = *--password*\nprivate_commands = "
        "git-crypt*\n");
    const struct conf *conf = conf_now(file);
    static const char *const private[] = {"pass",           "pass show x",           "  pass\tls",
                                          "pass a\npass b", "mysql --password=1 db", "git-crypt",
                                          "git-crypt/x y"};
    static const char *const not_private[] = {"passwd", "echo pass", "", "git crypt"};
    for (size_t i = 0; i < sizeof private / sizeof *private; i++)
        if (!conf_keeps_private(conf, private[i]))
            fail_msg("'%s' is not private", private[i]);
    for (size_t i = 0; i < sizeof not_private / sizeof *not_private; i++)
        if (conf_keeps_private(conf, not_private[i]))
            fail_msg("'%s' is private", not_private[i]);
    conf_close(file);
}

static void quotes_around_a_list_s_value_are_not_taken_for_a_part_of_it(void **state)
{
    struct conf_file *file = conf_open();
    (void)state;
    set("private_commands = \"pass show\"\n"
        "untold_programs = 'mytool'\n"
        "private_commands = \"/opt/my tool/x\" *\n");
    expect_wrong(file, ":1: private_commands is '\"pass show\"'; expected commands as they are, "
                       "without quotes around them\n"
                       ":2: untold_programs is ''mytool''; expected names as they are, without "
                       "quotes around them\n");
    assert_true(conf_keeps_private(conf_now(file), "\"/opt/my tool/x\" --help"));
    conf_close(file);
}

static void a_remark_behind_a_value_is_said(void **state)
{
    struct conf_file *file = conf_open();
    (void)state;
    set("private_commands = pass  # mail\n"
        "untold_programs = mytool #mine\n"
        "redact = ticket [A-Z]{4}-[0-9]{6} # ours\n"
        "keep_days = 8 # a week\n"
        "private_commands = gpg ; and this is one\n"
        "private_commands = * \\#secret\n"
        "private_commands = nix run nixpkgs#*\n"
        "private_commands = show issue #1*\n"
        "detach_key = C-a #\n");
#define REMARK "# begins no comment there, ; does; \\# is a # that is meant\n"
    expect_wrong(file, ":1: private_commands is 'pass  # mail': " REMARK
                       ":2: untold_programs is 'mytool #mine': " REMARK
                       ":3: redact is 'ticket [A-Z]{4}-[0-9]{6} # ours': " REMARK
                       ":4: keep_days is '8 # a week'; expected a whole number from 0 to 36500\n");
    const struct conf *conf = conf_now(file);
    assert_true(conf_keeps_private(conf, "gpg -d x"));
    assert_true(conf_keeps_private(conf, "make x #secret"));
    assert_true(conf_keeps_private(conf, "nix run nixpkgs#hello"));
    assert_true(conf_keeps_private(conf, "show issue #12"));
    assert_true(conf_keeps_private(conf, "pass  # mail")); /* as it stands */
    assert_false(conf_keeps_private(conf, "pass show x"));
    assert_string_equal(conf->detach_key, "C-a #");
    conf_close(file);
}

static void a_wrong_line_is_named_and_what_held_before_holds(void **state)
{
    struct conf_file *file = conf_open();
    (void)state;
    set("keep_days = 7\ncontext_max_bytes = 20000\n");
    conf_now(file);
    set("keep_day = 8\n"
        "keep_days = many\n"
        "context_max_bytes = 7999\n"
        "preview_kind = bogus\n"
        "new_thread_lookback = 15 minutes\n"
        "detach_key = x\n"
        "keep_bytes = 1G\n"
        "keep_bytes = 2G\n"
        "nothing like it = 1\n"
        "[section]\n"
        "keep_days = 9\n");
    expect_wrong(
        file,
        ":1: there is no setting keep_day; did you mean keep_days?\n"
        ":2: keep_days is 'many'; expected a whole number from 0 to 36500\n"
        ":3: context_max_bytes is '7999'; expected a number of bytes from 8000 to 44000, like "
        "20000, 500M or 4G\n"
        ":4: preview_kind is 'bogus'; expected application or untrusted\n"
        ":5: new_thread_lookback is '15 minutes'; expected a time like 90s, 15m, 2h or 7d, at most "
        "31d\n"
        ":6: detach_key is 'x'; expected Ctrl and a character, then a character, like `C-\\ d', or "
        "none\n"
        ":8: keep_bytes stands in line 7 already\n"
        ":9: there is no setting nothing like it\n"
        ":11: settings stand in no section, and this is in [section]\n");
    const struct conf *conf = conf_now(file);
    assert_int_equal(conf->keep_days, 7);
    assert_int_equal(conf->context_max_bytes, 20000);
    assert_int_equal(conf->keep_bytes, 1LL << 30);
    assert_int_equal(conf->preview_kind, PREVIEW_APPLICATION);
    set("keep_days = 8\nwhat is this\n");
    expect_wrong(file, ":2: expected NAME = VALUE, or # in front of a comment\n");
    assert_int_equal(conf_now(file)->keep_days, 8);
    assert_int_equal(conf_now(file)->context_max_bytes, 44000); /* its line is gone */
    conf_close(file);
}

static void a_file_that_is_none_changes_nothing(void **state)
{
    struct conf_file *file = conf_open();
    char *large = memory_new(LIMIT_CONF_BYTES + 2);
    (void)state;
    set("keep_days = 7\n");
    conf_now(file);
    memset(large, '\n', LIMIT_CONF_BYTES + 1);
    set(large);
    expect_wrong(file, ": it is larger than 65536 bytes; nothing of it is read\n");
    assert_int_equal(conf_now(file)->keep_days, 7);
    unlink(path);
    mkfifo(path, 0600); /* nobody waits for a writer */
    expect_wrong(file, ": it cannot be read: it is no file\n");
    assert_int_equal(conf_now(file)->keep_days, 7);
    unlink(path);
    mkdir(path, 0700);
    expect_wrong(file, ": it cannot be read: it is no file\n");
    rmdir(path);
    expect_wrong(file, "");
    free(large);
    conf_close(file);
}

static void long_lines_and_bytes_that_are_no_text_are_wrong(void **state)
{
    struct conf_file *file = conf_open();
    char text[1024] = "private_commands = ";
    (void)state;
    memset(text + strlen(text), 'x', 500);
    strcat(text, "\nkeep_days = 3\n");
    set(text);
    char *const *lines;
    assert_int_equal(conf_now(file)->keep_days, 3);
    assert_int_equal(conf_wrong(file, &lines), 1);
    assert_non_null(strstr(lines[0], ":1: the line has more than"));
    assert_int_equal(file_replace(path, "keep_days = 4\nkeep_\0days = 5\n", 29), 0);
    expect_wrong(file, ":2: the line has bytes that are no text\n");
    assert_int_equal(conf_now(file)->keep_days, 4);
    unlink(path);
    conf_close(file);
}

static void more_is_wrong_than_is_said(void **state)
{
    struct conf_file *file = conf_open();
    struct bytes text = {0};
    char *const *lines;
    (void)state;
    for (int i = 0; i < LIMIT_CONF_WRONG + 7; i++)
        bytes_append_text(&text, "x = 1\n");
    set(text.data);
    conf_now(file);
    size_t count = conf_wrong(file, &lines);
    assert_int_equal(count, LIMIT_CONF_WRONG + 1);
    assert_non_null(strstr(lines[count - 1], ": and 7 more lines are wrong"));
    assert_true(conf_wrong_anew(file));
    conf_now(file);
    assert_false(conf_wrong_anew(file));
    unlink(path);
    bytes_finish(&text);
    conf_close(file);
}

static void set_days(int days)
{
    FILE *to = fopen(path, "w");
    fprintf(to, "keep_days = %d\n", days);
    fclose(to);
}

static void every_rewrite_is_seen(void **state)
{
    struct conf_file *file = conf_open();
    (void)state;
    for (int i = 0; i < 200; i++) { /* in place: the same inode, size, and perhaps time */
        set_days(100 + i);
        assert_int_equal(conf_now(file)->keep_days, 100 + i);
    }
    unlink(path);
    conf_close(file);
}

static void an_option_counts_more_than_a_variable_and_that_more_than_the_file(void **state)
{
    struct conf_file *file = conf_open(), *later = conf_open();
    struct option options[CONF_OPTIONS];
    static const struct option others[] = {{"other", no_argument, NULL, 7}, {0}};
    char *why = NULL;
    int days = 0, patterns = 0, count = 0;
    (void)state;
    conf_options(CONF_OF_SERVE, 1000, others, options);
    for (; options[count].name; count++) {
        days = strcmp(options[count].name, "keep-days") ? days : options[count].val;
        patterns = strcmp(options[count].name, "private-commands") ? patterns : options[count].val;
    }
    assert_string_equal(options[count - 1].name, "other");
    set("keep_days = 7\nkeep_bytes = 1G\nprivate_commands = a\ndetach_key = C-b x\n");
    assert_int_equal(conf_option(file, CONF_OF_SERVE, 1000, days, "x", &why), -1);
    assert_string_equal(
        why, "'x' is none of what keep_days may be: expected a whole number from 0 to 36500");
    free(why);
    assert_int_equal(conf_option(file, CONF_OF_SERVE, 1000, days, "5", &why), 1);
    assert_int_equal(conf_option(file, CONF_OF_SERVE, 1000, patterns, "b", &why), 1);
    assert_int_equal(conf_option(file, CONF_OF_SERVE, 1000, patterns, "c=d", &why), 1);
    assert_int_equal(conf_option(file, CONF_OF_SERVE, 1000, 7, "5", &why), 0);
    assert_int_equal(conf_option(file, CONF_OF_ATTACH, 1000, days, "5", &why), 0);
    char *all = conf_all_set(file);
    assert_string_equal(all, "keep_days=5\nprivate_commands=b\nprivate_commands=c=d\n");
    conf_set_all(later, all);
    conf_set_all(later, "of_a_later_version=1\n");
    setenv("PTYD_DETACH_KEY", "C-a q", 1);
    struct conf_file *both[] = {file, later};
    for (int i = 0; i < 2; i++) {
        const struct conf *conf = conf_now(both[i]);
        assert_int_equal(conf->keep_days, 5);
        assert_int_equal(conf->keep_bytes, 1LL << 30);
        assert_string_equal(conf->detach_key, "C-a q");
        assert_true(conf_keeps_private(conf, "b") && conf_keeps_private(conf, "c=d"));
        assert_false(conf_keeps_private(conf, "a"));
    }
    unsetenv("PTYD_DETACH_KEY");
    unlink(path);
    free(all);
    conf_close(file);
    conf_close(later);
}

static void what_is_held_stays_as_it_was_said(void **state)
{
    (void)state;
    struct conf_file *file = conf_open();
    conf_hold(file, true);
    set_days(7);
    assert_int_equal(conf_now(file)->keep_days, 7); /* nothing was said before */
    set_days(12);
    assert_int_equal(conf_now(file)->keep_days, 7);
    conf_hold(file, false);
    assert_int_equal(conf_now(file)->keep_days, 12);
    unlink(path);
    conf_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_the_usual_holds),
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(rules_say_what_is_secret_and_what_is_none),
        cmocka_unit_test(a_rule_that_is_none_is_named),
        cmocka_unit_test(a_rule_that_takes_for_ever_takes_the_line),
        cmocka_unit_test(a_pattern_is_a_command_with_or_without_more),
        cmocka_unit_test(quotes_around_a_list_s_value_are_not_taken_for_a_part_of_it),
        cmocka_unit_test(a_remark_behind_a_value_is_said),
        cmocka_unit_test(a_wrong_line_is_named_and_what_held_before_holds),
        cmocka_unit_test(a_file_that_is_none_changes_nothing),
        cmocka_unit_test(long_lines_and_bytes_that_are_no_text_are_wrong),
        cmocka_unit_test(more_is_wrong_than_is_said),
        cmocka_unit_test(every_rewrite_is_seen),
        cmocka_unit_test(what_is_held_stays_as_it_was_said),
        cmocka_unit_test(an_option_counts_more_than_a_variable_and_that_more_than_the_file),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
