/* seam.h - where a program took a word apart to show it, and how it wrote a character of it.
 */
#ifndef ENVELOPE_REDACT_SEAM_H
#define ENVELOPE_REDACT_SEAM_H

#include "envelope/redact/scan.h"

/* How many bytes stand between two parts of a word, the first of which ends at the quote `at`: up
 * to where the other one begins, in a recording's next frame or in the next call that strace shows.
 * 0 for none. And the same of the quote in the line that ends at `feed` > 0. */
size_t redact_seam(const char *text, size_t len, size_t at);
size_t redact_find_seam_over(const char *text, size_t len, size_t at);
/* A first look: `"]`, ` = 25` or `25 <0.000012>` end the line. */
static inline size_t redact_seam_over(const char *text, size_t len, size_t feed)
{
    size_t at = feed - (feed > 1 && text[feed - 1] == '\r') - 1, i = at;
    if (text[at] == ']')
        return at && text[at - 1] == '"' ? redact_find_seam_over(text, len, at) : 0;
    if (!redact_in(text[at], CLASS_DIGIT) && text[at] != '>')
        return 0; /* most */
    while (i && redact_in(text[i], CLASS_DIGIT))
        i--;
    bool call = i < at ? text[i] == ' ' && i && text[i - 1] == '='
                       : at && redact_in(text[at - 1], CLASS_DIGIT);
    return call ? redact_find_seam_over(text, len, at) : 0;
}
/* How long the escape is that begins at the backslash, % or & `at`, `\/`, `\u005f`, `\x5f` or
 * `%5F`, in a word's midst, or in a row of them, or `&quot;`; 0 for none. Which character it is. */
size_t redact_escape(const char *text, size_t len, size_t at, char *ret);
/* Whether the text has one. */
bool redact_has_escape(const char *text, size_t len);

#endif
