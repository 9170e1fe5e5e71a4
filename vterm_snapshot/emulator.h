/* emulator.h - our rows on libvterm's parser and state.
 *
 * libvterm says which character goes where and what scrolls; the rows, both screens, scrollback
 * and the capture of output are ours. What is fed must come from the guard: libvterm is not safe
 * with anything else.
 */
#ifndef VTERM_SNAPSHOT_EMULATOR_H
#define VTERM_SNAPSHOT_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vterm_snapshot/capture.h"
#include "vterm_snapshot/grid.h"
#include "vterm_snapshot/pen.h"
#include "vterm_snapshot/scrollback.h"
#include "vterm_snapshot/settings.h"

struct emulator;

struct emulator_options {
    int cols, rows;    /* within LIMIT_SIZE_MIN .. LIMIT_SIZE_MAX */
    size_t scrollback; /* lines */
    bool no_bypass;    /* everything visits libvterm (for comparison in tests) */
    /* NULL, or gets what the terminal answers to a query. */
    void (*reply)(void *user, const char *bytes, size_t len);
    void *user;
};

/* Returns NULL without memory. */
struct emulator *emulator_create(const struct emulator_options *options);
void emulator_destroy(struct emulator *e);

/* Everything, so that emulator_load() gives one that goes on as this one would, cell for cell.
 * False, `out` unchanged, where libvterm's state is not known well enough; later it will be. */
bool emulator_save(const struct emulator *e, struct bytes *out);
/* `options` without size. NULL when it is none, or without memory. */
struct emulator *emulator_load(const struct emulator_options *options, struct unpack *in);

/* Whole sequences, or text that ends between characters. */
void emulator_feed(struct emulator *e, const char *bytes, size_t len);

/* Clamps the size and changes it; the content keeps its rows, without reflow. */
void emulator_resize(struct emulator *e, int cols, int rows);

/* Brings a cursor that was saved on a larger screen back inside. */
void emulator_mend_cursor(struct emulator *e);

/* Forgets the scrollback (ED 3). */
void emulator_clear_scrollback(struct emulator *e);

struct emulator_cursor {
    int row, col; /* from 0 */
    bool visible;
};
struct emulator_cursor emulator_cursor(const struct emulator *e);
bool emulator_alt_screen(const struct emulator *e);

/* Whether a full-screen program used the alternate screen since the last call with `reset`. */
bool emulator_alt_screen_seen(struct emulator *e, bool reset);

/* The screen shown, and the primary one even while the alternate is shown. */
const struct grid *emulator_grid(const struct emulator *e);
const struct grid *emulator_primary(const struct emulator *e);
/* Absolute number of the primary screen's first row. */
uint64_t emulator_top(const struct emulator *e);
const struct settings *emulator_settings(const struct emulator *e);
const struct scrollback *emulator_scrollback(const struct emulator *e);
const struct cluster_table *emulator_clusters(const struct emulator *e);
const struct pen_table *emulator_pens(const struct emulator *e);

/* Starts to capture at the cursor; a capture under way is dropped. */
void emulator_capture_begin(struct emulator *e, capture_output *output, void *user);
/* The receiver of a capture that was loaded. */
void emulator_capture_resume(struct emulator *e, capture_output *output, void *user);
/* Hands out the rest. */
void emulator_capture_end(struct emulator *e);
/* Hands out what the end would hand out now, to another receiver, and changes nothing. */
void emulator_capture_peek(const struct emulator *e, capture_output *output, void *user);

#endif
