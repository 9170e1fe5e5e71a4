/* Secrets in files of daemons and devices that a word tells of with what is around it: a key in a
 * block of RADIUS, a community of SNMP, a key's file in ipsec.secrets, the line above
 * google-authenticator's options, what a server of RADIUS logs, hashes that were dumped. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LEAST        4   /* bytes of a value */
#define BLOCK_MOST   300 /* bytes in front in which a block's heading stands */
#define OPTIONS_MOST 200 /* of google-authenticator's */
#define BASE32_LEAST 16
#define ROW_MOST     400 /* bytes of a table's row */
#define HASH         32  /* digits of one of Windows' */

static bool take(const struct redact_scan *s, size_t from, size_t to,
                 struct redact_match *ret_match)
{
    return redact_take_word(s, from, to, LEAST, ret_match);
}

/* Whether it stands in front, not far. */
static bool is_below(const struct redact_scan *s, size_t at, const char *heading)
{
    size_t back = at > BLOCK_MOST ? at - BLOCK_MOST : 0;
    return memmem(s->text + back, at - back, heading, strlen(heading)) != NULL;
}

/* Nothing but blanks, and a diff's sign, is in front of it. */
static bool is_first(struct redact_scan *s, size_t at)
{
    size_t start = redact_line_start(s, at, 40);
    start += REDACT_ONE_OF(redact_char(s, start), "+-");
    return redact_run(s, start, CLASS_BLANK) == at;
}

/* The word behind `end`, alone on its line but for a `;` or `{`. */
static bool read_last(struct redact_scan *s, size_t end, struct redact_reached *ret)
{
    size_t from = redact_behind(s, end)->to, to = redact_run(s, from, ~(uint32_t)CLASS_SPACE);
    size_t line = redact_line_end(s, to), behind = redact_run(s, to, CLASS_BLANK);
    behind += redact_char(s, behind) == '{';
    if (from == end || behind < line - (line > to && s->text[line - 1] == '\r'))
        return false;
    to -= to > from && s->text[to - 1] == ';';
    *ret = (struct redact_reached){.from = from, .to = to};
    return to >= from + 6 && redact_strength(s, ret) >= REDACT_SHORT_WORD;
}

/* ` key X` in the block of a server of RADIUS or TACACS. */
static bool is_server_key(struct redact_scan *s, size_t at, size_t end,
                          struct redact_match *ret_match)
{
    struct redact_reached word;
    return at && s->text[at - 1] == ' ' && is_first(s, at) && read_last(s, end, &word) &&
           (is_below(s, at, "radius") || is_below(s, at, "tacacs")) &&
           take(s, word.from, word.to, ret_match);
}

/* SQLite's `ATTACH 'file' AS e KEY 'X'`. */
static bool is_attached(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    return redact_read_value(s, redact_behind(s, end)->to, false, &v) &&
           take(s, v.from, v.to, ret_match);
}

/* tac_plus' `key = "X"`. */
static bool is_tacacs_key(struct redact_scan *s, size_t at, size_t end,
                          struct redact_match *ret_match)
{
    struct redact_value v;
    size_t sign = redact_behind(s, end)->to, value = redact_run(s, sign + 1, CLASS_BLANK);
    return is_first(s, at) && (is_below(s, at, "tac_plus") || is_below(s, at, "tacacs")) &&
           redact_read_value(s, value, false, &v) && take(s, v.from, v.to, ret_match);
}

/* `community X;` below `snmp {`. */
static bool is_community(struct redact_scan *s, size_t at, size_t end,
                         struct redact_match *ret_match)
{
    struct redact_reached word;
    return is_first(s, at) && read_last(s, end, &word) && is_below(s, at, "snmp") &&
           take(s, word.from, word.to, ret_match);
}

