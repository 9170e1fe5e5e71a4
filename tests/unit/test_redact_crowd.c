/* Telling names that stand closer than any text has them: what is between them goes whole, for a
 * look around at each would cost many times what the text's length does; and texts with many
 * names that are none of these. */
#include "redacted.h"

#include <stdio.h>

#define PLAIN_NAMES 64 /* up to here each is looked at as anywhere (redact_crowd.c) */

/* `piece` so many times, and what is behind. Owned by the caller. */
static char *repeated(const char *piece, size_t times, const char *behind)
{
    struct bytes text = {0};
    for (size_t i = 0; i < times; i++)
        bytes_append_text(&text, piece);
    bytes_append_text(&text, behind);
    return text.data;
}

static void test_what_is_between_them(void **state)
{
    (void)state;
    static const char *const pieces[] = {"pw ",      "pw: ",  "pw\n", "-pw ",
                                         "\"pw\", ", "pw=a&", "key ", "token "};
    static const char *const secrets[] = {"horse",   "Zq7!pd(x)",       "4711",
                                          "a b c d", "velvet\ncopper",  "gr\xc3\xbcn",
                                          "{x: y}",  "-/=tulip/=x9=-!", "'it''s'"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (size_t j = 0; j < sizeof secrets / sizeof *secrets; j++) {
            char behind[64], *text, *got;
            snprintf(behind, sizeof behind, "%s pw\n", secrets[j]);
            text = repeated(pieces[i], 2 * PLAIN_NAMES, behind);
            got = redacted(text, NULL, NULL);
            if (strstr(got, secrets[j]) || !strstr(got, "[redacted:crowded]"))
                fail_msg("of %s%s came %s", pieces[i], secrets[j], got);
            free(got);
            free(text);
        }
}

/* Further apart, but for pages. */
static void test_what_is_between_many(void **state)
{
    (void)state;
    static const char *const pieces[] = {"password is generated for ", "((((----BEGIN A--SIG=sk-",
                                         "the token, a word, "};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t times = 2 * 8192 / strlen(pieces[i]);
        char *text = repeated(pieces[i], times, "velvet copper pw\n"),
             *got = redacted(text, NULL, NULL);
        if (strstr(got, "velvet") || !strstr(got, "[redacted:crowded]"))
            fail_msg("of %s came %s", pieces[i], got);
        free(got);
        free(text);
    }
}

/* A list of nothing but variables is none, however long. */
static void test_a_long_list(void **state)
{
    (void)state;
    char *text = repeated("export SMTP_PASSWORD=hunter2\n", 600, ""),
         *wanted = repeated("export SMTP_PASSWORD=[redacted:value]\n", 600, "");
    expect(text, wanted, 600);
    free(wanted);
    free(text);
}

static void test_what_is_behind_all(void **state)
{
    (void)state;
    char *text = repeated("pw ", 2 * PLAIN_NAMES, ""), *line = repeated("word ", 51, "");
    struct bytes all = {0};
    bytes_append_text(&all, text);
    bytes_append_text(&all, line);
    bytes_append_text(&all, "behind them");
    char *got = redacted(all.data, NULL, NULL);
    assert_non_null(strstr(got, "[redacted:crowded]"));
    assert_null(strstr(got, "word word word"));
    assert_string_equal(got + strlen(got) - strlen(" behind them"), " behind them"); /* 256 bytes */
    bytes_finish(&all);
    free(got);
    free(line);
    free(text);
}

static void test_a_key_whose_beginning_is_there(void **state)
{
    (void)state;
    char *text = repeated("pw ", 2 * PLAIN_NAMES,
                          "x -----BEGIN PRIVATE KEY-----\n" a40 "\n" a40 "\n"
                          "-----END PRIVATE KEY-----\nend\n"),
         *got = redacted(text, NULL, NULL);
    assert_null(strstr(got, a10));
    free(got);
    free(text);
}

/* Names alone, and as close as programs write them. */
static void test_what_stays(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "token\n",
        "password, ",
        "{\"code\":\"DE\",\"key\":\"a\"},",
        "- code: FR\n",
        "TOKEN_PLUS, TOKEN_MINUS, ",
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char *text = repeated(pieces[i], 4 * PLAIN_NAMES, "");
        expect(text, text, 0);
        free(text);
    }
}

static void test_an_environment_of_secrets(void **state)
{
    (void)state;
    char *text = repeated("PASSWORD=hunter2\n", 4 * PLAIN_NAMES, ""),
         *wanted = repeated("PASSWORD=[redacted:value]\n", 4 * PLAIN_NAMES, "");
    expect(text, wanted, 4 * PLAIN_NAMES);
    free(wanted);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_between_them),
        cmocka_unit_test(test_what_is_between_many),
        cmocka_unit_test(test_a_long_list),
        cmocka_unit_test(test_what_is_behind_all),
        cmocka_unit_test(test_a_key_whose_beginning_is_there),
        cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_an_environment_of_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
