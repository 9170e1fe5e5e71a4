/* files.h - what is to be forgotten, in all files of a session, and of the state directory.
 *
 * Every step may be done again: who dies in the middle is followed by one that begins anew. What is
 * made of other files (screens, checkpoints, the index) goes before anything else changes, for what
 * it was made of may not say any more that it has to. */
#ifndef PTYD_FORGET_FILES_H
#define PTYD_FORGET_FILES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "envelope/redact/redact.h"
#include "ptyd/forget/wish.h"
#include "vterm_snapshot/blot.h"

/* What came of it. Zeroed it is nothing. */
struct forgotten {
    json_t *sessions; /* names of those in which something was, or would be, changed; NULL: none */
    bool elsewhere;   /* something besides them was, or would be */
    void (*moves)(void); /* is called now and then while it is gone through; or NULL */
    char *error;         /* of the first file that could not be changed; owned */
};
void forgotten_finish(struct forgotten *forgotten);

/* Does it in a session's files, which nobody else writes meanwhile; where it only `looks` nothing
 * is changed, and somebody may. `name` is its directory's. */
void forget_in_session(const char *state, const char *name, const struct wish *wish, bool looks,
                       struct forgotten *forgotten);

/* The same of what is besides them in the directory of the state, and of `runtime` (NULL for none),
 * where shells leave their last line; nothing where the wish is about one session. */
void forget_in_state(const char *state, const char *runtime, const struct wish *wish, bool looks,
                     struct forgotten *forgotten);

/* Secrets go out of all files of a session but its log and its outputs, which nobody else writes
 * meanwhile. And out of what is besides. Return 0, or -errno of one that could not be changed;
 * -EINTR where the finder gave up. */
int forget_secrets_in_lines(const char *state, const char *name, const struct blot_finder *finder,
                            const struct redact_secrets *secrets, void (*moves)(void));
int forget_secrets_in_state(const char *state, const struct blot_finder *finder);

/* The index of `ptyd search` goes as a whole: it is made again. */
void forget_index(const char *state, struct forgotten *forgotten);

/* Calls `each` for every session that there are files of, those on their way out, too. */
void forget_each_session(const char *state, void (*each)(void *user, const char *name), void *user);

#endif
