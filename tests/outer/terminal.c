#define _GNU_SOURCE
#include "tests/outer/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SEQUENCE_BYTES 512 /* kept of a sequence or string: queries are short */
#define MODES          10000
#define FLAGS          64 /* of kitty's keyboard protocol, pushed */
#define VALUES         16

enum state { GROUND, ESCAPE, SHORT, SEQUENCE, STRING, STRING_ESCAPE };

struct outer_terminal {
    struct outer_size size;
    bool dark;
    struct outer_screen *screen;
    struct bytes waiting; /* for the screen */
    unsigned long answered;

    enum state state;
    char kind;                 /* of a string: the byte behind ESC */
    char kept[SEQUENCE_BYTES]; /* of it, without introducer and terminator */
    size_t kept_len;

    bool modes[MODES];
    int flags[FLAGS];
    int flags_depth; /* flags[flags_depth] is in force */
    int other_keys, cursor_shape;
    bool keypad, region;
};

/* ---- answers ---- */

static void answer_colour(struct outer_terminal *t, const char *which, struct bytes *answers)
{
    static const char *const light[] = {"1111/1111/1111", "fafa/fafa/fafa", "3333/6666/9999"};
    static const char *const dark[] = {"dddd/dddd/dddd", "1010/1010/1010", "cccc/cccc/cccc"};
    int index = which[1] - '0';
    bytes_printf(answers, "\033]1%d;rgb:%s\033\\", index, (t->dark ? dark : light)[index]);
}

static void answer_capability(const char *name, struct bytes *answers)
{
    if (!strcasecmp(name, "544e")) /* TN: xterm-kitty */
        bytes_append_text(answers, "\033P1+r544e=787465726d2d6b69747479\033\\");
    else if (!strcasecmp(name, "4d73")) /* Ms: how the clipboard is set */
        bytes_append_text(answers, "\033P1+r4d73=1b5d35323b25703125733b257032257307\033\\");
    else
        bytes_printf(answers, "\033P0+r%s\033\\", name);
}

/* A string has ended: of those that ask, the answer. */
static void answer_string(struct outer_terminal *t, struct bytes *answers)
{
    const char *s = t->kept;
    size_t before = answers->len;
    char id[32];
    if (t->kind == ']') {
        if (!strcmp(s, "10;?") || !strcmp(s, "11;?") || !strcmp(s, "12;?"))
            answer_colour(t, s, answers);
        else if (!strcmp(s, "4;1;?"))
            bytes_append_text(answers, "\033]4;1;rgb:cccc/0403/0403\033\\");
        else if (!strcmp(s, "52;c;?"))
            bytes_append_text(answers, "\033]52;c;b3V0ZXI=\033\\");
    } else if (t->kind == 'P') {
        if (!strncmp(s, "+q", 2))
            answer_capability(s + 2, answers);
        else if (!strcmp(s, "$qm"))
            bytes_append_text(answers, "\033P1$r0m\033\\");
        else if (!strncmp(s, "$q", 2))
            bytes_append_text(answers, "\033P0$r\033\\");
    } else if (t->kind == '_' && strstr(s, "a=q") && sscanf(s, "Gi=%31[0-9]", id) == 1) {
        bytes_printf(answers, "\033_Gi=%s;OK\033\\", id);
    }
    t->answered += answers->len > before;
}

/* DECRQM: 1 set, 2 reset, 0 unknown. */
static void answer_mode(struct outer_terminal *t, int mode, struct bytes *answers)
{
    static const int known[] = {1,    5,    6,    7,    12,   25,   47,   66,   1000,
                                1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1047,
                                1048, 1049, 2004, 2026, 2027, 2031, 2048};
    int value = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == mode)
            value = t->modes[mode] ? 1 : 2;
    bytes_printf(answers, "\033[?%d;%d$y", mode, value);
}

static void answer_cursor(struct outer_terminal *t, struct bytes *answers)
{
    int row = 0, col = 0;
    if (t->screen)
        outer_screen_cursor(t->screen, &row, &col);
    bytes_printf(answers, "\033[%d;%dR", row + 1, col + 1);
}

/* The queries that are always the same, and their answers. */
static const struct {
    const char *query, *answer;
} answers_fixed[] = {
    {"c", "\033[?62;c"},
    {"0c", "\033[?62;c"},
    {">c", "\033[>1;4000;35c"},
    {">0c", "\033[>1;4000;35c"},
    {"=c", "\033P!|00000000\033\\"},
    {"=0c", "\033P!|00000000\033\\"},
    {">q", "\033P>|kitty(0.35.2)\033\\"},
    {">0q", "\033P>|kitty(0.35.2)\033\\"},
    {"5n", "\033[0n"},
};

