/* Secrets that files of their own form hold: .netrc, .pgpass, Redis' and LDAP's settings, SQL that
 * sets a password, and what is said to servers of mail and files. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define BACK_MOST   200
#define PGPASS_MOST 300 /* bytes in front of a line of .pgpass in which that is said */
#define PAPER_MOST  60  /* lines of a key on paper */
#define HALF        8   /* digits of the user of a registry that is no one's name */
#define BY_MOST     160 /* bytes between IDENTIFIED and its text */

static bool take(struct redact_scan *s, size_t from, struct redact_match *ret_match)
{
    struct redact_value v;
    if (!redact_read_value(s, from, true, &v) || redact_is_placeholder(s, v.from, v.to))
        return false;
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return true;
}

/* The names that files have for secrets, and which rule knows each. */
enum file_rules {
    DIRECTIVE = 1 << 0,
    NETRC = 1 << 1,
    IDENTIFIED = 1 << 2,
    SQL = 1 << 3,
    TOLD = 1 << 4,
    BIND = 1 << 5,
};

#define FILE_NAME_MOST 20
static const struct file_name {
    char name[FILE_NAME_MOST + 1];
    unsigned rules;
} file_names[FILE_NAME_MOST + 1][5] = {
    /* by how long they are */
    [6] = {{"secret", BIND}, {"passwd", NETRC}, {"rootpw", DIRECTIVE}, {"bindpw", DIRECTIVE}},
    [7] = {{"bind_pw", DIRECTIVE},
           {"authtok", DIRECTIVE},
           {"wpa-psk", DIRECTIVE},
           {"account", NETRC}},
    [8] = {{"password", NETRC | SQL | TOLD}, {"dbpasswd", DIRECTIVE}},
    [9] = {{"auth_pass", DIRECTIVE}, {"auth-pass", DIRECTIVE}},
    [10] = {{"passphrase", TOLD}, {"identified", IDENTIFIED}, {"masterauth", DIRECTIVE}},
    [11] = {{"requirepass", DIRECTIVE}, {"rocommunity", DIRECTIVE}, {"rwcommunity", DIRECTIVE}},
    [12] = {{"ppp-password", DIRECTIVE}},
    [13] = {{"smtp_password", DIRECTIVE}, {"sasl_password", DIRECTIVE}},
    [14] = {{"wpa-passphrase", DIRECTIVE}},
    [17] = {{"insecure-password", DIRECTIVE}},
    [18] = {{"sentinel_auth-pass", DIRECTIVE}},
    [19] = {{"ansible_become_pass", DIRECTIVE}},
    [20] = {{"ldap_default_authtok", DIRECTIVE}},
};

static unsigned rules_of(const struct redact_scan *s, size_t at, size_t end)
{
    if (end - at > FILE_NAME_MOST)
        return 0;
    const struct file_name *known = file_names[end - at];
    while (*known->name && !redact_at(s, at, known->name))
        known++;
    return known->rules;
}

/* Whether the name begins a text that is printed into a file: `echo 'requirepass X' >> FILE`, or a
 * line of such. */
static bool is_echoed(const struct redact_scan *s, size_t at)
{
    static const char before[][8] = {"echo ", "printf ", " -e ", " -n ", "<<< ", "<<<"};
    if (at < 6 || redact_at(s, at - 2, "\\n"))
        return at >= 6;
    if (!REDACT_ONE_OF(s->text[--at], "\"'"))
        return false;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        size_t len = strlen(before[i]);
        if (at >= len && redact_at(s, at - len, before[i]))
            return true;
    }
    return false;
}

