/* What leaves the machine without its secrets. The shapes are those that their issuers publish; the
 * examples are invented, and written in two halves so that nobody's scanner takes them for real. */
#include "redacted.h"

#include "envelope/redact/shapes.h"

#include <stdio.h>

/* Each shape, and something that looks like it and is none. */
static const struct {
    const char *type, *token, *harmless;
} shapes[] = {
    {"github-token",
     "gh"
     "p_" a20 a10 "abcdef",
     "ghp_short"},
    {"github-token",
     "github"
     "_pat_" a20 "_" a40,
     "github_pat_x"},
    {"gitlab-token",
     "glp"
     "at-" a20,
     "glpat-no"},
    {"aws-key-id",
     "AK"
     "IA" A16,
     "AKIAZ"},
    {"aws-key-id",
     "AS"
     "IA" A16,
     "ASIAN-PACIFIC"},
    {"anthropic-key",
     "sk-"
     "ant-api03-" a40,
     "sk-ant-"},
    {"openai-key",
     "sk-"
     "proj-" a40,
     "sk-proj-x"},
    {"openai-key", "sk-" a40, "sk-learn"},
    {"openrouter-key",
     "sk-"
     "or-v1-" h32 h32,
     "sk-or-v1-"},
    {"google-api-key",
     "AI"
     "za" a20 a10 "_-xyz",
     "AIzawa"},
    {"google-oauth-token",
     "ya"
     "29." a40,
     "ya29.x"},
    {"google-oauth-secret",
     "GOC"
     "SPX-" a20 "abcd",
     "GOCSPX-"},
    {"fcm-server-key",
     "AA"
     "AA7cl0bmB:APA"
     "91b" a40 a40 a40,
     "AAAA7cl0bmB:APA91b-"},
    {"slack-token",
     "xo"
     "xb-123456789012-" a20,
     "xoxb-none"},
    {"slack-token",
     "xa"
     "pp-1-A0123-" a20,
     "xapp-id"},
    {"slack-webhook",
     "hooks.slack"
     ".com/services/T0000/B0000/" a20,
     "hooks.slack.com/services/x"},
    {"discord-webhook",
     "discord"
     ".com/api/webhooks/123456789012345678/" a40,
     "discord.com/api/webhooks/"},
    {"stripe-key",
     "sk_"
     "live_" a20 "abcd",
     "sk_live_"},
    {"stripe-key",
     "rk_"
     "test_" a20 "abcd",
     "rk_test_x"},
    {"npm-token",
     "np"
     "m_" a20 a10 "abcdef",
     "npm_config_registry"},
    {"pypi-token",
     "py"
     "pi-AgEI" a40 a20,
     "pypi-AgEI"},
    {"rubygems-token",
     "ruby"
     "gems_" h32 h16,
     "rubygems_version"},
    {"hugging-face-token",
     "h"
     "f_" a20 a10 "abcd",
     "hf_hub_download"},
    {"sendgrid-key",
     "S"
     "G." a20 "ab." a40 "abc",
     "SG.x"},
    {"digitalocean-token",
     "dop"
     "_v1_" h32 h32,
     "dop_v1_x"},
    {"docker-token",
     "dckr"
     "_pat_" a20 "abcdefg",
     "dckr_pat_"},
    {"shopify-token",
     "shp"
     "at_" h32,
     "shpat_"},
    {"square-token",
     "sq0"
     "atp-" a20 "ab",
     "sq0atp-"},
    {"twilio-key",
     "S"
     "K" h32,
     "SK123"},
    {"mailgun-key",
     "ke"
     "y-" h32,
     "key-value"},
    {"vault-token",
     "s"
     ".Ykd4WXZRPaOgxNhhbobJ3gKa",
     "s.getUserOfSession2"},
    {"pagerduty-key",
     "u"
     "+Jxxl2ujWXx_UQHxSQK",
     "u+x2"},
    {"yandex-key-id",
     "YC"
     "AJE" a20,
     "YCAJE"},
    {"yandex-key",
     "YC"
     "M" a20 a10 "abcdefg",
     "YCM"},
    {"vault-token",
     "hv"
     "s." a20 "abcd",
     "hvs.x"},
    {"databricks-token",
     "da"
     "pi" h32,
     "dapi"},
    {"grafana-token",
     "gl"
     "sa_" a20 a10 "ab_12345678",
     "glsa_x"},
    {"new-relic-key",
     "NR"
     "AK-" A16 "ABCDEFGHIJK",
     "NRAK-"},
    {"postman-key",
     "PM"
     "AK-" h16 "01234567-" h32 "ab",
     "PMAK-1"},
    {"doppler-token",
     "dp."
     "pt." a40,
     "dp.pt."},
    {"atlassian-token",
     "ATA"
     "TT3" a40 a20,
     "ATATT3"},
    {"linear-key",
     "lin_"
     "api_" a40,
     "lin_api_"},
    {"notion-token",
     "nt"
     "n_" a40 "abc",
     "ntn_"},
    {"sentry-token",
     "sn"
     "trys_" a40 "==",
     "sntrys_"},
    {"tailscale-key",
     "ts"
     "key-auth-" a20,
     "tskey-"},
    {"age-key",
     "AGE-SECRET"
     "-KEY-1" A16 A16 A16 "ABCDEFGHIJ",
     "AGE-SECRET-KEY-1"},
    {"planetscale-token",
     "pscale"
     "_tkn_" a40,
     "pscale_tkn_"},
    {"figma-token",
     "fi"
     "gd_" a40,
     "figd_"},
    {"supabase-token",
     "sb"
     "p_" h32 "01234567",
     "sbp_"},
    {"xai-key",
     "xa"
     "i-" a40,
     "xai-1"},
    {"groq-key",
     "gs"
     "k_" a40,
     "gsk_"},
    {"jwt",
     "ey"
     "J" a20 ".ey"
     "J" a20 "." a20,
     "eyJ.eyJ.x"},
    {"telegram-token",
     "123456789:"
     "AA" a20 a10 "abc",
     "12345678:30:00"},
    {"discord-token", "M" a20 "abcd.Yx1234." a20 "abcdefg", "MainWindow.xaml.cs"},
};

