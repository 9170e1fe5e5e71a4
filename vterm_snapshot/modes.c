#include "vterm_snapshot/modes.h"

#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/sgr.h"

/* The modes by number; DEC's private ones, but for the two ANSI ones. */
static const struct {
    int number;
    bool ansi, inverse;
    bool input; /* for keys, mouse and paste: an attached terminal must know it */
} numbers[MODE_COUNT] = {
    [MODE_CURSOR_KEYS] = {.number = 1, .input = true},
    [MODE_REVERSE] = {.number = 5},
    [MODE_ORIGIN] = {.number = 6},
    [MODE_NO_WRAP] = {.number = 7, .inverse = true},
    [MODE_MARGINS] = {.number = 69},
    [MODE_MOUSE_CLICK] = {.number = 1000, .input = true},
    [MODE_MOUSE_DRAG] = {.number = 1002, .input = true},
    [MODE_MOUSE_MOVE] = {.number = 1003, .input = true},
    [MODE_FOCUS] = {.number = 1004, .input = true},
    [MODE_MOUSE_UTF8] = {.number = 1005, .input = true},
    [MODE_MOUSE_SGR] = {.number = 1006, .input = true},
    [MODE_MOUSE_RXVT] = {.number = 1015},
    [MODE_BRACKETED_PASTE] = {.number = 2004, .input = true},
    [MODE_INSERT] = {.number = 4, .ansi = true},
    [MODE_NEWLINE] = {.number = 20, .ansi = true},
};

#define BIT(mode) (1u << (mode))
#define SETS      (BIT(MODE_CHARSET) | BIT(MODE_SHIFT))
#define EXOTIC                                                                                     \
    (BIT(MODE_INSERT) | BIT(MODE_NEWLINE) | BIT(MODE_ORIGIN) | BIT(MODE_NO_WRAP) |                 \
     BIT(MODE_MARGINS) | BIT(MODE_TABS) | BIT(MODE_PROTECT) | SETS)

void modes_init(struct modes *m)
{
    *m = (struct modes){.style = 1, .saved = {.visible = true, .style = 1}};
}

static void set(struct modes *m, enum mode mode, bool on)
{
    m->on = on ? m->on | BIT(mode) : m->on & ~BIT(mode);
}

/* ---- control sequences ---- */

static void save_cursor(struct modes *m, const struct modes_cursor *now)
{
    m->saved = *now;
    m->saved.style = m->style;
}

static void restore_cursor(struct modes *m)
{
    m->style = m->saved.style;
}

static void set_mode(struct modes *m, bool private, int number, bool on,
                     const struct modes_cursor *now)
{
    for (int i = 0; i < MODE_COUNT; i++)
        if (numbers[i].number == number && number && numbers[i].ansi == !private)
            set(m, (enum mode)i, on != numbers[i].inverse);
    if (private && number == 12)
        m->style = (uint8_t)((m->style - 1) / 2 * 2 + (on ? 1 : 2));
    if (private && (number == 1048 || number == 1049) && on)
        save_cursor(m, now);
    else if (private && (number == 1048 || number == 1049))
        restore_cursor(m);
}

static void set_modes(struct modes *m, const struct csi *csi, const struct modes_cursor *now)
{
    for (int i = 0; i < csi->count; i++)
        set_mode(m, csi->leader == '?', csi_value(csi, i, 0), csi->final == 'h', now);
}

static void change_tabs(struct modes *m)
{
    if (!modes_get(m, MODE_TABS))
        memset(m->tabs, 1, sizeof m->tabs); /* every eighth column */
    set(m, MODE_TABS, true);
}

static void clear_tabs(struct modes *m, int what, const struct modes_cursor *now)
{
    change_tabs(m);
    if (what == 3 || what == 5)
        memset(m->tabs, 0, sizeof m->tabs);
    else if (what == 0)
        m->tabs[now->col / 8] &= (uint8_t) ~(1u << now->col % 8);
}

