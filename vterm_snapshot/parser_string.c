/* Inside OSC, DCS, APC, PM and SOS: everything is consumed; what an OSC says becomes an operation,
 * and one on 7711 a mark. */
#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/parser_private.h"

#define MARK_PREFIX     "7711;"
#define MARK_PREFIX_LEN 5
#define MARK_HEAD_LEN   (MARK_PREFIX_LEN + MARK_NONCE_LEN + 1)

/* ---- what is not shown ---- */

/* The string whose introducer was taken last is a mark, or pretends to be one. */
static void withhold(struct parser *p)
{
    parser_pass(p);
    p->held = 0;
    p->withheld = true;
}

/* It ended with what was taken last. */
static void release(struct parser *p)
{
    if (!p->withheld)
        return;
    p->withheld = false;
    p->passed = p->at;
    p->held = 0;
}

/* The ESC that was taken last ended it, and begins something else. */
static void release_escape(struct parser *p)
{
    if (!p->withheld)
        return;
    p->withheld = false;
    p->passed = p->at;
    p->held = 1;
}

/* ---- strings ---- */

static void keep(struct parser *p, const char *bytes, size_t len)
{
    size_t room = LIMIT_STRING_BYTES - p->string.len;
    if (len > room) {
        len = room;
        p->string_truncated = true;
    }
    bytes_append(&p->string, bytes, len);
}

/* Whether it says anything to us: then its payload is kept. */
static bool is_kept(const struct parser *p)
{
    return p->string_kind == ']' || p->string_kind == 'P' || p->string_kind == '_';
}

static enum step finish_string(struct parser *p, struct op *op)
{
    char kind = p->string_kind;
    p->state = PARSER_GROUND;
    release(p);
    if (!is_kept(p) || !p->string.len || p->string.failed)
        return STEP_ON;
    *op = (struct op){.kind = kind == ']'   ? OP_OSC
                              : kind == 'P' ? OP_DCS
                                            : OP_APC,
                      .string = p->string.data,
                      .string_len = p->string.len};
    return STEP_OP;
}

static bool all_zero(const char *nonce)
{
    return strspn(nonce, "0") >= MARK_NONCE_LEN;
}

static bool is_nonce(const char *text)
{
    return strspn(text, "0123456789abcdef") >= MARK_NONCE_LEN;
}

/* Compares in constant time: how long it takes tells a forger nothing. */
static bool same_nonce(const char *a, const char *b)
{
    unsigned char difference = 0;
    for (int i = 0; i < MARK_NONCE_LEN; i++)
        difference |= (unsigned char)(a[i] ^ b[i]);
    return difference == 0;
}

static enum mark_signature signature_of(const struct parser *p, const char *nonce)
{
    if (p->has_nonce && same_nonce(nonce, p->nonce))
        return MARK_SIGNED;
    if (!p->has_nonce && p->trust == PARSER_TRUST_FIRST && is_nonce(nonce))
        return MARK_SIGNED; /* until it turns out to be no A */
    return all_zero(nonce) ? MARK_ZEROED : MARK_FORGED;
}

static enum mark_record record_of(const struct parser *p)
{
    bool asks = p->signature == MARK_ZEROED && p->recorded;
    return asks ? p->recorded(p->user, p->mark_offset) : MARK_UNKNOWN;
}

static void begin_mark(struct parser *p, char *nonce)
{
    char copy[MARK_NONCE_LEN + 1] = {0};
    withhold(p);
    memcpy(copy, nonce, MARK_NONCE_LEN);
    p->signature = signature_of(p, copy);
    enum mark_record record = record_of(p);
    if (record == MARK_OPEN && p->has_nonce) {
        p->signature = MARK_SIGNED;
        memcpy(copy, p->nonce, MARK_NONCE_LEN);
    }
    p->genuine = p->signature == MARK_SIGNED || record == MARK_RECORDED;
    p->closer[0] = ';';
    memcpy(p->closer + 1, copy, MARK_NONCE_LEN);
    p->closer[MARK_NONCE_LEN + 1] = 0x07;
    /* whoever reads the log later knows by the zeros what was genuine */
    if (p->genuine || is_nonce(copy))
        memset(nonce, p->genuine ? '0' : 'x', MARK_NONCE_LEN);
    p->raw_len = 0;
    p->state = PARSER_MARK;
}

