#include "vterm_snapshot/answer.h"

#include <stdio.h>
#include <string.h>

#include "vterm_snapshot/sgr.h"

/* What an answer is made of. */
struct answer {
    const struct query *query;
    const struct screen *screen;
    const struct colours *colours;
    const struct answer_facts *facts;
    struct bytes *out;
};

/* ---- where things stand ---- */

/* Rows count from the region's first while DECOM is on, columns from the left margin. */
static void find_origin(const struct answer *a, int *ret_top, int *ret_left)
{
    const struct modes *modes = screen_modes(a->screen);
    const struct grid *grid = screen_grid(a->screen);
    int bottom, right;
    *ret_top = *ret_left = 0;
    if (modes_get(modes, MODE_ORIGIN)) {
        modes_region(modes, grid->rows, ret_top, &bottom);
        modes_margins(modes, grid->cols, ret_left, &right);
    }
}

static void append_cursor(const struct answer *a, const char *leader)
{
    struct screen_cursor cursor = screen_cursor(a->screen);
    int top, left;
    find_origin(a, &top, &left);
    int row = cursor.row > top ? cursor.row - top : 0;
    int col = cursor.col > left ? cursor.col - left : 0;
    bytes_printf(a->out, "\x1b[%s%d;%dR", leader, row + 1, col + 1);
}

/* 14, 15: pixels of the text; 16: of a cell; 18, 19: cells. */
static void append_window(const struct answer *a)
{
    const struct grid *grid = screen_grid(a->screen);
    int number = a->query->number, x = a->facts->x_pixels, y = a->facts->y_pixels;
    if (number == 18 || number == 19)
        bytes_printf(a->out, "\x1b[%d;%d;%dt", a->query->index, grid->rows, grid->cols);
    else if (number == 16 && x >= grid->cols && y >= grid->rows)
        bytes_printf(a->out, "\x1b[6;%d;%dt", y / grid->rows, x / grid->cols);
    else if ((number == 14 || number == 15) && x > 0 && y > 0)
        bytes_printf(a->out, "\x1b[%d;%d;%dt", a->query->index, y, x);
}

/* As xterm's, but that attributes do not count: the sum of the characters, negated. A blank is one,
 * written or not. */
static void append_checksum(const struct answer *a)
{
    const struct grid *grid = screen_grid(a->screen);
    int top, left, bottom, right, first_row, first_col;
    uint32_t sum = 0;
    if (!a->facts->checksums ||
        sscanf(a->query->name, "%d;%d;%d;%d", &top, &left, &bottom, &right) != 4)
        return;
    find_origin(a, &first_row, &first_col);
    bottom = bottom ? bottom + first_row : grid->rows;
    right = right ? right + first_col : grid->cols;
    for (int row = first_row + (top ? top - 1 : 0); row < bottom && row < grid->rows; row++)
        for (int col = first_col + (left ? left - 1 : 0); col < right && col < grid->cols; col++) {
            uint32_t character = grid->row[row]->cells[col].character;
            bool counts = col < grid->row[row]->extent && character < CELL_COVERED && character;
            sum += counts ? character : ' ';
        }
    bytes_printf(a->out, "\x1bP%d!~%04X\x1b\\", a->query->number, -sum & 0xffff);
}

/* ---- what it is ---- */

/* No printer; no keys of the user's own, which cannot be defined; a keyboard whose layout nobody
 * knows; no locator; no errors; one session. */
static void append_status(const struct answer *a)
{
    static const struct {
        uint16_t asked;
        const char *answer;
    } answers[] = {{15, "13"}, {25, "21"},   {26, "27;0;0;0"}, {53, "50"},
                   {55, "50"}, {56, "57;0"}, {75, "70"},       {85, "83"}};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (answers[i].asked == a->query->number)
            bytes_printf(a->out, "\x1b[?%sn", answers[i].answer);
}

