/* kept.h - the sessions whose files lie under `<state>/conversations`: how old, how large, and
 * which have to go when they are kept for a time and up to a size together.
 *
 * kept_scan() and kept_remove() take their time and touch nothing but their arguments and the disk:
 * another thread may do them.
 */
#ifndef PTYD_CORE_KEPT_H
#define PTYD_CORE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_session {
    char *name;      /* owned */
    int64_t used_ms; /* when something of it was written last, since the epoch */
    int64_t bytes;   /* on disk, holes left out */
};

/* Zeroed it holds none. */
struct kept {
    struct kept_session *sessions; /* by use, oldest first; owned */
    size_t count, next;            /* those before `next` are dealt with */
    int64_t bytes;                 /* of the others */
};

/* Reads what lies there but for the `in_use_count` names of `in_use`, which strcmp() has sorted;
 * and finishes the removal of what an earlier run left half removed. Returns 0, or -errno when the
 * directory cannot be read (-ENOENT: there is none). */
int kept_scan(const char *state, char *const *in_use, size_t in_use_count, struct kept *ret_kept);
void kept_finish(struct kept *kept);

/* The one used longest ago that is not dealt with, when it has to go: it was not used for
 * `most_ms`, or all together are larger than `most_bytes`. The reason is a literal, the setting's
 * name. NULL when all may stay. Borrowed. */
const struct kept_session *kept_excess(const struct kept *kept, int64_t now_ms, int64_t most_ms,
                                       int64_t most_bytes, const char **ret_why);

/* That one is dealt with. */
void kept_pass(struct kept *kept);

/* Takes a session out of sight in one step, after which its name is free; its files are removed by
 * kept_remove(), or by the next kept_scan(). Returns 0 or -errno. */
int kept_hide(const char *state, const char *name);
void kept_remove(const char *state, const char *name);

/* Writes down that a session was removed, and why; the newest LIMIT_GONE_BYTES of that stay. */
int kept_note_gone(const char *state, const struct kept_session *session, const char *why,
                   int64_t now_ms);

/* Whether files of that session lie there. */
bool kept_exists(const char *state, const char *name);

/* The highest N of all `<prefix>N` whose files lie there, or did and were removed; 0 for none. */
long kept_last_number(const char *state, const char *prefix);

/* When and why the session was removed, as a sentence for people; NULL when it was not. The
 * caller's. */
char *kept_say_gone(const char *state, const char *name);

#endif
