/* aside.h - what of a directory's files is not whole: set aside, said, and listed for people.
 *
 * What cannot be used is renamed to NAME.damaged-<ms since the epoch> and stays there for its
 * owner: who removes it hears of it no more. In a directory there are LIMIT_ASIDE_FILES of it at
 * most, and LIMIT_ASIDE_BYTES; the oldest go, and that is said.
 */
#ifndef PTYD_CORE_ASIDE_H
#define PTYD_CORE_ASIDE_H

#include <jansson.h>
#include <stdbool.h>

/* Zeroed it has nothing. */
struct aside {
    json_t *items; /* [text, path of what was set aside or null], in the order they were found */
};

void aside_finish(struct aside *a);

/* Lists what the other one lists, which has nothing then. */
void aside_take(struct aside *a, struct aside *other);

/* Lists a text, and says it on stderr. */
void aside_note(struct aside *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets aside what stands at `path` and cannot be opened, as file_set_aside() does with `flags`; the
 * second function whatever is there, because it `is` ("is damaged"). Returns 0, or -errno where it
 * had to stay, which is noted too. */
int aside_check(struct aside *a, const char *path, int flags);
int aside_move(struct aside *a, const char *path, const char *is);

/* Whether the file name is one that was set aside. */
bool aside_is_name(const char *name);

/* Removes from the directory what was set aside beyond those limits, and notes how many. */
void aside_bound(struct aside *a, const char *directory);

/* Lists what was set aside in the directory earlier, without a word on stderr. */
void aside_list(struct aside *a, const char *directory);

/* Appends to an array, each behind `about`, all that is listed and not gone since. */
void aside_tell(const struct aside *a, const char *about, json_t *warnings);

#endif
