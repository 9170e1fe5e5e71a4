/* Values that were secret in shells that have ended: what these printed is still there to be read,
 * and the values themselves are kept nowhere. A hash of six bytes is compared at each place of a
 * text, where one is met that of the last six, and where both are, and seldom else, a digest of the
 * value is made of what stands there. */
#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "envelope/redact/known.h"

#define DIGEST_MOST 256 /* bytes of a value that its digest is made of */

static void digest_of(const unsigned char key[REDACT_KEY_BYTES], const char *text, size_t len,
                      unsigned char digest[REDACT_DIGEST_BYTES])
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, key, REDACT_KEY_BYTES);
    SHA256Update(&context, (const uint8_t *)text, len < DIGEST_MOST ? len : DIGEST_MOST);
    SHA256Final(digest, &context);
}

/* Where the last bytes begin that its digest is made of. */
static size_t end_of(size_t len)
{
    return (len < DIGEST_MOST ? len : DIGEST_MOST) - SECRET_MIN;
}

static struct redact_former former_of(const unsigned char key[REDACT_KEY_BYTES], const char *type,
                                      const char *value, size_t len)
{
    struct redact_former is = {.len = len,
                               .begin = redact_begin(key, value),
                               .end = redact_begin(key, value + end_of(len))};
    const char *name = strchr(type, ':') + 1;
    memcpy(is.name, name, strnlen(name, LIMIT_NAME_BYTES));
    digest_of(key, value, len, is.digest);
    return is;
}

size_t redact_secrets_digest(const struct redact_secrets *secrets,
                             const unsigned char key[REDACT_KEY_BYTES], struct redact_former *list,
                             size_t most)
{
    size_t count = 0;
    for (size_t i = 0; secrets && i < secrets->count && count < most; i++) {
        const struct secret *s = &secrets->list[i];
        list[count++] = former_of(key, s->type, s->value, s->len);
        if (s->folded.len && count < most)
            list[count++] = former_of(key, s->type, s->folded.data, s->folded.len);
    }
    return count;
}

/* ---- looking for them ---- */

static char *type_of(const char *name)
{
    size_t len = strlen(name);
    char *type = memory_try(sizeof "env:" + len);
    if (type)
        memcpy(memcpy(type, "env:", 4) + 4, name, len);
    return type;
}

static struct formers *create(const unsigned char key[REDACT_KEY_BYTES],
                              const struct redact_former *list, size_t count)
{
    struct formers *formers = memory_try(sizeof *formers + count * sizeof *formers->list);
    bool all = formers != NULL;
    if (all)
        memcpy(formers->key, key, sizeof formers->key);
    for (size_t i = 0; all && i < count; i++) {
        struct former *f = &formers->list[formers->count];
        if (list[i].len < SECRET_MIN)
            continue;
        *f = (struct former){type_of(list[i].name), list[i]};
        formers->begins[f->is.begin / 8] |= (unsigned char)(1 << f->is.begin % 8);
        all = f->type;
        formers->count++;
    }
    if (!all) {
        redact_formers_destroy(formers);
        formers = NULL;
    }
    return formers;
}

int redact_secrets_add_former(struct redact_secrets **secrets,
                              const unsigned char key[REDACT_KEY_BYTES],
                              const struct redact_former *list, size_t count)
{
    struct redact_secrets *set = *secrets ? *secrets : memory_try(sizeof *set);
    struct formers *formers = set ? create(key, list, count) : NULL;
    if (!formers) {
        if (!*secrets)
            free(set);
        return -ENOMEM;
    }
    set->references = *secrets ? set->references : 1;
    set->formers = formers;
    *secrets = set;
    return 0;
}

bool redact_find_former(const struct formers *formers, const char *text, size_t len, size_t at,
                        struct redact_match *match)
{
    unsigned char digest[REDACT_DIGEST_BYTES];
    uint16_t begin = redact_begin(formers->key, text + at);
    size_t made = 0, before = match->to;
    for (size_t i = 0; i < formers->count; i++) {
        const struct redact_former *is = &formers->list[i].is;
        size_t most = is->len < DIGEST_MOST ? is->len : DIGEST_MOST;
        if (is->begin != begin || is->len > len - at || at + is->len <= match->to ||
            is->end != redact_begin(formers->key, text + at + end_of(is->len)))
            continue;
        if (most != made)
            digest_of(formers->key, text + at, made = most, digest);
        if (memcmp(digest, is->digest, sizeof digest) == 0)
            *match = (struct redact_match){at, at + is->len, formers->list[i].type};
    }
    return match->to > before;
}

void redact_formers_destroy(struct formers *formers)
{
    for (size_t i = 0; formers && i < formers->count; i++)
        free(formers->list[i].type);
    free(formers);
}
