/* scan.h - a text that is being searched, its characters, and how far runs of them reach.
 *
 * A text is searched once, from its beginning to its end. At each place the rules look ahead; how
 * far a run of characters reaches is kept (redact_run()), so that no rule walks over the same
 * characters again because another place asks the same: that is what keeps any text linear.
 */
#ifndef ENVELOPE_REDACT_SCAN_H
#define ENVELOPE_REDACT_SCAN_H

#include "envelope/redact/redact.h"
#include "envelope/redact/fold.h"
#include "envelope/redact/words.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

enum redact_class {
    CLASS_DIGIT = 1 << 0,
    CLASS_UPPER = 1 << 1,
    CLASS_LOWER = 1 << 2,
    CLASS_UNDER = 1 << 3,      /* _ */
    CLASS_DASH = 1 << 4,       /* - */
    CLASS_DOT = 1 << 5,        /* . */
    CLASS_BASE64 = 1 << 6,     /* + / = */
    CLASS_HEX_LOWER = 1 << 7,  /* a-f */
    CLASS_HEX_UPPER = 1 << 8,  /* A-F */
    CLASS_COLON = 1 << 9,      /* : */
    CLASS_PERCENT = 1 << 10,   /* % */
    CLASS_BLANK = 1 << 11,     /* blank and tabulator */
    CLASS_NEWLINE = 1 << 12,   /* \n */
    CLASS_DOUBLE = 1 << 13,    /* " */
    CLASS_SINGLE = 1 << 14,    /* ' */
    CLASS_TICK = 1 << 15,      /* ` */
    CLASS_BACKSLASH = 1 << 16, /* \ */
    CLASS_TILDE = 1 << 17,     /* ~ */
    CLASS_LESS = 1 << 18,      /* < */
    CLASS_SEPARATOR = 1 << 19, /* , ; & | */
    CLASS_OTHER = 1 << 20,     /* whatever is none of these */
    CLASS_ALL = (1 << 21) - 1,
    CLASS_HEX = CLASS_DIGIT | CLASS_HEX_LOWER | CLASS_HEX_UPPER,
    CLASS_ALNUM = CLASS_DIGIT | CLASS_UPPER | CLASS_LOWER,
    CLASS_WORD = CLASS_ALNUM | CLASS_UNDER | CLASS_DASH,
    CLASS_NAME = CLASS_WORD | CLASS_DOT,
    CLASS_SPACE = CLASS_BLANK | CLASS_NEWLINE,
};

#define REDACT_RUNS           64 /* sets whose runs are kept; more are read again and stay right */
#define REDACT_NAMES          16 /* places of names of which is kept what they say, a power of two */
#define REDACT_TOLD           2  /* names that were asked for last, a power of two */
#define REDACT_LINE_LOOKED_AT 200 /* bytes in front of a name in which its line begins */
#define REDACT_STOOD          3   /* words of .netrc */
#define REDACT_COLUMNS        4   /* of a table, that hold secrets */
#define REDACT_WAYS           4   /* names in one place */
#define REDACT_ITEMS          64  /* of a list that is below a name */
#define REDACT_BESIDE         64  /* line ends in front of a text, and behind it */

/* What stands behind a name: found once, for all that ask. */
struct redact_behind {
    size_t end, to;  /* the name's end; behind the blanks there */
    char next, sign; /* the characters at these; a line's end behind the text */
};

