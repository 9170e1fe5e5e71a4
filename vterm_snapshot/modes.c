#include "vterm_snapshot/modes.h"

#include <stdlib.h>
#include <string.h>

#define BIT(mode) (UINT64_C(1) << (mode))

/* The modes by number; DEC's private ones, but for the two ANSI ones. */
static const struct {
    int number;
    bool ansi, inverse;
    bool text;     /* changes where text goes or what it is */
    bool own;      /* terminals differ in how they begin: left alone while no program says a word */
    uint64_t with; /* of these only the last one set is on */
} numbers[MODE_COUNT] = {
#define MOUSE                                                                                      \
    (BIT(MODE_MOUSE_X10) | BIT(MODE_MOUSE_CLICK) | BIT(MODE_MOUSE_HIGHLIGHT) |                     \
     BIT(MODE_MOUSE_DRAG) | BIT(MODE_MOUSE_MOVE))
#define MOUSE_FORM                                                                                 \
    (BIT(MODE_MOUSE_UTF8) | BIT(MODE_MOUSE_SGR) | BIT(MODE_MOUSE_RXVT) | BIT(MODE_MOUSE_PIXELS))
    [MODE_CURSOR_KEYS] = {.number = 1},
    [MODE_REVERSE] = {.number = 5},
    [MODE_ORIGIN] = {.number = 6, .text = true},
    [MODE_NO_WRAP] = {.number = 7, .inverse = true, .text = true},
    [MODE_NO_REPEAT] = {.number = 8, .inverse = true, .own = true},
    [MODE_BLINK] = {.number = 12, .own = true},
    [MODE_INVISIBLE] = {.number = 25, .inverse = true},
    [MODE_REVERSE_WRAP] = {.number = 45, .text = true},
    [MODE_BACKARROW] = {.number = 67, .own = true},
    [MODE_MARGINS] = {.number = 69, .text = true},
    [MODE_MOUSE_X10] = {.number = 9, .with = MOUSE},
    [MODE_MOUSE_CLICK] = {.number = 1000, .with = MOUSE},
    [MODE_MOUSE_HIGHLIGHT] = {.number = 1001, .with = MOUSE},
    [MODE_MOUSE_DRAG] = {.number = 1002, .with = MOUSE},
    [MODE_MOUSE_MOVE] = {.number = 1003, .with = MOUSE},
    [MODE_FOCUS] = {.number = 1004},
    [MODE_MOUSE_UTF8] = {.number = 1005, .with = MOUSE_FORM},
    [MODE_MOUSE_SGR] = {.number = 1006, .with = MOUSE_FORM},
    [MODE_ALT_SCROLL] = {.number = 1007, .own = true},
    [MODE_MOUSE_RXVT] = {.number = 1015, .with = MOUSE_FORM},
    [MODE_MOUSE_PIXELS] = {.number = 1016, .with = MOUSE_FORM},
    [MODE_META] = {.number = 1034, .own = true},
    [MODE_META_ESCAPE] = {.number = 1036, .own = true},
    [MODE_ALT_ESCAPE] = {.number = 1039, .own = true},
    [MODE_BRACKETED_PASTE] = {.number = 2004},
    [MODE_SYNC] = {.number = 2026},
    [MODE_GRAPHEMES] = {.number = 2027, .own = true},
    [MODE_SCHEME] = {.number = 2031},
    [MODE_SIZE] = {.number = 2048},
    [MODE_INSERT] = {.number = 4, .ansi = true, .text = true},
    [MODE_NEWLINE] = {.number = 20, .ansi = true, .text = true},
    [MODE_KEYPAD] = {.number = 66},
};

#define SETS (BIT(MODE_CHARSET) | BIT(MODE_SHIFT))
#define EXOTIC                                                                                     \
    (BIT(MODE_INSERT) | BIT(MODE_NEWLINE) | BIT(MODE_ORIGIN) | BIT(MODE_NO_WRAP) |                 \
     BIT(MODE_MARGINS) | BIT(MODE_TABS) | BIT(MODE_PROTECT) | BIT(MODE_REVERSE_WRAP) |             \
     BIT(MODE_GRAPHEMES) | SETS)

