/* streams.h - random output of programs, the same for the same seed. */
#ifndef TESTS_UNIT_STREAMS_H
#define TESTS_UNIT_STREAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

static uint64_t seed;

/* Nothing that we make of otherwise than libvterm alone does, on purpose: a mark joins its
 * character at the edge, too; REP prints no more than a row and never wraps a wide character
 * halfway; C1 controls print nothing; a colour without its values is none; ASCII is of the set that
 * is chosen also where it comes at once with other characters; each screen has its saved cursor,
 * with character sets and origin; DECSTR leaves tab stops; RIS goes to the primary screen; with
 * origin and margins colours move no cursor; a saved cursor waits at the edge, too, and one that
 * changes screens; what erases, inserts or deletes behind the last column takes nothing, what
 * erases the row ends the waiting, and IL and DL go to the row's start; LF, IND and RI end the
 * waiting at the edge where they scroll, too; widths are Unicode's of today, and clusters are
 * measured under mode 2027; CUU stops at the region; a region without two rows is none; text keeps
 * to the margins of columns; of a wide character no half stays.
 */
static bool streams_strict;

static unsigned pick(unsigned count)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % count;
}

static void add_text(struct bytes *out)
{
    static const char words[] = "the quick brown fox  jumps over \t lazy-dog 0123456789 {}[]<>;";
    for (unsigned n = pick(120); n; n--)
        bytes_append_char(out, words[pick(sizeof words - 1)]);
}

/* Where libvterm does otherwise: what goes in front, so that both do the same, or instead. */
static void add_strictly(struct bytes *out, const char *sequence)
{
    static const struct {
        const char *in, *front;
        bool instead;
    } differences[] = {
        {.in = "?7l", .front = "\r"},
        {.in = "1047", .front = "\r\x1b[?1047l"},
        {.in = "69h", .front = "", .instead = true},
        {.in = "\xe6\x97\xa5", .front = "\xc3\xa9", .instead = true},
        {.in = "\xf0\x9f\x98\x80", .front = "\xc3\xa9", .instead = true},
        {.in = "[4;2r", .front = "\x1b[r", .instead = true},
        {.in = "[0;0r", .front = "\x1b[r", .instead = true},
        {.in = "A", .front = "\x1b[r"},
        {.in = "J", .front = "\r"},
        {.in = "K", .front = "\r"},
        {.in = "[L", .front = "\r"},
        {.in = "[M", .front = "\r"},
        {.in = "[P", .front = "\x1b[r"},
        {.in = "[@", .front = "\x1b[r"},
        {.in = "[X", .front = "\r"},
        {.in = "\n", .front = "\r"},
        {.in = "\v", .front = "\r"},
        {.in = "\x1bM", .front = "\r"},
        {.in = "\x1b"
               "D",
         .front = "\r"},
    };
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (strstr(sequence, differences[i].in)) {
            bytes_append_text(out, differences[i].front);
            bytes_append_text(out, differences[i].instead ? "" : sequence);
            return;
        }
    bytes_append_text(out, sequence);
}

static void add_common(struct bytes *out, const char *sequence)
{
    if (streams_strict)
        add_strictly(out, sequence);
    else
        bytes_append_text(out, sequence);
}

