/* Everything passes: what an attached terminal is shown is what came, byte for byte and however it
 * was cut, but for the marks and the nonce; and the log gives the same again from wherever it was
 * shown to. */
#define _GNU_SOURCE /* memmem */
#include "viewer.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "tests/unit/streams.h"
#include "vterm_snapshot/passage.h"
#include "vterm_snapshot/terminal.h"

/* ---- what passes ---- */

/* A terminal's whole language, as a program may speak it. */
static const char *const sequences[] = {
    "\x1b[38;2;1;2;3mA\x1b[m",
    "\x1b[38:2::1:2:3mA\x1b[m",
    "\x1b[4:3;58:2::255:0:0mA\x1b[m",
    "\x1b[58;2;255;0;0mA\x1b[m",
    "\x1b]8;id=7;https://example.org/\x1b\\L\x1b]8;;\x1b\\",
    "\x1b]52;c;aGVsbG8=\a",
    "\x1b]0;my title\a",
    "\x1b]2;t\xc3\xaftl\xc3\xa9 \xe2\x9c\x93\a",
    "\x1b]7;file://host/tmp\x1b\\",
    "\x1b]9;build done\a",
    "\x1b]9;4;1;50\a",
    "\x1b]777;notify;T;B\a",
    "\x1b]99;;hello\x1b\\",
    "\x1b]133;A\a",
    "\x1b]633;A\a",
    "\x1b]1337;SetUserVar=a=YQ==\a",
    "\x1b]4;1;#ff0000\a",
    "\x1b]10;#abcdef\a\x1b]11;#123456\a\x1b]12;#ff00ff\a",
    "\x1b]104\a\x1b]111\a\x1b]112\a",
    "\x1b]22;text\x1b\\",
    "\a",
    "\x1b[6 q\x1b[0 q",
    "\x1b[?2026hX\x1b[?2026l",
    "\x1b[?1000;1002;1003;1006h\x1b[?1000;1002;1003;1006l",
    "\x1b[?1016h\x1b[?2031h\x1b[?2048h\x1b[?2027h\x1b[?1007h\x1b[?2004h",
    "\x1b[>1u\x1b[<u\x1b[=1;1u\x1b[=0u",
    "\x1b[>4;2m\x1b[>4;0m",
    "\x1b[22;0t\x1b[23;0t\x1b[8;30;90t",
    "\x1bPq#0;2;0;0;0#0~~@@vv@@~~$-\x1b\\",
    "\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\",
    "\x1b]1337;File=inline=1:AAAA\a",
    "\x1bPtmux;\x1b\x1b]9;hi\a\x1b\\",
    "A\x1b[5b",
    "\x1b[3J",
    "\x1b(0lqk\x1b(B",
    "\x1b#3H\x1b#5",
    "\x9b"
    "1mA\x9bm",
    "\xe9",
    "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9",
    "e\xcc\x81|\xe6\xbc\xa2\xe5\xad\x97|\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d|\xe2\x81\xa6x\xe2\x81\xa9|a\xe2\x80\x8b"
    "b",
    "\xf3\xa0\x81\xa7|\xee\x82\xb0\xf3\xb0\x80\x81",
    /* queries */
    "\x1b[c\x1b[0c\x1b[>c\x1b[=c\x1b[>0q\x1b[5n\x1b[6n\x1b[?996n\x1b[?u",
    "\x1b[?2026$p\x1b[?2004$p\x1b[4$p",
    "\x1b]10;?\x1b\\\x1b]11;?\a\x1b]12;?\x1b\\\x1b]4;1;?\x1b\\\x1b]52;c;?\x1b\\",
    "\x1bP+q544e\x1b\\\x1bP+q4d73;544e\x1b\\\x1bP$qm\x1b\\",
    "\x1b[14t\x1b[16t\x1b[18t",
    "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
    "\x1bZ\x05",
    /* what is cut, broken, or of no terminal */
    "\x1b]0;no end \x1b[mtext",
    "\x1bPno end \x1b\x1b\x1b[mtext\x1b",
    "\x1b]0;a\x18"
    "b\x1bPa\x1a"
    "b\x1b^pm\x1b\\\x1bXsos\x1b\\",
    "\x1b[1\n2;3\x18mA\x1b[\x1b[mB\x1b[9\xc3\xa9",
    "\x1b\x1b\x1b(\x1b \x7f"
    "F\x1b\x18"
    "a\x1b\n]0;t\a",
    "\xff\xfe\xc0\xaf\xe2\x82|\xf0\x9f\x98\x7f\x80\x9f\xc2\x9b\xc2\x85",
    "\x90q~\x9c\x9d"
    "0;t\x9c\x9f"
    "a\x9c",
    "\x1b]771\a\x1b]77110;a\a\x1b]07711;a\a\x1b]7712;a\a\x1b]7711",
    "\x1b[38;5;1;38;5;2;38;5;3;38;5;4;38;5;5;38;5;6;38;5;7;1;2;3mX",
};