static void test_every_shape_is_taken_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char text[512], wanted[512];
        snprintf(text, sizeof text, "curl %s | cat\n", shapes[i].token);
        snprintf(wanted, sizeof wanted, "curl [redacted:%s] | cat\n", shapes[i].type);
        expect(text, wanted, 1);
    }
}

static void test_what_only_looks_like_it_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char text[512];
        snprintf(text, sizeof text, "see %s, and\n", shapes[i].harmless);
        expect(text, text, 0);
    }
}

/* ---- each row of the table ---- */

/* A character of a set, by its letter in the form. */
static char one_of(char set, unsigned n)
{
    static const struct {
        char letter;
        const char *characters;
    } sets[] = {
        {'d', "7391582046"},         {'h', "7a3f91be58d2c046"},   {'n', "7a3f91be58d2c046"},
        {'H', "7A3F91BE58D2C046"},   {'u', "QZKXJVWM"},           {'U', "Q7Z3K9X1J5V8W2M4"},
        {'l', "q7z3k9x1j5v8w2m4"},   {'a', "q7Z3k9X1j5V8w2M4"},   {'w', "q7Z3k_9X1j5-V8w2M4"},
        {'W', "q7Z3k_9X1j5-V8w2M4"}, {'j', "q7Z3k/9X1j5-V8w2.M"}, {'k', "q7z3k-9x1j5-v8w2m4"},
        {'b', "q7Z3k9X1j5V8w2M4"},   {'B', "q7Z3k_9X1j5-V8w2M4"}, {'p', "q7Z3k9X1j5V8w2M4"},
        {'r', "q7Z3k9X1j5V8w2M4"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i].letter == set)
            return sets[i].characters[n % strlen(sets[i].characters)];
    return '?';
}

/* A token of that form; `most` characters of each set at most. */
static void make_token(const char *form, size_t most, char *out)
{
    unsigned n = 0;
    while (*form) {
        if (*form != '<') {
            *out = *form++;
            out += *out != '^';
            continue;
        }
        char set = form[1];
        size_t count = (size_t)atoi(form + 2);
        for (size_t i = 0; i < count && i < most; i++)
            *out++ = one_of(set, n++);
        form = strchr(form, '>') + 1;
    }
    *out = 0;
}

