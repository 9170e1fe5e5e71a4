/* What a telling name is given in quotes, whatever signs it has: as a call's argument,
 * `setPassword("X")`; behind a comment that is its name; by a sentence that ends in a sign,
 * `passphrase for the drive = "X"`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define VALUE_MOST     256
#define SENTENCE_MOST  48  /* between a name and its sign */
#define STATEMENT_MOST 120 /* in front of a function of SQL's */
#define WORD_LEAST     4   /* letters of a word that dice have chosen */

/* Letters of both cases or of another alphabet, and digits or a sign: no word of a program or of a
 * sentence. */
static bool is_value(struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, upper = 0, lower = 0;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        bool other = (s->text[i] & 0x80) != 0 && s->text[i] != '\xe2';
        upper += other || redact_in(s->text[i], CLASS_UPPER);
        lower += other || redact_in(s->text[i], CLASS_LOWER);
    }
    return to - from >= 8 && !memchr(s->text + from, ' ', to - from) && lower && upper &&
           (digits >= 2 || redact_has_sign(s, from, to)) && !redact_is_placeholder(s, from, to) &&
           !redact_is_path(s, from, to) && !memmem(s->text + from, to - from, "://", 3);
}

/* Words of small letters, as dice choose them. */
static bool is_words(const struct redact_scan *s, size_t from, size_t to)
{
    static const char *const said[] = {"must ", "should ", "have ", "from ", "this ", "that ",
                                       "with ", "when ",   "your ", "will ", "been ", "used "};
    size_t words = 0, letters = 0;
    for (size_t i = from; i <= to; i++) {
        if (i < to && redact_in(s->text[i], CLASS_LOWER)) {
            letters++;
            continue;
        }
        if ((i < to && s->text[i] != ' ') || letters < WORD_LEAST - 1)
            return false;
        for (size_t j = 0; j < sizeof said / sizeof *said; j++)
            if (redact_at(s, i - letters, said[j]))
                return false;
        words++;
        letters = 0;
    }
    return words >= WORD_LEAST;
}

/* What is in the quotes at `at`; a letter may be in front of them, as in L"X". */
static bool read_quotes(struct redact_scan *s, size_t at, struct redact_match *ret, size_t *ret_end)
{
    uint32_t quotes = CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK;
    at += redact_in(redact_char(s, at + 1), quotes) && REDACT_ONE_OF(redact_char(s, at), "LbruN@$");
    at += redact_at(s, at, "u8\"") ? 2 : 0;
    if (!redact_in(redact_char(s, at), quotes))
        return false;
    size_t line = redact_line_end(s, at), from = at + 1;
    size_t most = line - from < VALUE_MOST ? line : from + VALUE_MOST;
    const char *close = memchr(s->text + from, s->text[at], most - from);
    if (!close)
        return false;
    *ret = (struct redact_match){from, (size_t)(close - s->text), "value"};
    *ret_end = ret->to + 1;
    return true;
}

/* A value, or words that none of a program are. */
static bool is_value_or_words(struct redact_scan *s, size_t from, size_t to)
{
    return is_value(s, from, to) || redact_is_wordy(s, from, to) || redact_is_spoken(s, from, to);
}

/* A word of letters and digits, as passwords have them. */
static bool is_worded(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached word = {.from = from, .to = to};
    return to - from >= 6 && redact_strength(s, &word) > REDACT_WEAK &&
           !redact_is_placeholder(s, from, to) && !redact_is_path(s, from, to);
}

/* What nothing but a value stands for, whatever it is made of: no name for it, no text of words. */
static bool is_literal(struct redact_scan *s, size_t from, size_t to)
{
    return to >= from + 6 && !memchr(s->text + from, ' ', to - from) &&
           !redact_is_placeholder(s, from, to) && !redact_is_remark(s, from, to) &&
           !redact_tells(s, from, to - from);
}

/* Whether what is behind the last dot begins so. */
static bool is_setter(const struct redact_scan *s, size_t at, size_t end)
{
    const char *dot = memrchr(s->text + at, '.', end - at);
    return redact_at(s, dot ? (size_t)(dot - s->text) + 1 : at, "set");
}

/* `SET PASSWORD FOR kim = PASSWORD("X")`: SQL's function, of a statement that says so in front. */
static bool is_of_statement(const struct redact_scan *s, size_t at, size_t end)
{
    static const char words[][8] = {"SET ", "set ", "SELECT ", "select ", "VALUES ", "values "};
    size_t from = redact_line_start(s, at, STATEMENT_MOST);
    return end - at >= 8 && redact_at(s, end - 8, "password") && REDACT_HOLDS(s, from, at, words);
}

