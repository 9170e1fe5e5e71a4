/* Which way a run goes: around libvterm (bypass.c, direct.c), or through it. */
#include "vterm_snapshot/emulator_private.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"

void emulator_place_cursor(struct emulator *e, int row, int col)
{
    char sequence[32];
    int top = 0, bottom;
    if (settings_get(&e->settings, SETTING_ORIGIN)) /* rows count from the region's first */
        settings_region(&e->settings, e->shown->rows, &top, &bottom);
    int len = snprintf(sequence, sizeof sequence, "\x1b[%d;%dH", row - top + 1, col + 1);
    vterm_input_write(e->vterm, sequence, (size_t)len);
}

/* At the right edge libvterm forgets which cell a combining mark belongs to when a write ends
 * before the mark. There the last character is given again, in one write with what follows. */
static bool feed_after_edge(struct emulator *e, const char *bytes, size_t len)
{
    int col = e->shown->cols - 1; /* of its last cell; a wide one may reach beyond */
    int top = 0, bottom = e->shown->rows;
    if (settings_get(&e->settings, SETTING_ORIGIN))
        settings_region(&e->settings, e->shown->rows, &top, &bottom);
    if (!e->text_before || e->glyph_end < e->shown->cols || (unsigned char)bytes[0] < 0x80 ||
        !settings_repeats(&e->settings) || e->glyph_row < top || e->glyph_row >= bottom)
        return false;
    const struct row *row = e->shown->row[e->glyph_row];
    col -= row->cells[col].character == CELL_COVERED;
    if (!row->cells[col].character)
        return false;
    char again[4 * CLUSTER_MAX];
    e->line.len = 0;
    bytes_append(&e->line, again, cluster_encode(e->clusters, row->cells[col].character, again));
    bytes_append(&e->line, bytes, len);
    if (e->line.failed)
        return false;
    emulator_place_cursor(e, e->glyph_row, col);
    vterm_input_write(e->vterm, e->line.data, e->line.len);
    return true;
}

void emulator_feed_libvterm(struct emulator *e, const char *bytes, size_t len)
{
    direct_sync(e, (unsigned char)bytes[0] >= 0x80);
    settings_observe(&e->settings, bytes, len,
                     &(struct settings_cursor){.row = e->cursor.row,
                                               .col = e->cursor.col,
                                               .visible = e->cursor_visible,
                                               .pen = e->pen});
    while (len) {
        size_t piece = utf8_floor(bytes, len, LIMIT_FEED_BYTES);
        piece = piece ? piece : len;
        if (!feed_after_edge(e, bytes, piece))
            vterm_input_write(e->vterm, bytes, piece);
        e->text_before = bytes[0] != 0x1b && (unsigned char)bytes[piece - 1] >= 0x20;
        bytes += piece;
        len -= piece;
    }
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
                                                                 : direct_cluster(e, bytes, len);
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
