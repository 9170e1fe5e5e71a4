/* What closed sessions leave: how much it is by du(1), what has to go by age and by size, and that
 * what goes is said to be gone. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/kept.h"
#include "ptyd/core/text.h"

#define DAY_MS INT64_C(86400000)

static char state[64];

static void run(const char *format, const char *argument)
{
    char command[512], whole[640];
    snprintf(command, sizeof command, format, argument);
    snprintf(whole, sizeof whole, "cd %s && { %s; }", state, command);
    assert_int_equal(system(whole), 0);
}

static int in_state(void **unused)
{
    (void)unused;
    strcpy(state, "/tmp/ptyd-kept-XXXXXX");
    if (!mkdtemp(state))
        return -1;
    run("mkdir conversations", "");
    return 0;
}

static int gone(void **unused)
{
    char command[96];
    (void)unused;
    snprintf(command, sizeof command, "rm -rf %s", state);
    return system(command);
}

/* A session of `kib` KiB that was used at a time date(1) knows. */
static void make(const char *name, int kib, const char *used)
{
    char command[256];
    snprintf(command, sizeof command,
             "mkdir -p conversations/%s/agent_pty/blocks && cd conversations/%s && "
             "head -c %dK /dev/urandom >agent_pty/blocks/1_1.out && echo {} >meta.json && "
             "find . -exec touch -d '%s' {} +",
             name, name, kib, used);
    run("%s", command);
}

static int64_t time_of(const char *when)
{
    char command[96], text[32] = "";
    snprintf(command, sizeof command, "date -d '%s' +%%s", when);
    FILE *date = popen(command, "r");
    assert_non_null(fgets(text, sizeof text, date));
    pclose(date);
    return atoll(text) * 1000;
}

static int64_t du(const char *name)
{
    char command[160], text[32] = "";
    snprintf(
        command, sizeof command,
        "find %s/conversations/%s -mindepth 1 -printf '%%b\\n' | awk '{n += $1} END {print n}'",
        state, name);
    FILE *pipe = popen(command, "r");
    assert_non_null(fgets(text, sizeof text, pipe));
    pclose(pipe);
    return atoll(text) * 512;
}

static void scan_finds_what_is_closed(void **unused)
{
    char *const in_use[] = {"b-live", "z-live"};
    struct kept kept;
    (void)unused;
    make("new", 100, "2026-03-02 00:00 UTC");
    make("b-live", 100, "2020-01-01 00:00 UTC");
    make("old", 300, "2026-03-01 00:00 UTC");
    make(".gone-half", 8, "2026-01-01 00:00 UTC");
    run("ln -s /tmp conversations/link; touch conversations/file", "");
    assert_int_equal(kept_scan(state, in_use, 2, &kept), 0);
    assert_int_equal(kept.count, 2);
    assert_string_equal(kept.sessions[0].name, "old");
    assert_int_equal(kept.sessions[0].used_ms, time_of("2026-03-01 00:00 UTC"));
    assert_string_equal(kept.sessions[1].name, "new");
    assert_int_equal(kept.sessions[1].bytes, du("new"));
    assert_int_equal(kept.bytes, du("new") + du("old"));
    run("test ! -e conversations/.gone-half", "");
    kept_finish(&kept);
}

/* Which would go, oldest first, and for which reason. */
static void expect(int64_t most_days, int64_t most_bytes, const char *expected)
{
    struct kept kept;
    char found[256] = "";
    const char *why;
    const struct kept_session *oldest;
    assert_int_equal(kept_scan(state, NULL, 0, &kept), 0);
    while ((oldest = kept_excess(&kept, time_of("2026-03-11 00:00 UTC"), most_days * DAY_MS,
                                 most_bytes, &why))) {
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s:%s ", oldest->name, why);
        kept_pass(&kept);
    }
    assert_string_equal(found, expected);
    kept_finish(&kept);
}

static void the_oldest_go(void **unused)
{
    (void)unused;
    make("a", 100, "2026-03-03 00:00 UTC");
    make("b", 100, "2026-03-02 00:00 UTC");
    make("c", 100, "2026-03-01 00:00 UTC");
    expect(30, 1 << 30, "");
    expect(9, 1 << 30, "c:keep_days ");
    expect(30, 250 << 10, "c:keep_bytes ");
    expect(9, 150 << 10, "c:keep_days b:keep_bytes ");
    expect(0, 0, "c:keep_days b:keep_days a:keep_days ");
}

static void what_is_removed_is_said(void **unused)
{
    int64_t time_of_removal = time_of("2026-06-02 12:00 UTC");
    struct kept_session session = {.name = "b", .used_ms = time_of("2026-03-02 12:00 UTC")};
    (void)unused;
    make("b", 4, "2026-03-02 12:00 UTC");
    run("ln -s /etc conversations/b/agent_pty/link", "");
    assert_null(kept_say_gone(state, "b"));
    assert_int_equal(kept_hide(state, "b"), 0);
    run("test ! -e conversations/b", "");
    kept_remove(state, "b");
    run("test ! -e conversations/.gone-b && test -d /etc", "");
    for (int i = 0; i < 8000; i++) { /* more than one file of it */
        session.name = i == 1000 ? "b" : "other";
        assert_int_equal(kept_note_gone(state, &session, "keep_days", time_of_removal), 0);
    }
    run("test -e gone.jsonl.1", "");
    char *said = kept_say_gone(state, "b");
    assert_string_equal(said, "it was removed on 2026-06-02 by keep_days; it was used last on "
                              "2026-03-02");
    free(said);
    assert_null(kept_say_gone(state, "never"));
    assert_null(kept_say_gone(state, "othe"));
}

static void sizes_are_read(void **unused)
{
    int64_t bytes = -1;
    (void)unused;
    assert_true(text_parse_bytes("0", 100, &bytes) && bytes == 0);
    assert_true(text_parse_bytes("4G", INT64_MAX, &bytes) && bytes == INT64_C(4294967296));
    assert_true(text_parse_bytes("1K", 1024, &bytes) && bytes == 1024);
    static const char *const wrong[] = {"", "-1", "1KB", "G", "1.5G", "2K", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(text_parse_bytes(wrong[i], 1024, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scan_finds_what_is_closed, in_state, gone),
        cmocka_unit_test_setup_teardown(the_oldest_go, in_state, gone),
        cmocka_unit_test_setup_teardown(what_is_removed_is_said, in_state, gone),
        cmocka_unit_test(sizes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
