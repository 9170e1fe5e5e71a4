/* modes.h - what a terminal was told that changes what comes next: modes, margins, character sets,
 * tab stops, saved cursors, how keys are encoded.
 *
 * libvterm does not tell its own, and many say nothing to it: they are read off the operations.
 * Four things hang on them: whether text means what it says (the ways around libvterm), what an
 * attached terminal must be told, what is undone when that goes back to its owner, and the
 * sequences that bring a new libvterm to the same point.
 */
#ifndef VTERM_SNAPSHOT_MODES_H
#define VTERM_SNAPSHOT_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "vterm_snapshot/keyboard.h"
#include "vterm_snapshot/op.h"
#include "vterm_snapshot/pen.h"

enum mode {
    MODE_CURSOR_KEYS,     /* DECCKM, 1 */
    MODE_REVERSE,         /* DECSCNM, 5 */
    MODE_ORIGIN,          /* DECOM, 6 */
    MODE_NO_WRAP,         /* DECAWM off, 7 */
    MODE_NO_REPEAT,       /* DECARM off, 8 */
    MODE_BLINK,           /* the cursor's, 12 */
    MODE_INVISIBLE,       /* DECTCEM off, 25 */
    MODE_REVERSE_WRAP,    /* 45 */
    MODE_BACKARROW,       /* DECBKM, 67 */
    MODE_MARGINS,         /* DECLRMM, 69 */
    MODE_MOUSE_X10,       /* 9 */
    MODE_MOUSE_CLICK,     /* 1000 */
    MODE_MOUSE_HIGHLIGHT, /* 1001 */
    MODE_MOUSE_DRAG,      /* 1002 */
    MODE_MOUSE_MOVE,      /* 1003 */
    MODE_FOCUS,           /* 1004 */
    MODE_MOUSE_UTF8,      /* 1005 */
    MODE_MOUSE_SGR,       /* 1006 */
    MODE_ALT_SCROLL,      /* the wheel is arrow keys on the alternate screen, 1007 */
    MODE_MOUSE_RXVT,      /* 1015 */
    MODE_MOUSE_PIXELS,    /* 1016 */
    MODE_META,            /* 1034 */
    MODE_META_ESCAPE,     /* 1036 */
    MODE_ALT_ESCAPE,      /* 1039 */
    MODE_BRACKETED_PASTE, /* 2004 */
    MODE_SYNC,            /* drawn at once, 2026 */
    MODE_GRAPHEMES,       /* 2027 */
    MODE_SCHEME,          /* dark and light are told, 2031 */
    MODE_SIZE,            /* a new size is told, 2048 */
    MODE_INSERT,          /* IRM, ANSI 4 */
    MODE_NEWLINE,         /* LNM, ANSI 20 */
    MODE_KEYPAD,          /* DECKPAM, ESC =, 66 */
    MODE_REGION,          /* DECSTBM: rows `top` to `bottom` */
    MODE_CHARSET,         /* G0 is not ASCII */
    MODE_SHIFT,           /* another set than G0 is invoked */
    MODE_TABS,            /* tab stops were changed */
    MODE_PROTECT,         /* DECSCA: selective erasing spares what is written */
    MODE_STYLE,           /* the cursor's was chosen (DECSCUSR) */
    MODE_COUNT,
};

/* Which characters bytes stand for. */
struct modes_sets {
    char designated[4]; /* finals of the designations of G0 to G3, 0 for the default */
    char shift;         /* 0, or the final of LS1 (N), LS2 (n), LS3 (o) */
};

/* A cursor as DECSC saves it; zeroed, as it stands where nothing was saved. */
struct modes_cursor {
    int row, col;
    bool origin, protect;
    bool waits; /* behind the last column, for the next character */
    struct modes_sets sets;
    struct pen pen;
};

/* One of DEC's private modes that is none of those: whoever set it knows what it means, and that it
 * is off in a new terminal is the best that can be assumed. */
struct modes_other {
    int number; /* 0 for none */
    bool on;
};

