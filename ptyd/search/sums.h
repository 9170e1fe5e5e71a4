/* sums.h - a way to the disk for SQLite on which each page of a database ends with a sum of itself
 * and its place: a byte that was damaged fails the read (SQLITE_CORRUPT) and is nobody's result. */
#ifndef PTYD_SEARCH_SUMS_H
#define PTYD_SEARCH_SUMS_H

#define SUMS_NAME  "ptyd-sums"
#define SUMS_BYTES 8 /* that a database has to reserve in each page */

/* Makes it known to SQLite as SUMS_NAME; once is enough. Returns SQLITE_OK or another result. */
int sums_register(void);

#endif