static void every_sequence_passes(void **state)
{
    struct bytes text = {0};
    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        text.len = 0;
        bytes_append_char(&text, '<');
        bytes_append_text(&text, sequences[i]);
        bytes_append_text(&text, ">>");
        assert_passes_however_cut(text.data, text.len, text.data, text.len);
    }
    bytes_finish(&text);
}

static void nul_and_every_other_byte_pass(void **state)
{
    char bytes[3 * 256];
    (void)state;
    for (int i = 0; i < 256; i++) {
        bytes[3 * i] = (char)i;
        bytes[3 * i + 1] = '.';
        bytes[3 * i + 2] = (char)(255 - i);
    }
    assert_passes_however_cut(bytes, sizeof bytes, bytes, sizeof bytes);
}

/* Of which our own model keeps a little. */
static void a_string_of_any_length_passes(void **state)
{
    static const char *const heads[] = {"\x1b]52;c;", "\x1bPq", "\x1b_Gm=1;", "\x1b]1337;File=:"};
    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct bytes text = {0};
        struct viewer v;
        bytes_append_text(&text, heads[i]);
        while (text.len < 8 << 20)
            bytes_append_text(&text, "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=");
        bytes_append_text(&text, "\x1b\\>");
        open_viewer(&v, NONCE);
        show(&v, text.data, text.len, 17, 65536);
        assert_shown(&v, text.data, text.len);
        close_viewer(&v);
        bytes_finish(&text);
    }
}

/* ---- what does not ---- */

#define MARK(payload) "\x1b]7711;" NONCE ";" payload "\a"

static const struct {
    const char *bytes, *shown;
} taken_out[] = {
    {"a" MARK("1;A") "b", "ab"},
    {"a\x1b]7711;" NONCE ";1;A\x1b\\b", "ab"},
    {"a\x1b]7711;" OTHER ";1;A\ab", "ab"},
    {"a\x1b]7711;" OTHER ";1;D;raw=x\ab", "ab"},
    {"a\x1b]7711;00000000000000000000000000000000;1;A\ab", "ab"},
    {"a\x1b]7711;short;1;A\ab", "ab"},
    {"a\x1b]7711;short;1;A\x1b\\b", "ab"},
    {"a\x1b]7711;short;1;A\x1b[mb", "a\x1b[mb"},
    {"a\x1b]7711;short\x18"
     "b",
     "ab"},
    {"a" MARK("1;D;st=0;raw=x\x1b[m\ay;" NONCE) "b", "ab"},
    {"a" MARK("1;A") MARK("2;B") "b" MARK("3;C"), "ab"},
    {"a\x1b]7711;" NONCE ";1;A\x1b[mb", "a\x1b[mb"},
    {"a\x1b]7711;" NONCE ";1;A\x18"
     "b",
     "ab"},
    {"a\x1b]7711;" NONCE ";1;A\x1b]7711;" NONCE ";2;B\ab", "ab"},
    {"a\x1b]7711;" NONCE ";1;A\x1b\x1b]0;t\ab", "a\x1b\x1b]0;t\ab"},
    {"a\x1b\x1b]7711;" NONCE ";1;A\ab", "a\x1b"
                                        "b"},
    /* within strings: these go on behind it, as they would without */
    {"a\x1b]0;ti" MARK("1;A") "tle\ab", "a\x1b]0;title\ab"},
    {"a\x1bPq#0" MARK("1;A") "~~\x1b\\b", "a\x1bPq#0~~\x1b\\b"},
    {"a\x1b[3" MARK("1;A") "1mb", "a\x1b[31mb"},
    /* an introducer with a control in it is none */
    {"a\x1b\n]7711;" NONCE ";1;A\ab", "a\x1b\n]7711;" SHOWN ";1;A\ab"},
    /* the nonce anywhere */
    {"a" NONCE "b", "a" SHOWN "b"},
    {"\x1b]0;" NONCE "\ab", "\x1b]0;" SHOWN "\ab"},
    {"\x1bP+q" NONCE "\x1b\\b", "\x1bP+q" SHOWN "\x1b\\b"},
    {"\x1b_G" NONCE "\x1b\\\x1b^" NONCE "\x1b\\b", "\x1b_G" SHOWN "\x1b\\\x1b^" SHOWN "\x1b\\b"},
    {"\x9d"
     "7711;" NONCE ";1;A\ab",
     "\x9d"
     "7711;" SHOWN ";1;A\ab"},
};

