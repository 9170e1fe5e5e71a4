/* Values that are secret wherever they stand: those of an environment. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "envelope/redact/known.h"

#define LONG_MIN 16

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

/* What a name says little of has to be long. */
static bool is_secret(const char *name, size_t len, size_t value)
{
    enum redact_telling tells = redact_telling(name, len);
    return tells == TELLS_LONG ? value >= LONG_MIN : tells != TELLS_NOTHING;
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

static void note_first(struct redact_secrets *secrets, char first)
{
    secrets->first[(unsigned char)first / 8] |= (unsigned char)(1 << (unsigned char)first % 8);
}

static void wipe(struct bytes *text)
{
    if (text->data)
        explicit_bzero(text->data, text->capacity);
    bytes_finish(text);
}

/* One with accents is looked for as it is seen, too: with something unseen in its midst, or with
 * its accents spelled otherwise, it stands nowhere as it is. */
static bool fold_secret(struct redact_secrets *secrets, struct secret *s)
{
    struct redact_fold fold = {.from = s->value};
    if (redact_folds_of(s->value, s->len) == FOLDS_NOTHING)
        return true;
    if (!redact_fold(&fold, s->len))
        return false;
    s->folded = fold.text;
    fold.text = (struct bytes){0};
    redact_fold_finish(&fold);
    if (s->folded.len < SECRET_MIN)
        wipe(&s->folded);
    else
        note_first(secrets, *s->folded.data);
    return true;
}

static bool add_secret(struct redact_secrets *secrets, const char *name, size_t name_len,
                       const char *value, size_t len)
{
    struct secret *s = &secrets->list[secrets->count++];
    *s = (struct secret){
        .type = text_of("env:", name, name_len), .value = text_of("", value, len), .len = len};
    note_first(secrets, *value);
    return s->type && s->value && fold_secret(secrets, s);
}

/* Without what is around it, which a program may leave out: a file of Windows that a shell reads
 * leaves a \r at the end of each. Returns the length. */
static size_t trim(const char **value, const char *end)
{
    while (*value < end && redact_in(**value, CLASS_SPACE))
        ++*value;
    while (end > *value && redact_in(end[-1], CLASS_SPACE))
        end--;
    return (size_t)(end - *value);
}

int redact_secrets_create(const char *environ, size_t len, struct redact_secrets **ret_secrets)
{
    struct redact_secrets *secrets = memory_try(sizeof *secrets);
    const char *at = environ, *end = environ + len;
    bool all = secrets != NULL;
    if (all)
        secrets->references = 1;
    while (all && at < end && secrets->count < LIMIT_SECRETS) {
        size_t entry = strnlen(at, (size_t)(end - at));
        const char *equals = memchr(at, '=', entry);
        size_t name = equals ? (size_t)(equals - at) : 0;
        const char *text = equals ? equals + 1 : at;
        size_t value = equals ? trim(&text, at + entry) : 0;
        if (value >= SECRET_MIN && name <= LIMIT_NAME_BYTES && is_secret(at, name, value) &&
            !holds_place(at, name, text))
            all = add_secret(secrets, at, name, text, value);
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

struct redact_secrets *redact_secrets_ref(struct redact_secrets *secrets)
{
    if (secrets)
        secrets->references++;
    return secrets;
}

void redact_secrets_destroy(struct redact_secrets *secrets)
{
    if (!secrets || --secrets->references)
        return;
    for (size_t i = 0; i < secrets->count; i++) {
        if (secrets->list[i].value)
            explicit_bzero(secrets->list[i].value, secrets->list[i].len);
        free(secrets->list[i].value);
        wipe(&secrets->list[i].folded);
        free(secrets->list[i].type);
    }
    redact_formers_destroy(secrets->formers);
    free(secrets);
}

/* Whether the text goes on with that value. */
static bool goes_on(const char *text, size_t len, const char *value, size_t value_len)
{
    return value_len && value_len <= len && *value == *text && !memcmp(text, value, value_len);
}

bool redact_find_known(const struct redact_secrets *secrets, const char *text, size_t len,
                       size_t at, bool folded, struct redact_match *ret_match)
{
    size_t longest = 0;
    *ret_match = (struct redact_match){at, at, NULL};
    for (size_t i = 0; i < secrets->count; i++) {
        const struct secret *s = &secrets->list[i];
        size_t is = goes_on(text + at, len - at, s->value, s->len) ? s->len
                    : folded && goes_on(text + at, len - at, s->folded.data, s->folded.len)
                        ? s->folded.len
                        : 0;
        if (is > longest) {
            longest = is;
            *ret_match = (struct redact_match){at, at + is, s->type};
        }
    }
    return (redact_may_be_former(secrets->formers, text + at, len - at) &&
            redact_find_former(secrets->formers, text, len, at, ret_match)) ||
           longest > 0;
}