/* `setPassword("X")`; what asks for one names it so. */
static bool is_argument(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret)
{
    static const char *const asks[] = {"get", "ask", "prompt", "env", "find", "read", "load"};
    size_t close;
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        if (redact_at(s, at, asks[i]))
            return false;
    return read_quotes(s, redact_run(s, end + 1, CLASS_BLANK), ret, &close) &&
           (redact_char(s, redact_run(s, close, CLASS_BLANK)) == ')' ||
            redact_at(s, close, ".toCharArray()")) &&
           (is_value_or_words(s, ret->from, ret->to) ||
            (!redact_at(s, end - 4, "pass") && redact_is_quoted(s, ret->from, ret->to)) ||
            ((is_setter(s, at, end) || is_of_statement(s, at, end)) &&
             is_literal(s, ret->from, ret->to)));
}

/* `passphrase{"X"}`. */
static bool is_initial(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    size_t close;
    return read_quotes(s, redact_run(s, end + 1, CLASS_BLANK), ret, &close) &&
           redact_char(s, redact_run(s, close, CLASS_BLANK)) == '}' &&
           (is_value_or_words(s, ret->from, ret->to) || is_words(s, ret->from, ret->to));
}

/* The comment's end, and what it is about behind it. */
static bool is_behind_comment(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    size_t at = redact_run(s, end, CLASS_BLANK), close;
    at += REDACT_ONE_OF(redact_char(s, at), "=:");
    at = redact_run(s, at, CLASS_BLANK);
    return redact_char(s, at) == '*' && REDACT_ONE_OF(redact_char(s, at + 1), "/)") &&
           read_quotes(s, redact_run(s, at + 2, CLASS_BLANK), ret, &close) &&
           is_value(s, ret->from, ret->to);
}

/* What ends the words between a name and its value; behind it. 0 where nothing does. */
static size_t skip_sign(struct redact_scan *s, size_t end, size_t sign)
{
    static const char *const words[] = {" is ", " ist ", " est ", " es ", " was "};
    static const char arrow[] = "\xe2\x86\x92";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *word = memmem(s->text + end, sign - end, words[i], strlen(words[i]));
        if (word)
            return (size_t)(word - s->text) + strlen(words[i]);
    }
    if (REDACT_ONE_OF(redact_char(s, sign), "=:"))
        return sign + 1;
    return redact_at(s, sign, arrow) ? sign + strlen(arrow) : 0;
}

/* `passphrase for the drive = "X"`, `var password string = "X"`, `password for kim: X`. */
static bool is_said_of(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    static const char *const fronts[] = {" for ", " of ",   " string ", " fur ",
                                         " de ",  " pour ", " (",       " para "};
    bool is = redact_at(s, end, " as string = "); /* Basic's */
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
        is = is || redact_at(s, end, fronts[i]);
    size_t sign = end, most = s->len - end < SENTENCE_MOST ? s->len : end + SENTENCE_MOST, close;
    while (is && sign < most &&
           (redact_in(s->text[sign], CLASS_NAME | CLASS_BLANK | CLASS_SINGLE) ||
            REDACT_ONE_OF(s->text[sign], "()/@")))
        sign++;
    size_t behind = is ? skip_sign(s, end, sign) : 0;
    if (!behind)
        return false;
    size_t value = redact_run(s, behind, CLASS_BLANK);
    if (redact_at(s, end, " as string "))
        return read_quotes(s, value, ret, &close) && is_literal(s, ret->from, ret->to);
    if (read_quotes(s, value, ret, &close))
        return is_value_or_words(s, ret->from, ret->to) || is_words(s, ret->from, ret->to);
    size_t line = redact_line_end(s, value);
    *ret = (struct redact_match){value, line, "value"};
    if (line - value >= VALUE_MOST || line <= value)
        return false;
    bool one = redact_run(s, value, ~(uint32_t)CLASS_SPACE) == line;
    return is_words(s, value, line) || is_value_or_words(s, value, line) ||
           (one && redact_has_digit(s, value, line) && is_worded(s, value, line));
}

/* `password [none]: X`: what was typed at a prompt, one word that is the last. */
static bool is_answered(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    size_t line = redact_line_end(s, end), from = line;
    if (line - end > VALUE_MOST / 2)
        return false;
    while (from > end && !redact_in(s->text[from - 1], CLASS_BLANK))
        from--;
    *ret = (struct redact_match){from, line, "value"};
    return from > end + 2 && redact_at(s, from - 2, ": ") &&
           (redact_is_composed(s, from, line) || is_value(s, from, line));
}

