/* The parser's operations, as a table: bytes, and what they say. Each is read at once and byte by
 * byte, which must come to the same.
 *
 *   "text"  a run     U+65e5  a character     ^J  a control     ESC(B  an escape sequence
 *   CSI ?1;:2 $p      leader, values (`-` left out, `:` joined to the one before), intermediates
 *   OSC payload       MARK kind signature     BAD  something malformed */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/parser.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210"
#define SHOWN "01234560000000000000000000000000" /* what is left of a printed nonce */

static void describe_csi(const struct csi *csi, struct bytes *out)
{
    bytes_append_text(out, "CSI ");
    if (csi->leader)
        bytes_append_char(out, csi->leader);
    for (int i = 0; i < csi->count; i++) {
        bytes_append_text(out, i == 0 ? "" : csi->sub >> i & 1 ? ":" : ";");
        if (csi->value[i] == CSI_ABSENT)
            bytes_append_char(out, '-');
        else
            bytes_append_number(out, csi->value[i]);
    }
    bytes_append_text(out, csi->inter[0] ? " " : "");
    bytes_append(out, csi->inter, strnlen(csi->inter, 2));
    bytes_append_char(out, csi->final);
}

/* Runs of text may come in pieces: they are written as one. */
static void describe_text(const struct op *op, struct bytes *out)
{
    if (out->len && out->data[out->len - 1] == '"')
        out->len--;
    else
        bytes_append_text(out, out->len ? " | \"" : "\"");
    bytes_append(out, op->raw, op->raw_len);
    bytes_append_char(out, '"');
}

static void describe(const struct op *op, struct bytes *out)
{
    if (op->kind == OP_TEXT) {
        describe_text(op, out);
        return;
    }
    bytes_append_text(out, out->len ? " | " : "");
    if (op->kind == OP_CHARACTER)
        bytes_printf(out, "U+%04x", op->code);
    else if (op->kind == OP_CONTROL)
        bytes_printf(out, "^%c", op->code ^ 0x40);
    else if (op->kind == OP_ESCAPE)
        bytes_printf(out, "ESC%.2s%c", op->csi.inter, op->csi.final);
    else if (op->kind == OP_CSI)
        describe_csi(&op->csi, out);
    else if (op->kind == OP_OSC)
        bytes_printf(out, "OSC %.*s", (int)op->string_len, op->string);
    else if (op->kind == OP_DCS || op->kind == OP_APC)
        bytes_printf(out, "%s %.*s", op->kind == OP_DCS ? "DCS" : "APC", (int)op->string_len,
                     op->string);
    else
        bytes_append_text(out, "BAD");
}

static void take_all(struct parser *p, struct bytes *out, struct bytes *raw)
{
    struct op op;
    while (parser_next(p, &op)) {
        if (op.kind == OP_MARK) {
            bytes_append_text(out, out->len ? " | " : "");
            bytes_printf(out, "MARK %c %s", op.mark->kind,
                         op.mark->signature == MARK_SIGNED ? "signed" : "forged");
            mark_finish(op.mark);
        } else {
            describe(&op, out);
        }
        bytes_append(raw, op.raw, op.raw_len);
    }
}

/* In pieces of `chunk` bytes; what is held back is given again. */
static void read_in(const char *bytes, size_t len, size_t chunk, struct bytes *out,
                    struct bytes *raw)
{
    struct parser p = {0};
    struct bytes pending = {0};
    parser_set_nonce(&p, NONCE);
    bytes_append_text(out, "");
    for (size_t i = 0; i < len; i += chunk) {
        bytes_append(&pending, bytes + i, len - i < chunk ? len - i : chunk);
        parser_give(&p, pending.data, pending.len);
        take_all(&p, out, raw);
        bytes_consume(&pending, parser_taken(&p));
    }
    assert_int_equal(parser_offset(&p) + pending.len, len);
    bytes_finish(&pending);
    parser_finish(&p);
}

static void assert_read(const char *bytes, size_t len, const char *expected)
{
    struct bytes raw = {0};
    for (size_t chunk = 1; chunk <= len; chunk += chunk < 9 ? 1 : len) {
        struct bytes out = {0}, piecewise = {0};
        read_in(bytes, len, chunk, &out, &piecewise);
        assert_string_equal(out.data, expected);
        if (raw.data)
            assert_memory_equal(raw.data, piecewise.data, raw.len);
        bytes_finish(&out);
        bytes_finish(&raw);
        raw = piecewise;
    }
    bytes_finish(&raw);
}

struct reading {
    const char *bytes, *expected;
};

static void assert_readings(const struct reading *r, size_t count)
{
    for (; count--; r++)
        assert_read(r->bytes, strlen(r->bytes), r->expected);
}

#define ASSERT_READINGS(table) assert_readings(table, sizeof table / sizeof *table)

