/* redact_private.h - what the files of redact.h share.
 *
 * A text is searched once, from its beginning to its end. At each place the rules look ahead; how
 * far a run of characters reaches is kept (redact_run()), so that no rule walks over the same
 * characters again because another place asks the same: that is what keeps any text linear.
 */
#ifndef ENVELOPE_REDACT_PRIVATE_H
#define ENVELOPE_REDACT_PRIVATE_H

#include "envelope/redact.h"
#include "envelope/redact_fold.h"
#include "envelope/redact_words.h"

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

#define REDACT_RUNS           28 /* sets whose runs are kept; more are read again and stay right */
#define REDACT_NAMES          16 /* places of names of which is kept what they say, a power of two */
#define REDACT_TOLD           2  /* names that were asked for last, a power of two */
#define REDACT_LINE_LOOKED_AT 200 /* bytes in front of a name in which its line begins */
#define REDACT_STOOD          3   /* words of .netrc */
#define REDACT_COLUMNS        4   /* of a table, that hold secrets */
#define REDACT_WAYS           4   /* names in one place */
#define REDACT_ITEMS          64  /* of a list that is below a name */

/* What stands behind a name: found once, for all that ask. */
struct redact_behind {
    size_t end, to;  /* the name's end; behind the blanks there */
    char next, sign; /* the characters at these; a line's end behind the text */
};

/* A text that is being searched. */
struct redact_scan {
    const char *text;
    size_t len;
    const struct redact_fold *fold; /* what it was made by; NULL: it is as it was */
    struct redact_run {
        uint32_t set;
        size_t from, to;
    } runs[REDACT_RUNS];
    int run_count;
    size_t line_from, line_to;           /* the end of a line, as of the last look */
    size_t plain_from, plain_to;         /* between these is no digit, */
    size_t word_goes_from, word_goes_to; /* and between these no word ends (redact_reach.c), */
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
        int strength;    /* redact_reach.c */
    } reached;           /* the word with a digit that names were looking at last */
    struct redact_path {
        size_t from, to;            /* of what is between a name and the value it may reach; */
        size_t sign;                /* behind the last sign of that */
        size_t last, second, third; /* where its last words begin, counted from 1; 0 for none */
        size_t last_end, said;      /* the last's end, and of the last with a blank behind */
        size_t comma;               /* in front of the last, counted from 1 */
        bool is, other;             /* what the last is */
    } path;                         /* redact_reach.c */
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
    } labels;                              /* redact_label.c */
    size_t prompt_from, prompt_to;         /* between these none ends a prompt (redact_below.c); */
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
    } crowd;           /* redact_crowd.c */
    size_t section_to; /* where the value behind `key` ended last, */
    int section_looks; /* and how many more did (redact_section.c) */
    size_t items_to;   /* up to here a list of what a name holds was read (redact_items.c) */

    size_t cut_to;    /* up to here pieces of a token were put together in vain */
    size_t seed_to;   /* up to here a wallet's words were looked for */
    size_t beside_to; /* up to here the secret of an AWS key's id was looked for */
    size_t public_to; /* the end of a certificate or public key whose BEGIN is there */
    size_t pem[2][2]; /* the next BEGIN and END of a key, as of the last look; two forms of them */
};

/* ---- characters (redact_scan.c) ---- */

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

/* ---- values (redact_value.c) ---- */

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
/* The ends of the names that those two know: pairs of letters, a blank between. */
extern const char redact_header_ends[], redact_file_ends[];
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

/* What its first word tells, or its second, where it has several, `words` (redact_first.c). */
enum redact_telling redact_begins_telling(const char *name, size_t len, bool words);
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

/* The same with the words in front of it: `API key`, `Recovery code` (redact_reach.c). */
enum redact_telling redact_tells_of_phrase(struct redact_scan *s, size_t at, size_t end);

/* A value as it stands behind a name. */
struct redact_value {
    size_t from, to; /* without its quotes */
    size_t end;      /* behind them */
    char quote;      /* " ' ` or 0 */
};

/* Reads the quoted value, word or line at `at`. `tight`: it stands right behind a =, as in a
 * shell's assignment. False when nothing is there. */