static void answer_size(struct outer_terminal *t, const char *s, struct bytes *answers)
{
    const struct outer_size *z = &t->size;
    if (!strcmp(s, "14t"))
        bytes_printf(answers, "\033[4;%d;%dt", z->rows * z->cell_height, z->cols * z->cell_width);
    else if (!strcmp(s, "16t"))
        bytes_printf(answers, "\033[6;%d;%dt", z->cell_height, z->cell_width);
    else if (!strcmp(s, "18t"))
        bytes_printf(answers, "\033[8;%d;%dt", z->rows, z->cols);
}

/* A control sequence has ended: of those that ask, the answer. */
static void answer_sequence(struct outer_terminal *t, struct bytes *answers)
{
    const char *s = t->kept;
    size_t before = answers->len;
    int mode, end = 0;
    for (size_t i = 0; i < sizeof answers_fixed / sizeof *answers_fixed; i++)
        if (!strcmp(s, answers_fixed[i].query))
            bytes_append_text(answers, answers_fixed[i].answer);
    if (!strcmp(s, "6n"))
        answer_cursor(t, answers);
    else if (!strcmp(s, "?996n"))
        bytes_printf(answers, "\033[?997;%dn", t->dark ? 1 : 2);
    else if (!strcmp(s, "?u"))
        bytes_printf(answers, "\033[?%du", t->flags[t->flags_depth]);
    else if (sscanf(s, "?%4d$p%n", &mode, &end) == 1 && end)
        answer_mode(t, mode, answers);
    else
        answer_size(t, s, answers);
    t->answered += answers->len > before;
}

/* ---- modes ---- */

/* The decimal values of "1;2;3"; returns how many. */
static int read_values(const char *s, int *values)
{
    int n = 0;
    for (char *end; n < VALUES; s = end + 1) {
        values[n++] = (int)strtol(s, &end, 10);
        if (*end != ';')
            break;
    }
    return n;
}

static void set_modes(struct outer_terminal *t, const char *s, bool on)
{
    int values[VALUES], n = read_values(s, values);
    for (int i = 0; i < n; i++)
        if (values[i] >= 0 && values[i] < MODES)
            t->modes[values[i]] = on;
}

/* kitty's keyboard protocol: CSI > n u, CSI < n u, CSI = flags ; how u. */
static void set_flags(struct outer_terminal *t, const char *s)
{
    int values[VALUES] = {0}, n = read_values(s + 1, values);
    if (*s == '>' && t->flags_depth + 1 < FLAGS)
        t->flags[++t->flags_depth] = values[0];
    else if (*s == '<')
        for (int i = values[0] > 0 ? values[0] : 1; i > 0 && t->flags_depth > 0; i--)
            t->flags_depth--;
    else if (*s == '=' && n > 1 && values[1] == 2)
        t->flags[t->flags_depth] |= values[0];
    else if (*s == '=' && n > 1 && values[1] == 3)
        t->flags[t->flags_depth] &= ~values[0];
    else if (*s == '=')
        t->flags[t->flags_depth] = values[0];
}

static void set_region(struct outer_terminal *t, const char *s)
{
    int values[VALUES] = {0};
    int n = read_values(s, values), top = values[0] > 0 ? values[0] : 1;
    t->region = top > 1 || (n > 1 && values[1] > 0 && values[1] < t->size.rows);
}

static void reset(struct outer_terminal *t)
{
    memset(t->modes, 0, sizeof t->modes);
    memset(t->flags, 0, sizeof t->flags);
    t->flags_depth = t->other_keys = t->cursor_shape = 0;
    t->keypad = t->region = false;
    t->modes[7] = t->modes[25] = true;
}

static void follow_sequence(struct outer_terminal *t)
{
    const char *s = t->kept;
    char last = s[t->kept_len - 1];
    int values[VALUES];
    if (*s == '?' && (last == 'h' || last == 'l'))
        set_modes(t, s + 1, last == 'h');
    else if (last == 'u' && strchr("><=", *s))
        set_flags(t, s);
    else if (*s == '>' && last == 'm')
        t->other_keys = read_values(s + 1, values) > 1 && values[0] == 4 ? values[1] : 0;
    else if (t->kept_len >= 2 && !strcmp(s + t->kept_len - 2, " q"))
        t->cursor_shape = atoi(s);
    else if (last == 'r' && *s != '?')
        set_region(t, s);
    else if (!strcmp(s, "3J") && t->screen)
        outer_screen_forget(t->screen);
    else if (!strcmp(s, "!p"))
        t->cursor_shape = 0, t->region = false;
}

/* ---- bytes ---- */

/* What draws waits, so that libvterm gets it in one piece; strings are not among it. */
static void draw(struct outer_terminal *t, const char *data, size_t len)
{
    if (t->screen)
        bytes_append(&t->waiting, data, len);
}

