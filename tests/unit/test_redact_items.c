/* Lists of secrets below one name, in what languages write; and what stays. */
#include "redacted.h"

static const char R[] = "[redacted:value]";

/* In the text each % is one of `items`, which all go. */
static void finds_all(const char *form, const char *first, const char *second)
{
    struct bytes text = {0}, wanted = {0};
    const char *next = first;
    for (; *form; form++) {
        if (*form != '%') {
            bytes_append_char(&text, *form);
            bytes_append_char(&wanted, *form);
            continue;
        }
        bytes_append_text(&text, next);
        bytes_append_text(&wanted, R);
        next = second;
    }
    bytes_append_char(&text, 0);
    bytes_append_char(&wanted, 0);
    expect(text.data, wanted.data, 2);
    bytes_finish(&text);
    bytes_finish(&wanted);
}

static void test_brackets(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "passwords = [\"%\", \"%\"]\n",
        "{\"old_passwords\": [\n  \"%\",\n  \"%\"\n], \"n\": 1}\n",
        "secrets: [%, %]\n",
        "redis_password=( % '%' )\n",
        "declare -A passwords=([kim]=\"%\" [root]='%')\n",
        "PASSWORDS = {\"kim\": \"%\", \"root\": \"%\"}\n",
        "$passwords = ['kim' => '%', 'root' => '%'];\n",
        "var passwords = []string{\"%\", \"%\"}\n",
        "$Passwords = @(\"%\", \"%\")\n",
        "passwords = [\n  \"%\", # prod\n  \"%\",\n]\n",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        finds_all(forms[i], "Tiger5oasis", "harbor-weasel");
    finds_all("api_keys = ['%', '%']\n", "3reEFPGYkzMvWX-qKgeM0fi68pKlBXE0",
              "280fcf3d909f369961ea1645");
    finds_all("{ encryptionKeys: [ '%', '%' ], ttl: 300 }\n", "fossil harbor zebra",
              "luna79~Ember");
}

static void test_lines(void **state)
{
    (void)state;
    finds_all("passwords:\n  - %\n  - '%'\nport: 1\n", "Tiger5oasis", "unicorn harbor saffron");
    finds_all("passwords:\n- %\n- %\nport: a1b2c3d4\n", "Tiger5oasis", "mustard38");
    finds_all("passwords:\n  kim: %\n  root: %\nports: Ab1cd2\n", "Tiger5oasis", "harbor-weasel");
}

static void test_what_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "secrets:\n  - db_password\n  - api_key2\n",
        "tokens = [\"foo\", \"bar1\", \"x12\"]\n",
        "passwords = [p for p in f(x1)]\n",
        "secrets: [ssh-key-1, deploy_key]\n",
        "permissions: [\"Tiger5oasis\"]\n",
        "passwords:\n  - $A1\n  - {{ b2 }}\n",
        "\"Credentials\": {\"Expiration\": \"2019-11-01T20:26:47Z\"}\n",
        "passwords: {\"type\": \"Tiger5oasis\"}\n",
        "passwords:\nports: Tiger5oasis\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

static void test_lists_and_maps_of_one_name(void **state)
{
    (void)state;
    expect("\"cookieSecret\" : [ \"8d78d36286145dab15f107bacdc2d375\", "
           "\"15929330d68ce0ada4a20ffb9f8474b5\" ]\n",
           "\"cookieSecret\" : [ \"[redacted:value]\", \"[redacted:value]\" ]\n", 2);
    expect("api_keys     = {\n  billing = \"cXeOWVVWrWuSlaYyYb2SEI76tmRbUPYN\"\n"
           "  search  = \"8826cb939dc6b4884516849be87ed4ff\"\n}\n",
           "api_keys     = {\n  billing = \"[redacted:value]\"\n"
           "  search  = \"[redacted:value]\"\n}\n",
           2);
    expect("api_keys = {\n  billing = \"billing-v2\"\n  search  = \"search-v1\"\n}\n",
           "api_keys = {\n  billing = \"billing-v2\"\n  search  = \"search-v1\"\n}\n", 0);
}

/* Several on a line, below what says what they are. */
static void test_codes_in_columns(void **state)
{
    (void)state;
    expect("Recovery codes (store them safely):\n  2f4ed-6aafe   49e9b-7fcec\n"
           "  200bd-9c404   8b54e-4bd03\n",
           "Recovery codes (store them safely):\n  [redacted:value]\n", 1);
    expect("Backup codes\n  12345678  23456789\n  34567890  45678901\n$ ls\n",
           "Backup codes\n  [redacted:value]\n$ ls\n", 1);
    expect("Recovery codes:\n  2f4ed-6aafe  other  things\n",
           "Recovery codes:\n  2f4ed-6aafe  other  things\n", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_and_maps_of_one_name),
        cmocka_unit_test(test_codes_in_columns),
        cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_what_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
