/* table.h - blocks as the rows of a table, one line each. */
#ifndef PTYD_COMMAND_TABLE_H
#define PTYD_COMMAND_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct table_look {
    size_t width;     /* columns of the terminal, which no row exceeds: a narrow one has fewer
                         cells; 0: nothing is cut, and days stand in front of times */
    bool colour;      /* of the heading and of what failed */
    int64_t now_ms;   /* its day's times go without the day */
    const char *home; /* a directory that is written `~`; NULL for none */
};

/* Append the heading, and a block: each a line. */
void table_heading(const struct table_look *look, struct bytes *out);
void table_block(const struct table_look *look, const json_t *block, struct bytes *out);

/* Append a duration as people read it (`310 ms`, `1.2 s`, `2 m 05 s`, `3 h 12 m`), and a directory,
 * clean,
 * `~` for the home. */
void table_duration(int64_t ms, struct bytes *out);
void table_directory(const char *path, const char *home, struct bytes *out);

#endif
