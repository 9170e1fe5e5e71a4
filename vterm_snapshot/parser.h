/* parser.h - bytes from a terminal become operations (op.h), here and nowhere else.
 *
 * A state machine after Paul Williams' DEC parser. Operations come in order, at the exact byte, the
 * same however the bytes are cut. What must be seen whole (a character, the head of a mark, what
 * may be the nonce) is held back: its bytes are not taken and expected again in front of what
 * follows.
 *
 * What attached terminals are shown are the bytes as they came, but for marks: these are handed out
 * by parser_pass(), whatever the operations make of them.
 *
 * The shell's nonce is overwritten with zeros wherever it stands in the bytes, so that whoever
 * keeps them afterwards (log, screen, attached terminals) keeps no secret.
 */
#ifndef VTERM_SNAPSHOT_PARSER_H
#define VTERM_SNAPSHOT_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "base/pack.h"
#include "base/utf8.h"
#include "vterm_snapshot/op.h"
#include "vterm_snapshot/scrub.h"

/* How marks are recognised. */
enum parser_trust {
    PARSER_TRUST_NONCE, /* those that carry the nonce set; without one, none */
    PARSER_TRUST_FIRST, /* the nonce of the first well-formed A becomes the nonce (replay) */
};

enum parser_state {
    PARSER_GROUND,
    PARSER_ESCAPE,
    PARSER_CSI,
    PARSER_OSC_START,
    PARSER_STRING,
    PARSER_STRING_ESCAPE,
    PARSER_MARK,
    PARSER_MARK_ESCAPE,
    PARSER_MARK_RAW,
};

/* Its fields are the parser's own, here for what is inline. */
struct parser {
    char *at, *end;    /* what was given and is not taken yet */
    char *ready;       /* text up to here holds no nonce, and may pass */
    const char *start; /* of what was given, which is byte `offset` of the stream */
    uint64_t offset;
    enum parser_state state;
    enum parser_trust trust;
    uint64_t mark_offset; /* of the ESC that opened the sequence or string at hand */
    bool split;           /* a control came behind that ESC: no mark begins there */

    const char *passed; /* up to here all was passed on, held, or withheld */
    size_t held;        /* bytes of `ESC ]` in front of `passed`: a mark may begin with them */
    bool withheld;      /* inside a mark, or what pretends to be one */
    /* NULL, or takes what attached terminals are shown; `offset` is behind these. */
    void (*pass)(void *user, const char *bytes, size_t len, uint64_t offset);

    bool has_nonce;
    char nonce[MARK_NONCE_LEN];
    struct scrub scrub;

    /* The escape or control sequence at hand, as far as it came in other pieces: it begins with
     * ESC. Of one that has more operations, `more` says where in `body` the next one begins. */
    char sequence[LIMIT_CSI_BYTES + 4];
    size_t sequence_len;
    const char *body;
    size_t body_len, more;

    char string_kind;    /* ']' for OSC, else one of P X ^ _; 0 for one that is swallowed */
    struct bytes string; /* payload so far */
    bool string_truncated;
    size_t raw_len; /* bytes of raw= seen */
    enum mark_signature signature;
    bool genuine;                    /* the mark at hand: signed, or a log's that was */
    char closer[MARK_NONCE_LEN + 2]; /* `;` nonce BEL of the mark at hand */
    struct mark mark;

    /* NULL, or what is known of a mark of zeros at this offset. */
    enum mark_record (*recorded)(void *user, uint64_t offset);
    void *user;
};

/* A zeroed struct is a parser at the beginning of a stream. */
void parser_finish(struct parser *p);

/* Sets the shell's nonce (MARK_NONCE_LEN characters, NULL for none). */
void parser_set_nonce(struct parser *p, const char *nonce);

/* Gives it bytes, which it may change (see above), to be taken operation by operation. */
void parser_give(struct parser *p, char *bytes, size_t len);

/* The next operation; false when all is taken, or held back. */
bool parser_next(struct parser *p, struct op *ret_op);

/* How many bytes were taken of those given. The rest must be given again. */
size_t parser_taken(const struct parser *p);

