/* engine.h - libvterm, which does all that the screen does not draw itself (draw.c, skim.c): what
 * is not ASCII it is never given, as its widths are of its version.
 *
 * Nobody else knows it. It is given operations printed anew, with the values that the parser
 * clamped: what it does not survive cannot be written here. What it says goes where changes the
 * screen (engine_callbacks.c), but for what it is only told because the screen knows it already.
 */
#ifndef VTERM_SNAPSHOT_ENGINE_H
#define VTERM_SNAPSHOT_ENGINE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "vterm_snapshot/op.h"
#include "vterm_snapshot/screen.h"

struct engine;

void engine_prepare(void); /* terminal_prepare() */

/* Of a screen that has its grids. Returns NULL without memory. */
struct engine *engine_create(struct screen *s);
void engine_destroy(struct engine *engine);

/* Does it, whatever the screen is ahead of it first. Its modes are noted. */
void engine_apply(struct screen *s, const struct op *op);

/* Tells it what it does not know of the screen. */
void engine_sync(struct screen *s);

/* Changes the size of screen and grids; the cursor comes inside. */
void engine_resize(struct screen *s, int cols, int rows);

/* Puts the cursor there, clamped; with DECOM into the scroll region. It does not wait there. */
void engine_place_cursor(struct screen *s, int row, int col);

/* Our own sequences, of what the screen knows already; `text` is empty afterwards. */
void engine_tell(struct screen *s, struct bytes *text);

#endif
