/* words.h - tables of words that redact.h's files look for, found by a letter: most places
 * are spared the walk over a table, and each word of it a comparison.
 */
#ifndef ENVELOPE_REDACT_WORDS_H
#define ENVELOPE_REDACT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

/* A word of a table and its length. The text is in it: a table of pointers would be relocated at
 * every start of a program that may never look at it. */
struct redact_word {
    char text[27];
    unsigned char len;
};
#define REDACT_WORD(text)                                                                          \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

#define REDACT_OF_LETTER 10

/* By the last five bits of the letter that they begin with, or end with; the last without text. */
typedef const struct redact_word redact_words[32][REDACT_OF_LETTER];

/* Whether `text`, of `len` > 0 bytes of which the first is a letter, is one of those that begin as
 * it does, capital letters or not. */
static inline bool redact_is_word_of(redact_words words, const char *text, size_t len)
{
    const struct redact_word *word = words[(unsigned char)*text & 31u];
    for (int i = 0; i < REDACT_OF_LETTER && word[i].len; i++)
        if (word[i].len == len && !strncasecmp(word[i].text, text, len))
            return true;
    return false;
}

#endif
