/* terminal.h - bytes in; screen, scrollback, marks and a command's output come out.
 *
 * The one header of this library that its users need. Pure: no I/O, no clock, no log.
 */
#ifndef VTERM_SNAPSHOT_TERMINAL_H
#define VTERM_SNAPSHOT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/pack.h"
#include "vterm_snapshot/anchor.h"
#include "vterm_snapshot/mark.h"
#include "vterm_snapshot/query.h"

struct left;
struct op;
struct terminal;

/* Called during terminal_write(), at the exact byte; each may be NULL. */
struct terminal_events {
    /* A mark of the shell's, or one that pretends to be. The screen is as it was at the mark. */
    void (*mark)(void *user, const struct mark *mark);
    /* What is known of a mark of zeros at this offset; NULL: none was genuine. */
    enum mark_record (*recorded)(void *user, uint64_t offset);
    /* The line feed that terminal_expect_line() waits for was done. */
    void (*line)(void *user);
    /* A mark on our number that cannot be read. */
    void (*malformed)(void *user);
    /* A mark of another terminal's: OSC 133, 633, 1337, 7, 9 or 2 (a title), payload behind the
     * number and `;`. Whoever prints can send it. */
    void (*foreign_mark)(void *user, int number, const char *payload, size_t len);
    /* While it is watched: what was just drawn (op.h). */
    void (*drawn)(void *user, const struct op *op);
    /* It goes back to the primary screen at this offset (terminal_leave_alt_screen()). */
    void (*left)(void *user, uint64_t offset);
    /* A query, behind its bytes: they were displayed. Returns whether somebody else answers it; if
     * not, or where this is NULL, terminal_answer() does. */
    bool (*query)(void *user, const struct query *query);
    /* A program wants to be told which size there is (2048), and that is told at once. Returns
     * whether somebody else does; if not, or where this is NULL, terminal_report_size() does. */
    bool (*sized)(void *user);
    /* The terminal answers a query; for the program's input. */
    void (*reply)(void *user, const char *bytes, size_t len);
    /* For an attached terminal: all bytes as they came, but for the marks (OSC 7711), which are
     * taken out, and the nonce, which is zeros. In order with the other events; `offset` in the
     * stream is behind these. What may be the head of a mark waits until that is known, so that no
     * part of one is given; a string that is open where a mark comes goes on behind it, as it would
     * without. Also what the terminal inserts itself (terminal_leave_alt_screen()), which is not in
     * the stream. */
    void (*display)(void *user, const char *bytes, size_t len, uint64_t offset);
};

struct terminal_options {
    int cols, rows;    /* clamped to LIMIT_SIZE_MIN .. LIMIT_SIZE_MAX */
    size_t scrollback; /* lines kept; 0 for LIMIT_SCROLLBACK_LINES */
    bool no_bypass;    /* slower, and the same: every byte visits libvterm (tests compare) */
    const struct terminal_events *events; /* outlives the terminal */
    void *user;
};

/* Loads the library that a terminal needs (base/late.h), for who is to need none later. */
void terminal_prepare(void);

/* Returns NULL without memory. */
struct terminal *terminal_create(const struct terminal_options *options);
void terminal_destroy(struct terminal *t);

/* Everything but the nonce, so that terminal_load() gives one that goes on as this one would, cell
 * for cell. False, `out` unchanged, at a point that cannot be told (within a sequence, say);
 * another comes soon. */
bool terminal_save(const struct terminal *t, struct bytes *out);
/* The same in pieces, while nothing is written to it and its size stays: what there is but the
 * scrollback; then, each time, about `bytes` from *row on, which begins at 0. Returns whether there
 * is more. */
bool terminal_save_begin(const struct terminal *t, struct bytes *out);
bool terminal_save_more(const struct terminal *t, size_t *row, size_t bytes, struct bytes *out);
/* `options` without size. NULL for what is cut or of another version, or without memory. Bytes that
 * were changed otherwise are not found out: whoever keeps them keeps a sum. */
struct terminal *terminal_load(const struct terminal_options *options, struct unpack *in);

/* Takes bytes as a program wrote them, cut anywhere. What can be understood only with what follows
 * (part of a character, the head of a mark) is not taken: returns how many were; give the rest
 * again in front of the next. Overwrites the shell's nonce in `bytes` by zeros. */
size_t terminal_write(struct terminal *t, char *bytes, size_t len);
/* From within an event: terminal_write() takes no more than led to it. */
void terminal_stop(struct terminal *t);

