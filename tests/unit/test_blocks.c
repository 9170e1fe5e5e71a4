/* Which blocks are told, which commands are shells; and traces: every format gives the same events.
 * How marks become blocks: scenarios/. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/deliver.h"
#include "ptyd/core/text.h"
#include "ptyd/replay/replay.h"

static bool wanted(const char *cmd)
{
    struct block *block = block_create();
    free(block->cmd);
    block->cmd = text_copy(cmd);
    block->status = BLOCK_COMPLETED;
    bool result = deliver_wanted(block, conf_usual());
    block_unref(block);
    return result;
}

static void the_agents_own_tools_are_not_told(void **state)
{
    (void)state;
    assert_false(wanted("ptyd blocks"));
    assert_false(wanted("FOO=1 /usr/bin/codex -c x"));
    assert_false(wanted("claude"));
    assert_true(wanted("codex-lint"));
    assert_true(wanted("echo codex"));
    assert_true(wanted("/opt/ptyd notify codex --on fail -- make test"));
    assert_false(wanted("ptyd notify codex -- codex exec x"));
    assert_false(wanted("ptyd notify codex -s work"));
    assert_false(wanted("ptyd run -- make"));
}

static void nested_shells_are_recognised(void **state)
{
    (void)state;
    assert_true(block_command_nests("bash"));
    assert_true(block_command_nests("exec zsh -l"));
    assert_true(block_command_nests("ssh host"));
    assert_true(block_command_nests("sudo -i"));
    assert_true(block_command_nests("docker exec -it x sh"));
    assert_false(block_command_nests("bash script.sh"));
    assert_false(block_command_nests("bash -c 'ls'"));
    assert_false(block_command_nests("docker ps"));
    assert_false(block_command_nests("ls ssh"));
}

/* ---- traces ---- */

static json_t *replay_text(const char *data, size_t len, const char *timing, char **ret_error)
{
    struct replay *r = replay_create(&(struct replay_options){0});
    trace_read(data, len, TRACE_AUTO, timing, timing ? strlen(timing) : 0, replay_events(), r,
               ret_error);
    json_t *result = replay_finish(r);
    replay_destroy(r);
    return result;
}

static void assert_screen(const char *data, size_t len, const char *timing, const char *row,
                          int cols)
{
    char *error = NULL;
    json_t *result = replay_text(data, len, timing, &error);
    const json_t *screen = json_object_get(result, "screen");
    assert_null(error);
    assert_string_equal(json_string_value(json_array_get(json_object_get(screen, "rows"), 0)), row);
    assert_int_equal(json_integer_value(json_object_get(screen, "cols")), cols);
    json_decref(result);
}

static void every_format_is_read(void **state)
{
    static const char v1[] =
        "{\"version\":1,\"width\":50,\"height\":10,\"stdout\":[[0.1,\"he\"],[0.2,\"llo\"]]}";
    static const char v2[] = "{\"version\":2,\"width\":51,\"height\":10}\n[0.1,\"o\",\"he\"]\n[0.2,"
                             "\"i\",\"x\"]\n[0.3,\"o\",\"llo\"]\n";
    static const char v3[] =
        "{\"version\":3,\"term\":{\"cols\":52,\"rows\":10}}\n# "
        "note\n\n[0.1,\"o\",\"he\"]\n[0.1,\"r\",\"53x12\"]\n[0.1,\"o\",\"llo\"]\n";
    static const char script[] =
        "Script started on X [COLUMNS=\"54\" LINES=\"10\"]\nhello\nScript done on Y\n";
    static const char ttyrec[] = "\1\0\0\0\0\0\0\0\2\0\0\0he\1\0\0\0\0\0\0\0\3\0\0\0llo";
    static const char vscode[] =
        " [ {\"type\":\"resize\",\"cols\":57,\"rows\":10},{\"type\":\"output\",\"data\":\"he\"},"
        "{\"type\":\"input\",\"data\":\"x\"},{\"type\":\"command\",\"id\":\"clear\"},"
        "{\"type\":\"output\",\"data\":\"llo\"} ]";
    static const char vscode_test[] =
        "// Windows [11]\r\nexport const events = [\r\n\t{\r\n\t\t\"type\": \"resize\", \"cols\": "
        "58, "
        "\"rows\": 9\r\n\t},\r\n\t{ \"type\": \"output\", \"data\": \"hello\" }\r\n];\r\n";
    (void)state;
    assert_screen(vscode, sizeof vscode - 1, NULL, "hello", 57);
    assert_screen(vscode_test, sizeof vscode_test - 1, NULL, "hello", 58);
    assert_screen("[{\"kind\"", 8, NULL, "[{\"kind\"", 80);
    assert_screen(v1, sizeof v1 - 1, NULL, "hello", 50);
    assert_screen(v2, sizeof v2 - 1, NULL, "hello", 51);
    assert_screen(v3, sizeof v3 - 1, NULL, "hello", 53);
    assert_screen(script, sizeof script - 1, NULL, "hello", 54);
    assert_screen(script, sizeof script - 1, "0.1 2\n0.2 3\n", "hello", 54);
    assert_screen(
        "Script started\nxhello", 21,
        "H 0.0 COLUMNS 55\nH 0.0 LINES 9\nI 0.1 1\nO 0.1 5\nS 0.1 SIGWINCH ROWS=10 COLS=56\n",
        "hello", 56);
    assert_screen(ttyrec, sizeof ttyrec - 1, NULL, "hello", 80);
    assert_screen("hello", 5, NULL, "hello", 80);
    assert_screen("", 0, NULL, "", 80);
}

static void lines_may_end_as_on_windows(void **state)
{
    static const char v2[] = "\xef\xbb\xbf{\"version\":2,\"width\":51,\"height\":10}\r\n[0.1,\"o\","
                             "\"he\"]\r\n\r\n[0.3,\"o\",\"llo\"]\r\n";
    (void)state;
    assert_screen(v2, sizeof v2 - 1, NULL, "hello", 51);
    assert_screen("Script started\nhello", 20, "0.1 2\r\n\r\n0.2 3\r\n", "hello", 80);
    assert_screen(
        "Script started\nhello", 20,
        "H 0.0 COLUMNS 55\r\nH 0.0 LINES 9\r\nO 0.1 5\r\nS 0.1 SIGWINCH ROWS=10 COLS=56\r\n",
        "hello", 56);
}

static void damage_is_told_with_its_place(void **state)
{
    static const char v2[] =
        "{\"version\":2,\"width\":51,\"height\":10}\n[0.1,\"o\",\"he\"]\n[0.2,\"o\",\"l";
    char *error = NULL;
    (void)state;
    json_decref(replay_text(v2, sizeof v2 - 1, NULL, &error));
    assert_non_null(strstr(error, "line 3"));
    free(error);
    json_decref(
        replay_text("\1\0\0\0\0\0\0\0\2\0\0\0he\1\0\0\0\0\0\0\0\377\0\0\0l", 27, NULL, &error));
    assert_non_null(strstr(error, "offset 14"));
    free(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_agents_own_tools_are_not_told),
        cmocka_unit_test(nested_shells_are_recognised),
        cmocka_unit_test(every_format_is_read),
        cmocka_unit_test(lines_may_end_as_on_windows),
        cmocka_unit_test(damage_is_told_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