/* It is not believed: versions of libvterm differ in what it resets. */
static void soft_reset(struct modes *m)
{
    m->unsure = true;
    m->on &= ~(BIT(MODE_CURSOR_KEYS) | BIT(MODE_KEYPAD));
}

/* With an intermediate. */
static void apply_extended(struct modes *m, const struct csi *csi)
{
    int first = csi_value(csi, 0, 0);
    if (csi->final == 'q' && csi->inter[0] == ' ')
        m->style = first >= 1 && first <= 6 ? (uint8_t)first : 1;
    else if (csi->final == 'q' && csi->inter[0] == '"')
        set(m, MODE_PROTECT, first == 1);
    else if (csi->final == 'p' && csi->inter[0] == '!')
        soft_reset(m);
}

static void apply_csi(struct modes *m, const struct csi *csi, const struct modes_cursor *now)
{
    m->unsure = m->unsure || csi->final == 's';
    if (csi->inter[0])
        apply_extended(m, csi);
    else if ((csi->final == 'h' || csi->final == 'l') && (!csi->leader || csi->leader == '?'))
        set_modes(m, csi, now);
    else if (csi->final == 'r' && !csi->leader)
        modes_set_region(m, csi);
    else if (csi->final == 'g' && !csi->leader)
        clear_tabs(m, csi_value(csi, 0, 0), now);
}

/* ---- the others ---- */

/* What was saved stays. Character sets go back to what they were in the beginning, which no
 * designation brings about; whether all of them do is not known of every version. */
static void reset(struct modes *m)
{
    struct modes old = *m;
    modes_init(m);
    m->saved = old.saved;
    m->on = old.on & SETS;
    m->unsure = m->on != 0;
}

static void set_tab(struct modes *m, const struct modes_cursor *now)
{
    change_tabs(m);
    m->tabs[now->col / 8] |= (uint8_t)(1u << now->col % 8);
}

static void shift(struct modes *m, char c)
{
    set(m, MODE_SHIFT, c != 0);
    m->shift = c;
}

/* ESC ( 0 and its like. */
static void designate(struct modes *m, char set_number, char final)
{
    const char *set_of = strchr("()*+", set_number);
    if (set_of)
        m->charset[set_of - "()*+"] = final;
    if (set_number == '(')
        set(m, MODE_CHARSET, final != 'B');
}

static void apply_escape(struct modes *m, char c, const struct modes_cursor *now)
{
    if (c == 'c')
        reset(m);
    else if (c == 'H')
        set_tab(m, now);
    else if (c == '7')
        save_cursor(m, now);
    else if (c == '8')
        restore_cursor(m);
    else if (c == '=' || c == '>')
        set(m, MODE_KEYPAD, c == '=');
    else if (strchr("noNO", c))
        shift(m, c);
    m->unsure = m->unsure || c == 'N' || c == 'O'; /* for one character; nobody uses it */
}

void modes_apply(struct modes *m, const struct op *op, const struct modes_cursor *now)
{
    const struct csi *csi = &op->csi;
    if (op->kind == OP_CSI)
        apply_csi(m, csi, now);
    else if (op->kind == OP_ESCAPE && !csi->inter[0])
        apply_escape(m, csi->final, now);
    else if (op->kind == OP_ESCAPE && !csi->inter[1])
        designate(m, csi->inter[0], csi->final);
    else if (op->kind == OP_CONTROL && (op->code == 0x0e || op->code == 0x0f))
        shift(m, op->code == 0x0e ? 'N' : 0);
}

void modes_resized(struct modes *m, int old_cols, int cols)
{
    for (int col = old_cols < cols ? old_cols : cols; col < LIMIT_SIZE_MAX; col++) {
        m->tabs[col / 8] &= (uint8_t) ~(1u << col % 8);
        m->tabs[col / 8] |= (uint8_t)((col % 8 == 0) << col % 8);
    }
}

/* ---- the scroll region ---- */

