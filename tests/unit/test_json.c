/* Looking things up in parsed JSON: what is missing or of another type is not there. */
#include "test.h"

#include <string.h>

#include "ptyd/core/json.h"

static void test_look_ups(void **state)
{
    json_t *json = json_loads(
        "{\"a\":{\"b\":{\"c\":7}},\"text\":\"x\",\"yes\":true,\"real\":1.5,\"none\":null}", 0,
        NULL);
    (void)state;
    assert_int_equal(json_integer_value(json_at(json, "a", "b", "c")), 7);
    assert_null(json_at(json, "a", "text", "c"));
    assert_null(json_at(NULL, "a", "b"));
    assert_int_equal(json_number(json_at(json, "a", "b"), "c", 1), 7);
    assert_int_equal(json_number(json, "real", -1), -1);
    assert_int_equal(json_number(json, "text", -1), -1);
    assert_string_equal(json_text(json, "text", ""), "x");
    assert_string_equal(json_text(json, "none", "other"), "other");
    assert_null(json_text(json_at(json, "text"), "text", NULL));
    assert_true(json_flag(json, "yes"));
    assert_false(json_flag(json, "text"));
    assert_false(json_flag(NULL, "yes"));
    json_decref(json);
}

/* What is appended reads back the same, by jansson. */
static void test_strings(void **state)
{
    static const char *const texts[] = {"",
                                        "plain",
                                        "\"",
                                        "\\",
                                        "a\"b\\c\n\t\x01\x1f\x7f",
                                        "\\u0041",
                                        "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80",
                                        "\r\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct bytes out = {0};
        json_append_string(&out, texts[i]);
        json_t *read = json_loadb(out.data, out.len, JSON_DECODE_ANY, NULL);
        assert_string_equal(json_string_value(read), texts[i]);
        json_decref(read);
        bytes_finish(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_look_ups),
                                       cmocka_unit_test(test_strings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
