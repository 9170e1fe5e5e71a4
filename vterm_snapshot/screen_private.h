/* screen_private.h - the screen from inside: screen.c (life, reading), draw.c (what it draws
 * itself), skim.c (rows that leave unseen), modal.c (modes and saved cursors), reflow.c (the
 * primary screen at another size), engine.c and engine_callbacks.c (what libvterm does).
 */
#ifndef VTERM_SNAPSHOT_SCREEN_PRIVATE_H
#define VTERM_SNAPSHOT_SCREEN_PRIVATE_H

#include "vterm_snapshot/lasting.h"
#include "vterm_snapshot/link.h"
#include "vterm_snapshot/modes.h"
#include "vterm_snapshot/reflow.h"
#include "vterm_snapshot/screen.h"

struct place {
    int row, col;
};

/* What we did ourselves and libvterm does not know yet. */
enum ahead {
    AHEAD_CURSOR = 1 << 0, /* where it is, whether it waits, and the last character */
    AHEAD_REGION = 1 << 1, /* DECSTBM */
};

/* Behind a character in the last column the cursor waits there for the next one. */
enum edge {
    EDGE_FREE,    /* it does not wait */
    EDGE_WAITS,   /* it does; the cursor is on that column */
    EDGE_UNKNOWN, /* libvterm moved it last, and does not say */
};

struct screen {
    struct screen_options options;
    struct engine *engine;
    struct grid primary, alternate; /* the second is empty but while it is shown */
    struct grid *shown;             /* one of the two */
    struct scrollback *scrollback;
    struct pen_table *pens;
    struct link_table *links;
    struct cluster_table *clusters;
    struct capture capture;
    struct reflow reflow;   /* of the last resize */
    bool has_stale;         /* cells of the primary screen are, perhaps */
    struct lasting lasting; /* of its rows, and those that left */

    struct place cursor;
    enum edge edge;
    int primary_cursor_row; /* while the alternate screen is shown */
    bool alt_seen;

    struct pen pen;      /* what SGR has set */
    uint16_t pen_number; /* interned, when pen_known */
    bool pen_known;

    /* Where the last character ended: a character that follows it in column 0 was wrapped. */
    int glyph_row, glyph_end;
    /* The last character and where it was put, wherever the cursor is now: a mark joins it when
     * the cursor stands behind that place again. */
    struct place last;
    int last_width;
    uint32_t last_character; /* as in a cell */
    uint32_t printed;        /* the last code point, for REP; 0 for none */

    struct modes modes;
    unsigned ahead;        /* of enum ahead */
    size_t unswept;        /* bytes taken since the last look at the tables (sweep.c) */
    size_t skim_wait;      /* bytes drawn before skimming is tried again */
    struct bytes row_text; /* scratch of a row that leaves */
};

/* Whole rows of the screen shown from `row` on were erased: what stands there next is new. */
void screen_rows_erased(struct screen *s, int row);

/* Interns the pen that SGR has set: pen_number is right afterwards. */
void screen_know_pen(struct screen *s);

/* The number of a pen with its background alone: what erasing leaves. */
uint16_t screen_blank_pen(struct screen *s);

/* The primary screen's row `index` leaves at the top, to capture and scrollback. */
void screen_push_row(struct screen *s, int index);

/* ---- the rules at the right edge, for all who draw ---- */

/* The column behind a tab from `col`, every eighth one; the last one is as far as it goes. */
static inline int screen_tab(int col, int cols)
{
    int next = (col | 7) + 1;
    return next < cols - 1 ? next : col < cols - 1 ? cols - 1 : col;
}

/* A character is about to be put there: it goes on from the row above, which was filled. */
static inline void screen_before_glyph(struct screen *s, int row, int col)
{
    if (col == 0 && s->glyph_end >= s->shown->cols - 1 && s->glyph_row == row - 1)
        s->shown->row[row]->continuation = (uint16_t)s->shown->cols;
}

/* It was put there, `width` columns wide. */
static inline void screen_after_glyph(struct screen *s, int row, int col, int width,
                                      uint32_t character)
{
    s->last = (struct place){.row = row, .col = col};
    s->last_width = width;
    s->last_character = character;
    s->glyph_row = row;
    s->glyph_end = col + width;
}

/* The cursor is elsewhere: what comes next does not follow the last character. */
static inline void screen_part(struct screen *s)
{
    s->glyph_end = -1;
    s->edge = EDGE_FREE;
}

/* The cursor goes there; an edge that it waits at is its caller's. */
static inline void screen_move(struct screen *s, int row, int col)
{
    if (s->cursor.row != row || s->cursor.col != col)
        screen_part(s);
    s->cursor = (struct place){.row = row, .col = col};
    s->ahead |= AHEAD_CURSOR;
}

/* Whether it stands on the last column and what is printed next wraps. */
bool screen_waits(const struct screen *s);
/* It does from now on, if it stands on the column and a character does. */
void screen_wait(struct screen *s);

/* Whether the cursor stands behind the last character, which is still there, or waits on it at the
 * right edge: a mark joins it. One that has nothing to join takes a place of its own, of no width.
 */
bool screen_follows(const struct screen *s);

/* It joins the last character, which stays as wide as it is. */
void screen_join(struct screen *s, uint32_t mark);
/* Where the cursor is elsewhere it joins the character on which that stands; false where there is
 * none. */
bool screen_join_here(struct screen *s, uint32_t mark);

/* Does what sets modes, saves a cursor or restores one; false where libvterm is to do it. */
bool modal_apply(struct screen *s, const struct op *op);

/* Forgets the pens and combined characters that nothing names any more, if many came since. */
void screen_sweep(struct screen *s);

/* Takes lines that are scrolled away unseen from the parser, if there are so many; returns whether
 * there were. */
struct parser;
bool skim(struct screen *s, struct parser *p);

/* Fewer bytes a row of the screen are not worth skimming. */
#define SKIM_ROW_BYTES 32
/* It is tried again after so many were drawn, at most. */
#define SKIM_WAIT_MOST (32 * 1024)

#endif
