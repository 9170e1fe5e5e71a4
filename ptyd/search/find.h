/* find.h - what the index knows of a pattern. */
#ifndef PTYD_SEARCH_FIND_H
#define PTYD_SEARCH_FIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/core/regex.h"
#include "ptyd/search/index.h"

/* What is looked for; find_run() borrows it. */
struct find_query {
    const char *pattern;  /* literal text, */
    struct regex *regex;  /* or NULL */
    bool ignore_case;     /* of literal text */
    bool command, output; /* where to look; both or one */
    bool failed;          /* only commands with an exit code that is not 0 */
    int64_t since_ms;     /* only those that began since then; 0: all */
    const char *session;  /* only this one's; NULL: all */
    char *directories[2]; /* only those that began there or below: two names of one, which
                           * end in no slash but that of `/` */
    size_t last;          /* at most so many, the newest */
};

struct find_answer {
    json_t *results; /* array, oldest first; the caller's */
    bool more;       /* there are older ones */
    size_t unknown;  /* outputs or commands in which a bound of the pattern was met */
    bool ends;       /* nothing was found, and of some outputs only the end is kept */
};

/* Each result has `block_id`, `conversation_id`, `seq`, `cmd`, `cwd`, `exit_code`, `status`,
 * `ts_begin`, `ts_end`, `duration_ms` as the block does; `match_count`, lines that match; and
 * `matches`, the first LIMIT_SEARCH_LINES of them: `in` ("command", "output"), `line` from 1, its
 * `text`, at most LIMIT_SEARCH_LINE_BYTES around the match (`cut_before`, `cut_after`), and the
 * bytes `from` and `to` of the match in it. What fails is the index's failure. */
void find_run(struct index *index, const char *state, const struct find_query *query,
              struct find_answer *ret);

#endif