/* `requirepass X` and others that are set by a blank, at the beginning of a line. */
static bool is_directive(struct redact_scan *s, size_t at, size_t end,
                         struct redact_match *ret_match)
{
    size_t value = redact_behind(s, end)->to;
    while (redact_at(s, value, "--")) { /* rootpw --plaintext X */
        size_t option = redact_run(s, value, CLASS_WORD);
        value = redact_run(s, option, CLASS_BLANK);
        if (value == option)
            return false;
    }
    value += redact_at(s, value, "ascii ") ? 6 : redact_at(s, value, "hex ") ? 4 : 0;
    value += redact_at(s, value, "0 ") || redact_at(s, value, "7 ") ? 2 : 0;
    if (value == end || value >= s->len || s->text[value] == '=')
        return false;
    size_t start = redact_line_start(s, at, BACK_MOST);
    bool first = redact_leads_line(s, at) || is_echoed(s, at) ||
                 redact_at(s, redact_line_start(s, at, 40), "config set ") ||
                 (end - at == 17 && redact_at(s, redact_run(s, start, CLASS_BLANK), "user ")) ||
                 redact_at(s, at - (at > 4 ? 4 : at), "set ");
    if (!first || !take(s, value, ret_match))
        return false;
    size_t line = redact_line_end(s, value), text = CLASS_ALNUM | CLASS_BLANK;
    if (end - at >= 10 && s->text[at - (at > 0)] != ' ' && line - value < 40 &&
        redact_run(s, value, (uint32_t)text) == line && redact_has_digit(s, value, line))
        ret_match->to = line; /* requirepass, masterauth */
    if (ret_match->to < line && redact_is_phrase(s, value, line, 3))
        ret_match->to = line; /* of words */
    return true;
}

/* Whether a word of .netrc stands at most BACK_MOST in front of `at`, which grows from one call to
 * the next: each byte is looked at once. */
static bool stood(struct redact_scan *s, size_t at, int which)
{
    static const char *const words[REDACT_STOOD] = {"login ", "machine ", "\ndefault"};
    struct redact_stood *l = &s->stood[which];
    size_t back = at > BACK_MOST ? at - BACK_MOST : 0, len = strlen(words[which]);
    size_t from = l->looked > back + len ? l->looked - len + 1 : back;
    if (which == 2 && !back && !l->looked && redact_at(s, 0, "default "))
        l->behind = 1; /* no line is in front */
    for (const char *found; from < at; from = l->behind) {
        if (!(found = memmem(s->text + from, at - from, words[which], len)))
            break;
        l->behind = (size_t)(found - s->text) + 1;
    }
    l->looked = at > l->looked ? at : l->looked;
    return l->behind > back;
}

/* `machine H login U password X`, on one line or three. */
static bool is_netrc(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t value = redact_behind(s, end)->to;
    if (value == end || value >= s->len || !stood(s, at, 0) ||
        !(stood(s, at, 1) || stood(s, at, 2)) || !take(s, value, ret_match))
        return false;
    struct redact_reached v = {.from = ret_match->from, .to = ret_match->to};
    return end - at != 7 || redact_strength(s, &v) > REDACT_WEAK; /* `account X`: as often a name */
}

/* A doubled quote is part of SQL's text. */
static bool take_text(struct redact_scan *s, size_t from, struct redact_match *ret_match)
{
    if (!take(s, from, ret_match))
        return false;
    while (redact_at(s, ret_match->to, "''") && s->text[from] == '\'') {
        uint32_t text = CLASS_ALL & ~(uint32_t)(CLASS_SINGLE | CLASS_NEWLINE);
        ret_match->to = redact_run(s, ret_match->to + 2, text);
    }
    return true;
}

/* Whether a statement of Oracle's in [from, to) says whom it lets in, by a word without quotes. */
static bool is_of_someone(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][13] = {"user ",        "USER ",        "connect to ", "CONNECT TO ",
                                     "create role ", "CREATE ROLE ", "alter role ", "ALTER ROLE ",
                                     "set role ",    "SET ROLE ",    "GRANT "};
    return REDACT_HOLDS(s, from, to, words);
}

/* IDENTIFIED BY 'X'. */
static bool is_identified(struct redact_scan *s, size_t at, size_t end,
                          struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end), near = line - end > BY_MOST ? end + BY_MOST : line;
    uint32_t text = CLASS_ALL & ~(uint32_t)(CLASS_DOUBLE | CLASS_SINGLE | CLASS_NEWLINE);
    size_t quote = redact_run(s, end, text);
    if (quote < near && quote >= end + 4 && redact_at(s, quote - 4, " by "))
        return take_text(s, quote, ret_match);
    size_t from = redact_line_start(s, at, BACK_MOST); /* Oracle's needs no quotes */
    if (!redact_at(s, end, " by "))
        return false;
    if (!is_of_someone(s, from, at) || !take(s, end + 4, ret_match))
        return false;
    if (redact_at(s, ret_match->to, " replace ")) /* the one before */
        ret_match->to = redact_run(s, ret_match->to + 9, CLASS_WORD);
    return true;
}