/* Bytes taken since the start; a terminal that is rebuilt starts elsewhere. */
uint64_t terminal_offset(const struct terminal *t);
void terminal_set_offset(struct terminal *t, uint64_t offset);

/* Whether the bytes taken end within a mark of our shell's, and where that began. A terminal that
 * is rebuilt is told so by the event `recorded` (MARK_OPEN). */
bool terminal_open_mark(const struct terminal *t, uint64_t *ret_offset);
/* Whether the bytes taken end inside a sequence or string; where that began, then; and to wait for
 * its end no more. */
bool terminal_is_inside(const struct terminal *t);
uint64_t terminal_sequence_start(const struct terminal *t);
void terminal_leave_sequence(struct terminal *t);

/* The shell's nonce, MARK_NONCE_LEN characters. */
void terminal_set_nonce(struct terminal *t, const char *nonce);
/* Replay: the first well-formed A sets the nonce. */
void terminal_trust_first_mark(struct terminal *t);

/* Clamps and changes the size. Who keeps anchors or numbers of rows asks where they went. */
void terminal_resize(struct terminal *t, int cols, int rows);
int terminal_cols(const struct terminal *t);
int terminal_rows(const struct terminal *t);

/* The screen. Rows count from 0; text is appended right-trimmed. */
void terminal_row_text(const struct terminal *t, int row, struct bytes *out);
/* Whether it goes on from the row above, which was wrapped there. */
bool terminal_row_goes_on(const struct terminal *t, int row);
/* The same in its colours (styled.h): with cells at the end that show a background. */
void terminal_row_styled(const struct terminal *t, int row, struct bytes *out);
struct terminal_cursor {
    int row, col;
    bool visible;
};
struct terminal_cursor terminal_cursor(const struct terminal *t);
bool terminal_alt_screen(const struct terminal *t);
/* UTF-8 without controls, "" at first. */
const char *terminal_title(const struct terminal *t);

/* Whether the alternate screen was shown since the last call with `reset`. */
bool terminal_alt_screen_seen(struct terminal *t, bool reset);

/* Back to the primary screen, as the program would have gone that left for the alternate one: its
 * scroll region, hidden cursor and mouse go with it.
 * Whoever is shown the output goes, too. May be called from the events. */
void terminal_leave_alt_screen(struct terminal *t);
/* What that inserts. */
extern const char terminal_farewell[];

/* Private modes (DECSET) that matter to who attaches or types. */
bool terminal_bracketed_paste(const struct terminal *t);
bool terminal_reports_focus(const struct terminal *t);
bool terminal_mouse_pixels(const struct terminal *t);
bool terminal_mouse_wide(const struct terminal *t); /* 1005 */
bool terminal_cursor_keys(const struct terminal *t);

/* Scrollback: rows ever, as they left; of those held the first, by its number since the start; and
 * how many rows they are at the present width (scrollback.h), of which i is one (0 the oldest).
 * Of those, how many stand in rows that left from number `from` on, and in which row i does. */
uint64_t terminal_scrollback_total(const struct terminal *t);
uint64_t terminal_scrollback_oldest(const struct terminal *t);
size_t terminal_scrollback_count(const struct terminal *t);
size_t terminal_scrollback_since(const struct terminal *t, uint64_t from);
void terminal_scrollback_numbers(const struct terminal *t, size_t i, uint64_t *ret_first,
                                 uint64_t *ret_last);
/* The numbers of rows that readers may keep over resizes (lasting.h): of a row; and the first row
 * that has at least this one. */
uint64_t terminal_lasting(const struct terminal *t, uint64_t number);
uint64_t terminal_lasting_row(const struct terminal *t, uint64_t lasting);
void terminal_scrollback_text(const struct terminal *t, size_t i, struct bytes *out);
/* Whether line i goes on from the one before, which was wrapped there. */
bool terminal_scrollback_goes_on(const struct terminal *t, size_t i);
/* A copy of lines [from, to) of those held (left.h); NULL without memory. */
struct left *terminal_copy_scrollback(const struct terminal *t, size_t from, size_t to);
/* Appends how it is drawn: `+` when it goes on from the line before, then each column where the
 * pen changes with the SGR that sets it. */
void terminal_scrollback_pens(const struct terminal *terminal, size_t i, struct bytes *out);

