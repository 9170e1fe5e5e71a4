/* screen.h - what operations (op.h) draw: both screens, scrollback, the capture of output.
 *
 * Rows, pens and cursor are ours. What most programs print is drawn here; of the rest libvterm says
 * which character goes where and what scrolls (engine.h).
 */
#ifndef VTERM_SNAPSHOT_SCREEN_H
#define VTERM_SNAPSHOT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vterm_snapshot/capture.h"
#include "vterm_snapshot/grid.h"
#include "vterm_snapshot/link.h"
#include "vterm_snapshot/pen.h"
#include "vterm_snapshot/scrollback.h"
#include "vterm_snapshot/modes.h"
#include "vterm_snapshot/op.h"

struct parser;
struct screen;

struct screen_options {
    int cols, rows;    /* within LIMIT_SIZE_MIN .. LIMIT_SIZE_MAX */
    size_t scrollback; /* lines */
    bool no_bypass;    /* everything visits libvterm (for comparison in tests) */
};

/* Returns NULL without memory. */
struct screen *screen_create(const struct screen_options *options);
void screen_destroy(struct screen *s);

/* Everything, so that screen_load() gives one that goes on as this one would, cell for cell.
 * False, `out` unchanged, where libvterm's state is not known well enough; later it will be. */
bool screen_save(const struct screen *s, struct bytes *out);
/* The same in pieces, while it is as it was: all but the rows of the scrollback, then those
 * (scrollback_save_rows()). */
bool screen_save_begin(const struct screen *s, struct bytes *out);
bool screen_save_rows(const struct screen *s, size_t *row, size_t bytes, struct bytes *out);
/* `options` without size. NULL when it is none, or without memory. */
struct screen *screen_load(const struct screen_options *options, struct unpack *in);

/* Draws what the screen needs no libvterm for, from the parser's front on. True with an operation
 * that it needs it for: that one is taken, and screen_apply() does it. All that is drawn may be
 * shown to an attached terminal as it came. */
bool screen_draw(struct screen *s, struct parser *parser, struct op *ret_op);

/* Does one operation, of any kind that changes the screen but REP. */
void screen_apply(struct screen *s, const struct op *op);

/* REP: how often the last character is printed again, and as what; 0 for anything else, or when
 * none was printed. */
int screen_repetitions(const struct screen *s, const struct op *op, char text[4],
                       struct op *ret_again);

/* What is printed from now on belongs to a link (link_intern()). */
void screen_set_link(struct screen *s, const char *text, size_t len);

/* Clamps the size and changes it: the primary screen as reflow.h says; the alternate one is cut
 * off, or blank where it grew. */
void screen_resize(struct screen *s, int cols, int rows);
/* Numbers of rows as they last (lasting.h). */
uint64_t screen_lasting(const struct screen *s, uint64_t number);
uint64_t screen_lasting_row(const struct screen *s, uint64_t lasting);
/* Where an anchor from before the last resize is. */
struct terminal_anchor screen_follow(const struct screen *s, struct terminal_anchor at);

struct screen_cursor {
    int row, col; /* from 0 */
    bool visible;
    bool waits; /* behind the last column for the next character; it stands on that column */
    int behind; /* the column of the character that it is behind, or waits on; or -1 */
};
struct screen_cursor screen_cursor(const struct screen *s);
const struct pen *screen_pen(const struct screen *s);
bool screen_alt_screen(const struct screen *s);

/* Whether a full-screen program used the alternate screen since the last call with `reset`. */
bool screen_alt_screen_seen(struct screen *s, bool reset);

/* The screen shown, and the primary one even while the alternate is shown. */
const struct grid *screen_grid(const struct screen *s);
const struct grid *screen_primary(const struct screen *s);
/* Number of the primary screen's first row, counted since the start. */
uint64_t screen_top(const struct screen *s);
const struct modes *screen_modes(const struct screen *s);
const struct scrollback *screen_scrollback(const struct screen *s);
const struct cluster_table *screen_clusters(const struct screen *s);
const struct pen_table *screen_pens(const struct screen *s);
const struct link_table *screen_links(const struct screen *s);
struct styles screen_styles(const struct screen *s);

/* Starts to capture at the cursor; a capture under way is dropped. */
void screen_capture_begin(struct screen *s, capture_output *output, void *user);
/* From now on captures are styled (capture.h). */
void screen_capture_styled(struct screen *s);
/* The receiver of a capture that was loaded. */
void screen_capture_resume(struct screen *s, capture_output *output, void *user);
/* Hands out the rest. */
void screen_capture_end(struct screen *s);
/* Hands out what the end would hand out now, to another receiver, and changes nothing; of the blank
 * rows that left with no text behind them yet only the last `most`. Returns how many line ends
 * there are from there to the cursor. */
uint64_t screen_capture_peek(const struct screen *s, uint64_t most, capture_output *output,
                             void *user);

#endif