static enum step malformed(struct op *op)
{
    *op = (struct op){.kind = OP_MALFORMED};
    return STEP_OP;
}

/* Decides between a mark and any other OSC, once enough of it is there. */
enum step parser_osc_start(struct parser *p, struct op *op)
{
    size_t len = (size_t)(p->end - p->at);
    size_t known = len < MARK_PREFIX_LEN ? len : MARK_PREFIX_LEN;
    if (memcmp(p->at, MARK_PREFIX, known)) {
        p->state = PARSER_STRING;
        return STEP_ON;
    }
    for (size_t i = known; i < len && i < MARK_HEAD_LEN; i++)
        if (i == MARK_HEAD_LEN - 1 ? p->at[i] != ';' : (unsigned char)p->at[i] < '0') {
            withhold(p);
            p->string_kind = 0; /* swallow it */
            p->state = PARSER_STRING;
            return malformed(op);
        }
    if (len < MARK_HEAD_LEN)
        return STEP_HOLD;
    begin_mark(p, p->at + MARK_PREFIX_LEN);
    p->at += MARK_HEAD_LEN;
    return STEP_ON;
}

static bool ends_string(const struct parser *p, char c)
{
    return c == 0x1b || c == 0x18 || c == 0x1a ||
           (c == 0x07 && (p->string_kind == ']' || p->string_kind == 0));
}

/* U+009C is ST in a character, as xterm takes it. */
#define ST_LEAD  '\xc2'
#define ST_TRAIL '\x9c'

/* Whether its second byte stands at `run` bytes. */
static bool is_st(const struct parser *p, size_t run)
{
    return run && p->at[run] == ST_TRAIL && p->at[run - 1] == ST_LEAD;
}

/* What stands in front of the end, as far as it may pass; true when the end is reached. */
static bool take_payload(struct parser *p)
{
    size_t run = 0, len = (size_t)(p->end - p->at);
    while (run < len && !ends_string(p, p->at[run]) && !is_st(p, run))
        run++;
    bool ends = run < len;
    size_t text = run && p->at[run - 1] == ST_LEAD && (!ends || is_st(p, run)) ? run - 1 : run;
    size_t taken = ends ? run : text; /* what may be half of ST is held back */
    size_t ready = scrub_run(&p->scrub, p->at, taken, !ends);
    for (size_t i = 0; i < ready && i < text && is_kept(p) && !p->string_truncated; i++)
        if ((unsigned char)p->at[i] >= 0x20 && p->at[i] != 0x7f)
            keep(p, p->at + i, 1);
    p->at += ready;
    return ready == run && ends;
}

enum step parser_string(struct parser *p, struct op *op)
{
    if (!take_payload(p))
        return STEP_HOLD;
    char c = *p->at++;
    if (c == 0x07 || c == ST_TRAIL)
        return finish_string(p, op);
    p->state = c == 0x1b ? PARSER_STRING_ESCAPE : PARSER_GROUND;
    if (c != 0x1b)
        release(p);
    return STEP_ON;
}

/* Behind an ESC: a backslash ends the string, anything else begins a sequence instead of it. */
static bool escape_terminates(struct parser *p)
{
    if (*p->at == '\\')
        return true;
    release_escape(p);
    parser_begin_escape(p, parser_offset(p) - 1);
    return false;
}

enum step parser_string_escape(struct parser *p, struct op *op)
{
    if (!escape_terminates(p))
        return STEP_ON;
    p->at++;
    return finish_string(p, op);
}

