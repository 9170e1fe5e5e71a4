/* regex.h - a pattern that a person gave, searched for within bounds.
 *
 * Perl-compatible, on UTF-8. `.` matches no line feed; `^` and `$` match at every line's ends, and
 * `$` at the text's own where nothing more of it may come. Some patterns take for ever on some
 * texts: each search has bounds (LIMIT_REGEX_*), and says where it met one.
 */
#ifndef PTYD_CORE_REGEX_H
#define PTYD_CORE_REGEX_H

#include <stdbool.h>
#include <stddef.h>

struct regex;

/* NULL, with what is wrong with it in *ret_error (new string), for what is no pattern or longer
 * than LIMIT_REGEX_BYTES. */
struct regex *regex_create(const char *pattern, bool ignore_case, char **ret_error);
/* The same for one that is asked of whole texts, often. `all`: only all of a text is a match. Its
 * bounds are LIMIT_RULE_*. */
struct regex *regex_create_rule(const char *pattern, bool all, char **ret_error);
void regex_destroy(struct regex *regex);

enum regex_result {
    REGEX_NONE,
    REGEX_FOUND,
    REGEX_PART,  /* what stands at the text's end may become one with what follows */
    REGEX_LIMIT, /* a bound was met: nobody knows */
};

/* Searches `text`, valid UTF-8, for the first match that begins at `start` or behind; what stands
 * in front is looked at by `^`, \b and the like. FOUND and PART set *ret_from, FOUND *ret_to, too.
 * `may_go_on`: more text follows later (only then REGEX_PART is answered). */
enum regex_result regex_search(struct regex *regex, const char *text, size_t len, size_t start,
                               bool may_go_on, size_t *ret_from, size_t *ret_to);

/* How many bytes in front of a match it may look at. */
size_t regex_looks_behind(const struct regex *regex);

#endif