bool redact_read_value(struct redact_scan *s, size_t at, bool tight, struct redact_value *ret);

/* A word of a shell's command at `at`, quotes and escapes passed over. Returns its end. */
size_t redact_shell_word(struct redact_scan *s, size_t at, size_t end);

/* Values that are more than a word (redact_whole.c). Where the value is behind YAML's tag or
 * anchor, or on the next line behind a name in quotes; `at` itself elsewhere. */
size_t redact_behind_tag(struct redact_scan *s, size_t at, bool quoted);
/* A word in quotes that is all of the next line, behind the sign or `Some(` at `at`: where its
 * quote is; 0 for none. */
size_t redact_on_next_line(struct redact_scan *s, size_t at);
/* YAML's `name: |` and what is below; ODBC's `PWD={X};` in a list; up to the quote that began in
 * front of the name, past escaped ones; a file's own line of several words. */
bool redact_read_block(struct redact_scan *s, size_t name_end, struct redact_value *ret);
bool redact_read_braces(struct redact_scan *s, size_t name, size_t at, struct redact_value *ret);
/* What a shell takes where another variable is not set: `${OTHER:-X}`. */
bool redact_read_default(struct redact_scan *s, size_t at, enum redact_telling tells,
                         struct redact_value *ret);
/* Whether it is of all kinds of characters, as WordPress' salts are, blanks among them. */
bool redact_is_salt(const struct redact_scan *s, size_t from, size_t to);
/* Whether it has signs that no token has; one in quotes may, that is like no code. */
bool redact_has_code(const struct redact_scan *s, const struct redact_value *v);
void redact_to_quote(struct redact_scan *s, char quote, bool all, struct redact_value *v);
/* `mail.password=Words to the end`: the rest of a file's own line whose name has dots. */
void redact_read_rest(struct redact_scan *s, size_t name, size_t name_end, struct redact_value *v);
bool redact_read_words(struct redact_scan *s, size_t name, size_t name_end, char sign,
                       struct redact_value *v);
/* Where a value on the lines below begins, and one behind a type; 0 for none. Whether the value is
 * a word of a usage, or what a program shows its user. */
size_t redact_below_sign(struct redact_scan *s, size_t at);
size_t redact_behind_type(struct redact_scan *s, size_t at);
bool redact_is_usage(const struct redact_scan *s, const struct redact_value *v);
bool redact_is_sentence(const struct redact_scan *s, const struct redact_value *v);

/* Whether it says where a secret is, or that there is none: $NAME, <password>, ****, null. */
bool redact_is_placeholder(const struct redact_scan *s, size_t from, size_t to);
/* Whether it begins with a slash and is no base64 that does. */
bool redact_is_path(const struct redact_scan *s, size_t from, size_t to);
/* Whether it is a version, as packages have them: 4.13+dfsg1-1, ^1.2.3-beta.4, jar:9.24:compile. */
bool redact_is_version(const struct redact_scan *s, size_t from, size_t to);
/* Whether it is a constant of a program: 347, 0x0010UL, 1<<8. */
bool redact_is_constant(const struct redact_scan *s, size_t from, size_t to);
/* Whether it is a sum behind words, as caches are named: Linux-pip-7bce07... */
bool redact_is_named_sum(const struct redact_scan *s, size_t from, size_t to);
/* A number as programs count; digits in two places, or a sign: no name that programs have. */
bool redact_is_number(const struct redact_scan *s, size_t from, size_t to);
bool redact_is_odd(const struct redact_scan *s, size_t from, size_t to);
/* Whether a sign stands in its midst that words do not have: ! # $ % ^ *. */
bool redact_has_sign(const struct redact_scan *s, size_t from, size_t to);

/* ---- rules: what is secret at `at` ---- */

/* Once before the first text is searched. */
void redact_read_shapes(void);

/* A bit for each hash of three characters that a token is found by, and for those that may stand
 * where no word begins. */
#define REDACT_HASHES 16384
#define REDACT_MANY   UINT32_MAX /* several keys have that hash */
extern uint8_t redact_begins[REDACT_HASHES / 8], redact_begins_inside[REDACT_HASHES / 8];
extern uint32_t redact_keys[REDACT_HASHES];
extern uint32_t redact_fourths[REDACT_HASHES]; /* a bit for the last five of what follows one */

