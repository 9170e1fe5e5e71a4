/* How much what a word is made of says: whether it is a secret without regard to where it stands.
 */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/rules.h"

/* sha256, utf-8, x509: what programs name their ways by. */
static bool is_way(const struct redact_scan *s, size_t from, size_t to)
{
    static const struct redact_word ways[32][REDACT_OF_LETTER] = {
        ['a' & 31] = {REDACT_WORD("aes"), REDACT_WORD("argon")},
        ['b' & 31] = {REDACT_WORD("base"), REDACT_WORD("b"), REDACT_WORD("blake")},
        ['c' & 31] = {REDACT_WORD("chacha")},
        ['e' & 31] = {REDACT_WORD("es"), REDACT_WORD("ed"), REDACT_WORD("ecdsa")},
        ['h' & 31] = {REDACT_WORD("hs"), REDACT_WORD("http"), REDACT_WORD("hmac")},
        ['i' & 31] = {REDACT_WORD("ipv"), REDACT_WORD("iso"), REDACT_WORD("int")},
        ['k' & 31] = {REDACT_WORD("k")},
        ['l' & 31] = {REDACT_WORD("latin")},
        ['m' & 31] = {REDACT_WORD("md")},
        ['n' & 31] = {REDACT_WORD("ntlm")},
        ['o' & 31] = {REDACT_WORD("oauth")},
        ['p' & 31] = {REDACT_WORD("ps"), REDACT_WORD("pkcs"), REDACT_WORD("p"),
                      REDACT_WORD("pbkdf")},
        ['r' & 31] = {REDACT_WORD("rs")},
        ['s' & 31] = {REDACT_WORD("sha"), REDACT_WORD("ssl"), REDACT_WORD("secp"),
                      REDACT_WORD("s")},
        ['t' & 31] = {REDACT_WORD("tls")},
        ['u' & 31] = {REDACT_WORD("utf"), REDACT_WORD("uint")},
        ['v' & 31] = {REDACT_WORD("v")},
        ['w' & 31] = {REDACT_WORD("win")},
        ['x' & 31] = {REDACT_WORD("x")},
    };
    size_t letters = from, number;
    if (to - from > 24)
        return false;
    while (letters < to && redact_in(s->text[letters], CLASS_UPPER | CLASS_LOWER))
        letters++;
    number = letters + (letters < to && REDACT_ONE_OF(s->text[letters], "-_"));
    size_t end = number;
    while (end < to && redact_in(s->text[end], CLASS_DIGIT))
        end++;
    if (end == number || end - number > 4 || (end < to && !REDACT_ONE_OF(s->text[end], "-_./+")))
        return false;
    return letters > from && redact_is_word_of(ways, s->text + from, letters - from);
}

/* What is counted of the characters, eight bits for each. */
enum { DIGITS, UPPER, LOWER, HEX, DOTS, SLASHES, DASHES, OTHERS, COUNTS };
#define ONE(what)  (UINT64_C(1) << 8 * (what))
#define COUNT_MOST 255 /* at once */

/* Of each; nothing is counted of what no secret has. */
static const uint64_t counted[256] = {
    ['0' ... '9'] = ONE(DIGITS) | ONE(HEX),
    ['A' ... 'F'] = ONE(UPPER) | ONE(HEX),
    ['G' ... 'Z'] = ONE(UPPER),
    ['a' ... 'f'] = ONE(LOWER) | ONE(HEX),
    ['g' ... 'z'] = ONE(LOWER),
    ['.'] = ONE(DOTS),
    [':'] = ONE(DOTS),
    ['/'] = ONE(SLASHES),
    ['\\'] = ONE(SLASHES),
    ['-'] = ONE(DASHES),
    ['_'] = ONE(DASHES),
    ['!'] = ONE(OTHERS),
    ['#'] = ONE(OTHERS),
    ['$'] = ONE(OTHERS),
    ['%'] = ONE(OTHERS),
    ['^'] = ONE(OTHERS),
    ['*'] = ONE(OTHERS),
    ['@'] = ONE(OTHERS),
    ['+'] = ONE(OTHERS),
    ['~'] = ONE(OTHERS),
    ['?'] = ONE(OTHERS),
    ['&'] = ONE(OTHERS),
    ['='] = ONE(OTHERS),
    /* letters of other alphabets, as UTF-8 has them; not what it has of signs, 0xc2 and 0xe2 */
    [0x80 ... 0xbf] = ONE(LOWER),
    [0xc3 ... 0xdf] = ONE(LOWER),
    [0xe0 ... 0xe1] = ONE(LOWER),
    [0xe3 ... 0xed] = ONE(LOWER),
};

