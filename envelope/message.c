#include "envelope/message.h"

#include <jansson.h>
#include <string.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/utf8.h"

#define PART(name) offsetof(struct message, name)
#define ROW(inside, part, key)                                                                     \
    {                                                                                              \
        PART(inside), PART(part), key                                                              \
    }

/* Where each part is: the member `key` of the part `inside`, whose own row comes before it. The
 * members of `input` are those of its items. */
static const struct part {
    size_t inside, at;
    const char *key;
} parts[] = {
    ROW(line, method, "method"),
    ROW(line, id, "id"),
    ROW(line, params, "params"),
    ROW(line, result, "result"),
    ROW(params, thread_id, "threadId"),
    ROW(params, last_turn_id, "lastTurnId"),
    ROW(params, before_turn_id, "beforeTurnId"),
    ROW(params, context, "additionalContext"),
    ROW(params, capabilities, "capabilities"),
    ROW(params, session_id, "sessionId"),
    ROW(params, prompt, "prompt"),
    ROW(params, input, "input"),
    ROW(capabilities, experimental, "experimentalApi"),
    ROW(capabilities, opt_out, "optOutNotificationMethods"),
    ROW(input, type, "type"),
    ROW(input, text, "text"),
    ROW(input, elements, "text_elements"),
    ROW(result, steered_id, "turnId"),
    ROW(result, turn, "turn"),
    ROW(turn, turn_id, "id"),
};
#define PARTS (sizeof parts / sizeof *parts)

struct scan {
    const char *at, *end;
    struct message *message;
    bool sound;    /* so far; once it is not, strings and numbers are looked into no more */
    size_t depth;  /* objects and arrays around `at` */
    char *closing; /* the bracket that closes each of them, LIMIT_JSON_DEPTH at most */
};

static struct span *span_of(struct message *m, size_t part)
{
    return (struct span *)((char *)m + part);
}

static const struct part *find_part(size_t inside, struct span key)
{
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].inside == inside && span_is_string(key, parts[i].key))
            return &parts[i];
    return NULL;
}

/* ---- what a parser would take ---- */

/* The number of four hexadecimal digits; -1 for anything else. */
static int hex4(const char *at)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const char *digit = at[i] ? memchr("0123456789abcdefABCDEF", at[i], 22) : NULL;
        if (!digit)
            return -1;
        int nibble = (at[i] & 15) + (at[i] > '9' ? 9 : 0);
        value = value << 4 | nibble;
    }
    return value;
}

/* The length of the escape at `at`, 0 for none. A surrogate needs its other half; a key must not
 * hold NUL, which would hide what follows from many a reader. */
static size_t escape_length(const char *at, bool is_key)
{
    if (at[1] != 'u')
        return strchr("\"\\/bfnrt", at[1]) && at[1] ? 2 : 0;
    int code = hex4(at + 2);
    if (code < 0 || (code == 0 && is_key))
        return 0;
    if (code < 0xd800 || code > 0xdfff)
        return 6;
    int low = code < 0xdc00 && at[6] == '\\' && at[7] == 'u' ? hex4(at + 8) : -1;
    return low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
}

static bool escapes_are_sound(struct span string, bool is_key)
{
    const char *at = string.at, *end = string.at + string.len;
    while ((at = memchr(at, '\\', (size_t)(end - at)))) {
        size_t len = escape_length(at, is_key);
        if (!len)
            return false;
        at += len;
    }
    return true;
}

/* Whether 64 bytes are ASCII without control characters: no byte but those is under 0x20 when its
 * high bit is a sign. */
static bool is_plain(const char *at)
{
    signed char other = 0;
    for (int i = 0; i < 64; i++)
        other |= (signed char)-((signed char)at[i] < 0x20);
    return !other;
}