/* A text that is being searched. */
struct redact_scan {
    const char *text; /* REDACT_BESIDE line ends are in front of it, and behind it */
    size_t len;
    const struct redact_fold *fold; /* what it was made by; NULL: it is as it was */
    bool decoded;                   /* it stood in base64 in another one (coded.c) */
    struct redact_run {
        uint32_t set;
        size_t from, to;
    } runs[REDACT_RUNS];
    int run_count;
    size_t line_from, line_to;           /* the end of a line, as of the last look */
    size_t plain_from, plain_to;         /* between these is no digit, */
    size_t word_goes_from, word_goes_to; /* and between these no word ends (reach.c), */
    size_t bare_from, bare_to;           /* and between these is no blank and no quote */
    struct redact_named {
        size_t at, len; /* where it stood last */
        int tells;      /* enum redact_telling */
        uint64_t last;  /* its last bytes, eight at most; of `named` */
    } named[REDACT_NAMES][REDACT_WAYS];
    struct redact_behind behind;           /* of the name that was asked for last */
    struct redact_named told[REDACT_TOLD]; /* the names that were asked for last */
    int tells_next;
    size_t command_end;                         /* up to here a command's words have been read */
    size_t reader_line, reader_from, reader;    /* the same of what reads a secret from a pipe */
    size_t jwt_from, jwt_to;                    /* the first part of what is no JSON web token */
    size_t word_from, word_to;                  /* a value without quotes, as it was read last */
    size_t part_from, part_at;                  /* where what is in front of a name last began */
    size_t armour_from, armour_line, armour_to; /* a BEGIN's line, and where its body ends */
    struct redact_walked {
        size_t full, grew, last, end; /* of armour's lines: the longest, where it is, the last; the
                                         body's end */
    } walked;
    struct redact_stood {
        size_t behind, looked; /* where a word of .netrc stood last, counted from 1; up to where */
    } stood[REDACT_STOOD];
    struct redact_body {
        size_t from, to, good, letters; /* of what is in armour: how many of these */
    } body;
    struct redact_reached {
        size_t digit;    /* of the word, counted from 1; */
        size_t same;     /* up to here others of it say the same */
        size_t from, to; /* without its quotes */
        char quote;      /* 0 for none */
        bool hex;        /* hexadecimal digits of one case, with or without dashes */
        int strength;    /* reach.c */
    } reached;           /* the word with a digit that names were looking at last */
    struct redact_path {
        size_t from, to;            /* of what is between a name and the value it may reach; */
        size_t sign;                /* behind the last sign of that */
        size_t last, second, third; /* where its last words begin, counted from 1; 0 for none */
        size_t last_end, said;      /* the last's end, and of the last with a blank behind */
        size_t comma;               /* in front of the last, counted from 1 */
        bool is, other;             /* what the last is */
    } path;                         /* reach.c */
    struct redact_counted {
        size_t from, to;
        bool hex;
        int strength;
    } counted; /* the word that redact_strength() was asked of last */
    struct redact_made {
        size_t from, to;
        size_t digits, upper, lower, hex, others;
    } made;                         /* the value that redact_prose() counted last */
    struct redact_table {           /* the heading that was read last */
        size_t listless, tupleless; /* up to here none opens, and none ends */
        size_t line, counted;       /* its line, and up to where signs are counted in it */
        struct redact_signs {
            int bars, commas, semicolons, tabs, runs;
        } signs;
        int runs;       /* of tabulators in the whole heading; R */
        size_t heading; /* the line whose columns these are, counted from 1 */
        size_t row;     /* where the next line of it begins */
        int rows, count;
        char sign;       /* | , ; a tabulator or a blank; ( for tuples, R for runs of tabulators */
        size_t asked;    /* the line of which redact_is_head() was asked last, counted from 1; */
        char asked_sign; /* by which sign, */
        bool is_head;    /* and what it said */
        bool cells;      /* R: in the row at hand each of them parts two places, not each run */
        struct redact_column {
            int place;     /* how many signs are in front, */
            int cell;      /* and how many tabulators */
            size_t offset; /* from the line's beginning */
            int tells;     /* enum redact_telling */
        } columns[REDACT_COLUMNS];
    } table;
    struct redact_labels {
        size_t from, to; /* lines of a table that sign parts, */
        char sign;
        int is;                            /* and which cell holds the value, if `Key  Value` heads
                                              them; 0 for none */
    } labels;                              /* label.c */
    size_t prompt_from, prompt_to;         /* between these none ends a prompt (below.c); */
    size_t last_line, last_end, last_word; /* a line's last word, behind a name's end; */
    size_t list_from, list_to, list_end;   /* the list of codes that this is the first of */
    size_t pair_from, pair_to, output_from, output_to; /* looked at in vain, or at all */
    size_t shown_at;           /* the line below a command's that was asked for last, */
    uint64_t shown;            /* and a bit for each way in which it was */
    size_t near_from, near_to; /* between a name and its value nothing stands here, */
    bool near_stops;           /* and at the end something does */
    struct redact_crowd {
        size_t from;   /* the first telling name of a span, */
        int weight;    /* what those weigh that stand in it so far, */
        bool goes_on;  /* and whether the span before had too much */
    } crowd, throng;   /* of a short span and of a long one; crowd.c */
    size_t section_to; /* where the value behind `key` ended last, */
    int section_looks; /* and how many more did (section.c) */
    size_t kind_line;  /* the line that was looked through for an object's kind, counted from 1, */
    bool kind_is;      /* and whether it is a secret's (manifest.c) */
    size_t items_to;   /* up to here a list of what a name holds was read (items.c) */

    size_t cut_to;    /* up to here pieces of a token were put together in vain */
    size_t seed_to;   /* up to here a wallet's words were looked for */
    size_t beside_to; /* up to here the secret of an AWS key's id was looked for */
    size_t public_to; /* the end of a certificate or public key whose BEGIN is there */
    size_t pem[2][2]; /* the next BEGIN and END of a key, as of the last look; two forms of them */
};

extern const uint32_t redact_classes[256];

/* The classes of a character. */
static inline uint32_t redact_class(char c)
{
    return redact_classes[(unsigned char)c];
}

