/* places.h - rules for names that stand elsewhere than next to their values: in a list of
 * columns, as the value of another name, on the line above. Each is asked only where a name tells,
 * or where what it began goes on.
 */
#ifndef ENVELOPE_REDACT_PLACES_H
#define ENVELOPE_REDACT_PLACES_H

#include "envelope/redact/rules.h"

/* Whether the name is the first of its line, which begins less than 40 bytes in front of it, or is
 * blank for as long. */
bool redact_leads_line(const struct redact_scan *s, size_t at);

/* ---- lists of columns (columns.c) ---- */

/* Whether the name may be one of a list in parentheses: `(id, password, mail)`. */
static inline bool redact_may_list(const struct redact_scan *s, size_t end)
{
    char next = redact_char(s, end);
    if (next == ' ')
        return false; /* most */
    if (next == '`' || next == '"' || next == ']')
        next = redact_char(s, end + 1);
    return next == ',' || next == ')';
}

/* Notes the column of `INSERT INTO t (id, password) VALUES (...)`, or of PostgreSQL's COPY, in the
 * scan's table. False where the name is in no such list. */
bool redact_list_heading(struct redact_scan *s, size_t at, size_t end);
/* The places of the tuple at table.row that hold secrets; the table goes on to the next. */
int redact_tuple(struct redact_scan *s, struct redact_match ret_match[REDACT_COLUMNS]);

/* ---- headings (head.c) ---- */

/* `|`, or a drawn one: thin, thick or double. */
static inline bool redact_is_bar(const struct redact_scan *s, size_t at)
{
    return s->text[at] == '|' || (s->text[at] == '\xe2' && (redact_at(s, at, "\xe2\x94\x82") ||
                                                            redact_at(s, at, "\xe2\x94\x83") ||
                                                            redact_at(s, at, "\xe2\x95\x91")));
}
/* Whether the line that begins at `line` may head a table whose places `sign` parts. */
bool redact_is_head(struct redact_scan *s, size_t line, char sign);

/* A first look: what is beside a name that may head a column. */
static inline bool redact_may_head(const struct redact_scan *s, size_t at, size_t end)
{
    static const bool beside[256] = {
        [' '] = true,  ['|'] = true,  ['\t'] = true, ['\n'] = true, ['\r'] = true, [','] = true,
        [0xe2] = true, [0x82] = true, [0x83] = true, [0x91] = true, [';'] = true};
    unsigned char next = end < s->len ? (unsigned char)s->text[end] : '\n',
                  second = end + 1 < s->len ? (unsigned char)s->text[end + 1] : '\n',
                  before = at ? (unsigned char)s->text[at - 1] : '\n',
                  third = at > 1 ? (unsigned char)s->text[at - 2] : '\n';
    if (next == '"' && before == '"') /* a cell of CSV */
        return REDACT_ONE_OF(second, ",;\t\r\n") && REDACT_ONE_OF(third, ",;\t\n");
    return beside[next] && beside[before] && (next != ' ' || beside[second]) &&
           (before != ' ' || beside[third] || next != ' ' || second == ' ' || second == '|' ||
            second == 0xe2);
}
/* Columns of either kind. */
static inline void redact_heading(struct redact_scan *s, size_t at, size_t end)
{
    if (!(redact_may_list(s, end) && redact_list_heading(s, at, end)) &&
        redact_may_head(s, at, end) && s->text[end - 1] != '.')
        redact_table_heading(s, at, end);
}

static inline int redact_row(struct redact_scan *s, size_t at,
                             struct redact_match ret_match[REDACT_COLUMNS])
{
    return s->table.sign == '(' ? redact_tuple(s, ret_match) : redact_table_row(s, at, ret_match);
}

/* ---- files of daemons and devices (daemon.c) ---- */

/* ` key X` in a block of RADIUS, `community X;`, `: RSA file "X"`, the line above
 * google-authenticator's options. */
