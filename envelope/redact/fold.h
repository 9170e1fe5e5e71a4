/* fold.h - text as it is seen, which is what is searched, and the places of what is found in
 * the text that it was made of.
 */
#ifndef ENVELOPE_REDACT_FOLD_H
#define ENVELOPE_REDACT_FOLD_H

#include "envelope/redact/redact.h"

#include <stdint.h>

struct redact_fold {
    const char *from; /* what it was made of; the caller's */
    size_t len;       /* of that */
    bool mime;        /* a = at a line's end cuts it */
    struct bytes text;
    size_t *places;      /* of each byte of it, in `from`; one more for the end */
    size_t over;         /* where the next character is written over another one; `len`: nowhere */
    redact_found *found; /* who hears of places in `from` */
    void *user;
};

/* What a text has that is not kept: characters that show nothing; also marks, accents, widths. */
enum redact_folds { FOLDS_NOTHING, FOLDS_UNSEEN, FOLDS_MARKS };
enum redact_folds redact_folds_of(const char *text, size_t len);

/* False where there is no memory for it. */
bool redact_fold(struct redact_fold *f, size_t len);
void redact_fold_finish(struct redact_fold *f);
/* What a name in another script says that the text begins with, `пароль`: in ASCII, no longer than
 * it; NULL for none (script.c). By the first two bytes of these, of capitals, too. */
extern const uint64_t redact_scripts[64];
const char *redact_long_script_name(const char *text, size_t len, size_t *ret_len);
static inline const char *redact_script_name(const char *text, size_t len, size_t *ret_len)
{
    bool may = len >= 6 &&
               redact_scripts[(unsigned char)text[0] & 0x3f] >> ((unsigned char)text[1] & 0x3f) & 1;
    return may ? redact_long_script_name(text, len, ret_len) : NULL;
}
/* Where in `from` the character ends whose last byte is in front of `to` > 0. */
size_t redact_fold_end(const struct redact_fold *f, size_t to);

#endif