static void text_and_controls(void **state)
{
    static const struct reading table[] = {
        {"ok", "\"ok\""},
        {"a\r\nb\t", "\"a\" | ^M | ^J | \"b\" | ^I"},
        {"\xe6\x97\xa5x\xc3\xa9", "U+65e5 | \"x\" | U+00e9"},
        {"\xf0\x9f\x98\x80", "U+1f600"},
        {"\xff\xc3(\xe6\x97x", "U+fffd | U+fffd | \"(\" | U+fffd | \"x\""},
        {"\xe6\x97\x1b[m", "U+fffd | CSI -m"},
        {"a\xc2\x9b"
         "1mb",
         "\"a1mb\""},           /* C1 */
        {"a\xe6\x97", "\"a\""}, /* held back */
        {"a\x7f", "\"a\" | ^?"},
    };
    (void)state;
    ASSERT_READINGS(table);
}

static void sequences(void **state)
{
    static const struct reading table[] = {
        {"\x1b[m", "CSI -m"},
        {"\x1b[01;34mls", "CSI 1;34m | \"ls\""},
        {"\x1b[24;80Hand so on", "CSI 24;80H | \"and so on\""},
        {"\x1b[;5H", "CSI -;5H"},
        {"\x1b[5;H", "CSI 5;-H"},
        {"\x1b[4:3m\x1b[38:2::1:2:3m", "CSI 4:3m | CSI 38:2:-:1:2:3m"},
        {"\x1b[?1049h", "CSI ?1049h"},
        {"\x1b[>4;1m\x1b[!p\x1b[?25$p\x1b[2 q", "CSI >4;1m | CSI - !p | CSI ?25 $p | CSI 2  q"},
        {"\x1b[9999B\x1b[12345B\x1b[00012B", "CSI 9999B | CSI 9999B | CSI 12B"},
        {"\x1b[99999999999999999999B", "CSI 9999B"},
        {"\x1b[1\n;2H", "^J | CSI 1;2H"}, /* a control inside is executed */
        {"\x1b[1\x7f;2H", "CSI 1;2H"},    /* or ignored */
        {"\x1b[1\x18;2H", "\";2H\""},     /* or ends it */
        {"\x1b[1\x1b[2H", "CSI 2H"},      /* or begins another */
        {"\x1b[1\xc3\xa9", "U+00e9"},
        {"\x1b[1?2H\x1b[1$2H\x1b[1 $!Hok", "\"ok\""}, /* no sequences */
        {"\x1b"
         "7\x1b(B\x1b#8\x1b=",
         "ESC7 | ESC(B | ESC#8 | ESC="},
        {"\x1b\n7", "^J | ESC7"},
        {"\x1b\\\x1b F\x1b(]ok", "\"ok\""}, /* nothing that libvterm should see */
    };
    (void)state;
    ASSERT_READINGS(table);
}

/* Sixteen values are one; of SGR and modes the rest follows, at a whole group. */
static void long_sequences(void **state)
{
#define TEN "1;1;1;1;1;1;1;1;1;1;"
    static const struct reading table[] = {
        {"\x1b[" TEN "1;1;1;1;1;2m", "CSI " TEN "1;1;1;1;1;2m"},
        {"\x1b[" TEN "1;1;1;1;1;2;3m", "CSI " TEN "1;1;1;1;1;2m | CSI 3m"},
        {"\x1b[" TEN "1;1;1;1;38;5;7m", "CSI " TEN "1;1;1;1m | CSI 38;5;7m"},
        {"\x1b[" TEN "1;1;1;1;1;38;2;7;8;9m", "CSI " TEN "1;1;1;1;1m | CSI 38;2;7;8;9m"},
        {"\x1b[" TEN "1;1;1;1;1;4:3m", "CSI " TEN "1;1;1;1;1m | CSI 4:3m"},
        {"\x1b[38;2;1;2;3;48;2;1;2;3;38;2;9;9;9;1;4m",
         "CSI 38;2;1;2;3;48;2;1;2;3;38;2;9;9;9;1m | CSI 4m"},
        {"\x1b[?" TEN TEN "7l", "CSI ?" TEN "1;1;1;1;1;1l | CSI ?1;1;1;1;7l"},
        {"\x1b[" TEN TEN "7H", "CSI " TEN "1;1;1;1;1;1H"},
        {"\x1b[4:1:2:3:4:5:6:7:8:9:1:2:3:4:5:6:7:8;7m", "CSI m | CSI 7m"},
        {"\x1b[4:1:2:3:4:5:6:7:8:9:1:2:3:4:5:6:7:8m", "CSI m"},
    };
    (void)state;
    ASSERT_READINGS(table);
    char text[400] = "\x1b[";
    memset(text + 2, '1', 300);
    memcpy(text + 302, "mok", 4);
    assert_read(text, 305, "\"ok\""); /* too long: swallowed */
}

