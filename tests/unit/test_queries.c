/* The queue of open queries: what a viewer sends is split into what a person typed, what its
 * terminal answered and what was answered already, however it is cut. */
#include "test.h"

#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/session/queries.h"
#include "vterm_snapshot/terminal.h"

static struct queries *queries;
static struct bytes typed, replied, sizes, dropped, heard, answered;
static int64_t now;
static uint64_t offset;

static bool on_query(void *user, const struct query *query)
{
    queries_open(queries, *(uint64_t *)user, query, ++offset, now, false);
    return true;
}

static bool on_answered_query(void *user, const struct query *query)
{
    queries_open(queries, *(uint64_t *)user, query, ++offset, now, true);
    return true;
}

static void on_heard(void *user, const char *answer, size_t len)
{
    (void)user;
    bytes_append(&heard, answer, len);
}

static void on_answer(void *user, const struct query *query)
{
    (void)user;
    bytes_append_char(&answered, (char)('A' + query->kind));
}

/* It stands in front of all others. */
static bool on_earlier_query(void *user, const struct query *query)
{
    queries_open(queries, *(uint64_t *)user, query, 0, now, true);
    return true;
}

/* A program's queries, left to a viewer. */
static void ask_with(bool (*query)(void *, const struct query *), uint64_t viewer, const char *text)
{
    const struct terminal_events events = {.query = query};
    struct terminal *t =
        terminal_create(&(struct terminal_options){.events = &events, .user = &viewer});
    struct bytes bytes = {0};
    bytes_append_text(&bytes, text);
    terminal_write(t, bytes.data, bytes.len);
    bytes_finish(&bytes);
    terminal_destroy(t);
}

static void ask(uint64_t viewer, const char *text)
{
    ask_with(on_query, viewer, text);
}

static void send_cut(uint64_t viewer, const char *bytes, size_t len, size_t chunk)
{
    struct bytes *const out[] = {
        [QUERIES_TYPED] = &typed,
        [QUERIES_REPLY] = &replied,
        [QUERIES_SIZE] = &sizes,
        [QUERIES_DROPPED] = &dropped,
    };
    for (size_t at = 0; at < len;) {
        size_t n = chunk < len - at ? chunk : len - at;
        for (size_t in = 0, taken; in < n; in += taken) {
            enum queries_piece piece;
            taken = queries_take(queries, viewer, bytes + at + in, n - in, now, &piece);
            assert_in_range(taken, 1, n - in);
            bytes_append(out[piece], bytes + at + in, taken);
        }
        at += n;
    }
}

static void send(uint64_t viewer, const char *text)
{
    send_cut(viewer, text, strlen(text), strlen(text));
}

static void assert_came(struct bytes *bytes, const char *expected)
{
    bytes_append(bytes, "", 1);
    assert_string_equal(bytes->data, expected);
    bytes->len = 0;
}

static void begin(void)
{
    queries = queries_create(on_heard, NULL);
    now = 1000;
}

static void end(void)
{
    struct bytes *all[] = {&typed, &replied, &sizes, &dropped, &heard, &answered};
    queries_destroy(queries);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_finish(all[i]);
}

static int setup(void **state)
{
    (void)state;
    begin();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    end();
    return 0;
}

/* ---- one viewer ---- */

static void an_answer_is_no_typing(void **state)
{
    (void)state;
    ask(7, "\x1b[c");
    send(7, "ls\x1b[?62;22c -l");
    assert_came(&typed, "ls -l");
    assert_came(&replied, "\x1b[?62;22c");
    assert_came(&heard, "\x1b[?62;22c");
    assert_int_equal(queries_count(queries), 0);
}

