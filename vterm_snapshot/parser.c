/* The states outside strings. Each has one function that takes some of the bytes at hand; what came
 * of it is a step. */
#include "vterm_snapshot/parser_private.h"

#include <string.h>

void parser_finish(struct parser *p)
{
    bytes_finish(&p->string);
}

bool parser_is_inside(const struct parser *p)
{
    return p->state != PARSER_GROUND;
}

uint64_t parser_sequence_start(const struct parser *p)
{
    return p->mark_offset;
}

void parser_leave(struct parser *p)
{
    p->state = PARSER_GROUND;
    p->sequence_len = p->body_len = p->more = p->held = 0;
    p->withheld = false;
    scrub_break(&p->scrub);
}

void parser_set_nonce(struct parser *p, const char *nonce)
{
    p->has_nonce = nonce != NULL;
    if (nonce)
        memcpy(p->nonce, nonce, MARK_NONCE_LEN);
    scrub_set_nonce(&p->scrub, nonce);
}

void parser_give(struct parser *p, char *bytes, size_t len)
{
    p->offset = parser_offset(p);
    p->at = p->ready = bytes;
    p->start = p->passed = bytes;
    p->end = bytes + len;
}

size_t parser_taken(const struct parser *p)
{
    return (size_t)(p->at - p->start);
}

uint64_t parser_offset(const struct parser *p)
{
    return p->offset + parser_taken(p);
}

void parser_set_offset(struct parser *p, uint64_t offset)
{
    p->offset = offset - parser_taken(p);
}

/* ---- what is shown ---- */

/* How many of the bytes that were taken last may begin a mark. */
static size_t undecided(const struct parser *p)
{
    switch (p->state) {
    case PARSER_ESCAPE:
        return p->sequence_len == 1 && !p->split;
    case PARSER_STRING_ESCAPE:
    case PARSER_MARK_ESCAPE:
        return 1;
    case PARSER_OSC_START:
        return 2;
    default:
        return 0;
    }
}

static uint64_t offset_at(const struct parser *p, const char *at)
{
    return p->offset + (uint64_t)(at - p->start);
}

void parser_pass(struct parser *p)
{
    size_t open = undecided(p), come = p->held + (size_t)(p->at - p->passed);
    if (!p->withheld && p->pass && come > open) {
        const char *end = p->at - open;
        if (p->held)
            p->pass(p->user, "\x1b]", p->held, offset_at(p, p->passed));
        if (end > p->passed)
            p->pass(p->user, p->passed, (size_t)(end - p->passed), offset_at(p, end));
    }
    p->passed = p->at;
    p->held = open;
}

uint64_t parser_passed(const struct parser *p)
{
    return p->withheld ? p->mark_offset : offset_at(p, p->passed) - p->held;
}

bool parser_open_mark(const struct parser *p, uint64_t *ret_offset)
{
    bool inside =
        p->state == PARSER_MARK || p->state == PARSER_MARK_ESCAPE || p->state == PARSER_MARK_RAW;
    if (!inside || p->signature != MARK_SIGNED)
        return false;
    *ret_offset = p->mark_offset;
    return true;
}

struct parser_point {
    uint64_t offset;
    char passed[SCRUB_SHOWN];
    uint8_t passed_len;
};

bool parser_save(const struct parser *p, struct bytes *out)
{
    struct parser_point point = {.offset = parser_offset(p),
                                 .passed_len = (uint8_t)p->scrub.passed_len};
    if (p->state != PARSER_GROUND)
        return false;
    memcpy(point.passed, p->scrub.passed, sizeof point.passed);
    bytes_append(out, &point, sizeof point);
    return true;
}

bool parser_load(struct parser *p, struct unpack *in)
{
    struct parser_point point;
    if (!unpack_value(in, &point, sizeof point) || point.passed_len > sizeof point.passed)
        return false;
    parser_set_offset(p, point.offset);
    p->scrub.passed_len = point.passed_len;
    memcpy(p->scrub.passed, point.passed, sizeof point.passed);
    return true;
}

