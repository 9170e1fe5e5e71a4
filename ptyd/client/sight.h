/* sight.h - how what a terminal showed is shown to a person: as text, in its colours, as a page to
 * share; in a pager where that is long. The options of all commands that do so.
 */
#ifndef PTYD_CLIENT_SIGHT_H
#define PTYD_CLIENT_SIGHT_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "ptyd/command/table.h"
#include "ptyd/core/told_rows.h"

struct sight_options {
    bool ansi, plain, html, no_pager;
};

enum { SIGHT_ANSI = 1000, SIGHT_PLAIN, SIGHT_HTML, SIGHT_NO_PAGER };
#define SIGHT_LONG                                                                                 \
    {"ansi", no_argument, NULL, SIGHT_ANSI}, {"plain", no_argument, NULL, SIGHT_PLAIN},            \
        {"html", no_argument, NULL, SIGHT_HTML},                                                   \
    {                                                                                              \
        "no-pager", no_argument, NULL, SIGHT_NO_PAGER                                              \
    }
#define SIGHT_HELP                                                                                 \
    "  --ansi       in colour, also where stdout is no terminal; nothing but colours passes\n"     \
    "  --plain      without colours, as NO_COLOR does\n"                                           \
    "  --html       a page to share, that needs nothing else; secrets are taken out (those that\n" \
    "               a shell had in its environment are not known when it has ended: it is said)\n" \
    "  --no-pager   all at once, where it is longer than the terminal, too\n"

/* Whether it is one of them; it is noted. */
bool sight_option(struct sight_options *options, int option);

/* Whether colours are to be asked for: on a terminal, without NO_COLOR, or as the options say. */
bool sight_wants_colour(const struct sight_options *options);
/* How a table of blocks is laid out on stdout. */
struct table_look sight_table_look(void);

struct sight;

/* From now on stdout is the sight's. `title`: of the page. */
struct sight *sight_begin(const struct sight_options *options, const char *session,
                          const char *title);

/* Whether colours are shown: stdout may be held back meanwhile, and no terminal. */
bool sight_shows_colour(const struct sight *sight);

/* Makes `text`, printed in a terminal of these widths (0 ends them), what is shown of it, lines
 * with SGR: secrets out of it for a page, and each line as it stands in `painted` (paint_match()).
 */
void sight_paint(struct sight *sight, const struct bytes *text, const int *widths,
                 const struct bytes *painted, struct bytes *out);

/* Of a page: appends that text without its secrets. */
void sight_clean(struct sight *sight, const struct bytes *text, const int *widths,
                 struct bytes *clean);

/* Of a page: appends to each of `clean` what is left of rows [from, to) of a terminal's
 * (told_rows.h) without secrets. */
void sight_clean_rows(struct sight *sight, const struct told_row *rows, size_t count, size_t from,
                      size_t to, struct bytes *clean);

/* Shows a line of that, behind `label`; or all of them; or a heading. */
void sight_line(struct sight *sight, const char *label, const char *line, size_t len);
void sight_lines(struct sight *sight, const struct bytes *lines);
void sight_heading(struct sight *sight, const char *text);

/* The whole is there: shows it, says how many secrets are out. Frees it; returns the exit status.
 */
int sight_end(struct sight *sight);
/* Or there is none: shows no page. Frees it. */
void sight_drop(struct sight *sight);

#endif
