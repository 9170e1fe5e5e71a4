/* Users and secrets in one word of a command: `user:X`, `user/X@host`, `domain/user:X@host`. Where
 * the user is a token by itself it goes with what is behind it: `curl -u TOKEN:`, Bundler's
 * `21a7031b:03d7b917`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"

#define TOKEN_LEAST 20 /* characters of a user that is one, */
#define KEY_LEAST   40
#define HALF_LEAST  8 /* and of one of two hexadecimal numbers */

/* Whether both halves are hexadecimal digits, as the credentials of a server of packages are. */
static bool is_of_halves(struct redact_scan *s, size_t from, size_t sign, size_t to)
{
    return sign - from >= HALF_LEAST && to - sign - 1 >= HALF_LEAST &&
           redact_has_digit(s, from, sign) && redact_run(s, from, CLASS_HEX) == sign &&
           redact_run(s, sign + 1, CLASS_HEX) == to;
}

/* Whether the user looks like a token: no name of anybody is so long and in no order. */
static bool is_token(struct redact_scan *s, size_t from, size_t sign)
{
    struct redact_reached v = {.from = from, .to = sign};
    return sign - from >= TOKEN_LEAST && redact_has_digit(s, from, sign) &&
           redact_run(s, from, CLASS_WORD) == sign && redact_strength(s, &v) == REDACT_RANDOM;
}

/* A server's key for its user, longer than any name: `"key":"secret"`, each in quotes or not. */
static __attribute__((noinline)) bool is_long_key(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    return redact_has_digit(s, from, to) && redact_run(s, from, CLASS_WORD | CLASS_BASE64) == to &&
           redact_strength(s, &v) == REDACT_RANDOM;
}

void redact_user_behind(struct redact_scan *s, struct redact_command_found *found, size_t from,
                        size_t to, char sign)
{
    const char *at = memchr(s->text + from, sign, to - from);
    if (!at)
        return;
    size_t behind = (size_t)(at - s->text) + 1, user = from;
    user += REDACT_ONE_OF(s->text[user], "'\"");
    bool quoted = redact_in(s->text[to - 1], CLASS_DOUBLE | CLASS_SINGLE) && to > behind;
    if (sign == ':' && behind - 1 > user &&
        (is_of_halves(s, user, behind - 1, to - quoted) ||
         (behind == to - quoted && is_token(s, user, behind - 1))))
        redact_command_add(s, found, user, to - quoted - (behind == to - quoted));
    else {
        size_t end = behind - 1 - (behind > user + 1 && s->text[behind - 2] == '"');
        if (sign == ':' && end >= user + KEY_LEAST && is_long_key(s, user, end))
            redact_command_add(s, found, user, end);
        redact_command_add(s, found, behind, to);
    }
}

void redact_user_behind_slash(struct redact_scan *s, struct redact_command_found *found,
                              size_t from, size_t to)
{
    const char *slash = memchr(s->text + from, '/', to - from);
    size_t behind = slash ? (size_t)(slash - s->text) + 1 : 0;
    if (!slash || slash == s->text + from || redact_char(s, behind) == '/')
        return;
    const char *sign = memrchr(slash, '@', to - behind + 1);
    redact_command_add(s, found, behind, sign ? (size_t)(sign - s->text) : to);
}

void redact_user_before_host(struct redact_scan *s, struct redact_command_found *found, size_t from,
                             size_t to)
{
    const char *t = s->text, *colon = memchr(t + from, ':', to - from);
    const char *sign = memrchr(t + from, '@', to - from);
    if (colon && sign && colon < sign && colon[1] != '/' && colon[1] != ' ')
        redact_command_add(s, found, (size_t)(colon - t) + 1, (size_t)(sign - t));
}

bool redact_user_is_login(struct redact_scan *s, size_t from, size_t to)
{
    size_t colon = redact_run(s, from, CLASS_NAME | CLASS_BACKSLASH);
    return colon > from && colon + 1 < to && s->text[colon] == ':' && s->text[colon + 1] != '/' &&
           s->text[colon + 1] != ':';
}
