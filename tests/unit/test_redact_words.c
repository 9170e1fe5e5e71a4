/* Secrets of letters alone, where their place says what they are: a registry's, a section's, what a
 * shell compares with, texts of JSON in an address; and words in such places that are none. */
#include "redacted.h"

static void test_what_is_set(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"//registry.npmjs.org/:_authToken=", "velvetcopper", "\n"},
        {"npm config set //npm.corp.example/:_authToken=", "velvetcopper", ""},
        {"[github]\ntoken = \"", "velvetcopper", "\"\n"},
        {"[cloud]\n# of kim\nregion = north\ntoken = ", "velvetcopper", "\n"},
        {"Your passphrase (between double-quotes): \"", "velvet copper", "\"\n"},
    };
    FIND_ALL(places);
    static const char *const others[] = {
        "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n",
        "//registry.npmjs.org/:_authToken=<token>\n",
        "token = \"velvetcopper\"\n",
        "[parser]\ntoken = \"identifier\"\n",
        "def f():\n    token = velvetcopper\n",
        "Passphrase (optional): \"Leave empty for none\"\n",
    };
    STAYS(others);
}

/* RFC 3986: %22 is a quote, %3A a colon. */
static void test_in_an_address(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"data=%7B%22user%22%3A%22kim%22%2C%22password%22%3A%22", "velvet", "%22%7D"},
        {"%7B%22password%22%3A%20%22", "hunter2", "%22%7D"},
        {"%7b%22password%22%3a+%22", "a%20b", "%22%2c%22user%22%3a%22kim%22%7d"},
        {"curl 'https://x.example/?q=%7B%22token%22%3A%22", "Zq7pdx91", "%22%7D'"},
        {"%7B%5C%22password%5C%22%3A%5C%22", "horse", "%5C%22%7D"},
    };
    FIND_ALL(places);
    remains("%7B%22password%22%3A%22%22%7D");
    remains("%7B%22password%22%3Anull%7D");
}

static void test_what_is_compared(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"if [ \"$password\" = \"", "velvetcopper", "\" ]; then\n"},
        {"if test \"$pw\" = ", "velvetcopper", " && true\n"},
        {"[ \"$PW\" = \"", "hunter2", "\" ]"},
        {"[[ $PASSWORD == \"", "hunter2", "\" ]] || exit 1\n"},
    };
    FIND_ALL(places);
    static const char *const others[] = {
        "[ \"$password\" = \"$confirm\" ]\n", "[ \"$password\" = \"\" ]\n",
        "[ \"$PASSWORD\" = \"changeme\" ]\n", "test \"$pw\" = yes\n",
        "[ \"$TOKEN\" = \"null\" ]\n",
    };
    STAYS(others);
}

static void test_behind_a_scheme(void **state)
{
    (void)state;
    static const char *const names[] = {"accessToken", "jwtToken",  "idToken",      "JWT_TOKEN",
                                        "apiKey",      "userToken", "refreshToken", "tokenValue"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[80];
        snprintf(text, sizeof text, "Authorization: Bearer %s\n", names[i]);
        remains(text);
    }
    found_as("Authorization: Bearer ", "kRvTyNqWzXpLmB", "\n", "authorization");
    found_as("Authorization: Bearer ", "velvetcopper", "\n", "authorization");
}

static void test_what_commands_are_given(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"curl -H \"Authorization: Basic $(echo -n kim:", "velvet", " | base64)\" https://x/\n"},
        {"curl -H \"Authorization: Basic $(printf 'kim:", "velvet", "' | base64 -w0)\" x\n"},
        {"$ curl -H \"Authorization: Basic `echo -n kim:", "velvet", " | base64`\" x\n"},
        {".logon tdprod/kim,", "velvet", "\n"},
        {"$ bteq <<E\n.LOGON tdprod/kim,", "hunter2", ";\n"},
    };
    FIND_ALL(places);
    static const char *const others[] = {
        "curl -H \"Authorization: Basic $(echo -n $USER:$PASS | base64)\" https://x/\n",
        ".logon tdprod/kim\n",
    };
    STAYS(others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_set),
        cmocka_unit_test(test_in_an_address),
        cmocka_unit_test(test_what_is_compared),
        cmocka_unit_test(test_behind_a_scheme),
        cmocka_unit_test(test_what_commands_are_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