void modes_init(struct modes *m)
{
    *m = (struct modes){.top = -1, .bottom = -1, .left = -1, .right = -1};
}

static void set(struct modes *m, enum mode mode, bool on)
{
    m->on = on ? m->on | BIT(mode) : m->on & ~BIT(mode);
    m->touched |= BIT(mode);
}

/* ---- character sets, the saved cursor ---- */

static void set_sets(struct modes *m, const struct modes_sets *sets)
{
    m->sets = *sets;
    set(m, MODE_CHARSET, sets->designated[0]);
    set(m, MODE_SHIFT, sets->shift);
}

void modes_save(struct modes *m, int row, int col, bool waits, const struct pen *pen)
{
    m->saved[m->alternate] = (struct modes_cursor){.row = row,
                                                   .col = col,
                                                   .origin = modes_get(m, MODE_ORIGIN),
                                                   .protect = modes_get(m, MODE_PROTECT),
                                                   .waits = waits,
                                                   .sets = m->sets,
                                                   .pen = *pen};
    m->saved[m->alternate].pen.link = 0; /* no part of it */
}

const struct modes_cursor *modes_restore(struct modes *m)
{
    const struct modes_cursor *saved = &m->saved[m->alternate];
    set(m, MODE_ORIGIN, saved->origin);
    set(m, MODE_PROTECT, saved->protect);
    set_sets(m, &saved->sets);
    return saved;
}

void modes_soften(struct modes *m)
{
    m->on &= ~(BIT(MODE_CURSOR_KEYS) | BIT(MODE_KEYPAD) | BIT(MODE_ORIGIN) | BIT(MODE_INSERT) |
               BIT(MODE_NO_WRAP) | BIT(MODE_INVISIBLE) | BIT(MODE_PROTECT) | BIT(MODE_REGION) |
               BIT(MODE_MARGINS) | BIT(MODE_REVERSE_WRAP));
    m->top = m->bottom = m->left = m->right = -1;
    set_sets(m, &(struct modes_sets){0});
    m->saved[m->alternate] = (struct modes_cursor){0};
}

/* ---- control sequences ---- */

/* Of a mouse any reset switches it off. */
static void set_number(struct modes *m, int i, bool on)
{
    if (on || numbers[i].with == MOUSE)
        m->on &= ~numbers[i].with;
    set(m, (enum mode)i, on);
    if (i == MODE_MARGINS && !on)
        m->left = m->right = -1;
}

/* ---- modes known by their number alone ---- */

/* Setting or resetting these does more than that: VT52, the columns, Tektronix, screens, cursors.
 */
static bool does_more(int number)
{
    return number == 2 || number == 3 || number == 38 || number == 47 || number == 1047 ||
           number == 1048 || number == 1049;
}

static const struct modes_other *find_other(const struct modes *m, int number)
{
    for (size_t i = 0; i < LIMIT_OTHER_MODES; i++)
        if (m->others[i].number == number)
            return &m->others[i];
    return NULL;
}

static void set_other(struct modes *m, int number, bool on)
{
    const struct modes_other *known = find_other(m, number);
    const struct modes_other *place = known ? known : find_other(m, 0);
    if (number > 0 && number < LIMIT_CSI_VALUE && !does_more(number) && place)
        m->others[place - m->others] = (struct modes_other){.number = number, .on = on};
}

static void append_others(const struct modes *m, struct bytes *out)
{
    for (size_t i = 0; i < LIMIT_OTHER_MODES; i++)
        if (m->others[i].number)
            bytes_printf(out, "\x1b[?%d%c", m->others[i].number, m->others[i].on ? 'h' : 'l');
}

static void append_others_end(const struct modes *m, struct bytes *out)
{
    for (size_t i = 0; i < LIMIT_OTHER_MODES; i++)
        if (m->others[i].on)
            bytes_printf(out, "\x1b[?%dl", m->others[i].number);
}

