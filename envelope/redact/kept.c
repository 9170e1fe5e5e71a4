/* Secrets that files keep below or beside a word that is like no other: the codes below
 * google-authenticator's options, WeeChat's `[data]`, NuGet's `<apikeys>`, RubyGems' credentials,
 * OpenVPN's logins, Exim's passwd.client, debconf's answers, and the second form of Elasticsearch's
 * keys. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define BACK_MOST     200 /* bytes in front in which a file's name, or its first word, stands */
#define BLOCK_MOST    4096
#define CODE          8  /* digits of a code */
#define RANDOM_LEAST  20 /* characters of a key of RubyGems' */
#define ENCODED_LEAST 32

struct kept {
    struct redact_match *items;
    int count;
};

static void add(struct kept *k, size_t from, size_t to)
{
    if (to > from && k->count < REDACT_ITEMS)
        k->items[k->count++] = (struct redact_match){from, to, "value"};
}

static bool is_in_front(const struct redact_scan *s, size_t at, const char *word)
{
    size_t back = at > BACK_MOST ? at - BACK_MOST : 0;
    return memmem(s->text + back, at - back, word, strlen(word)) != NULL;
}

/* Behind the options, which begin with `" `, codes of eight digits, one a line; the secret is in
 * the line above the options (daemon.c). */
static void read_codes(struct redact_scan *s, size_t at, size_t line, struct kept *k)
{
    struct redact_match secret;
    if (at < 2 || !redact_at(s, at - 2, "\" "))
        return;
    if (redact_daemon(s, at, line, &secret))
        add(k, secret.from, secret.to);
    size_t most = s->len - line < BLOCK_MOST ? s->len : line + BLOCK_MOST;
    for (size_t from = line + 1; from < most; from = redact_line_end(s, from) + 1) {
        size_t to = redact_run(s, from, CLASS_DIGIT);
        if (redact_at(s, from, "\" "))
            continue;
        if (k->count == REDACT_ITEMS || to != from + CODE ||
            redact_in(redact_char(s, to), CLASS_NAME))
            return;
        add(k, from, to);
    }
}

/* `libera = "X"` on the lines below. */
static void read_data(struct redact_scan *s, size_t line, struct kept *k)
{
    size_t most = s->len - line < BLOCK_MOST ? s->len : line + BLOCK_MOST;
    for (size_t from = line + 1, end; from < most; from = end + 1) {
        size_t name = redact_run(s, from, CLASS_NAME);
        end = redact_line_end(s, from);
        if (name == from || !redact_at(s, name, " = \"") || s->text[end - 1] != '"')
            return;
        add(k, name + 4, end - 1);
    }
}

/* `<add key="address" value="X" />` up to the element's end. */
static void read_api_keys(struct redact_scan *s, size_t end, struct kept *k)
{
    size_t most = s->len - end < BLOCK_MOST ? s->len : end + BLOCK_MOST;
    const char *close = memmem(s->text + end, most - end, "</apikeys>", 10);
    size_t to = close ? (size_t)(close - s->text) : most;
    for (size_t at = end; at < to;) {
        const char *value = memmem(s->text + at, to - at, "value=\"", 7);
        if (!value)
            return;
        size_t from = (size_t)(value - s->text) + 7, quote = redact_line_end(s, from);
        const char *stop = memchr(s->text + from, '"', quote - from);
        if (!stop)
            return;
        at = (size_t)(stop - s->text);
        if (!redact_is_placeholder(s, from, at > from ? at : from + 1))
            add(k, from, at);
    }
}

/* `<auth-user-pass>` over a line of a user and one of X. */
static void read_user_pass(struct redact_scan *s, size_t at, size_t end, struct kept *k)
{
    size_t user = end + 1 + (redact_char(s, end + 1) == '\r') + 1;
    size_t from = redact_line_end(s, user) + 1;
    if (!at || s->text[at - 1] != '<' || user >= s->len || s->text[user - 1] != '\n' ||
        from >= s->len)
        return;
    size_t line = redact_line_end(s, from), to = line - (s->text[line - 1] == '\r');
    if (to > from && redact_at(s, line + 1, "</auth-user-pass>") &&
        !redact_is_placeholder(s, from, to))
        add(k, from, to);
}

/* `:host: X`, as RubyGems keeps it. */
static void read_symbol(struct redact_scan *s, size_t at, size_t end, struct kept *k)
{
    size_t from = redact_run(s, end + 1, CLASS_BLANK), to = redact_run(s, from, CLASS_ALNUM);
    struct redact_reached v = {.from = from, .to = to};
    if (from > end + 1 && to - from >= RANDOM_LEAST && to == redact_line_end(s, from) &&
        redact_strength(s, &v) == REDACT_RANDOM &&
        (is_in_front(s, at, "rubygems_") || is_in_front(s, at, "gem/credentials")))
        add(k, from, to);
}

/* `host:user:X` below the name of Exim's file. */
static void read_client(struct redact_scan *s, size_t at, size_t end, struct kept *k)
{
    size_t user = redact_run(s, end + 1, CLASS_NAME), line;
    if (user == end + 1 || redact_char(s, user) != ':' || !memchr(s->text + at, '.', end - at))
        return;
    user += redact_char(s, user) == '@' ? redact_run(s, user + 1, CLASS_NAME) - user : 0;
    line = redact_line_end(s, user);
    if (line > user + 4 && redact_run(s, user, ~(uint32_t)CLASS_SPACE) == line &&
        is_in_front(s, at, "passwd.client"))
        add(k, user + 1, line);
}