static void marks_are_taken_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken_out / sizeof *taken_out; i++)
        assert_passes_however_cut(taken_out[i].bytes, strlen(taken_out[i].bytes),
                                  taken_out[i].shown, strlen(taken_out[i].shown));
}

/* What comes behind LIMIT_RAW_BYTES is text again, from the same byte on. */
static void a_raw_field_without_end_is_cut_at_one_place(void **state)
{
    struct bytes text = {0}, shown = {0};
    (void)state;
    bytes_append_text(&text, "a\x1b]7711;" NONCE ";1;D;raw=");
    for (int i = 0; i < LIMIT_RAW_BYTES + 2000; i++)
        bytes_append_char(&text, (char)('a' + i % 26));
    bytes_append_char(&shown, 'a');
    for (int i = LIMIT_RAW_BYTES; i < LIMIT_RAW_BYTES + 2000; i++)
        bytes_append_char(&shown, (char)('a' + i % 26));
    for (size_t chunk = 700; chunk < 4 << 20; chunk *= 13)
        assert_passes(text.data, text.len, shown.data, shown.len, 3, chunk);
    bytes_finish(&text);
    bytes_finish(&shown);
}

/* Byte by byte nothing of it is ever shown. */
static void no_half_of_a_mark_is_shown(void **state)
{
    static const char text[] = "ab" MARK("1;D;st=0;raw=ls\r\n;" NONCE) "c";
    struct viewer v;
    struct bytes pending = {0};
    (void)state;
    open_viewer(&v, NONCE);
    for (size_t i = 0; i < sizeof text - 2; i++) {
        give(&v, &pending, text + i, 1);
        assert_shown(&v, "ab", i < 2 ? i + 1 : 2);
        if (i >= 2 && i < sizeof text - 3)
            assert_int_equal(terminal_shown_offset(v.terminal), 2);
    }
    assert_int_equal(terminal_shown_offset(v.terminal), sizeof text - 2);
    bytes_finish(&pending);
    close_viewer(&v);
}

static void what_may_begin_a_mark_waits_until_it_does_not(void **state)
{
    static const struct {
        const char *come, *shown;
    } steps[] = {{"a\x1b", "a"},
                 {"]", "a"},
                 {"771", "a"},
                 {"2;x", "a\x1b]7712;x"},
                 {"\x1b", "a\x1b]7712;x"},
                 {"c", "a\x1b]7712;x\x1b"
                       "c"}};
    struct viewer v;
    struct bytes pending = {0};
    (void)state;
    open_viewer(&v, NONCE);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        give(&v, &pending, steps[i].come, strlen(steps[i].come));
        assert_shown(&v, steps[i].shown, strlen(steps[i].shown));
        assert_int_equal(terminal_shown_offset(v.terminal), strlen(steps[i].shown));
    }
    bytes_finish(&pending);
    close_viewer(&v);
}

/* ---- from the log ---- */

struct again {
    struct viewer *live; /* first: next_left() knows it */
    struct viewer v;
};

static void on_again(void *user, const char *bytes, size_t len, uint64_t offset)
{
    on_display(&((struct again *)user)->v, bytes, len, offset);
}

static void on_again_query(void *user, const struct query *query, uint64_t offset)
{
    on_passed_query(&((struct again *)user)->v, query, offset);
}

static const struct passage_events again_events = {
    .display = on_again, .query = on_again_query, .left = next_left};

