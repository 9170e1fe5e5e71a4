/* Queries and their answers: what asks, what a terminal's answer to it looks like (as xterm's
 * ctlseqs and kitty's documents have it), what our own terminal answers; and how a terminal's input
 * is cut into keys, reports and sequences. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "tests/unit/screen.h"
#include "vterm_snapshot/query_input.h"

/* What was asked since the beginning of a test. */
static struct query asked[1000];
static int asked_count;
static struct bytes reply;
static bool others_answer;

static bool on_query(void *user, const struct query *query)
{
    (void)user;
    asked[asked_count++] = *query;
    return others_answer;
}

static void on_reply(void *user, const char *bytes, size_t len)
{
    (void)user;
    bytes_append(&reply, bytes, len);
}

static const struct terminal_events events = {.query = on_query, .reply = on_reply};

static int setup(void **state)
{
    (void)state;
    asked_count = 0;
    others_answer = false;
    terminal = terminal_create(
        &(struct terminal_options){.cols = 80, .rows = 24, .scrollback = 10, .events = &events});
    return terminal ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    terminal_destroy(terminal);
    bytes_finish(&reply);
    return 0;
}

static void answer_is(const char *text, const char *expected)
{
    reply.len = 0;
    write_text(text);
    bytes_append_text(&reply, "");
    bytes_append(&reply, "", 1);
    assert_string_equal(reply.data, expected);
}

/* ---- the shapes ---- */

