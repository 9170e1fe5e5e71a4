/* Keys that are shown as the bytes they are made of: `network_key: [71, 183, 26, ...]`, `MK dump:
 * 51 a9 df ...` over several lines, a private key's `priv:` as openssl prints it. */
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define BYTES_LEAST 8
#define BYTES_MOST  256
#define OPENS_MOST  48 /* between a name and its first number */
#define OTHERS_MOST 3  /* numbers in front of that: [u8; 32] */

/* ---- lists of numbers ---- */

static bool is_digit(const struct redact_scan *s, size_t at)
{
    return redact_in(redact_char(s, at), CLASS_DIGIT);
}

/* A number of one byte at `at`: behind it, and what it is. `at` where there is none. */
static size_t skip_number(struct redact_scan *s, size_t at, unsigned *ret)
{
    size_t from = at + (redact_at(s, at, "(byte)") ? 6 : 0);
    from += redact_at(s, from, " ");
    from += redact_char(s, from) == '-' && is_digit(s, from + 1);
    bool hex = redact_at(s, from, "0x");
    from += hex ? 2 : 0;
    size_t to = redact_run(s, from, hex ? CLASS_HEX : CLASS_DIGIT);
    if (to == from || to - from > (hex ? 2 : 3))
        return at;
    *ret = 0;
    for (size_t i = from; i < to; i++) {
        char c = s->text[i];
        unsigned digit = is_digit(s, i) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
        *ret = *ret * (hex ? 16 : 10) + digit;
    }
    return *ret <= 255 ? to : at;
}

/* Where the next number begins: behind a comma, blanks, or a dash on the next line. */
static size_t skip_between(struct redact_scan *s, size_t at)
{
    size_t next = redact_run(s, at, CLASS_SPACE);
    if (redact_char(s, next) == ',')
        return redact_run(s, next + 1, CLASS_SPACE);
    return redact_at(s, next, "- ") && is_digit(s, next + 2) ? next + 2 : next;
}

/* Whether nothing but a sign, a type and signs of a list is in [at, to). */
static bool is_way(const struct redact_scan *s, size_t at, size_t to)
{
    bool sign = false;
    for (; at < to; at++) {
        char c = s->text[at];
        sign = sign || c == ':' || c == '=';
        if (!redact_in(c, CLASS_ALNUM | CLASS_SPACE | CLASS_COLON | CLASS_DOT | CLASS_DOUBLE |
                              CLASS_SINGLE) &&
            !REDACT_ONE_OF(c, "=[]{}();&<>*!"))
            return false;
    }
    return sign;
}

/* Where the first number of a list is, behind the name and its sign; 0 for none. */
static size_t first_of(struct redact_scan *s, size_t end)
{
    size_t most = s->len - end < OPENS_MOST ? s->len : end + OPENS_MOST;
    for (size_t at = end, i = 0; i < OTHERS_MOST; i++) {
        size_t digit = redact_next_digit(s, at, most), open = digit;
        if (digit == most)
            return 0; /* most */
        open -= redact_at(s, open - 1, "-") ? 1 : redact_at(s, open - 6, "(byte)") ? 6 : 0;
        size_t from = open;
        while (open > end && redact_in(s->text[open - 1], CLASS_SPACE))
            open--;
        unsigned number;
        bool item = open < from && s->text[open - 1] == '-';
        if (open > end && (item || REDACT_ONE_OF(s->text[open - 1], "[{("))) {
            size_t to = skip_number(s, from, &number), next = skip_between(s, to);
            if (to > from && next > to && skip_number(s, next, &number) > next &&
                is_way(s, end, open - 1))
                return from;
        }
        at = redact_run(s, digit, CLASS_DIGIT);
    }
    return 0;
}

/* Numbers in no order. */
static bool is_list(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    size_t at = first_of(s, end), from = at;
    unsigned number, before = 0, count = 0, falls = 0, rises = 0;
    if (!at)
        return false;
    for (size_t to; count < BYTES_MOST && (to = skip_number(s, at, &number)) > at; count++) {
        falls += count && number < before;
        rises += count && number > before;
        before = number;
        *ret = (struct redact_match){from, to, "value"};
        at = skip_between(s, to);
    }
    return count >= BYTES_LEAST && falls >= 2 && rises >= 2 &&
           !redact_in(redact_char(s, at), CLASS_DOT);
}

/* ---- lines of hexadecimal ---- */

/* Behind pairs of digits that a blank or a colon parts. */
static size_t skip_pairs(const struct redact_scan *s, size_t at, size_t *ret_count)
{
    size_t to = at;
    while (redact_in(redact_char(s, at), CLASS_HEX) &&
           redact_in(redact_char(s, at + 1), CLASS_HEX) &&
           !redact_in(redact_char(s, at + 2), CLASS_WORD)) {
        to = at + 2;
        ++*ret_count;
        at = to + REDACT_ONE_OF(redact_char(s, to), " :");
    }
    return to;
}

static bool is_dump(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    size_t sign = redact_behind(s, end)->to, count = 0;
    sign += redact_char(s, sign) == ':';
    size_t from = redact_run(s, sign, CLASS_SPACE), at = from, lines = 0;
    if (from == end || !redact_in(redact_char(s, from), CLASS_HEX))
        return false;
    for (size_t to; lines < BYTES_LEAST * 8 && (to = skip_pairs(s, at, &count)) > at; lines++) {
        *ret = (struct redact_match){from, to, "value"};
        size_t line = redact_run(s, to, CLASS_BLANK | CLASS_COLON);
        if (redact_char(s, line) != '\n' || !redact_in(redact_char(s, line + 1), CLASS_BLANK))
            break;
        at = redact_run(s, line + 1, CLASS_BLANK);
    }
    return count >= BYTES_LEAST;
}

/* `MK dump`, and what openssl calls what of a key is private. */
static bool is_part(const struct redact_scan *s, size_t at, size_t end)
{
    static const char *const names[] = {"priv",      "privateExponent", "prime1",     "prime2",
                                        "exponent1", "exponent2",       "coefficient"};
    if (end - at == 4 && redact_at(s, at, "dump"))
        return (at >= 3 && redact_at(s, at - 3, "MK ")) ||
               (at >= 4 && redact_at(s, at - 4, "key "));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (end - at == strlen(names[i]) && redact_at(s, at, names[i]))
            return true;
    return false;
}

bool redact_bytes(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    const struct redact_behind *b = redact_behind(s, end);
    if (b->next == ':' && redact_may_be_digits(s, at, end) && is_part(s, at, end))
        return is_dump(s, end, ret_match);
    if (!redact_in(b->next, CLASS_DOUBLE | CLASS_SINGLE | CLASS_COLON) &&
        !REDACT_ONE_OF(b->sign, ":=["))
        return false;
    if ((s->text[end - 1] | 0x20) == 's')
        return false; /* tokens are counted */
    if (is_list(s, end, ret_match))
        return redact_tells_of_phrase(s, at, end) != TELLS_NOTHING;
    return b->next == ':' && redact_tells_of_phrase(s, at, end) > TELLS_LONG &&
           is_dump(s, end, ret_match);
}