/* ---- text ---- */

/* How far ESC is from the front; `len` for none. It is near between sequences that draw. */
static size_t find_escape(const char *bytes, size_t len)
{
    if (len >= 8) {
        uint64_t other = ascii_load(bytes) ^ ASCII_ONES * 0x1b;
        uint64_t escape = (other - ASCII_ONES) & ~other & ASCII_HIGH; /* the first is one */
        if (escape)
            return ascii_before(escape);
    }
    const char *escape = memchr(bytes, 0x1b, len);
    return escape ? (size_t)(escape - bytes) : len;
}

/* A word between two sequences, as programs print them that draw, is too short for a nonce. */
bool parser_make_ready(struct parser *p)
{
    size_t len = (size_t)(p->end - p->at);
    if (p->state != PARSER_GROUND || p->more || !len)
        return false;
    size_t run = p->scrub.active ? find_escape(p->at, len) : len;
    if (run == len || run >= MARK_NONCE_LEN || p->scrub.passed_len)
        run = scrub_run(&p->scrub, p->at, run, run == len);
    p->ready = p->at + run + (run < len && p->at[run] == 0x1b);
    return p->ready > p->at;
}

/* libvterm puts its sign for a bad character in another place when a write ends inside it, so ours
 * is put instead. */
static enum step bad_character(struct parser *p, struct op *op)
{
    static const char sign[] = "\xef\xbf\xbd";
    *op = (struct op){.kind = OP_CHARACTER, .code = 0xfffd, .raw = sign, .raw_len = 3};
    p->at += utf8_bad_length(p->at, (size_t)(p->end - p->at));
    return STEP_OP;
}

void parser_begin_escape(struct parser *p, uint64_t offset)
{
    p->mark_offset = offset;
    p->state = PARSER_ESCAPE;
    p->split = false;
    p->sequence[0] = 0x1b;
    p->sequence_len = 1;
}

/* What is not simple: ESC, and what is no character. C1 controls print nothing and confuse
 * libvterm's widths: they are left out. */
static enum step ground(struct parser *p, struct op *op)
{
    uint32_t code;
    if (!parser_is_ready(p))
        return STEP_HOLD;
    if (*p->at == 0x1b) {
        scrub_break(&p->scrub);
        parser_begin_escape(p, parser_offset(p));
        p->ready = ++p->at;
        return STEP_ON;
    }
    int step = utf8_decode(p->at, (size_t)(p->end - p->at), &code);
    if (step < 0)
        return bad_character(p, op);
    p->at += step;
    return step ? STEP_ON : STEP_HOLD;
}

/* ---- escape sequences ---- */

/* Whether a byte is no part of any sequence: a control, DEL, or of a character that is not ASCII.
 */
static bool is_foreign(char c)
{
    return (unsigned char)c < 0x20 || (unsigned char)c >= 0x7f;
}

/* A control character inside a sequence is executed, as terminals do. One that ends the sequence,
 * or begins another, is not taken. */
static enum step control_inside(struct parser *p, struct op *op)
{
    char c = *p->at;
    if (c == 0x1b || (unsigned char)c >= 0x80) {
        p->state = PARSER_GROUND;
        return STEP_ON;
    }
    p->at++;
    p->split = true;
    if (c == 0x18 || c == 0x1a)
        p->state = PARSER_GROUND;
    if (c == 0x18 || c == 0x1a || c == 0x7f)
        return STEP_ON;
    *op = (struct op){.kind = OP_CONTROL, .code = (uint32_t)c, .raw = p->at - 1, .raw_len = 1};
    return STEP_OP;
}

static void begin_string(struct parser *p, char kind)
{
    p->string_kind = kind;
    p->string.len = 0;
    p->string_truncated = false;
    scrub_break(&p->scrub);
    p->state = kind == ']' && !p->split ? PARSER_OSC_START : PARSER_STRING;
}

