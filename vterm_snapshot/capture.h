/* capture.h - the rendered output of one command, cut out of the screen.
 *
 * Between begin and end the cells that the command wrote become text: each line when it leaves
 * the top of the screen, the rest at the end. A wrapped line is one line; what the command erased
 * again is no output; rows of the prompt and of earlier commands are not part of it. What stood
 * where it begins is not, either, until the command writes there: in front of it the prompt, which
 * it may draw over, behind it what a line editor left when it drew its line again. Where it is
 * styled each row of it comes with its colours (styled.h).
 */
#ifndef VTERM_SNAPSHOT_CAPTURE_H
#define VTERM_SNAPSHOT_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "vterm_snapshot/anchor.h"
#include "vterm_snapshot/styled.h"

/* Gets the text in order, line ends (\n) included; trailing blank lines never come. */
typedef void capture_output(void *user, const char *text, size_t len);

struct capture {
    capture_output *output;
    void *user;
    bool active;
    bool styled;
    uint32_t stamp;                /* of the rows the command changed */
    struct terminal_anchor anchor; /* where it began */
    struct terminal_anchor done;   /* what is in front was handed out, and came back */
    bool started;                  /* a row was handed out or counted */
    bool erased;       /* the command blanked the screen: its output begins anew there */
    uint64_t blank;    /* line ends not handed out yet */
    struct bytes text; /* scratch */
};

/* Starts at `anchor`; rows changed from now on carry `stamp`. */
void capture_begin(struct capture *capture, struct terminal_anchor anchor, uint32_t stamp);

/* `row`, number `number`, is about to leave the top of the screen; `wrapped`: the row below goes
 * on with its line. */
void capture_row_leaves(struct capture *capture, const struct row *row, uint64_t number,
                        bool wrapped, const struct styles *styles);

/* The same for a row that never was on the screen: its text is what row_text() would give, trimmed
 * unless it is wrapped. It stands behind the anchor. */
void capture_text_leaves(struct capture *capture, const struct scrollback_row *row,
                         const struct styles *styles);

/* The command blanked the whole screen, whose first row is `top`. */
void capture_screen_erased(struct capture *capture, uint64_t top);

/* A resize takes away all rows of the screen from number `end` on. */
void capture_rows_cut(struct capture *capture, uint64_t end);
/* It is about to take all columns from `cols` on away from a row. */
void capture_row_cut(struct capture *capture, const struct row *row, uint64_t number, int cols);

/* Rows in front of number `end` left, and come back to the screen. */
void capture_taken_back(struct capture *capture, uint64_t end);

/* Hands out what the screen still holds of the command. Copy the struct before to look ahead. */
void capture_screen(struct capture *capture, const struct grid *grid, uint64_t top, int cursor_row,
                    const struct styles *styles);

void capture_finish(struct capture *capture);

#endif