static bool string_is_sound(struct span string, bool is_key)
{
    size_t i = 0;
    while (i + 64 <= string.len && is_plain(string.at + i))
        i += 64;
    while ((i += ascii_printable_run(string.at + i, string.len - i)) < string.len) {
        uint32_t code;
        int step = utf8_decode(string.at + i, string.len - i, &code);
        if (step <= 0 || code < 0x20)
            return false;
        i += (size_t)step;
    }
    return escapes_are_sound(string, is_key);
}

/* A short whole number is seen at once; the parser itself says of others whether it takes them. */
static bool scalar_is_sound(struct span value)
{
    size_t digits = 0;
    while (digits < value.len && value.at[digits] >= '0' && value.at[digits] <= '9')
        digits++;
    if (digits == value.len && digits <= 18)
        return digits == 1 || value.at[0] != '0';
    if (span_is_null(value) || span_is_true(value))
        return true;
    json_t *json = json_loadb(value.at, value.len, JSON_DECODE_ANY, NULL);
    bool sound = json != NULL;
    json_decref(json);
    return sound;
}

/* ---- passing over ---- */

/* What ends a number or a word: 1, and 2 when it is white space. */
static const char kinds[256] = {
    [','] = 1, [']'] = 1, ['}'] = 1, [' '] = 2, ['\t'] = 2, ['\r'] = 2, ['\n'] = 2};

static char kind_of(const char *at)
{
    return kinds[(unsigned char)*at];
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && kind_of(s->at) == 2)
        s->at++;
}

