/* groups.h - which sheets may hold what is looked for, known of many together.
 *
 * As soon as LIMIT_SEARCH_GROUP sheets are in no group, they become one. FTS5 knows its words,
 * which are exact. Which of its sheets have a bit of their signatures (grams.h) stands together,
 * for each bit, so that a few hundred bytes of a group answer for all of its sheets. The few sheets
 * that are in none are all looked through.
 */
#ifndef PTYD_SEARCH_GROUPS_H
#define PTYD_SEARCH_GROUPS_H

#include <stdint.h>

#include "ptyd/search/grams.h"
#include "ptyd/search/index.h"

/* ---- while the index is written ---- */

struct groups;

struct groups *groups_begin(struct index *index);
/* A sheet came; all are in the database by then. */
void groups_add_sheet(struct groups *groups);
/* A sheet goes, or went. */
void groups_remove_sheet(struct groups *groups, int64_t sheet);
/* Groups of which few sheets are left are taken apart. */
void groups_end(struct groups *groups);

/* ---- while it is read ---- */

struct groups_bits {
    uint32_t bits[GRAMS_MOST];
    size_t count;
};

/* What a sheet has to have: of each condition one of the alternatives, and all bits of that. */
struct groups_condition {
    struct groups_bits either[2];
    size_t count;
};

struct groups_question {
    struct bytes words; /* FTS5 is asked for them; empty: any group */
    struct groups_condition conditions[3];
    size_t count;
};

/* Calls `found` for each sheet that may be one, in no order. */
typedef void groups_found(void *user, int64_t sheet, int64_t newest, int64_t session);
void groups_ask(struct index *index, const struct groups_question *question, groups_found *found,
                void *user);

#endif
