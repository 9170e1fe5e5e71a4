#include "vterm_snapshot/engine_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"

/* ---- life ---- */

void engine_prepare(void)
{
    late_load(&late_vterm_h);
}

struct engine *engine_create(struct screen *s)
{
    struct engine *engine = memory_try(sizeof *engine);
    if (!engine)
        return NULL;
    engine->vterm = vterm_new_with_allocator(s->primary.rows, s->primary.cols,
                                             (VTermAllocatorFunctions *)&engine_allocator, NULL);
    s->engine = engine;
    vterm_set_utf8(engine->vterm, 1);
    engine->state = vterm_obtain_state(engine->vterm);
    vterm_state_set_callbacks(engine->state, &engine_callbacks, s);
    vterm_state_set_bold_highbright(engine->state, 0);
    vterm_state_reset(engine->state, 1);
    return engine;
}

void engine_destroy(struct engine *engine)
{
    if (!engine)
        return;
    vterm_free(engine->vterm);
    free(engine);
}

/* ---- what it is told ---- */

void engine_tell(struct screen *s, struct bytes *text)
{
    s->engine->muted = true;
    if (text->len && !text->failed)
        vterm_input_write(s->engine->vterm, text->data, text->len);
    s->engine->muted = false;
    text->len = 0;
}

static void append_place(struct bytes *out, int row, int col)
{
    bytes_append_text(out, "\x1b[");
    bytes_append_number(out, (unsigned)row + 1);
    bytes_append_char(out, ';');
    bytes_append_number(out, (unsigned)col + 1);
    bytes_append_char(out, 'H');
}

/* Where the cursor waits libvterm is given a character: then it waits, too. */
static void append_cursor(struct screen *s, struct bytes *out)
{
    append_place(out, s->cursor.row, s->cursor.col);
    if (s->edge == EDGE_WAITS)
        bytes_append_char(out, 'x');
}

void engine_sync(struct screen *s)
{
    struct bytes text = {0};
    if (s->ahead & AHEAD_REGION)
        modes_append_region(&s->modes, &text);
    if (s->ahead & AHEAD_CURSOR)
        append_cursor(s, &text);
    bool there = s->glyph_row == s->cursor.row; /* it did not scroll away */
    if (s->edge == EDGE_WAITS && there &&
        s->glyph_end >= s->shown->cols) /* at a margin it is ours alone */
        s->edge = EDGE_UNKNOWN;
    s->ahead = 0;
    engine_tell(s, &text);
    bytes_finish(&text);
}

/* ---- operations ---- */

static void write_text(struct screen *s, const char *text, size_t len)
{
    for (size_t n; len; text += n, len -= n) {
        n = len < LIMIT_FEED_BYTES ? len : LIMIT_FEED_BYTES;
        vterm_input_write(s->engine->vterm, text, n);
    }
}

/* More than one intermediate says nothing to libvterm. */
static void write_escape(struct screen *s, const struct csi *csi)
{
    char text[] = {'\x1b', csi->inter[0], csi->final};
    if (csi->inter[1])
        return;
    if (!csi->inter[0])
        text[1] = csi->final;
    write_text(s, text, csi->inter[0] ? 3 : 2);
}

void engine_apply(struct screen *s, const struct op *op)
{
    char text[CSI_TEXT];
    engine_sync(s);
    modes_apply(&s->modes, op, s->cursor.col);
    if (op->kind == OP_CSI)
        write_text(s, text, csi_print(&op->csi, text));
    else if (op->kind == OP_ESCAPE)
        write_escape(s, &op->csi);
    else
        write_text(s, op->raw, op->raw_len);
}

/* ---- the cursor, the size ---- */

/* libvterm tells of the cursor before it clamps it. */
static struct place cursor_of(const struct screen *s)
{
    VTermPos at;
    vterm_state_get_cursorpos(s->engine->state, &at);
    return (struct place){.row = at.row, .col = at.col};
}

void engine_place_cursor(struct screen *s, int row, int col)
{
    struct bytes text = {0};
    engine_sync(s);
    row = row < s->shown->rows ? row : s->shown->rows - 1;
    col = col < s->shown->cols ? col : s->shown->cols - 1;
    append_place(&text, row, col);
    if (!text.failed)
        write_text(s, text.data, text.len);
    bytes_finish(&text);
    s->cursor = cursor_of(s); /* where libvterm was there already it says nothing */
    s->edge = EDGE_FREE;
}

/* A scroll region that reaches below the new size makes libvterm write outside its memory, so it
 * is reset first, as xterm does; that homes the cursor, which is put back. Behind the last column
 * there is room on a wider screen: who waited there comes to stand there. */
void engine_resize(struct screen *s, int cols, int rows)
{
    static const struct op reset_region = {
        .kind = OP_CSI, .csi = {.final = 'r', .count = 1, .value = {CSI_ABSENT}}};
    struct place at = s->cursor;
    int edge = s->primary.cols;
    bool waits = screen_waits(s) && s->glyph_end >= edge;
    engine_sync(s);
    engine_apply(s, &reset_region);
    engine_place_cursor(s, at.row, at.col);
    modes_resized(&s->modes, s->primary.cols, cols);
    vterm_set_size(s->engine->vterm, rows, cols);
    at = s->engine->resized;
    engine_place_cursor(s, at.row, waits && cols > edge ? edge : at.col);
}