/* A plain value. */
struct modes {
    uint64_t on;                          /* bits by enum mode */
    uint64_t touched;                     /* set or reset since the last reset */
    bool unsure;                          /* something came whose effect is not kept */
    bool alternate;                       /* the alternate screen is shown */
    int top, bottom;                      /* parameters of DECSTBM, -1 for none */
    int left, right;                      /* of DECSLRM, while MODE_MARGINS */
    struct modes_sets sets;               /* in use */
    uint8_t style;                        /* of the cursor (DECSCUSR); 0 for the terminal's own */
    uint8_t tabs[LIMIT_SIZE_MAX / 8 + 1]; /* bits; while MODE_TABS */
    struct modes_cursor saved[2];         /* on the primary and on the alternate screen */
    struct modes_other others[LIMIT_OTHER_MODES]; /* set or reset since the last reset */
    struct keyboard keyboard;
};

/* As in a new terminal. */
void modes_init(struct modes *m);

/* Takes note of an operation but for DECSC, DECRC and DECSTR, and what else does as much: those are
 * modes_save() and its like. `col`: the cursor's. */
void modes_apply(struct modes *m, const struct op *op, int col);

/* One mode of DECSET or DECRST (`private`), SM or RM. */
void modes_set(struct modes *m, bool private, int number, bool on);

/* DECSC with a cursor at (row, col), and DECRC; place and pen are those of what is returned. */
void modes_save(struct modes *m, int row, int col, bool waits, const struct pen *pen);
const struct modes_cursor *modes_restore(struct modes *m);

/* DECSTR. */
void modes_soften(struct modes *m);

/* The screen was given other columns. */
void modes_resized(struct modes *m, int old_cols, int cols);

bool modes_get(const struct modes *m, enum mode mode);
/* How a mode stands, as DECRQM is answered: 1 set, 2 reset, 0 where it is not kept here and nothing
 * set it or reset it. */
int modes_report(const struct modes *m, bool private, int number);

/* Takes note of DECSTBM, of DECSLRM. */
void modes_set_region(struct modes *m, const struct csi *csi);
void modes_set_margins(struct modes *m, const struct csi *csi);

/* The rows that scroll on a screen of `rows`, [*ret_top, *ret_bottom): as libvterm bounds them. */
void modes_region(const struct modes *m, int rows, int *ret_top, int *ret_bottom);

/* The columns between the margins (DECSLRM), [*ret_left, *ret_right). */
void modes_margins(const struct modes *m, int cols, int *ret_left, int *ret_right);

/* Whether a tab stops at a column. */
bool modes_tab(const struct modes *m, int col);

/* Appends the DECSTBM that sets them. */
void modes_append_region(const struct modes *m, struct bytes *out);

/* Whether text may not go around libvterm: a mode changes what a character or a line end means. A
 * scroll region is none of those. */
bool modes_exotic(const struct modes *m);

/* Whether bytes stand for other characters than Unicode's: a set was chosen. */
bool modes_translate(const struct modes *m);

/* The final of the designation that printable bytes are of, 0 for ASCII. */
char modes_set_in_use(const struct modes *m);

/* Appends what designates and invokes character sets, from any others. */
void modes_append_sets(const struct modes_sets *sets, struct bytes *out);

/* Appends what changes the tab stops of a screen of `cols` columns that has those of the beginning;
 * it moves the cursor. */
void modes_append_tabs(const struct modes *m, int cols, struct bytes *out);

/* Appends what sets a stop in every eighth column; it moves the cursor. */
void modes_append_default_tabs(int cols, struct bytes *out);

/* Appends what sets, from any other state, the modes that say nothing about where text goes: keys,
 * mouse, paste, the cursor's looks. Not that drawing is held back (2026): nobody is to wait for
 * its end. */
void modes_append_looks(const struct modes *m, struct bytes *out);

/* Appends what changes where text goes, in a terminal where it changes nothing: margins, then what
 * moves no cursor. Between them the cursor is placed, from the corner that `origin` says. */
void modes_append_margins(const struct modes *m, struct bytes *out);
void modes_append_text(const struct modes *m, struct bytes *out);

/* Appends what undoes everything, but for the screen shown and the cursor's place. */
void modes_append_end(const struct modes *m, struct bytes *out);

#endif