static inline uint32_t redact_key(const char *t)
{
    return (unsigned char)t[0] | (uint32_t)(unsigned char)t[1] << 8 |
           (uint32_t)(unsigned char)t[2] << 16;
}

static inline unsigned redact_hash(const char *t)
{
    return redact_key(t) * 2654435761u >> 18;
}

/* A bit for each two characters at which a rule may begin that needs no name: most places are
 * spared all further looks. */
extern uint8_t redact_pairs[(1 << 16) / 8];

static inline bool redact_may_begin(const char *t)
{
    uint16_t pair;
    memcpy(&pair, t, sizeof pair);
    return redact_pairs[pair / 8] & 1u << pair % 8;
}

/* Whether redact_token() may find something at `at`; two bytes more are behind it. */
static inline __attribute__((always_inline)) bool redact_may_be_token(const struct redact_scan *s,
                                                                      size_t at)
{
    char c = s->text[at];
    unsigned hash = redact_hash(s->text + at);
    bool begins =
        redact_begins[hash / 8] & 1u << hash % 8 &&
        (redact_keys[hash] == redact_key(s->text + at) || redact_keys[hash] == REDACT_MANY) &&
        redact_fourths[hash] >> ((unsigned char)redact_char(s, at + 3) & 31u) & 1;
    if ((begins && redact_begins_inside[hash / 8] & 1u << hash % 8) ||
        ((begins || (c >= 'M' && c <= 'O')) && redact_starts_word(s, at)))
        return true;
    return redact_in(c, CLASS_DIGIT) && redact_in(s->text[at + 1], CLASS_DIGIT) &&
           (at == 0 || !redact_in(s->text[at - 1], CLASS_DIGIT));
}

/* The secret, which nothing but its length tells, behind the key's id that `id` is on its line. */
bool redact_beside(struct redact_scan *s, const struct redact_match *id,
                   struct redact_match *ret_match);
