/* What stands where a secret would, and says something of one instead: its fingerprint, how long it
 * is, which of several it is. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define PRINT_MOST 60 /* bytes of a fingerprint */

/* `24 bytes`, as `kubectl describe secret` tells of one. */
static bool is_length(struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = redact_run(s, from, CLASS_DIGIT);
    bool tests = redact_at(s, digits, " test");
    return digits > from && (tests || redact_at(s, digits, " byte")) &&
           to <= digits + strlen(" bytes") && redact_char(s, from - (from > 0)) == ' ';
}

/* `PASS: tests/a_b`, as a run of tests tells. */
static bool is_passed(struct redact_scan *s, size_t from)
{
    bool line = from >= 6 && (from == 6 || s->text[from - 7] == '\n');
    return line && !memcmp(s->text + from - 6, "PASS: ", 6) &&
           (redact_at(s, from, "test_") || redact_at(s, from, "test-") ||
            redact_at(s, from, "tests/") || redact_at(s, from, "test/"));
}

bool redact_is_none(struct redact_scan *s, const struct redact_match *match)
{
    size_t from = match->from, to = match->to;
    switch (s->text[from]) {
    case 'S':
    case 'M':
        return to - from <= PRINT_MOST &&
               (redact_at(s, from, "SHA256:") || redact_at(s, from, "MD5:"));
    case 'k':
        return redact_at(s, from, "kid=") || redact_at(s, from, "keyid=");
    case 'P':
    case 'L': /* ways to log in: `AUTH=PLAIN` */
        return to - from == 5 && redact_char(s, from - (from > 0)) == '=' &&
               (!memcmp(s->text + from, "PLAIN", 5) || !memcmp(s->text + from, "LOGIN", 5));
    case 't': /* the phrase that all tests of wallets use */
        return redact_at(s, from, "test test test test ") || is_passed(s, from);
    default:
        return redact_in(s->text[from], CLASS_DIGIT) && is_length(s, from, to);
    }
}

bool redact_is_of_assembly(const struct redact_scan *s, size_t at, size_t end)
{
    return end - at == 14 && redact_char(s, end) == '=' && redact_at(s, at, "PublicKeyToken");
}
