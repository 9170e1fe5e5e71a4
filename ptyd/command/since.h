/* since.h - a point in time as people write it: how long ago, or a date. */
#ifndef PTYD_COMMAND_SINCE_H
#define PTYD_COMMAND_SINCE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads `90s`, `30m`, `2h`, `2d`, `1w` (so long before `now_ms`), `14:30` (today), `today`,
 * `yesterday`, `2026-11-20` (its begin), `2026-11-20 14:30` and `2026-11-20T14:30:05`; local time.
 * Both are ms since the epoch. False, *ret_ms untouched, for anything else, a date there is not,
 * and what lies before 1970. */
bool since_parse(const char *text, int64_t now_ms, int64_t *ret_ms);

/* The same of a command's option, seen from now; ends with status 2 for anything else. */
int64_t since_option(const char *text);

#endif
