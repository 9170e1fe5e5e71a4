/* The legacy envelope: what goes in front of a text comes off again, wherever the text comes back.
 */
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/legacy.h"

#define OBJECT "{\"v\":1,\"type\":\"user_cmd_context\"}"
#define RS     "\\u001e"
#define US     "\\u001f"

static void expect_json(const struct bytes *got, const char *wanted)
{
    json_t *a = json_loadb(got->data ? got->data : "", got->len, 0, NULL);
    json_t *b = json_loads(wanted, 0, NULL);
    assert_non_null(b);
    if (!json_equal(a, b))
        fail_msg("came %s\nnot  %s", got->data ? got->data : "(nothing)", wanted);
    json_decref(a);
    json_decref(b);
}

static int add(const char *line, const char *object, struct bytes *out)
{
    struct message turn = message_read(line, strlen(line));
    return legacy_add(&turn, object, out);
}

static void expect_added(const char *line, const char *object, const char *wanted)
{
    struct bytes out = {0};
    assert_int_equal(add(line, object, &out), 1);
    expect_json(&out, wanted);
    bytes_finish(&out);
}

static void expect_stripped(const char *line, const char *wanted)
{
    struct bytes out = {0};
    assert_int_equal(legacy_strip(line, strlen(line), &out), wanted ? 1 : 0);
    if (wanted)
        expect_json(&out, wanted);
    bytes_finish(&out);
}

static void test_goes_in_front_of_the_first_text(void **state)
{
    (void)state;
    expect_added("{\"params\":{\"input\":[{\"type\":\"image\",\"url\":\"x\"},{\"type\":\"text\","
                 "\"text\":\"hi\"},"
                 "{\"type\":\"text\",\"text\":\"two\"}]}}",
                 OBJECT,
                 "{\"params\":{\"input\":[{\"type\":\"image\",\"url\":\"x\"},{\"type\":\"text\","
                 "\"text\":\"" RS
                 "CODEX_META {\\\"v\\\":1,\\\"type\\\":\\\"user_cmd_context\\\"}" US
                 "hi\"},{\"type\":\"text\",\"text\":\"two\"}]}}");
}

static void test_elements_move_along_and_back(void **state)
{
    static const char line[] = "{\"params\":{\"input\":[{\"type\":\"text\",\"text\":\"see "
                               "@f\",\"text_elements\":[{\"byteRange\":"
                               "{\"start\":4,\"end\":6}}]}]}}";
    struct bytes added = {0}, back = {0};
    (void)state;
    assert_int_equal(add(line, OBJECT, &added), 1);
    json_t *json = json_loadb(added.data, added.len, 0, NULL);
    const json_t *item =
        json_array_get(json_object_get(json_object_get(json, "params"), "input"), 0);
    const json_t *range =
        json_object_get(json_array_get(json_object_get(item, "text_elements"), 0), "byteRange");
    json_int_t start = json_integer_value(json_object_get(range, "start"));
    assert_memory_equal(json_string_value(json_object_get(item, "text")) + start, "@f", 2);
    json_decref(json);
    assert_int_equal(legacy_strip(added.data, added.len, &back), 1);
    expect_json(&back, line);
    bytes_finish(&added);
    bytes_finish(&back);
}

static void test_no_other_byte_changes(void **state)
{
    static const char line[] = "{ \"id\":1.50e1,\"params\" : {\"input\":[7, "
                               "{\"text\":\"\\u0068i\\/\",\"type\":\"te\\u0078t\" }]}}";
    struct bytes out = {0};
    (void)state;
    assert_int_equal(add(line, "{}", &out), 1);
    assert_string_equal(out.data, "{ \"id\":1.50e1,\"params\" : {\"input\":[7, {\"text\":\"\\u001E"
                                  "CODEX_META {}\\u001F"
                                  "\\u0068i\\/\",\"type\":\"te\\u0078t\" }]}}");
    bytes_finish(&out);
}

static void test_without_a_text_nothing_is_added(void **state)
{
    static const char line[] = "{\"params\":{\"input\":[{\"type\":\"image\"}]}}";
    struct bytes out = {0};
    (void)state;
    assert_int_equal(add(line, OBJECT, &out), -ENOENT);
    assert_int_equal(add("no json", OBJECT, &out), -EINVAL);
    assert_int_equal(out.len, 0);
}

static void test_a_users_own_sentinel_is_the_users(void **state)
{
    static const char line[] = "{\"params\":{\"input\":[{\"type\":\"text\",\"text\":\"" RS
                               "CODEX_META {\\\"v\\\":1}" US "mine\"}]}}";
    struct bytes added = {0}, back = {0};
    (void)state;
    assert_int_equal(add(line, NULL, &added), 1); /* an empty one in front */
    assert_int_equal(legacy_strip(added.data, added.len, &back), 1);
    expect_json(&back, line);
    added.len = back.len = 0;
    static const char plain[] = "{\"params\":{\"input\":[{\"type\":\"text\",\"text\":\"plain\"}]}}";
    assert_int_equal(add(plain, NULL, &added), 0);
    bytes_finish(&added);
    bytes_finish(&back);
}

static void test_comes_off_everywhere(void **state)
{
    (void)state;
    expect_stripped("{\"result\":{\"thread\":{\"preview\":\"" RS "CODEX_META {\\\"v\\\":1}" US
                    "why\",\"turns\":[{\"items\":[{"
                    "\"content\":[{\"text\":\"" RS "CODEX_META {\\\"v\\\":1}" US "why\"}]}]}]}}}",
                    "{\"result\":{\"thread\":{\"preview\":\"why\",\"turns\":[{\"items\":[{"
                    "\"content\":[{\"text\":\"why\"}]}]}]}}}");
    expect_stripped("{\"a\":[\"" RS "CODEX_META {}" US "\"]}", "{\"a\":[\"\"]}");
    expect_stripped("{\"preview\":\"" RS "CODEX_META {\\\"v\\\":1,\\\"cut of\"}",
                    "{\"preview\":\"\"}");
    expect_stripped("{\"text\":\"before " RS "CODEX_META {}" US "\"}", NULL);
    expect_stripped("{\"text\":\"" RS "CODEX_META not ours" US "x\"}", NULL);
    assert_false(legacy_may_hold("{\"text\":\"x\"}", 12));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_in_front_of_the_first_text),
        cmocka_unit_test(test_elements_move_along_and_back),
        cmocka_unit_test(test_no_other_byte_changes),
        cmocka_unit_test(test_without_a_text_nothing_is_added),
        cmocka_unit_test(test_a_users_own_sentinel_is_the_users),
        cmocka_unit_test(test_comes_off_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