static void append_mode(const struct answer *a, const char *leader)
{
    const struct modes *modes = screen_modes(a->screen);
    bytes_printf(a->out, "\x1b[%s%d;%d$y", leader, a->query->number,
                 modes_report(modes, *leader == '?', a->query->number));
}

static void append_keyboard(const struct answer *a)
{
    const struct modes *modes = screen_modes(a->screen);
    bytes_printf(a->out, "\x1b[?%du", keyboard_flags(&modes->keyboard, modes->alternate));
}

static void append_modifiers(const struct answer *a)
{
    int value = keyboard_modify(&screen_modes(a->screen)->keyboard, a->query->number);
    bytes_printf(a->out, "\x1b[>%d", a->query->number);
    if (value >= 0)
        bytes_printf(a->out, ";%d", value);
    bytes_append_char(a->out, 'm');
}

/* ---- settings ---- */

static void append_range(const struct answer *a, int from, int to, int most, char final)
{
    bytes_printf(a->out, "%d;%d%c", from > 0 ? from : 1, to > 0 && to <= most ? to : most, final);
}

/* What would set it again, without the introducer; false where it is not known. */
static bool append_setting_text(const struct answer *a)
{
    const struct modes *modes = screen_modes(a->screen);
    const struct grid *grid = screen_grid(a->screen);
    const char *name = a->query->name;
    if (!strcmp(name, "m")) {
        struct bytes sgr = {0};
        sgr_append(screen_pen(a->screen), &sgr);
        bytes_append_text(a->out, sgr.len > 2 ? sgr.data + 2 : "0m");
        bytes_finish(&sgr);
    } else if (!strcmp(name, "r")) {
        append_range(a, modes->top, modes->bottom, grid->rows, 'r');
    } else if (!strcmp(name, "s") && modes_get(modes, MODE_MARGINS)) {
        append_range(a, modes->left, modes->right, grid->cols, 's');
    } else if (!strcmp(name, " q")) {
        bytes_printf(a->out, "%d q", modes->style);
    } else if (!strcmp(name, "\"q")) {
        bytes_printf(a->out, "%d\"q", modes_get(modes, MODE_PROTECT));
    } else if (!strcmp(name, "\"p")) {
        bytes_append_text(a->out, "62;1\"p");
    } else {
        return false;
    }
    return true;
}

/* xterm says 1 where it is valid; the VT420's manual has it the other way round. */
static void append_setting(const struct answer *a)
{
    size_t start = a->out->len;
    bytes_append_text(a->out, "\x1bP1$r");
    if (!append_setting_text(a)) {
        a->out->len = start;
        bytes_append_text(a->out, "\x1bP0$r");
    }
    bytes_append_text(a->out, "\x1b\\");
}

/* ---- capabilities ---- */

