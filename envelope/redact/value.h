/* value.h - values: where one begins and ends, and what it is made of.
 */
#ifndef ENVELOPE_REDACT_VALUE_H
#define ENVELOPE_REDACT_VALUE_H

#include "envelope/redact/name.h"

/* A value as it stands behind a name. */
struct redact_value {
    size_t from, to; /* without its quotes */
    size_t end;      /* behind them */
    char quote;      /* " ' ` or 0 */
};

/* [from, to) as a match; false where it has less than `least` bytes, or stands for a secret. */
bool redact_take_word(const struct redact_scan *s, size_t from, size_t to, size_t least,
                      struct redact_match *ret_match);

/* Reads the quoted value, word or line at `at`. `tight`: it stands right behind a =, as in a
 * shell's assignment. False when nothing is there. */
bool redact_read_value(struct redact_scan *s, size_t at, bool tight, struct redact_value *ret);

/* A word of a shell's command at `at`, quotes and escapes passed over. Returns its end. */
size_t redact_shell_word(struct redact_scan *s, size_t at, size_t end);

/* Values that are more than a word (whole.c). Where the value is behind YAML's tag or
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
/* `your-api-key`, `hf_YOUR_TOKEN_HERE`, PERSONAL_ACCESS_TOKEN (standin.c). */
bool redact_asks_for_one(const struct redact_scan *s, size_t from, size_t to);
/* A first look: it begins and ends in a letter. */
static inline bool redact_is_standin(const struct redact_scan *s, size_t from, size_t to)
{
    return to > from + 5 && redact_in(s->text[to - 1], CLASS_UPPER | CLASS_LOWER) &&
           redact_in(s->text[from], CLASS_UPPER | CLASS_LOWER) && redact_asks_for_one(s, from, to);
}
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

/* How much what a word is made of says. */
enum redact_strength {
    REDACT_WEAK,       /* a word, a number, a date, a path, a version */
    REDACT_SHORT_WORD, /* letters and a digit, as passwords have them */
    REDACT_MIXED,      /* of three kinds, or with digits in two places: no word of a program is */
    REDACT_RANDOM,     /* long, and in no order that a word has */
};
/* Of [from, to); says whether it is hexadecimal, too. */
enum redact_strength redact_strength(struct redact_scan *s, struct redact_reached *t);

/* ---- words (phrase.c) ---- */

/* Words that signs join, two of them with capitals: `Haus.Boot_Spree`, as passwords are made. */
bool redact_is_composed(const struct redact_scan *s, size_t from, size_t to);
/* Words that signs join, one of which is letters whose case changes as in no name: `nuss.rDoUZe`.
 */
bool redact_is_jumbled(const struct redact_scan *s, size_t from, size_t to);
/* That, or `correct-horse-battery-staple`, the last of its line: words that dice have chosen. */
bool redact_is_dice(struct redact_scan *s, const struct redact_value *v);
/* Whether [from, to) is `least` and more words of small letters, none of which makes a sentence. */
bool redact_is_phrase(const struct redact_scan *s, size_t from, size_t to, size_t least);
/* `password "copper velvet saddle"`, alone on its line, of a name that tells all. */
bool redact_phrase(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `psk=mango hammer biscuit`: up to where its words end; `v` stands at the first
 * (whole.c). */
bool redact_read_phrase(struct redact_scan *s, size_t name, struct redact_value *v);

/* ---- what is none (none.c) ---- */

/* Whether what was found is a fingerprint, a length, an id of a secret. */
bool redact_is_none(struct redact_scan *s, const struct redact_match *match);
/* The same of what any rule found: a type, a public key, a cookie that is taken back
 * (public.c). */
bool redact_is_public(const struct redact_scan *s, const struct redact_match *match);
/* Whether a column's type is in the cell behind `at`: `| varchar(255) |`. */
bool redact_is_typed_column(const struct redact_scan *s, size_t at);
/* .NET's `PublicKeyToken=`, which is public. */
bool redact_is_of_assembly(const struct redact_scan *s, size_t at, size_t end);

/* Behind what brackets say of a name: `passphrase (between double-quotes): "X"`; `at` where none do
 * (sign.c). */
size_t redact_behind_brackets(struct redact_scan *s, size_t at);

#define REDACT_COMPARED_LEAST 6 /* bytes of a value that a program compares with */

/* Behind a quote of JSON that an address has, `%22`; `at` where none is there (sign.c). */
size_t redact_encoded_quote(const struct redact_scan *s, size_t at);

/* What an object of a cluster keeps below `data` or `stringData`, if its kind is a secret's; and a
 * first look (manifest.c). */
int redact_manifest(struct redact_scan *s, size_t at, size_t end,
                    struct redact_match ret_items[REDACT_ITEMS]);
static inline bool redact_may_be_manifest(const struct redact_scan *s, size_t at, size_t end)
{
    return REDACT_ONE_OF(redact_char(s, end), ":\"") &&
           ((end - at == 4 && !memcmp(s->text + at, "data", 4)) ||
            (end - at == 10 && !memcmp(s->text + at, "stringData", 10)));
}

#endif
