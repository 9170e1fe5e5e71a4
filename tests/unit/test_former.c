/* Values that were secret in shells that have ended are found by what is kept of them: by a text's
 * bytes, as it is seen, under their names; and nothing of them stands in what is kept. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/former.h"

static struct redact_secrets *secrets_of(const char *environment, size_t len)
{
    struct redact_secrets *secrets = NULL;
    assert_int_equal(redact_secrets_create(environment, len, &secrets), 0);
    return secrets;
}

/* A session's meta, behind shells of each of these environments. */
static json_t *meta_behind(const char *const *environments, int count)
{
    json_t *meta = json_object();
    for (int i = 0; i < count; i++) {
        struct redact_secrets *secrets = secrets_of(environments[i], strlen(environments[i]) + 1);
        former_keep(meta, secrets, true, i == 0);
        redact_secrets_destroy(secrets);
    }
    return meta;
}

static bool is_whole(const json_t *meta)
{
    struct redact_secrets *secrets = NULL;
    bool whole = former_add(meta, &secrets);
    redact_secrets_destroy(secrets);
    return whole;
}

static void expect_told(const json_t *meta, struct redact_secrets *secrets, const char *text,
                        const char *told)
{
    struct bytes out = {0};
    former_add(meta, &secrets);
    redact_text(text, strlen(text), secrets, &out);
    assert_string_equal(out.data, told);
    bytes_finish(&out);
    redact_secrets_destroy(secrets);
}

static void test_former_ones_are_found(void **state)
{
    (void)state;
    static const char *const shells[] = {"A_TOKEN=harbour", "SHOP_PASSWORD=correct-horse",
                                         "A_TOKEN=lantern-2"};
    json_t *meta = meta_behind(shells, 3);
    expect_told(meta, NULL, "x harbour y lantern-2, correct-horse\n",
                "x [redacted:env:A_TOKEN] y [redacted:env:A_TOKEN], "
                "[redacted:env:SHOP_PASSWORD]\n");
    expect_told(meta, NULL,
                "har\xe2\x80\x8b"
                "bour harbou\n",
                "[redacted:env:A_TOKEN] harbou\n");
    expect_told(meta, NULL, "harbour", "[redacted:env:A_TOKEN]");
    expect_told(meta, secrets_of("B_TOKEN=lighthouse", 19), "lighthouse harbour",
                "[redacted:env:B_TOKEN] [redacted:env:A_TOKEN]");
    expect_told(meta, secrets_of("B_TOKEN=correct", 16), "correct-horse correct",
                "[redacted:env:SHOP_PASSWORD] [redacted:env:B_TOKEN]");
    json_decref(meta);
}

static void test_of_two_the_longer(void **state)
{
    (void)state;
    static const char *const shells[] = {"A_TOKEN=harbour", "B_TOKEN=harbour-lights"};
    json_t *meta = meta_behind(shells, 2);
    expect_told(meta, NULL, "harbour-lights harbour-light",
                "[redacted:env:B_TOKEN] "
                "[redacted:env:A_TOKEN]-light");
    json_decref(meta);
}

/* One that is longer than what its digest is made of ends where it did. */
static void test_a_long_one(void **state)
{
    (void)state;
    char shell[1024] = "A_TOKEN=", text[1200];
    for (size_t i = 0; i < 700; i++)
        shell[8 + i] = (char)('a' + (i * i + i / 7) % 26);
    json_t *meta = meta_behind((const char *const[]){shell}, 1);
    snprintf(text, sizeof text, "<%s>", shell + 8);
    expect_told(meta, NULL, text, "<[redacted:env:A_TOKEN]>");
    json_decref(meta);
}

static void test_nothing_of_them_is_kept(void **state)
{
    (void)state;
    static const char *const shells[] = {"A_TOKEN=harbour-lights"};
    json_t *meta = meta_behind(shells, 1), *other = meta_behind(shells, 1);
    char *text = json_dumps(meta, 0);
    assert_null(strstr(text, "harbour"));
    assert_non_null(strstr(text, "A_TOKEN"));
    assert_false(json_equal(meta, other)); /* each has a key of its own */
    free(text);
    json_decref(meta);
    json_decref(other);
}

