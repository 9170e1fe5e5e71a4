/* paste.h - whether a paste that was typed is over.
 *
 * What a terminal pastes it brackets (2004), and what reads it takes no key for one before the end:
 * of whoever goes in the midst of a paste that has to be said in its stead. Pure.
 */
#ifndef PTYD_SESSION_PASTE_H
#define PTYD_SESSION_PASTE_H

#include <stdbool.h>
#include <stddef.h>

/* What ends one. */
#define PASTE_END "\x1b[201~"

/* The last one that was begun. A zeroed struct is none. */
struct paste {
    bool open;
    const void *of; /* whoever types it */
    size_t at;      /* so much of a bracket has come */
    bool ends;      /* that one ends it */
};

/* These bytes were typed, cut anywhere, by whoever `of` stands for. */
void paste_typed(struct paste *paste, const void *of, const char *bytes, size_t len);

/* Whoever `of` stands for types no more. Returns whether its paste is open, which is over then. */
bool paste_leave(struct paste *paste, const void *of);

/* The same, having typed all that it had: a paste that is open goes on with whoever comes next. */
void paste_forget(struct paste *paste, const void *of);

#endif
