/* Secrets on the line below the name that tells of them: what a command prints that names one
 * (`$ echo $TOKEN`, `$ pass show mail/password`), a value that was asked for, a text between marks.
 */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/rules.h"

#define HERE_MOST   64  /* bytes of a password in words */
#define REST_MOST   160 /* bytes behind the name */
#define LIST_MOST   32  /* codes in a list */
#define CODE_LEAST  6   /* bytes of a code in lines of several */
#define CODE_MOST   24
#define CODES_LEAST 4
#define PROMPT_MOST 64  /* in front of a command */
#define TOLD_MOST   256 /* bytes of a wallet's words, or of what PHP shows */
#define LOWER_MOST  512 /* bytes of a value on the next line */

/* Whether a sign that ends a prompt is there. */
static bool ends_prompt(const struct redact_scan *s, size_t at)
{
    char c = s->text[at], before = s->text[at - 1];
    return (c == '$' || c == '#' || c == '%' || c == '>') && s->text[at + 1] == ' ' &&
           (before == ']' || before == '~' || before == ' ' || before == ')' ||
            redact_in(before, CLASS_ALNUM));
}

/* Whether one is in [from, to), `from` > 0: what is known to have none is not looked at again. */
static bool has_prompt(struct redact_scan *s, size_t from, size_t to)
{
    if (from < s->prompt_from || from > s->prompt_to)
        s->prompt_from = s->prompt_to = from;
    while (s->prompt_to < to && !ends_prompt(s, s->prompt_to))
        s->prompt_to++;
    return s->prompt_to < to;
}

/* What in front of a command says that it is one, with the blank behind it. */
static bool is_prompt(struct redact_scan *s, size_t line, size_t name)
{
    size_t most = name - line < PROMPT_MOST ? name : line + PROMPT_MOST;
    if (redact_at(s, line, ">>> ") || redact_at(s, line, "(gdb) ") ||
        redact_at(s, line, "(Pdb) ") || redact_at(s, line, "irb"))
        return true;
    return (most - line > 1 && REDACT_ONE_OF(s->text[line], "$#%>") && s->text[line + 1] == ' ') ||
           (most - line > 2 && has_prompt(s, line + 1, most - 1)) ||
           redact_at(s, line, "\xe2\x9d\xaf") || redact_at(s, line, "\xe2\x9e\x9c"); /* ❯ ➜ */
}

/* Where the last word of the line begins, `end` at the earliest: that of the last look stays. */
static size_t last_word(struct redact_scan *s, size_t end, size_t line)
{
    size_t at = line;
    if (s->last_line == line && s->last_end <= end)
        return s->last_word > end ? s->last_word : end;
    while (at > end && redact_in(s->text[at - 1], CLASS_ALNUM | CLASS_SINGLE | CLASS_DOUBLE))
        at--;
    s->last_line = line, s->last_end = end, s->last_word = at;
    return at;
}

static bool has_word(const struct redact_scan *s, size_t from, size_t to)
{
    while (from < to && !redact_in(s->text[from], CLASS_ALNUM))
        from++;
    return from < to;
}

enum below {
    NOTHING_BELOW,
    SIGNS,   /* `"name"]=>` */
    SAID,    /* ... a colon */
    MARKED,  /* <<EOT */
    PRINTED, /* a command */
};

static enum below below_of(struct redact_scan *s, size_t at, size_t end, size_t line)
{
    size_t start = redact_line_start(s, at, REDACT_LINE_LOOKED_AT);
    if (line - end > REST_MOST)
        return NOTHING_BELOW;
    if (is_prompt(s, start, at))
        return PRINTED;
    size_t mark = last_word(s, end, line);
    mark -= mark > end && s->text[mark - 1] == '-';
    if (mark < line && mark >= end + 2 && redact_at(s, mark - 2, "<<"))
        return MARKED;
    if (line > end && s->text[line - 1] == ':')
        return SAID;
    return line > end + 1 && s->text[line - 1] == '>' && !has_word(s, end, line) ? SIGNS
                                                                                 : NOTHING_BELOW;
}