static const struct {
    const char *query, *answer;
} answered[] = {
    {"\x1b[c", "\x1b[?62;52;c"},
    {"\x1b[0c", "\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c"},
    {"\x1bZ", "\x1b[?1;2c"},
    {"\x1b[>c", "\x1b[>1;4000;32c"},
    {"\x1b[=c", "\x1bP!|7E565445\x1b\\"},
    {"\x1b[>q", "\x1bP>|kitty(0.32.2)\x1b\\"},
    {"\x1b[>0q", "\x1bP>|XTerm(379)\x1b\\"},
    {"\x1b[5n", "\x1b[0n"},
    {"\x1b[6n", "\x1b[24;80R"},
    {"\x1b[?6n", "\x1b[?24;80;1R"},
    {"\x1b[?15n", "\x1b[?13n"},
    {"\x1b[?26n", "\x1b[?27;1;0;0n"},
    {"\x1b[?62n", "\x1b[512*{"},
    {"\x1b[?63;7n", "\x1bP7!~0000\x1b\\"},
    {"\x1b[?996n", "\x1b[?997;1n"},
    {"\x1b[?u", "\x1b[?31u"},
    {"\x1b[?4m", "\x1b[>4;2m"},
    {"\x1b[4$p", "\x1b[4;2$y"},
    {"\x1b[?2026$p", "\x1b[?2026;2$y"},
    {"\x1b[x", "\x1b[2;1;1;128;128;1;0x"},
    {"\x1b[11t", "\x1b[1t"},
    {"\x1b[13t", "\x1b[3;100;200t"},
    {"\x1b[14t", "\x1b[4;480;800t"},
    {"\x1b[14;2t", "\x1b[4;500;810t"},
    {"\x1b[15t", "\x1b[5;1080;1920t"},
    {"\x1b[16t", "\x1b[6;20;10t"},
    {"\x1b[18t", "\x1b[8;24;80t"},
    {"\x1b[19t", "\x1b[9;50;190t"},
    {"\x1b[20t", "\x1b]Llabel\x1b\\"},
    {"\x1b[21t", "\x1b]ltitle\x1b\\"},
    {"\x1b[3;1;1;1;5;5*y", "\x1bP3!~1A2B\x1b\\"},
    {"\x1b[?1;1;0S", "\x1b[?1;0;256S"},
    {"\x1b[1$w", "\x1bP1$u1;1;1;@;@;@;0;2;@;BBBB\x1b\\"},
    {"\x1b[1$u", "\x1bP1$s...\x1b\\"},
    {"\x1b[&u", "\x1bP0!uB\x1b\\"},
    {"\x1b[\"v", "\x1b[24;80;1;1;1\"w"},
    {"\x1b['|", "\x1b[0&w"},
    {"\x1b[1;1;1;1#|", "\x1b[0;1m"},
    {"\x1b[#R", "\x1b[?0;0#Q"},
    {"\x1b]10;?\x1b\\", "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"},
    {"\x1b]11;?\a", "\x1b]11;rgb:0000/0000/0000\a"},
    {"\x1b]19;?\x1b\\", "\x1b]19;rgb:0000/0000/0000\x1b\\"},
    {"\x1b]4;1;?\x1b\\", "\x1b]4;1;rgb:cd00/0000/0000\x1b\\"},
    {"\x1b]4;255;?\x1b\\", "\x1b]4;255;rgb:eeee/eeee/eeee\x1b\\"},
    {"\x1b]5;0;?\x1b\\", "\x1b]5;0;rgb:0000/0000/0000\x1b\\"},
    {"\x1b]52;c;?\x1b\\", "\x1b]52;c;aGVsbG8=\x1b\\"},
    {"\x1b]21;foreground=?\x1b\\", "\x1b]21;foreground=rgb:ff/ff/ff\x1b\\"},
    {"\x1b]22;?__current__\x1b\\", "\x1b]22;0\x1b\\"},
    {"\x1b]50;?\x1b\\", "\x1b]50;fixed\x1b\\"},
    {"\x1b]60\x1b\\", "\x1b]60;allowWindowOps\x1b\\"},
    {"\x1b]99;i=1:p=?;\x1b\\", "\x1b]99;i=1:p=?;a=focus\x1b\\"},
    {"\x1b]99;i=1:a=report;x\x1b\\", "\x1b]99;i=1;\x1b\\"},
    {"\x1b]1337;ReportCellSize\a", "\x1b]1337;ReportCellSize=17.5;8.0;2.0\x1b\\"},
    {"\x1b]1337;ReportVariable=YQ==\a", "\x1b]1337;ReportVariable=Yg==\a"},
    {"\x1b]1337;Capabilities\a", "\x1b]1337;Capabilities=T3CwLrMSc\x1b\\"},
    {"\x1b]5522;type=read;Lg==\x1b\\", "\x1b]5522;type=read:status=OK\x1b\\"},
    {"\x1bP+q544e\x1b\\", "\x1bP1+r544e=787465726d2d6b69747479\x1b\\"},
    {"\x1bP+q4d73\x1b\\", "\x1bP0+r4d73\x1b\\"},
    {"\x1bP$qm\x1b\\", "\x1bP1$r0m\x1b\\"},
    {"\x1bP$q q\x1b\\", "\x1bP1$r1 q\x1b\\"},
    {"\x1bP@kitty-cmd{}\x1b\\", "\x1bP@kitty-cmd{\"ok\": true}\x1b\\"},
    {"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", "\x1b_Gi=31;OK\x1b\\"},
};

#define ANSWERED (sizeof answered / sizeof *answered)

/* All of `text` given in pieces of `chunk`; the last piece. */
static struct query_input input_of(const char *text, size_t len, size_t chunk)
{
    struct query_input in = {0};
    for (size_t at = 0; at < len;) {
        enum query_piece piece;
        bool whole;
        size_t n = chunk < len - at ? chunk : len - at;
        size_t taken = query_input_next(&in, text + at, n, &piece, &whole);
        assert_in_range(taken, 1, n);
        at += taken;
    }
    return in;
}

static void every_answer_is_known_when_it_is_whole(void **state)
{
    (void)state;
    others_answer = true;
    for (size_t i = 0; i < ANSWERED; i++) {
        const char *answer = answered[i].answer;
        asked_count = 0;
        write_text(answered[i].query);
        if (asked_count != 1)
            fail_msg("%s asks %d times", answered[i].query + 1, asked_count);
        for (size_t len = 1; len <= strlen(answer); len++)
            for (size_t chunk = 1; chunk <= len; chunk += len) {
                struct query_input in = input_of(answer, len, chunk);
                enum query_match found = query_input_answers(&in, asked);
                bool is_control = answer[1] == '[', whole = len == strlen(answer);
                if (found == QUERY_OTHER || (is_control && (found == QUERY_IS) != whole) ||
                    (whole && found != QUERY_IS))
                    fail_msg("%s: %d of %s: %d", answered[i].query + 1, (int)len, answer + 1,
                             found);
            }
    }
    assert_int_equal(reply.len, 0);
}