bool redact_daemon(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- what devices are told (device.c) ---- */

/* `(config)# passwd X`, `community X {`, `add password HOST {X}`, `PASSWORD user = X`. */
bool redact_device(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `C="X" GetRequest`, as tcpdump shows SNMP, of the name `C`. */
bool redact_community(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- what is said to servers (talk.c) ---- */

/* `> PASS X`, `AUTH PLAIN X`, `a1 LOGIN user X`, Redis' `AUTH X`: as clients show it, as tools see
 * the bytes (`"PASS X\r\n"`, `..PASS X`), and line by line. */
bool redact_talk(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- digits (digits.c) ---- */

/* `"otp": "704868"`, `PIN is 1234`, `password 65232338`, a list of scratch codes. */
bool redact_digits(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* The last letters of what it knows; the last three, so that most are spared the call. */
extern const char redact_digits_ends[];
static inline bool redact_may_be_digits(const struct redact_scan *s, size_t at, size_t end)
{
    if (end < at + 3)
        return false;
    char last = s->text[end - 1] | 0x20, second = s->text[end - 2] | 0x20,
         third = s->text[end - 3] | 0x20;
    switch (last) {
    case 'n': /* pin, tan */
        return (third == 'p' && second == 'i') || (third == 't' && second == 'a');
    case 'p': /* otp, dump */
        return third == 'o' || third == 'u';
    case 'k': /* puk */
        return third == 'p';
    case 'v': /* cvv, priv */
        return third == 'c' || third == 'r';
    case 'c': /* cvc */
        return third == 'c';
    case 'e': /* code */
        return third == 'o' && end - at >= 4 && (s->text[end - 4] | 0x20) == 'c';
    case 's': /* codes */
        return third == 'd' && end - at >= 5 && (s->text[end - 5] | 0x20) == 'c';
    case 't': /* exponent, coefficient */
        return third == 'e' && redact_char(s, end) == ':';
    default:
        return redact_in(last, CLASS_DIGIT) && redact_char(s, end) == ':'; /* prime1 */
    }
}
/* Whether it is three and more groups of as many digits, as licences have them. */
bool redact_is_grouped(const struct redact_scan *s, size_t from, size_t to);

/* ---- bytes (bytes.c) ---- */

/* `network_key: [71, 183, ...]`, `MK dump: 51 a9 ...`, and `priv:` over pairs of digits. */
bool redact_bytes(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* Either, of a name that may tell or not. */
static inline bool redact_numbers(struct redact_scan *s, size_t at, size_t end, bool tells,
                                  struct redact_match *ret_match)
{
    bool may = redact_may_be_digits(s, at, end);
    char next = redact_char(s, end);
    if (!may && (!tells || redact_in(next, CLASS_ALNUM | CLASS_NEWLINE | CLASS_SEPARATOR)))
        return false;
    if (!may && next == ' ' &&
        !(redact_in(redact_behind(s, end)->sign, CLASS_DIGIT | CLASS_COLON) ||
          redact_behind(s, end)->sign == '='))
        return false; /* most */
    return redact_digits(s, at, end, ret_match) || redact_bytes(s, at, end, ret_match);
}

/* `bob:1104:LM:NT:::` and keys of Kerberos, where a line begins. */
bool redact_dumped(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* `| admin | HASH (X) |`: the row of a table at `at`. */
bool redact_beside_hash(struct redact_scan *s, size_t at, struct redact_match *ret_match);

/* ---- pairs (pairs.c) ---- */

/* `"type": "CONCEALED"`, and the `value` beside it. */
bool redact_concealed(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* `"name": "db_password", "value": "X"` in whatever order and form; `1) "requirepass"` and the line
 * below; `PASSWORD  REG_SZ  X`; a block of Terraform's whose heading tells. */
bool redact_pair(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* Whether [from, to) is what a name that tells so much tells of, where nobody knows the way there.
 */
bool redact_take(struct redact_scan *s, enum redact_telling tells, size_t from, size_t to,
                 struct redact_match *ret_match);
/* `identified\040by\040'X'`, `password\040for\040'b'@'%'='X'`, as mysql keeps its history. */
bool redact_history(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* redact_file(), of words to its line's end where it is such (stated.c). */
bool redact_in_lines(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* That, or what else files hold. */
static inline bool redact_in_file(struct redact_scan *s, size_t at, size_t end,
                                  struct redact_match *ret_match)
{
    return redact_char(s, end) == '\\'
               ? redact_history(s, at, end, ret_match) || redact_talk(s, at, end, ret_match)
               : redact_in_lines(s, at, end, ret_match);
}

/* ---- tables of names and values (label.c) ---- */

/* `| Admin password | X |` below `| Field | Value |`. */
bool redact_label(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* A first look: where a cell may end. */
static inline bool redact_may_label(struct redact_scan *s, size_t end)
{
    char next = redact_char(s, end);
    if (next == '"' || next == '`')
        return REDACT_ONE_OF(redact_char(s, end + 1), ",;|\t ");
    if (next != ' ')
        return REDACT_ONE_OF(next, ",;|\t");
    const struct redact_behind *b = redact_behind(s, end);
    return b->to >= end + 2 || b->sign == '|' || b->sign == '\xe2';
}

/* ---- in markup, and as debuggers show it (tags.c) ---- */

/* `<b>Password:</b> <code>X</code>`, `<textarea name="token">X</textarea>`. */
bool redact_tagged(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `["password":protected]=> string(8) "X"`, `password = 0x5581 "X"`. */
bool redact_looked_into(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match);
/* A first look. */
static inline bool redact_may_look_into(struct redact_scan *s, size_t end)
{
    char next = redact_char(s, end);
    return next == '"'   ? redact_char(s, end + 1) == ':' && redact_char(s, end + 2) != ' '
           : next == '=' ? redact_char(s, end + 1) == '0' && redact_char(s, end + 2) == 'x'
                         : next == ' ' && redact_behind(s, end)->sign == '=';
}

/* ---- files by their words (kept.c) ---- */

/* A first look: a word behind which a file keeps one or several. */
bool redact_may_keep(const struct redact_scan *s, size_t at, size_t end, char next);
int redact_keep(struct redact_scan *s, size_t at, size_t end,
                struct redact_match ret_items[REDACT_ITEMS]);
bool redact_answer(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `# the monitor's password` over `$USER3$=X`: the name ends its line. */
bool redact_commented(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- comments (remark.c) ---- */

/* `"X" // admin password`: the text in quotes that the comment is about which the name is in. */
bool redact_remark(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* A first look: the line ends soon, and a word is in front of the name, or a comment's sign. */
#define REDACT_REMARK_MOST 24 /* bytes of the comment in front of the name, and behind it */
static inline bool redact_may_be_remark(struct redact_scan *s, size_t at, size_t end)
{
    return at > 4 && s->text[at - 1] == ' ' && redact_in(redact_char(s, end), CLASS_SPACE) &&
           (REDACT_ONE_OF(s->text[at - 2], "#/*-") || redact_in(s->text[at - 2], CLASS_ALNUM)) &&
           redact_tells(s, at, end - at) == TELLS_ALL &&
           redact_line_end(s, end) - end <= REDACT_REMARK_MOST;
}

/* `X (password of elastic)`, `X (root password)`: what brackets behind a word say that it is. */
bool redact_told_behind(struct redact_scan *s, size_t at, size_t end,
                        struct redact_match *ret_match);
static inline bool redact_may_be_told_behind(const struct redact_scan *s, size_t at, size_t end)
{
    return at > 8 && (s->text[at - 1] == '(' || s->text[at - 1] == ' ') &&
           REDACT_ONE_OF(redact_char(s, end), ") ") && memchr(s->text + at - 8, '(', 8) != NULL;
}

/* ---- names that are cut (narrow.c) ---- */

/* `AZURE_CLIENT_SEC…  X`, `...ssword: X`. */
bool redact_narrow(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* The value of a cookie whose line has TRUE or FALSE at `at`, in front of its path (jar.c).
 */
bool redact_jar(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
static inline bool redact_narrow_or_jar(struct redact_scan *s, size_t at, size_t end,
                                        struct redact_match *ret_match)
{
    return redact_char(s, end) == '\t' ? redact_jar(s, at, end, ret_match)
                                       : redact_narrow(s, at, end, ret_match);
}
/* A first look: dots are in front of the name or behind it, or a tabulator and a path. */
static inline bool redact_may_be_narrow(const struct redact_scan *s, size_t at, size_t end)
{
    if (redact_char(s, end) == '\t')
        return redact_char(s, end + 1) == '/' && at && s->text[at - 1] == '\t';
    return redact_char(s, end) == '\xe2' || (at && s->text[at - 1] == '\xa6') ||
           (end - at > 4 && (s->text[end - 2] == '.' || s->text[at + 1] == '.'));
}

/* ---- lists (items.c) ---- */

/* Whether a sign is at `at` and a list opens behind it. */
static inline bool redact_opens_list(const struct redact_scan *s, size_t at)
{
    return REDACT_ONE_OF(redact_char(s, at), ":=") &&
           redact_char(s, at + 1 + (redact_char(s, at + 1) == ' ')) == '[';
}
/* Whether the name is one of several, or opens a shell's array, and something is behind it. */
bool redact_holds_some(struct redact_scan *s, size_t at, size_t end);
static inline __attribute__((always_inline)) bool redact_may_hold(struct redact_scan *s, size_t at,
                                                                  size_t end)
{
    char next = redact_char(s, end), first = s->text[at], before = at ? s->text[at - 1] : '\n';
    bool many = (s->text[end - 1] | 0x20) == 's', may;
    if (next == ' ')
        may = many ? REDACT_ONE_OF(redact_behind(s, end)->sign, ":=")
                   : (first == '_' && end - at == 14) || (first == 'c' && end - at == 9) ||
                         end - at == 16 || redact_opens_list(s, end + 1);
    else if (next == ':')
        may = many || (before == ':' && redact_char(s, end + 1) == ' ') ||
              (first == 'd' && end - at == 4) || (first == 's' && end - at == 10) ||
              (before == '\n' && memchr(s->text + at, '.', end - at)) || redact_opens_list(s, end);
    else if (next == '\n' || next == '>')
        may = end - at == (next == '>' ? 7 : 9) || (next == '>' && end - at == 14);
    else
        may = next == '=' ? many || redact_char(s, end + 1) == '(' || redact_opens_list(s, end)
                          : next == '"' || next == '\'';
    return may && redact_holds_some(s, at, end);
}
/* The items of the list behind it; how many. */
int redact_items(struct redact_scan *s, size_t at, size_t end,
                 struct redact_match ret_items[REDACT_ITEMS]);

/* ---- questions (query.c) ---- */

/* `$ echo $DB_PASS`, `> process.env.SECRET`: what is on the line below the name that is asked for.
 */
bool redact_query(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- addresses (links.c) ---- */

/* What the address at `at`, behind its `://`, lets in by (links.c); and a proxy's secret,
 * whose `://` is at `at`. */
bool redact_link(struct redact_scan *s, size_t at, struct redact_match *ret_match);
bool redact_proxy(const struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* The key of a stream, from the same. */
bool redact_stream(struct redact_scan *s, size_t at, struct redact_match *ret_match);
/* `?u=root&p=X`, of the name `p`. */
bool redact_brief(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- wallets (seed.c) ---- */

/* Whether `down` is what somebody has to write something. */
bool redact_is_written_down(const struct redact_scan *s, size_t at);
/* Whether the name may say that words are near: `seed`, `phrase`, `mnemonic`, `SEED_WORDS`, `12
 * words`, `Write these down:`. */
static inline bool redact_may_be_seed(const struct redact_scan *s, size_t at, size_t end)
{
    while (end > at + 4 && s->text[end - 1] == '-')
        end--; /* `SEED-----` */
    if (end < at + 4)
        return false;
    switch (s->text[end - 1] | 0x20) {
    case 'd':
        return redact_at(s, end - 4, "seed");
    case 'e':
        return end >= at + 6 && redact_at(s, end - 6, "phrase");
    case 'c':
        return end >= at + 8 && redact_at(s, end - 8, "mnemonic");
    case 's':
        return end >= at + 5 && redact_at(s, end - 5, "words") &&
               (redact_at(s, at, "seed") || redact_at(s, at, "recovery") ||
                redact_at(s, at, "mnemonic") || (at >= 9 && redact_at(s, at - 9, "recovery")) ||
                (at >= 5 && redact_at(s, at - 5, "seed")) ||
                (at >= 3 && (redact_at(s, at - 3, "12 ") || redact_at(s, at - 3, "24 "))));
    case 'n':
        return end == at + 4 && redact_at(s, at, "down:") && redact_is_written_down(s, at);
    default:
        return false;
    }
}
/* The words behind the name that ends at `end`, or below. */
bool redact_seed(struct redact_scan *s, size_t end, struct redact_match *ret_match);

/* ---- dialogues (dialogue.c) ---- */

/* What was typed behind the question that the name is in. */
bool redact_dialogue(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- sections (section.c) ---- */

/* `key` below a heading that says of what, `<key>` that keygen gave. */
bool redact_section(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* Whether the name is `key` or ends in `_key`, and something may be behind it. */
static inline bool redact_may_be_section(const struct redact_scan *s, size_t at, size_t end)
{
    return end >= at + 3 && (s->text[end - 1] | 0x20) == 'y' && redact_at(s, end - 3, "key") &&
           (end == at + 3 || s->text[end - 4] == '_') &&
           REDACT_ONE_OF(redact_char(s, end), " \"':=>]");
}

/* ---- crowds (crowd.c) ---- */

/* Asked once of each name, in order: whether it tells, or may with what is around it, and more such
 * stand around it than in any text that a program writes. There redact_crowd() is asked, and no
 * other rule. */
bool redact_is_crowded(struct redact_scan *s, size_t at, size_t end);
/* What is behind the name up to the next telling one, at most 256 bytes and the word in which they
 * end, also over lines; nothing where there is no word. */
bool redact_crowd(struct redact_scan *s, size_t end, struct redact_match *ret_match);

/* ---- once more (again.c) ---- */

/* What was found at the end of a line, at the end of the next one: `Enter it again: X`. */
bool redact_again(struct redact_scan *s, size_t from, size_t to, struct redact_match *ret_match);

/* ---- signs (sign.c) ---- */

/* How a value stands behind its name. */
struct redact_place {
    size_t name, name_end;
    char sign;    /* '=' ':' ',' '>' or ' ' for an option's blank */
    bool tight;   /* NAME=value, no blank between */
    bool quoted;  /* the name is */
    bool shell;   /* tight, and the first of its line or behind export and the like */
    bool encoded; /* the sign is %3D: a %26 ends the value */
    enum redact_telling tells;
    bool upper;
};

/* Where the value begins that p->name is given; 0 when there is none. Sets sign, tight and what of
 * the others the sign says. */
size_t redact_find_value(struct redact_scan *s, struct redact_place *p);

/* ---- what a name is given (assigned.c) ---- */

/* Whether it is a secret, as far as it was read. */
bool redact_is_assigned(struct redact_scan *s, const struct redact_place *p,
                        const struct redact_value *v);
/* `passphrase: tiger river cobalt`: words to the line's end. */
bool redact_is_passphrase(struct redact_scan *s, const struct redact_place *p,
                          const struct redact_value *v);

/* ---- quoting (quoting.c) ---- */

/* `%q{X}`, `q(X)`, `[[X]]` at `at`. */
bool redact_read_brackets(struct redact_scan *s, size_t at, struct redact_value *ret);
/* `'... password=''X'' ...'`: in quotes that are doubled, as what they are in began with one. */
bool redact_read_doubled(struct redact_scan *s, size_t name, size_t at, struct redact_value *ret);
/* Where the quote is behind `String::from(`, `MD5(`, `u8`; `at` where none of these stands there.
 */
size_t redact_behind_wrapper(struct redact_scan *s, size_t at);
/* `user, password = "a", "X"`: where the value of `name` is, the first of them being at `at`. */
size_t redact_behind_others(struct redact_scan *s, size_t name, size_t at);

/* ---- arguments (argument.c) ---- */

/* `setopt(c, CURLOPT_USERPWD, "user:X")`, behind whose comma the value is. */
bool redact_constant(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `kim:X` in a line that says base64 (pairs.c). */
bool redact_encoded_login(struct redact_scan *s, size_t from, size_t to,
                          struct redact_match *ret_match);
/* `set("X", forKey: "userPassword")`: the value is in front. */
bool redact_for_key(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- lists of arguments (argv.c) ---- */

/* `"--db-password", "X"`, `- --password` over `- X`: behind the option of that name. */
bool redact_argued(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- answers (answered.c) ---- */

/* `##[debug]Evaluating: env.API_TOKEN`, and `##[debug]..=> 'X'` below; `Password: ` below what
 * calls getpass(), and `'X'` below. */
bool redact_evaluated(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
bool redact_got(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- variables (variable.c) ---- */

/* What a variable is set to that says nothing, and that is given as a secret behind it. */
bool redact_variable(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
static inline bool redact_may_be_variable(const struct redact_scan *s, size_t at, size_t end)
{
    return redact_char(s, end) == '=' && (at == 0 || REDACT_ONE_OF(s->text[at - 1], "\n ")) &&
           !redact_in(redact_char(s, end + 1), CLASS_SPACE);
}

/* ---- settings (setting.c) ---- */

/* `kestrel.rocket`: words that signs join, none of which is a program's or a sentence's. */
bool redact_is_wordy(struct redact_scan *s, size_t from, size_t to);
/* `Forgot your password?`: what a program shows of one. */
bool redact_is_notice(struct redact_scan *s, size_t from, size_t to);
/* `not-required`: two and more words of a program or a sentence, and nothing else. */
bool redact_is_remark(struct redact_scan *s, size_t from, size_t to);
/* Whether the word is one that sentences and programs are made of, or says of a secret what it is.
 */
bool redact_is_plain_word(struct redact_scan *s, size_t at, size_t end);
/* `tulipferry`: a long word of small letters, and none of those. */
bool redact_is_lone_word(struct redact_scan *s, size_t from, size_t to);
/* `Otter, slow river 5`: the same of several words. */
bool redact_is_spoken(struct redact_scan *s, size_t from, size_t to);
/* `HarborNickelRibbon`: the same of words that capital letters part. */
bool redact_is_camel(struct redact_scan *s, size_t from, size_t to);
/* `{username: kim, password: zephyranchor}`: a word in YAML's braces, behind whom it lets in. */
bool redact_is_mapped(struct redact_scan *s, size_t name, const struct redact_value *v);
/* Signs between letters and digits that no program's text has: `hazel20\"Mapl`. */
bool redact_is_garbled(const struct redact_scan *s, size_t from, size_t to);
/* All that a line sets the password `name` to, of which `v` is the beginning, or no more than that
 * where it is wordy; `tight`: no blank is behind the sign. */
bool redact_read_setting(struct redact_scan *s, size_t name, bool tight, struct redact_value *v);

/* ---- texts in quotes (quoted.c) ---- */

/* Whether a text of several words, or with signs, that a name which tells all is given in quotes is
 * a password, and not what a program says of one. */
bool redact_is_quoted(struct redact_scan *s, size_t from, size_t to);
/* The same of one without quotes, behind a label. */
bool redact_is_worded(struct redact_scan *s, size_t from, size_t to);
/* Whether the name says that it is a text of the program's: `wrongPassword`. */
bool redact_names_text(const struct redact_scan *s, size_t at, size_t end);
/* `{"password", "X"}`, `(2, 'password', 'X')`, `fill_in 'Password', with: 'X'`: beside the name. */
bool redact_quoted(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* `storePassword 'X'`: all of a statement; `{{ db_password | default('X') }}`. */
bool redact_apart(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
bool redact_or_else(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
/* A first look: what the name is in ends at a comma. */
static inline bool redact_may_be_quoted(const struct redact_scan *s, size_t end)
{
    end += redact_char(s, end) == ']';
    bool quoted = redact_in(redact_char(s, end), CLASS_DOUBLE | CLASS_SINGLE);
    char c = redact_char(s, end + quoted), next = redact_char(s, end + quoted + 1);
    return c == ',' || (c == ')' && (next == '.' || (quoted && next == ')'))) ||
           (quoted && ((c == ']' && next == '.') || (c == ' ' && next == 'w') ||
                       (c == '\n' && REDACT_ONE_OF(next, "- "))));
}

/* `SmtpPassword<tabulator>Vole & Vetch`: a name that begins its line, and the rest of that. */
bool redact_in_cell(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- functions (returned.c) ---- */

/* `String getPassword() { return "X"; }`. */
bool redact_returned(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* ---- values without quotes (scalar.c) ---- */

/* All that the password `name` is set to, of which `v` is the first word: to the line's end, or to
 * what ends the list's member that it is. */
bool redact_read_scalar(struct redact_scan *s, size_t name, size_t end, char sign, bool tight,
                        struct redact_value *v);

/* ---- behind labels (stated.c) ---- */

/* Where a text to the line's end ends, without blanks and a comment. */
size_t redact_text_end(struct redact_scan *s, size_t from);
/* Whether it has signs of a program; such, or words between them. */
bool redact_has_signs(const struct redact_scan *s, size_t from, size_t to);
bool redact_is_expression(const struct redact_scan *s, size_t from, size_t to);

/* Whether what is behind a label is a password of several words, or with signs, and does not say
 * how a password is. */
bool redact_is_stated(struct redact_scan *s, size_t from, size_t to);
/* The same, or such and an exclamation mark: where nothing speaks to a user. */
bool redact_is_exclaimed(struct redact_scan *s, size_t from, size_t to);
/* Whether a command that prints one line names what is secret. */
bool redact_asks_secret(const struct redact_scan *s, size_t from, size_t to);
/* Whether a value is like no word that a text may hold besides: where it stands again, nothing may
 * tell. */
bool redact_tells_again(struct redact_scan *s, size_t from, size_t to);
/* Whether only words and what a list begins with are in front of the name on its line. */
bool redact_is_labelled(const struct redact_scan *s, size_t name);
/* Whether a line in front of the name's says who is let in: `Username: x`. */
bool redact_is_beside_user(struct redact_scan *s, size_t name);
/* `kim@host password: X` in a log, `-H 'api-key: X'`, `password X` in a file, at a console. */
bool redact_stated(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);

/* YAML's `? name` and, on the next line, `: X` (scalar.c). */
bool redact_explicit(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match);
static inline bool redact_is_explicit(const struct redact_scan *s, size_t at)
{
    at -= REDACT_ONE_OF(s->text[at - 1], "\"'");
    return at > 1 && s->text[at - 1] == ' ' && s->text[at - 2] == '?';
}

/* A telling name's value in one of these places. */
static inline bool redact_place(struct redact_scan *s, size_t at, size_t end,
                                struct redact_match *ret_match)
{
    char next = redact_char(s, end);
    if (s->text[at] == '-' && REDACT_ONE_OF(next, ",\"'\n") && redact_argued(s, at, end, ret_match))
        return true;
    if (redact_may_be_quoted(s, end) && redact_quoted(s, at, end, ret_match))
        return true;
    if (next == '\t' && redact_in_cell(s, at, end, ret_match))
        return true;
    if (next == ' ' || next == '\t') {
        char sign = redact_behind(s, end)->sign;
        if (sign == '"' || sign == '\'')
            return redact_tells(s, at, end - at) == TELLS_ALL &&
                   (redact_phrase(s, at, end, ret_match) || redact_apart(s, at, end, ret_match));
        if (sign == '|' && redact_or_else(s, at, end, ret_match))
            return true;
        if (sign == '<' && redact_char(s, redact_behind(s, end)->to + 1) == '/' &&
            redact_tagged(s, at, end, ret_match))
            return true;
        return (sign == 'R' || sign == '|' || sign == '\xe2') && redact_pair(s, at, end, ret_match);
    }
    if (next == ':' && redact_in(redact_char(s, end + 1), CLASS_SPACE) &&
        redact_got(s, at, end, ret_match))
        return true;
    if (next == '<' || (next == ':' && REDACT_ONE_OF(redact_char(s, end + 1), " <")))
        return redact_tagged(s, at, end, ret_match);
    if (next == ',')
        return redact_constant(s, at, end, ret_match);
    if (next == '}')
        return at > 2 && s->text[at - 1] == '$' && s->text[at - 2] == '{' &&
               redact_pair(s, at, end, ret_match);
    if (next == '\n' &&
        (redact_commented(s, at, end, ret_match) || redact_evaluated(s, at, end, ret_match)))
        return true;
    bool quote = next == '"' || next == '\'';
    if ((quote || next == '\n') && at > 1 && redact_is_explicit(s, at) &&
        redact_explicit(s, at, end, ret_match))
        return true;
    if (quote && at > 4 && redact_for_key(s, at, end, ret_match))
        return true;
    return (quote && redact_tagged(s, at, end, ret_match)) ||
           ((quote || next == '\n' || next == '\r') && redact_pair(s, at, end, ret_match));
}

#endif
