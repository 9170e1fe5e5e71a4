/* Secrets of digits alone, which no word tells from a number but the name beside them: `"otp":
 * "704868"`, `PIN is 1234`, `password 65232338` on a device's line, a list of scratch codes. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define DIGITS_MOST   16
#define CAPITALS_MOST 20  /* of a code of letters, too */
#define SAID_MOST     100 /* bytes between a name and what is said to be it */
#define FRONT_MOST    24  /* of the word in front of `code` */
#define LINES_MOST    32
#define LIST_MOST     1000 /* bytes of a list in brackets */
#define GROUPS_LEAST  3

const char redact_digits_ends[] = "in tp an uk vv vc de es iv nt mp";

/* ---- names ---- */

/* How many digits what the name tells of has at least, and at most. */
struct count {
    size_t least, most;
};

/* `pin`, `smsPin`, `NEED_PT_TAN`: the last word is one of them. */
static bool is_pin(const struct redact_scan *s, size_t at, size_t end, struct count *ret)
{
    static const struct {
        const char *word;
        struct count count;
    } words[] = {{"pin", {4, 12}}, {"puk", {8, 8}}, {"tan", {6, 6}},
                 {"otp", {5, 10}}, {"cvv", {3, 4}}, {"cvc", {3, 4}}};
    if (end < at + 3)
        return false;
    size_t from = end - 3;
    from -= from > at && redact_at(s, from - 1, "totp");
    bool border =
        from == at || !redact_in(s->text[from - 1], CLASS_ALNUM) ||
        (redact_in(s->text[from], CLASS_UPPER) && redact_in(s->text[from - 1], CLASS_LOWER) &&
         redact_in(s->text[from + 1], CLASS_LOWER));
    for (size_t i = 0; border && i < sizeof words / sizeof *words; i++)
        if (redact_at(s, end - 3, words[i].word)) {
            *ret = words[i].count;
            return true;
        }
    return false;
}

/* Whether one of `words` stands in front of `code`, in the name or as a word; `whole`: no other
 * word ends so. */
static bool is_behind(const struct redact_scan *s, size_t code, const struct redact_word *words,
                      size_t count, bool whole)
{
    size_t last = code, from;
    last -= last && REDACT_ONE_OF(s->text[last - 1], " _-");
    for (from = last; from && last - from < FRONT_MOST &&
                      redact_in(s->text[from - 1], CLASS_ALNUM | CLASS_DASH);)
        from--;
    for (size_t i = 0; i < count; i++)
        if ((whole ? last - from == words[i].len : last - from >= words[i].len) &&
            !strncasecmp(s->text + last - words[i].len, words[i].text, words[i].len))
            return true;
    return false;
}

/* Whether what stands in front of `code`, in the name or as a word, makes it a secret one. */
static bool is_front(const struct redact_scan *s, size_t code)
{
    static const struct redact_word words[] = {
        REDACT_WORD("verification"),  REDACT_WORD("recovery"),
        REDACT_WORD("backup"),        REDACT_WORD("scratch"),
        REDACT_WORD("emergency"),     REDACT_WORD("unlock"),
        REDACT_WORD("login"),         REDACT_WORD("authentication"),
        REDACT_WORD("authorization"), REDACT_WORD("security"),
        REDACT_WORD("pairing"),       REDACT_WORD("setup"),
        REDACT_WORD("otp"),           REDACT_WORD("mfa"),
        REDACT_WORD("2fa"),           REDACT_WORD("sms"),
        REDACT_WORD("pin"),           REDACT_WORD("factor"),
        REDACT_WORD("confirmation"),  REDACT_WORD("authenticator"),
        REDACT_WORD("one-time"),      REDACT_WORD("device")};
    return is_behind(s, code, words, sizeof words / sizeof *words, false);
}

