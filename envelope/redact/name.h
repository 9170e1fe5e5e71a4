/* name.h - what a name says of the value that it is given.
 */
#ifndef ENVELOPE_REDACT_NAME_H
#define ENVELOPE_REDACT_NAME_H

#include "envelope/redact/scan.h"

/* How much a name says of what it is set to. */
enum redact_telling {
    TELLS_NOTHING,
    TELLS_LONG, /* keys of all kinds: what is long and looks random is secret */
    TELLS_CODE, /* tokens: what holds a digit is, as programs speak of tokens in prose */
    TELLS_ALL,  /* passwords: whatever stands there is */
};

enum redact_telling redact_telling(const char *name, size_t len);

/* What the last two letters of a name leave open; most leave nothing. */
enum redact_may {
    MAY_TELL = 1 << 0,
    MAY_TELL_LAST = 1 << 1, /* as the last of several words */
    MAY_HEAD = 1 << 2,      /* redact_header() may find something, */
    MAY_FILE = 1 << 3,      /* and redact_file() */
    MAY_PROSE = 1 << 4,     /* and redact_prose(), */
    MAY_CALL = 1 << 5,      /* and redact_call(), */
    MAY_DIGITS = 1 << 6,    /* and redact_digits() */
    MAY_ALL = (1 << 7) - 1,
};

extern uint8_t redact_last_two[32 * 32];
/* The ends of the names that file.c knows: pairs of letters, a blank between. */
extern const char redact_file_ends[];
/* Once before the first text is searched. */
void redact_read_names(void);

/* `len` > 0. The same of what ends in a sign or a digit: TOKEN_2, and a sentence's end. */
unsigned redact_may_behind(const char *name, size_t len);
static inline unsigned redact_may(const char *name, size_t len)
{
    unsigned char last = (unsigned char)name[len - 1];
    if (!redact_in((char)last, CLASS_UPPER | CLASS_LOWER))
        return redact_may_behind(name, len);
    return len < 2 ? 0 : redact_last_two[((unsigned char)name[len - 2] & 31u) << 5 | (last & 31u)];
}

/* What its first word tells, or its second, where it has several, `words` (first.c). */
enum redact_telling redact_begins_telling(const char *name, size_t len, bool words);
/* Whether the last of its words says what else of it that is: PASSWORD_MIN_LENGTH, mdpHash. */
bool redact_is_of_it(const char *name, size_t len);
/* `the_secret_of_app`, DATABASE_PASSWORD_FOR_REPORTS: what is in front of the word that says whose
 * it is (told.c). */
enum redact_telling redact_whose_tells(const char *name, size_t len);
void redact_read_firsts(void); /* once, as redact_read_names() */
/* A bit for each three letters with which a word of other languages begins. */
extern uint8_t redact_firsts[(1 << 15) / 8];
static inline unsigned redact_first_letters(const char *t)
{
    return (t[0] & 31u) << 10 | (t[1] & 31u) << 5 | (t[2] & 31u);
}
static inline bool redact_is_first(const char *word)
{
    unsigned bit = redact_first_letters(word);
    return redact_firsts[bit / 8] >> bit % 8 & 1;
}

/* The same of a name in the text, of `len` > 0 bytes: looked up, and for the rules that ask of the
 * name at hand one after the other not even that. */
enum redact_telling redact_look_up(struct redact_scan *s, size_t at, size_t len);
static inline enum redact_telling redact_tells(struct redact_scan *s, size_t at, size_t len)
{
    const struct redact_named *last = &s->told[s->tells_next];
    return last->at == at && last->len == len ? (enum redact_telling)last->tells
                                              : redact_look_up(s, at, len);
}

/* Whether the words in front may say what it is that the name names. */
static inline bool redact_is_of_phrase(const struct redact_scan *s, size_t at, size_t end)
{
    switch (end - at) {
    case 3:
        return redact_at(s, at, "key");
    case 4:
        return redact_at(s, at, "keys") || redact_at(s, at, "code") || redact_at(s, at, "khau");
    case 5:
        return redact_at(s, at, "passe") || redact_at(s, at, "codes");
    case 6:
        return redact_at(s, at, "phrase");
    default:
        return false;
    }
}

/* The same with the words in front of it: `API key`, `Recovery code` (reach.c). */
enum redact_telling redact_tells_of_phrase(struct redact_scan *s, size_t at, size_t end);

#endif
