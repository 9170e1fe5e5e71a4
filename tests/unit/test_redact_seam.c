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

/* All of a token in escapes; and what an address need not have written so. */
static void test_rows_of_escapes(void **state)
{
    (void)state;
    static const char token[] = "ghp_t7QwVX6LSwiq428Yhkj5jFBpRcxf2aQiGx1p";
    static const char *const forms[] = {"\\u%04x", "\\x%02X"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[300] = "t = \"";
        for (const char *c = token; *c; c++)
            snprintf(text + strlen(text), 8, forms[i], (unsigned)*c);
        snprintf(text + strlen(text), 3, "\"\n");
        expect(text, "t = \"" TOKEN "\"\n", 1);
    }
    expect("https://x.example/a/ghp%5Ft7QwVX6LSw" MIDST END "?u=1",
           "https://x.example/a/" TOKEN "?u=1", 1);
    static const char *const texts[] = {"\"\\x41\\x42\\x43\\x80\\x44\\x45\\x46\"",
                                        "https://x.example/a%2Db%2Dc?x=100%25",
                                        "printf(\"%5d %2d-%2dx\", a, b)"};
    STAYS(texts);
}

/* What a terminal shows of it: characters written over others, modes, other blanks. */
static void test_what_is_shown(void **state)
{
    (void)state;
    expect("T\bTo\bok\bke\ben\bn: glacier78523\n", "T\bTo\bok\bke\ben\bn: " VALUE "\n", 1);
    expect("_\bp_\ba_\bs_\bs: g\bgl\blacier7\b78\b8523\n", "_\bp_\ba_\bs_\bs: " VALUE "\n", 1);
    expect("password: glacierx\b \b78523\n", "password: " VALUE "\n", 1);
    expect("password\u00a0=\u00a0glacier78523\n", "password\u00a0=\u00a0" VALUE "\n", 1);
    expect("password\u202f: glacier78523\n", "password\u202f: " VALUE "\n", 1);
    expect("ghp_t7QwVX6LSw\033(B\033[m" MIDST END "\n", TOKEN "\n", 1);
    expect("ghp_t7QwVX6LSw\033[5C\033[5D" MIDST END "\n", TOKEN "\n", 1);
    expect("ghp_t7QwVX6LSw\033[?2004l\r\033[0m" MIDST END "\n", TOKEN "\n", 1);
    static const char *const texts[] = {"10%\b\b\b20%\b\b\b30%\n", "\b\b\n\b", "a\u00a0b\b"};
    STAYS(texts);
}

/* A backspace takes nothing away by itself; and what was written over can be read in the text. */
static void test_what_is_taken_back(void **state)
{
    (void)state;
    expect("password: glacier78523\b\b\n", "password: " VALUE "\b\b\n", 1);
    expect("password: glacier78523\b\b\b23\n", "password: " VALUE "\n", 1);
    expect("password: glacier7852\u00e9\bX\nuser: bob\n", "password: " VALUE "\nuser: bob\n", 1);
    expect("password: glacix\033[1m\ber78523\n", "password: " VALUE "\n", 1);
    expect("ghp_t7QwVX6LSw" MIDST END "\b\b\b   \n", TOKEN "\b\b\b   \n", 1);
    expect("ghp_t7QwVX6LSw" MIDST END "\b\bxy\b\b\b\n", TOKEN "\b\b\b\n", 1);
}

/* Quotes as XML and HTML write them, once and twice. */
static void test_entities(void **state)
{
    (void)state;
    found_as("{&quot;password&quot;:&quot;", "glacier78523", "&quot;}\n", "value");
    found_as("<a v=\"{&#34;password&#34;:&#34;", "glacier78523", "&#34;}\">\n", "value");
    found_as("<a v='{&#x22;password&#x22;:&#x22;", "glacier78523", "&#x22;}'>\n", "value");
    found_as("{&amp;quot;password&amp;quot;:&amp;quot;", "glacier78523", "&amp;quot;}\n", "value");
    found_as("<p>password = &#39;", "glacier78523", "&#39;</p>\n", "value");
    char *lone = strdup(" &quot;abc"); /* nothing is in front of it */
    remains(lone);
    free(lone);
    static const char *const texts[] = {
        "a &quot;quoted&quot; word, a password &quot;is&quot; here\n", "x &quot", "&quot;",
        "&#34;&#34", "a&quality=1&#x=2&apos\n"};
    STAYS(texts);
}

/* YAML takes the blanks away that stand in front of what goes on. */
static void test_a_quoted_line_goes_on(void **state)
{
    (void)state;
    expect("password: \"zaEigrOMDmzWjOK\\\n  4JQLRQiaEcwFixH\"\nuser: bob\n",
           "password: \"" VALUE "\"\nuser: bob\n", 1);
    expect("password: \"zaEigrOMDmzWjOK\\\r\n  4JQLRQiaEcwFixH\"\r\nuser: bob\r\n",
           "password: \"" VALUE "\"\r\nuser: bob\r\n", 1);
    remains("#define U \"usage: foo\\\n    bar baz\\n\"\n");
}

/* What a shell's backslash cuts, in a file of Windows, too. */
static void test_a_word_goes_on(void **state)
{
    (void)state;
    static const char *const ends[] = {"\\\n", "\\\r\n", "\\\n> ", "\\\r\n> "};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[100];
        snprintf(text, sizeof text, "export DB_PASSWORD=kjh34K%sJHk34kjh\r\n", ends[i]);
        expect(text, "export DB_PASSWORD=" VALUE "\r\n", 1);
        snprintf(text, sizeof text, "$ echo " BEGIN "%s" MIDST END "\n", ends[i]);
        expect(text, "$ echo " TOKEN "\n", 1);
    }
    remains("set TOKEN_DIR=C:\\keys\\\r\ncd kjh34K\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_no_escapes),
        cmocka_unit_test(test_rows_of_escapes),
        cmocka_unit_test(test_what_is_shown),
        cmocka_unit_test(test_what_is_taken_back),
        cmocka_unit_test(test_entities),
        cmocka_unit_test(test_a_quoted_line_goes_on),
        cmocka_unit_test(test_a_word_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
