/* command.h - what commands give away: their options and places that hold secrets, what is
 * printed into them, and what they print.
 */
#ifndef ENVELOPE_REDACT_COMMAND_H
#define ENVELOPE_REDACT_COMMAND_H

#include "envelope/redact/rules.h"

/* ---- commands (command.c) ---- */

/* What a command's words give away: `found` hears of each, in order. */
struct redact_command_found {
    struct redact_match list[16];
    int count;
};

bool redact_command(struct redact_scan *s, size_t at, size_t end,
                    struct redact_command_found *ret_found);
/* Of the words behind echo or printf, which begin at `at` (piped.c). */
void redact_piped(struct redact_scan *s, size_t at, struct redact_command_found *found);
/* PowerShell's `"X" | ConvertTo-SecureString`, whose name is at `at`: what is in front. */
bool redact_is_converted(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* `s|__DB_PASS__|X|` in [from, to) (replaced.c). */
void redact_replaced(struct redact_scan *s, struct redact_command_found *found, size_t from,
                     size_t to);
/* `cat <<< X > db_password`: of the here-string's word [from, to), whose command is at `start`. */
void redact_here(struct redact_scan *s, struct redact_command_found *found, size_t start,
                 size_t from, size_t to);
/* Whether the echo or printf at `at` feeds an option or setting that takes a secret: `--key-file
 * <(echo X)`, `--password-command 'echo X'`; and the words behind it, at `end`. */
bool redact_is_fed(struct redact_scan *s, size_t at);
void redact_fed(struct redact_scan *s, size_t at, size_t end, struct redact_command_found *found);
/* One more, without its quotes, unless it says where a secret is. */
void redact_command_add(struct redact_scan *s, struct redact_command_found *found, size_t from,
                        size_t to);

/* ---- lists of arguments (argv.c) ---- */

/* How the words of a command stand, where no shell reads them. */
enum redact_list {
    REDACT_NO_LIST,
    REDACT_LIST,      /* `["tool", "-p", "X"]` */
    REDACT_BARE_LIST, /* `[tool, -p, X]` */
    REDACT_ITEM_LIST, /* `- tool` over `- -p` over `- X` */
};

/* How the words go on behind a tool's name. */
enum redact_goes_on {
    REDACT_NO_FURTHER,
    REDACT_BY_WORDS, /* behind a blank */
    REDACT_BY_LIST,  /* `"tool", "-p"`, `[tool, -p` */
    REDACT_BY_COUNT, /* `a0="tool" a1="-p"`, `"/a b/tool" -p` */
    REDACT_BY_LINES, /* at the line's end, which may be a colon: what is below may be its list */
};
enum redact_goes_on redact_others_go_on(struct redact_scan *s, size_t at, size_t end);
static inline enum redact_goes_on redact_words_go_on(struct redact_scan *s, size_t at, size_t end)
{
    char next = s->text[end];
    if (next == ' ' || next == '\t')
        return REDACT_BY_WORDS;
    bool may = next == '\n';
    if (REDACT_ONE_OF(next, ":,\"'\\"))
        may = next == ':'    ? redact_char(s, end + 1) == '\n'
              : next == ','  ? at && s->text[at - 1] == '['
              : next == '\\' ? redact_char(s, end + 2) == ','
                             : REDACT_ONE_OF(redact_char(s, end + 1), ",) \n");
    return may ? redact_others_go_on(s, at, end) : REDACT_NO_FURTHER;
}
/* Which list it is that the tool at `at` begins, whose name ends at `*end`: where its word does. */
enum redact_list redact_list_behind(const struct redact_scan *s, size_t at, size_t *end);

/* The next word of such, behind the one that ended at `at`: what is an expression has no bytes.
 * False where the list ends. */
bool redact_listed_word(struct redact_scan *s, enum redact_list list, size_t at, size_t most,
                        struct redact_value *ret);
/* Whether a list's dash is all that is in front of `at` on its line. */
bool redact_is_item(struct redact_scan *s, size_t at);
/* The end of a word at `at`, inside of what `quote` began: quotes that are written there keep
 * blanks. And where what began in front of `from` ends, behind `at`; the text's end where it does
 * not. */
size_t redact_inner_word(struct redact_scan *s, size_t at, size_t end, char quote);
size_t redact_outer_quote(struct redact_scan *s, size_t from, size_t at, char quote);

/* ---- the table of tools (tools.c) ---- */

/* Where the secret is. */
enum redact_how {
    NEXT,         /* the word behind the option */
    REST,         /* all that is behind it on its line */
    ATTACHED,     /* what follows the option in its word */
    EITHER,       /* both */
    USER,         /* either, and of user:password what is behind the colon */
    PERCENT,      /* the same with a % */
    COMMA,        /* the same with a , */
    PAIR,         /* either, and of name=value what is behind the = */
    SLASH,        /* the same with a / */
    PREFIX,       /* words that begin so; of the ways so far each has its option */
    PLACE,        /* the word at the place `place` that is no option, behind the subcommand */
    PLACE_USER,   /* there or later, behind its colon */
    PLACE_SIGN,   /* there or later, what begins with a > */
    PLACE_SLASH,  /* there, user/password@host */
    PLACE_COMMA,  /* there, host/user,password */
    PLACE_AT,     /* there or later, domain/user:password@host */
    PLACE_CODE,   /* there, where it has letters and digits */
    PLACE_LONG,   /* there, where it is as long as a key */
    PLACE_RANDOM, /* there, where it looks random */
    PLACE_BESIDE, /* there, of all words: none of them is an option */
    PLACE_FTP,    /* there, behind a prompt of ftp's */
    PLACE_TEXT,   /* there, the last of a line that begins with the tool, whatever it is made of */
    AMONG,        /* `option` and it in a word of such that commas part */
    WITHIN,       /* it behind `option` in a word, up to a quote */
    PLACE_SHARE,  /* the word behind \\host\share, before an option or the end */
    PAIRS,        /* all name=value behind the subcommand */
    SETTING,      /* the word behind one that has a telling name; with a place at Redis' prompt */
    REPLACED,     /* what sed is to put where a placeholder is whose name tells */
    WRITTEN,      /* a here-string that goes into a file whose name says that it holds a secret */
    BELOW,        /* all of the next line, where it looks like one */
    MEMBER,       /* below, what the option's name is set to */
    LINES,        /* below, lines behind those that are a telling name */
    LOGIN,        /* below, the last word, or behind a colon, of a line that begins so */
    FIRST,        /* below, the first line: the command prints a secret; with a place nothing else,
                     where `option` is on its line */
    RANDOMS,      /* below, whatever looks random; with a place the word there, and the first of
                     the first line */
    MEMBERS,      /* below, what names are set to that begin so */
    INDENTED,     /* below, in lines that stand further in, the last word of one that begins so */
    WORD,         /* below, the word at the place `place` of each line */
    COLON,        /* below, what is behind the colon of a line of one word; with a place also
                     behind a blank or =, before a comma */
    CODES,        /* below, lines' last words that are six to eight digits */
    MADE,         /* below, words that look random, where the command says that it makes such */
    DUMPED,       /* below, the bytes of a file whose name says that it holds a secret */
    FILES,        /* below, a line for each file whose name says that it holds a secret */
    CRACKED,      /* below, what hashes were found to be: `bob:X:1001:`, `HASH:X`, `bob:HASH:X` */
    DECODED,      /* below, all that base64 held: `bob:X`, or X where it is like no word */
    MISTYPED,     /* the command's last word, which the shell did not know: typed too early */
    TYPED,        /* below, the next line, where read took what was typed for a variable of a
                     telling name, which is the command's last word */
    ASKED,        /* below, what the variable is set to that is the command's last word, where `read
                     -s` asked for it */
};

/* A tool's option, or place, that holds a secret. Its texts are in it: a table of pointers would be
 * relocated at every start of a program that may never look at it. */
struct redact_rule {
    char tools[96];  /* between blanks */
    char sub[32];    /* a word that has to come first, or its beginning up to a dot; "" for none */
    char option[32]; /* "" for none */
    enum redact_how how;
    int place; /* from 1 */
};

extern const struct redact_rule redact_tool_rules[], redact_told_rules[], redact_later_rules[],
    redact_shown_rules[], redact_more_rules[];
extern const int redact_tool_rule_count, redact_told_rule_count, redact_later_rule_count,
    redact_shown_rule_count, redact_more_rule_count;

/* All of them: tools.c, tools_told.c, tools_later.c, tools_shown.c, tools_more.c. */
static inline int redact_rule_count(void)
{
    return redact_tool_rule_count + redact_told_rule_count + redact_later_rule_count +
           redact_shown_rule_count + redact_more_rule_count;
}
static inline const struct redact_rule *redact_rule(int i)
{
    if (i < redact_tool_rule_count)
        return &redact_tool_rules[i];
    i -= redact_tool_rule_count;
    if (i < redact_told_rule_count)
        return &redact_told_rules[i];
    i -= redact_told_rule_count;
    if (i < redact_later_rule_count)
        return &redact_later_rules[i];
    i -= redact_later_rule_count;
    return i < redact_shown_rule_count ? &redact_shown_rules[i]
                                       : &redact_more_rules[i - redact_shown_rule_count];
}

/* ---- tools by their names (tool.c) ---- */

/* The first rule of the tool of that name, and the next one of the same; -1 for none. */
int redact_tool_first(const char *name, size_t len);
int redact_tool_next(int tool);
const struct redact_rule *redact_tool_rule(int tool);
static inline bool redact_is_tool(const char *name, size_t len)
{
    return redact_tool_first(name, len) >= 0;
}

/* Whether [from, to) is the last word of a line, in which nothing but a prompt is in front of the
 * tool. */
bool redact_is_last_word(struct redact_scan *s, size_t tool, size_t from, size_t to);

/* ---- words of commands (option.c) ---- */

/* Options that begin with no dash: Steam's `+quit`, Windows' `/domain`; `//host/share` is none. */
bool redact_is_other_option(const struct redact_scan *s, size_t from, size_t to);
/* What stands between a setting's name and its value: `-n node.session.auth.password -v X`. */
bool redact_is_value_option(const struct redact_scan *s, size_t from, size_t to);
/* Where the option begins in a word of letters that are options, too: `-su`. */
size_t redact_skip_joined(const struct redact_scan *s, size_t from, size_t to, const char *option);
/* Whether the option [from, to) says by its name that a value follows: `--vault-password-file X`.
 */
bool redact_takes_value(const struct redact_scan *s, size_t from, size_t to);
/* Of AMONG and WITHIN: what of the word is the secret. */
bool redact_among(struct redact_scan *s, const struct redact_rule *rule, size_t *from, size_t *to);
/* A word without its number and quotes, as auditd has them: a1="-u". */
void redact_skip_number(struct redact_scan *s, size_t *from, size_t *to);
/* Whether Redis' prompt is in front of `at`: `127.0.0.1:6379> `, `redis> `. */
bool redact_is_of_redis(const struct redact_scan *s, size_t at);

/* ---- users and secrets in a word (user.c) ---- */

/* What is behind `sign` in the word [from, to), or nothing; with it the user, where that looks like
 * a secret, too. */
void redact_user_behind(struct redact_scan *s, struct redact_command_found *found, size_t from,
                        size_t to, char sign);
/* `user/X@host`; `domain/user:X@host`. */
void redact_user_behind_slash(struct redact_scan *s, struct redact_command_found *found,
                              size_t from, size_t to);
void redact_user_before_host(struct redact_scan *s, struct redact_command_found *found, size_t from,
                             size_t to);
/* A name, a colon and what is no address. */
bool redact_user_is_login(struct redact_scan *s, size_t from, size_t to);

/* ---- below commands (output.c) ---- */

/* What a command of that rule printed, whose first word is at `start`: the lines from `at` on. */
void redact_output(struct redact_scan *s, const struct redact_rule *rule, size_t at, size_t start,
                   struct redact_command_found *found);

/* Of BELOW: the line at `at`, and those behind it that are as long. */
void redact_output_below(struct redact_scan *s, size_t at, struct redact_command_found *found);

/* Whether [from, to) is all that the command at `start` printed, on whose line `option` stands, of
 * words or not. */
bool redact_is_all(struct redact_scan *s, size_t start, const char *option, size_t from, size_t to);
bool redact_is_secret_file(struct redact_scan *s, size_t from, size_t to);
/* `login -u kim -p X` of whatever tool: the option is [at, end). */
static inline bool redact_may_be_login(const struct redact_scan *s, size_t at, size_t end)
{
    return end - at == 2 && s->text[at] == '-' && (s->text[at + 1] | 0x20) == 'p' &&
           redact_char(s, end) == ' ';
}
bool redact_login_option(struct redact_scan *s, size_t at, size_t end,
                         struct redact_match *ret_match);
/* What prints one below: the command's words are in [from, to), its line's first at `start`, what
 * it printed from `at` on. */
void redact_output_files(struct redact_scan *s, size_t start, size_t from, size_t to, size_t at,
                         struct redact_command_found *found);
/* The members of the object at `at`: whom a file has a password for (made.c). */
void redact_output_object(struct redact_scan *s, size_t at, struct redact_command_found *found);
void redact_output_cracked(struct redact_scan *s, size_t at, struct redact_command_found *found);
/* INDENTED, WORD and COLON (listed.c): lines from `at` on, up to the first that is not of the list;
 * some may be in front of its first. Returns where it ends. */
size_t redact_output_list(struct redact_scan *s, const struct redact_rule *rule, size_t at,
                          size_t end, struct redact_command_found *found);
/* MADE, DECODED, MISTYPED, TYPED and DUMPED (made.c). */
void redact_output_made(struct redact_scan *s, size_t start, size_t at,
                        struct redact_command_found *found);
void redact_output_decoded(struct redact_scan *s, size_t start, size_t at,
                           struct redact_command_found *found);
/* `echo -n X | base64`, the words behind echo at `at`, and what it is below the line's end. */
void redact_output_encoded(struct redact_scan *s, size_t at, size_t line,
                           struct redact_command_found *found);
void redact_output_mistyped(struct redact_scan *s, size_t start, size_t at,
                            struct redact_command_found *found);
void redact_output_typed(struct redact_scan *s, size_t start, size_t at,
                         struct redact_command_found *found);
void redact_output_dumped(struct redact_scan *s, size_t start, size_t at,
                          struct redact_command_found *found);
/* Where the answer [from, to) ends that has no line's end: at the prompt that the command's line
 * begins with, at `line`; `to` where that is not there again. */
size_t redact_before_prompt(struct redact_scan *s, size_t line, size_t from, size_t to);
/* Behind pipes into what shows a part of it, or decodes it: where the command's line ends. */
size_t redact_behind_filters(struct redact_scan *s, size_t end);
/* Whether a prompt is in front of the command's first word at `at`, or nothing; and whether one
 * begins at `at`, where a line does (query.c). */
bool redact_is_prompted(struct redact_scan *s, size_t at);
bool redact_begins_prompt(struct redact_scan *s, size_t at);
/* Where the first word of the line is, behind its prompt, if it has a shell elsewhere run what is
 * in the quotes that the command at `at` stands in: `$ ssh db1 'cat pw.txt'`. 0 for none. */
size_t redact_run_elsewhere(struct redact_scan *s, size_t at);
/* Whether [from, to) may be all that a command printed that prints a secret, of
 * whatever it is made. */
bool redact_is_printed(struct redact_scan *s, size_t from, size_t to);

/* Of ASKED: the variable's name is [name, end), the lines are from `at` on. */
void redact_asked(struct redact_scan *s, size_t name, size_t end, size_t at,
                  struct redact_command_found *found);

#endif