void modes_set(struct modes *m, bool private, int number, bool on)
{
    bool known = false;
    for (int i = 0; i < MODE_COUNT; i++)
        if (numbers[i].number == number && number && numbers[i].ansi == !private) {
            set_number(m, i, on != numbers[i].inverse);
            known = true;
        }
    if (private && (number == 47 || number == 1047 || number == 1049))
        m->alternate = on;
    else if (private && !known)
        set_other(m, number, on);
}

static void set_all(struct modes *m, const struct csi *csi)
{
    for (int i = 0; i < csi->count; i++)
        modes_set(m, csi->leader == '?', csi_value(csi, i, 0), csi->final == 'h');
}

/* Every eighth column has one where none was changed. */
static void begin_tabs(struct modes *m)
{
    if (!modes_get(m, MODE_TABS))
        memset(m->tabs, 1, sizeof m->tabs);
}

static void note_tabs(struct modes *m)
{
    bool changed = false;
    for (size_t i = 0; i < LIMIT_SIZE_MAX / 8; i++)
        changed = changed || m->tabs[i] != 1;
    set(m, MODE_TABS, changed);
}

static void clear_tabs(struct modes *m, int what, int col)
{
    begin_tabs(m);
    if (what == 3 || what == 5)
        memset(m->tabs, 0, sizeof m->tabs);
    else if (what == 0)
        m->tabs[col / 8] &= (uint8_t) ~(1u << col % 8);
    note_tabs(m);
}

/* With an intermediate. */
static void apply_extended(struct modes *m, const struct csi *csi)
{
    int first = csi_value(csi, 0, 0);
    if (csi->final == 'q' && csi->inter[0] == ' ') {
        m->style = first <= 6 ? (uint8_t)first : 0;
        set(m, MODE_STYLE, first);
        m->touched &= ~BIT(MODE_BLINK);
    } else if (csi->final == 'q' && csi->inter[0] == '"') {
        set(m, MODE_PROTECT, first == 1);
    }
}

static void apply_csi(struct modes *m, const struct csi *csi, int col)
{
    if (csi->inter[0])
        apply_extended(m, csi);
    else if ((csi->final == 'h' || csi->final == 'l') && (!csi->leader || csi->leader == '?'))
        set_all(m, csi);
    else if (csi_resets_tabs(csi))
        set(m, MODE_TABS, false);
    else if (csi->leader)
        keyboard_apply(&m->keyboard, csi, m->alternate);
    else if (csi->final == 'r')
        modes_set_region(m, csi);
    else if (csi->final == 'g')
        clear_tabs(m, csi_value(csi, 0, 0), col);
}

/* ---- the others ---- */

static void set_tab(struct modes *m, int col)
{
    begin_tabs(m);
    m->tabs[col / 8] |= (uint8_t)(1u << col % 8);
    note_tabs(m);
}

static void shift(struct modes *m, char c)
{
    set(m, MODE_SHIFT, c != 0);
    m->sets.shift = c;
}

/* ESC ( 0 and its like. */
static void designate(struct modes *m, char set_number, char final)
{
    const char *set_of = strchr("()*+", set_number);
    if (set_of)
        m->sets.designated[set_of - "()*+"] = final == 'B' ? 0 : final;
    if (set_number == '(')
        set(m, MODE_CHARSET, final != 'B');
}

static void apply_escape(struct modes *m, char c, int col)
{
    if (c == 'c')
        modes_init(m);
    else if (c == 'H')
        set_tab(m, col);
    else if (c == '=' || c == '>')
        set(m, MODE_KEYPAD, c == '=');
    else if (c == 'n' || c == 'o')
        shift(m, c);
    m->unsure = m->unsure || c == 'N' || c == 'O'; /* for one character; nobody uses it */
}

void modes_apply(struct modes *m, const struct op *op, int col)
{
    const struct csi *csi = &op->csi;
    if (op->kind == OP_CSI)
        apply_csi(m, csi, col);
    else if (op->kind == OP_ESCAPE && !csi->inter[0])
        apply_escape(m, csi->final, col);
    else if (op->kind == OP_ESCAPE && !csi->inter[1])
        designate(m, csi->inter[0], csi->final);
    else if (op->kind == OP_CONTROL && (op->code == 0x0e || op->code == 0x0f))
        shift(m, op->code == 0x0e ? 'N' : 0);
}

