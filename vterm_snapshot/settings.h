/* settings.h - what libvterm keeps to itself: modes, margins, character sets, tab stops, the saved
 * cursor.
 *
 * It does not tell them, so they are read off the sequences on their way to it. Three things hang
 * on them: whether text means what it says (the ways around libvterm), what an attached terminal
 * must be told, and the sequences that bring a new libvterm to the same point.
 */
#ifndef VTERM_SNAPSHOT_SETTINGS_H
#define VTERM_SNAPSHOT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "vterm_snapshot/pen.h"

enum setting {
    SETTING_CURSOR_KEYS,     /* DECCKM, 1 */
    SETTING_REVERSE,         /* DECSCNM, 5 */
    SETTING_ORIGIN,          /* DECOM, 6 */
    SETTING_NO_WRAP,         /* DECAWM off, 7 */
    SETTING_MARGINS,         /* DECLRMM, 69 */
    SETTING_MOUSE_CLICK,     /* 1000 */
    SETTING_MOUSE_DRAG,      /* 1002 */
    SETTING_MOUSE_MOVE,      /* 1003 */
    SETTING_FOCUS,           /* 1004 */
    SETTING_MOUSE_UTF8,      /* 1005 */
    SETTING_MOUSE_SGR,       /* 1006 */
    SETTING_MOUSE_RXVT,      /* 1015 */
    SETTING_BRACKETED_PASTE, /* 2004 */
    SETTING_INSERT,          /* IRM, ANSI 4 */
    SETTING_NEWLINE,         /* LNM, ANSI 20 */
    SETTING_KEYPAD,          /* DECKPAM, ESC = */
    SETTING_REGION,          /* DECSTBM: rows `top` to `bottom` */
    SETTING_CHARSET,         /* G0 is not ASCII */
    SETTING_SHIFT,           /* another set than G0 is invoked */
    SETTING_TABS,            /* tab stops were changed */
    SETTING_PROTECT,         /* DECSCA: selective erasing spares what is written */
    SETTING_COUNT,
};

struct settings_cursor {
    int row, col;
    bool visible;
    uint8_t style; /* of DECSCUSR, 1 to 6 */
    struct pen pen;
};

/* A plain value. */
struct settings {
    uint32_t on;     /* bits by enum setting */
    bool unsure;     /* something came whose effect is not known in every version */
    int top, bottom; /* parameters of DECSTBM, -1 for none */
    char charset[4]; /* finals of the designations of G0 to G3, 0 for the default */
    char shift;      /* 0, or the final of LS1 (N), LS2 (n), LS3 (o) */
    uint8_t style;   /* of the cursor */
    uint8_t tabs[LIMIT_SIZE_MAX / 8 + 1]; /* bits; while SETTING_TABS */
    struct settings_cursor saved;
};

/* As in a new libvterm. */
void settings_init(struct settings *s);

/* Looks at a run on its way to libvterm: whole sequences or text. `now`: cursor and pen at its
 * beginning. */
void settings_observe(struct settings *s, const char *bytes, size_t len,
                      const struct settings_cursor *now);

/* The screen was given other columns. */
void settings_resized(struct settings *s, int old_cols, int cols);

bool settings_get(const struct settings *s, enum setting setting);

/* DECSTBM with these parameters, -1 for one that is missing; `given`: it had any. */
void settings_set_region(struct settings *s, int top, int bottom, bool given);

/* The rows that scroll on a screen of `rows`, [*ret_top, *ret_bottom): as libvterm bounds them. */
void settings_region(const struct settings *s, int rows, int *ret_top, int *ret_bottom);
/* Appends the DECSTBM that sets them. */
void settings_append_region(const struct settings *s, struct bytes *out);

/* Whether text may not go around libvterm: a mode changes what a character or a line end means. A
 * scroll region is none of those. */
bool settings_exotic(const struct settings *s);

/* Appends the sequences that set every mode that programs set for keys, mouse and paste. */
void settings_append_input_modes(const struct settings *s, struct bytes *out);

/* Appends what brings a new libvterm of `cols` columns to the same settings; the cursor and pen are
 * elsewhere afterwards, and rows count from the corner. Then, once those are in place, the rest. */
void settings_append_first(const struct settings *s, int cols, struct bytes *out);
void settings_append_rest(const struct settings *s, struct bytes *out);

#endif
