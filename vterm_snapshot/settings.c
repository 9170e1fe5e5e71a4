#include "vterm_snapshot/settings.h"

#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/sgr.h"

/* The modes by number; DEC's private ones, but for the two ANSI ones. */
static const struct mode {
    int number;
    bool ansi, inverse;
    bool input; /* for keys, mouse and paste: an attached terminal must know it */
} modes[SETTING_COUNT] = {
    [SETTING_CURSOR_KEYS] = {.number = 1, .input = true},
    [SETTING_REVERSE] = {.number = 5},
    [SETTING_ORIGIN] = {.number = 6},
    [SETTING_NO_WRAP] = {.number = 7, .inverse = true},
    [SETTING_MARGINS] = {.number = 69},
    [SETTING_MOUSE_CLICK] = {.number = 1000, .input = true},
    [SETTING_MOUSE_DRAG] = {.number = 1002, .input = true},
    [SETTING_MOUSE_MOVE] = {.number = 1003, .input = true},
    [SETTING_FOCUS] = {.number = 1004, .input = true},
    [SETTING_MOUSE_UTF8] = {.number = 1005, .input = true},
    [SETTING_MOUSE_SGR] = {.number = 1006, .input = true},
    [SETTING_MOUSE_RXVT] = {.number = 1015},
    [SETTING_BRACKETED_PASTE] = {.number = 2004, .input = true},
    [SETTING_INSERT] = {.number = 4, .ansi = true},
    [SETTING_NEWLINE] = {.number = 20, .ansi = true},
};

#define BIT(setting) (1u << (setting))
#define SETS         (BIT(SETTING_CHARSET) | BIT(SETTING_SHIFT))
#define EXOTIC                                                                                     \
    (BIT(SETTING_INSERT) | BIT(SETTING_NEWLINE) | BIT(SETTING_ORIGIN) | BIT(SETTING_NO_WRAP) |     \
     BIT(SETTING_MARGINS) | BIT(SETTING_TABS) | BIT(SETTING_PROTECT) | SETS)

void settings_init(struct settings *s)
{
    *s = (struct settings){.style = 1, .saved = {.visible = true, .style = 1}};
}

static void set(struct settings *s, enum setting setting, bool on)
{
    s->on = on ? s->on | BIT(setting) : s->on & ~BIT(setting);
}

/* ---- control sequences ---- */

static void save_cursor(struct settings *s, const struct settings_cursor *now)
{
    s->saved = *now;
    s->saved.style = s->style;
}

static void restore_cursor(struct settings *s)
{
    s->style = s->saved.style;
}

static void set_mode(struct settings *s, bool private, long number, bool on,
                     const struct settings_cursor *now)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        if (modes[i].number == number && number && modes[i].ansi == !private)
            set(s, (enum setting)i, on != modes[i].inverse);
    if (private && number == 12)
        s->style = (uint8_t)((s->style - 1) / 2 * 2 + (on ? 1 : 2));
    if (private && (number == 1048 || number == 1049) && on)
        save_cursor(s, now);
    else if (private && (number == 1048 || number == 1049))
        restore_cursor(s);
}

static void set_modes(struct settings *s, const char *body, const char *final,
                      const struct settings_cursor *now)
{
    bool private = *body == '?';
    for (const char *at = body + private; at < final;) {
        char *next;
        set_mode(s, private, strtol(at, &next, 10), *final == 'h', now);
        at = next + 1;
    }
}

static void read_region(struct settings *s, const char *body, const char *final)
{
    char *next = (char *)body;
    long top = strtol(body, &next, 10);
    bool given = next + 1 < final && *next == ';' && next[1] >= '0' && next[1] <= '9';
    long bottom = given ? strtol(next + 1, NULL, 10) : -1;
    settings_set_region(s, (int)top, (int)bottom, final > body);
}

static void change_tabs(struct settings *s)
{
    if (!settings_get(s, SETTING_TABS))
        memset(s->tabs, 1, sizeof s->tabs); /* every eighth column */
    set(s, SETTING_TABS, true);
}

