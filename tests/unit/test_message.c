/* A message's parts: what is found where, in odd and hostile messages, and in messages cut at every
 * byte. Whether a message is sound is compared with the parser. */
#include "test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "envelope/message.h"

#define MISSING "-"     /* a part that is not there */
#define TWICE   "twice" /* one that does not count */

static void expect(struct span part, const char *wanted, const char *line)
{
    const char *got = part.at ? part.len ? part.at : TWICE : MISSING;
    size_t len = part.at && part.len ? part.len : strlen(got);
    if (len != strlen(wanted) || memcmp(got, wanted, len))
        fail_msg("in %s: came %.*s, not %s", line, (int)len, got, wanted);
}

/* ---- the head ---- */

static void test_the_top_level(void **state)
{
    static const struct {
        const char *line, *method, *id, *result;
    } cases[] = {
        {"{\"id\":1,\"method\":\"a\"}", "\"a\"", "1", MISSING},
        {" \t\r\n{ \"method\" : \"a\" , \"id\" : \"x\" } \n", "\"a\"", "\"x\"", MISSING},
        {"{\"id\":-0,\"result\":null}", MISSING, "-0", "null"},
        {"{\"id\":1e2,\"result\":[{}]}", MISSING, "1e2", "[{}]"},
        {"{\"id\":{\"id\":2},\"result\":{\"method\":\"a\"}}", MISSING, "{\"id\":2}",
         "{\"method\":\"a\"}"},
        {"{\"m\\u0065thod\":\"a\\\"\",\"i\\u0064\":7}", "\"a\\\"\"", "7", MISSING},
        {"{\"a\":\"\\\\\",\"id\":3}", MISSING, "3", MISSING},
        {"{\"a\":\"}\\\\\\\"]\",\"id\":3}", MISSING, "3", MISSING},
        {"{\"id\":1,\"id\":2}", MISSING, TWICE, MISSING},
        {"{\"id\":1,\"\\u0069d\":1}", MISSING, TWICE, MISSING},
        {"{\"ID\":1,\"id \":2,\"\":3,\"method\\u0000\":\"a\"}", MISSING, MISSING, MISSING},
        {"{}", MISSING, MISSING, MISSING},
        {"", MISSING, MISSING, MISSING},
        {"[]", MISSING, MISSING, MISSING},
        {"7", MISSING, MISSING, MISSING},
        {"\xef\xbb\xbf{\"id\":1}", MISSING, MISSING, MISSING},
        {"{\"id\":1", MISSING, MISSING, MISSING},
        {"{\"id\":1,}", MISSING, MISSING, MISSING},
        {"{\"id\" 1}", MISSING, MISSING, MISSING},
        {"{\"id\":}", MISSING, MISSING, MISSING},
        {"{\"id\":1,\"a\":[}]}", MISSING, MISSING, MISSING},
        {"{\"id\":1,\"a\":{1}}", MISSING, MISSING, MISSING},
        {"{\"id\":1 \"a\":2}", MISSING, MISSING, MISSING},
        {"{\"id\":1,\"a\":[1 2]}", MISSING, MISSING, MISSING},
        {"{id:1}", MISSING, MISSING, MISSING},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message m = message_read(cases[i].line, strlen(cases[i].line));
        expect(m.method, cases[i].method, cases[i].line);
        expect(m.id, cases[i].id, cases[i].line);
        expect(m.result, cases[i].result, cases[i].line);
    }
}

/* ---- params and result ---- */

