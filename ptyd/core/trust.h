/* trust.h - whether a path leads only through directories that nobody else can change. */
#ifndef PTYD_CORE_TRUST_H
#define PTYD_CORE_TRUST_H

#include <stdbool.h>

/* Goes along `path`, links included, as the kernel does: each directory on the way must belong to
 * us or to root and be nobody else's to write; in one with the sticky bit (/tmp) others may write,
 * where what the path goes on with is ours or root's. With `alone` the directory that `path` lies
 * in must be ours, and nobody else's to write whatever its bits are. What is not there is no doubt.
 *
 * Returns NULL, or what is wrong and what to do, for the end of a message (a new string). Nothing
 * is changed, whatever it is. */
char *trust_doubt(const char *path, bool alone);

#endif