static void flush(struct outer_terminal *t)
{
    if (t->waiting.len)
        outer_screen_write(t->screen, t->waiting.data, t->waiting.len);
    t->waiting.len = 0;
}

static void keep(struct outer_terminal *t, char c)
{
    if (t->kept_len + 1 < sizeof t->kept)
        t->kept[t->kept_len++] = c;
}

/* All in front of a query is drawn, for its answer may be about it. */
static void end_sequence(struct outer_terminal *t, struct bytes *answers)
{
    t->kept[t->kept_len] = '\0';
    t->state = GROUND;
    flush(t);
    follow_sequence(t);
    answer_sequence(t, answers);
}

static void end_string(struct outer_terminal *t, struct bytes *answers)
{
    t->kept[t->kept_len] = '\0';
    t->state = GROUND;
    answer_string(t, answers);
}

static void take_escape(struct outer_terminal *t, char c)
{
    t->kept_len = 0;
    t->kind = c;
    t->state = GROUND;
    if (strchr("]PX^_", c)) {
        t->state = STRING;
        return;
    }
    draw(t, (char[]){'\033', c}, 2);
    if (c == '[')
        t->state = SEQUENCE;
    else if (c >= 0x20 && c < 0x30)
        t->state = SHORT;
    else if (c == '=' || c == '>')
        t->keypad = c == '=';
    else if (c == 'c')
        reset(t);
}

static void take_sequence(struct outer_terminal *t, char c, struct bytes *answers)
{
    draw(t, &c, 1);
    if (c < 0x20)
        return;
    keep(t, c);
    if (c >= 0x40)
        end_sequence(t, answers);
}

/* An ESC that ends nothing is part of a string in kitty: tmux's passthrough doubles it. */
static void take_string(struct outer_terminal *t, char c, struct bytes *answers)
{
    bool escaped = t->state == STRING_ESCAPE;
    t->state = STRING;
    if ((escaped && c == '\\') || (c == '\a' && t->kind == ']'))
        end_string(t, answers);
    else if (!escaped && c == '\033')
        t->state = STRING_ESCAPE;
    else
        keep(t, c);
}

static void take(struct outer_terminal *t, char c, struct bytes *answers)
{
    if (t->state == STRING || t->state == STRING_ESCAPE) {
        take_string(t, c, answers);
    } else if (c == '\033') {
        t->state = ESCAPE;
    } else if (t->state == ESCAPE) {
        take_escape(t, c);
    } else if (t->state == SEQUENCE) {
        take_sequence(t, c, answers);
    } else if (t->state == SHORT) {
        draw(t, &c, 1);
        t->state = c >= 0x20 && c < 0x30 ? SHORT : GROUND;
    }
}

void outer_terminal_write(struct outer_terminal *t, const char *data, size_t len,
                          struct bytes *answers)
{
    for (size_t i = 0; i < len; i++) {
        if (t->state == GROUND) { /* most of a flood */
            const char *next = memchr(data + i, '\033', len - i);
            size_t run = next ? (size_t)(next - data) - i : len - i;
            draw(t, data + i, run);
            i += run;
        }
        if (i < len)
            take(t, data[i], answers);
    }
    flush(t);
}

/* ---- */

struct outer_terminal *outer_terminal_create(struct outer_size size, bool dark, bool screen)
{
    struct outer_terminal *t = memory_new(sizeof *t);
    t->size = size;
    t->dark = dark;
    t->screen = screen ? outer_screen_create(size.cols, size.rows) : NULL;
    reset(t);
    return t;
}

void outer_terminal_destroy(struct outer_terminal *t)
{
    if (!t)
        return;
    outer_screen_destroy(t->screen);
    bytes_finish(&t->waiting);
    free(t);
}

void outer_terminal_resize(struct outer_terminal *t, struct outer_size size)
{
    t->size = size;
    t->region = false;
    if (t->screen)
        outer_screen_resize(t->screen, size.cols, size.rows);
}

struct outer_screen *outer_terminal_screen(struct outer_terminal *t)
{
    return t->screen;
}

unsigned long outer_terminal_answered(const struct outer_terminal *t)
{
    return t->answered;
}

void outer_terminal_print_modes(const struct outer_terminal *t, FILE *to)
{
    const char *between = "";
    fputs("{\"set\":[", to);
    for (int mode = 0; mode < MODES; mode++) {
        bool on = mode == 7 || mode == 25;
        if (t->modes[mode] == on)
            continue;
        fprintf(to, "%s%d", between, on ? -mode : mode);
        between = ",";
    }
    fprintf(to, "],\"kitty\":%d,\"other_keys\":%d,\"cursor_shape\":%d,\"keypad\":%s,\"region\":%s}",
            t->flags_depth * 1000 + t->flags[t->flags_depth], t->other_keys, t->cursor_shape,
            t->keypad ? "true" : "false", t->region ? "true" : "false");
}
