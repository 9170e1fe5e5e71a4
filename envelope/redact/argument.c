/* What a call is given beside a constant that tells, `setopt(c, CURLOPT_USERPWD, "user:X")`, and
 * in front of a key that does, `set("X", forKey: "userPassword")`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define VALUE_LEAST 6
#define VALUE_MOST  128
#define LINE_MOST   200 /* bytes in front of a name that its call begins in */

/* Whether it is what one may be called with: no text of the program, no name for it. */
static bool is_given(struct redact_scan *s, size_t from, size_t to)
{
    size_t len = to - from;
    return to >= from + VALUE_LEAST && !redact_is_placeholder(s, from, to) &&
           !redact_is_remark(s, from, to) && !redact_is_path(s, from, to) &&
           !redact_is_notice(s, from, to) && !redact_tells(s, from, len) &&
           (!memchr(s->text + from, ' ', len) || redact_is_spoken(s, from, to));
}

/* Whether it is like a password, and like no name that programs have. */
static bool is_worded(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    return redact_strength(s, &v) >= REDACT_MIXED || redact_is_wordy(s, from, to) ||
           redact_is_spoken(s, from, to) || redact_is_garbled(s, from, to);
}

/* The names of constants; those of options say that a call takes what follows. */
static bool is_constant(struct redact_scan *s, size_t at, size_t end, bool *ret_option)
{
    *ret_option = redact_at(s, at, "CURLOPT_") || redact_at(s, at, "SQL_ATTR_") ||
                  redact_at(s, at, "LDAP_OPT_") || redact_at(s, at, "c.") ||
                  redact_at(s, at, "pycurl.") || redact_at(s, at, "Context.");
    const char *dot = memrchr(s->text + at, '.', end - at);
    size_t from = dot ? (size_t)(dot - s->text) + 1 : at;
    return redact_run(s, from, CLASS_UPPER | CLASS_UNDER | CLASS_DIGIT) == end;
}

bool redact_constant(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    bool option;
    size_t value = redact_run(s, end + 1, CLASS_BLANK);
    value += REDACT_ONE_OF(redact_char(s, value), "@bL");
    if (!redact_in(redact_char(s, value), CLASS_DOUBLE | CLASS_SINGLE) ||
        !is_constant(s, at, end, &option) || !at ||
        !REDACT_ONE_OF(s->text[redact_in(s->text[at - 1], CLASS_BLANK) && at > 1 ? at - 2 : at - 1],
                       "(,") ||
        redact_tells(s, at, end - at) < (option ? TELLS_CODE : TELLS_ALL) ||
        !redact_read_value(s, value, false, &v) ||
        redact_char(s, redact_run(s, v.end, CLASS_BLANK)) != ')')
        return false;
    const char *colon =
        redact_at(s, end - 3, "PWD") ? memchr(s->text + v.from, ':', v.to - v.from) : NULL;
    size_t from = colon ? (size_t)(colon - s->text) + 1 : v.from;
    *ret_match = (struct redact_match){from, v.to, "value"};
    return v.to > from && is_given(s, from, v.to) && (option || is_worded(s, from, v.to));
}

/* Where the value that ends in front of `at` begins: `"X", `, `@"X" `; 0 for none. */
static size_t value_before(const struct redact_scan *s, size_t at, size_t *ret_to)
{
    size_t to = at, least = at > LINE_MOST ? at - LINE_MOST : 0;
    while (to > least && REDACT_ONE_OF(s->text[to - 1], " ,)"))
        to--;
    char quote = to > least ? s->text[to - 1] : 0;
    if (!quote || !REDACT_ONE_OF(quote, "\"'"))
        return 0;
    size_t from = --to;
    while (from > least && s->text[from - 1] != quote && s->text[from - 1] != '\n')
        from--;
    *ret_to = to;
    return from > least && s->text[from - 1] == quote ? from : 0;
}

/* Whether what the value at `from` is given to keeps it: `keychain.set("X"`, `setString:@"X"`. */
static bool is_kept_by(const struct redact_scan *s, size_t from)
{
    static const char verbs[][10] = {"set(",    "save(",   "store(",    "put(",   "add(",
                                     "insert(", "String:", "Password:", "Object:"};
    size_t at = from > 1 && s->text[from - 2] == '@' ? from - 2 : from - 1;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        size_t len = strlen(verbs[i]);
        if (at > len && !memcmp(s->text + at - len, verbs[i], len))
            return true;
    }
    return false;
}

bool redact_for_key(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    static const struct redact_word keys[] = {REDACT_WORD("forKey:"),  REDACT_WORD("for:"),
                                              REDACT_WORD("key:"),     REDACT_WORD("account:"),
                                              REDACT_WORD("withKey:"), REDACT_WORD("forName:")};
    size_t key = at ? at - 1 : 0, from = 0, to = 0;
    if (!REDACT_ONE_OF(redact_char(s, end + 1), ")],") || !key ||
        redact_tells(s, at, end - at) < TELLS_CODE)
        return false;
    key -= s->text[key - 1] == '@';
    while (key && s->text[key - 1] == ' ')
        key--;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !from; i++)
        if (key > keys[i].len && redact_at(s, key - keys[i].len, keys[i].text))
            from = value_before(s, key - keys[i].len, &to);
    *ret_match = (struct redact_match){from, to, "value"};
    return from && to > from && is_given(s, from, to) && is_kept_by(s, from);
}
