/* Passwords in addresses: `scheme://user:password@host`, `jdbc:oracle:thin:user/password@host`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define USER_MIN_LEN 20 /* a user name without password that is this long is a token */
#define URL_MOST     4096
#define HOST_MOST    80  /* bytes in which a host is looked for */
#define ORACLE_MOST  128 /* bytes of a password there, and its @ */

/* jdbc:oracle:thin:user/password@host, from its colon before the user. */
static bool is_oracle(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if ((at < 16 || !redact_at(s, at - 16, "jdbc:oracle:thin")) &&
        (at < 15 || !redact_at(s, at - 15, "jdbc:oracle:oci")))
        return false;
    size_t slash = redact_run(s, at + 1, CLASS_NAME), from = slash + 1;
    if (slash >= s->len || s->text[slash] != '/')
        return false;
    size_t most = s->len - from < ORACLE_MOST ? s->len - from : ORACLE_MOST;
    const char *sign = memchr(s->text + from, '@', most);
    if (sign && memchr(s->text + from, ' ', (size_t)(sign - s->text) - from))
        return false;
    if (!sign || memchr(s->text + from, '\n', (size_t)(sign - s->text) - from) ||
        redact_is_placeholder(s, from, (size_t)(sign - s->text)))
        return false;
    *ret_match = (struct redact_match){from, (size_t)(sign - s->text), "url-password"};
    return true;
}

/* Where the quote closes that opened right in front of the scheme; 0 for none. */
static size_t quoted_to(struct redact_scan *s, size_t at)
{
    size_t from = at;
    while (from > 0 && at - from < 24 &&
           (redact_in(s->text[from - 1], CLASS_NAME) || s->text[from - 1] == '+'))
        from--;
    char quote = from ? s->text[from - 1] : 0;
    size_t line = quote == '"' || quote == '\'' ? redact_line_end(s, at) : at;
    size_t most = line - at < 160 ? line - at : 160;
    const char *close = line > at ? memchr(s->text + at, quote, most) : NULL;
    return close ? (size_t)(close - s->text) : 0;
}

/* Whether a sign that would end the host is still the password's, an @ in it having looked like its
 * end: `amqp://kim:a@b#c@mq.lan:5672/`. The host behind the next @ says so. */
static bool is_of_password(struct redact_scan *s, size_t sign, size_t at)
{
    size_t most = s->len - at > HOST_MOST ? at + HOST_MOST : s->len, next = at;
    if (memchr(s->text + sign, '.', at - sign))
        return false; /* what is behind the first @ is a host */
    next += s->text[next] == '/';
    while (next < most && s->text[next] != '@' && !REDACT_ONE_OF(s->text[next], "/<>\"'` \n\t"))
        next++;
    if (redact_char(s, next) != '@' || next == most)
        return false;
    size_t host = redact_run(s, next + 1, CLASS_NAME);
    bool path = s->text[at] == '/'; /* a package behind @ is none */
    if (path && !(redact_in(s->text[next + 1], CLASS_LOWER) &&
                  memchr(s->text + next + 1, '.', host - next - 1) && redact_char(s, host) == ':' &&
                  redact_in(redact_char(s, host + 1), CLASS_DIGIT)))
        return false;
    return host > next + 2 && REDACT_ONE_OF(redact_char(s, host), ":/,?\"' \n");
}

bool redact_url(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (at > 1 && redact_is_behind_oracle(s->text + at) && is_oracle(s, at, ret_match))
        return true;
    if (redact_char(s, at + 1) == '[' && redact_login(s, at + 1, ret_match))
        return true; /* behind grep's FILE:12: */
    if (redact_is_behind_pgpass(s->text + at) && at + 1 < s->len &&
        redact_pgpass(s, at + 1, ret_match))
        return true;
    if (!redact_at(s, at, "://") || at == 0 || !redact_in(s->text[at - 1], CLASS_ALNUM))
        return false;
    if (redact_proxy(s, at, ret_match) || redact_stream(s, at, ret_match) ||
        redact_link(s, at + 3, ret_match))
        return true;
    size_t user = at + 3, end = user, colon = 0, sign = 0;
    if (user < s->len && s->text[user] == '[') { /* an address of IPv6 */
        size_t to = redact_run(s, user + 1, CLASS_HEX | CLASS_COLON | CLASS_DOT);
        end = to < s->len && s->text[to] == ']' ? to + 1 : user;
    }
    size_t quote = quoted_to(s, at);
    for (; end < s->len && end - user < URL_MOST; end++) {
        char c = s->text[end];
        if (c == ' ' && colon && end < quote && !sign &&
            !redact_in(s->text[colon + 1], CLASS_DIGIT) && memchr(s->text + end, '@', quote - end))
            continue; /* nothing else can be in these quotes */
        if (redact_in(c, CLASS_NAME) ||
            (c == '`' && colon && redact_in(s->text[end - 1], CLASS_ALNUM) &&
             redact_in(redact_char(s, end + 1), CLASS_ALNUM)))
            continue;
        if (redact_in(c, CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK | CLASS_LESS) ||
            c == '>' || !c || (c == '/' && !colon) || (c == ':' && redact_at(s, end, "://")) ||
            (sign && (c == '/' || c == '?' || c == '#') &&
             (!colon || !is_of_password(s, sign, end))))
            break;
        if (c == ':' && !colon)
            colon = end;
        if (c == '@')
            sign = end;
    }
    if (!sign || (colon && colon > sign))
        return false;
    if (at >= 5 && redact_at(s, at - 5, "force") && colon && sign - colon >= USER_MIN_LEN) {
        *ret_match = (struct redact_match){at - 5, end, "salesforce-token"};
        return true; /* all of `sf org display` goes by it */
    }
    bool user_only = colon && redact_at(s, colon, ":x-oauth-basic@"); /* the user is the token */
    size_t from = colon && !user_only ? colon + 1 : user;
    if (from == sign || (!colon && sign - user < USER_MIN_LEN) ||
        redact_is_placeholder(s, from, sign) ||
        (colon && memchr(s->text + colon, '/', sign - colon) &&
         redact_in(s->text[colon + 1], CLASS_DIGIT)))
        return false; /* host:8080/path@2 */
    struct redact_reached name = {.from = user, .to = colon};
    if (colon >= user + USER_MIN_LEN && redact_strength(s, &name) == REDACT_RANDOM && !user_only)
        from = user; /* half of the secret */
    *ret_match = (struct redact_match){from, sign, "url-password"};
    return true;
}
