/* clang-format off */
/* The tracker against tests/unit/scenarios/NAME.txt: what a shell prints, what is typed, and the
 * blocks that must come of it. Each is run as it stands, with bytes and keys one at a time, and
 * with a save and a load before each step. `test_scenarios FILE...` runs some.
 *
 * A line is a step: words between blanks; "..." holds blanks and \r \n \t \e \xHH \" \\; # begins a
 * comment. The screen is 80x24, the directory /start, the time 1000 ms.
 *
 *   mark KIND [@SEQ] [NAME=VALUE]...  A, B, C, O, D, P or T, accepted; SEQ is one more than the last
 *   refused mark ...                  the same, which must be dropped
 *   seal on|characters|off            marks end with their length, in bytes or in characters; or do not,
 *                                     as at the beginning
 *   torn BYTES KIND [NAME=VALUE]...   a mark with a length, in which somebody printed: dropped
 *   bare [refused] KIND               a mark without a length where others have one
 *   number SEQ                        of the next mark
 *   count off|on                      marks without a number (set -a), and with one again
 *   prompt tty|editor STATUS          what a shell without C prints: P, D, A, `$ `, B
 *   run TYPED OUTPUT [NAME=VALUE]...  a whole command of a shell with C; the fields are D's
 *   out BYTES                         printed by whatever runs
 *   type KEYS                         by the user
 *   type-raw KEYS                     the same, while the terminal does not edit and echo lines
 *   change LEN                        of the last LEN keys the terminal makes something else
 *   account BYTES                     so many the shell has read, or waits for it, since the first
 *                                     of the keys came that wait
 *   interrupt                         Ctrl-C of which the terminal makes a signal
 *   runs                              something is in front of the shell
 *   withdraw                          the index says that the running block was none
 *   lost WHY                          somebody found that the shell says nothing
 *   abandon [STATUS]                  the shell is gone
 *   wait MS, resize COLSxROWS
 *   save-load                         everything into bytes and back
 *   load-checkpoint                   the same, and what comes next is from a log
 *   new-worker                        save-load, and the keys that were kept for it
 *   repeat N STEP
 *
 *   expect block [NAME=VALUE]...      the next block that ended; members as in `ptyd blocks --json`,
 *                                     and exit, source, output (its preview's lines)
 *   expect none                       no other block ended; a scenario's end says the same
 *   expect running [NAME=VALUE]...    a block runs
 *   expect idle                       none does
 *   expect tracker [NAME=VALUE]...    state, marked, lost, prompt_shown, seq, cwd, ahead
 *   expect screen [NAME=VALUE]...     alt_screen, cursor, scrollback
 */
/* clang-format on */
#define _GNU_SOURCE
#include "scenario.h"

/* ---- all of them ---- */

static char **chosen; /* the files that the caller named, then NULL */

static void run_all(enum way in)
{
    way = in;
    piecemeal = way == BYTE_BY_BYTE;
    failures = 0;
    for (char **file = chosen; *file; file++)
        run_scenario(*file);
    if (!*chosen)
        each_scenario(run_scenario);
    assert_int_equal(failures, 0);
}

/* Which number and kind are taken, of a B where the shell says lengths and A was 10000052. */
static void take_torn_input(char *payload)
{
    struct mark parsed;
    begin();
    seals = true;
    seq = 10000051;
    assert_true(mark('A', ";ign=1"));
    if (mark_parse(payload, strlen(payload), false, &parsed) == 0) {
        if (tracker_mark(tracker, &parsed, now)) {
            assert_int_equal(parsed.kind, 'B');
            assert_int_equal(parsed.seq, 10000053);
        }
        mark_finish(&parsed);
    }
    end();
    free(payload);
}

/* A mark without a length: whatever others print in the middle of it, no other one is made of it.
 */
static void what_is_printed_in_a_bare_mark_says_nothing(void **state)
{
    static const char whole[] = "10000053;B";
    static const char *const printed[] = {"0",          "1",      "9",  "53",      "00",
                                          ";",          ";A",     ";C", ";D;st=0", "54;C;cmd=evil",
                                          ";cwd=/evil", ";ign=0", "B",  "C",       " "};
    (void)state;
    for (int at = 0; at <= (int)sizeof whole - 1; at++) {
        take_torn_input(text_format("%.*s", at, whole));
        for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
            take_torn_input(text_format("%.*s%s%s", at, whole, printed[i], whole + at));
    }
}

static void scenarios_hold(void **state)
{
    (void)state;
    run_all(AS_IT_STANDS);
}

static void scenarios_hold_byte_by_byte(void **state)
{
    (void)state;
    run_all(BYTE_BY_BYTE);
}

static void scenarios_hold_across_checkpoints(void **state)
{
    (void)state;
    run_all(SAVED_BEFORE_EACH_STEP);
}

static void another_programs_tracker_is_refused(void **state)
{
    struct bytes saved = {0};
    (void)state;
    begin();
    tracker_save(tracker, &saved);
    saved.data[0] ^= 0x40; /* its version */
    struct tracker_options options = tracker_options();
    assert_null(
        tracker_load(&options, &(struct unpack){saved.data, saved.data + saved.len, false}));
    saved.data[0] ^= 0x40;
    for (size_t len = 0; len < saved.len; len++)
        assert_null(tracker_load(&options, &(struct unpack){saved.data, saved.data + len, false}));
    bytes_finish(&saved);
    end();
}

/* A note of what a command printed, number by number as version 8 of the program wrote it. */
static void an_older_programs_note_of_output_is_read(void **state)
{
    const uint64_t version = 8, none = 0, total = 4, lines = 1;
    struct bytes note = {0};
    (void)state;
    bytes_append(&note, &version, sizeof version);
    pack_run(&note, "one\n", 4); /* the preview's end */
    bytes_append(&note, &total, sizeof total);
    bytes_append(&note, &lines, sizeof lines);
    bytes_append(&note, &none, sizeof none); /* nothing is cut */
    bytes_append(&note, &none, sizeof none); /* no line is open */
    pack_run(&note, "two", 3);               /* on the screen */
    assert_true(tracker_is_printed(note.data, note.len));
    note.data[0] = 7;
    assert_false(tracker_is_printed(note.data, note.len));
    bytes_finish(&note);
}

int main(int count, char **arguments)
{
    (void)count;
    chosen = arguments + 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_in_a_bare_mark_says_nothing),
        cmocka_unit_test(scenarios_hold),
        cmocka_unit_test(scenarios_hold_byte_by_byte),
        cmocka_unit_test(scenarios_hold_across_checkpoints),
        cmocka_unit_test(another_programs_tracker_is_refused),
        cmocka_unit_test(an_older_programs_note_of_output_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