/* ---- marks ---- */

/* Without a nonce the first A sets it; what comes before it is nobody's. */
static void trust_mark(struct parser *p)
{
    if (p->has_nonce || p->signature != MARK_SIGNED)
        return;
    if (p->mark.kind == MARK_PROMPT)
        parser_set_nonce(p, p->closer + 1);
    else
        p->mark.signature = MARK_FORGED;
}

/* `closed` by the nonce: whoever does not know it cannot end a mark so. */
static enum step finish_mark(struct parser *p, bool closed, struct op *op)
{
    p->state = PARSER_GROUND;
    release(p);
    if (p->string.failed || mark_parse(p->string.data, p->string.len, closed, &p->mark) < 0)
        return malformed(op);
    p->mark.signature = p->signature;
    p->mark.offset = p->mark_offset;
    p->mark.truncated = p->string_truncated;
    trust_mark(p);
    *op = (struct op){.kind = OP_MARK, .mark = &p->mark};
    return STEP_OP;
}

/* raw= is honoured in marks that are genuine; any other ends at its first BEL. */
static bool raw_begins(const struct parser *p)
{
    return p->genuine && p->string.len >= 5 &&
           !memcmp(p->string.data + p->string.len - 5, ";raw=", 5);
}

/* Whether the second nonce stands at the `;` there: 1, 0, or -1 for more bytes are needed. Then it
 * is zeros. */
static int closes(struct parser *p)
{
    size_t len = (size_t)(p->end - p->at);
    size_t known = len < sizeof p->closer ? len : sizeof p->closer;
    if (!p->genuine || memcmp(p->at, p->closer, known))
        return 0;
    if (known < sizeof p->closer)
        return -1;
    memset(p->at + 1, '0', MARK_NONCE_LEN);
    p->at += sizeof p->closer;
    return 1;
}

enum step parser_mark(struct parser *p, struct op *op)
{
    while (p->at < p->end && p->state == PARSER_MARK) {
        int closed = *p->at == ';' ? closes(p) : 0;
        if (closed)
            return closed < 0 ? STEP_HOLD : finish_mark(p, true, op);
        char c = *p->at++;
        if (c == 0x07)
            return finish_mark(p, false, op);
        if (c == 0x1b) {
            p->state = PARSER_MARK_ESCAPE;
        } else if (c == 0x18 || c == 0x1a) {
            p->state = PARSER_GROUND;
            release(p);
        } else if ((unsigned char)c >= 0x20) {
            keep(p, &c, 1);
            if (c == '=' && raw_begins(p))
                p->state = PARSER_MARK_RAW;
        }
    }
    return STEP_ON;
}

enum step parser_mark_escape(struct parser *p, struct op *op)
{
    if (!escape_terminates(p))
        return STEP_ON;
    p->at++;
    return finish_mark(p, false, op);
}

/* More of raw=; one that is too long is no mark. */
static enum step keep_raw(struct parser *p, size_t len, struct op *op)
{
    const char *raw = p->at;
    size_t room = LIMIT_RAW_BYTES - p->raw_len;
    p->at += len < room ? len : room;
    p->raw_len += len;
    if (p->raw_len > LIMIT_RAW_BYTES) {
        p->state = PARSER_GROUND;
        release(p);
        return malformed(op);
    }
    keep(p, raw, len);
    return STEP_ON;
}

/* raw= ends only at the mark's own nonce: the command in it may hold any byte at all. */
enum step parser_mark_raw(struct parser *p, struct op *op)
{
    size_t len = (size_t)(p->end - p->at);
    const char *semicolon = memchr(p->at, ';', len);
    size_t run = semicolon ? (size_t)(semicolon - p->at) : len;
    if (run)
        return keep_raw(p, run, op);
    int closed = closes(p);
    if (!closed)
        return keep_raw(p, 1, op);
    return closed < 0 ? STEP_HOLD : finish_mark(p, true, op);
}