/* In front of the value: `$1 = `, `string(12) `. */
static size_t skip_front(struct redact_scan *s, size_t at)
{
    size_t end = at;
    if (redact_char(s, at) == '$' || redact_at(s, at, "string(")) {
        end = redact_run(s, at + (s->text[at] == '$' ? 1 : 7), CLASS_DIGIT);
        while (end < s->len && end - at < 16 && strchr(") =", s->text[end]))
            end++;
    }
    return end < s->len ? end : at;
}

/* A list of codes, one a line: where the last of them ends that is like the first. */
static size_t last_like(struct redact_scan *s, size_t from, size_t to)
{
    size_t len = to - from, end = to;
    if (s->list_from == from && s->list_to == to)
        return s->list_end; /* as another name of the line was told */
    for (int i = 0; i < LIST_MOST && redact_char(s, end) == '\n'; i++) {
        size_t next = redact_run(s, end + 1, CLASS_BLANK);
        size_t behind = redact_run(s, next, ~(uint32_t)CLASS_SPACE);
        if (behind - next != len || redact_char(s, behind) != '\n' ||
            !redact_has_digit(s, next, behind))
            break;
        end = behind;
    }
    s->list_from = from, s->list_to = to, s->list_end = end;
    return end;
}

/* Codes as long as the first, with digits in most, up to the line's end; how many. */
static int count_codes(struct redact_scan *s, size_t from, size_t line, size_t len, int *digits)
{
    int count = 0;
    while ((from = redact_run(s, from, CLASS_BLANK)) < line) {
        size_t to = from;
        while (to < line && redact_in(s->text[to], CLASS_ALNUM | CLASS_DASH))
            to++;
        if (to - from != len || (to < line && !redact_in(s->text[to], CLASS_BLANK)))
            return 0;
        *digits += redact_has_digit(s, from, to);
        count++;
        from = to;
    }
    return count;
}

/* Codes in lines of several, four and more: where the last ends; 0 where they are none. */
static size_t codes_end(struct redact_scan *s, size_t from)
{
    size_t first = from, end = 0;
    while (first - from <= CODE_MOST && redact_in(redact_char(s, first), CLASS_ALNUM | CLASS_DASH))
        first++;
    size_t len = first - from;
    if (len < CODE_LEAST || len > CODE_MOST || !redact_has_digit(s, from, first))
        return 0; /* most */
    int count = 0, digits = 0, lines = 0;
    for (size_t at = from; at < s->len && lines < LIST_MOST; lines++) {
        size_t line = redact_line_end(s, at);
        int more = line - at <= REST_MOST ? count_codes(s, at, line, len, &digits) : 0;
        if (!more)
            break;
        count += more;
        end = line;
        at = line + 1;
    }
    while (end > from && redact_in(s->text[end - 1], CLASS_BLANK))
        end--;
    return count >= CODES_LEAST && count > lines && 2 * digits > count ? end : 0;
}

/* The value is alone, deeper than its name, and what follows is not: `pass:` over `    X`. */
static bool is_nested(struct redact_scan *s, size_t at, size_t from, size_t to)
{
    size_t name = at - redact_line_start(s, at, REST_MOST),
           value = from - redact_line_start(s, from, REST_MOST), line = redact_line_end(s, to) + 1;
    size_t next = line < s->len ? redact_run(s, line, CLASS_BLANK) - line : 0;
    return redact_run(s, redact_line_start(s, at, REST_MOST), CLASS_BLANK) == at &&
           value >= name + 2 && next <= name;
}

/* Of a file that holds a user and a password the second line is printed. */
static size_t skip_user(struct redact_scan *s, size_t at, size_t end, size_t from)
{
    size_t line = redact_line_end(s, from), last = line + 1;
    bool two = end - at > 9 && memmem(s->text + at, end - at, "user-pass", 9) && last < s->len;
    size_t behind = two ? redact_line_end(s, last) + 1 : 0;
    bool ends = behind >= s->len || s->text[behind] == '\n' || redact_at(s, behind, "$ ");
    return two && ends && redact_run(s, from, ~(uint32_t)CLASS_SPACE) == line ? last : from;
}

/* Where a line's last word ends, from its beginning. */
static size_t width_of(const struct redact_scan *s, size_t from, size_t to)
{
    while (to > from && redact_in(s->text[to - 1], CLASS_BLANK))
        to--;
    return to - from;
}