/* `option bind_password has value X`: to the line's end, whatever it is. */
static bool is_valued(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    size_t from = end + 11, line = redact_line_end(s, end);
    if (!redact_at(s, end, " has value ") || line < from + 4)
        return false;
    size_t quote =
        redact_in(s->text[from], CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK) || s->text[from] == '[';
    bool closed = quote && REDACT_ONE_OF(s->text[line - 1], "]\"'`");
    *ret = (struct redact_match){from + closed, line - closed, "value"};
    return ret->to > ret->from + 3 && !redact_is_placeholder(s, ret->from, ret->to);
}

/* `password "Auth" "X"`, as openvpn is told; of other kinds X has to look like a password. */
static bool is_of_kind(struct redact_scan *s, size_t open, struct redact_match *ret)
{
    size_t kind = redact_run(s, open + 1, CLASS_ALNUM | CLASS_BLANK);
    struct redact_value v;
    if (kind == open + 1 || kind - open > SENTENCE_MOST || !redact_at(s, kind, "\" \"") ||
        !redact_read_value(s, kind + 2, false, &v) || v.to < v.from + 4)
        return false;
    bool known = redact_at(s, open + 1, "Auth\"") || redact_at(s, open + 1, "Private Key\"");
    *ret = (struct redact_match){v.from, v.to, "value"};
    return known ? !redact_is_placeholder(s, v.from, v.to) : is_value(s, v.from, v.to);
}

/* `payment/gateway/xml_password - X`: a path whose end tells, and a word that is the last. */
static bool is_dashed(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret)
{
    size_t line = redact_line_end(s, end), start = redact_line_start(s, at, VALUE_MOST);
    struct redact_reached word = {.from = end + 3, .to = line};
    if (!redact_at(s, end, " - ") || !at || s->text[at - 1] != '/' || line < word.from + 6 ||
        redact_run(s, word.from, ~(uint32_t)CLASS_SPACE) != line ||
        redact_run(s, start, CLASS_NAME | CLASS_BASE64) != end)
        return false;
    *ret = (struct redact_match){word.from, line, "value"};
    return redact_strength(s, &word) > REDACT_WEAK || redact_is_composed(s, word.from, line) ||
           is_value(s, word.from, line);
}

/* `getpass("password: ") == "X"`: what the answer is compared with. */
static bool is_compared(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    size_t quote = redact_run(s, end + 1, CLASS_BLANK), close;
    if (!redact_in(redact_char(s, quote), CLASS_DOUBLE | CLASS_SINGLE) ||
        redact_char(s, quote + 1) != ')')
        return false; /* most */
    size_t sign = redact_run(s, quote + 2, CLASS_BLANK);
    size_t value = sign + (redact_at(s, sign, "===") || redact_at(s, sign, "!==") ? 3 : 2);
    return (redact_at(s, sign, "==") || redact_at(s, sign, "!=")) &&
           read_quotes(s, redact_run(s, value, CLASS_BLANK), ret, &close) &&
           is_literal(s, ret->from, ret->to);
}

/* What is behind a blank: by the first character there. */
static bool is_apart(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret)
{
    switch (redact_char(s, end + 1)) {
    case 'h':
        return is_valued(s, end, ret);
    case '-':
        return is_dashed(s, at, end, ret);
    case 'p':
        return redact_answer(s, at, end, ret);
    case '"':
        return is_of_kind(s, end + 1, ret);
    default:
        return false;
    }
}

bool redact_given(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (redact_char(s, end) == '(' && redact_returned(s, at, end, ret_match))
        return true;
    if (redact_tells(s, at, end - at) != TELLS_ALL)
        return false;
    if (redact_char(s, end) == '(')
        return is_argument(s, at, end, ret_match);
    if (redact_char(s, end) == '{')
        return is_initial(s, end, ret_match);
    const struct redact_behind *b = redact_behind(s, end);
    if (b->next == ':' && is_compared(s, end, ret_match))
        return true;
    if (b->next == ' ' && is_apart(s, at, end, ret_match))
        return true;
    return (REDACT_ONE_OF(b->sign, "*=:") && is_behind_comment(s, end, ret_match)) ||
           (b->next == ' ' && REDACT_ONE_OF(redact_char(s, end + 1) | 0x20, "afosdp(") &&
            is_said_of(s, end, ret_match)) ||
           (b->next == ' ' && REDACT_ONE_OF(redact_char(s, end + 1) | 0x20, "fo[({") &&
            is_answered(s, end, ret_match));
}
