/* Looking things up in parsed JSON: what is missing or of another type is not there. */
#include "test.h"

#include <string.h>

#include "ptyd/core/json.h"
#include "ptyd/core/json_walk.h"

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

/* ---- gone through where it lies ---- */

static void expect_same(struct json_piece piece, const json_t *value)
{
    struct json_piece inside, key, item;
    struct bytes text = {0};
    size_t count = 0;
    if (json_is_string(value)) {
        assert_true(json_piece_text(piece, &text));
        assert_int_equal(text.len, json_string_length(value));
        assert_memory_equal(text.data ? text.data : "", json_string_value(value), text.len);
    } else if (json_is_integer(value)) {
        assert_int_equal(json_piece_number(piece, -1), json_integer_value(value));
    } else if (json_is_object(value)) {
        assert_true(json_walk_into(piece, '{', &inside));
        for (; json_walk_member(&inside, &key, &item) > 0; count++) {
            text.len = 0;
            assert_true(json_piece_text(key, &text));
            expect_same(item, json_object_getn(value, text.data, text.len));
        }
        assert_int_equal(json_walk_member(&inside, &key, &item), 0);
        assert_int_equal(count, json_object_size(value));
    } else if (json_is_array(value)) {
        assert_true(json_walk_into(piece, '[', &inside));
        while (json_walk_item(&inside, &item) > 0)
            expect_same(item, json_array_get(value, count++));
        assert_int_equal(json_walk_item(&inside, &item), 0);
        assert_int_equal(count, json_array_size(value));
    } else {
        assert_false(json_piece_text(piece, &text));
        assert_int_equal(json_piece_number(piece, -7), -7);
    }
    bytes_finish(&text);
}

/* It finds what jansson does, also with every byte of it changed: of what jansson refuses only no
 * more than is there. */
static void test_walk(void **state)
{
    static const char text[] =
        " {\"seq\" : 12,\"cmd\":\"a \\\"b\\\\\",\"\\u00e9\":\"\\ud83d\\ude00 \\n\\t/\\/\", "
        "\"null\":null,"
        "\"preview\":{\"lines\":[\"x]}\",\"\", \"{[\"],\"truncated\":false},\"none\":[],\"o\":{} ,"
        "\"exit_code\":-1}\n";
    char copy[sizeof text];
    (void)state;
    json_t *value = json_loads(text, 0, NULL);
    assert_non_null(value);
    expect_same((struct json_piece){text, strlen(text)}, value);
    json_decref(value);
    for (size_t at = 0; at < strlen(text); at++)
        for (const char *with = "\"\\{}[],:x0"; *with; with++) {
            struct json_piece inside, key, item;
            struct bytes out = {0};
            int found = -1;
            memcpy(copy, text, sizeof text);
            copy[at] = *with;
            value = json_loads(copy, 0, NULL);
            if (value)
                expect_same((struct json_piece){copy, strlen(copy)}, value);
            else if (json_walk_into((struct json_piece){copy, strlen(copy)}, '{', &inside))
                while ((found = json_walk_member(&inside, &key, &item)) > 0)
                    json_piece_text(item, &out);
            assert_true(found <= 0);
            json_decref(value);
            bytes_finish(&out);
        }
}

static void test_walk_refuses(void **state)
{
    static const char *const wrong[] = {"{\"a\":1,}", "{\"a\" 1}", "{\"a\":}",    "{a:1}",
                                        "{\"a\":[1}", "{\"a",      "{\"a\":\"b}", "{\"a\":1 2}"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct json_piece inside = {0}, key, value;
        int found = 1;
        if (json_walk_into((struct json_piece){wrong[i], strlen(wrong[i])}, '{', &inside))
            while ((found = json_walk_member(&inside, &key, &value)) > 0)
                ;
        else
            found = -1;
        assert_int_equal(found, -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_look_ups),
                                       cmocka_unit_test(test_strings), cmocka_unit_test(test_walk),
                                       cmocka_unit_test(test_walk_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
