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
/* How many bytes at `at` < len show nothing: an escape that sets a colour, a character without
 * width, a mark on another one; 0 where something is seen. */
size_t redact_fold_unseen(const char *text, size_t len, size_t at);

/* ---- lines that backspaces take back ---- */

struct redact_origin {
    size_t from, to; /* bytes [from, to) */
};

/* The text in which each character that another one was written over is gone (ECMA-48, BS: the
 * cursor goes back, nothing is taken away by that alone). */
struct redact_struck {
    const char *from; /* what it was made of; the caller's */
    struct bytes text;
    struct redact_origin *places; /* of each byte of it: all that was written there, in `from` */
    redact_found *found;          /* who hears of places in `from` */
    void *user;
};

/* Fills a struct that has `from` alone, of `len` bytes; ends the process without memory. */
void redact_strike(struct redact_struck *s, size_t len);
/* A redact_found of places in its text. */
void redact_struck_found(void *struck, size_t from, size_t to, const char *type);
void redact_struck_finish(struct redact_struck *s);

#endif