/* `$$X$$`, `$tag$X$tag$`: PostgreSQL's text without quotes. */
static bool is_dollars(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t from = redact_run(s, at + 1, CLASS_ALNUM | CLASS_UNDER) + 1, len = from - at;
    size_t line = redact_line_end(s, at);
    const char *close = redact_char(s, from - 1) == '$' && from < line && line - from < BY_MOST
                            ? memmem(s->text + from, line - from, s->text + at, len)
                            : NULL;
    size_t to = close ? (size_t)(close - s->text) : from;
    *ret_match = (struct redact_match){from, to, "value"};
    return to >= from + 3 && !redact_is_placeholder(s, from, to);
}

/* PASSWORD 'X'. */
static bool is_sql(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    size_t value = redact_behind(s, end)->to;
    value += redact_char(s, value) == '(';
    if (redact_at(s, value, "from '")) { /* Neo4j's, with the one before */
        struct redact_value old, new;
        if (!redact_read_value(s, value + 5, true, &old) || !redact_at(s, old.end, " to '") ||
            !redact_read_value(s, old.end + 4, true, &new))
            return false;
        *ret_match = (struct redact_match){old.from, new.to, "value"};
        return true;
    }
    if (redact_char(s, value) == '$')
        return is_dollars(s, value, ret_match);
    return value > end && redact_char(s, value) == '\'' &&
           redact_in(redact_char(s, value + 1), CLASS_ALNUM | CLASS_OTHER) &&
           take_text(s, value, ret_match);
}

/* A password that is told: `generated for root@localhost: X`, `password is: X`. */
static bool is_told(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    static const char *const ways[] = {" is generated for ", " is ", " is: ", " for "};
    char way = redact_char(s, end + 1) | 0x20,
         next = redact_char(s, end + 2) | 0x20; /* of one of them */
    if (!((way == 'i' && next == 's') || (way == 'f' && next == 'o')))
        return false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!redact_at(s, end, ways[i]))
            continue;
        size_t value = end + strlen(ways[i]), line = redact_line_end(s, end);
        if (value >= line)
            continue;
        if (i == 0 || i == 3) {
            const char *colon =
                memmem(s->text + value, line - value < 80 ? line - value : 80, ": ", 2);
            if (!colon)
                return false;
            value = (size_t)(colon - s->text) + 2;
        }
        struct redact_value v;
        if (i == 0 && redact_run(s, value, ~(uint32_t)CLASS_SPACE) == line && line - value >= 8 &&
            !redact_in(s->text[value], CLASS_DOUBLE | CLASS_SINGLE) &&
            !redact_is_placeholder(s, value, line)) { /* mysqld's, of all signs */
            *ret_match = (struct redact_match){value, line, "value"};
            return redact_has_digit(s, value, line) || redact_has_sign(s, value, line);
        }
        if (!redact_read_value(s, value, true, &v) || redact_run(s, v.end, CLASS_BLANK) < line)
            return false;
        bool digits =
            v.quote || redact_has_sign(s, v.from, v.to) || redact_is_composed(s, v.from, v.to);
        for (size_t j = v.from; j < v.to && j < v.from + 64; j++)
            digits = digits || redact_in(s->text[j], CLASS_DIGIT);
        return digits && v.to - v.from >= 4 && take(s, value, ret_match);
    }
    return false;
}

/* `secret "base64";`, also behind other words of its line: BIND's keys. */
static bool is_bind(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    size_t value = redact_behind(s, end)->to;
    if (redact_char(s, value) != '"')
        return false;
    size_t to = redact_run(s, value + 1, CLASS_ALNUM | CLASS_BASE64);
    return to >= value + 17 && redact_at(s, to, "\";") && take(s, value, ret_match);
}

/* `passphrase "X"`, `secret "X";`, `http-basic.host.password "X"`: a name that tells, the first of
 * its line, and one word in quotes that is the last. */
