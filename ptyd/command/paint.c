#define _GNU_SOURCE
#include "ptyd/command/paint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/command/show.h"

#define VALUES 32 /* of one SGR; what is behind them changes nothing */
#define AHEAD  64 /* painted lines that may be passed over for one of the text */

/* ---- reading ---- */

struct values {
    int value[VALUES];
    bool joined[VALUES]; /* by a colon to the one before */
    int count;
};

/* `text` is what stands between `ESC [` and `m`. A value that is missing is 0. */
static void read_values(const char *text, size_t len, struct values *v)
{
    *v = (struct values){.count = 1};
    for (size_t i = 0; i < len; i++) {
        int *value = &v->value[v->count - 1];
        if (text[i] >= '0' && text[i] <= '9')
            *value = *value < 10000 ? *value * 10 + (text[i] - '0') : *value;
        else if (v->count == VALUES)
            return;
        else
            v->joined[v->count++] = text[i] == ':';
    }
}

/* The values of an extended colour from `at` on, `5;n` or `2;r;g;b`; with colons a colour space may
 * stand in front of three. *ret_next is behind them. */
static uint32_t extended(const struct values *v, int at, int *ret_next)
{
    int end = at;
    bool joined = at < v->count && v->joined[at];
    while (joined && end < v->count && v->joined[end])
        end++;
    if (!joined)
        end = at < v->count && v->value[at] == 2 ? at + 4 : at + 2;
    end = end < v->count ? end : v->count;
    *ret_next = end;
    const int *value = v->value + at, *rgb = value + (joined && end - at > 4 ? 2 : 1);
    if (end - at >= 2 && value[0] == 5 && value[1] < 256)
        return PAINT_INDEXED | (uint32_t)value[1];
    if (end - at < 4 || value[0] != 2 || rgb[0] > 255 || rgb[1] > 255 || rgb[2] > 255)
        return 0;
    return PAINT_RGB | (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | (uint32_t)rgb[2];
}

static void set_attribute(struct paint *p, int value)
{
    static const struct {
        int value;
        unsigned set, ends;
    } table[] = {
        {1, PAINT_BOLD, 0},      {2, PAINT_DIM, 0},        {3, PAINT_ITALIC, 0},
        {4, PAINT_UNDERLINE, 0}, {21, PAINT_UNDERLINE, 0}, {7, PAINT_REVERSE, 0},
        {9, PAINT_STRIKE, 0},    {53, PAINT_OVERLINE, 0},  {22, 0, PAINT_BOLD | PAINT_DIM},
        {23, 0, PAINT_ITALIC},   {24, 0, PAINT_UNDERLINE}, {27, 0, PAINT_REVERSE},
        {29, 0, PAINT_STRIKE},   {55, 0, PAINT_OVERLINE},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].value == value)
            p->attributes = (p->attributes | table[i].set) & ~table[i].ends;
}

static void set_colour(struct paint *p, int value)
{
    int tens = value / 10, digit = value % 10;
    bool bright = tens >= 9;
    uint32_t *colour = tens == 3 || tens == 9 ? &p->foreground : &p->background;
    if ((tens != 3 && tens != 4 && tens != 9 && tens != 10) || digit == 8 || (digit == 9 && bright))
        return;
    *colour = digit == 9 ? 0 : PAINT_INDEXED | (uint32_t)(digit + (bright ? 8 : 0));
}

static void apply(struct paint *p, const char *text, size_t len)
{
    struct values v;
    read_values(text, len, &v);
    for (int i = 0, next; i < v.count; i = next) {
        int value = v.value[i];
        next = i + 1;
        if (value == 38 || value == 48 || value == 58) {
            uint32_t colour = extended(&v, i + 1, &next), unused;
            uint32_t *of = value == 38 ? &p->foreground : value == 48 ? &p->background : &unused;
            *of = colour;
        } else if (value == 4 && next < v.count && v.joined[next]) {
            set_attribute(p, v.value[next] ? 4 : 24);
        } else if (value == 0) {
            *p = (struct paint){0};
        } else {
            set_attribute(p, value);
            set_colour(p, value);
        }
        while (next < v.count && v.joined[next])
            next++;
    }
}

/* The length of an SGR at the head; 0 for none. */
static size_t sgr_length(const char *text, size_t len)
{
    size_t n = 2;
    if (len < 3 || text[0] != '\x1b' || text[1] != '[')
        return 0;
    while (n < len && ((text[n] >= '0' && text[n] <= '9') || text[n] == ';' || text[n] == ':'))
        n++;
    return n < len && text[n] == 'm' ? n + 1 : 0;
}

