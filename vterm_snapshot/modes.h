/* modes.h - what libvterm keeps to itself: modes, margins, character sets, tab stops, the saved
 * cursor.
 *
 * It does not tell them, so they are read off the operations on their way to it. Three things hang
 * on them: whether text means what it says (the ways around libvterm), what an attached terminal
 * must be told, and the sequences that bring a new libvterm to the same point.
 */
#ifndef VTERM_SNAPSHOT_MODES_H
#define VTERM_SNAPSHOT_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "vterm_snapshot/op.h"
#include "vterm_snapshot/pen.h"

enum mode {
    MODE_CURSOR_KEYS,     /* DECCKM, 1 */
    MODE_REVERSE,         /* DECSCNM, 5 */
    MODE_ORIGIN,          /* DECOM, 6 */
    MODE_NO_WRAP,         /* DECAWM off, 7 */
    MODE_MARGINS,         /* DECLRMM, 69 */
    MODE_MOUSE_CLICK,     /* 1000 */
    MODE_MOUSE_DRAG,      /* 1002 */
    MODE_MOUSE_MOVE,      /* 1003 */
    MODE_FOCUS,           /* 1004 */
    MODE_MOUSE_UTF8,      /* 1005 */
    MODE_MOUSE_SGR,       /* 1006 */
    MODE_MOUSE_RXVT,      /* 1015 */
    MODE_BRACKETED_PASTE, /* 2004 */
    MODE_INSERT,          /* IRM, ANSI 4 */
    MODE_NEWLINE,         /* LNM, ANSI 20 */
    MODE_KEYPAD,          /* DECKPAM, ESC = */
    MODE_REGION,          /* DECSTBM: rows `top` to `bottom` */
    MODE_CHARSET,         /* G0 is not ASCII */
    MODE_SHIFT,           /* another set than G0 is invoked */
    MODE_TABS,            /* tab stops were changed */
    MODE_PROTECT,         /* DECSCA: selective erasing spares what is written */
    MODE_COUNT,
};

/* A cursor as DECSC saves it. */
struct modes_cursor {
    int row, col;
    bool visible;
    uint8_t style; /* of DECSCUSR, 1 to 6 */
    struct pen pen;
};

/* A plain value. */
struct modes {
    uint32_t on;     /* bits by enum mode */
    bool unsure;     /* something came whose effect is not known in every version */
    int top, bottom; /* parameters of DECSTBM, -1 for none */
    char charset[4]; /* finals of the designations of G0 to G3, 0 for the default */
    char shift;      /* 0, or the final of LS1 (N), LS2 (n), LS3 (o) */
    uint8_t style;   /* of the cursor */
    uint8_t tabs[LIMIT_SIZE_MAX / 8 + 1]; /* bits; while MODE_TABS */
    struct modes_cursor saved;
};

/* As in a new libvterm. */
void modes_init(struct modes *m);

/* Takes note of an operation on its way to libvterm. `now`: cursor and pen in front of it. */
void modes_apply(struct modes *m, const struct op *op, const struct modes_cursor *now);

/* The screen was given other columns. */
void modes_resized(struct modes *m, int old_cols, int cols);

bool modes_get(const struct modes *m, enum mode mode);

/* Takes note of DECSTBM. */
void modes_set_region(struct modes *m, const struct csi *csi);

/* The rows that scroll on a screen of `rows`, [*ret_top, *ret_bottom): as libvterm bounds them. */
void modes_region(const struct modes *m, int rows, int *ret_top, int *ret_bottom);

/* Appends the DECSTBM that sets them. */
void modes_append_region(const struct modes *m, struct bytes *out);

/* Whether text may not go around libvterm: a mode changes what a character or a line end means. A
 * scroll region is none of those. */
bool modes_exotic(const struct modes *m);

/* Appends the sequences that set every mode that programs set for keys, mouse and paste. */
void modes_append_input_modes(const struct modes *m, struct bytes *out);

/* Appends what brings a new libvterm of `cols` columns to the same modes; the cursor and pen are
 * elsewhere afterwards, and rows count from the corner. Then, once those are in place, the rest. */
void modes_append_first(const struct modes *m, int cols, struct bytes *out);
void modes_append_rest(const struct modes *m, struct bytes *out);

#endif