static void test_the_parts_of_params(void **state)
{
    static const struct {
        const char *line, *thread, *context, *input;
    } cases[] = {
        {"{\"params\":{\"threadId\":\"t\",\"input\":[],\"additionalContext\":{\"a\":1}}}", "\"t\"",
         "{\"a\":1}", "[]"},
        {"{\"params\":{\"x\":{\"threadId\":\"t\"},\"additionalContext\":null}}", MISSING, "null",
         MISSING},
        {"{\"params\":[{\"threadId\":\"t\"}]}", MISSING, MISSING, MISSING},
        {"{\"threadId\":\"t\",\"params\":\"threadId\"}", MISSING, MISSING, MISSING},
        {"{\"params\":{\"threadId\":1,\"threadId\":2,\"input\":7}}", TWICE, MISSING, "7"},
        {"{\"params\":{\"threadId\":1},\"params\":{\"input\":[]}}", MISSING, MISSING, MISSING},
        {"{\"params\":{\"threadId\":1},\"params\":null}", MISSING, MISSING, MISSING},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message m = message_read(cases[i].line, strlen(cases[i].line));
        expect(m.thread_id, cases[i].thread, cases[i].line);
        expect(m.context, cases[i].context, cases[i].line);
        expect(m.input, cases[i].input, cases[i].line);
    }
}

static void test_the_parts_of_capabilities(void **state)
{
    static const char line[] =
        "{\"params\":{\"capabilities\":{\"optOutNotificationMethods\":[\"a\"],"
        "\"experimentalApi\":true},\"experimentalApi\":false}}";
    static const char twice[] = "{\"params\":{\"capabilities\":{\"experimentalApi\":true},"
                                "\"capabilities\":{}}}";
    struct message m = message_read(line, strlen(line));
    (void)state;
    expect(m.experimental, "true", line);
    expect(m.opt_out, "[\"a\"]", line);
    m = message_read(twice, strlen(twice));
    expect(m.capabilities, TWICE, twice);
    expect(m.experimental, MISSING, twice);
}

static void test_the_first_text(void **state)
{
    static const struct {
        const char *input, *text, *elements;
    } cases[] = {
        {"[{\"type\":\"text\",\"text\":\"a\",\"text_elements\":[1]}]", "\"a\"", "[1]"},
        {"[7,[{\"type\":\"text\",\"text\":\"no\"}],{\"type\":\"image\",\"text\":\"no\","
         "\"text_elements\":[]},{\"text\":\"a\",\"type\":\"t\\u0065xt\"},"
         "{\"type\":\"text\",\"text\":\"b\",\"text_elements\":[]}]",
         "\"a\"", MISSING},
        {"[{\"type\":\"text\",\"text\":7},{\"type\":\"text\",\"text\":\"b\"}]", "\"b\"", MISSING},
        {"[{\"type\":\"text\",\"text\":\"a\",\"text\":\"b\"}]", MISSING, MISSING},
        {"[{\"x\":{\"type\":\"text\",\"text\":\"a\"}}]", MISSING, MISSING},
        {"[]", MISSING, MISSING},
        {"[ ]", MISSING, MISSING},
        {"{\"type\":\"text\",\"text\":\"a\"}", MISSING, MISSING},
        {"[{\"type\":\"text\",\"text\":\"a\"}],\"input\":[]", MISSING, MISSING},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes line = {0};
        bytes_printf(&line, "{\"params\":{\"input\":%s}}", cases[i].input);
        struct message m = message_read(line.data, line.len);
        assert_true(m.sound);
        expect(m.text, cases[i].text, line.data);
        expect(m.elements, cases[i].elements, line.data);
        bytes_finish(&line);
    }
}

static void test_the_turn_of_an_answer(void **state)
{
    static const char started[] = "{\"id\":1,\"result\":{\"turn\":{\"items\":[],\"id\":\"a\"}}}";
    static const char steered[] = "{\"id\":1,\"result\":{\"turnId\":\"b\"}}";
    (void)state;
    struct message m = message_read(started, strlen(started));
    expect(m.turn_id, "\"a\"", started);
    expect(m.steered_id, MISSING, started);
    m = message_read(steered, strlen(steered));
    expect(m.turn_id, MISSING, steered);
    expect(m.steered_id, "\"b\"", steered);
}

/* ---- soundness ---- */

