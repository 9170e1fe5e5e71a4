/* names.h - names that sessions were given later (`ptyd rename`), kept in `<state>/names.json`.
 *
 * A session's own name is the one it was opened with: its directory, the ids of its blocks and what
 * agents were told of it have that one for good, so that nothing has to be written anew and nobody
 * who noted an id is left with one that names nothing. A given name stands for the own one wherever
 * somebody names the session.
 */
#ifndef PTYD_CORE_NAMES_H
#define PTYD_CORE_NAMES_H

#include <stdbool.h>

struct names;

/* Reads them. A file that is none is set aside where `mends` is true, and said: those sessions have
 * their own names again. One that cannot be read, for want of a descriptor or as the disk fails,
 * say, stays, and is tried again whenever somebody asks. Ends the process without memory. */
struct names *names_open(const char *state, bool mends);
/* Whether what stands at the path is such a file. Returns 0, -ENOENT, -EBADMSG or another -errno.
 */
int names_check(const char *path);
void names_close(struct names *names);

/* The own name of the session that was given `name`; `name` itself where none was. Borrowed until
 * names_give(). */
const char *names_own(const struct names *names, const char *name);

/* The name given to the session, NULL for none. Borrowed until names_give(). */
const char *names_given(const struct names *names, const char *own);

/* Gives it a name, in place of one that it was given before; NULL takes that away. Whether the name
 * is free is the caller's to know. Returns 0, -E2BIG for more than LIMIT_NAMES, or another -errno:
 * it is as it was. So it is while the file could not be read. */
int names_give(struct names *names, const char *own, const char *name);

#endif