static void test_the_same_is_kept_once(void **state)
{
    (void)state;
    static const char *const shells[] = {"A_TOKEN=harbour", "A_TOKEN=harbour", "A_TOKEN=harbour"};
    json_t *meta = meta_behind(shells, 3);
    assert_int_equal(json_array_size(json_object_get(json_object_get(meta, "secrets"), "known")),
                     1);
    json_decref(meta);
}

static void test_the_oldest_goes(void **state)
{
    (void)state;
    json_t *meta = json_object();
    char shell[64];
    for (int i = 0; i <= LIMIT_FORMER_SECRETS; i++) {
        snprintf(shell, sizeof shell, "A_TOKEN=harbour-%d-", i);
        struct redact_secrets *secrets = secrets_of(shell, strlen(shell) + 1);
        former_keep(meta, secrets, true, i == 0);
        redact_secrets_destroy(secrets);
        assert_int_equal(is_whole(meta), i < LIMIT_FORMER_SECRETS);
    }
    expect_told(meta, NULL, "harbour-0- harbour-1-", "harbour-0- [redacted:env:A_TOKEN]");
    json_decref(meta);
}

/* What an older program's shells had, and one whose environment nobody could read, is not known. */
static void test_whether_it_is_all(void **state)
{
    (void)state;
    json_t *meta = json_object(), *older = json_object();
    assert_false(is_whole(meta));
    former_keep(meta, NULL, true, true);
    assert_true(is_whole(meta));
    former_keep(meta, NULL, true, false);
    assert_true(is_whole(meta));
    former_keep(meta, NULL, false, false);
    assert_false(is_whole(meta));
    former_keep(older, NULL, true, false);
    assert_false(is_whole(older));
    json_decref(meta);
    json_decref(older);
}

/* Many that begin alike cost no digest each at every place where a text goes on so. */
static void test_many_that_begin_alike(void **state)
{
    (void)state;
    json_t *meta = json_object();
    char shell[400], text[2000];
    for (int i = 0; i < 60; i++) {
        snprintf(shell, sizeof shell, "A_TOKEN=%0*d", 20 + 4 * i, i + 1);
        memset(shell + 8, '-', 10);
        struct redact_secrets *secrets = secrets_of(shell, strlen(shell) + 1);
        former_keep(meta, secrets, true, i == 0);
        redact_secrets_destroy(secrets);
    }
    memset(text, '-', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    expect_told(meta, NULL, text, text);
    expect_told(meta, NULL, shell + 8, "[redacted:env:A_TOKEN]");
    json_decref(meta);
}

/* What is damaged is none; a next shell begins anew. */
static void test_what_cannot_be_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}", "{\"secrets\":1}", "{\"secrets\":{\"key\":\"x\",\"known\":[]}}",
        "{\"secrets\":{\"key\":\"AAAAAAAAAAAAAAAAAAAAAA==\"}}",
        ("{\"secrets\":{\"key\":\"AAAAAAAAAAAAAAAAAAAAAA==\",\"known\":[1,[],[\"A\",-1,70000,7],"
         "[\"A\",3,1,\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"]]}}")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct redact_secrets *secrets = NULL;
        json_t *meta = json_loads(texts[i], 0, NULL);
        assert_false(former_add(meta, &secrets));
        redact_secrets_destroy(secrets);
        secrets = secrets_of("A_TOKEN=harbour", 16);
        former_keep(meta, secrets, true, false);
        redact_secrets_destroy(secrets);
        assert_false(is_whole(meta));
        expect_told(meta, NULL, "harbour", "[redacted:env:A_TOKEN]");
        json_decref(meta);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_former_ones_are_found),
        cmocka_unit_test(test_of_two_the_longer),
        cmocka_unit_test(test_a_long_one),
        cmocka_unit_test(test_nothing_of_them_is_kept),
        cmocka_unit_test(test_the_same_is_kept_once),
        cmocka_unit_test(test_the_oldest_goes),
        cmocka_unit_test(test_what_cannot_be_read),
        cmocka_unit_test(test_whether_it_is_all),
        cmocka_unit_test(test_many_that_begin_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
