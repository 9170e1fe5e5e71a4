/* mixes.h - random streams of what is drawn and of what changes only what comes next. */
#ifndef TESTS_UNIT_MIXES_H
#define TESTS_UNIT_MIXES_H

#include "tests/unit/streams.h"

/* What changes what comes next and is drawn nowhere. */
static void add_mode(struct bytes *out)
{
    static const char *const sequences[] = {
        "\x1b[2;3;53m",
        "\x1b[4:5;58:2::9:8:7m",
        "\x1b[8;9;21m",
        "\x1b[38;5;99;58;5;3m",
        "\x1b[m",
        "\x1b]8;id=a;http://a/\x1b\\",
        "\x1b]8;;file:///b\a",
        "\x1b]8;;\x1b\\",
        "\x1b[3 q",
        "\x1b[0 q",
        "\x1b[?12h",
        "\x1b[?25l",
        "\x1b[?25h",
        "\x1b[?1000h",
        "\x1b[?1002;1006h",
        "\x1b[?1003l",
        "\x1b[?1004h",
        "\x1b[?1007h",
        "\x1b[?1015h",
        "\x1b[?1016h",
        "\x1b[?1016l",
        "\x1b[?2004h",
        "\x1b[?2026h",
        "\x1b[?2026l",
        "\x1b[?2031h",
        "\x1b[?2048h",
        "\x1b[?5h",
        "\x1b[?5l",
        "\x1b[?45h",
        "\x1b[?1h",
        "\x1b=",
        "\x1b>",
        "\x1b[>5u",
        "\x1b[>1u",
        "\x1b[<u",
        "\x1b[=3;2u",
        "\x1b[>4;2m",
        "\x1b[>4;0m",
        "\x1b[>4m",
        "\x1b(0",
        "\x1b)0",
        "\x1b(B",
        "\x0e",
        "\x0f",
        "\x1b*A",
        "\x1bn",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?1047h",
        "\x1b"
        "7",
        "\x1b"
        "8",
        "\x1b[s",
        "\x1b[u",
        "\x1b[?69l\x1b[?6h",
        "\x1b[?6l",
        "\x1b[3;7r",
        "\x1b[r",
        "\x1b[4h",
        "\x1b[4l",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[20h",
        "\x1b[20l",
        "\x1bH",
        "\x1b[g",
        "\x1b[3g",
        "\x1b[1\"q",
        "\x1b[0\"q",
        "\x1b[?6l\x1b[?69h\x1b[3;9s",
        "\x1b[?69l",
        "\x1b[!p",
        "\x1b"
        "c",
        "\x1b]4;1;#ff0000\a",
        "\x1b]4;7;rgb:1/2/3;255;#123456\x1b\\",
        "\x1b]104;7\a",
        "\x1b]104\a",
        "\x1b]10;#aabbcc;#112233\a",
        "\x1b]12;rgb:ffff/8888/0000\x1b\\",
        "\x1b]111\a",
    };
    bytes_append_text(out, sequences[pick(sizeof sequences / sizeof *sequences)]);
}

/* Terminals differ in what becomes of half a character: nothing may be printed over one. */
static bool has_wide(const struct bytes *part)
{
    for (size_t i = 0; i < part->len; i++)
        if ((unsigned char)part->data[i] >= 0xe3)
            return true;
    return false;
}

/* Origin or margins: libvterm lets text go on behind the right one, where with both no cursor can
 * be put. */
static void make_mix(struct bytes *out, const char *left_out)
{
    for (unsigned n = 20 + pick(60); n; n--) {
        struct bytes part = {0};
        if (pick(6) == 0)
            pick(4) ? make_stream(&part) : make_drawing(&part);
        else if (pick(2))
            add_text(&part);
        for (unsigned k = pick(4); k; k--)
            add_mode(&part);
        if (pick(3) == 0)
            add_sequence(&part);
        if (part.len < 1500 && !strstr(part.data ? part.data : "", left_out) && !has_wide(&part))
            bytes_append(out, part.data, part.len);
        bytes_finish(&part);
    }
}

#endif
