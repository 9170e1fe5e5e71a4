/* Words of commands where no shell reads them as they stand: lists of arguments, as programs and
 * files have them (`["docker", "login", "-p", "X"]`, `spawn('curl', ['-u', 'kim:X'])`,
 * `Command::new("curl").arg("-u").arg("kim:X")`, YAML's items, one a line), and words inside of
 * quotes that have quotes themselves (`ssh db 'mysql -p'\''X Y'\'''`). And what is behind an option
 * of such a list whose name tells, whatever the tool: `- --password` over `- X`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define BETWEEN_MOST                                                                               \
    120 /* bytes between two words of a list: a line's end and what it is indented */
#define INDENT_MOST 80
#define QUOTED_MOST 4096 /* bytes of what a quote began */
#define PREFIX_MOST 2    /* letters in front of a quote: rb"X" */

/* ---- between words ---- */

/* Behind `)` or `]`: where the list goes on by another call for its arguments; `at` where it ends.
 */
static size_t behind_call(struct redact_scan *s, size_t at)
{
    size_t dot = redact_run(s, at + 1, CLASS_SPACE);
    if (redact_at(s, dot, ".args("))
        return dot + 6;
    return redact_at(s, dot, ".arg(") ? dot + 5 : at;
}

/* The next word of a list of programs; `at` where the list ends. */
static size_t next_listed(struct redact_scan *s, size_t at)
{
    size_t most = s->len - at < BETWEEN_MOST ? s->len : at + BETWEEN_MOST, from = at;
    bool parted = false;
    while (at < most) {
        char c = s->text[at];
        size_t call;
        if (c == '\n' && !parted)
            return from; /* a line of its own */
        if (redact_in(c, CLASS_SPACE))
            at++;
        else if (REDACT_ONE_OF(c, ",[({&") || (c == '@' && redact_char(s, at + 1) == '('))
            parted = true, at++;
        else if (REDACT_ONE_OF(c, ")]") && (call = behind_call(s, at)) > at)
            parted = true, at = call;
        else
            return REDACT_ONE_OF(c, ")]};") ? from : at;
    }
    return from;
}

/* Where the line's text begins behind a list's dash, if it is as far in as the line that ends at
 * `at`; `at` elsewhere. */
static size_t next_item(struct redact_scan *s, size_t at)
{
    if (redact_char(s, at) != '\n' || at + 1 >= s->len)
        return at;
    size_t line = redact_line_start(s, at, REDACT_LINE_LOOKED_AT);
    size_t dash = redact_run(s, line, CLASS_BLANK), next = redact_run(s, at + 1, CLASS_BLANK);
    bool same = next - at - 1 == dash - line && redact_at(s, next, "- ");
    size_t text = same ? redact_run(s, next + 2, CLASS_BLANK) : at;
    return redact_in(redact_char(s, text), CLASS_NEWLINE) ? at : text;
}

bool redact_is_item(struct redact_scan *s, size_t at)
{
    size_t dash = at - (at && redact_in(s->text[at - 1], CLASS_DOUBLE | CLASS_SINGLE));
    while (dash && s->text[dash - 1] == ' ')
        dash--;
    if (dash == at || !dash || s->text[--dash] != '-')
        return false;
    size_t line = redact_line_start(s, dash, INDENT_MOST);
    return redact_run(s, line, CLASS_BLANK) == dash && (!line || s->text[line - 1] == '\n');
}

/* ---- how they go on ---- */

