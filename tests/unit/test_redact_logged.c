/* What logs and tools say of a secret, each in its own form; and what stays. */
#include "redacted.h"

static void test_logs(void **state)
{
    (void)state;
    finds("sssd_be[8]: option ldap_default_authtok has value ", "M\xc3\xb6we.118", "\n");
    finds("option proxy_password has value [", "Strandgut", "]\n");
    finds("MANAGEMENT: CMD 'password \"Auth\" \"", "Tau\\\"zieher", "\"'\n");
    finds("Auth: (7) Login OK: [eva/", "Muschel", "] (from client ap1 port 0 cli 02-00)\n");
    finds("Auth: (8) Login incorrect (pap: no match): [d\\eva/", "Mu/schel 1",
          "] (from client ap1)\n");
    finds("payment/x_gateway/api_password - ", "Kiesel-LmOpDZi", "\n");
    static const char *const texts[] = {
        "option ldap_default_authtok has no value\n",
        "option ldap_default_authtok has value <hidden>\n",
        "password \"Label\" \"Enter it\"\n",
        "Login OK: [eva/<via Auth-Type = eap>] (from client ap1)\n",
        "Login OK: [eva] (from client ap1)\n",
        "Login incorrect: see docs/login [a/b]\n",
        "docs/reset_password - Explains\n",
        "docs/api_password - how to set it\n",
    };
    STAYS(texts);
}

static void test_dumps(void **state)
{
    (void)state;
    expect("corp.lan\\eva:1104:" h32 ":" h32 ":::\nPC7$:aes256-cts-hmac-sha1-96:" h32 h32 "\n",
           "corp.lan\\eva:1104:[redacted:value]:::\nPC7$:aes256-cts-hmac-sha1-96:[redacted:value]"
           "\n",
           2);
    static const char *const texts[] = {
        "eva:1104:1104:/home/eva:/bin/sh\n",
        "sum:1:" h32 ":" h16 ":\n",
        "default_tkt_enctypes = aes256-cts-hmac-sha1-96:normal\n",
    };
    STAYS(texts);
}

static void test_fields(void **state)
{
    (void)state;
    finds("{\n  \"type\": \"CONCEALED\",\n  \"label\": \"recovery\",\n  \"value\": \"",
          "7QRVA-4P9HX", "\"\n}\n");
    finds("{\"value\": \"", "7QRVA-4P9HX", "\", \"type\": \"CONCEALED\"}\n");
    static const char *const texts[] = {
        "{\"type\": \"CONCEALED\", \"label\": \"recovery\"}, {\"value\": \"7QRVA-4P9HX\"}\n",
        "{\"type\": \"STRING\", \"label\": \"serial\", \"value\": \"7QRVA-4P9HX\"}\n",
    };
    STAYS(texts);
}

static void test_words(void **state)
{
    (void)state;
    finds("guest_wifi_password: ", "Hecht & M\xc3\xb6we", "\n");
    finds("vault_stats_password: ", "gras-halm.qXuLaZo", "\n");
    static const char *const texts[] = {
        "reset_password: Reset Password\n",
        "db_password: settings.getUserName\n",
        "api_password: my-module.getDefaultValue\n",
    };
    STAYS(texts);
}

/* Letters of other alphabets are letters: Москва-77, 密码abc123, Ζευς-4411. */
static void test_alphabets(void **state)
{
    (void)state;
    static const char *const words[] = {
        "\xd0\x9c\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0-77",
        ("\xe5\xaf\x86\xe7\xa0\x81"
         "abc123"),
        "\xce\x96\xce\xb5\xcf\x85\xcf\x82-4411",
        "L\xc3\xa4rchen.772",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        finds("password ", words[i], "\n");
        finds("user,password\nbob,", words[i], "\n");
        finds("x.setPassword(\"", words[i], "\");\n");
    }
    static const char *const texts[] = {
        "password \xe2\x80\x94 12 characters\n",
        "password \xe2\x80\x9c"
        "at least 12\xe2\x80\x9d\n",
    };
    STAYS(texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logs),      cmocka_unit_test(test_dumps),
        cmocka_unit_test(test_fields),    cmocka_unit_test(test_words),
        cmocka_unit_test(test_alphabets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
