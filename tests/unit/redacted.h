/* redacted.h - what test files of redaction share: a text without its secrets, and parts of tokens.
 */
#ifndef TESTS_UNIT_REDACTED_H
#define TESTS_UNIT_REDACTED_H

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "envelope/redact_private.h"

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

#define A16 "ABCDEFGHIJ234567"
#define a10 "q1w2e3r4t5"
#define a20 a10 a10
#define a40 a20 a20
#define h16 "0123456789abcdef"
#define h32 h16 h16

#endif
