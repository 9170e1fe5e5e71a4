/* What devices and daemons are told at prompts of their own, and what files for them say:
 * `(config)# passwd X`, `config snmp community X rw`, `community X {` of SNMP, `add password HOST
 * {X} {Y}` of clogin, `password "Auth" X` of OpenVPN's management, `PASSWORD user = X` of
 * Elasticsearch, and `C="X"` of SNMP as tcpdump shows it. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LEAST       4  /* bytes of a value, */
#define RANDOM      20 /* and of one that was made */
#define PROMPT_MOST 80 /* in front of what is told */
#define BLOCK_MOST  300

static bool take(const struct redact_scan *s, size_t from, size_t to,
                 struct redact_match *ret_match)
{
    return redact_take_word(s, from, to, LEAST, ret_match);
}

/* Whether a device's prompt is right in front, of the mode in which it is told what to be:
 * `sw(config)#`, `(RADIUS Server "cppm1") #`. */
static bool is_told(const struct redact_scan *s, size_t at)
{
    size_t line = redact_line_start(s, at, PROMPT_MOST), sign = at;
    sign -= sign > line && s->text[sign - 1] == ' ';
    if (sign < line + 3 || !REDACT_ONE_OF(s->text[sign - 1], "#>"))
        return false;
    bool blank = sign < at;
    sign -= 1 + (s->text[sign - 2] == ' ');
    const char *open = memrchr(s->text + line, '(', sign - line);
    return open && s->text[sign - 1] == ')' &&
           (redact_at(s, (size_t)(open - s->text) + 1, "config") ||
            (!blank && s->text[line] == '(')); /* `(1) # password check` is a comment */
}

/* Whether the line ends there, or with what may be done by it: ` rw`, ` RO 10`. */
static bool ends_value(struct redact_scan *s, size_t to)
{
    size_t line = redact_line_end(s, to), behind = redact_run(s, to, CLASS_BLANK);
    line -= line > to && s->text[line - 1] == '\r';
    bool may = behind > to && (redact_at(s, behind, "rw") || redact_at(s, behind, "ro")) &&
               !redact_in(redact_char(s, behind + 2), CLASS_WORD);
    return behind >= line || may;
}

/* `(config)#passwd X`, `(config-aaa) #key X`; a community at any device's prompt. */
static bool is_prompted(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match)
{
    bool community = redact_at(s, at, "community");
    size_t from = redact_behind(s, end)->to, to = redact_run(s, from, ~(uint32_t)CLASS_SPACE);
    if (from == end || !ends_value(s, to))
        return false;
    if (!community)
        return is_told(s, at) && take(s, from, to, ret_match);
    size_t behind = redact_run(s, to, CLASS_BLANK);
    return at >= 5 && redact_at(s, at - 5, "snmp ") && behind < redact_line_end(s, to) &&
           !redact_at(s, from, "public") && !redact_at(s, from, "private") &&
           take(s, from, to, ret_match);
}

/* `community X {`, `community X;` where a block of SNMP's begins right above. */
static bool is_in_block(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match)
{
    size_t back = at > BLOCK_MOST ? at - BLOCK_MOST : 0;
    size_t from = redact_behind(s, end)->to, to = redact_run(s, from, CLASS_NAME);
    if (!redact_leads_line(s, at) || from == end ||
        !(redact_char(s, to) == ';' || redact_at(s, to, " {")) || redact_at(s, from, "public") ||
        redact_at(s, from, "private"))
        return false;
    return memmem(s->text + back, at - back, "snmp {", 6) && take(s, from, to, ret_match);
}

/* A word of clogin's file at `at`, in braces or not. Returns where it ends. */
static size_t read_braced(struct redact_scan *s, size_t at, size_t *ret_from, size_t *ret_to)
{
    size_t end = redact_run(s, at, ~(uint32_t)CLASS_SPACE);
    bool braces = end > at + 2 && s->text[at] == '{' && s->text[end - 1] == '}';
    *ret_from = at + braces;
    *ret_to = end - braces;
    return end;
}

