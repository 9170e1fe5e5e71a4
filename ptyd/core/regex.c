#include "ptyd/core/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/text.h"

/* pcre2 counts the steps of each place anew at which a match may begin: so many places are tried at
 * once, and between them the clock is asked. */
#define PLACES      1024
#define RULE_PLACES 128

struct regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    size_t places;
    int64_t ms;
};

static char *why_not(int error, size_t at)
{
    PCRE2_UCHAR text[256];
    pcre2_get_error_message(error, text, sizeof text);
    return text_format("%s, at character %zu", (char *)text, at + 1);
}

static struct regex *of_code(pcre2_code *code)
{
    struct regex *r = memory_new(sizeof *r);
    *r = (struct regex){.code = code,
                        .data = pcre2_match_data_create(1, NULL),
                        .context = pcre2_match_context_create(NULL),
                        .places = PLACES,
                        .ms = LIMIT_REGEX_MS};
    if (!r->data || !r->context)
        memory_end();
    pcre2_set_match_limit(r->context, LIMIT_REGEX_STEPS);
    pcre2_set_depth_limit(r->context, LIMIT_REGEX_DEPTH);
    pcre2_set_heap_limit(r->context, LIMIT_REGEX_HEAP_BYTES >> 10);
    return r;
}

static struct regex *create(const char *pattern, uint32_t more, char **ret_error)
{
    size_t len = strlen(pattern), at = 0;
    int error;
    uint32_t options =
        PCRE2_UTF | PCRE2_MULTILINE | PCRE2_USE_OFFSET_LIMIT | PCRE2_NEVER_BACKSLASH_C | more;
    if (len > LIMIT_REGEX_BYTES) {
        *ret_error = text_format("it is longer than %d bytes", LIMIT_REGEX_BYTES);
        return NULL;
    }
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, len, options, &error, &at, NULL);
    if (code)
        return of_code(code);
    *ret_error = why_not(error, at);
    return NULL;
}

struct regex *regex_create(const char *pattern, bool ignore_case, char **ret_error)
{
    return create(pattern, ignore_case ? PCRE2_CASELESS : 0, ret_error);
}

struct regex *regex_create_rule(const char *pattern, bool all, char **ret_error)
{
    struct regex *r = create(pattern, all ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0, ret_error);
    if (!r)
        return NULL;
    pcre2_set_match_limit(r->context, LIMIT_RULE_STEPS);
    r->places = RULE_PLACES;
    r->ms = LIMIT_RULE_MS;
    return r;
}

void regex_destroy(struct regex *r)
{
    if (!r)
        return;
    pcre2_code_free(r->code);
    pcre2_match_data_free(r->data);
    pcre2_match_context_free(r->context);
    free(r);
}

/* The places from `start` up to `last`. */
static int search_places(struct regex *r, const char *text, size_t len, size_t start, size_t last,
                         bool may_go_on)
{
    pcre2_set_offset_limit(r->context, last);
    uint32_t open = may_go_on ? PCRE2_PARTIAL_SOFT | PCRE2_NOTEOL : 0;
    return pcre2_match(r->code, (PCRE2_SPTR)text, len, start, PCRE2_NO_UTF_CHECK | open, r->data,
                       r->context);
}

enum regex_result regex_search(struct regex *r, const char *text, size_t len, size_t start,
                               bool may_go_on, size_t *ret_from, size_t *ret_to)
{
    int64_t until = clock_thread_ms() + r->ms;
    int result = PCRE2_ERROR_NOMATCH;
    while (start <= len) {
        size_t last = len - start > r->places ? start + r->places : len;
        result = search_places(r, text, len, start, last, may_go_on);
        if (result != PCRE2_ERROR_NOMATCH)
            break;
        start = utf8_ceil(text, len, last + 1);
        if (last == len || clock_thread_ms() >= until) {
            result = last == len ? result : PCRE2_ERROR_MATCHLIMIT;
            break;
        }
    }
    if (result == PCRE2_ERROR_NOMATCH)
        return REGEX_NONE;
    if (result < 0 && result != PCRE2_ERROR_PARTIAL)
        return REGEX_LIMIT;
    const PCRE2_SIZE *places = pcre2_get_ovector_pointer(r->data);
    *ret_from = places[0];
    if (result == PCRE2_ERROR_PARTIAL)
        return REGEX_PART;
    *ret_to = places[1];
    return REGEX_FOUND;
}

size_t regex_looks_behind(const struct regex *r)
{
    uint32_t characters = 0;
    pcre2_pattern_info(r->code, PCRE2_INFO_MAXLOOKBEHIND, &characters);
    return 4 * ((size_t)characters + 1);
}