static void expect_sound_as_parsed(const char *line, size_t len)
{
    struct message m = message_read(line, len);
    json_t *json = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
    if (m.sound != json_is_object(json))
        fail_msg("%.*s: sound is %d", (int)len, line, m.sound);
    json_decref(json);
}

static void test_sound_is_what_a_parser_takes(void **state)
{
    static const char *const values[] = {"0",
                                         "-0",
                                         "-",
                                         "01",
                                         "00",
                                         "1.",
                                         "1.5",
                                         ".5",
                                         "1e",
                                         "1e5",
                                         "1E+05",
                                         "-1.5e-3",
                                         "+1",
                                         "0x1",
                                         "999999999999999999",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "1e999",
                                         "1e-999",
                                         "12345678901234567890.5",
                                         "true",
                                         "false",
                                         "null",
                                         "True",
                                         "nul",
                                         "truex",
                                         "NaN",
                                         "Infinity",
                                         "'a'",
                                         "a",
                                         "\"\"",
                                         "\"\\n\\/\\b\\f\\r\\t\\\\\\\"\"",
                                         "\"\\x\"",
                                         "\"\\'\"",
                                         "\"\\u12\"",
                                         "\"\\u123g\"",
                                         "\"\\uABcd\"",
                                         "\"\\u0000\"",
                                         "\"\\ud800\"",
                                         "\"\\udc00\"",
                                         "\"\\ud83d\\ude00\"",
                                         "\"\\ud83d\\u0041\"",
                                         "\"\\ud83dx\"",
                                         "\"\\ud83d\\\\\"",
                                         "\"\t\"",
                                         "\"\x7f\"",
                                         "\"\x1f\"",
                                         "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
                                         "\"\xff\"",
                                         "\"\xc3\"",
                                         "\"\xc0\x80\"",
                                         "\"\xed\xa0\x80\"",
                                         "\"\xf4\x90\x80\x80\"",
                                         "\"\xe2\x80\xa8\"",
                                         "[]",
                                         "[[]]",
                                         "[1,]",
                                         "[,1]",
                                         "[1,2,\"a\",{\"b\":[null]}]",
                                         "{}",
                                         "{\"a\"}",
                                         "{\"\\u0000\":1}",
                                         "{\"\\ud800\":1}",
                                         "{\"a\xff\":1}",
                                         "{\"a\":1,\"a\":2}",
                                         "[1}",
                                         "1 2",
                                         "/**/1",
                                         "\"0123456789abcdef0123456789abcdef\\ud800\"",
                                         "\"0123456789abcdef\xc3\xa9\"",
                                         ("\"0123456789abcde\xff"
                                          "0123456789\"")};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct bytes line = {0};
        bytes_printf(&line, "{\"a\":%s}", values[i]);
        expect_sound_as_parsed(line.data, line.len);
        line.len = 0;
        bytes_printf(&line, "{\"params\":{\"input\":[%s , {\"text\":%s}]},\"id\":%s}", values[i],
                     values[i], values[i]);
        expect_sound_as_parsed(line.data, line.len);
        bytes_finish(&line);
    }
}

static void test_what_follows_a_message(void **state)
{
    static const char line[] = "{\"id\":1}\0\t x";
    (void)state;
    assert_true(message_read("{\"id\":1} \r\n\t", 12).sound);
    expect_sound_as_parsed("[]", 2);
    expect_sound_as_parsed(" [ ]", 4);
    assert_false(message_read("{\"id\":1}{", 9).sound);
    assert_false(message_read(line, 9).sound);
    expect(message_read("{\"id\":1}{", 9).id, "1", "two values");
}

/* Strings that no parser takes keep neither id nor method from being found. */
static void test_unsound_messages_have_parts(void **state)
{
    static const char line[] = "{\"x\":\"\\ud800\xff\",\"id\":01,\"result\":{\"turnId\":\"t\"}}";
    struct message m = message_read(line, strlen(line));
    (void)state;
    assert_false(m.sound);
    expect(m.id, "01", line);
    expect(m.steered_id, "\"t\"", line);
}