static void what_was_not_asked_for_is_typing(void **state)
{
    (void)state;
    send(7, "a\x1b[?62;22c\x1b]11;rgb:0/0/0\x1b\\b");
    assert_came(&typed, "a\x1b[?62;22c\x1b]11;rgb:0/0/0\x1b\\b");
    ask(7, "\x1b[c");
    send(7, "\x1b[?1;2c\x1b[?1;2c"); /* one answer to one query */
    assert_came(&replied, "\x1b[?1;2c");
    assert_came(&typed, "\x1b[?1;2c");
    ask(7, "\x1b[c");
    send(8, "\x1b[?1;2c"); /* another viewer's */
    assert_came(&typed, "\x1b[?1;2c");
    assert_int_equal(queries_count(queries), 1);
}

static void reports_are_no_typing(void **state)
{
    (void)state;
    send(7, "\x1b[I\x1b[<35;10;20Mx\x1b[M   \x1b[?997;1n\x1b[48;24;80;0;0t\x1b[O");
    assert_came(&replied, "\x1b[I\x1b[<35;10;20M\x1b[M   \x1b[?997;1n\x1b[O");
    assert_came(&sizes, "\x1b[48;24;80;0;0t");
    assert_came(&typed, "x");
    ask(7, "\x1b[?996n");
    send(7, "\x1b[?997;1n");
    assert_came(&replied, "\x1b[?997;1n");
    assert_int_equal(queries_count(queries), 0);
}

static void keys_between_answers_stay_keys(void **state)
{
    (void)state;
    ask(7, "\x1b]11;?\a\x1b[6n\x1b[c");
    send(7, "a\x1b]11;rgb:0/0/0\x1b\\\x1b[A\x1b[5;6Rb\x1b\x1b[?1c");
    assert_came(&typed, "a\x1b[Ab\x1b");
    assert_came(&replied, "\x1b]11;rgb:0/0/0\x1b\\\x1b[5;6R\x1b[?1c");
}

static void a_paste_holds_no_answers(void **state)
{
    (void)state;
    ask(7, "\x1b[c");
    send(7, "\x1b[200~\x1b[?1;2c\x1b[201~\x1b[?1;2c");
    assert_came(&typed, "\x1b[200~\x1b[?1;2c\x1b[201~");
    assert_came(&replied, "\x1b[?1;2c");
}

/* What was typed, but for ESCs. */
static void assert_typed_besides_escapes(const char *expected)
{
    size_t len = 0;
    for (size_t i = 0; i < typed.len; i++)
        if (typed.data[i] != '\x1b')
            typed.data[len++] = typed.data[i];
    typed.len = len;
    assert_came(&typed, expected);
}

/* An answer's bytes are never typing, whatever the cuts, but for an ESC that comes alone; keys that
 * are none always are. */
static void answers_are_known_however_they_are_cut(void **state)
{
    static const char asks[] =
        "\x1b[c\x1b]11;?\a\x1bP+q544e\x1b\\\x1b[6n\x1b]52;c;?\a\x1b_Gi=1,a=q;\x1b\\";
    static const char sends[] =
        "x\x1b[?62;1;2cy\x1b]11;rgb:ff/ff/ff\az\x1bP1+r544e=41\x1b\\w\x1b[4;5Rv"
        "\x1b]52;c;QUJD\x1b\\u\x1b_Gi=1;OK\x1b\\t";
    (void)state;
    for (size_t chunk = 1; chunk < sizeof sends; chunk++) {
        ask(7, asks);
        send_cut(7, sends, sizeof sends - 1, chunk);
        assert_typed_besides_escapes("xyzwvut");
        assert_int_equal(queries_count(queries), 0);
        replied.len = heard.len = 0;
    }
}

/* It may as well begin an answer: then what follows is one. */
static void an_esc_alone_is_typed(void **state)
{
    (void)state;
    ask(7, "\x1b[6n\x1b[c");
    send(7, "\x1b");
    assert_came(&typed, "\x1b");
    send(7, "[3;4R");
    assert_came(&replied, "[3;4R");
    send(7, "a\x1b");
    assert_came(&typed, "a\x1b");
    send(7, "\x1b[?62c");
    assert_came(&replied, "\x1b[?62c");
    assert_int_equal(typed.len + dropped.len, 0);
}