void modes_set_region(struct modes *m, const struct csi *csi)
{
    m->top = csi_value(csi, 0, -1);
    m->bottom = csi_value(csi, 1, -1);
    set(m, MODE_REGION, csi->count > 1 || m->top >= 0);
}

void modes_region(const struct modes *m, int rows, int *ret_top, int *ret_bottom)
{
    int top = m->top > 0 ? m->top - 1 : 0;
    int bottom = m->bottom < 0 || m->bottom > rows ? rows : m->bottom;
    bool whole = !modes_get(m, MODE_REGION) || bottom <= top;
    *ret_top = whole ? 0 : top;
    *ret_bottom = whole ? rows : bottom;
}

void modes_append_region(const struct modes *m, struct bytes *out)
{
    bytes_append_text(out, "\x1b[");
    if (modes_get(m, MODE_REGION)) {
        bytes_append_number(out, m->top > 0 ? (unsigned)m->top : 1);
        bytes_append_char(out, ';');
        if (m->bottom >= 0)
            bytes_append_number(out, (unsigned)m->bottom);
    }
    bytes_append_char(out, 'r');
}

/* ---- reading ---- */

bool modes_get(const struct modes *m, enum mode mode)
{
    return m->on & BIT(mode);
}

bool modes_exotic(const struct modes *m)
{
    return (m->on & EXOTIC) || (m->unsure && modes_get(m, MODE_REGION));
}

void modes_append_input_modes(const struct modes *m, struct bytes *out)
{
    for (int i = 0; i < MODE_COUNT; i++)
        if (numbers[i].input)
            bytes_printf(out, "\x1b[?%d%c", numbers[i].number,
                         modes_get(m, (enum mode)i) ? 'h' : 'l');
    bytes_append_text(out, modes_get(m, MODE_KEYPAD) ? "\x1b=" : "\x1b>");
}

static void append_tabs(const struct modes *m, int cols, struct bytes *out)
{
    bytes_append_text(out, "\x1b[3g");
    for (int col = 0; col < cols; col++)
        if (m->tabs[col / 8] >> col % 8 & 1)
            bytes_printf(out, "\x1b[1;%dH\x1bH", col + 1);
}

void modes_append_first(const struct modes *m, int cols, struct bytes *out)
{
    const struct modes_cursor *saved = &m->saved;
    if (modes_get(m, MODE_TABS))
        append_tabs(m, cols, out);
    sgr_append(&saved->pen, out);
    bytes_printf(out,
                 "\x1b[%d;%dH\x1b[%d q\x1b[?25%c\x1b"
                 "7\x1b[?25h",
                 saved->row + 1, saved->col + 1, saved->style, saved->visible ? 'h' : 'l');
    modes_append_region(m, out);
}

void modes_append_rest(const struct modes *m, struct bytes *out)
{
    static const char shifts[] = "()*+";
    for (int i = 0; i < MODE_COUNT; i++)
        if (numbers[i].number && i != MODE_ORIGIN && modes_get(m, (enum mode)i))
            bytes_printf(out, "\x1b[%s%d%c", numbers[i].ansi ? "" : "?", numbers[i].number,
                         numbers[i].inverse ? 'l' : 'h');
    if (modes_get(m, MODE_KEYPAD))
        bytes_append_text(out, "\x1b=");
    if (modes_get(m, MODE_PROTECT))
        bytes_append_text(out, "\x1b[1\"q");
    for (int i = 0; i < 4; i++)
        if (m->charset[i])
            bytes_printf(out, "\x1b%c%c", shifts[i], m->charset[i]);
    if (m->shift)
        bytes_append_text(out, m->shift == 'N' ? "\x0e" : m->shift == 'n' ? "\x1bn" : "\x1bo");
    bytes_printf(out, "\x1b[%d q", m->style);
    if (modes_get(m, MODE_ORIGIN))
        bytes_append_text(out, "\x1b[?6h");
}