static void test_each_row_is_taken_out(void **state)
{
    (void)state;
    assert_true(redact_shape_count() >= 200);
    for (int i = 0; i < redact_shape_count(); i++) {
        const struct redact_shape *shape = redact_shape(i);
        char token[600], text[700];
        int count;
        make_token(shape->form, SIZE_MAX, token);
        snprintf(text, sizeof text, "see %s there\n", token);
        char *got = redacted(text, NULL, &count);
        const char *mark = strchr(shape->form, '^'); /* what is in front of it stays */
        int front = mark && !memchr(shape->form, '<', (size_t)(mark - shape->form))
                        ? (int)(mark - shape->form)
                        : 0;
        char wanted[200];
        snprintf(wanted, sizeof wanted, "see %.*s[redacted:", front, shape->form);
        if (count != 1 || (front || !mark ? strncmp(got, wanted, strlen(wanted)) : 0) ||
            strncmp(strchr(strstr(got, "[redacted:"), ']'), "] there\n", mark ? 1 : 8))
            fail_msg("row %s: of %s came %s", shape->form, text, got);
        free(got);
        snprintf(text, sizeof text, "{\"a\":\"x\\n%s\\n\"}", token);
        got = redacted(text, NULL, &count);
        if (count != 1 || strstr(got, token))
            fail_msg("row %s: of %s came %s", shape->form, text, got);
        free(got);
    }
}

/* Whatever rows begin with the same digits. */
static void test_a_bot_is_found_behind_letters(void **state)
{
    (void)state;
    for (int first = 100; first < 1000; first++) {
        char text[100];
        snprintf(text, sizeof text, "(bot%d4567890:AA" a20 a10 "abc)\n", first);
        expect(text, "(bot[redacted:telegram-token])\n", 1);
    }
}

static void test_each_row_needs_all_of_it(void **state)
{
    (void)state;
    for (int i = 0; i < redact_shape_count(); i++) {
        char token[600], text[700];
        make_token(redact_shape(i)->form, 3, token);
        snprintf(text, sizeof text, "see %s there\n", token);
        expect(text, text, 0);
    }
}