/* It goes through as it comes. */
static void an_answer_of_any_length_is_one(void **state)
{
    struct bytes text = {0};
    (void)state;
    bytes_append_text(&text, "\x1b]52;c;");
    for (int i = 0; i < 1 << 20; i++)
        bytes_append_text(&text, "QUJD");
    bytes_append_text(&text, "\x1b\\");
    ask(7, "\x1b]52;c;?\a");
    send_cut(7, text.data, text.len, 4096);
    send(7, "x");
    assert_int_equal(replied.len, text.len);
    assert_came(&typed, "x");
    assert_int_equal(heard.len, 0);
    bytes_finish(&text);
}

/* ---- what stays open ---- */

static void an_answer_closes_what_was_to_come_before(void **state)
{
    (void)state;
    ask(7, "\x1b[?u\x1b]52;c;?\a\x1b]11;?\a\x1b[c\x1b[6n");
    send(7, "\x1b[?1;2c");
    assert_int_equal(queries_count(queries),
                     2); /* the clipboard's, which is slow, and the cursor's */
    send(7, "\x1b[?5u\x1b]52;c;QQ==\a");
    assert_came(&typed, "\x1b[?5u");
    assert_came(&replied, "\x1b[?1;2c\x1b]52;c;QQ==\a");
    assert_int_equal(queries_count(queries), 1);
}

static void what_is_never_answered_captures_nothing_for_long(void **state)
{
    (void)state;
    ask(7, "\x1b[6n\x1b]52;c;?\a");
    now += LIMIT_QUERY_MS - 1;
    send(7, "\x1b[1;2R"); /* also Shift-F3 */
    assert_came(&replied, "\x1b[1;2R");
    ask(7, "\x1b[6n");
    now += LIMIT_QUERY_MS;
    send(7, "\x1b[1;2R");
    assert_came(&typed, "\x1b[1;2R");
    assert_int_equal(queries_count(queries), 1);
    now += LIMIT_QUERY_SLOW_MS;
    send(7, "\x1b]52;c;QQ==\a");
    assert_came(&typed, "\x1b]52;c;QQ==\a");
    assert_int_equal(queries_count(queries), 0);
}

static void any_number_of_answers_come_to_a_protocol(void **state)
{
    (void)state;
    ask(7, "\x1b]5522;type=read;Lg==\x1b\\");
    for (int i = 0; i < 5; i++) {
        now += LIMIT_QUERY_SLOW_MS / 2;
        send(7, "\x1b]5522;type=read:status=DATA;QQ==\x1b\\");
    }
    assert_int_equal(typed.len, 0);
    assert_int_equal(queries_count(queries), 1);
}

static void no_more_are_noted_than_there_is_room_for(void **state)
{
    (void)state;
    for (int i = 0; i < LIMIT_QUERIES + 10; i++)
        ask(7, "\x1b[6n");
    assert_int_equal(queries_count(queries), LIMIT_QUERIES);
    for (int i = 0; i < LIMIT_QUERIES + 10; i++)
        send(7, "\x1b[1;1R");
    assert_int_equal(typed.len, 10 * strlen("\x1b[1;1R"));
    assert_int_equal(replied.len, LIMIT_QUERIES * strlen("\x1b[1;1R"));
}

/* ---- viewers that go ---- */

static void who_leaves_leaves_nothing_unanswered(void **state)
{
    (void)state;
    ask(7, "\x1b[c");
    ask(8, "\x1b[6n");
    ask(7, "\x1b[5n");
    send(7, "\x1b[?1");
    queries_leave(queries, 7, on_answer, NULL);
    assert_came(&answered, (char[]){'A' + QUERY_DEVICE, 'A' + QUERY_STATUS, '\0'});
    assert_int_equal(queries_count(queries), 1);
    send(7, "\x1b[?1;2c"); /* a new viewer of that number has none of it */
    assert_came(&typed, "\x1b[?1;2c");
    send(8, "\x1b[3;4R");
    assert_int_equal(queries_count(queries), 0);
}

