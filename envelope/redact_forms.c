/* Secrets by their forms that no row of a table can say: hashes of passwords as crypt(3), hashcat
 * and john know them, MySQL's hashes, the bytes of a key pair, keys of products, and marks of
 * issuers that no table knows. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact_forms.h"

#define HASH_MOST   200 /* bytes of one of crypt(3)'s */
#define PLAIN_MOST  64  /* of what one was found to be, behind it */
#define PAIR_BYTES  64  /* of a key pair of ed25519 */
#define SANITY      80  /* letters and digits of one of their tokens at least, */
#define SANITY_MOST 200
#define MARK_MOST   16 /* in front of what is random */
#define MARKED_BODY 32
#define MARKED_MOST 300
#define STAR        41 /* a star and SHA-1 */

/* What a password's hash begins with, as crypt(3) and others write it: $6$salt$hash. */
static const char kinds[][8] = {"$1$", "$2a$", "$2b$",   "$2y$",    "$5$",  "$6$",
                                "$y$", "$7$",  "$apr1$", "$argon2", "$gy$", "$sha1$"};
/* And what tools that try passwords make of tickets, archives and wallets: up to a blank. */
static const char tried[][16] = {
    "$krb5tgs$",   "$krb5asrep$", "$krb5pa$",   "$DCC2$",     "$keepass$",       "$bitlocker$",
    "$office$",    "$oldoffice$", "$zip2$",     "$pkzip2$",   "$rar5$",          "$RAR3$",
    "$7z$",        "$sshng$",     "$gpg$",      "$ansible$",  "$ethereum$",      "$bitcoin$",
    "$electrum$",  "$mysqlna$",   "$pdf$",      "$dmg$",      "$itunes_backup$", "$keychain$",
    "$NETNTLMv2$", "$NETNTLM$",   "$axcrypt$",  "$telegram$", "$blockchain$",    "$metamask$",
    "$monero$",    "$vnc$",       "$sip$",      "$WPAPSK$",   "$luks$",          "$fvde$",
    "$scrypt$",    "$racf$",      "$postgres$", "$mscash$",   "$A$005$",         "$mozilla$"};
/* The second characters of both. */
static const char seconds[] = "12567ADNRWabdefgiklmoprstvyz";
#define KINDS (sizeof kinds / sizeof *kinds)
#define TRIED (sizeof tried / sizeof *tried)

/* Behind a hash what it was found to be, as hashcat tells: `HASH:correct horse`. Files of hashes
 * have numbers there, and more colons. */
static size_t with_plain(struct redact_scan *s, size_t end)
{
    size_t line = redact_line_end(s, end), from = end + 1;
    if (redact_char(s, end) != ':' || line - end > 2 * (size_t)PLAIN_MOST)
        return end; /* most */
    while (line > from && redact_in(s->text[line - 1], CLASS_SPACE))
        line--;
    if (line < from + 4 || line - from > PLAIN_MOST || memchr(s->text + from, ':', line - from) ||
        redact_is_number(s, from, line))
        return end;
    return line;
}

static bool is_crypt(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    for (size_t i = 0; i < KINDS; i++) {
        size_t end = at, dollars = 0, kind;
        if (kinds[i][1] != s->text[at + 1] || kinds[i][2] != s->text[at + 2])
            continue; /* most */
        kind = strlen(kinds[i]);
        if (s->len - at < kind || memcmp(s->text + at, kinds[i], kind) != 0)
            continue;
        while (end < s->len && end - at < HASH_MOST &&
               (redact_in(s->text[end], CLASS_NAME | CLASS_BASE64 | CLASS_SEPARATOR) ||
                s->text[end] == '$'))
            dollars += s->text[end++] == '$';
        if (end - at < 30 || dollars < 3)
            return false;
        *ret_match = (struct redact_match){at, with_plain(s, end), "password-hash"};
        return true;
    }
    return false;
}

static bool is_tried(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    for (size_t i = 0; i < TRIED; i++) {
        if (tried[i][1] != s->text[at + 1] || tried[i][2] != s->text[at + 2])
            continue; /* most */
        size_t kind = strlen(tried[i]), end;
        if (s->len - at < kind || memcmp(s->text + at, tried[i], kind) != 0)
            continue;
        end = redact_run(s, at,
                         CLASS_ALL & ~(uint32_t)(CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE |
                                                 CLASS_TICK | CLASS_LESS));
        size_t colon = end, least = end - at > PLAIN_MOST ? end - PLAIN_MOST : at + kind;
        while (colon > least && s->text[colon - 1] != ':')
            colon--;
        if (colon > least) /* a word of several that it was found to be */
            end = with_plain(s, colon - 1) > end ? with_plain(s, colon - 1) : end;
        *ret_match = (struct redact_match){at, end, "password-hash"};
        return end - at >= kind + 20 && redact_has_digit(s, at + kind, end);
    }
    return false;
}

