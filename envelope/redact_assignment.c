/* Secrets given away by where they stand: `NAME=value`, `"name": "value"`, `--name value`, and
 * `scheme://user:password@host`. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "envelope/redact_private.h"

#define NAME_MAX_LEN  64
#define VALUE_MAX_LEN 4096
#define USER_MIN_LEN  20 /* a user name without password that is this long is a token */

/* What the last word of a telling name is. `any`: whatever it is set to is secret; otherwise only
 * what holds a digit is, because programs speak of tokens and keys in prose. */
static const struct ending {
    const char *word;
    bool any;
} endings[] = {
    {"password", true},    {"passwd", true},       {"passphrase", true},     {"secret", true},
    {"pwd", true},         {"secret_key", true},   {"secretkey", true},      {"token", false},
    {"apikey", false},     {"api_key", false},     {"api-key", false},       {"access_key", false},
    {"access-key", false}, {"private_key", false}, {"private-key", false},   {"auth_key", false},
    {"credential", false}, {"credentials", false}, {"client_secret", true},  {"_pat", false},
    {"accountkey", false}, {"account_key", false}, {"encryption_key", true}, {"signing_key", true},
    {"secret-key", true},  {"master_key", true},   {"cookie", false},
};

static const struct ending *ending_of(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t word = strlen(endings[i].word);
        if (len < word || strncasecmp(name + len - word, endings[i].word, word))
            continue;
        /* PWD and OLDPWD are directories; `pwd` alone tells only as DB_PWD does */
        if (endings[i].word[0] == 'p' && word == 3 && (len == word || name[len - 4] != '_'))
            continue;
        return &endings[i];
    }
    return NULL;
}

bool redact_is_telling(const char *name, size_t len)
{
    return ending_of(name, len) != NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The separator behind a name that ends at `at`: quotes and blanks around = or :, or for an option
 * a blank alone. Returns where the value begins, 0 when there is none. */
static size_t skip_separator(const char *text, size_t len, size_t at, bool option, char *ret_quote)
{
    size_t start = at;
    *ret_quote = 0;
    if (at < len && (text[at] == '"' || text[at] == '\''))
        at++;
    while (at < len && is_blank(text[at]))
        at++;
    if (at < len && (text[at] == '=' || text[at] == ':')) {
        at++;
        at += at < len && text[at - 1] == ':' && text[at] == '='; /* := */
        while (at < len && is_blank(text[at]))
            at++;
    } else if (!option || at == start) {
        return 0;
    }
    if (at < len && (text[at] == '"' || text[at] == '\''))
        *ret_quote = text[at++];
    return at;
}

static size_t value_length(const char *text, size_t len, size_t at, char quote)
{
    size_t end = at;
    while (end < len && text[end] != '\n' &&
           (quote ? text[end] != quote
                  : !isspace((unsigned char)text[end]) && !strchr("\"'`;,&|)}]>", text[end])))
        end++;
    return end - at;
}

static bool is_secret_value(const char *value, size_t len, size_t min, bool any)
{
    size_t digits = 0, stars = 0;
    if (len < min || len > VALUE_MAX_LEN || strchr("$<[{(*%", value[0]))
        return false;
    for (size_t i = 0; i < len; i++) {
        digits += isdigit((unsigned char)value[i]) != 0;
        stars += value[i] == '*' || value[i] == '.';
    }
    return stars < len && (any || digits > 0);
}

bool redact_assignment(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    char quote;
    if (!redact_starts_word(text, at) || (at > 0 && text[at - 1] == '$'))
        return false;
    size_t dashes = at >= 2 && text[at - 1] == '-' && text[at - 2] == '-' ? 2 : 0;
    size_t name = redact_run(text, len, at, CLASS_WORD | CLASS_DOT);
    if (!name || name > NAME_MAX_LEN || redact_in(text[at], CLASS_DASH | CLASS_DOT | CLASS_DIGIT))
        return false;
    const struct ending *ending = ending_of(text + at, name);
    if (!ending)
        return false;
    size_t value = skip_separator(text, len, at + name, dashes > 0, &quote);
    size_t value_len = value ? value_length(text, len, value, quote) : 0;
    bool upper = redact_run(text, len, at, CLASS_UPPER | CLASS_DIGIT | CLASS_UNDER) == name;
    bool equals = value && memchr(text + at + name, '=', value - at - name);
    bool any = (ending->any && (equals || quote)) || (upper && equals);
    size_t min = any ? 4 : ending->any ? 6 : 8;
    if (!value_len || !is_secret_value(text + value, value_len, min, any))
        return false;
    *ret_match = (struct redact_match){value, value + value_len, "value"};
    return true;
}

bool redact_url(const char *text, size_t len, size_t at, struct redact_match *ret_match)
{
    if (text[at] != ':' || len - at < 4 || memcmp(text + at, "://", 3) || at == 0 ||
        !redact_in(text[at - 1], CLASS_ALNUM))
        return false;
    size_t user = at + 3, end = user, colon = 0, sign = 0;
    for (; end < len && !isspace((unsigned char)text[end]) && !strchr("/?#\"'<>`", text[end]);
         end++) {
        if (text[end] == ':' && !colon)
            colon = end;
        if (text[end] == '@')
            sign = end;
    }
    if (!sign || (colon && colon > sign))
        return false;
    size_t from = colon ? colon + 1 : user;
    if (from == sign || text[from] == '$' || (!colon && sign - user < USER_MIN_LEN))
        return false;
    *ret_match = (struct redact_match){from, sign, "url-password"};
    return true;
}