/* Whether a door, or what guards one, opens to the code. */
static bool is_of_door(const struct redact_scan *s, size_t code)
{
    static const struct redact_word words[] = {
        REDACT_WORD("alarm"),   REDACT_WORD("door"),   REDACT_WORD("gate"),
        REDACT_WORD("safe"),    REDACT_WORD("lock"),   REDACT_WORD("locker"),
        REDACT_WORD("lockbox"), REDACT_WORD("keypad"), REDACT_WORD("disarm")};
    return is_behind(s, code, words, sizeof words / sizeof *words, true);
}

/* Where `code` or `codes` begins that ends the name; `end` where none does. */
static size_t code_of(const struct redact_scan *s, size_t at, size_t end)
{
    size_t len = end - at >= 5 && (s->text[end - 1] | 0x20) == 's' ? 5 : 4;
    return end - at >= len && redact_at(s, end - len, len == 5 ? "codes" : "code") ? end - len
                                                                                   : end;
}

/* ---- values ---- */

/* The digits at `at`, in quotes or not, in groups or not: so many, and nothing else. */
static bool take(struct redact_scan *s, size_t at, struct count count, struct redact_match *ret)
{
    while (redact_char(s, at) == '\\')
        at++;
    char quote = redact_in(redact_char(s, at), CLASS_DOUBLE | CLASS_SINGLE) ? s->text[at] : 0;
    size_t from = at + (quote != 0), to = from, digits = 0;
    for (; to < s->len && to - from < 2 * (size_t)DIGITS_MOST; to++) {
        bool digit = redact_in(s->text[to], CLASS_DIGIT);
        bool parts = to > from && REDACT_ONE_OF(s->text[to], " -") &&
                     redact_in(s->text[to - 1], CLASS_DIGIT) &&
                     redact_in(redact_char(s, to + 1), CLASS_DIGIT);
        if (!digit && !parts)
            break;
        digits += digit;
    }
    char next = redact_char(s, to);
    bool ends = quote ? next == quote || (next == '\\' && redact_char(s, to + 1) == quote)
                      : (next == '.' && redact_in(redact_char(s, to + 1), CLASS_SPACE)) ||
                            redact_in(next, CLASS_SPACE | CLASS_LESS | CLASS_DOUBLE) ||
                            REDACT_ONE_OF(next, ",;&)]}");
    if (digits < count.least || digits > count.most || !ends)
        return false;
    *ret = (struct redact_match){from, to, "value"};
    return true;
}

/* `"pin": "1234"`, `otp=704868`, `:tan => '123456'`. */
static bool is_set(struct redact_scan *s, size_t end, struct count count, struct redact_match *ret)
{
    while (redact_char(s, end) == '\\')
        end++;
    end += redact_in(redact_char(s, end), CLASS_DOUBLE | CLASS_SINGLE);
    end += redact_char(s, end) == ']';
    size_t sign = redact_run(s, end, CLASS_BLANK);
    if (redact_char(s, end) == '>') /* <string name="pin"> */
        return take(s, end + 1, count, ret) && redact_at(s, ret->to, "</");
    if (!REDACT_ONE_OF(redact_char(s, sign), ":="))
        return false;
    sign += redact_char(s, sign) == ':' && redact_char(s, sign + 1) == '=';
    sign += redact_char(s, sign + 1) == '>';
    return take(s, redact_run(s, sign + 1, CLASS_BLANK), count, ret);
}

/* `PIN is 1234`, `NEED_PT_PIN for 1/2 answered "1234"`. */
static bool is_said(struct redact_scan *s, size_t end, struct count count, struct redact_match *ret)
{
    static const char *const ways[] = {" is ", " is: ", " is now ", " are "};
    static const char *const verbs[] = {" answered ", " entered "};
    size_t line = redact_line_end(s, end), most = line - end < SAID_MOST ? line : end + SAID_MOST;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (redact_at(s, end, ways[i]) && take(s, end + strlen(ways[i]), count, ret))
            return true;
    for (size_t at = end + 5; redact_at(s, end, " for ") && at < most; at++) /* `otp for X is 57` */
        if ((redact_at(s, at, " is ") && take(s, at + 4, count, ret)) ||
            (redact_at(s, at, ": ") && take(s, at + 2, count, ret)))
            return true;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const char *verb = memmem(s->text + end, most - end, verbs[i], strlen(verbs[i]));
        if (verb && take(s, (size_t)(verb - s->text) + strlen(verbs[i]), count, ret))
            return true;
    }
    return false;
}

