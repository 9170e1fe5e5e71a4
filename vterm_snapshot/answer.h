/* answer.h - what this terminal answers to a query (query.h), where no other one does.
 *
 * It is what it says: a VT220 with colours and selective erasing, that is drawn by whoever
 * attaches. What is not known here is not answered, or with the value that says so.
 */
#ifndef VTERM_SNAPSHOT_ANSWER_H
#define VTERM_SNAPSHOT_ANSWER_H

#include "base/bytes.h"
#include "vterm_snapshot/colours.h"
#include "vterm_snapshot/query.h"
#include "vterm_snapshot/screen.h"

/* What only others know. */
struct answer_facts {
    char version[32], name[32]; /* "" when they are not known */
    int x_pixels, y_pixels;     /* of the screen; 0 when they are not known */
    bool checksums;             /* what stands on the screen may be asked for (DECRQCRA) */
};

/* Appends the answer; nothing where there is none. */
void answer_append(const struct query *query, const struct screen *screen,
                   const struct colours *colours, const struct answer_facts *facts,
                   struct bytes *out);

#endif