/* `add password HOST {X} {Y}`: the passwords of a device to log in and to be let do more. */
static bool is_login(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (at < 4 || !redact_at(s, at - 4, "add ") || !redact_leads_line(s, at - 4))
        return false;
    size_t host = redact_behind(s, end)->to, to = redact_run(s, host, ~(uint32_t)CLASS_SPACE);
    size_t first = redact_run(s, to, CLASS_BLANK), line = redact_line_end(s, to), from, last;
    if (host == end || first == to || first >= line ||
        !(memchr(s->text + host, '.', to - host) || memchr(s->text + host, '*', to - host)))
        return false;
    size_t behind = redact_run(s, read_braced(s, first, &from, &last), CLASS_BLANK);
    if (behind < line) {
        size_t second, unused = read_braced(s, behind, &second, &last);
        if (redact_run(s, unused, CLASS_BLANK) < line)
            return false;
    }
    return take(s, from, last, ret_match);
}

/* `password "Auth" X`, `password "Private Key" X`, as OpenVPN is told where it asks. */
static bool is_managed(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value of, v;
    size_t from = redact_behind(s, end)->to;
    if (redact_char(s, from) != '"' || !redact_leads_line(s, at) ||
        !redact_read_value(s, from, false, &of) || redact_char(s, of.end) != ' ' ||
        !(redact_at(s, of.from, "Auth\"") || redact_at(s, of.from, "Private Key\"") ||
          redact_at(s, of.from, "HTTP Proxy\"") || redact_at(s, of.from, "SOCKS Proxy\"")) ||
        !redact_read_value(s, of.end + 1, true, &v))
        return false;
    return redact_run(s, v.end, CLASS_SPACE) > v.end && v.end + 1 >= redact_line_end(s, v.end) &&
           take(s, v.from, v.to, ret_match);
}

/* ` key 0 X`, ` key 7 X` in what is configured: the digit says how it is written. */
static bool is_shown_key(struct redact_scan *s, size_t at, size_t end,
                         struct redact_match *ret_match)
{
    size_t kind = end + 1, from = kind + 2, to = redact_run(s, from, ~(uint32_t)CLASS_SPACE);
    return at && s->text[at - 1] == ' ' && redact_leads_line(s, at) &&
           REDACT_ONE_OF(redact_char(s, kind), "05678") && redact_char(s, kind + 1) == ' ' &&
           redact_char(s, end) == ' ' && redact_run(s, to, CLASS_BLANK) >= redact_line_end(s, to) &&
           take(s, from, to, ret_match);
}

/* `PASSWORD logstash_system = X`: what a server made for its users. */
static bool is_made(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t user = redact_behind(s, end)->to, sign = redact_run(s, user, CLASS_WORD);
    size_t from = sign + 3, to = from < s->len ? redact_run(s, from, CLASS_ALNUM) : from;
    return s->text[at] == 'P' && s->text[at + 1] == 'A' && redact_leads_line(s, at) &&
           sign > user && redact_at(s, sign, " = ") && to >= from + RANDOM &&
           redact_in(redact_char(s, to), CLASS_SPACE) && take(s, from, to, ret_match);
}

bool redact_device(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    switch (end - at) {
    case 3:
        return redact_at(s, at, "key") &&
               (is_prompted(s, at, end, ret_match) || is_shown_key(s, at, end, ret_match));
    case 6:
        return (redact_at(s, at, "passwd") || redact_at(s, at, "secret")) &&
               is_prompted(s, at, end, ret_match);
    case 8:
        return redact_at(s, at, "password") &&
               (is_prompted(s, at, end, ret_match) || is_login(s, at, end, ret_match) ||
                is_managed(s, at, end, ret_match) || is_made(s, at, end, ret_match));
    case 9:
        return redact_at(s, at, "community") &&
               (is_prompted(s, at, end, ret_match) || is_in_block(s, at, end, ret_match));
    default:
        return false;
    }
}

bool redact_community(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    static const char asks[][5] = {"Get", "Set", "V2", "Trap", "Inf", "Resp"};
    if (!redact_at(s, end, "=\"") || s->text[at] != 'C')
        return false; /* most */
    size_t from = end + 2, to = redact_run(s, from, ~(uint32_t)(CLASS_SPACE | CLASS_DOUBLE));
    for (size_t i = 0; redact_at(s, to, "\" ") && i < sizeof asks / sizeof *asks; i++)
        if (redact_at(s, to + 2, asks[i]))
            return take(s, from, to, ret_match);
    return false;
}