void paint_each(const char *text, size_t len, paint_piece *each, void *user)
{
    struct paint paint = {0};
    size_t from = 0, at = 0, sgr = 0;
    for (; at < len; at += sgr ? sgr : 1) {
        sgr = sgr_length(text + at, len - at);
        if (!sgr)
            continue;
        if (at > from)
            each(user, &paint, text + from, at - from);
        apply(&paint, text + at + 2, sgr - 3);
        from = at + sgr;
    }
    if (len > from)
        each(user, &paint, text + from, len - from);
}

/* ---- writing ---- */

static void add_text(void *user, const struct paint *paint, const char *text, size_t len)
{
    (void)paint;
    bytes_append(user, text, len);
}

void paint_strip(const char *text, size_t len, struct bytes *out)
{
    paint_each(text, len, add_text, out);
}

static void append_colour(uint32_t colour, unsigned base, struct bytes *out)
{
    if (colour & PAINT_INDEXED && (colour & 0xff) < 16)
        bytes_printf(out, ";%u", (colour & 7) + base + (colour & 8 ? 60 : 0));
    else if (colour & PAINT_INDEXED)
        bytes_printf(out, ";%u;5;%u", base + 8, colour & 0xff);
    else if (colour)
        bytes_printf(out, ";%u;2;%u;%u;%u", base + 8, colour >> 16 & 0xff, colour >> 8 & 0xff,
                     colour & 0xff);
}

static void add_piece(void *user, const struct paint *p, const char *text, size_t len)
{
    static const char *const codes[] = {";1", ";2", ";3", ";4", ";7", ";9", ";53"};
    struct bytes *out = user;
    bool painted = p->foreground || p->background || p->attributes;
    if (painted)
        bytes_append_text(out, "\x1b[0");
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
        bytes_append_text(out, p->attributes >> i & 1 ? codes[i] : "");
    append_colour(p->foreground, 30, out);
    append_colour(p->background, 40, out);
    bytes_append_text(out, painted ? "m" : "");
    show_clean(text, len, out);
    bytes_append_text(out, painted ? "\x1b[0m" : "");
}

void paint_terminal(const char *text, size_t len, struct bytes *out)
{
    paint_each(text, len, add_piece, out);
}

bool paint_is_wanted(void)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(none && *none) && term && strcmp(term, "dumb") != 0;
}

/* ---- matching ---- */

/* Lines of a text, one after the other. */
struct cursor {
    const char *at, *end;
};

static bool next_line(struct cursor *c, const char **ret_line, size_t *ret_len)
{
    if (c->at >= c->end)
        return false;
    const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
    *ret_line = c->at;
    *ret_len = (size_t)((end ? end : c->end) - c->at);
    c->at = end ? end + 1 : c->end;
    return true;
}

static size_t trimmed(const char *text, size_t len)
{
    while (len && text[len - 1] == ' ')
        len--;
    return len;
}

static bool shows(const char *painted, size_t painted_len, const char *text, size_t len,
                  struct bytes *scratch)
{
    scratch->len = 0;
    paint_strip(painted, painted_len, scratch);
    size_t found = scratch->len ? trimmed(scratch->data, scratch->len) : 0;
    len = trimmed(text, len);
    return found == len && !memcmp(len ? scratch->data : "", text, len);
}

/* The painted line that shows this one, not far ahead; the lines in front of it are given up then.
 * A blank one is looked for at the place alone. */
static bool find(struct cursor *painted, const char *text, size_t len, const char **ret_line,
                 size_t *ret_len, struct bytes *scratch)
{
    struct cursor at = *painted;
    int most = trimmed(text, len) ? AHEAD : 1;
    for (int i = 0; i < most && next_line(&at, ret_line, ret_len); i++)
        if (shows(*ret_line, *ret_len, text, len, scratch)) {
            *painted = at;
            return true;
        }
    return false;
}

void paint_match(const char *text, size_t len, const char *painted, size_t painted_len,
                 struct bytes *out)
{
    struct cursor lines = {text, text + len}, colours = {painted, painted + painted_len};
    struct bytes scratch = {0};
    const char *line, *found;
    size_t line_len, found_len;
    while (next_line(&lines, &line, &line_len)) {
        bool matches = find(&colours, line, line_len, &found, &found_len, &scratch);
        bytes_append(out, matches ? found : line, matches ? found_len : line_len);
        bytes_append_char(out, '\n');
    }
    bytes_finish(&scratch);
}
