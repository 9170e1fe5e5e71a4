/* What an answer looks like is a pattern: the bytes behind ESC, with places for what varies. A
 * string's answer is known by its beginning. */
#include "vterm_snapshot/query_input.h"

#include <string.h>

#include "base/limits.h"

/* ---- the shapes ---- */

#define NUMBER "\1" /* query.number */
#define INDEX  "\2" /* query.index */
#define NAME   "\3" /* query.name */
#define DIGITS "\4"
#define VALUES "\5" /* digits, `;` and `:`, or none */

static const char *const shapes[] = {
    [QUERY_DEVICE] = "[?" VALUES "c",
    [QUERY_DEVICE_2] = "[>" VALUES "c",
    [QUERY_DEVICE_3] = "P!|",
    [QUERY_VERSION] = "P>|",
    [QUERY_STATUS] = "[" DIGITS "n",
    [QUERY_CURSOR] = "[" VALUES "R",
    [QUERY_CURSOR_DEC] = "[?" VALUES "R",
    [QUERY_STATUS_DEC] = "[?" VALUES "n",
    [QUERY_MACROS] = "[" VALUES "*{",
    [QUERY_MEMORY] = "P" NUMBER "!~",
    [QUERY_SCHEME] = "[?997;" DIGITS "n",
    [QUERY_KEYBOARD] = "[?" VALUES "u",
    [QUERY_KEY_MODIFIERS] = "[>" VALUES "m",
    [QUERY_MODE] = "[" NUMBER ";" DIGITS "$y",
    [QUERY_MODE_DEC] = "[?" NUMBER ";" DIGITS "$y",
    [QUERY_PARAMETERS] = "[" VALUES "x",
    [QUERY_ICONIFIED] = "[" DIGITS "t",
    [QUERY_WINDOW] = "[" INDEX ";" VALUES "t",
    [QUERY_ICON_LABEL] = "]L",
    [QUERY_TITLE] = "]l",
    [QUERY_CHECKSUM] = "P" NUMBER "!~",
    [QUERY_GRAPHICS_LIMIT] = "[?" NUMBER ";" VALUES "S",
    [QUERY_PRESENTATION] = "P" DIGITS "$u",
    [QUERY_TERMINAL_STATE] = "P" DIGITS "$s",
    [QUERY_CHARACTER_SET] = "P" DIGITS "!u",
    [QUERY_EXTENT] = "[" VALUES "\"w",
    [QUERY_LOCATOR] = "[" VALUES "&w",
    [QUERY_ATTRIBUTES] = "[" VALUES "m",
    [QUERY_COLOUR_STACK] = "[?" VALUES "#Q",
    [QUERY_COLOUR] = "]" NUMBER ";",
    [QUERY_PALETTE] = "]4;" INDEX ";",
    [QUERY_PALETTE_SPECIAL] = "]" DIGITS ";" DIGITS ";",
    [QUERY_CLIPBOARD] = "]52;",
    [QUERY_OSC] = "]" NUMBER ";" NAME,
    [QUERY_OSC_PROTOCOL] = "]" NUMBER ";",
    [QUERY_CAPABILITY] = "P" DIGITS "+r",
    [QUERY_SETTING] = "P" DIGITS "$r",
    [QUERY_REMOTE] = "P@kitty-cmd",
    [QUERY_GRAPHICS] = "_G",
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes a number from *at on; false where there is none, or another one. A query's number was
 * clamped: then any that is as large will do. */
static enum query_match take_number(const char **at, const char *end, uint16_t number)
{
    unsigned value = 0;
    const char *from = *at;
    for (; *at < end && is_digit(**at); ++*at)
        value = value < LIMIT_CSI_VALUE ? value * 10 + (unsigned)(**at - '0') : value;
    if (*at == end)
        return QUERY_MAYBE;
    value = value < LIMIT_CSI_VALUE ? value : LIMIT_CSI_VALUE;
    return *at > from && value == number ? QUERY_IS : QUERY_OTHER;
}

static enum query_match take_text(const char **at, const char *end, const char *text)
{
    size_t len = strlen(text), left = (size_t)(end - *at), n = left < len ? left : len;
    if (memcmp(*at, text, n))
        return QUERY_OTHER;
    *at += n;
    return n == len ? QUERY_IS : QUERY_MAYBE;
}

static enum query_match take_digits(const char **at, const char *end)
{
    const char *from = *at;
    while (*at < end && is_digit(**at))
        ++*at;
    return *at == end ? QUERY_MAYBE : *at > from ? QUERY_IS : QUERY_OTHER;
}

static enum query_match take_values(const char **at, const char *end)
{
    while (*at < end && (is_digit(**at) || **at == ';' || **at == ':'))
        ++*at;
    return *at == end ? QUERY_MAYBE : QUERY_IS;
}

static enum query_match take_part(char part, const struct query *query, const char **at,
                                  const char *end)
{
    switch (part) {
    case '\1':
        return take_number(at, end, query->number);
    case '\2':
        return take_number(at, end, query->index);
    case '\3':
        return take_text(at, end, query->name);
    case '\4':
        return take_digits(at, end);
    case '\5':
        return take_values(at, end);
    default:
        return take_text(at, end, (char[]){part, '\0'});
    }
}

/* `bytes` are behind ESC. */
static enum query_match match(const struct query *query, const char *bytes, size_t len)
{
    const char *at = bytes, *end = bytes + len;
    for (const char *part = shapes[query->kind]; *part; part++) {
        enum query_match found = take_part(*part, query, &at, end);
        if (found != QUERY_IS)
            return found;
    }
    return *bytes != '[' || at == end ? QUERY_IS : QUERY_OTHER;
}

/* ---- what a terminal sends ---- */

enum state {
    GROUND,
    ESCAPE,
    CONTROL, /* behind ESC [ */
    SINGLE,  /* behind ESC O: one more */
    STRING,
    STRING_ESCAPE,
    MOUSE, /* behind ESC [ M: three more */
    PASTE,
    BEGUN, /* the ESC of the next one was taken with the one before */
};

#define MOUSE_BYTES 3
#define PASTE_END   "\x1b[201~"

static void begin_sequence(struct query_input *in)
{
    in->head[0] = '\x1b';
    in->len = 1;
    in->begins = true;
    in->state = ESCAPE;
}

static void add(struct query_input *in, char c)
{
    if (in->len < QUERY_HEAD_BYTES)
        in->head[in->len] = c;
    in->len++;
}

static bool head_is(const struct query_input *in, const char *text)
{
    size_t len = strlen(text);
    return in->len == len && !memcmp(in->head, text, len);
}

static bool head_begins(const struct query_input *in, const char *text)
{
    size_t len = strlen(text);
    return in->len >= len && !memcmp(in->head, text, len);
}

static void end_sequence(struct query_input *in)
{
    in->ends = true;
    in->state = head_is(in, "\x1b[200~") ? PASTE : GROUND;
    in->paste = 0;
}

/* Each takes a byte of a sequence. */
static void take_escape(struct query_input *in, char c)
{
    add(in, c);
    in->state = c == '[' ? CONTROL : c == 'O' ? SINGLE : STRING;
    if (!strchr("[O]P_^X", c) || !c)
        end_sequence(in);
}

static void take_control(struct query_input *in, char c)
{
    add(in, c);
    if (c == 'M' && in->len == 3) {
        in->state = MOUSE;
        in->raw = MOUSE_BYTES;
    } else if ((unsigned char)c < 0x20 || (unsigned char)c >= 0x40) {
        end_sequence(in);
    }
}

static void take_string(struct query_input *in, char c)
{
    add(in, c);
    if (c == 0x07 || c == 0x18 || c == 0x1a)
        end_sequence(in);
}

/* False for an ESC that begins another sequence instead: it is not taken. */
static bool take_byte(struct query_input *in, char c)
{
    if (in->state == STRING_ESCAPE && c != '\\')
        return false;
    if (c == 0x1b && in->state == STRING) {
        add(in, c);
        in->state = STRING_ESCAPE;
        return true;
    }
    if (c == 0x1b && in->state != MOUSE)
        return false;
    if (in->state == ESCAPE) {
        take_escape(in, c);
    } else if (in->state == CONTROL) {
        take_control(in, c);
    } else if (in->state == STRING) {
        take_string(in, c);
    } else if (in->state == MOUSE) {
        add(in, c);
        if (--in->raw == 0)
            end_sequence(in);
    } else { /* SINGLE, STRING_ESCAPE */
        add(in, c);
        end_sequence(in);
    }
    return true;
}

/* Text and keys up to an ESC; in a paste up to what ends it. */
static size_t take_keys(struct query_input *in, const char *bytes, size_t len)
{
    if (in->state != PASTE) {
        const char *escape = memchr(bytes, 0x1b, len);
        return escape ? (size_t)(escape - bytes) : len;
    }
    for (size_t i = 0; i < len; i++) {
        in->paste = bytes[i] == PASTE_END[in->paste] ? in->paste + 1 : bytes[i] == 0x1b;
        if (in->paste < sizeof PASTE_END - 1)
            continue;
        in->state = GROUND;
        return i + 1;
    }
    return len;
}

/* Focus, mouse in any form, colours, size. */
static bool is_report(const struct query_input *in)
{
    char last = in->head[(in->len < QUERY_HEAD_BYTES ? in->len : QUERY_HEAD_BYTES) - 1];
    if (head_is(in, "\x1b[I") || head_is(in, "\x1b[O"))
        return true;
    if (head_begins(in, "\x1b[M"))
        return in->len == 3 + MOUSE_BYTES;
    if (head_begins(in, "\x1b[<"))
        return last == 'M' || last == 'm';
    bool values = in->len > 3 && is_digit(in->head[2]); /* rxvt's mouse */
    return (head_begins(in, "\x1b[?997;") && last == 'n') || query_input_is_size(in) ||
           (values && last == 'M' && head_begins(in, "\x1b["));
}

size_t query_input_next(struct query_input *in, const char *bytes, size_t len,
                        enum query_piece *ret_piece, bool *ret_whole)
{
    size_t taken = 0;
    *ret_whole = true;
    in->begins = in->ends = false;
    if (in->state == PASTE || (in->state == GROUND && *bytes != 0x1b)) {
        *ret_piece = QUERY_KEYS;
        return take_keys(in, bytes, len);
    }
    if (in->state == GROUND || in->state == BEGUN) {
        taken = in->state == GROUND;
        begin_sequence(in);
    }
    while (taken < len && !in->ends) {
        bool begun = in->state == STRING_ESCAPE;
        if (take_byte(in, bytes[taken])) {
            taken++;
        } else if (taken) {
            in->ends = true;
            in->state = begun ? BEGUN : GROUND;
        } else { /* what former bytes began ends in front of these */
            begin_sequence(in);
            taken = !begun;
        }
    }
    *ret_whole = in->ends;
    *ret_piece = in->ends && is_report(in) ? QUERY_REPORT : QUERY_SEQUENCE;
    return taken;
}

enum query_match query_input_answers(const struct query_input *in, const struct query *query)
{
    size_t len = in->len < QUERY_HEAD_BYTES ? in->len : QUERY_HEAD_BYTES;
    if (in->len < 2)
        return in->ends ? QUERY_OTHER : QUERY_MAYBE;
    enum query_match found = match(query, in->head + 1, len - 1);
    if (in->head[1] == '[' && found == QUERY_IS && !in->ends)
        return QUERY_MAYBE;
    bool cut = in->ends || in->len > QUERY_HEAD_BYTES;
    return found == QUERY_MAYBE && cut ? QUERY_OTHER : found;
}

bool query_input_is_size(const struct query_input *in)
{
    size_t len = in->len < QUERY_HEAD_BYTES ? in->len : QUERY_HEAD_BYTES;
    return head_begins(in, "\x1b[48;") && in->head[len - 1] == 't';
}

bool query_input_may_be_key(const struct query_input *in)
{
    return in->len == 6 && head_begins(in, "\x1b[1;") && in->head[4] >= '2' && in->head[4] <= '8' &&
           in->head[5] == 'R';
}
