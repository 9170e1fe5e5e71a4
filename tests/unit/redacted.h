/* redacted.h - what test files of redaction share: a text without its secrets, and parts of tokens.
 */
#ifndef TESTS_UNIT_REDACTED_H
#define TESTS_UNIT_REDACTED_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "envelope/redact/rules.h"

static inline char *redacted(const char *text, const struct redact_secrets *secrets, int *ret_count)
{
    struct bytes out = {0};
    int count = redact_text(text, strlen(text), secrets, &out);
    if (ret_count)
        *ret_count = count;
    return out.data ? out.data : strdup("");
}

static inline void expect(const char *text, const char *wanted, int wanted_count)
{
    int count;
    char *got = redacted(text, NULL, &count);
    if (strcmp(got, wanted))
        fail_msg("of    %s\ncame  %s\nnot   %s", text, got, wanted);
    assert_int_equal(count, wanted_count);
    free(got);
}

/* The text with one secret between the two, which goes as `type`. */
static inline void found_as(const char *before, const char *secret, const char *behind,
                            const char *type)
{
    char text[600], wanted[600];
    snprintf(text, sizeof text, "%s%s%s", before, secret, behind);
    snprintf(wanted, sizeof wanted, "%s[redacted:%s]%s", before, type, behind);
    expect(text, wanted, 1);
}

static inline void finds(const char *before, const char *secret, const char *behind)
{
    found_as(before, secret, behind, "value");
}

/* The same of several. */
struct place {
    const char *before, *secret, *behind;
};
static inline void find_all(const struct place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        finds(places[i].before, places[i].secret, places[i].behind);
}
#define FIND_ALL(places) find_all(places, sizeof(places) / sizeof *(places))

/* A text that has none, and several. */
static inline void remains(const char *text)
{
    expect(text, text, 0);
}

static inline void stays(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        remains(texts[i]);
}
#define STAYS(texts) stays(texts, sizeof(texts) / sizeof *(texts))

#define A16 "ABCDEFGHIJ234567"
#define a10 "q1w2e3r4t5"
#define a20 a10 a10
#define a40 a20 a20
#define h16 "0123456789abcdef"
#define h32 h16 h16

#endif
