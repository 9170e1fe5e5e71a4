/* Whether somebody looks at a terminal, and what it is asked to tell who does not. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/notice.h"
#include "ptyd/worker/looker.h"

static void typed_is_looked(void **state)
{
    struct looker l = {0};
    (void)state;
    assert_false(looker_looks(&l, false));
    looker_hears(&l, "\r", 1, true);
    looker_begins(&l);
    assert_false(looker_looks(&l, false));
    looker_hears(&l, "\x1b[?1;2c", 7, false); /* an answer */
    assert_false(looker_looks(&l, false));
    looker_hears(&l, "x", 1, true);
    assert_true(looker_looks(&l, false));
    assert_true(looker_looks(&l, true)); /* it would report, and did not yet */
}

static void the_focus_decides_where_it_is_reported(void **state)
{
    struct looker l = {0};
    (void)state;
    looker_begins(&l);
    looker_hears(&l, "ab\x1b", 3, true);
    looker_hears(&l, "[", 1, false);
    looker_hears(&l, "O", 1, false);
    assert_false(looker_looks(&l, true));
    assert_true(looker_looks(&l, false)); /* the report is of a program before */
    looker_begins(&l);
    looker_hears(&l, "\x1b\x1b[Iq", 5, false);
    assert_true(looker_looks(&l, true));
    assert_false(looker_looks(&l, false));
    looker_hears(&l, "\x1b[1O\x1b[ OO", 9, false); /* none */
    assert_true(looker_looks(&l, true));
}

static void expect(const char *block, enum notice_form form, const char *expected)
{
    struct bytes out = {0};
    json_t *json = json_loads(block, 0, NULL);
    assert_non_null(json);
    notice_append("work", 72000, json, form, &out);
    assert_string_equal(out.data, expected);
    json_decref(json);
    bytes_finish(&out);
}

static void expect_baton(const char *baton, const char *expected)
{
    struct bytes out = {0};
    json_t *json = json_loads(baton, 0, NULL);
    assert_non_null(json);
    bytes_append_text(&out, "");
    notice_append_baton("work", "Ctrl-\\ g", json, NOTICE_OSC_9, &out);
    assert_string_equal(out.data, expected);
    json_decref(json);
    bytes_finish(&out);
}

static void an_agent_that_asks_is_told_of(void **state)
{
    (void)state;
    expect_baton("{\"agent\":\"codex\",\"purpose\":\"make; rm\",\"state\":\"asks\"}",
                 "\x1b]9;work: codex asks to type (Ctrl-\\ g): make, rm\a");
    expect_baton("{\"agent\":\"x\\u0007\\u001b]0;y\",\"purpose\":\"\",\"state\":\"holds\"}",
                 "\x1b]9;work: x\\u{7}\\u{1b}]0,y may type, any key of yours takes it back\a");
    expect_baton("{\"agent\":\"codex\",\"purpose\":\"\",\"state\":\"taken\"}", "");
}

static void it_says_how_it_ended_and_nothing_else(void **state)
{
    (void)state;
    expect("{\"cmd\":\"make -j4\",\"exit_code\":2,\"signal\":null}", NOTICE_OSC_9,
           "\x1b]9;work: exit 2 after 1 m 12 s: make -j4\a");
    expect("{\"cmd\":\"make\",\"exit_code\":137,\"signal\":\"SIGKILL\"}", NOTICE_OSC_777,
           "\x1b]777;notify;ptyd;work: SIGKILL after 1 m 12 s: make\a");
    expect("{\"cmd\":null,\"exit_code\":null,\"signal\":null}", NOTICE_TMUX,
           "\x1bPtmux;\x1b\x1b]9;work: ended after 1 m 12 s: a private command\a\x1b\\");
    expect("{\"cmd\":\"x\",\"exit_code\":0,\"signal\":null}", NOTICE_BELL, "\a");
    expect("{\"cmd\":\"a; b\\nc\\u0007\\u001b]0;t\\u202e\",\"exit_code\":0,\"signal\":null}",
           NOTICE_OSC_9, "\x1b]9;work: exit 0 after 1 m 12 s: a, b c\\u{7}\\u{1b}]0,t\\u{202e}\a");
}

static void it_is_short(void **state)
{
    struct bytes out = {0};
    char cmd[5000];
    (void)state;
    memset(cmd, 'x', sizeof cmd);
    cmd[sizeof cmd - 1] = '\0';
    json_t *block = json_pack("{s:s, s:i, s:n}", "cmd", cmd, "exit_code", 0, "signal");
    notice_append("work", 1000, block, NOTICE_OSC_9, &out);
    assert_int_equal(out.len, LIMIT_NOTIFY_BYTES + strlen("\x1b]9;\a"));
    json_decref(block);
    bytes_finish(&out);
}

static void the_form_fits_the_terminal(void **state)
{
    static const struct {
        const char *term, *vte, *tmux;
        enum notice_form form;
    } terminals[] = {{"xterm-kitty", "", "", NOTICE_OSC_9},
                     {"xterm-256color", "7006", "", NOTICE_OSC_777},
                     {"foot-extra", "", "", NOTICE_OSC_777},
                     {"rxvt-unicode", "", "", NOTICE_OSC_777},
                     {"linux", "", "", NOTICE_BELL},
                     {"tmux-256color", "7006", "/tmp/tmux", NOTICE_TMUX}};
    (void)state;
    for (size_t i = 0; i < sizeof terminals / sizeof *terminals; i++) {
        setenv("TERM", terminals[i].term, 1);
        setenv("VTE_VERSION", terminals[i].vte, 1);
        setenv("TMUX", terminals[i].tmux, 1);
        assert_int_equal(notice_form(), terminals[i].form);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_is_looked),
        cmocka_unit_test(the_focus_decides_where_it_is_reported),
        cmocka_unit_test(it_says_how_it_ended_and_nothing_else),
        cmocka_unit_test(an_agent_that_asks_is_told_of),
        cmocka_unit_test(it_is_short),
        cmocka_unit_test(the_form_fits_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