/* Which answers fit more than one query: only those that look the same. */
static void no_answer_is_another_ones(void **state)
{
    static const char *const same[][2] = {
        /* DA1 of any number; DSR; 11t; a cursor's place; a checksum; what several ask */
        {"\x1b[c", "\x1b[0c"},
        {"\x1b[c", "\x1bZ"},
        {"\x1b[0c", "\x1bZ"},
        {"\x1b[>q", "\x1b[>0q"},
        {"\x1b[14t", "\x1b[14;2t"},
        {"\x1b[?15n", "\x1b[?26n"},
        {"\x1b[?15n", "\x1b[?996n"},
        {"\x1b[?26n", "\x1b[?996n"},
        {"\x1bP+q544e\x1b\\", "\x1bP+q4d73\x1b\\"},
        {"\x1bP$qm\x1b\\", "\x1bP$q q\x1b\\"},
        {"\x1b]99;i=1:p=?;\x1b\\", "\x1b]99;i=1:a=report;x\x1b\\"},
        {"\x1b]5;0;?\x1b\\", "\x1b]4;1;?\x1b\\"},
        {"\x1b]5;0;?\x1b\\", "\x1b]4;255;?\x1b\\"}};
    struct query queries[ANSWERED];
    (void)state;
    others_answer = true;
    for (size_t i = 0; i < ANSWERED; i++) {
        asked_count = 0;
        write_text(answered[i].query);
        queries[i] = asked[0];
    }
    for (size_t i = 0; i < ANSWERED; i++)
        for (size_t k = 0; k < ANSWERED; k++) {
            bool may = i == k;
            for (size_t s = 0; s < sizeof same / sizeof *same; s++)
                for (int turn = 0; turn < 2; turn++)
                    may = may || (!strcmp(answered[i].query, same[s][turn]) &&
                                  !strcmp(answered[k].query, same[s][!turn]));
            const char *answer = answered[k].answer;
            struct query_input in = input_of(answer, strlen(answer), strlen(answer));
            if (!may && query_input_answers(&in, &queries[i]) == QUERY_IS)
                fail_msg("%s answers %s", answer + 1, answered[i].query + 1);
        }
}

static void what_asks_nothing_is_no_query(void **state)
{
    static const char *const texts[] = {
        "\x1b[1c",
        "\x1b[?1c",
        "\x1b[8;30;90t",
        "\x1b[22;0t",
        "\x1b[>1u",
        "\x1b[=1;1u",
        "\x1b[>4;2m",
        "\x1b[u",
        "\x1b[1 q",
        "\x1b[!p",
        "\x1b[S",
        "\x1b[3P",
        "\x1b]4;1;#ff0000\a",
        "\x1b]10;#abcdef\a",
        "\x1b]52;c;aGVsbG8=\a",
        "\x1b]2;what?\a",
        "\x1b]2;?\a",
        "\x1b]0;a;?\a",
        "\x1b]8;;http://x/?a=?\a",
        "\x1b]9;?\a",
        "\x1b]99;;hello?\x1b\\",
        "\x1b]133;A\a",
        "\x1b]1337;SetUserVar=a=YQ==\a",
        "\x1bPq#0;?\x1b\\",
        "\x1bP+p544e\x1b\\",
        "\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\",
        "\x1b_Ga=T,i=3,q=2;AAAA\x1b\\",
        "\x1b_Ga=d,i=3\x1b\\",
        "\x1b^?\x1b\\",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_text(texts[i]);
        if (asked_count)
            fail_msg("%s asks", texts[i] + 1);
    }
}