/* MySQL's: a star, and forty hexadecimal digits. */
static bool is_star(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t end = redact_run(s, at + 1, CLASS_DIGIT | CLASS_HEX_UPPER);
    if (end != at + STAR || redact_in(redact_char(s, end), CLASS_WORD) ||
        (at && redact_in(s->text[at - 1], CLASS_WORD)) || !redact_has_digit(s, at, end))
        return false;
    *ret_match = (struct redact_match){at, end, "password-hash"};
    return true;
}

static bool is_sanity(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t end =
        at + SANITY < s->len && redact_starts_word(s, at) ? redact_run(s, at, CLASS_ALNUM) : at;
    if (end < at + SANITY || end > at + SANITY_MOST || !redact_has_digit(s, at, end) ||
        redact_in(redact_char(s, end), CLASS_BASE64 | CLASS_WORD) ||
        (at && redact_in(s->text[at - 1], CLASS_BASE64) && s->text[at - 1] != '=') ||
        redact_run(s, at, CLASS_LOWER | CLASS_DIGIT) == end)
        return false;
    *ret_match = (struct redact_match){at, end, "sanity-token"};
    return true;
}

/* A key pair as `solana-keygen` keeps it: so many numbers of a byte in brackets, half of them
 * large.
 */
static bool is_pair(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t from = at, count = 0, large = 0;
    if (from >= 2 && s->text[from - 1] == ',' && redact_in(s->text[from - 2], CLASS_DIGIT))
        from -= 2, count++; /* the first has one digit */
    if (!from || s->text[from - 1] != '[')
        return false;
    for (from = at; count <= PAIR_BYTES; from++) {
        size_t end = from, number = 0;
        while (end < s->len && end - from < 3 && redact_in(s->text[end], CLASS_DIGIT))
            number = number * 10 + (size_t)(s->text[end++] - '0');
        if (end == from || number > 255)
            return false;
        count++;
        large += number > 127;
        from = redact_run(s, end, CLASS_SPACE);
        if (redact_char(s, from) != ',')
            break;
        from = redact_run(s, from + 1, CLASS_SPACE) - 1;
    }
    if (count != PAIR_BYTES || redact_char(s, from) != ']' || large < 16 || large > 48)
        return false;
    *ret_match = (struct redact_match){at, from, "private-key"};
    return true;
}

bool redact_form(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    switch (s->text[at]) {
    case '$':
        return strchr(seconds, s->text[at + 1]) && s->text[at + 1] &&
               (is_crypt(s, at, ret_match) || is_tried(s, at, ret_match));
    case '*':
        return is_star(s, at, ret_match);
    case 's':
        return is_sanity(s, at, ret_match);
    default:
        return redact_in(s->text[at], CLASS_DIGIT) && at && is_pair(s, at, ret_match);
    }
}

void redact_form_begins(void (*begin)(const char *key, size_t len, bool inside))
{
    static const char hex[] = "0123456789ABCDEF",
                      word[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (size_t i = 0; i < KINDS; i++)
        begin(kinds[i], strlen(kinds[i]), true);
    for (size_t i = 0; i < TRIED; i++)
        begin(tried[i], strlen(tried[i]), true);
    for (const char *first = hex; *first; first++)
        for (const char *second = hex; *second; second++)
            begin((char[]){'*', *first, *second}, 3, true);
    for (const char *third = word; *third; third++)
        begin((char[]){'s', 'k', *third}, 3, false);
}

/* Five times five capitals and digits, both of them among these. */
bool redact_product(const struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t from = at - 5, end = from + 29, digits = 0;
    for (size_t i = from; i < end; i++) {
        if ((i - from) % 6 == 5 ? s->text[i] != '-'
                                : !redact_in(s->text[i], CLASS_UPPER | CLASS_DIGIT))
            return false;
        digits += redact_in(s->text[i], CLASS_DIGIT);
    }
    if ((from && redact_in(s->text[from - 1], CLASS_NAME)) ||
        redact_in(redact_char(s, end), CLASS_WORD) || digits < 2 || digits > 18)
        return false;
    *ret_match = (struct redact_match){from, end, "product-key"};
    return true;
}

bool redact_marked(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t mark = redact_run(s, at, CLASS_LOWER), body = mark;
    if (!at || s->text[at - 1] == '\n' || mark < at + 2 || mark - at > MARK_MOST ||
        end - at > MARKED_MOST || s->text[mark] != '_' || redact_at(s, at, "pk_") ||
        redact_at(s, at, "pub"))
        return false; /* most; and what everybody may see */
    while (body < end && body - at <= MARK_MOST && redact_in(s->text[body], CLASS_WORD)) {
        size_t to = redact_run(s, body + 1, CLASS_ALNUM);
        if (to == end)
            break;
        body = to;
    }
    if (body >= end || !redact_in(s->text[body], CLASS_UNDER | CLASS_DASH))
        return false;
    struct redact_reached v = {.from = ++body, .to = end};
    size_t upper = 0, lower = 0;
    if (body - at > MARK_MOST || end < body + MARKED_BODY ||
        redact_strength(s, &v) != REDACT_RANDOM)
        return false;
    for (size_t i = body; i < end; i++) {
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
    }
    *ret_match = (struct redact_match){at, end, "marked-key"};
    return upper >= 4 && lower >= 4 && !redact_is_placeholder(s, body, end);
}
