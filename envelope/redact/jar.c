/* Cookies as curl and wget keep them: seven places that tabulators part, the host, whether its
 * subdomains are sent it, the path, whether only over TLS, when it ends, its name, its value. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LINE_MOST   4096
#define VALUE_LEAST 8
#define HEX_LEAST   16

/* Behind the next tabulator; 0 where the line has none. */
static size_t next_place(const struct redact_scan *s, size_t at, size_t line)
{
    const char *tab = at < line ? memchr(s->text + at, '\t', line - at) : NULL;
    return tab ? (size_t)(tab - s->text) + 1 : 0;
}

/* Whether a cookie of that name says who somebody is, not how often he was there. */
static bool lets_in(const struct redact_scan *s, size_t from, size_t to)
{
    static const char parts[][8] = {"sess", "sid",   "auth", "token", "jwt",
                                    "csrf", "login", "sso",  "remem", "SESS"};
    static const char counts[][6] = {"_ga", "_gid", "_fbp", "_pk_", "_gcl", "_utm"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (redact_at(s, from, counts[i]))
            return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t at = from; at < to; at++)
            if (redact_at(s, at, parts[i]))
                return true;
    return false;
}

static bool is_value(struct redact_scan *s, size_t name, size_t name_end, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    if (to < from + VALUE_LEAST || redact_is_placeholder(s, from, to) || redact_at(s, name, "_ga"))
        return false;
    enum redact_strength strength = redact_strength(s, &v);
    return lets_in(s, name, name_end) || redact_telling(s->text + name, name_end - name) ||
           strength >= REDACT_RANDOM || (v.hex && to - from >= HEX_LEAST);
}

bool redact_jar(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end), places[5], place = end;
    if (line - at > LINE_MOST || !(redact_at(s, at, "TRUE") || redact_at(s, at, "FALSE")))
        return false;
    for (int i = 0; i < 5; i++)
        if (!(place = places[i] = next_place(s, place, line)))
            return false; /* path, TLS, end, name, value */
    bool tls = redact_at(s, places[1], "TRUE\t") || redact_at(s, places[1], "FALSE\t");
    size_t from = places[4], to = line;
    while (to > from && redact_in(s->text[to - 1], CLASS_BLANK) | (s->text[to - 1] == '\r'))
        to--;
    if (!tls || redact_run(s, places[2], CLASS_DIGIT) + 1 != places[3] ||
        !is_value(s, places[3], from - 1, from, to))
        return false;
    *ret_match = (struct redact_match){from, to, "cookie"};
    return true;
}