static void who_is_passed_over_answers_nobody(void **state)
{
    (void)state;
    ask(7, "\x1b[c\x1b]11;?\a");
    queries_pass_over(queries, 7, on_answer, NULL, now);
    assert_came(&answered, (char[]){'A' + QUERY_DEVICE, 'A' + QUERY_COLOUR, '\0'});
    queries_pass_over(queries, 7, on_answer, NULL, now);
    assert_int_equal(answered.len, 0);         /* once */
    ask_with(on_answered_query, 7, "\x1b[6n"); /* shown later, answered before */
    send(7, "a\x1b[?1;2cb\x1b]11;rgb:0/0/0\x1b\\c\x1b[1;1Rd");
    assert_came(&typed, "abcd");
    assert_came(&dropped, "\x1b[?1;2c\x1b]11;rgb:0/0/0\x1b\\\x1b[1;1R");
    assert_int_equal(replied.len, 0);
    ask(7, "\x1b[c"); /* it leads again */
    send(7, "\x1b[?1;2c");
    assert_came(&replied, "\x1b[?1;2c");
    ask(7, "\x1b[c");
    queries_leave(queries, 7, on_answer, NULL);
    assert_int_equal(answered.len, 1);
}

/* Its terminal may take nothing for longer than any answer is waited for. */
static void what_is_answered_for_it_stays_dropped_until_it_listens(void **state)
{
    (void)state;
    ask(7, "\x1b[c\x1b]52;c;?\a");
    queries_pass_over(queries, 7, on_answer, NULL, now);
    now += 2 * LIMIT_QUERY_SLOW_MS;
    ask(8, "\x1b[6n"); /* whoever leads now */
    now += LIMIT_QUERY_MS - 1;
    queries_took(queries, 7, now);
    now += LIMIT_QUERY_MS - 1;
    send(7, "\x1b[?62c\x1b]52;c;QQ==\a");
    assert_came(&dropped, "\x1b[?62c\x1b]52;c;QQ==\a");
    assert_int_equal(typed.len + replied.len, 0);
    assert_int_equal(queries_count(queries), 0);
}

static void what_a_terminal_that_listens_does_not_answer_is_waited_for_no_longer(void **state)
{
    (void)state;
    ask(7, "\x1b[c");
    queries_pass_over(queries, 7, on_answer, NULL, now);
    queries_took(queries, 7, now);
    now += LIMIT_QUERY_MS;
    ask(7, "\x1b[c");
    send(7, "\x1b[?62c");
    assert_came(&replied, "\x1b[?62c");
}

/* It goes on taking what comes, and each time is told. */
static void what_it_does_not_answer_ages_however_much_it_takes(void **state)
{
    (void)state;
    ask(7, "\x1b[c");
    queries_pass_over(queries, 7, on_answer, NULL, now);
    for (int i = 0; i <= 10; i++, now += LIMIT_QUERY_MS / 10)
        queries_took(queries, 7, now);
    ask(7, "\x1b[c");
    send(7, "\x1b[?62c");
    assert_came(&replied, "\x1b[?62c");
    assert_int_equal(dropped.len, 0);
}

static void what_was_answered_makes_room(void **state)
{
    (void)state;
    for (int i = 0; i < LIMIT_QUERIES; i++)
        ask_with(on_answered_query, 7, "\x1b[6n");
    ask(8, "\x1b[c");
    assert_int_equal(queries_count(queries), LIMIT_QUERIES);
    send(8, "\x1b[?62c");
    assert_came(&replied, "\x1b[?62c");
}

static void who_takes_nothing_makes_room(void **state)
{
    (void)state;
    for (int i = 0; i < LIMIT_QUERIES; i++)
        ask(7, "\x1b[6n");
    queries_pass_over(queries, 7, on_answer, NULL, now);
    ask(8, "\x1b[c");
    assert_int_equal(queries_count(queries), LIMIT_QUERIES);
    send(8, "\x1b[?62c");
    assert_came(&replied, "\x1b[?62c");
}

