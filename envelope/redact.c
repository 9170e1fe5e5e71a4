#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "envelope/redact_private.h"

#define SECRET_MIN 6 /* shorter values are words that appear everywhere */

struct redact_secrets {
    size_t count;
    struct secret {
        char *type; /* `env:NAME` */
        char *value;
        size_t len;
    } list[LIMIT_SECRETS];
};

/* ---- characters ---- */

bool redact_in(char c, unsigned set)
{
    unsigned is = c >= '0' && c <= '9'               ? CLASS_DIGIT
                  : c >= 'A' && c <= 'Z'             ? CLASS_UPPER
                  : c >= 'a' && c <= 'f'             ? CLASS_LOWER | CLASS_HEX
                  : c >= 'g' && c <= 'z'             ? CLASS_LOWER
                  : c == '_'                         ? CLASS_UNDER
                  : c == '-'                         ? CLASS_DASH
                  : c == '.'                         ? CLASS_DOT
                  : c == '+' || c == '/' || c == '=' ? CLASS_BASE64
                                                     : 0;
    return (is & set) != 0;
}

size_t redact_run(const char *text, size_t len, size_t at, unsigned set)
{
    size_t from = at;
    while (at < len && redact_in(text[at], set))
        at++;
    return at - from;
}

bool redact_starts_word(const char *text, size_t at)
{
    return at == 0 || !redact_in(text[at - 1], CLASS_ALNUM | CLASS_UNDER);
}

/* ---- known values ---- */

/* Names that end in a telling word but hold a place, not a secret. */
static bool holds_place(const char *name, size_t len, const char *value)
{
    static const char *const endings[] = {"_SOCK", "_FILE", "_PATH",
                                          "_DIR",  "_URI",  "_CREDENTIALS"};
    if (*value != '/' && *value != '~')
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (len >= ending && !memcmp(name + len - ending, endings[i], ending))
            return true;
    }
    return false;
}

static char *text_of(const char *before, const char *text, size_t len)
{
    size_t head = strlen(before);
    char *copy = memory_try(head + len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, before, head);
    memcpy(copy + head, text, len);
    return copy;
}

static bool add_secret(struct redact_secrets *secrets, const char *name, size_t name_len,
                       const char *value, size_t len)
{
    struct secret *s = &secrets->list[secrets->count++];
    *s = (struct secret){text_of("env:", name, name_len), text_of("", value, len), len};
    return s->type && s->value;
}

int redact_secrets_create(const char *environ, size_t len, struct redact_secrets **ret_secrets)
{
    struct redact_secrets *secrets = memory_try(sizeof *secrets);
    const char *at = environ, *end = environ + len;
    bool all = secrets != NULL;
    while (all && at < end && secrets->count < LIMIT_SECRETS) {
        size_t entry = strnlen(at, (size_t)(end - at));
        const char *equals = memchr(at, '=', entry);
        size_t name = equals ? (size_t)(equals - at) : 0;
        size_t value = equals ? entry - name - 1 : 0;
        if (value >= SECRET_MIN && name <= LIMIT_NAME_BYTES && redact_is_telling(at, name) &&
            !holds_place(at, name, equals + 1))
            all = add_secret(secrets, at, name, equals + 1, value);
        at += entry + 1;
    }
    if (!all || !secrets->count) {
        redact_secrets_destroy(secrets);
        secrets = NULL;
    }
    if (all)
        *ret_secrets = secrets;
    return all ? 0 : -ENOMEM;
}

void redact_secrets_destroy(struct redact_secrets *secrets)
{
    for (size_t i = 0; secrets && i < secrets->count; i++) {
        if (secrets->list[i].value)
            explicit_bzero(secrets->list[i].value, secrets->list[i].len);
        free(secrets->list[i].value);
        free(secrets->list[i].type);
    }
    free(secrets);
}

/* The longest known value that begins here. */
static bool is_known(const struct redact_secrets *secrets, const char *text, size_t len, size_t at,
                     struct redact_match *ret_match)
{
    size_t longest = 0;
    for (size_t i = 0; secrets && i < secrets->count; i++) {
        const struct secret *s = &secrets->list[i];
        if (s->len > longest && s->len <= len - at && !memcmp(text + at, s->value, s->len)) {
            longest = s->len;
            *ret_match = (struct redact_match){at, at + s->len, s->type};
        }
    }
    return longest > 0;
}

/* ---- text ---- */

/* An assignment, called after the shape of its value where that says more. */
static bool is_assigned(const struct redact_secrets *secrets, const char *text, size_t len,
                        size_t at, struct redact_match *ret_match)
{
    struct redact_match inner;
    if (!redact_assignment(text, len, at, ret_match))
        return false;
    size_t value = ret_match->from;
    if (redact_pem(text, len, value, &inner))
        *ret_match = inner;
    else if (is_known(secrets, text, len, value, &inner) || redact_token(text, len, value, &inner))
        ret_match->type = inner.type;
    return true;
}

static bool find(const struct redact_secrets *secrets, const char *text, size_t len, size_t at,
                 struct redact_match *ret_match)
{
    return is_known(secrets, text, len, at, ret_match) || redact_pem(text, len, at, ret_match) ||
           redact_token(text, len, at, ret_match) || redact_url(text, len, at, ret_match) ||
           is_assigned(secrets, text, len, at, ret_match);
}

/* Who hears of what is found in which text. */
struct search {
    const char *text;
    const struct redact_secrets *secrets;
    redact_found *found;
    void *user;
};

/* Tells of one match, and before of known values in front of it, one of which may reach into it.
 * Returns where to go on. */
static size_t report(const struct search *s, size_t len, size_t at,
                     const struct redact_match *match)
{
    while (at < match->from) {
        struct redact_match known;
        bool is = is_known(s->secrets, s->text, len, at, &known);
        if (is)
            s->found(s->user, known.from, known.to, known.type);
        at = is ? known.to : at + 1;
    }
    if (at < match->to)
        s->found(s->user, at, match->to, match->type);
    return at < match->to ? match->to : at;
}

static void search(const struct search *s, size_t len)
{
    struct redact_match match;
    size_t at = 0;
    if (redact_pem_tail(s->text, len, &match)) {
        search(s, match.from); /* in front of the body there may be anything */
        at = report(s, len, match.from, &match);
    }
    while (at < len)
        if (find(s->secrets, s->text, len, at, &match) && match.to > match.from)
            at = report(s, len, at, &match);
        else
            at++;
}

void redact_find(const char *text, size_t len, const struct redact_secrets *secrets,
                 redact_found *found, void *user)
{
    search(&(struct search){text, secrets, found, user}, len);
}

struct replacing {
    const char *text;
    size_t at; /* up to here it is in `out` */
    int count;
    struct bytes *out;
};

static void replace(void *user, size_t from, size_t to, const char *type)
{
    struct replacing *r = user;
    bytes_append(r->out, r->text + r->at, from - r->at);
    bytes_printf(r->out, "[redacted:%s]", type);
    r->at = to;
    r->count++;
}

int redact_text(const char *text, size_t len, const struct redact_secrets *secrets,
                struct bytes *out)
{
    struct replacing r = {.text = text, .out = out};
    redact_find(text, len, secrets, replace, &r);
    bytes_append(out, text + r.at, len - r.at);
    return r.count;
}