static void add_sequence(struct bytes *out)
{
    static const char *const sequences[] = {
        "\x1b[31m",
        "\x1b[m",
        "\x1b[44m",
        "\x1b[1;38;5;200m",
        "\x1b[K",
        "\x1b[J",
        "\x1b[2J",
        "\x1b[H",
        "\x1b[3A",
        "\x1b[5;5H",
        "\x1b[2;4r",
        "\x1b[2;4r",
        "\x1b[3r",
        "\x1b[;5r",
        "\x1b[1;3r\x1b[2;1H\r\n\n\n",
        "\x1b[4;2r",
        "\x1b[0;0r",
        "\x1b[r",
        "\x1b[4h",
        "\x1b[4l",
        "\x1b[?7l",
        "\x1b[?7h",
        "\x1b[?69l\x1b[?6h",
        "\x1b[?6l",
        "\x1bH",
        "\x1b[3g",
        "\x1b[20h",
        "\x1b[20l",
        "\x1b[L",
        "\x1b[M",
        "\x1b[P",
        "\x1b[@",
        "\x1b[X",
        "\x1b[?1047h",
        "\x1b[?1047l",
        "\x1b[2\"q",
        "\x1b[?J",
        "\x1b[?1K",
        "\x1b[?2K",
        "\x1b[3J",
        "\b",
        "\r",
        "\n",
        "\t",
        "\x1b]0;t\a",
        "\x1b[S",
        "\x1b[T",
        "\xe6\x97\xa5",
        "\xf0\x9f\x98\x80",
        "\xff",
        "\x1bM",
        "\x1b"
        "D",
        "\x1b"
        "E",
        "\x1b[?6l\x1b[?69h\x1b[3;9s",
        "\x1b[?69l",
        "\x1b[99C",
        "\x1b[0;1;4;9;95;103m",
        "\x1b[22;24;29;39;49m",
        "\x1b[38;2;1;2;3;48;5;17m",
        "\x1b[21m",
        "\x1b[4:3m",
        "\x1b[2;8m",
        "\x1b[;7m",
        "\x1b[0K",
        "\x1b[1K",
        "\x1b[2K",
        "\x1b[99;99H",
        "\x1b[;H",
        "\x1b[3H",
        "\x1b[6n",
        "\r\n\r\n",
        "\b\b\b",
        "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
        "\xc3\xa9\xc3\xbc\xce\xb1",
        "\a",
        "\v",
    };
    static const char *const others[] = {
        "\x1b[1\"q",
        "\x1b[1\"q",
        "\x1b(0",
        "\x1b(B",
        "\x0e",
        "\x0f",
        "\x1b[5b",
        "e\xcc\x81",
        "\xcc\x81",
        "\xc2\x9b",
        "\x1b[38m",
        "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
        "\xe0\xa4\xa8\xe0\xa5\x8d\xe0\xa4\xa4",
        "\xe2\x80\x8b",
        "\x1b"
        "7",
        "\x1b"
        "8",
        "\x1b[s",
        "\x1b[u",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b"
        "c",
        "\x1b[!p",
        "\x1b)0\x0e",
        "\x1b[53;2;8m",
        "\x1b[4:4;58:2::9:8:7m",
        "\x1b[6;58;5;3m",
        "\x1b[?6h",
        "\x1b[?69h\x1b[3;9s",
        "\x1b[?2027h",
        "\x1b[?2027h",
        "\x1b[?2027l",
        "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
        "\xe2\x9d\xa4\xef\xb8\x8f",
        "#\xef\xb8\x8f\xe2\x83\xa3",
        "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab",
        "\xd8\x80",
    };
    unsigned count = sizeof sequences / sizeof *sequences;
    unsigned n = pick(count + (streams_strict ? 0 : sizeof others / sizeof *others));
    const char *sequence = n < count ? sequences[n] : others[n - count];
    add_common(out, sequence);
}

/* Much of what may scroll away unseen, and now and then something that may not. */
static void make_listing(struct bytes *out)
{
    static const char *const pieces[] = {
        "name",
        "\r",
        "\r\r",
        "\r\x1b[K",
        "  ",
        "\t",
        "\x1b[01;34m",
        "\x1b[0m",
        "\x1b[m\x1b[K",
        "\x1b[38;5;9m",
        "\xc3\xa9",
        "\x1b[7m",
        "\xe6\x97\xa5\xe6\x9c\xac",
        "0123456789",
        "\x1b[K",
        "\xe2\x86\x92 ",
        "\x1b[3;39m",
        "a long word and another ",
    };
    static const char *const others[] = {"\r",           "\b",      "\x1b[44m",         "e\xcc\x81",
                                         "\n",           "\x1b[2A", "\xf0\x9f\x98\x80", "\x1b[21m",
                                         "\x1b[1;31;46m"};
    unsigned strange = 20 + pick(2000);
    for (unsigned n = 20 + pick(300); n; n--) {
        for (unsigned k = pick(9); k; k--)
            add_common(out, pieces[pick(sizeof pieces / sizeof *pieces)]);
        if (!streams_strict && pick(strange) == 0)
            bytes_append_text(out, others[pick(sizeof others / sizeof *others)]);
        bytes_append_text(out, pick(400) ? "\r\n" : "\x1b[m");
    }
}

static unsigned number(unsigned most)
{
    unsigned value = pick(most + 1);
    return streams_strict && (value == 38 || value == 48 || value == 58) ? 0 : value;
}

/* What a full-screen program draws: mostly short sequences, with all kinds of numbers. */
static void make_drawing(struct bytes *out)
{
    static const unsigned most[] = {9, 99, 99, 999, 9999, 99999};
    static const char finals[] = "HHHHHmmmmmmKJrAd";
    for (unsigned n = 5 + pick(600); n; n--) {
        bytes_append_text(out, "\x1b[");
        for (unsigned k = pick(4); k; k--) {
            if (pick(8))
                bytes_printf(out, "%0*u", 1 + (int)pick(2), number(most[pick(6)]));
            bytes_append_text(out, k > 1 ? ";" : "");
        }
        char final = finals[pick(sizeof finals - 1)];
        bytes_append_char(out, streams_strict && strchr("JKAr", final) ? 'd' : final);
        if (pick(60) == 0)
            add_sequence(out);
        for (unsigned k = pick(pick(6) ? 4 : 40); k; k--)
            bytes_append_char(out, pick(9) ? 'a' + (char)pick(26) : ' ');
        bytes_append_text(out, pick(12) ? "" : "\r\n");
    }
}

static void make_stream(struct bytes *out)
{
    unsigned style = pick(6);
    if (style > 3) {
        make_listing(out);
        return;
    }
    for (unsigned n = 5 + pick(style == 0 ? 400 : 60); n; n--) {
        add_text(out);
        if (pick(style == 0 ? 60 : 4) == 0)
            add_sequence(out);
        if (pick(8))
            bytes_append_text(out, "\r\n");
    }
}

#endif
