/* spare.h - a directory of a session that there is none of yet: `<state>/spare`.
 *
 * To make a file takes a file system 0.1 ms, and a session has nine of them before its prompt is
 * shown. To rename a directory takes hardly any time. So one lies ready. Nothing depends on it: the
 * session makes whatever it does not find, as it does where there is no spare one.
 */
#ifndef PTYD_SESSION_SPARE_H
#define PTYD_SESSION_SPARE_H

#include <stdbool.h>

/* Makes one, and where it will go; what cannot be made the session tries again. One that `redacts`
 * (store.h) has fewer files. */
void spare_make(const char *state, bool redacts);

/* It is the session's now, unless that has a directory already, or there is no spare one. Returns
 * whether it is: then its directories are there, and nothing to be read. */
bool spare_take(const char *state, const char *name);

void spare_remove(const char *state);

#endif
