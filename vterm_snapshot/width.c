#include "vterm_snapshot/width.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "vterm_snapshot/engine_private.h"

#define PAGE  4096 /* code points; two bits each */
#define PAGES (0x110000 / PAGE)

struct width_table {
    uint8_t *page[PAGES]; /* of enum width; NULL: nothing is known */
    VTerm *vterm;
    int glyphs, width; /* what the last question came to: the second glyph's width */
};

static int on_glyph(VTermGlyphInfo *info, VTermPos pos, void *user)
{
    struct width_table *t = user;
    (void)pos;
    t->width = info->chars[1] ? 0 : info->width;
    t->glyphs++;
    return 1;
}

static const VTermStateCallbacks callbacks = {.putglyph = on_glyph};

struct width_table *width_table_create(void)
{
    struct width_table *t = memory_try(sizeof *t);
    if (!t)
        return NULL;
    t->vterm = vterm_new_with_allocator(2, 8, (VTermAllocatorFunctions *)&engine_allocator, NULL);
    if (!t->vterm) {
        free(t);
        return NULL;
    }
    vterm_set_utf8(t->vterm, 1);
    vterm_state_set_callbacks(vterm_obtain_state(t->vterm), &callbacks, t);
    vterm_state_reset(vterm_obtain_state(t->vterm), 1);
    return t;
}

void width_table_destroy(struct width_table *t)
{
    if (!t)
        return;
    vterm_free(t->vterm);
    for (size_t i = 0; i < PAGES; i++)
        free(t->page[i]);
    free(t);
}

/* Behind a letter a mark joins it: one glyph; a character of its own is a second one. */
static enum width ask(struct width_table *t, uint32_t code)
{
    char text[16] = "\x1b[Ha";
    size_t len = 4 + utf8_encode(code, text + 4);
    t->glyphs = t->width = 0;
    vterm_input_write(t->vterm, text, len);
    if (t->glyphs != 2)
        return WIDTH_MARK;
    return t->width == 1 ? WIDTH_ONE : t->width == 2 ? WIDTH_TWO : WIDTH_MARK;
}

enum width width_of(struct width_table *t, uint32_t code)
{
    uint8_t **page = &t->page[code / PAGE];
    if (!*page && !(*page = memory_try(PAGE / 4)))
        return WIDTH_MARK;
    uint8_t *known = *page + code % PAGE / 4;
    unsigned shift = code % 4 * 2;
    if ((*known >> shift & 3) == WIDTH_UNKNOWN)
        *known |= (uint8_t)(ask(t, code) << shift);
    return (enum width)(*known >> shift & 3);
}
