/* line_keys.h - the keys of the line that a shell with a line editor of its own is given: what it
 * is, where they are plain, and whether it may begin with a blank. Nobody who prints can change
 * them.
 *
 * A line's keys are certain when they all came while its prompt stood, with one Enter, the last of
 * them. Keys that came before may be the line's, or a command read them: then what is seen has to
 * say the same.
 *
 * Pure. A zeroed struct is one that was told nothing yet: of a log or a trace nothing is known.
 */
#ifndef PTYD_CORE_LINE_KEYS_H
#define PTYD_CORE_LINE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct line_keys {
    bool told;   /* keys are told: it is no log */
    bool ahead;  /* some came before the prompt */
    bool here;   /* some came since */
    bool edits;  /* some are neither plain nor erase: what the editor makes of them is its own */
    bool behind; /* some came behind an Enter */
    bool blank;  /* a blank may be the line's first character */
    bool inside; /* the last key was no blank and is in front of the next */
    enum line_keys_escape { ESCAPE_NONE, ESCAPE_BEGUN, ESCAPE_SEQUENCE } escape;
    size_t enters;
    struct bytes text; /* as typed, each Enter a CR; under LIMIT_KEYED_BYTES */
};

void line_keys_finish(struct line_keys *k);

/* Keys were typed; `stands`: while the prompt did. */
void line_keys_hear(struct line_keys *k, const char *keys, size_t len, bool stands);

/* Some keys were lost, whose they were is not known. */
void line_keys_lose(struct line_keys *k);

/* From here on it is a log's. */
void line_keys_deafen(struct line_keys *k);

/* What the line is, a new string; NULL where that is not certain. `echo`: what is seen of it. */
char *line_keys_text(const struct line_keys *k, const char *echo);

/* What the first line is as far as it was typed, Enter or not, a new string; NULL where keys are
 * not plain. */
char *line_keys_so_far(const struct line_keys *k);

/* Whether it is certain that the line has no character: an Enter alone. */
bool line_keys_empty(const struct line_keys *k);

/* The shell read one line. */
void line_keys_taken(struct line_keys *k);

/* Keys came before the prompt. When the shell waits and the terminal holds none, commands read
 * them, as far as no others came since. */
bool line_keys_doubtful(const struct line_keys *k);
void line_keys_settle(struct line_keys *k);

#endif
