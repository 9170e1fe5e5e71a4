/* matcher.h - looks for a text or a pattern in what a session prints, as it comes.
 *
 * It is fed the stream from somewhat in front of a cursor on, so that it knows where in a line that
 * stands, and finds the first match all of which came behind it. Pure.
 */
#ifndef PTYD_CLIENT_MATCHER_H
#define PTYD_CLIENT_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptyd/core/regex.h"

struct matcher;

enum matcher_state {
    MATCHER_SEARCHES,
    MATCHER_FOUND,
    MATCHER_LIMIT, /* the pattern met a bound (regex.h) */
};

/* Looks for `text`, or for `regex` where that is not NULL; both borrowed. */
struct matcher *matcher_create(const char *text, struct regex *regex, uint64_t cursor, int cols);
void matcher_destroy(struct matcher *m);

/* Takes bytes of the stream at `offset`: where what came before ended, or behind that, when some
 * are kept nowhere. When it is not searching any more it takes none. */
enum matcher_state matcher_take(struct matcher *m, uint64_t offset, const char *bytes, size_t len);

/* The screen is so wide from now on. */
void matcher_set_cols(struct matcher *m, int cols);

/* Of one that FOUND: the text, borrowed, and where in the stream the last of it came. */
const char *matcher_text(const struct matcher *m, uint64_t *ret_cursor);

/* The same search in a text at hand. On MATCHER_FOUND: what was found, new string. */
enum matcher_state matcher_search(const char *text, struct regex *regex, const char *in, size_t len,
                                  char **ret_found);

#endif
