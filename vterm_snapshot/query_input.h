/* query_input.h - what a terminal sends: typing, reports, and answers to what was asked (query.h).
 */
#ifndef VTERM_SNAPSHOT_QUERY_INPUT_H
#define VTERM_SNAPSHOT_QUERY_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "vterm_snapshot/query.h"

/* Bytes of a sequence that are looked at, from its ESC on: a control sequence that is longer is no
 * answer; of a longer string the head tells. */
#define QUERY_HEAD_BYTES 128

enum query_piece {
    QUERY_KEYS,     /* text, keys, pasted text: typed */
    QUERY_REPORT,   /* focus, mouse, colour scheme (997), size (48): sent unasked */
    QUERY_SEQUENCE, /* another sequence: a key, or an answer: query_input_answers() tells */
};

/* A terminal's input, cut anywhere, as pieces. A zeroed struct is at its beginning. Nothing is held
 * back, so that no key waits: whoever has a piece that is not `whole` passes it on as what it may
 * become. A lone ESC is a sequence that is not whole. What a paste brackets holds no sequences. */
struct query_input {
    char head[QUERY_HEAD_BYTES]; /* of the sequence at hand */
    size_t len;   /* bytes of the sequence; more than `head` holds in a long string */
    int raw;      /* bytes to come of a mouse report of the first kind */
    size_t paste; /* how much of what ends a paste has come, counted from 1 */
    unsigned char state;
    bool begins; /* a sequence did, in the last piece */
    bool ends;   /* the sequence at hand is whole, or broken off: the next byte is another's */
};

/* The next piece of `bytes`, of which there is one at least: returns its length. A sequence that
 * goes on from former bytes does so at their front. `*ret_whole`: its end is in it. */
size_t query_input_next(struct query_input *input, const char *bytes, size_t len,
                        enum query_piece *ret_piece, bool *ret_whole);

enum query_match {
    QUERY_OTHER, /* it is no answer to this */
    QUERY_MAYBE, /* what has come of it may become one */
    QUERY_IS,    /* it is one, or the rest does not matter */
};

/* Whether the sequence at hand answers a query. */
enum query_match query_input_answers(const struct query_input *input, const struct query *query);

/* Whether the sequence at hand, a report, says which size the terminal has (2048). */
bool query_input_is_size(const struct query_input *input);

/* Whether the sequence at hand, an answer by its shape, may as well be a key: F3 with modifiers is
 * where the cursor is. */
bool query_input_may_be_key(const struct query_input *input);

#endif
