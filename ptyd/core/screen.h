/* screen.h - a terminal's screen and scrollback as JSON. */
#ifndef PTYD_CORE_SCREEN_H
#define PTYD_CORE_SCREEN_H

#include <jansson.h>
#include <stdint.h>

#include "vterm_snapshot/terminal.h"

/* {rows, cursor, title, alt_screen, cols, rows_count}; new reference. */
json_t *screen_json(const struct terminal *terminal);
/* Its rows in their colours: text and SGR (terminal_row_styled()); new reference. */
json_t *screen_styled_rows(const struct terminal *terminal);

/* Appends a row's text. Rows of absolute numbers below `hidden` are empty, and so is a full-screen
 * program's screen as long as one of those is on the primary one. */
void screen_row_text(const struct terminal *terminal, int row, uint64_t hidden, struct bytes *out);

/* {lines, total}: at most `limit` of the lines held (0: all), those before the newest `skip` left
 * out from the end; oldest first; new reference. */
json_t *screen_scrollback_json(const struct terminal *terminal, size_t skip, size_t limit);

/* The same two as text, which costs a tenth, appended without the last brace: more may follow.
 * `hidden`: with those rows empty. */
void screen_append(const struct terminal *terminal, uint64_t hidden, struct bytes *out);
void screen_append_scrollback(const struct terminal *terminal, size_t skip, size_t limit,
                              struct bytes *out);

/* The same two with these texts in place of the terminal's: one for each row; `count` lines. They
 * are used up. */
void screen_append_told(const struct terminal *terminal, struct bytes *rows, const char *title,
                        struct bytes *out);
void screen_append_told_lines(const struct terminal *terminal, struct bytes *lines, size_t count,
                              struct bytes *out);

#endif