/* Behind white space: whether `c` comes next; it is passed. */
static bool take(struct scan *s, char c)
{
    skip_space(s);
    if (s->at == s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

/* Finds the quote that ends the string behind whose first quote `at` is. */
static const char *string_end(const char *at, const char *end)
{
    const char *from = at, *quote;
    while ((quote = memchr(at, '"', (size_t)(end - at)))) {
        const char *backslash = quote;
        while (backslash > from && backslash[-1] == '\\')
            backslash--;
        if ((quote - backslash) % 2 == 0)
            return quote;
        at = from = quote + 1;
    }
    return NULL;
}

/* Passes the string behind whose first quote it stands. */
static bool skip_string(struct scan *s, bool is_key, struct span *ret_string)
{
    const char *quote = string_end(s->at, s->end);
    if (!quote)
        return false;
    *ret_string = (struct span){.at = s->at - 1, .len = (size_t)(quote + 2 - s->at)};
    s->sound = s->sound && string_is_sound(*ret_string, is_key);
    s->at = quote + 1;
    return true;
}

static bool read_key(struct scan *s, struct span *ret_key)
{
    return take(s, '"') && skip_string(s, true, ret_key) && take(s, ':');
}

/* A string, a number, or a word. One that the text's end cuts off is none. */
static bool skip_scalar(struct scan *s)
{
    struct span value;
    if (take(s, '"'))
        return skip_string(s, false, &value);
    value = (struct span){.at = s->at};
    while (s->at < s->end && !kind_of(s->at))
        s->at++;
    value.len = (size_t)(s->at - value.at);
    if (!value.len || s->at == s->end)
        return false;
    s->sound = s->sound && scalar_is_sound(value);
    return true;
}

/* Passes an opening bracket, if one comes next and it is not too many. */
static bool open_bracket(struct scan *s)
{
    bool object = take(s, '{');
    if (!object && !take(s, '['))
        return false;
    if (s->depth == LIMIT_JSON_DEPTH) {
        s->at = s->end;
        return false;
    }
    s->closing[s->depth++] = object ? '}' : ']';
    return true;
}

static bool close_bracket(struct scan *s)
{
    if (!take(s, s->closing[s->depth - 1]))
        return false;
    s->depth--;
    return true;
}

/* Passes a value. False when the text ends in it, or its brackets and commas are wrong. */
static bool skip_value(struct scan *s)
{
    size_t outer = s->depth;
    struct span key;
    for (;;) {
        bool opened = open_bracket(s);
        if (opened ? close_bracket(s) : skip_scalar(s)) {
            while (s->depth > outer && close_bracket(s))
                ;
            if (s->depth == outer)
                return true;
            if (!take(s, ','))
                return false;
        } else if (!opened) {
            return false;
        }
        if (s->closing[s->depth - 1] == '}' && !read_key(s, &key))
            return false;
    }
}

/* ---- reading ---- */

static bool read_object(struct scan *s, size_t inside);

/* Of the items of `input` the first text is kept. */
static bool read_items(struct scan *s)
{
    struct message *m = s->message;
    bool found = false;
    if (!open_bracket(s))
        return false;
    if (close_bracket(s))
        return true;
    do {
        bool object = !found && take(s, '{');
        s->at -= object;
        if (object ? !read_object(s, PART(input)) : !skip_value(s))
            return false;
        found = found || (span_is_string(m->type, "text") && m->text.len && *m->text.at == '"');
        if (!found)
            m->type = m->text = m->elements = (struct span){0};
    } while (take(s, ','));
    return close_bracket(s);
}

static bool read_part(struct scan *s, const struct part *part)
{
    struct span *value = span_of(s->message, part->at);
    bool twice = value->at != NULL;
    skip_space(s);
    const char *begin = s->at;
    char first = s->at < s->end ? *s->at : '\0';
    bool items = part->at == PART(input);
    bool whole = first == '{' && !items  ? read_object(s, part->at)
                 : first == '[' && items ? read_items(s)
                                         : skip_value(s);
    if (whole)
        *value = (struct span){.at = begin, .len = twice ? 0 : (size_t)(s->at - begin)};
    return whole;
}

static bool read_object(struct scan *s, size_t inside)
{
    if (!open_bracket(s) || s->closing[s->depth - 1] != '}')
        return false;
    if (close_bracket(s))
        return true;
    do {
        struct span key;
        if (!read_key(s, &key))
            return false;
        const struct part *part = find_part(inside, key);
        if (!(part ? read_part(s, part) : skip_value(s)))
            return false;
    } while (take(s, ','));
    return close_bracket(s);
}

/* What is inside of a part that is there twice does not count. */
static void drop_doubtful(struct message *m)
{
    for (size_t i = 0; i < PARTS; i++)
        if (!span_of(m, parts[i].inside)->len)
            *span_of(m, parts[i].at) = (struct span){0};
}

struct message message_read(const char *line, size_t len)
{
    char closing[LIMIT_JSON_DEPTH];
    struct message m = {.line = {.at = line, .len = len}};
    struct scan s = {
        .at = line, .end = line + len, .message = &m, .sound = true, .closing = closing};
    if (!read_object(&s, PART(line)))
        return (struct message){.line = m.line};
    skip_space(&s);
    m.sound = s.sound && s.at == s.end;
    drop_doubtful(&m);
    return m;
}

/* ---- the head ---- */

/* Passes a value that nobody reads: brackets are counted, whatever their kinds. */
static bool skip_unread(struct scan *s)
{
    struct span string;
    size_t depth = 0;
    skip_space(s);
    if (s->at == s->end || (*s->at != '{' && *s->at != '['))
        return skip_scalar(s);
    while (s->at < s->end) {
        char c = *s->at++;
        if (c == '"' && !skip_string(s, false, &string))
            return false;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return true;
    }
    return false;
}

struct message_head message_peek(const char *line, size_t len)
{
    struct message_head head = {0};
    struct scan s = {.at = line, .end = line + len};
    struct span key;
    if (!take(&s, '{'))
        return head;
    do {
        if (!read_key(&s, &key))
            break;
        skip_space(&s);
        struct span value = {.at = s.at};
        if (!skip_unread(&s))
            break;
        value.len = (size_t)(s.at - value.at);
        if (span_is_string(key, "method"))
            head.method = value;
        else if (!head.id.at && span_is_string(key, "id"))
            head.id = value;
    } while (!head.method.at && take(&s, ','));
    return head;
}