static inline bool redact_in(char c, uint32_t set)
{
    return (redact_class(c) & set) != 0;
}

/* Whether it is one of the characters of `set`, a literal of at most 16, or 0: what strchr() says,
 * by a look at a constant. */
#define REDACT_ONE_OF(c, set)                                                                      \
    redact_is_bit((unsigned char)(c), REDACT_BITS(set, 0), REDACT_BITS(set, 1))
#define REDACT_BITS(set, half)                                                                     \
    (REDACT_4_BITS(set, 0, half) | REDACT_4_BITS(set, 4, half) | REDACT_4_BITS(set, 8, half) |     \
     REDACT_4_BITS(set, 12, half) | REDACT_BIT(set, 16, half))
#define REDACT_4_BITS(set, i, half)                                                                \
    (REDACT_BIT(set, i, half) | REDACT_BIT(set, (i) + 1, half) | REDACT_BIT(set, (i) + 2, half) |  \
     REDACT_BIT(set, (i) + 3, half))
#define REDACT_BIT(set, i, half)                                                                   \
    ((i) < sizeof(set) && (set)[(i) < sizeof(set) ? (i) : 0] >> 6 == (half)                        \
         ? UINT64_C(1) << ((set)[(i) < sizeof(set) ? (i) : 0] & 63)                                \
         : 0)

static inline bool redact_is_bit(unsigned char c, uint64_t low, uint64_t high)
{
    return c < 128 && (c < 64 ? low : high) >> (c & 63) & 1;
}

#define REDACT_SHORT                                                                               \
    16 /* runs up to here are walked over each time: that costs less than keeping */

/* The end of the run of characters of `set` that goes on at `at`; `at` where there is none. */
size_t redact_long_run(struct redact_scan *s, size_t at, uint32_t set);
static inline size_t redact_run(struct redact_scan *s, size_t at, uint32_t set)
{
    size_t most = at + REDACT_SHORT < s->len ? at + REDACT_SHORT : s->len, to = at;
    while (to < most && redact_in(s->text[to], set))
        to++;
    return to == at || to < most ? to : redact_long_run(s, at, set);
}

/* The end of the line that `at` is in: where its \n is, or the text's end; and its beginning. */
size_t redact_find_line_end(struct redact_scan *s, size_t at);
static inline size_t redact_line_end(struct redact_scan *s, size_t at)
{
    if (at >= s->line_from && at < s->line_to)
        return s->line_to;
    return at < s->len ? redact_find_line_end(s, at) : at;
}
size_t redact_line_start(const struct redact_scan *s, size_t at, size_t most);

/* Whether `word` stands at `at`, capital letters or not. Here, so that most places cost a look at
 * one character, or two. */
static inline bool redact_at(const struct redact_scan *s, size_t at, const char *word)
{
    if (at >= s->len || ((s->text[at] ^ *word) & ~0x20) != 0)
        return false;
    size_t len = strlen(word);
    return s->len - at >= len && ((s->text[at + len - 1] ^ word[len - 1]) & ~0x20) == 0 &&
           !strncasecmp(s->text + at, word, len);
}

/* Whether one of `words`, an array of arrays of characters, stands anywhere in [from, to). */
#define REDACT_HOLDS(s, from, to, words)                                                           \
    redact_holds(s, from, to, *(words), sizeof(words) / sizeof *(words), sizeof *(words))
bool redact_holds(const struct redact_scan *s, size_t from, size_t to, const char *words,
                  size_t count, size_t size);

/* The character there; a line's end behind the text. */
static inline char redact_char(const struct redact_scan *s, size_t at)
{
    return at < s->len ? s->text[at] : '\n';
}

static inline const struct redact_behind *redact_behind(struct redact_scan *s, size_t end)
{
    if (s->behind.end != end) {
        size_t to = redact_run(s, end, CLASS_BLANK);
        s->behind = (struct redact_behind){end, to, redact_char(s, end), redact_char(s, to)};
    }
    return &s->behind;
}

/* The first digit in [at, most), or `most`: what has none is not looked at again. */
size_t redact_find_digit(struct redact_scan *s, size_t at, size_t most);
static inline size_t redact_next_digit(struct redact_scan *s, size_t at, size_t most)
{
    bool known = at >= s->plain_from && at <= s->plain_to && most <= s->plain_to;
    return known ? most : redact_find_digit(s, at, most);
}

static inline bool redact_has_digit(struct redact_scan *s, size_t from, size_t to)
{
    return from < to && redact_next_digit(s, from, to) < to;
}

/* Whether what is in front of `at` ends a word: no letter or digit, or one that belongs to an
 * escape of JSON, of a URL or of a terminal's colours. */
bool redact_starts_word(const struct redact_scan *s, size_t at);

#endif