static bool is_quoted(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    size_t start = redact_line_start(s, at, 80), value = redact_behind(s, end)->to;
    bool behind_user =
        at >= 2 && s->text[at - 1] == ' ' &&
        (s->text[at - 2] == ':' || /* ipsec.secrets, fetchmail */
         (s->text[at - 2] == '"' && memmem(s->text + start, at - start, "user", 4) != NULL));
    bool way = behind_user && (redact_at(s, at, "EAP ") || redact_at(s, at, "XAUTH "));
    bool mail = at > start &&
                (redact_at(s, redact_run(s, start, CLASS_BLANK), "user ") ||
                 redact_at(s, redact_run(s, start, CLASS_BLANK), "poll ")) &&
                redact_tells(s, at, end - at) == TELLS_ALL; /* fetchmail's, with more behind it */
    if (mail && redact_read_value(s, value, true, &v) && v.to - v.from >= 4 &&
        !memchr(s->text + v.from, ' ', v.to - v.from))
        return take(s, value, ret_match);
    if (!(redact_leads_line(s, at) || behind_user) ||
        (redact_tells(s, at, end - at) != TELLS_ALL && !way) ||
        !redact_read_value(s, value, true, &v))
        return false;
    size_t behind = v.end + (redact_char(s, v.end) == ';');
    return v.quote && v.to - v.from >= 4 && redact_char(s, behind) == '\n' &&
           (way || redact_at(s, at, "PSK ") || !memchr(s->text + v.from, ' ', v.to - v.from) ||
            redact_is_spoken(s, v.from, v.to)) &&
           take(s, value, ret_match);
}

/* Whether the word of letters [from, to) behind `password 0` is one: the last of a line of a
 * device's, or of a command behind its prompt. */
static bool is_plain(struct redact_scan *s, size_t at, size_t from, size_t to)
{
    size_t start = redact_line_start(s, at, BACK_MOST), first = redact_run(s, start, CLASS_BLANK);
    bool set = first == at || (at && REDACT_ONE_OF(s->text[at - 1], "#>")) ||
               redact_at(s, first, "enable ") || redact_at(s, first, "username ") ||
               redact_at(s, first, "neighbor ") || memchr(s->text + start, '#', at - start) != NULL;
    return set && to >= from + 6 && REDACT_ONE_OF(redact_char(s, to), "\n\r") &&
           redact_run(s, from, CLASS_UPPER | CLASS_LOWER) == to && !redact_at(s, from, "character");
}

/* `password 7 X`, `secret 5 X`: what Cisco's devices show; 0 says that X is the word itself. */
static bool is_numbered(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match)
{
    size_t kind = redact_behind(s, end)->to, value = kind + 2;
    if (redact_char(s, kind + 1) != ' ' || redact_tells(s, at, end - at) != TELLS_ALL)
        return false;
    size_t to = redact_run(s, value, ~(uint32_t)CLASS_SPACE);
    bool plain = s->text[kind] == '0' && is_plain(s, at, value, to);
    return (plain || (to >= value + 8 && redact_has_digit(s, value, to))) &&
           take(s, value, ret_match);
}

/* `password cipher X`, the last of its line. */
static bool is_kept_so(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    static const char *const kinds[] = {"cipher ", "simple ", "plaintext ", "irreversible-cipher "};
    size_t value = 0, kind = redact_behind(s, end)->to;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        value = redact_at(s, kind, kinds[i]) ? kind + strlen(kinds[i]) : value;
    size_t to = value ? redact_run(s, value, ~(uint32_t)CLASS_SPACE) : 0;
    return to >= value + 8 && redact_char(s, to) == '\n' && redact_has_digit(s, value, to) &&
           redact_tells(s, at, end - at) == TELLS_ALL && take(s, value, ret_match);
}

/* `Xauth password X`, `IPSec secret X`: vpnc's. */
static bool is_vpn(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t value = redact_behind(s, end)->to, line = redact_line_end(s, value);
    size_t start = redact_line_start(s, at, 8);
    if (at - start != 6 || !(redact_at(s, start, "Xauth ") || redact_at(s, start, "IPSec ")) ||
        line < value + 4 || redact_tells(s, at, end - at) != TELLS_ALL ||
        redact_is_placeholder(s, value, line))
        return false;
    *ret_match = (struct redact_match){value, line, "value"};
    return true;
}