enum redact_goes_on redact_others_go_on(struct redact_scan *s, size_t at, size_t end)
{
    char next = s->text[end], before = at ? s->text[at - 1] : '\n';
    if (next == '\n' || (next == ':' && redact_char(s, end + 1) == '\n'))
        return REDACT_BY_LINES;
    if (next == ',' && before == '[')
        return REDACT_BY_LIST;
    size_t quote = end + (next == '\\');
    next = redact_char(s, quote);
    char behind = redact_char(s, quote + 1);
    if ((next != '"' && next != '\'') || !at)
        return REDACT_NO_FURTHER;
    /* a path with blanks: `"C:\Program Files\x\mysql.exe" -pX`; a name that is no alias: `'curl'`
     */
    if (behind == ' ' && redact_char(s, quote + 2) == '-' &&
        (before == next || REDACT_ONE_OF(before, "/\\")))
        return REDACT_BY_COUNT;
    if (before != next)
        return REDACT_NO_FURTHER;
    if (behind == ',' || (behind == ')' && behind_call(s, quote + 1) > quote + 1))
        return REDACT_BY_LIST;
    if (behind == '\n')
        return REDACT_BY_LINES;
    return behind == ' ' && at > 1 && s->text[at - 2] == '=' ? REDACT_BY_COUNT : REDACT_NO_FURTHER;
}

enum redact_list redact_list_behind(const struct redact_scan *s, size_t at, size_t *end)
{
    if (at && s->text[at - 1] == '[')
        return REDACT_BARE_LIST;
    *end += 1 + (s->text[*end] == '\\');
    return REDACT_LIST;
}

/* ---- words ---- */

/* The end of what is in quotes at `at`, which may be escaped as in JSON inside of a text. */
static bool read_quoted(struct redact_scan *s, size_t at, struct redact_value *ret)
{
    size_t line = redact_line_end(s, at), escaped = s->text[at] == '\\', from = at + escaped + 1;
    char quote = s->text[at + escaped];
    for (size_t to = from; to < line; to++) {
        bool slash = s->text[to] == '\\';
        if (escaped ? slash && redact_char(s, to + 1) == quote : s->text[to] == quote) {
            *ret = (struct redact_value){from, to, to + escaped + 1, quote};
            return true;
        }
        to += slash && !escaped;
    }
    return false;
}

/* Whether a text in quotes is all of an argument: not `"-p" + password`. */
static bool is_whole(struct redact_scan *s, size_t end)
{
    size_t at = redact_run(s, end, CLASS_BLANK);
    return redact_in(redact_char(s, at), CLASS_NEWLINE) ||
           REDACT_ONE_OF(redact_char(s, at), ",)]}");
}

/* A word of a list at `at`. What is not in quotes is an expression, of which nothing is taken, or
 * the word itself where those in front of it have no quotes. */
static void read_listed(struct redact_scan *s, size_t at, bool bare, struct redact_value *ret)
{
    size_t letters = redact_run(s, at, CLASS_UPPER | CLASS_LOWER), end = at;
    size_t quote = letters - at <= PREFIX_MOST ? letters : at;
    quote += redact_char(s, quote) == '\\';
    bool quoted = redact_in(redact_char(s, quote), CLASS_DOUBLE | CLASS_SINGLE);
    quote -= quote > at && s->text[quote - 1] == '\\';
    if (quoted && read_quoted(s, quote, ret) && is_whole(s, ret->end))
        return;
    size_t line = redact_line_end(s, at);
    while (end < line && !REDACT_ONE_OF(s->text[end], ",)]}"))
        end++;
    *ret = (struct redact_value){at, bare && !quoted ? end : at, end, 0};
    while (ret->to > at && redact_in(s->text[ret->to - 1], CLASS_BLANK))
        ret->to--;
}

/* The text of an item at `at`. */
static void read_item(struct redact_scan *s, size_t at, struct redact_value *ret)
{
    size_t line = redact_line_end(s, at);
    bool quoted = redact_in(s->text[at], CLASS_DOUBLE | CLASS_SINGLE);
    if (quoted && read_quoted(s, at, ret)) {
        ret->end = line;
        return;
    }
    const char *remark = memmem(s->text + at, line - at, " #", 2);
    size_t to = remark ? (size_t)(remark - s->text) : line;
    while (to > at && redact_in(s->text[to - 1], CLASS_SPACE))
        to--;
    *ret = (struct redact_value){at, to, line, 0};
}