/* The key is missed where it is dropped; nobody can tell which it is. */
static void a_key_that_looks_like_an_answer_is_passed_on(void **state)
{
    (void)state;
    ask(7, "\x1b[6n\x1b[6n\x1b[6n\x1b[6n\x1b[6n");
    queries_pass_over(queries, 7, on_answer, NULL, now);
    send(7, "\x1b[1;2R\x1b[1;8R");
    assert_came(&replied, "\x1b[1;2R\x1b[1;8R");
    send(7, "\x1b[1;1R\x1b[2;2R\x1b[1;22R");
    assert_came(&dropped, "\x1b[1;1R\x1b[2;2R\x1b[1;22R");
    assert_int_equal(typed.len, 0);
}

/* Noted when it came, of a viewer that was not as far: the log shows it later. Each time once. */
static void what_was_noted_is_not_noted_again_when_it_is_shown(void **state)
{
    struct query cursor = {.kind = QUERY_CURSOR};
    (void)state;
    for (int i = 0; i < 2; i++) /* twice in one sequence */
        queries_open(queries, 7, &cursor, 500, now, false);
    queries_pass_over(queries, 7, on_answer, NULL, now);
    queries_took(queries, 7, now);
    now += LIMIT_QUERY_MS - 1;
    assert_false(queries_shown(queries, 8, &cursor, 500, now));
    assert_false(queries_shown(queries, 7, &cursor, 499, now));
    assert_true(queries_shown(queries, 7, &cursor, 500, now));
    assert_true(queries_shown(queries, 7, &cursor, 500, now));
    assert_false(queries_shown(queries, 7, &cursor, 500, now));
    now += LIMIT_QUERY_MS - 1; /* since it was shown */
    send(7, "\x1b[9;9R\x1b[9;9R");
    assert_came(&dropped, "\x1b[9;9R\x1b[9;9R");
    ask(7, "\x1b[6n");
    send(7, "\x1b[9;9R");
    assert_came(&replied, "\x1b[9;9R");
}

/* What it was shown its terminal answers; the rest it will never hear of. */
static void what_is_never_shown_is_waited_for_by_nobody(void **state)
{
    (void)state;
    ask(7, "\x1b[c\x1b[6n");
    queries_pass_over(queries, 7, on_answer, NULL, now);
    answered.len = 0;
    ask(7, "\x1b[5n");
    queries_skip(queries, 7, offset - 2, on_answer, NULL);
    assert_came(&answered, (char[]){'A' + QUERY_STATUS, '\0'});
    assert_int_equal(queries_count(queries), 1);
    ask(7, "\x1b[6n");
    send(7, "\x1b[?62c\x1b[9;9R");
    assert_came(&dropped, "\x1b[?62c");
    assert_came(&replied, "\x1b[9;9R");
}

/* Slow ones may be answered whenever. */
static void a_last_question_ends_what_is_to_come(void **state)
{
    (void)state;
    assert_false(queries_awaits(queries, 7, now));
    ask(7, "\x1b]52;c;?\a");
    assert_false(queries_awaits(queries, 7, now));
    ask(7, "\x1b[?u\x1b[c\x1b[6n");
    ask(8, "\x1b[c");
    assert_true(queries_awaits(queries, 7, now));
    queries_ask_last(queries, 7, now);
    send(7, "\x1b[?62c");
    assert_true(queries_awaits(queries, 7, now)); /* that was the program's */
    send(7, "\x1b[5;5R\x1b[?62c");
    assert_false(queries_awaits(queries, 7, now));
    assert_true(queries_awaits(queries, 8, now));
    assert_came(&replied, "\x1b[?62c\x1b[5;5R");
    assert_came(&dropped, "\x1b[?62c");
}

