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
    bool shared; /* and of these a command may have read some */
    bool here;   /* some came since */
    bool anew;   /* what was typed before was given up (Ctrl-C): the next prompt is theirs */
    bool edits;  /* some are neither plain nor erase: what the editor makes of them is its own */
    bool behind; /* some came behind an Enter */
    bool blank;  /* a blank may be the line's first character */
    bool inside; /* the last key was no blank and is in front of the next */
    enum line_keys_escape { ESCAPE_NONE, ESCAPE_BEGUN, ESCAPE_SEQUENCE } escape;
    size_t enters;
    struct bytes text; /* as typed, each Enter a CR; under LIMIT_KEYED_BYTES */
};

void line_keys_finish(struct line_keys *k);

/* Keys were typed: while the prompt stood; before it, by when the shell alone reads; or while a
 * command ran. */
enum line_keys_time { KEYS_HERE, KEYS_EARLY, KEYS_SHARED };
void line_keys_hear(struct line_keys *k, const char *keys, size_t len, enum line_keys_time time);

/* The line at the prompt that stands is given up: by a key of which the terminal makes a signal.
 * What comes behind that is the next one's, whose prompt is to come yet. */
void line_keys_give_up(struct line_keys *k);

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

/* The shell read one line; `runs`: as a command's, which may read what was typed behind it. */
void line_keys_taken(struct line_keys *k, bool runs);

/* Keys came while a command ran. When the shell waits and the terminal holds none, commands read
 * them, as far as no others came since. */
bool line_keys_doubtful(const struct line_keys *k);
void line_keys_settle(struct line_keys *k);

#endif
