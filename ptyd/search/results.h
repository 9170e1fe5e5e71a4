/* results.h - the blocks that a search has found so far, each with its first lines that match. */
#ifndef PTYD_SEARCH_RESULTS_H
#define PTYD_SEARCH_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptyd/search/sheet.h"

#define RESULT_RUNNING INT64_MAX /* when a block that runs ends */

struct results;
struct result; /* a block of them; good until the next is begun */

/* A match in a part: its lines, from the first one's begin to the last one's end. */
struct match {
    const struct sheet_part *part;
    uint32_t line; /* the first one's number in the block's output or command, from 0 */
    size_t begin, end, from, to; /* bytes of the part: of the lines, of the match */
};

struct results *results_new(void);
void results_free(struct results *results);

/* The one of BLOCK, or NULL. */
struct result *results_find(const struct results *results, int64_t block);

/* A new one, which has no match yet. HEAD: an object with what is said of the block; taken.
 * ENDED: ms since 1970, or RESULT_RUNNING. */
struct result *results_begin(struct results *results, int64_t block, int64_t ended, json_t *head);

bool result_runs(const struct result *result);

/* It was one that ran and has ended: begun again, with what is said of it now. */
void result_end(struct result *result, int64_t ended, json_t *head);

/* One more line that matches; TEXT is the part's. A line that another sheet had, too, since it was
 * cut between them, is counted once. */
void result_note(struct result *result, const struct match *match, const char *text);

/* How many blocks that match ended at ENDED or later. */
size_t results_since(const struct results *results, int64_t ended);

/* Appends those that match to RET, an array, oldest first: at most the LAST newest; whether there
 * are more. */
bool results_list(struct results *results, size_t last, json_t *ret);

#endif
