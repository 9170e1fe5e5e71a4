/* Words that a program took apart to show them, or wrote other characters of: a recording's frames,
 * strace's calls, escapes of JSON. */
#include "redacted.h"

#define BEGIN "ghp_t7QwVX6LSw"
#define MIDST "WAlyWG0dHhQtf"
#define END   "hTc27CeJ0JZBo"
#define TOKEN "[redacted:github-token]"
#define VALUE "[redacted:value]"

static void test_frames(void **state)
{
    (void)state;
    expect("[0.412,\"o\",\"$ echo " BEGIN "\"]\n[0.431,\"o\",\"" MIDST "\"]\n[0.455,\"o\",\"" END
           "\\r\\n\"]\n",
           "[0.412,\"o\",\"$ echo " TOKEN "\\r\\n\"]\n", 1);
    expect("[0.4, \"o\", \"export DB_PASSWORD=kjh34K\"]\r\n[0.5, \"o\", \"JHk34kjh\\r\\n\"]\r\n",
           "[0.4, \"o\", \"export DB_PASSWORD=" VALUE "\\r\\n\"]\r\n", 1);
    static const char *const texts[] = {
        "[0.4, \"o\", \"$ l\"]\n[0.5, \"o\", \"s\"]\n",
        "[0.4, \"o\", \"" BEGIN "\\n\"]\n[0.5, \"o\", \"" MIDST END "\"]\n",
        "[0.4, \"r\", \"" BEGIN "\"]\n[0.5, \"r\", \"" MIDST END "\"]\n",
        "[1, \"" BEGIN "\"]\n[2, \"" MIDST END "\"]\n",
        "[0.4, \"o\", \"x\"]\n[0.5, \"o\", ",
        "\"]",
        "x\"]\n[",
    };
    STAYS(texts);
}

static void test_calls(void **state)
{
    (void)state;
    expect("write(1, \"key: " BEGIN "\", 19) = 19\nwrite(1, \"" MIDST END "\\n\", 27) = 27\n",
           "write(1, \"key: " TOKEN "\\n\", 27) = 27\n", 1);
    expect("[pid  812] 11:02:44.018 sendto(3, \"Bearer: " BEGIN
           "\", 22, MSG_NOSIGNAL, NULL, 0) = 22\n"
           "[pid  812] 11:02:44.019 sendto(3, \"" MIDST END "\", 26, MSG_NOSIGNAL, NULL, 0) = 26\n",
           "[pid  812] 11:02:44.018 sendto(3, \"Bearer: " TOKEN
           "\", 26, MSG_NOSIGNAL, NULL, 0) = 26\n",
           1);
    static const char *const texts[] = {
        "write(1, \"key: " BEGIN "\", 19) = 19\nwrite(2, \"" MIDST END "\\n\", 27) = 27\n",
        "write(1, \"key: " BEGIN "\", 19) = 19\nread(1, \"" MIDST END "\\n\", 27) = 27\n",
        "write(1, \"" BEGIN "\\n\", 19) = 19\nwrite(1, \"" MIDST END "\\n\", 27) = 27\n",
        "printf(\"" BEGIN "\", x = 19)\nprintf(\"" MIDST END "\", x = 27)\n",
        "x\", 1) = 1\n",
    };
    STAYS(texts);
}

static void test_escapes(void **state)
{
    (void)state;
    expect("{\"t\":\"ghp\\u005ft7QwVX6LSw" MIDST END "\"}", "{\"t\":\"" TOKEN "\"}", 1);
    expect("t = \"ghp\\x5ft7QwVX6LSw" MIDST END "\"", "t = \"" TOKEN "\"", 1);
    expect("{\"url\":\"https:\\/\\/kim:pa55word@db.lan\\/x\"}",
           "{\"url\":\"https:\\/\\/kim:[redacted:url-password]@db.lan\\/x\"}", 1);
    expect("\"https:\\/\\/hooks.slack.com\\/services\\/T0VG5CL2YC\\/B0921H1Z6AG\\/"
           "jGfSJWeEECVsFlQ3JqJsEzKx\"",
           "\"https:\\/\\/[redacted:slack-webhook]\"", 1);
    expect("token=abcD3fgh1jkLm\\u003d", "token=" VALUE, 1);
    static const char *const texts[] = {"sed -e 's/foo\\/bar/x\\/y/' a", "\"\\u005f\\u0066\"",
                                        "\\u005", "x\\x5"};
    STAYS(texts);
}

/* What is no escape of a token's stays as it is, and what is behind it begins a word. */
static void test_no_escapes(void **state)
{
    (void)state;
    expect("{\"u\":\"a\\/b\",\"v\":\"\\u0022" BEGIN MIDST END "\\u0022\"}\n",
           "{\"u\":\"a\\/b\",\"v\":\"\\u0022" TOKEN "\\u0022\"}\n", 1);
    expect("{\"u\":\"a\\/b\",\"v\":\"x\\u0026" BEGIN MIDST END "\"}\n",
           "{\"u\":\"a\\/b\",\"v\":\"x\\u0026" TOKEN "\"}\n", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_no_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