/* `, alarm code 172907`: right behind the name, in a sentence that goes on or ends there. */
static bool is_named(struct redact_scan *s, size_t end, struct count count,
                     struct redact_match *ret)
{
    return redact_char(s, end) == ' ' && redact_in(redact_char(s, end + 1), CLASS_DIGIT) &&
           take(s, end + 1, count, ret) &&
           memchr(s->text + ret->from, ' ', ret->to - ret->from) == NULL;
}

/* `704868 is your Acme verification code`. */
static bool is_your(const struct redact_scan *s, size_t at, struct redact_match *ret)
{
    size_t line = redact_line_start(s, at, SAID_MOST);
    const char *way = memmem(s->text + line, at - line, " is your ", 9);
    size_t to = way ? (size_t)(way - s->text) : line, from = to;
    while (from > line && redact_in(s->text[from - 1], CLASS_DIGIT | CLASS_DASH))
        from--;
    if (to < from + 4 || to - from > DIGITS_MOST)
        return false;
    *ret = (struct redact_match){from, to, "value"};
    return true;
}

/* `Enter code from app (-1 to skip): 998141`: what was typed, the last of its line. */
static bool is_typed(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret)
{
    static const char *const words[] = {"Enter",  "enter", "app", "uthenticat",
                                        "factor", "2FA",   "SMS", "OTP"};
    size_t line = redact_line_end(s, end), from = line, start = redact_line_start(s, at, SAID_MOST);
    if (line - end > SAID_MOST || line < end + 8)
        return false;
    while (from > end && redact_in(s->text[from - 1], CLASS_DIGIT))
        from--;
    bool asked = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        asked = asked || memmem(s->text + start, line - start, words[i], strlen(words[i]));
    if (!asked || line - from < 6 || line - from > 8 || !redact_at(s, from - 2, ": "))
        return false;
    *ret = (struct redact_match){from, line, "value"};
    return true;
}

/* ---- lists of codes ---- */

/* Behind what a list's line begins with: `1. `, `2) `, `- `, `* `. */
static size_t skip_bullet(struct redact_scan *s, size_t at)
{
    size_t first = redact_run(s, at, CLASS_BLANK), sign = redact_run(s, first, CLASS_DIGIT);
    bool is = sign > first ? sign < first + 3 && REDACT_ONE_OF(redact_char(s, sign), ".):")
                           : REDACT_ONE_OF(redact_char(s, sign), "-*");
    return is && redact_char(s, sign + 1) == ' ' ? redact_run(s, sign + 1, CLASS_BLANK) : first;
}

/* Digits, in groups or not, or one word of letters and digits that is like none of a text. */
static bool is_listed(struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, letters = 0;
    for (size_t i = from; i < to && i < from + SAID_MOST; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        letters += redact_in(s->text[i], CLASS_UPPER | CLASS_LOWER);
    }
    if (redact_run(s, from, CLASS_DIGIT | CLASS_BLANK | CLASS_DASH) == to)
        return digits >= 6;
    return digits && letters && digits + letters >= 8 && to - from <= CAPITALS_MOST &&
           redact_run(s, from, CLASS_ALNUM | CLASS_DASH) == to;
}