/* What the log shows from `from` on is what was shown behind the first `before` bytes. */
static void assert_log_shows(struct viewer *live, struct end from, size_t chunk)
{
    struct again again = {.live = live};
    struct passage *p = passage_create(from.offset, &again_events, &again);
    struct bytes pending = {0};
    for (size_t at = from.offset, n; at < live->log.len; at += n) {
        n = chunk < live->log.len - at ? chunk : live->log.len - at;
        bytes_append(&pending, live->log.data + at, n);
        bytes_consume(&pending, passage_write(p, pending.data, pending.len));
    }
    size_t rest = live->shown.len - from.shown;
    /* it began later: of a character that is cut it waits for the end */
    size_t lacks = rest - again.v.shown.len;
    assert_true(lacks < 4);
    if (again.v.shown.len)
        assert_memory_equal(again.v.shown.data, live->shown.data + from.shown, rest - lacks);
    assert_int_equal(passage_shown(p) + lacks, terminal_shown_offset(live->terminal));
    if (!from.offset && live->asked.len) {
        assert_int_equal(again.v.asked.len, live->asked.len);
        assert_memory_equal(again.v.asked.data, live->asked.data, live->asked.len);
    }
    passage_destroy(p);
    bytes_finish(&pending);
    bytes_finish(&again.v.shown);
    bytes_finish(&again.v.ends);
    bytes_finish(&again.v.asked);
}

/* From the beginning, and from `places` of those where something that was shown ended. */
static void assert_log_is_the_same(struct viewer *live, size_t places)
{
    const struct end *ends = (const struct end *)live->ends.data;
    size_t count = live->ends.len / sizeof *ends;
    assert_log_shows(live, (struct end){0, 0}, live->log.len ? live->log.len : 1);
    assert_log_shows(live, (struct end){0, 0}, 1);
    /* of several that end at one offset the last counts: there the viewer has all */
    for (size_t i = 0; i < places && count; i++) {
        size_t at = places < count ? pick((unsigned)count) : i % count;
        while (at + 1 < count && ends[at + 1].offset == ends[at].offset)
            at++;
        assert_log_shows(live, ends[at], 1 + pick(300));
    }
}

static void the_log_shows_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        for (size_t chunk = 1; chunk < 20; chunk += 6) {
            struct viewer v;
            open_viewer(&v, NONCE);
            show(&v, sequences[i], strlen(sequences[i]), 0, chunk);
            assert_log_is_the_same(&v, 100);
            close_viewer(&v);
        }
    for (size_t i = 0; i < sizeof taken_out / sizeof *taken_out; i++)
        for (size_t chunk = 1; chunk < 20; chunk += 6) {
            struct viewer v;
            open_viewer(&v, NONCE);
            show(&v, taken_out[i].bytes, strlen(taken_out[i].bytes), 0, chunk);
            assert_log_is_the_same(&v, 100);
            close_viewer(&v);
        }
}

/* Anywhere: when the shell is gone, say, or another program took its place. */
static void the_log_shows_where_the_terminal_went_back(void **state)
{
    static const char *const parts[] = {"\x1b[?1049hv\xc3\xa4m", "done\r\n\x1b[?1049h\x1b]0;cut",
                                        "\x1b[?1049hvim again"};
    (void)state;
    for (size_t chunk = 1; chunk < 20; chunk += 6) {
        struct viewer v;
        size_t went_back = 0;
        open_viewer(&v, NONCE);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            show(&v, parts[i], strlen(parts[i]), 0, chunk);
            terminal_leave_alt_screen(v.terminal);
        }
        for (const char *at = v.shown.data;
             (at = memmem(at, v.shown.len - (size_t)(at - v.shown.data), terminal_farewell,
                          strlen(terminal_farewell)));
             at++)
            went_back++;
        assert_int_equal(went_back, sizeof parts / sizeof *parts);
        assert_log_is_the_same(&v, 100);
        close_viewer(&v);
    }
}

static void add_piece(struct bytes *out)
{
    static const char *const pieces[] = {MARK("1;A"),
                                         MARK("2;B"),
                                         MARK("3;D;st=1"),
                                         "\x1b]7711;" NONCE ";4;D;raw=",
                                         "x;" NONCE "\a",
                                         "\x1b]7711;" OTHER ";5;A;raw=",
                                         "\x1b]7711;zz",
                                         "\x1b]7711",
                                         NONCE,
                                         "0123456789abc",
                                         "\x1b[?1049h",
                                         "\x1b[?1049l",
                                         "\x1b]0;",
                                         "\x1bP",
                                         "\x1b_G",
                                         "\x1b\\",
                                         "\a",
                                         "\x18",
                                         "\x1b",
                                         "\x1b]",
                                         "\x1b[",
                                         "\n",
                                         "]",
                                         "7711;",
                                         "text ",
                                         "\xe6\x97",
                                         "\xa5"};
    unsigned what = pick(sizeof sequences / sizeof *sequences + sizeof pieces / sizeof *pieces + 9);
    if (what < sizeof sequences / sizeof *sequences)
        bytes_append_text(out, sequences[what]);
    else if (what - sizeof sequences / sizeof *sequences < sizeof pieces / sizeof *pieces)
        bytes_append_text(out, pieces[what - sizeof sequences / sizeof *sequences]);
    else if (what % 3)
        add_text(out);
    else
        bytes_append_char(out, (char)pick(256));
}

