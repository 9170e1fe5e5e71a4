/* facts.h - what the index wants to know of a block, read off its line in blocks.jsonl. */
#ifndef PTYD_SEARCH_FACTS_H
#define PTYD_SEARCH_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "ptyd/core/json_walk.h"

/* Texts are UTF-8 without NUL. A zeroed one is empty, and may be filled again and again. */
struct facts {
    int64_t seq, ts_begin, ts_end, duration_ms, output_lines, output_bytes;
    bool has_exit_code, runs;
    int exit_code;
    struct bytes cmd, cwd, status, output_path;
    struct bytes preview; /* its lines, each with a line feed */
    uint32_t previewed;   /* how many */
};

void facts_finish(struct facts *facts);

/* Takes them from a line; false, with anything in it, for one that is damaged or no object. */
bool facts_read(struct facts *facts, struct json_piece line);

/* The same of a value. */
bool facts_take(struct facts *facts, const json_t *block);

/* Makes it UTF-8 without NUL, for pcre2 takes nothing else. */
void facts_clean(struct bytes *text);

#endif