/* ipsec.secrets' `: RSA gw.pem "X"`. */
static bool is_key_file(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match)
{
    size_t file = redact_behind(s, end)->to, to = redact_run(s, file, ~(uint32_t)CLASS_SPACE);
    size_t value = redact_run(s, to, CLASS_BLANK);
    struct redact_value v;
    return at >= 2 && redact_at(s, at - 2, ": ") &&
           (at == 2 || redact_in(s->text[at - 3], CLASS_SPACE)) && file > end && value > to &&
           redact_char(s, value) == '"' && redact_read_value(s, value, true, &v) &&
           redact_char(s, v.end) == '\n' && take(s, v.from, v.to, ret_match);
}

/* What base32 is in the line above the options, which begin with `" `. */
static bool is_authenticator(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t line = at < 2 ? 0 : at - 2, least = at > OPTIONS_MOST ? at - OPTIONS_MOST : 0;
    if (at < 2 || !redact_at(s, line, "\" "))
        return false;
    while (line > least && redact_at(s, line, "\" "))
        line = redact_line_start(s, line - 1, OPTIONS_MOST);
    size_t to = redact_run(s, line, CLASS_UPPER | CLASS_DIGIT);
    return to >= line + BASE32_LEAST && redact_char(s, to) == '\n' && take(s, line, to, ret_match);
}

/* `Login OK: [user/X] (from client`, as a server of RADIUS logs it. */
static bool is_login(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    if (!redact_at(s, end, " OK") && !redact_at(s, end, " incorrect"))
        return false;
    size_t line = redact_line_end(s, end);
    line = line - end > BLOCK_MOST ? end + BLOCK_MOST : line;
    const char *open = memmem(s->text + end, line - end, ": [", 3);
    const char *close = open ? memmem(open, (size_t)(s->text + line - open), "] (from ", 8) : NULL;
    const char *slash = close ? memchr(open, '/', (size_t)(close - open)) : NULL;
    return slash && take(s, (size_t)(slash - s->text) + 1, (size_t)(close - s->text), ret_match);
}

/* `HASH:X` where a line begins, as hashcat tells above what it says of itself. */
static bool is_cracked(struct redact_scan *s, size_t at, size_t colon,
                       struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, colon),
           most = s->len - line < BLOCK_MOST ? s->len : line + BLOCK_MOST;
    bool says = memmem(s->text + line, most - line, "hashcat", 7) != NULL;
    return says && colon + 1 + 4 <= line && take(s, at, line, ret_match);
}

/* `| admin | HASH (X) |`, as sqlmap tells what it found a hash to be: both. */
bool redact_beside_hash(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, at), most = line - at > ROW_MOST ? at + ROW_MOST : line;
    for (const char *open; (open = memmem(s->text + at, most - at, " (", 2)) != NULL;) {
        size_t to = (size_t)(open - s->text), from = to;
        while (from > at && redact_in(s->text[from - 1], CLASS_HEX))
            from--;
        size_t close = redact_run(s, to + 2, ~(uint32_t)CLASS_SPACE) - 1;
        struct redact_reached v = {.from = to + 2, .to = close};
        if (to - from >= HASH && s->text[from - 1] == ' ' && redact_at(s, close, ") ") &&
            close > to + 2 &&
            (redact_strength(s, &v) > REDACT_WEAK || redact_has_sign(s, v.from, close)))
            return take(s, from, close, ret_match);
        at = to + 2;
    }
    return false;
}

/* Hashes as tools of pentesters print them, where a line begins: `bob:1104:LM:NT:::`, and keys of
 * Kerberos, `bob:aes256-cts-hmac-sha1-96:X`. */
