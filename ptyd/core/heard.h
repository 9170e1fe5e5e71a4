/* heard.h - what other hosts ran, as it is kept here.
 *
 * `<state>/hosts/blocks.jsonl`, and .1, which holds what came before: a sealed line for each block,
 * in the order in which they came, with what is our own files' alone, `number`, by which its
 * host counts what it sends of a shell, and `sent_ms`, when it did by its clock.
 */
#ifndef PTYD_CORE_HEARD_H
#define PTYD_CORE_HEARD_H

#include <jansson.h>
#include <stdbool.h>

#include "ptyd/core/file.h"

/* `<state>/hosts`, new string. */
char *heard_directory(const char *state);

/* The file while lines are added; zeroed it is not open. For one writer. */
struct heard {
    bool is_open;
    struct file_lines lines;
};

/* Adds a line; directory and file are made and opened where they are not. *ret_full: the file is as
 * long as it may be, and heard_rotate() makes it .1. Returns 0 or -errno: then there is no such
 * line. Either way heard_close() follows, sooner or later. */
int heard_append(struct heard *heard, const char *directory, const json_t *line, bool *ret_full);
void heard_close(struct heard *heard);
void heard_rotate(struct heard *heard, const char *directory);

/* Calls `each` for every whole line, oldest first; it borrows the line, and may change it. */
void heard_each(const char *directory, void (*each)(void *user, json_t *line), void *user);

/* The newest `last` blocks (0: all) of the host of that name or id (NULL: of all), oldest first,
 * without what is our own files' alone. New reference. */
json_t *heard_blocks(const char *directory, const char *host, size_t last);

#endif