/* A line of two words, below one that says who: `user me` and `password X`, as msmtp has it. */
static bool is_below_user(struct redact_scan *s, size_t at, size_t end,
                          struct redact_match *ret_match)
{
    size_t value = redact_behind(s, end)->to, line = redact_line_end(s, value);
    bool groups = line - value == 19; /* Google's, as it is shown: abcd efgh ijkl mnop */
    for (size_t i = 0; i < 19 && groups; i++)
        groups = redact_in(s->text[value + i], i % 5 == 4 ? CLASS_BLANK : CLASS_LOWER);
    if (groups && redact_tells(s, at, end - at) == TELLS_ALL) {
        *ret_match = (struct redact_match){value, line, "value"};
        return true;
    }
    if (value >= line || line - value < 6 || redact_tells(s, at, end - at) != TELLS_ALL ||
        redact_run(s, value, ~(uint32_t)CLASS_SPACE) != line)
        return false;
    size_t start = redact_line_start(s, at, 40);
    bool app = line - value == 16 && redact_run(s, value, CLASS_LOWER) == line; /* Google's */
    if (!start || !(app || redact_has_digit(s, value, line) ||
                    (redact_run(s, value, CLASS_LOWER) < line && !redact_at(s, value, "pass"))))
        return false;
    size_t above = redact_run(s, redact_line_start(s, start - 1, 80), CLASS_BLANK);
    return (redact_at(s, above, "user") || redact_at(s, above, "login")) &&
           take(s, value, ret_match);
}

/* `Key Content            : X`, as Windows shows a network's. */
static bool is_shown(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t sign = redact_behind(s, end)->to, line = redact_line_end(s, end);
    if (at < 4 || !redact_at(s, at - 4, "Key Content ") || redact_char(s, sign) != ':')
        return false;
    size_t from = redact_run(s, sign + 1, CLASS_BLANK);
    *ret_match = (struct redact_match){from, line, "value"};
    return line > from + 4;
}

/* `WIFI:T:WPA;S:network;P:X;;`, as it is drawn for cameras. */
bool redact_wifi(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (end - at != 1 || s->text[at] != 'P' || redact_char(s, end) != ':' || !at ||
        !REDACT_ONE_OF(s->text[at - 1], ";:"))
        return false;
    size_t start = redact_line_start(s, at, BACK_MOST), line = redact_line_end(s, end);
    if (!memmem(s->text + start, at - start, "WIFI:", 5))
        return false;
    const char *close = memchr(s->text + end + 1, ';', line - end - 1);
    size_t to = close ? (size_t)(close - s->text) : line;
    if (to < end + 5)
        return false;
    *ret_match = (struct redact_match){end + 1, to, "value"};
    return true;
}

/* The last letters of the names above, identified's among them: most words have others. */
const char redact_file_ends[] = "ss th pw wd rd ok sk se ty et in ed ap lm nt ey sa";

bool redact_file(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    const struct redact_behind *b = redact_behind(s, end);
    if (b->next == '\n' || b->next == '\r')
        return redact_talk(s, at, end, ret_match) ||
               (b->next == '\n' && redact_daemon(s, at, end, ret_match));
    if (end - at < 3 || (!redact_in(b->next, CLASS_BLANK) && b->next != '('))
        return false;
    at += at && end - at > 4 && s->text[at - 1] == '\\' && s->text[at] == 'n'; /* a line's end */
    unsigned rules = rules_of(s, at, end);
    char sign = b->sign;
    return ((rules & DIRECTIVE) && is_directive(s, at, end, ret_match)) ||
           ((rules & NETRC) && is_netrc(s, at, end, ret_match)) ||
           ((rules & IDENTIFIED) && is_identified(s, at, end, ret_match)) ||
           ((rules & SQL) && is_sql(s, end, ret_match)) ||
           ((rules & TOLD) && is_told(s, end, ret_match)) ||
           (sign == '"' && is_quoted(s, at, end, ret_match)) ||
           ((rules & BIND) && is_bind(s, end, ret_match)) ||
           (REDACT_ONE_OF(sign, "045789") && is_numbered(s, at, end, ret_match)) ||
           (REDACT_ONE_OF(sign, "cspi") && is_kept_so(s, at, end, ret_match)) ||
           (at >= 6 && s->text[at - 1] == ' ' && is_vpn(s, at, end, ret_match)) ||
           (redact_leads_line(s, at) && is_below_user(s, at, end, ret_match)) ||
           redact_talk(s, at, end, ret_match) ||
           (end - at == 7 && sign == ':' && is_shown(s, at, end, ret_match)) ||
           redact_daemon(s, at, end, ret_match);
}