struct made {
    size_t n[COUNTS];
    size_t groups;  /* of digits */
    size_t changes; /* from one kind of character to another, but of a capital to a small letter */
};

/* False where it has a character that no secret has. */
static bool count(const char *text, size_t len, struct made *ret)
{
    enum { GROUP = 1 << 16 };
    static const uint32_t steps[8][8] = {
        [0][CLASS_DIGIT] = GROUP,
        [CLASS_UPPER][CLASS_DIGIT] = GROUP + 1,
        [CLASS_LOWER][CLASS_DIGIT] = GROUP + 1,
        [CLASS_DIGIT] = {[CLASS_UPPER] = 1, [CLASS_LOWER] = 1},
        [CLASS_LOWER][CLASS_UPPER] = 1,
    };
    *ret = (struct made){0};
    unsigned before = 0;
    for (size_t at = 0; at < len;) {
        size_t most = len - at > COUNT_MOST ? at + COUNT_MOST : len;
        uint64_t sum = 0;
        uint32_t taken = 0;
        for (; at < most; at++) {
            uint64_t one = counted[(unsigned char)text[at]];
            unsigned kind = redact_class(text[at]) & (CLASS_DIGIT | CLASS_UPPER | CLASS_LOWER);
            if (!one)
                return false;
            sum += one;
            taken += steps[before][kind];
            before = kind;
        }
        for (int i = 0; i < COUNTS; i++)
            ret->n[i] += sum >> 8 * i & COUNT_MOST;
        ret->groups += taken / GROUP;
        ret->changes += taken % GROUP;
    }
    return true;
}

static enum redact_strength strength_of(struct redact_scan *s, struct redact_reached *t)
{
    struct made m;
    const char *text = s->text + t->from;
    size_t len = t->to - t->from;
    if (t->to < t->from + 6 || !count(text, len, &m))
        return REDACT_WEAK;
    size_t digits = m.n[DIGITS], upper = m.n[UPPER], lower = m.n[LOWER], letters = upper + lower;
    size_t dots = m.n[DOTS], slashes = m.n[SLASHES], others = m.n[OTHERS];
    t->hex = m.n[HEX] + m.n[DASHES] == len && !(upper && lower);
    if (!digits || letters < 2 || is_way(s, t->from, t->to) ||
        (slashes > 1 && redact_is_path(s, t->from, t->to)) ||
        redact_is_placeholder(s, t->from, t->to) ||
        (dots && slashes > 1 && memmem(text, len, "://", 3)))
        return REDACT_WEAK;
    bool password = upper && lower && digits >= 2 && dots <= 2 && len < 32 && !slashes;
    if (dots && redact_is_version(s, t->from, t->to))
        return REDACT_WEAK;
    if (dots && !others && dots * 12 > len)
        return password ? REDACT_SHORT_WORD : REDACT_WEAK; /* a host, a version, a time */
    if (slashes > 1 && m.changes * 5 < len)
        return REDACT_WEAK; /* a path */
    if (len >= 16 && digits >= 2 && (digits + letters) * 4 >= len * 3 && m.changes * 6 >= len &&
        m.groups >= 2)
        return REDACT_RANDOM;
    if (slashes && slashes * 10 > len)
        return REDACT_WEAK;
    if (len >= 8 && ((upper && lower && (m.changes >= 3 || (others && digits >= 2))) ||
                     (m.groups >= 2 && m.changes >= 4) || (others && digits >= 2 && letters >= 3)))
        return REDACT_MIXED;
    return REDACT_SHORT_WORD;
}

enum redact_strength redact_strength(struct redact_scan *s, struct redact_reached *t)
{
    struct redact_counted *c = &s->counted;
    if (c->from != t->from || c->to != t->to) {
        int strength = strength_of(s, t);
        *c = (struct redact_counted){t->from, t->to, t->hex, strength};
    }
    t->hex = c->hex;
    return (enum redact_strength)c->strength;
}
