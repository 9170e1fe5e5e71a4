/* The marks of other terminals, as their integrations print them: what each says. The texts are as
 * bash's and zsh's own printf %q, fish's string escape and VS Code's scripts wrote them. */
#include "test.h"

#include <string.h>

#include "ptyd/core/foreign.h"

static struct foreign_mark mark;

static int teardown(void **state)
{
    (void)state;
    foreign_mark_finish(&mark);
    return 0;
}

static void read_mark(int number, const char *payload)
{
    foreign_mark_finish(&mark);
    foreign_read(number, payload, strlen(payload), false, &mark);
}

static void says(int number, const char *payload, enum foreign_kind kind)
{
    read_mark(number, payload);
    assert_int_equal(mark.kind, kind);
    assert_false(mark.has_text);
}

static void tells(int number, const char *payload, enum foreign_kind kind, const char *text)
{
    read_mark(number, payload);
    assert_int_equal(mark.kind, kind);
    assert_true(mark.has_text);
    assert_string_equal(mark.text.data ? mark.text.data : "", text);
}

static void ends_with(const char *payload, int status)
{
    read_mark(133, payload);
    assert_int_equal(mark.kind, FOREIGN_DONE);
    assert_true(mark.has_status);
    assert_int_equal(mark.status, status);
}

static void ends_unknown(const char *payload)
{
    read_mark(133, payload);
    assert_int_equal(mark.kind, FOREIGN_DONE);
    assert_false(mark.has_status);
}

static void prompts(void **state)
{
    (void)state;
    says(133, "A", FOREIGN_PROMPT);
    says(133, "A;cl=m;aid=4711", FOREIGN_PROMPT);
    says(133, "A;k=i;click_events=1", FOREIGN_PROMPT);
    says(133, "P;k=i", FOREIGN_PROMPT);
    says(133, "P", FOREIGN_PROMPT);
    says(633, "A", FOREIGN_PROMPT);
    says(133, "N;aid=4711", FOREIGN_PROMPT);
    says(133, "B;aid=1", FOREIGN_INPUT);
    says(133, "I", FOREIGN_INPUT);
    says(633, "G", FOREIGN_INPUT);
}

static void prompts_of_further_lines(void **state)
{
    (void)state;
    says(133, "A;k=s", FOREIGN_FURTHER);
    says(133, "A;redraw=0;k=s;aid=1", FOREIGN_FURTHER);
    says(133, "P;k=s", FOREIGN_FURTHER);
    says(633, "F", FOREIGN_FURTHER);
    says(133, "P;k=r", FOREIGN_RIGHT);
    says(633, "H", FOREIGN_RIGHT);
}

static void statuses(void **state)
{
    (void)state;
    ends_with("D;0", 0);
    ends_with("D;130;aid=77", 130);
    ends_with("D;-1", -1);
    ends_unknown("D");
    ends_unknown("D;");
    ends_unknown("D;aid=77");
    ends_unknown("D;12x");
}

static void commands_without_text(void **state)
{
    (void)state;
    says(133, "C", FOREIGN_COMMAND);
    says(133, "C;", FOREIGN_COMMAND);
    says(133, "C;aid=1", FOREIGN_COMMAND);
    says(633, "C", FOREIGN_COMMAND);
}

static void shell_quoted_texts(void **state)
{
    (void)state;
    tells(133, "C;cmdline=ls\\ -la", FOREIGN_COMMAND, "ls -la");
    tells(133, "C;cmdline=echo\\ a\\;\\ echo\\ b", FOREIGN_COMMAND, "echo a; echo b");
    tells(133, "C;cmdline=$'for i in 1\\ndo echo \\'$i\\'\\tx; done'", FOREIGN_COMMAND,
          "for i in 1\ndo echo '$i'\tx; done");
    tells(133, "C;cmdline=a$'\\n'b$'\\303\\244\\x41\\u00e9'", FOREIGN_COMMAND,
          "a\nb\303\244A\303\251");
    tells(133, "C;cmdline=''", FOREIGN_COMMAND, "");
    tells(133, "C;cmdline=", FOREIGN_COMMAND, "");
    tells(133, "C;cmdline=\"it's \\\"so\\\"\"", FOREIGN_COMMAND, "it's \"so\"");
    tells(133, "C;cmdline=ls\\ -l;aid=1", FOREIGN_COMMAND, "ls -l");
    tells(133, "C;cmdline=a; B=1 c", FOREIGN_COMMAND, "a; B=1 c");
}

