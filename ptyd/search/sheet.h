/* sheet.h - a piece of what a session's commands and their outputs hold, as the index keeps it: one
 * text to look through, and which of it is whose. */
#ifndef PTYD_SEARCH_SHEET_H
#define PTYD_SEARCH_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct sheet_part {
    int64_t block;    /* rowid of the block */
    uint32_t at, len; /* of its bytes in the text; whole lines, a line feed at the end */
    uint32_t line;    /* number of the first one in all of the output or the command, from 0 */
    uint32_t output;  /* 1; 0: the command */
};

/* A zeroed one is empty. Each part is UTF-8, followed by a NUL. */
struct sheet {
    struct bytes text;
    struct bytes parts; /* struct sheet_part */
};

void sheet_finish(struct sheet *sheet);

size_t sheet_count(const struct sheet *sheet);
const struct sheet_part *sheet_part(const struct sheet *sheet, size_t index);

/* Adds a part whose `at` and `len` are yet to be set; the text is copied, a line feed added where
 * none ends it. */
void sheet_add(struct sheet *sheet, struct sheet_part part, const char *text, size_t len);

/* Takes a copy of both. False, with the sheet empty, where they do not fit together. */
bool sheet_load(struct sheet *sheet, const void *text, size_t text_len, const void *parts,
                size_t parts_len);

#endif
