/* Secrets by their forms that no row of a table can say: hashes of passwords as crypt(3), hashcat
 * and john know them, MySQL's hashes, the bytes of a key pair, keys of products, and marks of
 * issuers that no table knows. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/forms.h"

#define HASH_MOST   200 /* bytes of one of crypt(3)'s */
#define PLAIN_MOST  64  /* of what one was found to be, behind it */
#define PAIR_BYTES  64  /* of a key pair of ed25519 */
#define SANITY      80  /* letters and digits of one of their tokens at least, */
#define SANITY_MOST 200
#define MARK_MOST   16 /* in front of what is random */
#define MARKED_BODY 32
#define MARKED_MOST 300
#define STAR        41 /* a star and SHA-1 */
#define OKTA        42 /* all of one of their tokens, */
#define NGROK       49 /* and of theirs, */
#define NGROK_TIME  27 /* and of its first part */
#define VAULT       26 /* all of one of Vault's before 1.10, */
#define PAGERDUTY   20 /* and of a user's of PagerDuty's */
/* What is in front of the colon of keys in two halves. */
#define ABLY      13
#define GHOST     24
#define S3FS      20
#define UUID      36
#define BITWARDEN 69

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

static bool is_lot(const struct redact_scan *s, size_t from, size_t to, size_t least);