/* Passes on what was taken and not passed, in order. Due before the next parser_give(), and before
 * anything that is to come behind it; what comes in front of a mark is passed by itself. */
void parser_pass(struct parser *p);

/* In front of what is passed next. */
uint64_t parser_passed(const struct parser *p);

/* The stream's offset at `at`. */
uint64_t parser_offset(const struct parser *p);
void parser_set_offset(struct parser *p, uint64_t offset);

/* Whether it stands within a mark of our shell's, and where in the stream that began. */
bool parser_open_mark(const struct parser *p, uint64_t *ret_offset);
/* Whether it stands inside a sequence or string; where that began, then; and to stand behind it,
 * for a stream that does not go on with it. */
bool parser_is_inside(const struct parser *p);
uint64_t parser_sequence_start(const struct parser *p);
void parser_leave(struct parser *p);

/* Where it stands between two runs; false within a sequence or string, `out` unchanged. The nonce
 * is not part of it: it is set again. */
bool parser_save(const struct parser *p, struct bytes *out);
bool parser_load(struct parser *p, struct unpack *in);

/* ---- the common ones, inline ---- */

/* Sees to it that text stands at `at` that may pass, or ESC; false otherwise. */
bool parser_make_ready(struct parser *p);

static inline bool parser_is_ready(struct parser *p)
{
    return p->at < p->ready || parser_make_ready(p);
}

/* A control sequence at `at` that is there whole: takes it. Its values have room. */
static inline bool parser_simple_csi(struct parser *p, struct op *op)
{
    size_t left = (size_t)(p->end - p->at);
    size_t len = left > 2 && p->at[1] == '[' ? csi_read(p->at + 2, left - 2, &op->csi) : 0;
    if (!len || op->csi.more || !op->csi.final || len > LIMIT_CSI_BYTES)
        return false;
    op->kind = OP_CSI;
    op->raw_len = 2 + len;
    p->at += 2 + len;
    if (p->at > p->ready) {
        p->ready = p->at + (p->at < p->end && *p->at == 0x1b);
        scrub_break(&p->scrub);
    }
    return true;
}

/* A character at `at` that is not ASCII and is there whole: takes it. C1 is none. */
static inline bool parser_character(struct parser *p, struct op *op)
{
    int step = utf8_decode(p->at, (size_t)(p->end - p->at), &op->code);
    if (step <= 0 || op->code < 0xa0)
        return false;
    op->kind = OP_CHARACTER;
    op->raw = p->at;
    op->raw_len = (size_t)step;
    p->at += step;
    return true;
}

/* The next operation where it is text, a control or a control sequence that is there whole, as
 * nearly all are; else false, and parser_next() knows. Nothing else changes but `at`: who looks
 * ahead puts it back. `raw` is in the bytes given. */
static inline bool parser_simple(struct parser *p, struct op *op)
{
    if (!parser_is_ready(p))
        return false;
    unsigned char c = (unsigned char)*p->at;
    op->raw = p->at;
    if (c == 0x1b)
        return parser_simple_csi(p, op);
    if (c >= 0x80)
        return parser_character(p, op);
    if (c >= 0x20 && c < 0x7f) {
        op->kind = OP_TEXT;
        op->raw_len = ascii_printable_run(p->at, (size_t)(p->ready - p->at));
    } else {
        op->kind = OP_CONTROL;
        op->code = c;
        op->raw_len = 1;
    }
    p->at += op->raw_len;
    return true;
}

/* A line of printable ASCII, at most `most` long, that is there whole with its CR LF: takes it as
 * OP_TEXT with these as its end, in one go. */
static inline bool parser_plain_line(struct parser *p, size_t most, struct op *op)
{
    if (!parser_is_ready(p))
        return false;
    size_t left = (size_t)(p->ready - p->at), len = ascii_printable_run(p->at, left);
    if (len > most || left - len < 2 || p->at[len] != '\r' || p->at[len + 1] != '\n')
        return false;
    op->kind = OP_TEXT;
    op->raw = p->at;
    op->raw_len = len + 2;
    p->at += len + 2;
    return true;
}

#endif