static void a_last_question_is_noted_in_any_case(void **state)
{
    (void)state;
    for (int i = 0; i < LIMIT_QUERIES; i++)
        ask(7, "\x1b[6n");
    queries_ask_last(queries, 7, now);
    for (int i = 0; i < LIMIT_QUERIES + 10; i++) /* more than were noted */
        send(7, "\x1b[9;9R");
    assert_true(queries_awaits(queries, 7, now));
    send(7, "\x1b[?62c");
    assert_came(&dropped, "\x1b[?62c");
    assert_false(queries_awaits(queries, 7, now));
}

static void what_nobody_waits_for_is_answered_by_nobody(void **state)
{
    (void)state;
    ask(1, "\x1b[6n\x1b[c");
    ask(2, "\x1b[6n");
    queries_release(queries, 1);
    assert_true(queries_awaits(queries, 1, now));
    send(1, "\x1b[1;1Rx");
    assert_came(&typed, "x");
    assert_came(&replied, "");
    queries_leave(queries, 1, on_answer, NULL);
    assert_came(&answered, "");
    send(2, "\x1b[1;1R");
    assert_came(&replied, "\x1b[1;1R");
}

static void the_oldest_that_is_not_answered_is_known(void **state)
{
    uint64_t oldest = 0;
    int64_t since = 0;
    (void)state;
    ask(7, "\x1b]52;c;?\a");
    assert_false(queries_oldest(queries, &oldest, &since));
    ask_with(on_answered_query, 7, "\x1b[c");
    assert_false(queries_oldest(queries, &oldest, &since));
    ask(7, "\x1b[6n");
    now += 5;
    ask(7, "\x1b[5n");
    assert_true(queries_oldest(queries, &oldest, &since));
    assert_int_equal(oldest, offset - 1);
    assert_int_equal(since, now - 5);
    send(7, "\x1b[9;9R");
    assert_true(queries_oldest(queries, &oldest, &since));
    assert_int_equal(oldest, offset);
}

/* Asked before, and shown while what is asked now is open: its answer comes first. */
static void what_is_shown_again_is_answered_first(void **state)
{
    (void)state;
    ask(7, "\x1b[6n\x1b[c");
    ask_with(on_earlier_query, 7, "\x1b[c");
    send(7, "\x1b[?1;2c\x1b[2;2R\x1b[?1;2c");
    assert_came(&dropped, "\x1b[?1;2c");
    assert_came(&replied, "\x1b[2;2R\x1b[?1;2c");
    assert_int_equal(queries_count(queries), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_answer_is_no_typing),
        TEST(what_was_not_asked_for_is_typing),
        TEST(reports_are_no_typing),
        TEST(keys_between_answers_stay_keys),
        TEST(a_paste_holds_no_answers),
        TEST(answers_are_known_however_they_are_cut),
        TEST(an_esc_alone_is_typed),
        TEST(an_answer_of_any_length_is_one),
        TEST(an_answer_closes_what_was_to_come_before),
        TEST(what_is_never_answered_captures_nothing_for_long),
        TEST(any_number_of_answers_come_to_a_protocol),
        TEST(no_more_are_noted_than_there_is_room_for),
        TEST(who_leaves_leaves_nothing_unanswered),
        TEST(who_is_passed_over_answers_nobody),
        TEST(what_is_answered_for_it_stays_dropped_until_it_listens),
        TEST(what_a_terminal_that_listens_does_not_answer_is_waited_for_no_longer),
        TEST(what_it_does_not_answer_ages_however_much_it_takes),
        TEST(what_was_answered_makes_room),
        TEST(who_takes_nothing_makes_room),
        TEST(a_key_that_looks_like_an_answer_is_passed_on),
        TEST(what_was_noted_is_not_noted_again_when_it_is_shown),
        TEST(what_is_never_shown_is_waited_for_by_nobody),
        TEST(a_last_question_ends_what_is_to_come),
        TEST(a_last_question_is_noted_in_any_case),
        TEST(what_nobody_waits_for_is_answered_by_nobody),
        TEST(the_oldest_that_is_not_answered_is_known),
        TEST(what_is_shown_again_is_answered_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
