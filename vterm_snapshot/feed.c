/* Which way a run goes: around libvterm (bypass.c, direct.c), or through it. */
#include "vterm_snapshot/emulator_private.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "vterm_snapshot/width.h"

void emulator_place_cursor(struct emulator *e, int row, int col)
{
    char sequence[32];
    int top = 0, bottom;
    if (settings_get(&e->settings, SETTING_ORIGIN)) /* rows count from the region's first */
        settings_region(&e->settings, e->shown->rows, &top, &bottom);
    int len = snprintf(sequence, sizeof sequence, "\x1b[%d;%dH", row - top + 1, col + 1);
    vterm_input_write(e->vterm, sequence, (size_t)len);
}

bool emulator_join(struct emulator *e, uint32_t mark)
{
    bool inside = e->last.row >= 0 && e->last.row < e->shown->rows && e->last.col < e->shown->cols;
    bool behind = e->cursor.row == e->last.row && e->cursor.col == e->last.col + e->last_width;
    bool edge = e->glyph_end >= e->shown->cols && e->glyph_row == e->cursor.row;
    if (!inside || (!behind && !edge))
        return false;
    bool protected = e->shown->row[e->last.row]->cells[e->last.col].protected;
    emulator_know_pen(e);
    e->last_character = cluster_join(e->clusters, e->last_character, mark);
    grid_put(e->shown, e->last.row, e->last.col, e->last_character, e->last_width, e->pen_number);
    if (protected)
        grid_protect(e->shown, e->last.row, e->last.col);
    e->glyph_row = e->last.row;
    e->glyph_end = e->last.col + e->last_width;
    return true;
}

static bool is_ascii(char c)
{
    return (unsigned char)c < 0x80;
}

/* Whether a mark is at the front; also its code point. */
static bool is_mark(struct emulator *e, const char *bytes, size_t len, uint32_t *ret_code)
{
    return !is_ascii(*bytes) && utf8_decode(bytes, len, ret_code) > 0 &&
           width_of(e->widths, *ret_code) == WIDTH_MARK;
}

static size_t character_length(const char *bytes, size_t len)
{
    uint32_t code;
    int step = utf8_decode(bytes, len, &code);
    return step > 0 ? (size_t)step : 1;
}

/* How much of a text libvterm gets at once: ASCII, or other characters, none of them a mark. Behind
 * others it would take ASCII for ASCII whatever set is chosen. */
static size_t text_length(struct emulator *e, const char *bytes, size_t len)
{
    uint32_t code;
    size_t at = 0;
    do
        at += character_length(bytes + at, len - at);
    while (at < len && at < LIMIT_FEED_BYTES && is_ascii(bytes[at]) == is_ascii(*bytes) &&
           !is_mark(e, bytes + at, len - at, &code));
    return at;
}

/* A mark joins the character before it here: libvterm does that only as far as both come to it at
 * once, or away from the right edge. */
static size_t feed_text(struct emulator *e, const char *bytes, size_t len)
{
    uint32_t code;
    bool mark = is_mark(e, bytes, len, &code);
    size_t piece = mark ? character_length(bytes, len) : text_length(e, bytes, len);
    if (!mark || !emulator_join(e, code))
        vterm_input_write(e->vterm, bytes, piece);
    return piece;
}

void emulator_feed_libvterm(struct emulator *e, const char *bytes, size_t len)
{
    direct_sync(e, !is_ascii(*bytes));
    settings_observe(&e->settings, bytes, len,
                     &(struct settings_cursor){.row = e->cursor.row,
                                               .col = e->cursor.col,
                                               .visible = e->cursor_visible,
                                               .pen = e->pen});
    if (*bytes == 0x1b)
        vterm_input_write(e->vterm, bytes, len);
    else
        for (size_t at = 0; at < len;)
            at += feed_text(e, bytes + at, len - at);
}

/* The length of the sequence at the front of a run: a CSI ends at its final, any other comes alone.
 */
static size_t sequence_length(const char *bytes, size_t len)
{
    size_t at = 2;
    if (len < 3 || bytes[1] != '[')
        return len;
    while (at < len && (unsigned char)bytes[at] < 0x40)
        at++;
    return at < len ? at + 1 : len;
}

/* How much libvterm gets of what neither way around it takes: a sequence, a character; in a mode
 * that shuts them both, all text up to the next sequence. */
static size_t libvterms_share(struct emulator *e, const char *bytes, size_t len)
{
    if (bytes[0] == 0x1b)
        return sequence_length(bytes, len);
    const char *escape = memchr(bytes, 0x1b, len);
    len = escape ? (size_t)(escape - bytes) : len;
    return settings_exotic(&e->settings) || e->options.no_bypass ? len
                                                                 : character_length(bytes, len);
}

/* What it looks at and does not take costs twice, so that it is asked less and less. */
static size_t offer_bypass(struct emulator *e, const char *bytes, size_t len)
{
    size_t least = BYPASS_ROW_BYTES * (size_t)e->primary.rows;
    size_t taken = len < least ? 0 : bypass_lines(e, bytes, len);
    if (taken || e->bypass_wait < least)
        e->bypass_wait = least;
    else if (len >= least && e->bypass_wait < BYPASS_WAIT_MOST)
        e->bypass_wait *= 2;
    return taken;
}

void emulator_feed(struct emulator *e, const char *bytes, size_t len)
{
    emulator_sweep(e, len);
    while (len) {
        size_t taken = offer_bypass(e, bytes, len);
        taken = taken ? taken : direct_feed(e, bytes, len);
        if (!taken) {
            taken = libvterms_share(e, bytes, len);
            emulator_feed_libvterm(e, bytes, taken);
        }
        bytes += taken;
        len -= taken;
    }
}
