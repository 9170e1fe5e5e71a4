/* Values of an environment, wherever and however they stand. */
#include "redacted.h"

/* What the text is without a password of that value. */
static void expect_known(const char *value, const char *text, const char *wanted)
{
    struct redact_secrets *secrets = NULL;
    char environ[100];
    size_t len = (size_t)snprintf(environ, sizeof environ, "A_PASSWORD=%s", value);
    assert_int_equal(redact_secrets_create(environ, len + 1, &secrets), 0);
    assert_non_null(secrets);
    char *got = redacted(text, secrets, NULL);
    if (strcmp(got, wanted))
        fail_msg("of    %s\ncame  %s\nnot   %s", text, got, wanted);
    free(got);
    redact_secrets_destroy(secrets);
}

#define GONE "[redacted:env:A_PASSWORD]"

/* One that looks as if some of it was an escape, or its lines one, which depends on what is in
 * front. */
static void test_as_it_is(void **state)
{
    (void)state;
    expect_known("%5Fabc%2Dx9yz", "is:%5Fabc%2Dx9yz\n", "is:" GONE "\n");
    expect_known("%5Fabc%2Dx9yz", "is x%5Fabc%2Dx9yz\n", "is x" GONE "\n");
    expect_known("a\\\nb\\\nc12", "is a\\\nb\\\nc12\n", "is " GONE "\n");
    expect_known("ab\"],x=", "ab\"],x=\nContent-Transfer-Encoding: quoted-printable\n",
                 GONE "\nContent-Transfer-Encoding: quoted-printable\n");
}

/* One that would be public elsewhere. */
static void test_public_elsewhere(void **state)
{
    (void)state;
    expect_known("deleted", "Cookie: sid=deleted\n", "Cookie: sid=" GONE "\n");
    expect_known("deleted", "Cookie: =deleted=deleted\n", "Cookie: =" GONE "=" GONE "\n");
}

/* One that begins in what was found by what is around it, and reaches further. */
static void test_reaches_further(void **state)
{
    (void)state;
    expect_known("w0rd with blanks", "{\"password\": pre-w0rd with blanks}\n",
                 "{\"password\": [redacted:value]}\n");
    expect_known("w0rd9;x y", "PASSWORD=pre-w0rd9;x y\n", "PASSWORD=[redacted:value]\n");
}

/* What is around it may be left out: the \r of a file of Windows, which a shell read. */
static void test_with_what_is_around(void **state)
{
    (void)state;
    expect_known("plainwords\r", "x plainwords y\n", "x " GONE " y\n");
    expect_known(" plainwords\n", "plainwords\r\n", GONE "\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_it_is),
        cmocka_unit_test(test_public_elsewhere),
        cmocka_unit_test(test_reaches_further),
        cmocka_unit_test(test_with_what_is_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
