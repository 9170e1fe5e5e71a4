/* Headers of HTTP as programs print, send and quote them: `Authorization: Bearer X`,
 * `"authorization": "Basic X"`, `Cookie: id=X`. The scheme stays. */
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define SCHEME_MOST 24
#define QUOTE_MOST  7
#define ENDS_MOST   64 /* signs behind a value that do not belong to it */
#define TORN_LEAST  8
#define TORN_MOST   64
#define COOKIE_MOST 8192 /* bytes in which a cookie ends */
#define NAMED_MOST  32   /* of words that say what a credential is, */
#define NAMED       (CLASS_UPPER | CLASS_LOWER | CLASS_UNDER | CLASS_DASH | CLASS_DOT)

static bool ends_in(const struct redact_scan *s, size_t at, size_t end, const char *word)
{
    size_t len = strlen(word);
    return end - at >= len && redact_at(s, end - len, word) &&
           (end - at == len || !redact_in(s->text[end - len - 1], CLASS_ALNUM) ||
            (end - at == len + 1 && at > 0 && s->text[at - 1] == '\\'));
}

static size_t skip_quotes(const struct redact_scan *s, size_t at, char *ret_quote)
{
    size_t from = at;
    while (redact_char(s, at) == '\\' && at - from < QUOTE_MOST)
        at++;
    if (redact_char(s, at) != '"' && redact_char(s, at) != '\'' && redact_char(s, at) != '`')
        return from;
    *ret_quote = s->text[at];
    return at + 1;
}

/* Where the header's value begins; 0 where there is none. */
static size_t find_value(struct redact_scan *s, size_t name, size_t end, char *ret_quote,
                         bool *ret_tight)
{
    char name_quote = 0;
    size_t at = skip_quotes(s, end, &name_quote);
    at += redact_char(s, at) == ']' ? 1 : 0;
    size_t sign = redact_run(s, at, CLASS_BLANK);
    if (!REDACT_ONE_OF(redact_char(s, sign), ":=,") || sign - at > 8)
        return 0;
    sign += redact_char(s, sign + 1) == '>' ? 2 : 1;
    size_t value = redact_run(s, sign, CLASS_BLANK);
    *ret_tight = value == sign;
    *ret_quote = 0;
    size_t from = skip_quotes(s, value, ret_quote);
    if (!*ret_quote && name > 0 && REDACT_ONE_OF(s->text[name - 1], "\"'") && !name_quote)
        *ret_quote = s->text[name - 1];
    return from;
}

/* The end of the value: its quote, or the line's end. */
static size_t value_end(struct redact_scan *s, size_t at, char quote)
{
    uint32_t out = quote == '"'    ? CLASS_DOUBLE
                   : quote == '\'' ? CLASS_SINGLE
                   : quote         ? CLASS_TICK
                                   : 0;
    size_t end = redact_run(s, at, CLASS_ALL & ~(out | CLASS_NEWLINE));
    for (int i = 0; i < ENDS_MOST && end > at && REDACT_ONE_OF(s->text[end - 1], "\\\r"); i++)
        end--;
    return end;
}

/* A word and a blank that what follows is told by: Bearer, Basic, token, AWS4-HMAC-SHA256. */
static size_t skip_scheme(struct redact_scan *s, size_t at, size_t end)
{
    size_t word = redact_run(s, at, CLASS_WORD), blank;
    if (word == at || word - at > SCHEME_MOST || word >= end)
        return at;
    blank = redact_run(s, word, CLASS_BLANK);
    return blank > word && blank < end ? blank : at;
}

static bool begins_code(char c)
{
    return c && REDACT_ONE_OF(c, "${<(%");
}

/* `accessToken`, `JWT_TOKEN`, `apiKey`: words of letters, one of which says what a credential is.
 */
static bool is_named_so(struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][12] = {"token",  "tokens", "jwt",         "key",
                                     "secret", "auth",   "credentials", "bearer",
                                     "pass",   "string", "value",       "password"};
    if (to - from > NAMED_MOST || redact_run(s, from, NAMED) < to)
        return false; /* most */
    for (size_t at = from; at < to;) {
        size_t end = redact_run(s, at, CLASS_UPPER), low = redact_run(s, end, CLASS_LOWER);
        end = low > end && end > at + 1 ? end - 1 : low; /* JWT, Token of JWTToken */
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (end - at == strnlen(words[i], sizeof *words) && redact_at(s, at, words[i]))
                return true;
        at = end > at ? end : at + 1;
    }
    return false;
}

static bool is_credential(struct redact_scan *s, size_t from, size_t to, size_t min)
{
    bool digits = false, mixed = false;
    if (to - from < min || begins_code(s->text[from]) || redact_is_placeholder(s, from, to) ||
        is_named_so(s, from, to))
        return false;
    for (size_t i = from; i < to && i < from + 256; i++) {
        if (REDACT_ONE_OF(s->text[i], "()[]{}<>"))
            return false;
        digits = digits || redact_in(s->text[i], CLASS_DIGIT | CLASS_BASE64);
        mixed = mixed || (i > from && redact_in(s->text[i], CLASS_UPPER) &&
                          redact_in(s->text[i - 1], CLASS_LOWER));
    }
    return digits || mixed || to - from >= 24;
}