/* Where the cursor is on the primary screen; this survives scrolling (anchor.h). */
struct terminal_anchor terminal_anchor(const struct terminal *t);
/* Where line i of those held in scrollback stands in its logical line; it has no `cols`. */
struct terminal_anchor terminal_scrollback_anchor(const struct terminal *t, size_t i);

/* At another width lines are wrapped anew (reflow.h). Behind terminal_resize(), and up to the next
 * one: where an anchor from before is; and where row `number` is, or (`end`) ends what ended in
 * front of it. */
struct terminal_anchor terminal_follow(const struct terminal *t, struct terminal_anchor at);
uint64_t terminal_follow_row(const struct terminal *t, uint64_t number, bool end);

/* Appends what stands between `from` and the cursor, as far as it is still on the screen; wrapped
 * rows are joined, others end in \n. Blanks at a row's end are left out where it was not filled. */
void terminal_text_since(const struct terminal *t, struct terminal_anchor from, struct bytes *out);

/* Whether the event `display` is called; nobody listening, it need not be. */
void terminal_set_shown(struct terminal *t, bool shown);
/* The offset in front of the bytes that `display` gives next: who is drawn now stands there. */
uint64_t terminal_shown_offset(const struct terminal *t);

/* Answers a query as what this terminal is, by the event `reply`; what it does not know is not
 * answered. DSR ? 996 (dark or light) and colours are known where a program set them, or an
 * attached terminal said them (terminal_hear()). */
void terminal_answer(struct terminal *t, const struct query *query);
/* What an attached terminal answered, a whole sequence: colours in it are its own. Of a longer one
 * nothing is taken. */
#define TERMINAL_HEARD_BYTES 128
void terminal_hear(struct terminal *t, const char *answer, size_t len);

/* What only others know, for answers; copied. `version`: `name(version)`, for XTVERSION; `name`:
 * TERM, for XTGETTCAP. NULL when it is not known. */
void terminal_set_names(struct terminal *t, const char *version, const char *name);
/* Pixels of the whole screen; 0 when they are not known. */
void terminal_set_pixels(struct terminal *t, int x_pixels, int y_pixels);

/* By `reply`, which size it has, where a program wants to be told so (2048). */
void terminal_report_size(struct terminal *t);

/* Also what stands on the screen is told to a program that asks for checksums (DECRQCRA): for tests
 * of terminals, since whoever prints could read it so. */
void terminal_answer_checksums(struct terminal *t);

/* Whether the event `drawn` is raised, which takes several times as long. Not saved. */
void terminal_watch(struct terminal *t, bool watched);

/* The next line feed raises the event `line`, once, at its exact byte. */
void terminal_expect_line(struct terminal *t);

/* Rendered output from the cursor on; see capture.h. */
typedef void terminal_output(void *user, const char *text, size_t len);
void terminal_capture_begin(struct terminal *t, terminal_output *output, void *user);
/* From now on all captures of this terminal hand out SGR, too, where colours change; not saved. */
void terminal_capture_styled(struct terminal *t);
/* The receiver of a capture that was loaded with its terminal. */
void terminal_capture_resume(struct terminal *t, terminal_output *output, void *user);
void terminal_capture_end(struct terminal *t);
/* What the end would hand out now, of the blank lines that left the screen with no text behind them
 * yet only the last `most`; returns how many line ends there are from there to the cursor. */
uint64_t terminal_capture_peek(const struct terminal *t, uint64_t most, terminal_output *output,
                               void *user);

/* Appends what brings a terminal of the same size that has its own modes, whatever it shows, to the
 * same point: both screens as far as they are in use, cursors, modes, colours, title. Nothing
 * scrolls there. */
void terminal_redraw(const struct terminal *t, struct bytes *out);
/* The same on one that is larger, to its left and above. */
void terminal_redraw_larger(const struct terminal *t, struct bytes *out);
/* Appends what draws the screen shown on a terminal of any size: the part around the cursor, or
 * blanks around all of it; with the modes for keys, mouse and paste. */
void terminal_redraw_part(const struct terminal *t, int cols, int rows, struct bytes *out);
/* The row and column of the screen with which that begins. */
void terminal_part_origin(const struct terminal *t, int cols, int rows, int *ret_top,
                          int *ret_left);
/* Appends what puts the cursor of one that terminal_redraw() drew, and that had every byte since,
 * into the last line of the primary screen, which is shown then. */
void terminal_redraw_end(const struct terminal *t, struct bytes *out);

#endif