/* host:port:database:user:password. Any of the first four may be a star. */
static bool is_of_pgpass(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t line = at;
    for (int field = 0; field < 4; field++) {
        size_t end = redact_run(s, at, field == 1 ? CLASS_DIGIT : CLASS_NAME);
        bool star = end == at && redact_char(s, at) == '*';
        if ((end == at && !star) || redact_char(s, end + star) != ':')
            return false;
        if (field == 1 && !star && (end - at < 4 || end - at > 5))
            return false;
        if (field > 1 && redact_in(s->text[at], CLASS_DIGIT))
            return false;
        at = end + star + 1;
    }
    size_t end = redact_line_end(s, at);
    if (end < at + 3 || redact_is_placeholder(s, at, end))
        return false;
    if (memchr(s->text + at, ' ', end - at)) { /* of words, where the file's name is near */
        size_t back = line > PGPASS_MOST ? line - PGPASS_MOST : 0;
        if (!memmem(s->text + back, line - back, "pgpass", 6))
            return false;
    }
    *ret_match = (struct redact_match){at, end, "value"};
    return true;
}

/* With the number of its line, as cat and grep show it, or alone. */
bool redact_pgpass(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (!redact_in(s->text[at], CLASS_DIGIT) && !redact_at(s, at, "   "))
        return is_of_pgpass(s, at, ret_match); /* most */
    size_t from = redact_run(s, at, CLASS_BLANK);
    if (!redact_in(redact_char(s, from), CLASS_DIGIT))
        return false;
    size_t number = redact_run(s, from, CLASS_DIGIT);
    return (REDACT_ONE_OF(redact_char(s, number), ":\t") &&
            is_of_pgpass(s, number + 1, ret_match)) ||
           (from == at && is_of_pgpass(s, at, ret_match));
}

/* Where the user begins behind `[host]:587 ` or `BUNDLE_HOST: "`; 0 for neither. */
static size_t skip_host(struct redact_scan *s, size_t at)
{
    size_t host = redact_run(s, at + 1, CLASS_NAME), port = host + 2;
    if (s->text[at] == 'B') {
        size_t sign = host + (redact_char(s, host) == ':' && redact_char(s, host + 1) == ' ');
        bool is = redact_at(s, at, "BUNDLE_") && REDACT_ONE_OF(redact_char(s, host), ":=");
        return is ? sign + 1 + (redact_char(s, sign + 1) == '"') : 0;
    }
    if (!redact_at(s, host, "]:") || !memchr(s->text + at, '.', host - at))
        return 0;
    size_t blank = redact_run(s, port, CLASS_DIGIT), user = redact_run(s, blank, CLASS_BLANK);
    return blank > port && user > blank ? user : 0;
}

/* `[mx.corp.lan]:587 kim:X`, behind a name, in quotes; `mx.corp.lan:587 kim@corp.lan:X`: to the
 * line's end. */
bool redact_relay(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t port = redact_run(s, at + 1, CLASS_DIGIT), user = redact_run(s, port, CLASS_BLANK);
    size_t colon = redact_run(s, user, CLASS_NAME), line = redact_line_end(s, user);
    if (redact_char(s, colon) == '@')
        colon = redact_run(s, colon + 1, CLASS_NAME);
    if (port > at + 6 || user == port || colon == user || redact_char(s, colon) != ':')
        return false; /* most */
    line -= line > colon && s->text[line - 1] == '\r';
    line -= line > colon && REDACT_ONE_OF(s->text[line - 1], "\"'");
    struct redact_reached v = {.from = colon + 1, .to = line};
    if (line < v.from + 4 || redact_run(s, colon, ~(uint32_t)CLASS_SPACE) < line ||
        redact_is_placeholder(s, v.from, line) || s->text[v.from] == '/')
        return false;
    *ret_match = (struct redact_match){v.from, line, "value"};
    return redact_strength(s, &v) > REDACT_WEAK || redact_has_sign(s, v.from, line) ||
           redact_is_wordy(s, v.from, line) || redact_is_lone_word(s, v.from, line);
}

/* `user = "kim:X"`, `proxy-user = kim:X`: what curl reads from its file, at the line's beginning.
 */
