/* redact_private.h - what the files of redact.h share. */
#ifndef ENVELOPE_REDACT_PRIVATE_H
#define ENVELOPE_REDACT_PRIVATE_H

#include "envelope/redact.h"

/* Sets of characters that tokens are made of. */
enum redact_class {
    CLASS_DIGIT = 1 << 0,
    CLASS_UPPER = 1 << 1,
    CLASS_LOWER = 1 << 2,
    CLASS_UNDER = 1 << 3,  /* _ */
    CLASS_DASH = 1 << 4,   /* - */
    CLASS_DOT = 1 << 5,    /* . */
    CLASS_BASE64 = 1 << 6, /* + / = */
    CLASS_HEX = 1 << 7,    /* a-f; with CLASS_DIGIT */
    CLASS_ALNUM = CLASS_DIGIT | CLASS_UPPER | CLASS_LOWER,
    CLASS_WORD = CLASS_ALNUM | CLASS_UNDER | CLASS_DASH,
};

/* Whether `c` is in the set. */
bool redact_in(char c, unsigned set);

/* How many characters from `at` on are in the set. */
size_t redact_run(const char *text, size_t len, size_t at, unsigned set);

/* Whether something that starts at `at` starts a word: what is in front goes on no word. */
bool redact_starts_word(const char *text, size_t at);

/* A secret found at the place a rule looked at. */
struct redact_match {
    size_t from, to;  /* the bytes that go */
    const char *type; /* what stands in their place; static, or the secrets' own */
};

/* The shapes of tokens (redact_tokens.c). */
bool redact_token(const char *text, size_t len, size_t at, struct redact_match *ret_match);

/* A PEM block, whole or in part (redact_pem.c). */
bool redact_pem(const char *text, size_t len, size_t at, struct redact_match *ret_match);
/* The end of one whose beginning is not in the text. */
bool redact_pem_tail(const char *text, size_t len, struct redact_match *ret_match);

/* A value behind a telling name, and the password of a URL (redact_assignment.c). */
bool redact_assignment(const char *text, size_t len, size_t at, struct redact_match *ret_match);
bool redact_url(const char *text, size_t len, size_t at, struct redact_match *ret_match);

#endif