bool redact_listed_word(struct redact_scan *s, enum redact_list list, size_t at, size_t most,
                        struct redact_value *ret)
{
    size_t next = list == REDACT_ITEM_LIST ? next_item(s, at) : next_listed(s, at);
    if (next == at || next >= most)
        return false;
    if (list == REDACT_ITEM_LIST)
        read_item(s, next, ret);
    else
        read_listed(s, next, list == REDACT_BARE_LIST, ret);
    return ret->end > at;
}

/* ---- inside of quotes ---- */

/* How long what stands for a quote is, inside of those that `quote` began; 0 where none is. */
static size_t inner_quote(const struct redact_scan *s, size_t at, char quote)
{
    if (quote == '"')
        return redact_char(s, at) == '\\' && redact_char(s, at + 1) == '"' ? 2 : 0;
    return redact_at(s, at, "'\\''") ? 4 : redact_at(s, at, "'\"'\"'") ? 5 : 0;
}

size_t redact_inner_word(struct redact_scan *s, size_t at, size_t end, char quote)
{
    while (at < end) {
        char c = s->text[at];
        if (redact_in(c, CLASS_NAME | CLASS_BASE64 | CLASS_COLON)) {
            at++; /* most */
            continue;
        }
        if (redact_in(c, CLASS_SPACE) || REDACT_ONE_OF(c, ";|&"))
            break;
        size_t len = inner_quote(s, at, quote);
        len += !len && redact_in(c, CLASS_DOUBLE | CLASS_SINGLE);
        const char *close = len && at + len < end
                                ? memmem(s->text + at + len, end - at - len, s->text + at, len)
                                : NULL;
        if (close)
            at = (size_t)(close - s->text) + len;
        else
            at += len ? len : c == '\\' ? 2 : 1;
    }
    return at < end ? at : end;
}

/* How what stands for a quote ends in front of `at`, as inner_quote() has it. */
static size_t quote_before(const struct redact_scan *s, size_t at, char quote)
{
    for (size_t len = 2; len <= 5; len++)
        if (at >= len && inner_quote(s, at - len, quote) == len)
            return len;
    return 0;
}

size_t redact_outer_quote(struct redact_scan *s, size_t from, size_t at, char quote)
{
    size_t line = redact_line_end(s, at), len = quote_before(s, from, quote);
    size_t most = line - at > QUOTED_MOST ? at + QUOTED_MOST : line;
    if (len) { /* what is written for one ends at the next of its kind */
        const char *close = memmem(s->text + at, most - at, s->text + from - len, len);
        return close ? (size_t)(close - s->text) : s->len;
    }
    for (const char *close; at < most && (close = memchr(s->text + at, quote, most - at));
         at += len) {
        at = (size_t)(close - s->text);
        bool written = quote == '"' && s->text[at - 1] == '\\';
        len = written ? 1 : quote == '\'' ? inner_quote(s, at, quote) : 0;
        if (!len)
            return at;
    }
    return s->len;
}

/* ---- options by their names ---- */

bool redact_argued(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    enum redact_telling tells = redact_tells(s, at, end - at);
    char next = redact_char(s, end);
    bool quoted = at && next == s->text[at - 1] && REDACT_ONE_OF(next, "\"'");
    size_t behind = end + quoted;
    enum redact_list list = redact_char(s, behind) == ','              ? REDACT_LIST
                            : redact_is_item(s, at) && s->len > behind ? REDACT_ITEM_LIST
                                                                       : REDACT_NO_LIST;
    if (list == REDACT_LIST && !quoted)
        list = REDACT_BARE_LIST;
    bool begins = at && (quoted || REDACT_ONE_OF(s->text[at - 1], " [,"));
    if (!tells || !begins || !list || !redact_listed_word(s, list, behind, s->len, &v) ||
        v.to < v.from + 4 || s->text[v.from] == '-' || redact_is_placeholder(s, v.from, v.to))
        return false;
    struct redact_reached word = {.from = v.from, .to = v.to};
    if (tells < TELLS_ALL && redact_strength(s, &word) == REDACT_WEAK)
        return false;
    *ret_match = (struct redact_match){v.from, v.to, "value"};
    return !redact_is_path(s, v.from, v.to);
}