static void clear_tabs(struct settings *s, const char *body, const struct settings_cursor *now)
{
    change_tabs(s);
    long what = strtol(body, NULL, 10);
    if (what == 3 || what == 5)
        memset(s->tabs, 0, sizeof s->tabs);
    else if (what == 0)
        s->tabs[now->col / 8] &= (uint8_t) ~(1u << now->col % 8);
}

/* It is not believed: versions of libvterm differ in what it resets. */
static void soft_reset(struct settings *s)
{
    s->unsure = true;
    s->on &= ~(BIT(SETTING_CURSOR_KEYS) | BIT(SETTING_KEYPAD));
}

/* `body` begins behind ESC [; returns the final's place. */
static const char *observe_csi(struct settings *s, const char *body, const char *end,
                               const struct settings_cursor *now)
{
    const char *final = body;
    while (final < end && ((unsigned char)*final < 0x40 || (unsigned char)*final > 0x7e))
        final++;
    if (final == end)
        return end;
    if (*final == 'r' && (final == body || *body <= ';'))
        read_region(s, body, final);
    else if (*final == 'g')
        clear_tabs(s, body, now);
    else if (*final == 'h' || *final == 'l')
        set_modes(s, body, final, now);
    else if (*final == 'q' && final > body && final[-1] == ' ')
        s->style = *body >= '1' && *body <= '6' ? (uint8_t)(*body - '0') : 1;
    else if (*final == 'q' && final > body && final[-1] == '"')
        set(s, SETTING_PROTECT, *body == '1');
    else if (*final == 's')
        s->unsure = true;
    else if (*final == 'p' && final > body && final[-1] == '!')
        soft_reset(s);
    return final;
}

/* ---- the others ---- */

/* What was saved stays. Character sets go back to what they were in the beginning, which no
 * designation brings about; whether all of them do is not known of every version. */
static void reset(struct settings *s)
{
    struct settings old = *s;
    settings_init(s);
    s->saved = old.saved;
    s->on = old.on & SETS;
    s->unsure = s->on != 0;
}

static void set_tab(struct settings *s, const struct settings_cursor *now)
{
    change_tabs(s);
    s->tabs[now->col / 8] |= (uint8_t)(1u << now->col % 8);
}

static void shift(struct settings *s, char c)
{
    set(s, SETTING_SHIFT, c != 0);
    s->shift = c;
}

/* `at` is behind ESC. */
static void observe_escape(struct settings *s, const char *at, const char *end,
                           const struct settings_cursor *now)
{
    char c = at < end ? *at : 0;
    const char *set_of = c ? strchr("()*+", c) : NULL;
    if (c == 'c')
        reset(s);
    else if (c == 'H')
        set_tab(s, now);
    else if (c == '7')
        save_cursor(s, now);
    else if (c == '8')
        restore_cursor(s);
    else if (c == '=' || c == '>')
        set(s, SETTING_KEYPAD, c == '=');
    else if (c && strchr("noNO", c))
        shift(s, c);
    s->unsure = s->unsure || c == 'N' || c == 'O'; /* for one character; nobody uses it */
    if (set_of && at + 1 < end)
        s->charset[set_of - "()*+"] = at[1];
    if (c == '(' && at + 1 < end)
        set(s, SETTING_CHARSET, at[1] != 'B');
}

static void observe_shifts(struct settings *s, const char *bytes, size_t len)
{
    const char *end = bytes + len;
    const char *out = memchr(bytes, 0x0e, len);
    const char *in = memchr(bytes, 0x0f, len);
    if (out || in)
        shift(s, out && (!in || out > in || memchr(in, 0x0e, (size_t)(end - in))) ? 'N' : 0);
}

void settings_observe(struct settings *s, const char *bytes, size_t len,
                      const struct settings_cursor *now)
{
    const char *end = bytes + len;
    if (bytes[0] != 0x1b) {
        observe_shifts(s, bytes, len);
        return;
    }
    for (const char *at = bytes; at && at + 1 < end; at = memchr(at, 0x1b, (size_t)(end - at)))
        if (at[1] == '[')
            at = observe_csi(s, at + 2, end, now);
        else
            observe_escape(s, ++at, end, now);
}

