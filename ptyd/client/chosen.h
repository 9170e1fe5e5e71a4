/* chosen.h - the block that a command is about: the one named, or the newest. */
#ifndef PTYD_CLIENT_CHOSEN_H
#define PTYD_CLIENT_CHOSEN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/bytes.h"
#include "ptyd/command/cli.h"

/* Reads an id as people give it: a block_id, or NAME:NUMBER as `ptyd search` says it, names the
 * session; where -s names another, that is a usage error. Returns the id to ask for, a part of it.
 */
const char *chosen_id(struct cli *cli, const char *id);

/* What session.block answers of the block with that id; with NULL of the newest one that is worth a
 * look back: no `ptyd` itself, and not the command within which this runs. `bytes`: with where its
 * bytes are. New reference; NULL after a message. */
json_t *chosen_block(const struct cli *cli, const char *id, bool bytes);

/* The newest `count` of those, fewer where there are not as many, as session.blocks answers, oldest
 * first. New reference; NULL after a message, also where there is none. */
json_t *chosen_newest(const struct cli *cli, size_t count);

/* Appends the whole output of a block that chosen_block() gave. Where its file cannot be read any
 * more it says so, appends what the block holds of the end, and returns false. */
bool chosen_output(const json_t *result, struct bytes *out);

/* Where that file is; new string. */
char *chosen_path(const json_t *result);

#endif