static void append_hex(struct bytes *out, const char *text)
{
    for (; *text; text++)
        bytes_printf(out, "%02X", (unsigned char)*text);
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* The name that hexadecimal digits spell; "" when they do not. */
static void decode_name(const char *digits, char name[QUERY_NAME_BYTES])
{
    size_t len = strlen(digits);
    for (size_t i = 0; i + 1 < len; i += 2) {
        int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
        if (high < 0 || low < 0)
            len = 0;
        else
            name[i / 2] = (char)(high << 4 | low);
    }
    name[len / 2] = '\0';
}

/* NULL for a capability that is not had; "" for one without a value. */
static const char *capability(const struct answer *a, const char *name)
{
    if (!strcmp(name, "TN") || !strcmp(name, "name"))
        return a->facts->name[0] ? a->facts->name : NULL;
    if (!strcmp(name, "Co") || !strcmp(name, "colors"))
        return "256";
    if (!strcmp(name, "RGB"))
        return "8";
    return !strcmp(name, "Tc") ? "" : NULL;
}

static void append_capability(const struct answer *a)
{
    char name[QUERY_NAME_BYTES] = {0};
    decode_name(a->query->name, name);
    const char *value = name[0] ? capability(a, name) : NULL;
    bytes_printf(a->out, "\x1bP%d+r%s", value != NULL, name[0] ? a->query->name : "");
    if (value && *value) {
        bytes_append_char(a->out, '=');
        append_hex(a->out, value);
    }
    bytes_append_text(a->out, "\x1b\\");
}

/* ---- colours ---- */

/* Dark or light is what the background is (Rec. 709); there is no answer for not knowing it. */
static void append_scheme(const struct answer *a)
{
    struct colour c;
    if (!colours_get(a->colours, 11, 0, &c))
        return;
    unsigned long light = 2126ul * c.red + 7152ul * c.green + 722ul * c.blue;
    bytes_printf(a->out, "\x1b[?997;%dn", light < 5000ul * 0xffff ? 1 : 2);
}

/* ---- all of them ---- */

static void append_version(const struct answer *a)
{
    if (a->facts->version[0])
        bytes_printf(a->out, "\x1bP>|%s\x1b\\", a->facts->version);
}

/* Nothing is in a clipboard that nobody has; a title is not told: what was printed never comes back
 * as input. */
static void append_empty(const struct answer *a)
{
    const struct query *q = a->query;
    if (q->kind == QUERY_CLIPBOARD && strspn(q->name, "cpqs01234567") == strlen(q->name))
        bytes_printf(a->out, "\x1b]52;%s;\x1b\\", q->name);
    else if (q->kind == QUERY_CLIPBOARD)
        return;
    else
        bytes_printf(a->out, "\x1b]%c\x1b\\", q->kind == QUERY_TITLE ? 'l' : 'L');
}

void answer_append(const struct query *query, const struct screen *screen,
                   const struct colours *colours, const struct answer_facts *facts,
                   struct bytes *out)
{
    const struct answer a = {query, screen, colours, facts, out};
    switch (query->kind) {
    case QUERY_DEVICE: /* a VT220 with selective erasing and colours */
        bytes_append_text(out, "\x1b[?62;6;22c");
        break;
    case QUERY_DEVICE_2: /* as libvterm, which vim knows by this */
        bytes_append_text(out, "\x1b[>0;100;0c");
        break;
    case QUERY_DEVICE_3:
        bytes_append_text(out, "\x1bP!|00000000\x1b\\");
        break;
    case QUERY_VERSION:
        append_version(&a);
        break;
    case QUERY_STATUS:
        bytes_append_text(out, "\x1b[0n");
        break;
    case QUERY_CURSOR:
        append_cursor(&a, "");
        break;
    case QUERY_CURSOR_DEC:
        append_cursor(&a, "?");
        break;
    case QUERY_STATUS_DEC:
        append_status(&a);
        break;
    case QUERY_SCHEME:
        append_scheme(&a);
        break;
    case QUERY_KEYBOARD:
        append_keyboard(&a);
        break;
    case QUERY_KEY_MODIFIERS:
        append_modifiers(&a);
        break;
    case QUERY_MODE:
        append_mode(&a, "");
        break;
    case QUERY_MODE_DEC:
        append_mode(&a, "?");
        break;
    case QUERY_PARAMETERS:
        bytes_printf(out, "\x1b[%d;1;1;128;128;1;0x", query->number + 2);
        break;
    case QUERY_CHECKSUM:
        append_checksum(&a);
        break;
    case QUERY_WINDOW:
        append_window(&a);
        break;
    case QUERY_ICON_LABEL:
    case QUERY_TITLE:
    case QUERY_CLIPBOARD:
        append_empty(&a);
        break;
    case QUERY_GRAPHICS_LIMIT: /* there are none: 1 is an error in what was asked for */
        bytes_printf(out, "\x1b[?%d;1;0S", query->number);
        break;
    case QUERY_COLOUR:
        colours_append(colours, query->number, query->index, out);
        break;
    case QUERY_PALETTE:
        colours_append(colours, 4, query->index, out);
        break;
    case QUERY_CAPABILITY:
        append_capability(&a);
        break;
    case QUERY_SETTING:
        append_setting(&a);
        break;
    default:
        break;
    }
}