/* Lines of digits or such words below one that ends in a colon: three at least. */
static bool is_list_below(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    size_t line = redact_line_end(s, end), lines = 0;
    if (line - end > SAID_MOST || line + 1 >= s->len || s->text[line - 1] != ':')
        return false;
    size_t next = redact_run(s, line, CLASS_SPACE), from = next, to = next;
    for (; lines < LINES_MOST && next < s->len; lines++) {
        size_t last = redact_line_end(s, next), word = skip_bullet(s, next), stop = last;
        while (stop > word && redact_in(s->text[stop - 1], CLASS_SPACE))
            stop--;
        if (word >= stop || !is_listed(s, word, stop))
            break;
        from = lines ? from : word;
        to = stop;
        next = last + 1;
    }
    *ret = (struct redact_match){from, to, "value"};
    return lines >= 3;
}

/* `"backup_codes": ["12345678", "abcd-1234"]`: words with digits, parted by commas. */
static bool is_list_of(struct redact_scan *s, size_t end, struct redact_match *ret)
{
    end += redact_in(redact_char(s, end), CLASS_DOUBLE | CLASS_SINGLE);
    size_t sign = redact_run(s, end, CLASS_BLANK);
    size_t open = redact_run(s, sign + 1, CLASS_SPACE | CLASS_LESS);
    open += redact_char(s, sign) == '=' && redact_char(s, open) == '>';
    open = redact_run(s, open, CLASS_SPACE);
    if (!REDACT_ONE_OF(redact_char(s, sign), ":=") || redact_char(s, open) != '[')
        return false;
    size_t most = s->len - open < LIST_MOST ? s->len : open + LIST_MOST, words = 0, from = 0;
    uint32_t between = CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE;
    for (size_t at = open + 1; at < most;) {
        size_t word = redact_run(s, at, between), to = redact_run(s, word, CLASS_WORD);
        at = redact_run(s, to, between);
        if (to < word + 6 || !redact_has_digit(s, word, to) ||
            !REDACT_ONE_OF(redact_char(s, at), ",]"))
            return false;
        from = words++ ? from : word;
        *ret = (struct redact_match){from, to, "value"};
        if (s->text[at++] == ']')
            return true;
    }
    return false;
}

/* Whether capital letters stand behind a digit, too: `REFUND24` is a word's. */
static bool is_mingled(const struct redact_scan *s, size_t from, size_t to)
{
    while (from < to && redact_in(s->text[from], CLASS_UPPER))
        from++;
    while (from < to && redact_in(s->text[from], CLASS_DIGIT))
        from++;
    return from < to;
}

/* `TN2O-FSOB`, `FK8XJ2QPL`: groups of capital letters and digits, which are as long as one another,
 * or one with both: `XPS-9310` and `SW1A1AA` are not. */
static bool take_capitals(struct redact_scan *s, size_t at, struct redact_match *ret)
{
    char quote = redact_in(redact_char(s, at), CLASS_DOUBLE | CLASS_SINGLE) ? s->text[at] : 0;
    size_t from = at + (quote != 0), to = from, len = 0, first = 0, groups = 1;
    bool equal = true;
    for (; to < s->len && to - from <= CAPITALS_MOST; to++) {
        if (redact_in(s->text[to], CLASS_DIGIT | CLASS_UPPER)) {
            len++;
            continue;
        }
        if (s->text[to] != '-' || len < 3)
            break;
        first = groups++ == 1 ? len : first;
        equal = equal && len == first;
        len = 0;
    }
    char next = redact_char(s, to);
    bool ends =
        quote ? next == quote
              : redact_in(next, CLASS_SPACE) ||
                    (REDACT_ONE_OF(next, ".,;)") && redact_in(redact_char(s, to + 1), CLASS_SPACE));
    if (!ends || len < 3 || to - from > CAPITALS_MOST || redact_run(s, from, CLASS_DIGIT) == to ||
        (groups == 1 ? to - from < 8 || !is_mingled(s, from, to)
                     : to - from < 7 || !equal || len != first))
        return false;
    *ret = (struct redact_match){from, to, "value"};
    return true;
}

