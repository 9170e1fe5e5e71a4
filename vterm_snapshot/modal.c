/* What changes modes, or saves a cursor and restores it. Each screen has a saved cursor, with its
 * pen, character sets and origin, as xterm has it; libvterm has one for both, which is never used.
 * It is told of modes one by one, and of the alternate screen without the cursor. */
#include "vterm_snapshot/engine.h"
#include "vterm_snapshot/move.h"
#include "vterm_snapshot/screen_private.h"

static void tell_text(struct screen *s, const char *sequences)
{
    struct bytes text = {0};
    bytes_append_text(&text, sequences);
    engine_tell(s, &text);
    bytes_finish(&text);
}

/* Its link goes on. */
static void set_pen(struct screen *s, const struct pen *pen)
{
    uint16_t link = s->pen.link;
    s->pen = *pen;
    s->pen.link = link;
    s->pen_known = false;
}

/* ---- the cursor ---- */

static void save_cursor(struct screen *s)
{
    modes_save(&s->modes, s->cursor.row, s->cursor.col, screen_waits(s), &s->pen);
}

static void restore_cursor(struct screen *s)
{
    const struct modes_cursor *saved = modes_restore(&s->modes);
    struct bytes text = {0};
    engine_sync(s);
    bytes_append_text(&text, saved->protect ? "\x1b[1\"q" : "\x1b[0\"q");
    modes_append_sets(&saved->sets, &text);
    engine_tell(s, &text);
    bytes_finish(&text);
    set_pen(s, &saved->pen);
    screen_part(s);
    move_place(s, saved->row, saved->col);
    if (saved->waits && s->cursor.row == saved->row && s->cursor.col == saved->col)
        screen_wait(s);
}

/* ---- modes ---- */

static void apply_number(struct screen *s, const struct csi *csi, int number)
{
    struct op one = {
        .kind = OP_CSI,
        .csi = {
            .leader = csi->leader, .final = csi->final, .count = 1, .value = {(uint16_t)number}}};
    engine_apply(s, &one);
}

/* libvterm does not know how. */
static bool reset_tabs(struct screen *s, const struct op *op)
{
    struct bytes text = {0};
    engine_apply(s, op);
    modes_append_default_tabs(s->shown->cols, &text);
    engine_tell(s, &text);
    bytes_finish(&text);
    engine_place_cursor(s, s->cursor.row, s->cursor.col);
    return true;
}

/* What nothing was drawn on is a blank from now on. */
static void fill_edge(struct screen *s)
{
    if (!s->shown->row[s->cursor.row]->cells[s->cursor.col].character)
        grid_put(s->shown, s->cursor.row, s->cursor.col, ' ', 1, 0);
}

/* The cursor stays where it is and goes on waiting at the edge, where nothing stands behind a
 * blank; but not where a screen is erased. */
static void change_screen(struct screen *s, const struct csi *csi, int number)
{
    bool was = screen_alt_screen(s), waits = screen_waits(s) && number != 1049;
    waits = waits && (number == 47 || !was);
    apply_number(s, csi, 1047);
    move_to(s, s->cursor.row, s->cursor.col);
    if (waits) {
        fill_edge(s);
        screen_wait(s);
    }
}

/* One of DECSET or DECRST. */
static void apply_private(struct screen *s, const struct csi *csi, int number)
{
    bool on = csi->final == 'h', alternate = number == 47 || number == 1047 || number == 1049;
    bool cursor = number == 1048 || number == 1049;
    if (alternate && on && !cursor && screen_alt_screen(s))
        return; /* it is shown already; 1049 erases it again */
    if (cursor && on)
        save_cursor(s);
    if (number == 6 || number == 69) { /* libvterm need not know: places and margins are ours */
        modes_set(&s->modes, true, number, on);
        if (number == 6)
            move_home(s);
        return;
    }
    bool there = alternate && !on && !screen_alt_screen(s);
    if (alternate && !there)
        change_screen(s, csi, number);
    else if (!alternate && number != 1048)
        apply_number(s, csi, number);
    if (cursor && !on)
        restore_cursor(s);
}

static bool apply_modes(struct screen *s, const struct csi *csi)
{
    if (csi->inter[0] || csi->leader != '?')
        return false;
    for (int i = 0; i < csi->count; i++)
        apply_private(s, csi, csi_value(csi, i, 0));
    return true;
}

/* ---- resets ---- */

/* DECSTR, told as what it is made of: versions of libvterm differ in what theirs resets. */
static bool soften(struct screen *s)
{
    bool waits = screen_waits(s);
    engine_sync(s);
    modes_soften(&s->modes);
    tell_text(s, "\x1b[r\x1b[4l\x1b[?7h\x1b[0\"q"
                 "\x1b(B\x1b)B\x1b*B\x1b+B\x0f");
    set_pen(s, &(struct pen){0});
    engine_place_cursor(s, s->cursor.row, s->cursor.col);
    if (waits)
        screen_wait(s);
    return true;
}

/* RIS: on the primary screen. */
static bool reset(struct screen *s, const struct op *op)
{
    static const struct op primary = {
        .kind = OP_CSI, .csi = {.leader = '?', .final = 'l', .count = 1, .value = {1047}}};
    engine_apply(s, &primary);
    set_pen(s, &(struct pen){0});
    s->pen.link = 0;
    engine_apply(s, op);
    tell_text(s, "\x1b(B\x1b)B\x1b*B\x1b+B\x0f");
    return true;
}

static bool done(struct screen *s, void (*verb)(struct screen *s))
{
    verb(s);
    return true;
}

static bool apply_escape(struct screen *s, const struct op *op)
{
    char final = op->csi.inter[0] ? 0 : op->csi.final;
    return final == '7'   ? done(s, save_cursor)
           : final == '8' ? done(s, restore_cursor)
           : final == 'c' ? reset(s, op)
                          : false;
}

/* CSI s saves the cursor where it sets no margins. */
static bool apply_csi(struct screen *s, const struct op *op)
{
    const struct csi *csi = &op->csi;
    bool alone = csi->count == 1 && csi->value[0] == CSI_ABSENT;
    bool margins = modes_get(&s->modes, MODE_MARGINS);
    if (csi->final == 'h' || csi->final == 'l')
        return apply_modes(s, csi);
    if (csi_resets_tabs(csi))
        return reset_tabs(s, op);
    if (csi->final == 'p' && csi->inter[0] == '!' && !csi->leader)
        return soften(s);
    if (csi_plain(csi) == 's' && !margins)
        return !alone || done(s, save_cursor);
    if (csi_plain(csi) == 'u' && alone)
        return done(s, restore_cursor);
    return false;
}

bool modal_apply(struct screen *s, const struct op *op)
{
    if (op->kind == OP_ESCAPE)
        return apply_escape(s, op);
    return op->kind == OP_CSI && apply_csi(s, op);
}