static void percent_encoded_texts(void **state)
{
    (void)state;
    tells(133, "C;cmdline_url=echo%20a%3b%0Aecho%20%C3%A4", FOREIGN_COMMAND,
          "echo a;\necho \303\244");
    tells(133, "C;aid=1;cmdline_url=ls%20-l", FOREIGN_COMMAND, "ls -l");
    tells(133, "C;cmdline_url=ls%20-l;aid=1", FOREIGN_COMMAND, "ls -l");
    tells(133, "C;cmdline_url=100%", FOREIGN_COMMAND, "100%");
    tells(133, "C;cmdline_url=%zz%4", FOREIGN_COMMAND, "%zz\004");
}

static void escaped_texts(void **state)
{
    (void)state;
    tells(633, "E;ls -la", FOREIGN_TEXT, "ls -la");
    tells(633, "E;a\\x3b b \\\\x41\\x0ac;0badcafe-1234-4321-8888-00ff00ff00ff", FOREIGN_TEXT,
          "a; b \\x41\nc");
    tells(633, "E;ps -ef;", FOREIGN_TEXT, "ps -ef");
    tells(633, "E;ls -la;word", FOREIGN_TEXT, "ls -la");
    tells(633, "E;begin;end", FOREIGN_TEXT, "begin\nend");
    tells(633, "E;for i in 1;echo $i\\x3b i;end", FOREIGN_TEXT, "for i in 1\necho $i; i\nend");
    tells(633, "E;for i in 1;echo $i\\x3b end;0badcafe-1234-4321-8888-00ff00ff00ff", FOREIGN_TEXT,
          "for i in 1\necho $i; end");
}

static void texts_of_empty_lines(void **state)
{
    (void)state;
    tells(633, "E", FOREIGN_TEXT, "");
    tells(633, "E;", FOREIGN_TEXT, "");
    tells(633, "E;;", FOREIGN_TEXT, "");
    tells(633, "E;;0badcafe-1234-4321-8888-00ff00ff00ff", FOREIGN_TEXT, "");
    tells(633, "E;0badcafe-1234-4321-8888-00ff00ff00ff", FOREIGN_TEXT, "");
}

static void directories(void **state)
{
    (void)state;
    tells(633, "P;Cwd=C:\\x5cUsers", FOREIGN_DIRECTORY, "C:\\Users");
    tells(7, "file://host/home/me/a%20b", FOREIGN_DIRECTORY, "/home/me/a b");
    tells(7, "kitty-shell-cwd://host/home/me", FOREIGN_DIRECTORY, "/home/me");
    tells(1337, "CurrentDir=/home/me", FOREIGN_DIRECTORY, "/home/me");
    tells(7, "file://host/a%3Bb;c", FOREIGN_DIRECTORY, "/a;b;c");
    tells(9, "9;\"C:\\Users\\me\"", FOREIGN_WINDOWS, "C:\\Users\\me");
}

static void titles(void **state)
{
    (void)state;
    tells(2, "echo a; echo b", FOREIGN_TITLE, "echo a; echo b");
}

static void what_says_nothing(void **state)
{
    (void)state;
    says(133, "", FOREIGN_NOTHING);
    says(133, "k;start_kitty", FOREIGN_NOTHING);
    says(133, "AB", FOREIGN_NOTHING);
    says(133, "E;text", FOREIGN_NOTHING);
    says(633, "P;Prompt=x", FOREIGN_NOTHING);
    says(633, "EnvSingleStart;0", FOREIGN_NOTHING);
    says(1337, "RemoteHost=me@host", FOREIGN_NOTHING);
    says(1337, "File=inline=1:AAAA", FOREIGN_NOTHING);
    says(7, "http://host/", FOREIGN_NOTHING);
    says(9, "a notification", FOREIGN_NOTHING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(prompts, teardown),
        cmocka_unit_test_teardown(prompts_of_further_lines, teardown),
        cmocka_unit_test_teardown(statuses, teardown),
        cmocka_unit_test_teardown(commands_without_text, teardown),
        cmocka_unit_test_teardown(shell_quoted_texts, teardown),
        cmocka_unit_test_teardown(percent_encoded_texts, teardown),
        cmocka_unit_test_teardown(escaped_texts, teardown),
        cmocka_unit_test_teardown(texts_of_empty_lines, teardown),
        cmocka_unit_test_teardown(directories, teardown),
        cmocka_unit_test_teardown(titles, teardown),
        cmocka_unit_test_teardown(what_says_nothing, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