/* `one-time code: X`, `"user_code": "X"`, `enter the code X to`. */
static bool is_of_device(struct redact_scan *s, size_t at, size_t end, size_t code,
                         struct redact_match *ret)
{
    size_t sign = end + redact_in(redact_char(s, end), CLASS_DOUBLE | CLASS_SINGLE);
    size_t blanks = redact_run(s, sign, CLASS_BLANK);
    bool set = REDACT_ONE_OF(redact_char(s, blanks), ":=");
    bool is = redact_at(s, end, " is") && REDACT_ONE_OF(redact_char(s, end + 3), ": ");
    size_t value = set  ? redact_run(s, blanks + 1, CLASS_BLANK)
                   : is ? redact_run(s, end + 3 + (redact_char(s, end + 3) == ':'), CLASS_BLANK)
                        : blanks;
    bool entered = code == at && at >= 10 && redact_at(s, at - 10, "enter the ");
    if (!redact_in(redact_char(s, value),
                   CLASS_UPPER | CLASS_DIGIT | CLASS_DOUBLE | CLASS_SINGLE) ||
        !(entered || is_front(s, code) ||
          (set && code >= at + 5 && redact_at(s, code - 5, "user_"))))
        return false; /* most */
    return take_capitals(s, value, ret);
}

static bool is_code(struct redact_scan *s, size_t at, size_t end, size_t code,
                    struct redact_match *ret)
{
    static const struct count count = {5, DIGITS_MOST};
    bool many = end - code == 5;
    if (many)
        return is_front(s, code) && (is_list_of(s, end, ret) || is_list_below(s, end, ret));
    if (is_of_device(s, at, end, code, ret))
        return true;
    static const struct count brief = {4, 8};
    if (is_of_door(s, code))
        return is_set(s, end, brief, ret) || is_said(s, end, brief, ret) ||
               is_named(s, end, brief, ret);
    return is_front(s, code) ? is_set(s, end, count, ret) || is_said(s, end, count, ret) ||
                                   is_named(s, end, count, ret) || is_your(s, at, ret) ||
                                   is_typed(s, at, end, ret)
                             : code == at && is_typed(s, at, end, ret);
}

/* ---- of names that tell all ---- */

/* `set interfaces eth0 pppoe 0 password 65232338`, `password 65232338`: the last of its line, which
 * is one of a device's. */
static bool is_line(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret)
{
    size_t from = redact_behind(s, end)->to, to = redact_run(s, from, CLASS_DIGIT);
    size_t start = redact_line_start(s, at, REDACT_LINE_LOOKED_AT);
    size_t first = redact_run(s, start, CLASS_BLANK);
    if (to < from + 6 || to > from + DIGITS_MOST ||
        redact_run(s, to, CLASS_BLANK) != redact_line_end(s, to) ||
        !(first == at || redact_at(s, first, "set ")))
        return false;
    *ret = (struct redact_match){from, to, "value"};
    return true;
}

bool redact_is_grouped(const struct redact_scan *s, size_t from, size_t to)
{
    size_t groups = 0, digits = 0, first = 0;
    for (size_t i = from; i <= to; i++) {
        if (i < to && redact_in(s->text[i], CLASS_DIGIT)) {
            digits++;
            continue;
        }
        first = groups ? first : digits;
        if ((i < to && s->text[i] != '-') || digits < 4 || digits != first)
            return false;
        groups++;
        digits = 0;
    }
    return groups >= GROUPS_LEAST;
}

bool redact_digits(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct count count;
    size_t code;
    if (redact_may_be_digits(s, at, end)) {
        if (is_pin(s, at, end, &count))
            return is_set(s, end, count, ret_match) || is_said(s, end, count, ret_match);
        if ((code = code_of(s, at, end)) < end && is_code(s, at, end, code, ret_match))
            return true;
    }
    return redact_char(s, end) == ' ' && redact_in(redact_behind(s, end)->sign, CLASS_DIGIT) &&
           redact_tells(s, at, end - at) == TELLS_ALL && is_line(s, at, end, ret_match);
}