static void one_sequence_asks_several_things(void **state)
{
    (void)state;
    others_answer = true;
    write_text("\x1b]4;1;?;2;#fff;3;?\x1b\\");
    assert_int_equal(asked_count, 2);
    assert_int_equal(asked[1].index, 3);
    write_text("\x1b]10;?;?;?\x1b\\");
    assert_int_equal(asked_count, 5);
    assert_int_equal(asked[4].number, 12);
    write_text("\x1bP+q544e;436f;524742\x1b\\");
    assert_int_equal(asked_count, 8);
    assert_string_equal(asked[6].name, "436f");
    write_text("\x1b_Ga=t,i=1,m=1;AAAA\x1b\\");
    assert_int_equal(asked_count, 9);
    assert_true(query_is_slow(&asked[8]));
    struct bytes many = {0};
    bytes_append_text(&many, "\x1b]4");
    for (int i = 0; i < 2 * LIMIT_QUERIES_AT_ONCE; i++)
        bytes_printf(&many, ";%d;?", i % 256);
    bytes_append_text(&many, "\a");
    write_text(many.data);
    assert_int_equal(asked_count, 9 + LIMIT_QUERIES_AT_ONCE);
    bytes_finish(&many);
}

/* ---- what a person's terminal sends ---- */

/* A letter for each byte: k keys, r report, s a sequence's, S the last of it. */
static void pieces_of(const char *text, size_t len, size_t chunk, struct bytes *out)
{
    struct query_input in = {0};
    for (size_t at = 0; at < len;) {
        enum query_piece piece;
        bool whole;
        size_t n = chunk < len - at ? chunk : len - at;
        size_t taken = query_input_next(&in, text + at, n, &piece, &whole);
        for (size_t i = 0; i < taken; i++)
            bytes_append_char(out, piece == QUERY_KEYS ? 'k' : piece == QUERY_REPORT ? 'r' : 's');
        if (whole && piece == QUERY_SEQUENCE)
            out->data[out->len - 1] = 'S';
        at += taken;
    }
}

