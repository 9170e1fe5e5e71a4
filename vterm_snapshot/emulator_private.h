/* emulator_private.h - the emulator from inside: emulator.c (life, size, reading),
 * emulator_callbacks.c (what libvterm calls), feed.c (which way a run goes), direct.c and bypass.c
 * (the ways around libvterm). */
#ifndef VTERM_SNAPSHOT_EMULATOR_PRIVATE_H
#define VTERM_SNAPSHOT_EMULATOR_PRIVATE_H

#include <vterm.h>

#include "vterm_snapshot/emulator.h"
#include "vterm_snapshot/settings.h"

struct emulator {
    struct emulator_options options;
    VTerm *vterm;
    VTermState *state;
    struct grid primary, alternate;
    struct grid *shown; /* one of the two */
    struct scrollback *scrollback;
    struct pen_table *pens;
    struct cluster_table *clusters;
    struct capture capture;

    VTermPos cursor;
    bool cursor_visible;
    int primary_cursor_row; /* while the alternate screen is shown */
    bool alt_seen;

    struct pen pen;      /* what SGR has set */
    uint16_t pen_number; /* interned, when pen_known */
    bool pen_known;

    /* Where the last character ended: a character that follows it in column 0 was wrapped. */
    int glyph_row, glyph_end;
    /* The last character and where it was put, wherever the cursor is now: a mark joins it when
     * the cursor stands behind that place again. */
    VTermPos last;
    int last_width;
    uint32_t last_character; /* as in a cell */
    struct settings settings;
    /* The direct way (direct.c): our cursor and pen may be ahead of libvterm's. */
    bool ahead;
    bool pen_ahead, region_ahead;
    bool phantom;     /* while ahead: the cursor waits on the last column for the next character */
    bool edge_unsure; /* libvterm may wait there without our knowing */
    bool muted;       /* libvterm is told what we know: its callbacks change nothing */
    struct width_table *widths;
    size_t unswept;        /* bytes fed since the last look at the tables (sweep.c) */
    size_t bypass_wait;    /* bytes drawn before the bypass is offered some again */
    struct bytes row_text; /* scratch of a row that leaves */
    bool resizing;         /* what is fed comes from us: answer nothing */
};

/* For libvterm; the user of the last two is the emulator. */
extern const VTermAllocatorFunctions emulator_allocator;
extern const VTermStateCallbacks emulator_callbacks;
void emulator_answer(const char *bytes, size_t len, void *emulator);

/* Interns the pen that SGR has set: pen_number is right afterwards. */
void emulator_know_pen(struct emulator *e);

/* The number of a pen with its background alone: what erasing leaves. */
uint16_t emulator_blank_pen(struct emulator *e);

/* The primary screen's row `index` leaves at the top, to capture and scrollback. */
void emulator_push_row(struct emulator *e, int index);

/* Gives libvterm a run, whatever cursor and pen are ahead of it first. */
void emulator_feed_libvterm(struct emulator *e, const char *bytes, size_t len);

/* Tells libvterm where the cursor is. */
void emulator_place_cursor(struct emulator *e, int row, int col);

/* A mark joins the last character when the cursor stands behind it, or waits on it at the right
 * edge. False when it has nothing to join: it then takes a place of its own, of no width. */
bool emulator_join(struct emulator *e, uint32_t mark);

/* `len` bytes are about to come: forgets the pens and combined characters that nothing names any
 * more, if there are many. */
void emulator_sweep(struct emulator *e, size_t len);

/* Takes what goes the direct way from the front of a run; returns how many bytes. */
size_t direct_feed(struct emulator *e, const char *bytes, size_t len);

/* Tells libvterm where cursor and pen are. `marks`: what comes next may join a character. */
void direct_sync(struct emulator *e, bool marks);

/* Fewer bytes a row of the screen are not worth the bypass. */
#define BYPASS_ROW_BYTES 32
/* It is offered lines again after so many were drawn, at most. */
#define BYPASS_WAIT_MOST (32 * 1024)

/* Takes lines that are scrolled away unseen from the front of a run; returns how many bytes. */
size_t bypass_lines(struct emulator *e, const char *bytes, size_t len);

#endif