bool redact_token(struct redact_scan *s, size_t at, struct redact_match *ret_match);
bool redact_pem(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* The end of one that begins before the text; and, where a line begins, lines in its midst. */
bool redact_pem_tail(struct redact_scan *s, struct redact_match *ret_match);
bool redact_pem_line(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* redact_url.c: from the colon at `at` on. */
bool redact_url(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* Whether `thin` or `oci` may stand in front of the colon at `t`. */
static inline bool redact_is_behind_oracle(const char *t)
{
    return (t[-1] == 'n' || t[-1] == 'i') && ((t[-2] | 0x20) == 'i' || (t[-2] | 0x20) == 'c');
}

/* Those that begin with a name, of which [at, end) is all. */
bool redact_header(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
bool redact_near(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
bool redact_assignment(struct redact_scan *s, size_t at, size_t end,
                       struct redact_match *ret_match);
/* Whether the line up to the name is one of the words that give a variable its value, a blank
 * being the sign: `set -x NAME value`, `setenv NAME value` (redact_front.c). */
bool redact_is_set_by_blank(struct redact_scan *s, size_t name);
/* `option NAME 'value'`, as OpenWrt has it; and whether `key` there is a wireless network's, or
 * behind `wireless.@wifi-iface[0].`. */
bool redact_is_option(const struct redact_scan *s, size_t name);
bool redact_is_network(const struct redact_scan *s, size_t name);
/* SQLCipher's `PRAGMA key`, and `ATTACH ... KEY`. */
bool redact_is_pragma(const struct redact_scan *s, size_t name);
/* Or one of the words of a program that define a text: `#define NAME "value"`. */
bool redact_is_defined(struct redact_scan *s, size_t name);
/* `env` prints a value with its blanks, and nothing behind it: the lines around it are the same. */
bool redact_is_dump(const struct redact_scan *s, size_t name, size_t line_end);
/* Whether the assignment is a shell's or a file's own line. */
bool redact_is_statement(struct redact_scan *s, size_t name);
/* Whether the quote at `at` ends what began in front of the name on its line. */
bool redact_closes(const struct redact_scan *s, size_t name, size_t at);
/* Whether an architecture is behind the colon: `libsecret-1-0:amd64`. */
bool redact_is_package(const struct redact_scan *s, size_t colon);
/* Whether PWD, behind which `at` is, is set to a password: in files of settings it may be one. */
bool redact_is_password(const struct redact_scan *s, size_t at);
/* Whether the name is a part of what names a resource: `arn:aws:...:secret:prod/db-x`. */
bool redact_is_in_resource(struct redact_scan *s, size_t at);
/* Whether the value is what a cluster calls its object: `describe secret default-token-x7k2p`. */
bool redact_is_called_so(const struct redact_scan *s, size_t at, size_t end,
                         const struct redact_match *match);
/* What a telling name is said to be, whatever stands in between, or on the line below: the last
 * that is asked (redact_reach.c). */
bool redact_far(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* How much what a word is made of says. */
enum redact_strength {
    REDACT_WEAK,       /* a word, a number, a date, a path, a version */
    REDACT_SHORT_WORD, /* letters and a digit, as passwords have them */
    REDACT_MIXED,      /* of three kinds, or with digits in two places: no word of a program is */
    REDACT_RANDOM,     /* long, and in no order that a word has */
};
/* Of [from, to); says whether it is hexadecimal, too. */
enum redact_strength redact_strength(struct redact_scan *s, struct redact_reached *t);
/* On the line below (redact_below.c); what the name says. */
bool redact_below(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                  struct redact_match *ret_match);
/* Tables (redact_table.c): a name that may head a column, no other word beside it, or several in
 * front in a list's place; and a row. */
void redact_table_heading(struct redact_scan *s, size_t at, size_t end);
int redact_table_row(struct redact_scan *s, size_t at,
                     struct redact_match ret_match[REDACT_COLUMNS]);
/* Its value in the next column of a table. */
bool redact_column(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `[host]:587 user:X`, as Postfix keeps it, Bundler's `BUNDLE_HOST: "user:X"` and curl's
 * `user = "kim:X"`, where a line begins. */
bool redact_login(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* A line of .pgpass, where a line begins. */
bool redact_pgpass(struct redact_scan *s, size_t at, struct redact_match *ret_match);
bool redact_file(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
bool redact_wifi(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* Told in prose: `Your API key is X`, `password X (generated)`, `(default "X")`, a line below
 * `password:` (redact_prose.c). */
bool redact_prose(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `setPassword("X")`, a comment's value, `passphrase for the drive = "X"` (redact_given.c). */
bool redact_given(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* An argument of a call: `getConnection(url, "user", "X")`; what stands below `"github-oauth"`; a
 * private JSON Web Key's members (redact_call.c). */
bool redact_call(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* Letters, and what holds the words of a program together; whether digits are among them. */
bool redact_is_identifier(const struct redact_scan *s, size_t from, size_t to, bool *ret_digits);
/* PowerShell's `ConvertTo-SecureString "X"`: of two words with capitals, and more behind. */
bool redact_is_cmdlet(struct redact_scan *s, const struct redact_value *v);
/* Tells of the last two letters of the names in front of its bracket or blank. */
void redact_call_ends(void (*end)(const char *two));
bool redact_jwk(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* From a sign in its midst: `user:X@tcp(host)`, and two dashes of a key of Mailgun's. */
bool redact_dsn(struct redact_scan *s, size_t at, struct redact_match *ret_match);
bool redact_dashes(struct redact_scan *s, size_t at, struct redact_match *ret_match);

/* ---- matches (redact_matches.c) ---- */

/* Puts a match in its place in a list that is in order; where one before reaches into it, or where
 * there is no more room, with that one. Returns how many there are. */
int redact_insert(struct redact_match *list, int count, int most, const struct redact_match *match);

/* ---- rules of the user's own (redact_own.c) ---- */

/* What was found in a text, by them or by ours; begins with the text and zeroes. */
struct redact_own {
    const char *text;
    struct bytes matches;
};

/* Looks by them; false where there are none. */
bool redact_own_begin(struct redact_own *own, size_t len);
redact_found redact_own_found; /* user: the struct; leaves out what is to stay */
/* Tells of all, in order; frees what was noted. */
void redact_own_tell(struct redact_own *own, size_t len, redact_found *found, void *user);

#endif