static void strings_and_marks(void **state)
{
    static const struct reading table[] = {
        {"\x1b]0;title\aok", "OSC 0;title | \"ok\""},
        {"\x1b]8;;http://x\x1b\\ok", "OSC 8;;http://x | \"ok\""},
        {"\x1b]0;title\xc2\x9cok", "OSC 0;title | \"ok\""}, /* U+009C is ST, as in xterm */
        {"\x1b]0;\xc5\x9c\xc2\xa0\aok", "OSC 0;\xc5\x9c\xc2\xa0 | \"ok\""},
        {"\x1bP$qm\xc2\x9cok", "DCS $qm | \"ok\""},
        {"\x1b^pm\xc2\x9c\x1bXsos\xc2\x9cok", "\"ok\""},
        {"\x1b]0;\xc2\n\x9c\aok", "OSC 0;\xc2\x9c | \"ok\""}, /* two halves are none */
        {"\x1b]0;\xc2\aok", "OSC 0;\xc2 | \"ok\""},
        {"\x1b]0;a\x18ok", "\"ok\""},
        {"\x1b]0;a\x1b[mok", "CSI -m | \"ok\""},
        {"\x1bP$qm\x1b\\\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\ok", "DCS $qm | APC apc | \"ok\""},
        {"\x1bPno\aend\x1b\\ok", "DCS noend | \"ok\""},
        {"\x1bZok", "ESCZ | \"ok\""},
        {"\x1b\n]7711;" NONCE ";1;A\aok", "^J | OSC 7711;" SHOWN ";1;A | \"ok\""},
        {"a\x1b]7711;" NONCE ";1;A\ab", "\"a\" | MARK A signed | \"b\""},
        {"\x1b]7711;" OTHER ";1;A\x1b\\b", "MARK A forged | \"b\""},
        {"\x1b]7711;short;1;A\ab", "BAD | \"b\""},
        {"\x1b]7711;" NONCE ";x\ab", "BAD | \"b\""},
        {"\x1b]7711;" NONCE ";1;D;st=0;raw=a;b\a\x1b[m;" NONCE "\a$", "MARK D signed | \"$\""},
    };
    (void)state;
    ASSERT_READINGS(table);
}

/* The nonce is zeros for whoever looks later; what merely begins like it passes. */
static void nonces_are_overwritten(void **state)
{
    static const struct reading table[] = {
        {"x" NONCE "y", "\"x01234560000000000000000000000000y\""},
        {"\x1b[1m" NONCE "\x1b[m", "CSI 1m | \"01234560000000000000000000000000\" | CSI -m"},
        {"0123456789abcdef0123\x1b[m", "\"0123456789abcdef0123\" | CSI -m"},
        {"0123456789abcdef", "\"0123456\""}, /* the rest is held back */
    };
    (void)state;
    ASSERT_READINGS(table);
}

/* ---- what libvterm is given ---- */

static void assert_printed(const char *body, const char *expected)
{
    char text[CSI_TEXT + 1];
    struct csi csi;
    assert_int_equal(csi_read(body, strlen(body), &csi), strlen(body));
    text[csi_print(&csi, text)] = '\0';
    assert_string_equal(text, expected);
}

static void sequences_are_printed_anew(void **state)
{
    (void)state;
    assert_printed("?25l", "\x1b[?25l");
    assert_printed(";5H", "\x1b[;5H");
    assert_printed("!p", "\x1b[!p");
    assert_printed("99999999999999999999B", "\x1b[9999B");
    assert_printed("1;31m", ""); /* pens are not libvterm's */
    assert_printed(">4;2m", "");
}

/* The fast way and the thorough one come to the same. */
static void sequences_are_the_same_however_they_are_read(void **state)
{
    static const char alphabet[] = "0123456789;;;;3848;:?\x80 ", finals[] = "mHKJrb@~ulh";
    unsigned seed = 1;
    (void)state;
    for (int n = 0; n < 300000; n++) {
        char text[64] = {0};
        size_t len = 0;
        for (size_t body = (seed = seed * 1103515245u + 12345u) >> 16 & 15; body--;)
            text[len++] = alphabet[((seed = seed * 1103515245u + 12345u) >> 16) %
                                   (sizeof alphabet - 1 - n % 5)];
        text[len++] = finals[(seed >> 20) % (sizeof finals - 1)];
        struct csi fast = {0}, thorough = {0};
        size_t read = csi_read(text, len + 20, &fast);
        assert_int_equal(read, csi_read_long(text, len + 20, 0, &thorough));
        if (!read)
            continue;
        fast.brief = 0;
        assert_int_equal(fast.count, thorough.count);
        memset(fast.value + fast.count, 0, sizeof fast.value - fast.count * sizeof *fast.value);
        memset(thorough.value + fast.count, 0, sizeof fast.value - fast.count * sizeof *fast.value);
        assert_memory_equal(&fast, &thorough, sizeof fast);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_controls),
        cmocka_unit_test(sequences),
        cmocka_unit_test(long_sequences),
        cmocka_unit_test(strings_and_marks),
        cmocka_unit_test(nonces_are_overwritten),
        cmocka_unit_test(sequences_are_printed_anew),
        cmocka_unit_test(sequences_are_the_same_however_they_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