/* The same stream in pieces of all sizes. */
static void show_cut(struct viewer *v, const struct bytes *stream, unsigned most)
{
    struct bytes pending = {0};
    open_viewer(v, NONCE);
    for (size_t at = 0, n; at < stream->len; at += n) {
        n = 1 + pick(most);
        n = n < stream->len - at ? n : stream->len - at;
        give(v, &pending, stream->data + at, n);
    }
    bytes_finish(&pending);
}

static void random_streams_show_the_same(void **state)
{
    const char *given = getenv("PASSAGE_STREAMS");
    uint64_t count = given ? strtoull(given, NULL, 10) : 1500;
    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct bytes stream = {0};
        struct viewer whole, cut;
        seed = i * 7919 + 1;
        unsigned kind = pick(8);
        if (kind == 0)
            make_stream(&stream);
        if (kind == 1)
            make_drawing(&stream);
        for (unsigned n = 1 + pick(60); n; n--)
            add_piece(&stream);
        show_cut(&whole, &stream, 1 << 20);
        show_cut(&cut, &stream, 1 + pick(40));
        assert_shown(&cut, whole.shown.data, whole.shown.len);
        assert_int_equal(cut.log.len, whole.log.len);
        assert_memory_equal(cut.log.data, whole.log.data, cut.log.len);
        assert_log_is_the_same(&cut, 6);
        close_viewer(&whole);
        close_viewer(&cut);
        bytes_finish(&stream);
    }
}

/* ---- recorded sessions ---- */

static bool read_trace(const char *name, struct bytes *out)
{
    char path[512];
    size_t len = strlen(name), n;
    if (len < 5 || strcmp(name + len - 4, ".raw"))
        return false;
    snprintf(path, sizeof path, "tests/replay/traces/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while ((n = fread(bytes_reserve(out, 65536), 1, 65536, file)) > 0)
        out->len += n;
    fclose(file);
    return true;
}

static void recorded_sessions_show_the_same(void **state)
{
    int count = 0;
    DIR *folder = opendir("tests/replay/traces");
    (void)state;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct bytes trace = {0};
        struct viewer v;
        if (!read_trace(entry->d_name, &trace))
            continue;
        const char *mark = memmem(trace.data, trace.len, MARK_HEAD, strlen(MARK_HEAD));
        char nonce[MARK_NONCE_LEN + 1] = NONCE;
        if (mark)
            memcpy(nonce, mark + strlen(MARK_HEAD), MARK_NONCE_LEN);
        for (size_t chunk = 7; chunk < 70000; chunk *= 100) {
            open_viewer(&v, nonce);
            show(&v, trace.data, trace.len, 0, chunk);
            assert_null(memmem(v.shown.data, v.shown.len, MARK_HEAD, strlen(MARK_HEAD)));
            assert_log_is_the_same(&v, 8);
            close_viewer(&v);
        }
        bytes_finish(&trace);
        count++;
    }
    closedir(folder);
    assert_true(count > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sequence_passes),
        cmocka_unit_test(nul_and_every_other_byte_pass),
        cmocka_unit_test(a_string_of_any_length_passes),
        cmocka_unit_test(marks_are_taken_out),
        cmocka_unit_test(a_raw_field_without_end_is_cut_at_one_place),
        cmocka_unit_test(no_half_of_a_mark_is_shown),
        cmocka_unit_test(what_may_begin_a_mark_waits_until_it_does_not),
        cmocka_unit_test(the_log_shows_the_same),
        cmocka_unit_test(the_log_shows_where_the_terminal_went_back),
        cmocka_unit_test(random_streams_show_the_same),
        cmocka_unit_test(recorded_sessions_show_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
