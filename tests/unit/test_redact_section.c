/* `key` in a section that says of what it is one; and what stays. */
#include "redacted.h"

static void test_sections(void **state)
{
    (void)state;
    finds("authentication {\n  pre-shared-key {\n    key ", "-AQ==q7Z3k9X1j5V8w2M4q7Z3",
          ";\n  }\n}\n");
    finds("    'crypt' => [\n        'salted' => 1,\n        'key' => '", h32, "'\n    ],\n");
    finds("     5\t    'crypt' => [\n     6\t        'key' => '", h32, "'\n     7\t    ],\n");
    finds("encryption:\n  cipher: aes\n  key: ", "q7Z3k9X1j5V8w2M4", "\n");
    finds("[encryption]\nkey = ", "q7Z3k9X1j5V8w2M4", "\n");
    finds("{\"encryption\": {\"key\": \"", "q7Z3k9X1j5V8w2M4", "\"}}\n");
    finds(" :active_record_encryption=>\n  {:primary_key=>\"", "q7Z3k9X1j5V8w2M4q7Z3", "\",\n");
    finds("    \"id\": \"bf51\",\n    \"key\": \"", "a!Td#3%MT-xq_lk5", "\",\n");
    finds("<response status = 'success'><result><key>", a40 "Abc==", "</key></result>\n");
    finds("PSKc: ", h32, "\n");
    finds("{\"success\":{\"username\":\"me\",\"clientkey\":\"", h32, "\"}}\n");
}

static void test_next_lines(void **state)
{
    (void)state;
    finds("    client_secret: Some(\n        \"", "q7Z3k9X1-j5V8w2M4", "\",\n    ),\n");
    finds("{:secret_key_base=>\n  \"", h32 "a7", "\",\n");
    finds("const apiKey =\n    '", "q7Z3k9X1j5V8w2M4", "';\n");
    finds("password=SecretStr(\n    \"", "Walrus12ab", "\"\n)\n");
    finds("         API_TOKEN  USER \n\"", "q7Z3k9X1j5V8w2M4", "\" \"eva\" \n");
}

static void test_what_stays(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "cache:\n  paths: a\n  key: q7Z3k9X1j5V8w2M4 x\n",
        "encryption:\n  cipher: aes\n\nother:\n  key: q7Z3k9X1j5V8w2M4 x\n",
        "encryption:\n  on: true\nimage:\n  key: q7Z3k9X1j5V8w2M4 x\n",
        "'crypt' => [\n    'key' => env('APP_KEY'),\n],\n",
        "encryption:\n  key: /etc/keys/main.pem\n",
        "encryption:\n  key: ${KEY}\n",
        "<Contents><Key>img/q7Z3k9X1j5V8w2M4q7Z3k9X1j5V8w2M4.png</Key>\n",
        "\"key\": \"value-1\"\n",
        "  \"users\": {\n    \"primary_key\": \"user_id_2\"\n",
        "class Password:\n    \"\"\"Holds 1 of 2x.\"\"\"\n",
        "if password:\n    'a b c d 1'\n",
        "password = get(\n    'DB_NAME',\n    1)\n",
        "  DB_PASSWORD  HOME \n  \"unset\"  \"/x\" \n",
        "press any key to go on\nkey 1 of 3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i], 0);
}

/* A megabyte of names, each of which has all behind it for a value: it has to end, as the crowd
 * that it is. */
static void test_many_in_one_word(void **state)
{
    (void)state;
    struct bytes text = {0};
    for (size_t i = 0; i < ((size_t)1 << 18); i++)
        bytes_append_text(&text, "key:");
    char *got = redacted(text.data, NULL, NULL);
    assert_int_equal(strncmp(got, text.data, 128 * strlen("key:")), 0);
    assert_string_equal(got + strlen(got) - strlen("key:[redacted:crowded]"),
                        "key:[redacted:crowded]");
    free(got);
    bytes_finish(&text);
    expect("encryption:\n  key: x key:key:key: 8f1b\n", "encryption:\n  key: x key:key:key: 8f1b\n",
           0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_next_lines),
        cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_many_in_one_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