bool redact_dumped(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    static const char *const kinds[] = {"aes256-cts-hmac-sha1-96:", "aes128-cts-hmac-sha1-96:",
                                        "des-cbc-md5:", "rc4_hmac:", "plain_password_hex:"};
    size_t user = redact_run(s, at, CLASS_NAME | CLASS_BACKSLASH);
    user += redact_char(s, user) == '$';
    if (user == at || redact_char(s, user) != ':')
        return false; /* most */
    if (user - at >= HASH && redact_run(s, at, CLASS_HEX) == user)
        return is_cracked(s, at, user, ret_match);
    size_t id = redact_run(s, user + 1, CLASS_DIGIT), lm = id + 1, nt = lm + HASH + 1;
    if (id > user + 1 && redact_at(s, nt + HASH, ":[") && redact_run(s, nt, CLASS_HEX) == nt + HASH)
        return take(s, redact_at(s, lm, "XXXX") ? nt : lm, nt + HASH, ret_match); /* Samba's */
    if (id > user + 1)
        return redact_char(s, id) == ':' && redact_char(s, nt - 1) == ':' &&
               (redact_run(s, lm, CLASS_HEX) == nt - 1 || redact_at(s, lm, "XXXXXXXX")) &&
               redact_run(s, nt, CLASS_HEX) == nt + HASH &&
               (redact_at(s, nt + HASH, "::") || redact_at(s, nt + HASH, ":[")) &&
               take(s, s->text[lm] == 'X' ? nt : lm, nt + HASH, ret_match);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t from = user + 1 + strlen(kinds[i]);
        if (redact_at(s, user + 1, kinds[i]))
            return take(s, from, redact_run(s, from, CLASS_HEX), ret_match);
    }
    return false;
}

/* `AUTH PLAIN`, and below the server's empty challenge what answers it: `334`, POP's and IMAP's
 * `+`. */
static bool is_challenged(struct redact_scan *s, size_t at, size_t end,
                          struct redact_match *ret_match)
{
    bool auth = at >= 5 && redact_at(s, at - 5, "AUTH ");
    if (!(auth || (at >= 13 && redact_at(s, at - 13, "AUTHENTICATE "))) || end >= s->len ||
        redact_char(s, end) != '\n')
        return false;
    size_t sign = redact_run(s, end + 1, CLASS_DIGIT | CLASS_BASE64), line;
    if (!redact_at(s, end + 1, "334") && redact_char(s, end + 1) != '+')
        return false;
    line = redact_run(s, sign, CLASS_BLANK);
    line += redact_char(s, line) == '\r';
    size_t from = line + 1, to = redact_run(s, from, CLASS_ALNUM | CLASS_BASE64);
    *ret_match = (struct redact_match){from, to, "value"};
    return redact_char(s, line) == '\n' && to >= from + 8 && (to - from) % 4 == 0 &&
           REDACT_ONE_OF(redact_char(s, to), "\r\n");
}

bool redact_daemon(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (redact_device(s, at, end, ret_match))
        return true;
    switch (end - at) {
    case 3:
        if (redact_at(s, at, "key") && redact_behind(s, end)->sign == '=')
            return is_tacacs_key(s, at, end, ret_match);
        if (redact_at(s, at, "key") &&
            redact_in(redact_behind(s, end)->sign, CLASS_DOUBLE | CLASS_SINGLE))
            return redact_is_pragma(s, at) && is_attached(s, end, ret_match);
        if (redact_at(s, at, "key"))
            return is_server_key(s, at, end, ret_match);
        return (redact_at(s, at, "RSA") || redact_at(s, at, "P12")) &&
               is_key_file(s, at, end, ret_match);
    case 7:
        return redact_at(s, at, "XOAUTH2") && is_challenged(s, at, end, ret_match);
    case 5:
        if (redact_at(s, at, "Login"))
            return is_login(s, end, ret_match);
        if (redact_at(s, at, "PLAIN"))
            return is_challenged(s, at, end, ret_match);
        return redact_at(s, at, "ECDSA") && is_key_file(s, at, end, ret_match);
    case 9:
        if (redact_at(s, at, "TOTP_AUTH"))
            return is_authenticator(s, at, ret_match);
        return redact_at(s, at, "community") && is_community(s, at, end, ret_match);
    default:
        return false;
    }
}