/* tac_plus' `login = cleartext "X"`. */
static void read_cleartext(struct redact_scan *s, size_t at, size_t end, struct kept *k)
{
    struct redact_value v;
    size_t value = redact_run(s, end, CLASS_BLANK);
    if (at >= 2 && redact_at(s, at - 2, "= ") && redact_read_value(s, value, false, &v) &&
        REDACT_ONE_OF(redact_char(s, redact_run(s, v.end, CLASS_BLANK)), "\r\n}") &&
        !redact_is_placeholder(s, v.from, v.to))
        add(k, v.from, v.to);
}

/* Moodle's `passwordsaltmain = 'X'`. */
static void read_salt(struct redact_scan *s, size_t end, struct kept *k)
{
    struct redact_value v;
    if (redact_at(s, end, " = '") && redact_read_value(s, end + 3, false, &v) &&
        v.to >= v.from + CODE && !redact_is_placeholder(s, v.from, v.to))
        add(k, v.from, v.to);
}

/* `"encoded": "X"` beside `"api_key"`: id and key of Elasticsearch in base64. */
static void read_encoded(struct redact_scan *s, size_t at, size_t end, struct kept *k)
{
    size_t sign = redact_run(s, end + 1, CLASS_BLANK), from, to;
    if (redact_char(s, sign) != ':')
        return;
    from = redact_run(s, sign + 1, CLASS_BLANK) + 1;
    to = from < s->len ? redact_run(s, from, CLASS_ALNUM | CLASS_BASE64) : from;
    if (to >= from + ENCODED_LEAST && redact_char(s, to) == '"' && is_in_front(s, at, "api_key\""))
        add(k, from, to);
}

bool redact_may_keep(const struct redact_scan *s, size_t at, size_t end, char next)
{
    char first = s->text[at];
    if (redact_may_be_manifest(s, at, end))
        return true;
    if (next == ' ')
        return (first == '_' && redact_at(s, at, "__passphrase__ = o")) ||
               (first == 'c' && end - at == 9 && redact_at(s, at, "cleartext")) ||
               (first == 'p' && end - at == 16 && redact_at(s, at, "passwordsaltmain"));
    if (next == ':')
        return at && s->text[at - 1] != '\n'
                   ? s->text[at - 1] == ':' && redact_char(s, end + 1) == ' ' &&
                         (at == 1 || s->text[at - 2] == '\n')
                   : redact_in(redact_char(s, end + 1), CLASS_ALNUM);
    return (first == 'T' && end - at == 9 && next == '\n' && redact_at(s, at, "TOTP_AUTH")) ||
           (first == 'a' && end - at == 7 && next == '>' && redact_at(s, at, "apikeys")) ||
           (first == 'a' && end - at == 14 && next == '>' && redact_at(s, at, "auth-user-pass")) ||
           (first == 'e' && end - at == 7 && next == '"' && redact_at(s, at, "encoded"));
}

int redact_keep(struct redact_scan *s, size_t at, size_t end,
                struct redact_match ret_items[REDACT_ITEMS])
{
    struct kept k = {.items = ret_items};
    size_t line = redact_line_end(s, end);
    if (redact_may_be_manifest(s, at, end))
        return redact_manifest(s, at, end, ret_items);
    switch (redact_char(s, end)) {
    case '\n':
        read_codes(s, at, line, &k);
        break;
    case '>':
        if (end - at == 14)
            read_user_pass(s, at, end, &k);
        else
            read_api_keys(s, end, &k);
        break;
    case '"':
        read_encoded(s, at, end, &k);
        break;
    case ' ':
        if (s->text[at] == '_')
            read_data(s, line, &k);
        else if (s->text[at] == 'p')
            read_salt(s, end, &k);
        else
            read_cleartext(s, at, end, &k);
        break;
    default:
        if (at && s->text[at - 1] == ':')
            read_symbol(s, at, end, &k);
        else
            read_client(s, at, end, &k);
    }
    return k.count;
}

/* `passwd/root-password password X`, as debconf is told its answers. */
bool redact_answer(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t from = end + 10, line = redact_line_end(s, end), to = line;
    if (!at || s->text[at - 1] != '/' || !redact_at(s, end, " password ") || line <= from)
        return false;
    from = redact_run(s, from, CLASS_BLANK);
    to -= to > from && s->text[to - 1] == '\r';
    for (size_t i = redact_line_start(s, at, BACK_MOST); i < at; i++)
        if (REDACT_ONE_OF(s->text[i], "\"'")) { /* echo "..." | debconf-set-selections */
            const char *close = memchr(s->text + from, s->text[i], to - from);
            to = close ? (size_t)(close - s->text) : to;
            break;
        }
    *ret_match = (struct redact_match){from, to, "value"};
    return to > from && !redact_is_placeholder(s, from, to);
}

bool redact_commented(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t start = redact_line_start(s, at, BACK_MOST), name = end + 1, sign, line;
    if (!REDACT_ONE_OF(redact_char(s, start), "#;") || end >= s->len ||
        redact_tells(s, at, end - at) != TELLS_ALL)
        return false;
    sign = name + (redact_char(s, name) == '$');
    sign = redact_run(s, sign, CLASS_NAME);
    sign += redact_char(s, sign) == '$';
    line = redact_line_end(s, sign);
    struct redact_reached v = {.from = sign + 1, .to = line};
    if (redact_char(s, sign) != '=' || line < v.from + CODE || redact_is_path(s, v.from, line) ||
        redact_run(s, sign, ~(uint32_t)CLASS_SPACE) != line ||
        redact_is_placeholder(s, v.from, line) || memmem(s->text + v.from, line - v.from, "://", 3))
        return false;
    *ret_match = (struct redact_match){v.from, line, "value"};
    return redact_strength(s, &v) >= REDACT_MIXED ||
           (redact_has_digit(s, v.from, line) && redact_has_sign(s, v.from, line)) ||
           redact_is_garbled(s, v.from, line);
}