/* `s.` or `u+`, and as many letters and digits as all of theirs have. */
static bool is_short_marked(struct redact_scan *s, size_t at, size_t len, uint32_t set,
                            const char *type, struct redact_match *ret_match)
{
    size_t end = redact_run(s, at + 2, set);
    struct redact_reached body = {.from = at + 2, .to = end};
    *ret_match = (struct redact_match){at, end, type};
    return end == at + len && redact_starts_word(s, at) &&
           (set == CLASS_ALNUM ? is_lot(s, at + 2, end, 2)
                               : redact_strength(s, &body) >= REDACT_MIXED) &&
           !redact_in(redact_char(s, end), CLASS_WORD) &&
           !REDACT_ONE_OF(redact_char(s, redact_run(s, end, CLASS_BLANK)), "([{=.");
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

/* A key of Kerberos behind its kind, as `klist -K` and kadmin show it: `(aes256-cts) (0xf9...)`. */
static bool is_keytab(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t from = at + 3, to = redact_run(s, from, CLASS_HEX), kind = at;
    while (kind && s->text[kind - 1] == ' ')
        kind--;
    *ret_match = (struct redact_match){from, to, "kerberos-key"};
    return kind && kind < at && s->text[kind - 1] == ')' && redact_char(s, to) == ')' &&
           (to - from == 32 || to - from == 48 || to - from == 64);
}

/* `bob:{PLAIN}X`: dovecot's, LDAP's and Spring's way to say that a password is kept as it is. */
static bool is_kept_plain(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    char before = at ? s->text[at - 1] : '\n';
    size_t from = redact_run(s, at + 1, CLASS_NAME) + 1;
    uint32_t out =
        CLASS_SPACE | CLASS_COLON | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK | CLASS_LESS;
    size_t to = redact_run(s, from, CLASS_ALL & ~out);
    bool quoted = REDACT_ONE_OF(before, "\"'"), noop = s->text[at + 1] == 'n';
    bool set = before == ' ' ? at > 1 && REDACT_ONE_OF(s->text[at - 2], ":=")
                             : REDACT_ONE_OF(before, ":=\n\t") || (quoted && noop);
    *ret_match = (struct redact_match){from, to, "value"};
    return set && redact_char(s, from - 1) == '}' && to >= from + 4 && to - from <= PLAIN_MOST &&
           !redact_is_placeholder(s, from, to) && !REDACT_ONE_OF(s->text[from], "{<$[(,");
}

bool redact_form(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    switch (s->text[at]) {
    case '(':
        return is_keytab(s, at, ret_match);
    case '{':
        return is_kept_plain(s, at, ret_match);
    case '$':
        return strchr(seconds, s->text[at + 1]) && s->text[at + 1] &&
               (is_crypt(s, at, ret_match) || is_tried(s, at, ret_match));
    case '*':
        return is_star(s, at, ret_match);
    case 's':
        return s->text[at + 1] == '.'
                   ? is_short_marked(s, at, VAULT, CLASS_ALNUM, "vault-token", ret_match)
                   : is_sanity(s, at, ret_match);
    case 'u':
        return is_short_marked(s, at, PAGERDUTY, CLASS_WORD, "pagerduty-key", ret_match);
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
    static const char *const kept[] = {"{PLAIN}", "{CLEAR}", "{CLEARTEXT}", "{cleartext}",
                                       "{noop}"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        begin(kept[i], strlen(kept[i]), false);
    begin("(0x", 3, true);
    for (const char *first = hex; *first; first++)
        for (const char *second = hex; *second; second++)
            begin((char[]){'*', *first, *second}, 3, true);
    for (const char *third = word; *third; third++) {
        begin((char[]){'s', 'k', *third}, 3, false);
        begin((char[]){'s', '.', *third}, 3, false);
        begin((char[]){'u', '+', *third}, 3, false);
    }
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

/* Whether it is in no order that a word has, whatever signs are in it: its kinds of characters
 * change as often as those of a lot do, and capitals stand in several places, digits in `least`. */
static bool is_lot(const struct redact_scan *s, size_t from, size_t to, size_t least)
{
    size_t capitals = 0, lower = 0, digits = 0, changes = 0;
    uint32_t before = 0;
    for (size_t i = from; i < to; i++) {
        uint32_t kind = redact_class(s->text[i]) & (CLASS_DIGIT | CLASS_UPPER | CLASS_LOWER);
        capitals += kind == CLASS_UPPER && before != CLASS_UPPER;
        digits += kind == CLASS_DIGIT && before != CLASS_DIGIT;
        lower += kind == CLASS_LOWER;
        changes +=
            kind && before && kind != before && !(before == CLASS_UPPER && kind == CLASS_LOWER);
        before = kind;
    }
    return capitals >= 3 && lower >= 4 && digits >= least && changes * 4 >= to - from;
}

/* `acme_` or `acme-sk-v1-`: behind the marks; `at` where there are none. */
static size_t skip_marks(struct redact_scan *s, size_t at, size_t end)
{
    size_t mark = redact_run(s, at, CLASS_LOWER), body = at;
    while (mark > body + 1 && mark < end && mark - at < MARK_MOST &&
           redact_in(s->text[mark], CLASS_UNDER | CLASS_DASH)) {
        body = mark + 1;
        mark = redact_run(s, body, CLASS_LOWER);
        while (mark < end && redact_in(s->text[mark], CLASS_DIGIT) && mark < body + 3)
            mark++; /* v1 */
    }
    return body;
}

/* Okta's: two zeros and forty more. */
static bool is_okta(const struct redact_scan *s, size_t at, size_t end,
                    struct redact_match *ret_match)
{
    *ret_match = (struct redact_match){at, end, "okta-token"};
    return end - at == OKTA && s->text[at + 1] == '0' && is_lot(s, at + 2, end, 2);
}

/* ngrok's: its time and its secret, a line between them. */
static bool is_ngrok(const struct redact_scan *s, size_t at, size_t end,
                     struct redact_match *ret_match)
{
    *ret_match = (struct redact_match){at, end, "ngrok-token"};
    return end - at == NGROK && s->text[at + NGROK_TIME] == '_' &&
           is_lot(s, at, at + NGROK_TIME, 2) && is_lot(s, at + NGROK_TIME + 1, end, 2);
}

bool redact_marked(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (redact_in(s->text[at], CLASS_DIGIT))
        return s->text[at] == '0' ? is_okta(s, at, end, ret_match)
                                  : is_ngrok(s, at, end, ret_match);
    if (end - at > MARKED_MOST || !redact_in(s->text[at], CLASS_LOWER) || redact_at(s, at, "pk_") ||
        redact_at(s, at, "phc_") || redact_at(s, at, "pub") || redact_at(s, at, "sha"))
        return false; /* most; and what everybody may see */
    if (at && s->text[at - 1] == '#')
        return false; /* a place in a page */
    size_t body = skip_marks(s, at, end);
    if (body < at + 3 || end < body + MARKED_BODY || !is_lot(s, body, end, 2) ||
        redact_is_placeholder(s, body, end))
        return false;
    *ret_match = (struct redact_match){at, end, "marked-key"};
    return true;
}

/* ---- two halves ---- */

/* What stands behind the colon at `colon`: `len` characters of `set`, and no more. */
static bool is_half(struct redact_scan *s, size_t at, size_t colon, uint32_t set, size_t len,
                    const char *type, struct redact_match *ret_match)
{
    size_t to = colon + 1 + len;
    *ret_match = (struct redact_match){at, to, type};
    return redact_run(s, colon + 1, set) == to && redact_has_digit(s, colon + 1, to) &&
           !redact_in(redact_char(s, to), CLASS_ALNUM);
}

bool redact_halves(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    const uint32_t hex = CLASS_DIGIT | CLASS_HEX_LOWER;
    switch (end - at) {
    case ABLY:
        return s->text[at + 6] == '.' && redact_run(s, at, CLASS_ALNUM) == at + 6 &&
               redact_run(s, at + 7, CLASS_WORD) == end &&
               is_half(s, at, end, CLASS_WORD, 43, "ably-key", ret_match);
    case S3FS: /* what s3fs reads from its file, of whatever cloud */
        *ret_match = (struct redact_match){end + 1, end + 41, "value"};
        return (at == 0 || s->text[at - 1] == '\n') &&
               redact_run(s, at, CLASS_UPPER | CLASS_DIGIT) == end &&
               redact_run(s, end + 1, CLASS_ALNUM | CLASS_BASE64) == end + 41 &&
               redact_line_end(s, end) == end + 41 && redact_has_digit(s, end + 1, end + 41);
    case GHOST:
        return redact_run(s, at, hex) == end &&
               is_half(s, at, end, hex, 64, "ghost-key", ret_match);
    case UUID:
        return redact_run(s, at, hex | CLASS_DASH) == end &&
               is_half(s, at, end, hex, 32, "fal-key", ret_match);
    case BITWARDEN:
        return redact_at(s, at, "0.") && s->text[at + 2 + UUID] == '.' &&
               is_half(s, at, end, CLASS_ALNUM | CLASS_BASE64, 24, "bitwarden-token", ret_match);
    default:
        return false;
    }
}