/* `kR#9)(m&2=Lq`: brackets that are no code's, for they do not match, in what is made of all. */
bool redact_is_torn(const struct redact_scan *s, size_t from, size_t to)
{
    int open = 0;
    bool torn = false, digits = false, upper = false, lower = false;
    if (to < from + TORN_LEAST || to - from > TORN_MOST || redact_is_placeholder(s, from, to))
        return false;
    while (to > from && REDACT_ONE_OF(s->text[to - 1], ",;)}]"))
        to--; /* what is around it */
    for (size_t i = from; i < to; i++) {
        char c = s->text[i];
        if (redact_in(c, CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK) || c == '$')
            return false;
        open += REDACT_ONE_OF(c, "([{<") ? 1 : REDACT_ONE_OF(c, ")]}>") ? -1 : 0;
        torn = torn || open < 0;
        digits = digits || redact_in(c, CLASS_DIGIT);
        upper = upper || redact_in(c, CLASS_UPPER);
        lower = lower || redact_in(c, CLASS_LOWER);
    }
    return torn && digits && upper && lower && REDACT_ONE_OF(s->text[from], "([{<") == 0;
}

/* A word of small letters that is all of the value, and says of no credential what it is. */
static bool is_word_alone(struct redact_scan *s, size_t from, size_t to)
{
    static const char parts[][8] = {
        "token",  "auth",  "your", "cred", "jwt",    "key",    "secret", "bearer", "basic",
        "exampl", "dummy", "fake", "test", "valid",  "xxx",    "access", "placeh", "admin",
        "string", "passw", "foo",  "asdf", "sample", "header", "value",  "policy", "scheme"};
    return redact_is_lone_word(s, from, to) && !REDACT_HOLDS(s, from, to, parts);
}

/* `Bearer`, `token`, `Basic`: schemes whose credential may be a word. */
static bool is_usual_scheme(const struct redact_scan *s, size_t at)
{
    static const char *const schemes[] = {"bearer ", "token ", "basic ", "apikey "};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (redact_at(s, at, schemes[i]))
            return true;
    return false;
}

/* Whether [from, to), the last of the value that begins at `at`, is one whatever it is made of:
 * behind a scheme, or in a header as it is sent. */
static bool is_only(struct redact_scan *s, size_t name, size_t at, size_t from, size_t to)
{
    size_t start = redact_line_start(s, name, 3);
    bool scheme = from > at && is_usual_scheme(s, at);
    bool sent =
        from == at && s->text[name] == 'A' && start + 2 == name && redact_at(s, start, "> ");
    return ((scheme || sent) && is_word_alone(s, from, to)) || redact_is_torn(s, from, to);
}

static bool is_authorization(struct redact_scan *s, size_t name, size_t name_end,
                             struct redact_match *ret_match)
{
    char quote;
    bool tight;
    size_t at = find_value(s, name, name_end, &quote, &tight);
    if (!at || at >= s->len || (!quote && memchr(s->text + name_end, '=', at - name_end)))
        return false;
    size_t end = value_end(s, at, quote), from = skip_scheme(s, at, end);
    *ret_match = (struct redact_match){from, end, "authorization"};
    if (from < end && is_only(s, name, at, from, end))
        return true;
    if (from >= end || begins_code(s->text[from]))
        return false;
    size_t word = redact_run(s, from, CLASS_ALL & ~(uint32_t)CLASS_BLANK);
    word = word < end ? word : end;
    bool list = word < end && from > at && word > from &&
                (s->text[word - 1] == ',' || memchr(s->text + from, '=', word - from));
    if (!list || (tight && !quote && from == at))
        end = word;
    for (int i = 0; i < ENDS_MOST && end > from && REDACT_ONE_OF(s->text[end - 1], ",;)}]"); i++)
        end--;
    if (end > from && !quote && REDACT_ONE_OF(s->text[end - 1], "\"'"))
        end--;
    if (!is_credential(s, from, end, from > at ? 6 : 8))
        return false;
    *ret_match = (struct redact_match){from, end, "authorization"};
    return true;
}