static void input_comes_in_pieces(void **state)
{
    static const struct {
        const char *input, *pieces;
    } cases[] = {
        {"ls -l\r\x03", "kkkkkkk"},
        {"a\x1b[Ab", "kssSk"},
        {"\x1bOP\x1b[1;5C\x1b[3~", "ssSsssssSsssS"},
        {"\x1bx\x1b\x7f", "sSsS"},
        {"\x1b\x1b[A", "SssS"},
        {"\x1b[I\x1b[O", "rrrrrr"},
        {"\x1b[<0;10;20M\x1b[<0;10;20m", "rrrrrrrrrrrrrrrrrrrrrr"},
        {"\x1b[M !!x", "rrrrrrk"},
        {"\x1b[32;10;20M", "rrrrrrrrrrr"},
        {"\x1b[?997;2n", "rrrrrrrrr"},
        {"\x1b[48;24;80;480;800t", "rrrrrrrrrrrrrrrrrrr"},
        {"\x1b[200~a\x1b[?1;2c\x1b[20\x1b[201~b", "sssssSkkkkkkkkkkkkkkkkkkk"},
        {"\x1b]11;rgb:0/0/0\x1b\\x", "sssssssssssssssSk"},
        {"\x1b]11;rgb:0/0/0\ax", "ssssssssssssssSk"},
        {"\x1bPab\x18x", "ssssSk"},
        {"\x1bP1\x1b[Ax", "sssSsSk"},
        {"\x1b_Gi=1;OK\x1b\\", "ssssssssssS"},
        {"\xc3\xa9\x1b[B", "kkssS"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes out = {0};
        pieces_of(cases[i].input, strlen(cases[i].input), 1000, &out);
        assert_string_equal(out.data, cases[i].pieces);
        bytes_finish(&out);
    }
}

/* Cut anywhere the same keys are keys; what is not whole yet is a sequence's. */
static void keys_are_keys_however_they_are_cut(void **state)
{
    static const char text[] = "a\x1b[A\x1b[200~x\x1b[Ay\x1b[201~b\x1b[<0;1;2Mc\x1b]11;r\x1b\\d\x1b"
                               "e\x1bOPf\x1b[M   g";
    struct bytes whole = {0};
    (void)state;
    pieces_of(text, sizeof text - 1, sizeof text, &whole);
    for (size_t chunk = 1; chunk < sizeof text; chunk++) {
        struct bytes out = {0};
        pieces_of(text, sizeof text - 1, chunk, &out);
        for (size_t i = 0; i < whole.len; i++)
            assert_int_equal(out.data[i] == 'k', whole.data[i] == 'k');
        bytes_finish(&out);
    }
    bytes_finish(&whole);
}

static void keys_answer_nothing(void **state)
{
    static const char *const keys[] = {"\x1b[A",       "\x1bOP",     "\x1b[1;5C",     "\x1b[200~",
                                       "\x1b[3;5~",    "\x1b[92;5u", "\x1b[27;5;92~", "\x1b[Z",
                                       "\x1b[97;1:3u", "\x1bx",      "\x1b[15~",      "\x1b[1;2P"};
    (void)state;
    others_answer = true;
    for (size_t i = 0; i < ANSWERED; i++)
        write_text(answered[i].query);
    for (int i = 0; i < asked_count; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            struct query_input in = input_of(keys[k], strlen(keys[k]), 100);
            assert_int_equal(query_input_answers(&in, &asked[i]), QUERY_OTHER);
        }
}

/* ---- what our own terminal answers ---- */

static void it_says_what_it_is(void **state)
{
    (void)state;
    answer_is("\x1b[c", "\x1b[?62;6;22c");
    answer_is("\x1bZ", "\x1b[?62;6;22c");
    answer_is("\x1b[>c", "\x1b[>0;100;0c");
    answer_is("\x1b[=c", "\x1bP!|00000000\x1b\\");
    answer_is("\x1b[>q", "");
    answer_is("\x1bP+q544e\x1b\\", "\x1bP0+r544e\x1b\\");
    terminal_set_names(terminal, "ptyd(1.0)", "xterm-256color");
    answer_is("\x1b[>0q", "\x1bP>|ptyd(1.0)\x1b\\");
    answer_is("\x1bP+q544e\x1b\\", "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\");
    answer_is("\x1bP+q436f;zz;4d73\x1b\\",
              "\x1bP1+r436f=323536\x1b\\\x1bP0+r\x1b\\\x1bP0+r4d73\x1b\\");
    answer_is("\x1b[x\x1b[1x", "\x1b[2;1;1;128;128;1;0x\x1b[3;1;1;128;128;1;0x");
    answer_is("\x1b[?15n\x1b[?25n\x1b[?53n", "\x1b[?13n\x1b[?21n\x1b[?50n");
    answer_is("\x1b[?1;1;0S", "\x1b[?1;1;0S");
    answer_is("\x1b_Gi=31,a=q;AAAA\x1b\\", "");
}

static void it_says_where_things_stand(void **state)
{
    (void)state;
    answer_is("\x1b[5n", "\x1b[0n");
    answer_is("\x1b[7;9Hx\x1b[6n\x1b[?6n", "\x1b[7;10R\x1b[?7;10R");
    answer_is("\x1b[1;80Hx\x1b[6n", "\x1b[1;80R");
    answer_is("\x1b[5;10r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R");
    answer_is("\x1bP$qr\x1b\\\x1bP$qs\x1b\\", "\x1bP1$r5;10r\x1b\\\x1bP0$r\x1b\\");
    answer_is("\x1b[?6l\x1b[r\x1bP$qr\x1b\\", "\x1bP1$r1;24r\x1b\\");
    answer_is("\x1b[18t\x1b[19t\x1b[14t\x1b[16t", "\x1b[8;24;80t\x1b[9;24;80t");
    terminal_set_pixels(terminal, 800, 480);
    answer_is("\x1b[14t\x1b[15t\x1b[16t", "\x1b[4;480;800t\x1b[5;480;800t\x1b[6;20;10t");
    answer_is("\x1b[3 q\x1bP$q q\x1b\\\x1bP$qm\x1b\\", "\x1bP1$r3 q\x1b\\\x1bP1$r0m\x1b\\");
    answer_is("\x1b[1\"q\x1bP$q\"q\x1b\\\x1bP$q\"p\x1b\\\x1bP$qz\x1b\\",
              "\x1bP1$r1\"q\x1b\\\x1bP1$r62;1\"p\x1b\\\x1bP0$r\x1b\\");
}

static void it_knows_every_mode_that_it_keeps(void **state)
{
    static const int modes[] = {1,    5,    6,    9,    12,   25,   45,   66,   67,
                                69,   1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015,
                                1016, 1034, 1036, 1039, 1049, 2004, 2026, 2027, 2031};
    char text[64], expected[64];
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        for (int on = 1; on >= 0; on--) {
            snprintf(text, sizeof text, "\x1b[?%d%c\x1b[?%d$p", modes[i], on ? 'h' : 'l', modes[i]);
            snprintf(expected, sizeof expected, "\x1b[?%d;%d$y", modes[i], on ? 1 : 2);
            answer_is(text, expected);
        }
    answer_is("\x1b[?7$p\x1b[?25h\x1b[?25$p\x1b[4$p\x1b[4h\x1b[4$p",
              "\x1b[?7;1$y\x1b[?25;1$y\x1b[4;2$y\x1b[4;1$y");
    answer_is("\x1b[?4711$p\x1b[99$p\x1b[?54321$p", "\x1b[?4711;0$y\x1b[99;0$y\x1b[?9999;0$y");
    answer_is("\x1b[?u\x1b[>5u\x1b[?u\x1b[<u\x1b[?u", "\x1b[?0u\x1b[?5u\x1b[?0u");
    answer_is("\x1b[?4m\x1b[>4;2m\x1b[?4m", "\x1b[>4m\x1b[>4;2m");
}

/* As the mode's specification has it: at once, each time. */
static void who_wants_to_be_told_the_size_is(void **state)
{
    (void)state;
    answer_is("\x1b[?2048h\x1b[?2048$p", "\x1b[48;24;80;0;0t\x1b[?2048;1$y");
    answer_is("\x1b[?2048l\x1b[?2048$p\x1b[2048h", "\x1b[?2048;2$y");
    terminal_set_pixels(terminal, 800, 480);
    answer_is("\x1b[?2004;2048h", "\x1b[48;24;80;480;800t");
}

static void colours_are_told_where_they_are_known(void **state)
{
    static const char heard[] = "\x1b]11;rgb:ffff/fafa/f0f0\x1b\\";
    (void)state;
    answer_is("\x1b]10;?\x1b\\\x1b]11;?\a\x1b]4;1;?\a\x1b[?996n", "");
    terminal_hear(terminal, heard, sizeof heard - 1);
    answer_is("\x1b]11;?\a\x1b[?996n", "\x1b]11;rgb:ffff/fafa/f0f0\x1b\\\x1b[?997;2n");
    answer_is("\x1b]11;#102030\a\x1b]11;?\a\x1b[?996n",
              "\x1b]11;rgb:1010/2020/3030\x1b\\\x1b[?997;1n");
    terminal_hear(terminal, heard, sizeof heard - 1);
    answer_is("\x1b]11;?\a", "\x1b]11;rgb:1010/2020/3030\x1b\\");
    answer_is("\x1b]11;red\a\x1b]11;?\a", "");
    answer_is("\x1b]111\a\x1b]11;?\a", "\x1b]11;rgb:ffff/fafa/f0f0\x1b\\");
    answer_is("\x1b]4;1;#f00;200;rgb:1/2/3;1;?;200;?\a",
              "\x1b]4;1;rgb:ffff/0000/0000\x1b\\\x1b]4;200;rgb:1111/2222/3333\x1b\\");
    answer_is("\x1b]4294967300;200;#fff\a\x1b]4;4294967496;#fff\a\x1b]4;200;?;4294967496;?\a",
              "\x1b]4;200;rgb:1111/2222/3333\x1b\\"); /* not 4, not 200 */
    answer_is("\x1b]104;1\a\x1b]4;1;?;200;?\a", "\x1b]4;200;rgb:1111/2222/3333\x1b\\");
    answer_is("\x1b]104\a\x1b]4;200;?\a", "");
    answer_is("\x1b]10;#123456789abc;#fff\a\x1b]10;?;?\a",
              "\x1b]10;rgb:1234/5678/9abc\x1b\\\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    answer_is("\x1b"
              "c\x1b]10;?;?\a",
              "\x1b]11;rgb:ffff/fafa/f0f0\x1b\\");
}

/* ... whatever was printed. */
static void nothing_printed_comes_back(void **state)
{
    (void)state;
    answer_is("\x1b]2;rm -rf\a\x1b[21t\x1b[20t", "\x1b]l\x1b\\\x1b]L\x1b\\");
    answer_is("\x1b]52;c;?\a\x1b]52;rm -rf;?\a", "\x1b]52;c;\x1b\\");
    answer_is("\x1bP+qls\x1b\\\x1bP$qls -l\x1b\\", "\x1bP0+r\x1b\\\x1bP0$r\x1b\\");
}

/* ... but to who says that it is a test: the characters' sum, negated, as XTerm(379) answers. */
static void checksums_are_for_tests(void **state)
{
    (void)state;
    answer_is("Xab\x1b[1;1;1;1;1;1*y\x1b[1*y", "");
    terminal_answer_checksums(terminal);
    answer_is("\x1b[7;1;1;1;1;1*y", "\x1bP7!~FFA8\x1b\\");
    answer_is("\x1b[1;1;1;2;1;3*y", "\x1bP1!~FF3D\x1b\\");
    answer_is("\x1b[2;1;1;4;1;5*y", "\x1bP2!~FFC0\x1b\\"); /* blanks nobody wrote */
    answer_is("\x1b[3;1;24;79;99;99*y", "\x1bP3!~FFC0\x1b\\");
    answer_is("\x1b[3;6r\x1b[4;2HY\x1b[?6h\x1b[4;1;2;2;2;2*y", "\x1bP4!~FFA7\x1b\\"); /* DECOM */
    answer_is("\x1b[?6l\x1b[5;1;4;2;4;2*y", "\x1bP5!~FFA7\x1b\\");
}

static void nobody_is_answered_twice(void **state)
{
    (void)state;
    others_answer = true;
    answer_is("\x1b[c\x1b[6n\x1b]11;?\a\x1bP$qm\x1b\\", "");
    assert_int_equal(asked_count, 4);
    assert_row(0, "");
    terminal_answer(terminal, &asked[0]);
    assert_int_equal(reply.len > 0, 1);
}

/* What a checkpoint holds answers as before. */
static void colours_outlive_a_worker(void **state)
{
    struct bytes point = {0};
    (void)state;
    write_text("\x1b]11;#102030\a\x1b[2 q");
    assert_true(terminal_save(terminal, &point));
    struct unpack in = {.at = point.data, .end = point.data + point.len};
    terminal_destroy(terminal);
    terminal = terminal_load(&(struct terminal_options){.scrollback = 10, .events = &events}, &in);
    assert_non_null(terminal);
    assert_ptr_equal(in.at, in.end);
    answer_is("\x1b]11;?\a\x1bP$q q\x1b\\", "\x1b]11;rgb:1010/2020/3030\x1b\\\x1bP1$r2 q\x1b\\");
    bytes_finish(&point);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_answer_is_known_when_it_is_whole),
        TEST(no_answer_is_another_ones),
        TEST(what_asks_nothing_is_no_query),
        TEST(one_sequence_asks_several_things),
        TEST(input_comes_in_pieces),
        TEST(keys_are_keys_however_they_are_cut),
        TEST(keys_answer_nothing),
        TEST(it_says_what_it_is),
        TEST(it_says_where_things_stand),
        TEST(it_knows_every_mode_that_it_keeps),
        TEST(who_wants_to_be_told_the_size_is),
        TEST(colours_are_told_where_they_are_known),
        TEST(nothing_printed_comes_back),
        TEST(checksums_are_for_tests),
        TEST(nobody_is_answered_twice),
        TEST(colours_outlive_a_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