static void expect_depth(size_t depth, bool sound)
{
    struct bytes line = {0};
    bytes_append_text(&line, "{\"a\":");
    for (size_t i = 1; i < depth; i++)
        bytes_append_char(&line, '[');
    bytes_append_char(&line, '1');
    for (size_t i = 1; i < depth; i++)
        bytes_append_char(&line, ']');
    bytes_append_text(&line, ",\"id\":1}");
    struct message m = message_read(line.data, line.len);
    assert_int_equal(m.sound, sound);
    expect(m.id, sound ? "1" : MISSING, "brackets");
    bytes_finish(&line);
}

static void test_brackets_in_brackets(void **state)
{
    (void)state;
    expect_depth(LIMIT_JSON_DEPTH, true);
    expect_depth(LIMIT_JSON_DEPTH + 1, false);
    expect_depth(100000, false);
}

/* ---- cut ---- */

static const char whole[] =
    " {\"id\" : \"1\\\"\", \"x\":[{\"method\":1},-2.5,\"]\\\\\"], \"method\":\"turn\\/start\","
    "\"params\":{\"threadId\":\"t\",\"input\":[{\"type\":\"text\",\"text\":"
    "\"\\ud83d\\ude00\xc3\xa9\"}],"
    "\"additionalContext\":{\"a\":{\"value\":\"}\"}}}} ";

static void test_cut_at_every_byte(void **state)
{
    size_t len = strlen(whole);
    const char *method = strstr(whole, "\"turn"), *id = strstr(whole, "\"1");
    (void)state;
    for (size_t cut = 0; cut <= len; cut++) {
        char *line = malloc(cut + !cut); /* of this size: to read beyond is a fault */
        memcpy(line, whole, cut);
        struct message m = message_read(line, cut);
        struct message_head peeked = message_peek(line, cut);
        assert_int_equal(m.sound, cut >= len - 1);
        assert_int_equal(m.method.at != NULL, cut >= len - 1);
        assert_int_equal(peeked.method.at != NULL,
                         cut >= (size_t)(method - whole) + strlen("\"turn\\/start\""));
        assert_int_equal(peeked.id.at != NULL, cut >= (size_t)(id - whole) + strlen("\"1\\\"\""));
        expect_sound_as_parsed(line, cut);
        free(line);
    }
}

/* Any byte in any place: what is sound is what the parser takes. */
static void test_every_byte_changed(void **state)
{
    static const char others[] = "{}[]\":,\\ \n0e-u\x01\x80\xc3";
    char line[sizeof whole];
    (void)state;
    for (size_t i = 0; i < strlen(whole); i++)
        for (size_t k = 0; k < sizeof others; k++) {
            memcpy(line, whole, sizeof whole);
            line[i] = others[k];
            expect_sound_as_parsed(line, strlen(whole));
        }
}

/* A number in the head may go on behind the cut. */
static void test_a_cut_number_is_none(void **state)
{
    (void)state;
    assert_null(message_peek("{\"id\":12", 8).id.at);
    expect(message_peek("{\"id\":12,", 9).id, "12", "a head");
    expect(message_peek("{\"id\":12,\"id\":13,\"result\":{\"method\":\"x\"", 39).method, MISSING,
           "a head");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_top_level),
        cmocka_unit_test(test_the_parts_of_params),
        cmocka_unit_test(test_the_parts_of_capabilities),
        cmocka_unit_test(test_the_first_text),
        cmocka_unit_test(test_the_turn_of_an_answer),
        cmocka_unit_test(test_sound_is_what_a_parser_takes),
        cmocka_unit_test(test_what_follows_a_message),
        cmocka_unit_test(test_unsound_messages_have_parts),
        cmocka_unit_test(test_brackets_in_brackets),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_byte_changed),
        cmocka_unit_test(test_a_cut_number_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
