/* What a word of a command is: an option without a dash, several in one, one that takes the next
 * word; and which part of it is a secret among others. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"

bool redact_is_other_option(const struct redact_scan *s, size_t from, size_t to)
{
    const char *t = s->text + from;
    return *t == '+' ||
           (*t == '/' && redact_in(redact_char(s, from + 1), CLASS_UPPER | CLASS_LOWER) &&
            !memchr(t + 1, '/', to - from - 1));
}

bool redact_is_value_option(const struct redact_scan *s, size_t from, size_t to)
{
    return (to - from == 2 && redact_at(s, from, "-v")) ||
           (to - from == 7 && redact_at(s, from, "--value"));
}

size_t redact_skip_joined(const struct redact_scan *s, size_t from, size_t to, const char *option)
{
    size_t at = from;
    if (!option[1] || option[2] || to - at < 3 || s->text[at + 1] == '-')
        return at;
    while (at + 2 < to && s->text[at + 1] != option[1] &&
           strchr("sSkLvifIgGjJlnNOqpRaB012346#Z", s->text[at + 1]))
        at++;
    return s->text[at + 1] == option[1] ? at : from;
}

bool redact_takes_value(const struct redact_scan *s, size_t from, size_t to)
{
    static const char *const ends[] = {"-file", "-path", "-dir",  "-id",      "-name",
                                       "-host", "-port", "-user", "-profile", "-region"};
    size_t len = to - from;
    if (len == 5 && redact_at(s, from, "-salt"))
        return true;
    if (len == 2 && s->text[from + 1] == 'm')
        return redact_at(s, to, " sha"); /* mkpasswd's kind */
    if (len < 8 || s->text[from + 1] != '-')
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (redact_at(s, to - strlen(ends[i]), ends[i]))
            return true;
    return false;
}

/* `username=kim,password=X,vers=3.0`; `"wpa-pwd","X:net"`. */
bool redact_among(struct redact_scan *s, const struct redact_rule *rule, size_t *from, size_t *to)
{
    const char *t = s->text;
    size_t len = strlen(rule->option);
    bool among = rule->how == AMONG;
    size_t at = *from, end;
    do {
        const char *option = memmem(t + at, *to - at, rule->option, len);
        at = option ? (size_t)(option - t) + len : *to;
        if (at >= *to)
            return false;
    } while (among && at - len > *from && redact_in(t[at - len - 1], CLASS_ALNUM)); /* tmp= */
    end = at;
    bool quoted = among && REDACT_ONE_OF(t[at], "\"'");
    const char *close = quoted ? memchr(t + at + 1, t[at], *to - at - 1) : NULL;
    if (close)
        end = (size_t)(close - t) + 1;
    while (!close && end < *to &&
           !(among ? REDACT_ONE_OF(t[end], ", ") : REDACT_ONE_OF(t[end], "\"\\")))
        end++;
    *from = at;
    *to = end;
    return true;
}

void redact_skip_number(struct redact_scan *s, size_t *from, size_t *to)
{
    const char *t = s->text;
    size_t sign = redact_run(s, *from + 1, CLASS_DIGIT), at = sign + 1;
    if (sign == *from + 1 || at >= *to || t[sign] != '=')
        return;
    bool quotes = *to - at > 2 && t[at] == '"' && t[*to - 1] == '"';
    *from = at + quotes;
    *to -= quotes;
}

bool redact_is_of_redis(const struct redact_scan *s, size_t at)
{
    return at >= 7 && redact_at(s, at - 2, "> ") &&
           (redact_in(s->text[at - 3], CLASS_DIGIT) || s->text[at - 3] == ']' ||
            redact_at(s, at - 7, "redis"));
}