void settings_resized(struct settings *s, int old_cols, int cols)
{
    for (int col = old_cols < cols ? old_cols : cols; col < LIMIT_SIZE_MAX; col++) {
        s->tabs[col / 8] &= (uint8_t) ~(1u << col % 8);
        s->tabs[col / 8] |= (uint8_t)((col % 8 == 0) << col % 8);
    }
}

/* ---- the scroll region ---- */

void settings_set_region(struct settings *s, int top, int bottom, bool given)
{
    s->top = top;
    s->bottom = bottom;
    set(s, SETTING_REGION, given);
}

void settings_region(const struct settings *s, int rows, int *ret_top, int *ret_bottom)
{
    int top = s->top > 0 ? s->top - 1 : 0;
    int bottom = s->bottom < 0 || s->bottom > rows ? rows : s->bottom;
    bool whole = !settings_get(s, SETTING_REGION) || bottom <= top;
    *ret_top = whole ? 0 : top;
    *ret_bottom = whole ? rows : bottom;
}

void settings_append_region(const struct settings *s, struct bytes *out)
{
    bytes_append_text(out, "\x1b[");
    if (settings_get(s, SETTING_REGION)) {
        bytes_append_number(out, s->top > 0 ? (unsigned)s->top : 1);
        bytes_append_char(out, ';');
        if (s->bottom >= 0)
            bytes_append_number(out, (unsigned)s->bottom);
    }
    bytes_append_char(out, 'r');
}

/* ---- reading ---- */

bool settings_get(const struct settings *s, enum setting setting)
{
    return s->on & BIT(setting);
}

bool settings_exotic(const struct settings *s)
{
    return (s->on & EXOTIC) || (s->unsure && settings_get(s, SETTING_REGION));
}

void settings_append_input_modes(const struct settings *s, struct bytes *out)
{
    for (int i = 0; i < SETTING_COUNT; i++)
        if (modes[i].input)
            bytes_printf(out, "\x1b[?%d%c", modes[i].number,
                         settings_get(s, (enum setting)i) ? 'h' : 'l');
    bytes_append_text(out, settings_get(s, SETTING_KEYPAD) ? "\x1b=" : "\x1b>");
}

static void append_tabs(const struct settings *s, int cols, struct bytes *out)
{
    bytes_append_text(out, "\x1b[3g");
    for (int col = 0; col < cols; col++)
        if (s->tabs[col / 8] >> col % 8 & 1)
            bytes_printf(out, "\x1b[1;%dH\x1bH", col + 1);
}

void settings_append_first(const struct settings *s, int cols, struct bytes *out)
{
    const struct settings_cursor *saved = &s->saved;
    if (settings_get(s, SETTING_TABS))
        append_tabs(s, cols, out);
    sgr_append(&saved->pen, out);
    bytes_printf(out,
                 "\x1b[%d;%dH\x1b[%d q\x1b[?25%c\x1b"
                 "7\x1b[?25h",
                 saved->row + 1, saved->col + 1, saved->style, saved->visible ? 'h' : 'l');
    settings_append_region(s, out);
}

void settings_append_rest(const struct settings *s, struct bytes *out)
{
    static const char shifts[] = "()*+";
    for (int i = 0; i < SETTING_COUNT; i++)
        if (modes[i].number && i != SETTING_ORIGIN && settings_get(s, (enum setting)i))
            bytes_printf(out, "\x1b[%s%d%c", modes[i].ansi ? "" : "?", modes[i].number,
                         modes[i].inverse ? 'l' : 'h');
    if (settings_get(s, SETTING_KEYPAD))
        bytes_append_text(out, "\x1b=");
    if (settings_get(s, SETTING_PROTECT))
        bytes_append_text(out, "\x1b[1\"q");
    for (int i = 0; i < 4; i++)
        if (s->charset[i])
            bytes_printf(out, "\x1b%c%c", shifts[i], s->charset[i]);
    if (s->shift)
        bytes_append_text(out, s->shift == 'N' ? "\x0e" : s->shift == 'n' ? "\x1bn" : "\x1bo");
    bytes_printf(out, "\x1b[%d q", s->style);
    if (settings_get(s, SETTING_ORIGIN))
        bytes_append_text(out, "\x1b[?6h");
}
