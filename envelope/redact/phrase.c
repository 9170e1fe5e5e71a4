/* Secrets of several words of small letters, as dice choose them, where nothing else is on the
 * line: `psk=mango hammer biscuit`, `password "copper velvet saddle"`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define WORDS_MOST 24 /* of a wallet */
#define WORD_LEAST 3
#define WORD_MOST  12
#define LINE_MOST  120

/* Words that make a sentence. */
static bool is_said(const char *word, size_t len)
{
    static const struct redact_word words[] = {
        REDACT_WORD("the"),  REDACT_WORD("and"),  REDACT_WORD("for"),    REDACT_WORD("not"),
        REDACT_WORD("was"),  REDACT_WORD("has"),  REDACT_WORD("are"),    REDACT_WORD("with"),
        REDACT_WORD("from"), REDACT_WORD("must"), REDACT_WORD("should"), REDACT_WORD("this"),
        REDACT_WORD("that"), REDACT_WORD("your"), REDACT_WORD("you"),    REDACT_WORD("will"),
        REDACT_WORD("have"), REDACT_WORD("been"), REDACT_WORD("when"),   REDACT_WORD("used"),
        REDACT_WORD("can"),  REDACT_WORD("only"), REDACT_WORD("see"),    REDACT_WORD("use"),
        REDACT_WORD("user"), REDACT_WORD("host"), REDACT_WORD("login"),  REDACT_WORD("password")};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].len == len && !memcmp(words[i].text, word, len))
            return true;
    return false;
}

bool redact_is_composed(const struct redact_scan *s, size_t from, size_t to)
{
    size_t parts = 0, capitals = 0, signs = 0, letters = 0;
    for (size_t i = from; i <= to; i++) {
        if (i < to && redact_in(s->text[i], CLASS_ALNUM)) {
            capitals += !letters++ && redact_in(s->text[i], CLASS_UPPER) &&
                        redact_in(redact_char(s, i + 1), CLASS_LOWER);
            continue;
        }
        if (letters < WORD_LEAST || (i < to && !REDACT_ONE_OF(s->text[i], "-_.+&!~")))
            return false;
        signs += i < to && s->text[i] != '.';
        parts++;
        letters = 0;
    }
    return parts >= 2 && capitals >= 2 && signs && to - from >= 8 &&
           !redact_is_placeholder(s, from, to);
}

bool redact_is_jumbled(const struct redact_scan *s, size_t from, size_t to)
{
    size_t parts = 0, words = 0, brief = 0, letters = 0, len = 0;
    bool jumbled = false;
    for (size_t i = from; i <= to; i++) {
        bool letter = i < to && redact_in(s->text[i], CLASS_LOWER | CLASS_UPPER);
        if (!letter || redact_in(s->text[i], CLASS_UPPER)) {
            words += letters > 0;
            brief += letters == 1 || letters == 2;
            letters = 0;
        }
        letters += letter;
        len += letter;
        if (letter)
            continue;
        if (i < to && !REDACT_ONE_OF(s->text[i], "-_.+&!~"))
            return false;
        jumbled = jumbled || (len >= 6 && words >= 4 && 2 * brief >= words);
        parts += len > 0;
        words = brief = len = 0;
    }
    return jumbled && parts >= 2;
}

bool redact_is_dice(struct redact_scan *s, const struct redact_value *v)
{
    size_t dashes = 0, lower = 0;
    for (size_t i = v->from; i < v->to; i++) {
        dashes += s->text[i] == '-';
        lower += redact_in(s->text[i], CLASS_LOWER);
    }
    bool dice =
        dashes >= 3 && v->to - v->from >= 4 * (dashes + 1) && lower + dashes == v->to - v->from;
    return (dice || redact_is_composed(s, v->from, v->to) ||
            redact_is_jumbled(s, v->from, v->to)) &&
           redact_run(s, v->end, CLASS_BLANK) >= redact_line_end(s, v->end);
}

bool redact_is_phrase(const struct redact_scan *s, size_t from, size_t to, size_t least)
{
    size_t words = 0, letters = 0;
    for (size_t i = from; i <= to; i++) {
        if (i < to && redact_in(s->text[i], CLASS_LOWER)) {
            letters++;
            continue;
        }
        if ((i < to && s->text[i] != ' ') || letters < WORD_LEAST || letters > WORD_MOST ||
            is_said(s->text + i - letters, letters))
            return false;
        words++;
        letters = 0;
    }
    return words >= least && words <= WORDS_MOST;
}

bool redact_phrase(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    const struct redact_behind *b = redact_behind(s, end);
    if (b->sign != '"' || b->to == end ||
        redact_run(s, redact_line_start(s, at, LINE_MOST), CLASS_BLANK) != at)
        return false;
    size_t from = b->to + 1, line = redact_line_end(s, from), to = line;
    to -= to > from && s->text[to - 1] == '\r';
    if (to < from + 2 || s->text[to - 1] != '"' || to - from > LINE_MOST ||
        !redact_is_phrase(s, from, to - 1, 2))
        return false;
    *ret_match = (struct redact_match){from, to - 1, "value"};
    return true;
}