static bool is_of_curl(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    bool proxy = redact_at(s, at, "proxy-user");
    size_t name = at + (proxy ? 10 : 4), sign = redact_run(s, name, CLASS_BLANK);
    if (!(proxy || redact_at(s, at, "user")) || !REDACT_ONE_OF(redact_char(s, sign), "=:\""))
        return false; /* most */
    size_t from = redact_run(s, sign + (s->text[sign] != '"'), CLASS_BLANK);
    size_t line = redact_line_end(s, from), quote = redact_char(s, from) == '"',
           user = from + quote;
    size_t colon = redact_run(s, user, CLASS_NAME | CLASS_BACKSLASH), to = line;
    while (to > user && redact_in(s->text[to - 1], CLASS_SPACE))
        to--;
    to -= quote && s->text[to - 1] == '"';
    if (colon == user || redact_char(s, colon) != ':' || to < colon + 5 || (quote && to == line) ||
        memchr(s->text + user, '"', to - user) || redact_char(s, colon + 1) == '/' ||
        (!quote && memchr(s->text + user, ' ', to - user)))
        return false;
    struct redact_reached v = {.from = colon + 1, .to = to};
    bool group = to - colon - 1 == colon - user &&
                 !memcmp(s->text + user, s->text + colon + 1, colon - user);
    if (group || redact_is_number(s, v.from, to) || redact_is_placeholder(s, v.from, to) ||
        !(proxy || redact_strength(s, &v) > REDACT_WEAK || redact_has_sign(s, v.from, to) ||
          redact_is_wordy(s, v.from, to) || redact_is_phrase(s, v.from, to, 3)))
        return false;
    *ret_match = (struct redact_match){v.from, to, "value"};
    return true;
}

/* Subversion's `K 8`, `password`, `V 12`, and the bytes: a table as it writes it to a file. */
static bool is_of_subversion(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    static const char heads[][24] = {"K 8\npassword\nV ", "K 10\npassphrase\nV "};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        size_t count = at + strlen(heads[i]), from;
        if (!redact_at(s, at, heads[i]))
            continue;
        from = redact_run(s, count, CLASS_DIGIT) + 1;
        if (from < count + 2 || from >= s->len || s->text[from - 1] != '\n')
            return false;
        *ret_match = (struct redact_match){from, redact_line_end(s, from), "value"};
        return ret_match->to > from;
    }
    return false;
}

/* ` 1: 0e785d bb5e26 ... - 8d` below `BORG PAPER KEY v1`: all such lines as one. */
static bool is_on_paper(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, at), from = 0, to = 0;
    if (!redact_at(s, at, "BORG PAPER KEY"))
        return false; /* most */
    for (int i = 0; i < PAPER_MOST && line < s->len; i++) {
        size_t number = redact_run(s, line + 1, CLASS_BLANK);
        size_t sign = redact_run(s, number, CLASS_DIGIT);
        line = redact_line_end(s, line + 1);
        bool key = sign > number && redact_at(s, sign, ": ") &&
                   redact_run(s, sign + 2, CLASS_HEX | CLASS_BLANK | CLASS_DASH) == line;
        if (!key && from)
            break;
        from = key && !from ? sign + 2 : from;
        to = key ? line : to;
    }
    *ret_match = (struct redact_match){from, to, "value"};
    return from != 0;
}

bool redact_login(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (redact_in(s->text[at], CLASS_LOWER))
        return is_of_curl(s, at, ret_match);
    if (s->text[at] == 'K')
        return is_of_subversion(s, at, ret_match);
    size_t user = skip_host(s, at);
    if (!user)
        return s->text[at] == 'B' && is_on_paper(s, at, ret_match);
    size_t colon = redact_run(s, user, CLASS_NAME), line = redact_line_end(s, colon);
    if (s->text[user - 1] == '=' && s->text[at] == 'B') /* in front of a command */
        line = redact_run(s, colon, ~(uint32_t)CLASS_SPACE);
    if (redact_char(s, colon) == '@')
        colon = redact_run(s, colon + 1, CLASS_NAME);
    if (colon == user || redact_char(s, colon) != ':' || line < colon + 4)
        return false;
    size_t quote = s->text[line - 1] == '"', end = line - quote;
    if (redact_run(s, colon, ~(uint32_t)CLASS_SPACE) != line || redact_char(s, colon + 1) == '/' ||
        redact_is_placeholder(s, colon + 1, end))
        return false;
    bool half =
        s->text[at] == 'B' && colon - user == HALF && redact_run(s, user, CLASS_HEX) == colon;
    *ret_match = (struct redact_match){half ? user : colon + 1, end, "value"};
    return true;
}
