/* move.h - where the cursor goes, as xterm has it (ctlseqs), and what scrolls for that: in every
 * mode. */
#ifndef VTERM_SNAPSHOT_MOVE_H
#define VTERM_SNAPSHOT_MOVE_H

#include "vterm_snapshot/area.h"

/* A sequence's count: 1 where it is left out, or 0. */
int move_count(const struct csi *csi, int i);

static inline int move_least(int a, int b)
{
    return a < b ? a : b;
}

static inline int move_most(int a, int b)
{
    return a > b ? a : b;
}

/* There, inside the screen. It does not wait at the edge any more, also where it stays. */
static inline void move_to(struct screen *s, int row, int col)
{
    s->cursor = (struct place){.row = row, .col = col};
    s->ahead |= AHEAD_CURSOR;
    screen_part(s);
}

/* Whether the cursor is in the area's rows, in its columns. */
bool move_in_rows(const struct screen *s, struct area a);
bool move_in_cols(const struct screen *s, struct area a);

/* What places count from: with the origin mode the margins, else the screen. */
struct area move_origin(const struct screen *s);

/* There, or as near as that lets it. */
void move_place(struct screen *s, int row, int col);

/* Its first place. */
void move_home(struct screen *s);

/* The column that a carriage return goes to. */
int move_line_start(const struct screen *s);

/* One row down or up; at the margin the rows scroll. */
void move_down_scrolling(struct screen *s);
void move_up_scrolling(struct screen *s);

/* Backspace, and to the next tab stop. */
void move_back(struct screen *s);
void move_tab(struct screen *s);

/* Sequences that place the cursor, set margins or step. False for others. */
bool move_csi(struct screen *s, const struct csi *csi);
bool move_escape(struct screen *s, char final);

#endif
