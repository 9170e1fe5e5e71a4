/* fill.h - brings the index up to date with the files of all sessions. */
#ifndef PTYD_SEARCH_FILL_H
#define PTYD_SEARCH_FILL_H

#include "ptyd/search/index.h"

/* Reads what has changed since, and says on stderr what is gone; on a terminal how far it is, where
 * it takes more than a second. Where another process is at it, that is waited for a moment, and
 * then it is said of how many sessions what is there does not tell all; so it is where the index
 * cannot be written (a full disk, say): then what it had is there to be searched. Where the
 * sessions cannot all be listed, none is taken for gone, and that is said. A process that is killed
 * leaves what it had done. */
void fill_index(struct index *index, const char *state);

#endif