/* `bearer` and a credential, wherever it stands; `"Basic X"` in quotes. */
static bool is_scheme(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    bool bearer = ends_in(s, at, end, "bearer");
    bool basic = end - at == 5 && redact_at(s, at, "basic") && at > 0 &&
                 REDACT_ONE_OF(s->text[at - 1], "\"'");
    if (!bearer && !basic)
        return false;
    bool listed = bearer && redact_at(s, end, ", "); /* Sec-WebSocket-Protocol */
    size_t from = redact_run(s, end + listed, CLASS_BLANK);
    if (redact_at(s, end, "%20"))
        from = end + 3;
    size_t to =
        redact_run(s, from, CLASS_NAME | CLASS_BASE64 | CLASS_TILDE | CLASS_PERCENT | CLASS_COLON);
    while (to > from && redact_in(s->text[to - 1], CLASS_DOT | CLASS_COLON))
        to--;
    if (from == end || to - from < (bearer ? 12 : 8))
        return false; /* most */
    if (redact_char(s, to) == ':' && redact_run(s, from, CLASS_UPPER | CLASS_LOWER) == to)
        return false; /* `scheme: bearer, bearerFormat: JWT` */
    bool digits = false;
    for (size_t i = from; i < to && i < from + 64; i++)
        digits = digits || redact_in(s->text[i], CLASS_DIGIT | CLASS_UPPER);
    size_t upper = 0;
    for (size_t i = from + 1; i < to && i < from + 64; i++)
        upper += redact_in(s->text[i], CLASS_UPPER);
    if (basic && (upper < 2 || (to - from) % 4))
        return false;
    size_t name = redact_run(s, from, CLASS_LOWER | CLASS_UNDER); /* `type=bearer ttl=3600s` */
    if (redact_char(s, name) == '=' && redact_in(redact_char(s, name + 1), CLASS_ALNUM))
        return false;
    if (!digits || redact_is_placeholder(s, from, to) || is_named_so(s, from, to))
        return false;
    *ret_match = (struct redact_match){from, to, "authorization"};
    return true;
}

/* Ruby's `:basic, 'user', 'X'`. */
static bool is_symbol(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value user, v;
    size_t from = redact_run(s, end + 1, CLASS_BLANK);
    if (end - at != 5 || !at || s->text[at - 1] != ':' || !redact_at(s, at, "basic") ||
        !REDACT_ONE_OF(redact_char(s, from), "'\"") || !redact_read_value(s, from, false, &user) ||
        redact_char(s, user.end) != ',')
        return false;
    from = redact_run(s, user.end + 1, CLASS_BLANK);
    if (!REDACT_ONE_OF(redact_char(s, from), "'\"") || !redact_read_value(s, from, false, &v) ||
        memchr(s->text + v.from, ' ', v.to - v.from) || !is_credential(s, v.from, v.to, 6))
        return false;
    *ret_match = (struct redact_match){v.from, v.to, "authorization"};
    return true;
}

/* Of Cookie all of it, of Set-Cookie the first value: which of them is a session's nobody knows. */
static bool is_cookie(struct redact_scan *s, size_t name, size_t name_end,
                      struct redact_match *ret_match)
{
    char quote;
    bool tight, set = ends_in(s, name, name_end, "set-cookie");
    if (!set && !ends_in(s, name, name_end, "cookie"))
        return false;
    size_t at = find_value(s, name, name_end, &quote, &tight);
    if (!at || at >= s->len)
        return false;
    size_t end = value_end(s, at, quote);
    const char *equals = memchr(s->text + at, '=', end - at < 128 ? end - at : 128);
    if (!equals || redact_run(s, at, CLASS_NAME | CLASS_PERCENT) != (size_t)(equals - s->text))
        return false;
    size_t from = (size_t)(equals - s->text) + 1;
    if (end < from + 6 || REDACT_ONE_OF(s->text[from], "${<"))
        return false;
    const char *semicolon =
        set ? memchr(s->text + from, ';', end - from < COOKIE_MOST ? end - from : COOKIE_MOST)
            : NULL;
    end = semicolon ? (size_t)(semicolon - s->text) : end;
    if (end < from + 6 || redact_is_placeholder(s, from, end))
        return false;
    *ret_match = (struct redact_match){from, end, "cookie"};
    return true;
}

/* `--url https://... --session X`: hexadecimal digits, with dashes or not, by which a server knows
 * who asks. */
static bool is_session(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t from = end + 1, to = redact_run(s, from, CLASS_HEX | CLASS_DASH);
    if (!redact_at(s, at, "--session") || end - at != 9 ||
        !REDACT_ONE_OF(redact_char(s, end), " =") || to < from + 32 || to > from + 80 ||
        redact_in(redact_char(s, to), CLASS_WORD))
        return false; /* most */
    size_t line = redact_line_start(s, at, REDACT_LINE_LOOKED_AT), last = redact_line_end(s, to);
    size_t most = last - to > REDACT_LINE_LOOKED_AT ? to + REDACT_LINE_LOOKED_AT : last;
    static const char asked[][8] = {"://", "--url", "--host", "--serve", "--endpo"};
    *ret_match = (struct redact_match){from, to, "session"};
    return redact_has_digit(s, from, to) &&
           (REDACT_HOLDS(s, line, at, asked) || REDACT_HOLDS(s, to, most, asked));
}

bool redact_header(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    switch (s->text[end - 1] | 0x20) {
    case 'n':
        return (ends_in(s, at, end, "authorization") || ends_in(s, at, end, "x-session"))
                   ? is_authorization(s, at, end, ret_match)
                   : s->text[at] == '-' && is_session(s, at, end, ret_match);
    case 'r':
        return is_scheme(s, at, end, ret_match);
    case 'c':
        return redact_char(s, end) == ',' ? is_symbol(s, at, end, ret_match)
                                          : is_scheme(s, at, end, ret_match);
    case 'e':
        return is_cookie(s, at, end, ret_match);
    default:
        return false;
    }
}