void modes_resized(struct modes *m, int old_cols, int cols)
{
    m->left = m->right = -1;
    for (int col = old_cols < cols ? old_cols : cols; col < LIMIT_SIZE_MAX; col++) {
        m->tabs[col / 8] &= (uint8_t) ~(1u << col % 8);
        m->tabs[col / 8] |= (uint8_t)((col % 8 == 0) << col % 8);
    }
}

/* ---- the scroll region ---- */

/* 0 is as good as left out. */
static int positive(const struct csi *csi, int i)
{
    int value = csi_value(csi, i, -1);
    return value > 0 ? value : -1;
}

void modes_set_region(struct modes *m, const struct csi *csi)
{
    m->top = positive(csi, 0);
    m->bottom = positive(csi, 1);
    set(m, MODE_REGION, m->top > 1 || m->bottom > 0);
}

void modes_set_margins(struct modes *m, const struct csi *csi)
{
    m->left = positive(csi, 0);
    m->right = positive(csi, 1);
}

void modes_region(const struct modes *m, int rows, int *ret_top, int *ret_bottom)
{
    int top = m->top > 0 ? m->top - 1 : 0;
    int bottom = m->bottom < 0 || m->bottom > rows ? rows : m->bottom;
    bool whole = !modes_get(m, MODE_REGION) || bottom <= top;
    *ret_top = whole ? 0 : top;
    *ret_bottom = whole ? rows : bottom;
}

void modes_margins(const struct modes *m, int cols, int *ret_left, int *ret_right)
{
    int left = m->left > 0 ? m->left - 1 : 0;
    int right = m->right < 0 || m->right > cols ? cols : m->right;
    bool whole = !modes_get(m, MODE_MARGINS) || right <= left;
    *ret_left = whole ? 0 : left;
    *ret_right = whole ? cols : right;
}

bool modes_tab(const struct modes *m, int col)
{
    return modes_get(m, MODE_TABS) ? m->tabs[col / 8] >> col % 8 & 1 : col % 8 == 0;
}

static void append_range(struct bytes *out, int from, int to, char final)
{
    bytes_append_text(out, "\x1b[");
    bytes_append_number(out, from > 0 ? (unsigned)from : 1);
    bytes_append_char(out, ';');
    if (to >= 0)
        bytes_append_number(out, (unsigned)to);
    bytes_append_char(out, final);
}

void modes_append_region(const struct modes *m, struct bytes *out)
{
    if (modes_get(m, MODE_REGION))
        append_range(out, m->top, m->bottom, 'r');
    else
        bytes_append_text(out, "\x1b[r");
}

/* ---- reading ---- */

bool modes_get(const struct modes *m, enum mode mode)
{
    return m->on & BIT(mode);
}

int modes_report(const struct modes *m, bool private, int number)
{
    if (private && (number == 47 || number == 1047 || number == 1049))
        return m->alternate ? 1 : 2;
    for (int i = 0; i < MODE_COUNT; i++)
        if (number && numbers[i].number == number && numbers[i].ansi == !private)
            return modes_get(m, (enum mode)i) != numbers[i].inverse ? 1 : 2;
    const struct modes_other *other = private && number > 0 ? find_other(m, number) : NULL;
    return !other ? 0 : other->on ? 1 : 2;
}

bool modes_exotic(const struct modes *m)
{
    return (m->on & EXOTIC) || (m->unsure && modes_get(m, MODE_REGION));
}

bool modes_translate(const struct modes *m)
{
    return (m->on & SETS) || m->unsure;
}

char modes_set_in_use(const struct modes *m)
{
    char shift = m->sets.shift;
    return m->sets.designated[shift == 'N' ? 1 : shift == 'n' ? 2 : shift == 'o' ? 3 : 0];
}

/* ---- writing ---- */

static void append_mode(struct bytes *out, int i, bool on)
{
    if (i == MODE_KEYPAD)
        bytes_append_text(out, on ? "\x1b=" : "\x1b>");
    else
        bytes_printf(out, "\x1b[%s%d%c", numbers[i].ansi ? "" : "?", numbers[i].number,
                     on != numbers[i].inverse ? 'h' : 'l');
}