/* A vector as R prints it: names in one line, and below each what it is, both end in one column. */
static bool is_aligned(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                       struct redact_match *ret)
{
    size_t start = redact_line_start(s, at, REST_MOST), line = redact_line_end(s, end);
    size_t to = line + 1 + (end - start), below = line < s->len ? redact_line_end(s, line + 1) : 0;
    if (to > below || (start && s->text[start - 1] != '\n') ||
        redact_run(s, start, CLASS_NAME | CLASS_BLANK) != line)
        return false; /* most */
    bool quoted = s->text[to - 1] == '"';
    if (memchr(s->text + start, '\t', line - start) ||
        (!quoted && width_of(s, start, line) != width_of(s, line + 1, below)))
        return false;
    if (!redact_in(redact_char(s, to), CLASS_SPACE) ||
        !redact_in(redact_char(s, end), CLASS_SPACE) || (!quoted && end == line))
        return false;
    size_t from = to -= quoted;
    while (from > line + 1 &&
           (quoted ? s->text[from - 1] != '"' : !redact_in(s->text[from - 1], CLASS_SPACE)))
        from--;
    if (to < from + 6 || (quoted ? from == line + 1 : from - 1 == line + (at - start)))
        return false;
    struct redact_reached word = {.from = from, .to = to};
    *ret = (struct redact_match){from, to, "value"};
    return redact_strength(s, &word) >=
           (quoted && tells != TELLS_LONG ? REDACT_SHORT_WORD : REDACT_RANDOM);
}

/* A wallet's words (BIP 39): twelve to twenty-four of three to eight small letters, whatever they
 * say. */
static bool is_seed(const struct redact_scan *s, size_t from, size_t to)
{
    size_t words = 0, letters = 0;
    for (size_t i = from; i <= to; i++) {
        if (i < to && redact_in(s->text[i], CLASS_LOWER)) {
            letters++;
            continue;
        }
        if ((i < to && s->text[i] != ' ') || letters < 3 || letters > 8)
            return false;
        words++;
        letters = 0;
    }
    return words >= 12 && words <= 24 && words % 3 == 0;
}

/* What is below a sign and needs no strength: all that PHP shows of a password, in quotes behind
 * its length, and a wallet's words. */
static bool is_told(const struct redact_scan *s, enum redact_telling tells, size_t sign,
                    const struct redact_reached *t)
{
    bool dumped = t->quote && tells == TELLS_ALL && redact_at(s, sign, "string(");
    return dumped ? t->to >= t->from + 4 && !redact_is_placeholder(s, t->from, t->to)
                  : is_seed(s, t->from, t->to);
}

/* Words with a digit, all that a here-document has: its mark is on the next line. */
static bool is_here_text(struct redact_scan *s, size_t from, size_t to)
{
    size_t next = redact_run(s, redact_line_end(s, to), CLASS_SPACE);
    size_t mark = redact_run(s, next, CLASS_UPPER | CLASS_UNDER);
    return to >= from + 6 && to - from <= HERE_MOST && redact_has_digit(s, from, to) &&
           mark >= next + 3 && mark == redact_line_end(s, next) &&
           !memchr(s->text + from, '=', to - from) && !redact_is_placeholder(s, from, to);
}

/* `Tart.On.A.Plate`: words with capitals, which signs join; no member of anything is in YAML. */
static bool is_titled(const struct redact_scan *s, size_t from, size_t to)
{
    size_t signs = 0, upper = 0;
    for (size_t i = from; i < to; i++) {
        signs += REDACT_ONE_OF(s->text[i], "._-+&!~");
        upper += redact_in(s->text[i], CLASS_UPPER);
        if (!redact_in(s->text[i], CLASS_ALNUM) && !REDACT_ONE_OF(s->text[i], "._-+&!~"))
            return false;
    }
    return to - from >= 8 && to - from <= HERE_MOST && signs >= 2 && upper >= 2 &&
           !redact_is_placeholder(s, from, to);
}

/* What is below a name's line. */
struct lower {
    enum below how;
    bool renewed;            /* its label says that it is a new value */
    size_t sign;             /* where its line begins, blanks aside */
    struct redact_reached t; /* its text */
};

