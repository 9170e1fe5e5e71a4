/* screen.h - a terminal's screen and scrollback as JSON. */
#ifndef PTYD_CORE_SCREEN_H
#define PTYD_CORE_SCREEN_H

#include <jansson.h>

#include "vterm_snapshot/terminal.h"

/* {rows, cursor, title, alt_screen, cols, rows_count}; new reference. */
json_t *screen_json(const struct terminal *terminal);

/* {lines, total}: at most `limit` of the lines held (0: all), those before the newest `skip` left
 * out from the end; oldest first; new reference. */
json_t *screen_scrollback_json(const struct terminal *terminal, size_t skip, size_t limit);

#endif