void modes_append_sets(const struct modes_sets *sets, struct bytes *out)
{
    static const char introducers[] = "()*+";
    for (int i = 0; i < 4; i++)
        bytes_printf(out, "\x1b%c%c", introducers[i],
                     sets->designated[i] ? sets->designated[i] : 'B');
    bytes_append_char(out, sets->shift == 'N' ? 0x0e : 0x0f);
    if (sets->shift == 'n' || sets->shift == 'o')
        bytes_printf(out, "\x1b%c", sets->shift);
}

void modes_append_tabs(const struct modes *m, int cols, struct bytes *out)
{
    if (!modes_get(m, MODE_TABS))
        return;
    for (int col = 0; col < cols; col++) {
        bool stop = modes_tab(m, col);
        if (stop != (col % 8 == 0))
            bytes_printf(out, "\x1b[1;%dH%s", col + 1, stop ? "\x1bH" : "\x1b[g");
    }
}

/* One by one, too: few terminals know DECST8C, which sets those of columns to come. */
void modes_append_default_tabs(int cols, struct bytes *out)
{
    bytes_append_text(out, "\x1b[3g");
    for (int col = 0; col < cols; col += 8)
        bytes_printf(out, "\x1b[1;%dH\x1bH", col + 1);
    bytes_append_text(out, "\x1b[?5W");
}

/* Of a group the one that is on comes last. The style says whether the cursor blinks, too. */
void modes_append_looks(const struct modes *m, struct bytes *out)
{
    if (m->touched & BIT(MODE_STYLE))
        bytes_printf(out, "\x1b[%d q", m->style);
    for (int on = 0; on < 2; on++)
        for (int i = 0; i < MODE_COUNT; i++)
            if (numbers[i].number && !numbers[i].text && i != MODE_SYNC &&
                modes_get(m, (enum mode)i) == on && (!numbers[i].own || m->touched & BIT(i)))
                append_mode(out, i, on);
    append_others(m, out);
}

/* Setting any of them may home the cursor. */
void modes_append_margins(const struct modes *m, struct bytes *out)
{
    if (modes_get(m, MODE_REGION))
        modes_append_region(m, out);
    if (modes_get(m, MODE_MARGINS))
        append_mode(out, MODE_MARGINS, true);
    if (modes_get(m, MODE_MARGINS) && (m->left >= 0 || m->right >= 0))
        append_range(out, m->left, m->right, 's');
    if (modes_get(m, MODE_ORIGIN))
        append_mode(out, MODE_ORIGIN, true);
}

void modes_append_text(const struct modes *m, struct bytes *out)
{
    static const enum mode plain[] = {MODE_INSERT, MODE_NEWLINE, MODE_NO_WRAP, MODE_REVERSE_WRAP};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (modes_get(m, plain[i]))
            append_mode(out, (int)plain[i], true);
    if (m->on & SETS || memcmp(&m->sets, &(struct modes_sets){0}, sizeof m->sets))
        modes_append_sets(&m->sets, out);
    if (modes_get(m, MODE_PROTECT))
        bytes_append_text(out, "\x1b[1\"q");
}

/* Of a group terminals may have others on than the last one. */
void modes_append_end(const struct modes *m, struct bytes *out)
{
    for (int i = 0; i < MODE_COUNT; i++) {
        bool may_be = modes_get(m, (enum mode)i) || (numbers[i].with && m->touched & BIT(i));
        if (numbers[i].number && i != MODE_ORIGIN && may_be)
            append_mode(out, i, false);
    }
    append_others_end(m, out);
    if (modes_get(m, MODE_STYLE))
        bytes_append_text(out, "\x1b[0 q");
    if (modes_get(m, MODE_PROTECT))
        bytes_append_text(out, "\x1b[0\"q");
    if (memcmp(&m->sets, &(struct modes_sets){0}, sizeof m->sets))
        modes_append_sets(&(struct modes_sets){0}, out);
    keyboard_append_modify_end(&m->keyboard, out);
}