static void test_hashes_uuids_and_prose_stay(void **state)
{
    static const char *const texts[] = {
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n",
        "550e8400-e29b-41d4-a716-446655440000\n",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n",
        "error: unexpected token: identifier\n",
        "a.cpp:5: error: expected ')' before token\n",
        "max_tokens=4096 total_tokens: 123456789\n",
        "PWD=/home/dana OLDPWD=/tmp/build1\n",
        "export TOKEN=$GITHUB_TOKEN\n",
        "password: \n",
        "Enter password: ********\n",
        "https://example.com:8080/path@2?token\n",
        "git clone ssh://git@github.com/a/b.git\n",
        "http://user:$PASSWORD@host/\n",
        "KEY=1 keyboard: qwertz105 monkey=banana1234\n",
        "-rw-r--r-- 1 dana dana 1675 id_rsa.pub\n",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGqd dana@host\n",
        "int token = next_token();\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

static void test_values_behind_telling_names(void **state)
{
    (void)state;
    expect("export DB_PASSWORD=hunter2 X=1", "export DB_PASSWORD=[redacted:value] X=1", 1);
    expect("AWS_SECRET_ACCESS_KEY=wJalr/XUtn+FEMI1\n", "AWS_SECRET_ACCESS_KEY=[redacted:value]\n",
           1);
    expect("{\"api_key\": \"abcd1234efgh\"}", "{\"api_key\": \"[redacted:value]\"}", 1);
    expect("mysql --password=geheim --user=a", "mysql --password=[redacted:value] --user=a", 1);
    expect("tool --token abc123def456 x", "tool --token [redacted:value] x", 1);
    expect("curl -H 'X-Api-Key: abc123def'", "curl -H 'X-Api-Key: [redacted:value]'", 1);
    expect("  password: s3cret!\n", "  password: [redacted:value]\n", 1);
    expect("secret = 'correct horse'\n", "secret = '[redacted:value]'\n", 1);
    expect("Authorization: Bearer abcdefgh12345678",
           "Authorization: Bearer [redacted:authorization]", 1);
    expect("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted:authorization]", 1);
    expect("GITHUB_TOKEN=gh"
           "p_" a20 a10 "abcdef",
           "GITHUB_TOKEN=[redacted:github-token]", 1);
}

static void test_passwords_in_urls(void **state)
{
    (void)state;
    expect("git clone https://dana:pa55@host/x.git",
           "git clone https://dana:[redacted:url-password]@host/x.git", 1);
    expect("postgres://u:p%40ss@db:5432/x postgres://u@db/x",
           "postgres://u:[redacted:url-password]@db:5432/x postgres://u@db/x", 1);
    expect("https://0123456789abcdef0123@host/", "https://[redacted:url-password]@host/", 1);
    expect("redis://:s3@h", "redis://:[redacted:url-password]@h", 1);
}

#define BODY "MIIEpAIBAAKCAQEAx3\nq1w2e3r4t5==\n"

static void test_pem_blocks_whole_and_in_part(void **state)
{
    (void)state;
    expect("a\n-----BEGIN RSA PRIVATE "
           "KEY-----\n" BODY "-----END RSA PRIVATE KEY-----\nb\n",
           "a\n[redacted:private-key]\nb\n", 1);
    expect("-----BEGIN CERTIFICATE-----\n" BODY "-----END CERTIFICATE-----\n",
           "-----BEGIN CERTIFICATE-----\n" BODY "-----END CERTIFICATE-----\n", 0);
    expect("\xe2\x80\xa6" BODY "-----END OPENSSH PRIVATE KEY-----\ndone\n",
           "[redacted:private-key]\ndone\n", 1);
    expect("head: x\n" BODY "-----END PRIVATE KEY-----\n", "head: x\n[redacted:private-key]\n", 1);
    expect("-----BEGIN PRIVATE "
           "KEY-----\n" BODY "^C not a key\n",
           "[redacted:private-key]\n^C not a key\n", 1);
    expect("k='-----BEGIN EC PRIVATE "
           "KEY-----\\nMHcCAQ\\n-----END EC PRIVATE KEY-----'",
           "k='[redacted:private-key]'", 1);
    expect("-----BEGIN nothing", "-----BEGIN nothing", 0);
}

static void test_values_of_the_environment(void **state)
{
    static const char environ[] =
        "HOME=/home/dana\0STRIPE_SECRET=plain value\0SSH_AUTH_SOCK=/run/a\0"
        "SHORT_TOKEN=abc\0MY_TOKEN=zeile\nzwei\0GH_TOKEN=plain value 2\0"
        "KEYBOARD=qwertz\0NOTHING\0=x\0GOOGLE_APPLICATION_CREDENTIALS=/k.json";
    (void)state;
    struct redact_secrets *secrets = NULL;
    assert_int_equal(redact_secrets_create(environ, sizeof environ, &secrets), 0);
    int count;
    assert_non_null(secrets);
    char *got =
        redacted("xplain valuex zeile\nzwei plain value 2 /run/a abc qwertz /home/dana /k.json",
                 secrets, &count);
    assert_string_equal(got, "x[redacted:env:STRIPE_SECRET]x [redacted:env:MY_TOKEN] "
                             "[redacted:env:GH_TOKEN] /run/a abc qwertz /home/dana /k.json");
    assert_int_equal(count, 3);
    free(got);
    redact_secrets_destroy(secrets);
    assert_int_equal(redact_secrets_create("A=b", 4, &secrets), 0);
    assert_null(secrets);
}

/* Known values stand as they are typed: a wide one, one with marks of its own. */
static void test_known_values_of_other_alphabets(void **state)
{
    static const char environ[] =
        "A_PASSWORD=\xef\xbd\x90\xef\xbd\x81ss12345\0B_PASSWORD=pa\xcc\x88sswo\xcc\x88rter9";
    struct redact_secrets *secrets = NULL;
    int count;
    (void)state;
    assert_int_equal(redact_secrets_create(environ, sizeof environ, &secrets), 0);
    char *got = redacted("a \xef\xbd\x90\xef\xbd\x81ss12345 pa\xcc\x88sswo\xcc\x88rter9 b", secrets,
                         &count);
    assert_string_equal(got, "a [redacted:env:A_PASSWORD] [redacted:env:B_PASSWORD] b");
    assert_int_equal(count, 2);
    free(got);
    redact_secrets_destroy(secrets);
}

/* An accent that is a character of its own, or one with its letter; U+200B shows nothing. */
static void test_known_values_as_they_are_seen(void **state)
{
    static const char environ[] = "A_PASSWORD=gr\xc3\xbcne-W\xc3\xa4lder9";
    static const char *const texts[] = {"a gr\xc3\xbcne-\xe2\x80\x8bW\xc3\xa4lder9 b",
                                        "a gru\xcc\x88ne-Wa\xcc\x88lder9 b",
                                        "a gr\xc3\xbcne-W\xc3\xa4lder9 b"};
    struct redact_secrets *secrets = NULL;
    int count;
    (void)state;
    assert_int_equal(redact_secrets_create(environ, sizeof environ, &secrets), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *got = redacted(texts[i], secrets, &count);
        assert_string_equal(got, "a [redacted:env:A_PASSWORD] b");
        assert_int_equal(count, 1);
        free(got);
    }
    redact_secrets_destroy(secrets);
}

static void test_a_known_value_inside_a_telling_name(void **state)
{
    static const char environ[] = "A_TOKEN=hunter2hunter2";
    struct redact_secrets *secrets = NULL;
    assert_int_equal(redact_secrets_create(environ, sizeof environ, &secrets), 0);
    int count;
    (void)state;
    char *got = redacted("ghunter2hunter2hpassword: p_2xyz", secrets, &count);
    assert_string_equal(got, "g[redacted:env:A_TOKEN]hpassword: [redacted:value]");
    assert_int_equal(count, 2);
    free(got);
    redact_secrets_destroy(secrets);
}

/* What a name, a sentence or a sign in front of it finds is called by what is known of it. */
static void test_a_known_value_has_its_name(void **state)
{
    static const char environ[] = "A_TOKEN=s3cr3t-k7k7k7k7k7k7k7k7";
    static const char value[] = "s3cr3t-k7k7k7k7k7k7k7k7";
    static const char *const fronts[] = {"token ", "password=", "API_TOKEN: ", "x "};
    struct redact_secrets *secrets = NULL;
    int count;
    (void)state;
    assert_int_equal(redact_secrets_create(environ, sizeof environ, &secrets), 0);
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
        char text[80], wanted[80];
        snprintf(text, sizeof text, "%s%s", fronts[i], value);
        snprintf(wanted, sizeof wanted, "%s[redacted:env:A_TOKEN]", fronts[i]);
        char *got = redacted(text, secrets, &count);
        assert_string_equal(got, wanted);
        free(got);
    }
    redact_secrets_destroy(secrets);
}

/* Any bytes at all: ends, and takes no more than linear room. */
static void test_random_bytes(void **state)
{
    static const char *const pieces[] = {
        "-----BEGIN ", "-----END ", "-----", "\n", "PRIVATE", "://", "@", ":",    "token",
        "=",           "\"",        "eyJ",   ".",  "ghp_",    "A",   "0", "\xff", " "};
    (void)state;
    srandom(7);
    for (int round = 0; round < 20000; round++) {
        char text[400] = "";
        for (int i = 0; i < 30; i++)
            strcat(text, pieces[(size_t)random() % (sizeof pieces / sizeof *pieces)]);
        struct bytes out = {0};
        redact_text(text, strlen(text), NULL, &out);
        assert_true(out.len <= strlen(text) * 8);
        bytes_finish(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape_is_taken_out),
        cmocka_unit_test(test_what_only_looks_like_it_stays),
        cmocka_unit_test(test_each_row_is_taken_out),
        cmocka_unit_test(test_a_bot_is_found_behind_letters),
        cmocka_unit_test(test_each_row_needs_all_of_it),
        cmocka_unit_test(test_hashes_uuids_and_prose_stay),
        cmocka_unit_test(test_values_behind_telling_names),
        cmocka_unit_test(test_passwords_in_urls),
        cmocka_unit_test(test_pem_blocks_whole_and_in_part),
        cmocka_unit_test(test_values_of_the_environment),
        cmocka_unit_test(test_known_values_of_other_alphabets),
        cmocka_unit_test(test_known_values_as_they_are_seen),
        cmocka_unit_test(test_a_known_value_inside_a_telling_name),
        cmocka_unit_test(test_a_known_value_has_its_name),
        cmocka_unit_test(test_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