/* `Value: X`, `New value: X`, right below the name. */
static void skip_label(struct redact_scan *s, struct lower *l)
{
    l->renewed = redact_at(s, l->t.from, "New value: ");
    if (!l->renewed && !redact_at(s, l->t.from, "Value: "))
        return;
    l->t.from = redact_run(s, l->t.from, ~(uint32_t)CLASS_COLON) + 2;
    l->how = PRINTED;
}

/* Its line's text, without what is in front and the quotes around it. */
static void read_lower(struct redact_scan *s, size_t at, size_t end, struct lower *l)
{
    l->sign = redact_run(s, l->t.from, l->how == SAID ? CLASS_SPACE : CLASS_BLANK);
    size_t from = skip_front(s, l->sign);
    from = l->how == PRINTED ? skip_user(s, at, end, from) : from;
    size_t to = redact_line_end(s, from);
    while (to > from && redact_in(s->text[to - 1], CLASS_BLANK))
        to--;
    char quote = from < to ? s->text[from] : 0;
    if ((quote == '"' || quote == '\'') && to > from + 2 && s->text[to - 1] == quote)
        l->t.quote = quote, from++, to--;
    l->t.from = from, l->t.to = to;
}

/* Whether it needs no strength where it stands. */
static bool is_certain(struct redact_scan *s, enum redact_telling tells, const struct lower *l)
{
    const struct redact_reached *t = &l->t;
    return ((l->how == SAID || l->how == SIGNS) && t->to - t->from <= TOLD_MOST &&
            is_told(s, tells, l->sign, t)) ||
           (l->how == MARKED && tells == TELLS_ALL && is_here_text(s, t->from, t->to));
}

/* Whether it is as strong as one has to be there; `listed`: as the first of a list, one a line. */
static bool is_strong(struct redact_scan *s, enum redact_telling tells, struct lower *l,
                      bool nested, bool listed)
{
    const struct redact_reached *t = &l->t;
    bool all = tells == TELLS_ALL;
    int strength = redact_strength(s, &l->t);
    enum redact_strength least = all ? REDACT_MIXED : REDACT_RANDOM;
    if (l->how == PRINTED || l->how == MARKED || nested || t->quote)
        least = all ? REDACT_SHORT_WORD : REDACT_MIXED;
    if (listed)
        least = REDACT_WEAK + 1;
    return strength >= (int)least || (nested && all && is_titled(s, t->from, t->to)) ||
           (l->renewed && !redact_is_placeholder(s, t->from, t->to));
}

/* Where what is strong enough ends; 0 for what is not. */
static size_t strong_end(struct redact_scan *s, enum redact_telling tells, struct lower *l,
                         bool nested)
{
    struct redact_reached *t = &l->t;
    size_t len = t->to - t->from;
    if (t->to < t->from + 6 || len > LOWER_MOST ||
        redact_run(s, t->from, ~(uint32_t)CLASS_SPACE) < t->to)
        return 0;
    size_t list = l->how == SAID ? last_like(s, t->from, t->to) : t->to;
    if (!is_strong(s, tells, l, nested, list >= t->to + 2 * len)) /* three and more */
        return 0;
    bool alone = l->how == SAID && len == 64 && redact_run(s, t->from, CLASS_HEX) == t->to;
    return t->hex && tells == TELLS_LONG && !alone ? 0 : list;
}

bool redact_below(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                  struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end);
    struct lower l = {.t.from = line + 1};
    if (line + 6 >= s->len || line - end > REST_MOST)
        return false;
    if (redact_in(redact_char(s, end), CLASS_SPACE) && is_aligned(s, at, end, tells, ret_match))
        return true;
    if (s->text[l.t.from] == '\n' && s->text[line - 1] != ':')
        return false;
    l.how = below_of(s, at, end, line);
    if (tells == TELLS_ALL)
        skip_label(s, &l);
    size_t from = redact_run(s, l.t.from, CLASS_SPACE);
    size_t to = l.how == SAID || end == line ? codes_end(s, from) : 0;
    if (!to) {
        if (!l.how || memmem(s->text + end, line - end, "accessor", 8))
            return false;
        read_lower(s, at, end, &l);
        from = l.t.from;
        bool nested = l.how == SAID && end + 1 == line && is_nested(s, at, from, l.t.to);
        to = is_certain(s, tells, &l) ? l.t.to : strong_end(s, tells, &l, nested);
    }
    *ret_match = (struct redact_match){from, to, "value"};
    return to > 0;
}