/* S7C1T and S8C1T are no operation, as answers stay in seven bits; nor is a string or sequence that
 * an intermediate hides, which libvterm overlooks. */
static bool means_something(const char *inter, size_t inters, char final)
{
    if (inters)
        return *inter != ' ' && !strchr("PX[]^_\\", final);
    return final != '\\';
}

static enum step finish_escape(struct parser *p, struct op *op)
{
    const char *inter = p->sequence + 1;
    size_t inters = p->sequence_len - 1;
    char final = *p->at++;
    p->state = PARSER_GROUND;
    if (!means_something(inter, inters, final))
        return STEP_ON;
    p->sequence[p->sequence_len++] = final;
    *op = (struct op){.kind = OP_ESCAPE, .raw = p->sequence, .raw_len = p->sequence_len};
    op->csi.final = final;
    memcpy(op->csi.inter, inter, inters < 2 ? inters : 2);
    return STEP_OP;
}

static enum step escape(struct parser *p, struct op *op)
{
    char c = *p->at;
    if (c == 0x1b) {
        parser_begin_escape(p, parser_offset(p));
    } else if (is_foreign(c)) {
        return control_inside(p, op);
    } else if (c <= 0x2f) {
        if (p->sequence_len < 5)
            p->sequence[p->sequence_len++] = c;
    } else if (p->sequence_len > 1 || !strchr("[]PX^_", c)) {
        return finish_escape(p, op);
    } else if (c == '[') {
        p->sequence[p->sequence_len++] = c;
        p->state = PARSER_CSI;
    } else {
        begin_string(p, c);
    }
    p->at++;
    return STEP_ON;
}

/* ---- control sequences ---- */

static enum step give_csi(struct parser *p, struct op *op)
{
    size_t from = p->more;
    csi_read_long(p->body, p->body_len, from, &op->csi);
    p->more = op->csi.more;
    op->kind = OP_CSI;
    op->raw = p->body - 2;
    op->raw_len = from ? 0 : p->body_len + 2;
    return op->csi.final ? STEP_OP : STEP_ON;
}

/* It came in pieces, or a control stood in it. */
static enum step finish_csi(struct parser *p, struct op *op)
{
    bool overflow = p->sequence_len > sizeof p->sequence - 2;
    p->state = PARSER_GROUND;
    if (overflow)
        return STEP_ON;
    p->sequence[p->sequence_len++] = p->at[-1];
    p->body = p->sequence + 2;
    p->body_len = p->sequence_len - 2;
    return give_csi(p, op);
}

static enum step csi(struct parser *p, struct op *op)
{
    for (; p->at < p->end; p->at++) {
        char c = *p->at;
        if (is_foreign(c))
            return control_inside(p, op);
        if (c >= 0x40) {
            p->at++;
            return finish_csi(p, op);
        }
        if (p->sequence_len <= sizeof p->sequence - 2)
            p->sequence[p->sequence_len++] = c;
    }
    return STEP_ON;
}

bool parser_next(struct parser *p, struct op *op)
{
    static enum step (*const take[])(struct parser *, struct op *) = {
        [PARSER_GROUND] = ground,
        [PARSER_ESCAPE] = escape,
        [PARSER_CSI] = csi,
        [PARSER_OSC_START] = parser_osc_start,
        [PARSER_STRING] = parser_string,
        [PARSER_STRING_ESCAPE] = parser_string_escape,
        [PARSER_MARK] = parser_mark,
        [PARSER_MARK_ESCAPE] = parser_mark_escape,
        [PARSER_MARK_RAW] = parser_mark_raw,
    };
    enum step step = STEP_ON;
    while (step == STEP_ON) {
        if (p->more)
            step = give_csi(p, op);
        else if (parser_simple(p, op))
            return true;
        else if (p->at < p->end)
            step = take[p->state](p, op);
        else
            return false;
    }
    return step == STEP_OP;
}
