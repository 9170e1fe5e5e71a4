/* Tables of names and values: below `Key  Value`, `| Field | Value |`, `key,value` a line's first
 * cell says what is in its second, which may be words then, or anything else. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LINE_MOST   400
#define LINES_MOST  60 /* up to the heading */
#define LABEL_MOST  48
#define CELL_MOST   400
#define WORDS_MOST  7
#define PLACES_MOST 3 /* in which of the cells behind a name its value may be */

struct cell {
    size_t from, to; /* without blanks and quotes */
    size_t end;      /* its sign, or the line's end */
};

/* The cell at `at`; of bars the first is passed over. */
static struct cell cell_at(const struct redact_scan *s, size_t at, size_t line, char sign)
{
    struct cell c = {.from = at, .end = at};
    while (c.from < line && s->text[c.from] == ' ')
        c.from++;
    bool quoted = sign != '|' && c.from < line && s->text[c.from] == '"';
    for (c.end = c.from + quoted; c.end < line; c.end++) {
        char t = s->text[c.end];
        if (quoted && t == '"')
            quoted = false;
        else if (!quoted && (sign == '|'   ? redact_is_bar(s, c.end) && s->text[c.end - 1] != '\\'
                             : sign == ' ' ? redact_at(s, c.end, "  ")
                                           : t == sign))
            break;
    }
    c.to = c.end < line ? c.end : line;
    while (c.to > c.from && redact_in(s->text[c.to - 1], CLASS_BLANK))
        c.to--;
    c.to -= c.to > c.from && s->text[c.to - 1] == '\r';
    if (c.to > c.from + 1 && s->text[c.from] == s->text[c.to - 1] &&
        redact_in(s->text[c.from], CLASS_DOUBLE | CLASS_TICK))
        c.from++, c.to--;
    return c;
}

static size_t behind_sign(struct redact_scan *s, const struct cell *c, char sign)
{
    size_t bar = sign == '|' && redact_char(s, c->end) != '|' ? 3 : 1;
    return sign == ' ' ? redact_run(s, c->end, CLASS_BLANK) : c->end + bar;
}

static size_t first_cell(const struct redact_scan *s, size_t line, size_t end)
{
    while (line < end && s->text[line] == ' ')
        line++;
    if (line < end && redact_is_bar(s, line))
        line += s->text[line] == '|' ? 1 : 3;
    return line;
}

/* ---- the heading ---- */

/* Which cell behind the first holds the value, if a line is `Key  Value` or `Key  Kind  Value`, by
 * the last word of the one and the first of the other; 0 for none. */
static int value_place(struct redact_scan *s, size_t line, size_t end, char sign)
{
    static redact_words keys = {
        ['a' & 31] = {REDACT_WORD("attribute")},
        ['c' & 31] = {REDACT_WORD("clave"), REDACT_WORD("campo"), REDACT_WORD("credential"),
                      REDACT_WORD("cle"), REDACT_WORD("champ"), REDACT_WORD("config")},
        ['e' & 31] = {REDACT_WORD("env"), REDACT_WORD("einstellung"), REDACT_WORD("entry")},
        ['f' & 31] = {REDACT_WORD("field"), REDACT_WORD("feld")},
        ['i' & 31] = {REDACT_WORD("item")},
        ['k' & 31] = {REDACT_WORD("key")},
        ['l' & 31] = {REDACT_WORD("label")},
        ['n' & 31] = {REDACT_WORD("name"), REDACT_WORD("nom"), REDACT_WORD("nombre"),
                      REDACT_WORD("naam")},
        ['o' & 31] = {REDACT_WORD("option"), REDACT_WORD("output")},
        ['p' & 31] = {REDACT_WORD("property"), REDACT_WORD("parameter"), REDACT_WORD("param")},
        ['s' & 31] = {REDACT_WORD("setting"), REDACT_WORD("secret"), REDACT_WORD("schluessel")},
        ['v' & 31] = {REDACT_WORD("variable"), REDACT_WORD("var"), REDACT_WORD("veld")},
    };
    static redact_words values = {
        ['c' & 31] = {REDACT_WORD("content")},
        ['v' & 31] = {REDACT_WORD("value"), REDACT_WORD("val"), REDACT_WORD("valeur"),
                      REDACT_WORD("valor"), REDACT_WORD("valore")},
        ['w' & 31] = {REDACT_WORD("wert"), REDACT_WORD("waarde")},
    };
    struct cell key = cell_at(s, first_cell(s, line, end), end, sign);
    if (key.end >= end || key.to - key.from > LABEL_MOST)
        return 0;
    size_t word = key.to;
    while (word > key.from && redact_in(s->text[word - 1], CLASS_UPPER | CLASS_LOWER))
        word--;
    if (word == key.to || !redact_is_word_of(keys, s->text + word, key.to - word))
        return 0;
    struct cell value = key;
    for (int place = 1; place <= PLACES_MOST && value.end < end; place++) {
        value = cell_at(s, behind_sign(s, &value, sign), end, sign);
        size_t to = redact_run(s, value.from, CLASS_UPPER | CLASS_LOWER);
        if (to > value.from && to == value.to &&
            redact_is_word_of(values, s->text + value.from, to - value.from))
            return place;
    }
    return 0;
}

static bool is_rule(const struct redact_scan *s, size_t line, size_t end)
{
    while (line < end && !redact_in(s->text[line], CLASS_ALNUM))
        line++;
    return line == end;
}

/* The same of a heading above; what was found out of a table's lines holds for the next. */
static int place_below_heading(struct redact_scan *s, size_t line, char sign)
{
    struct redact_labels *l = &s->labels;
    int is = 0;
    size_t at = line;
    for (int i = 0; i < LINES_MOST && at > 0; i++) {
        size_t end = at - 1;
        at = redact_line_start(s, end, LINE_MOST);
        if (end == at || (at && s->text[at - 1] != '\n'))
            break;
        if (l->sign == sign && at >= l->from && at <= l->to) {
            is = l->is;
            break;
        }
        if (is_rule(s, at, end))
            continue;
        struct cell first = cell_at(s, first_cell(s, at, end), end, sign);
        if (first.end >= end)
            break;
        if ((is = value_place(s, at, end, sign)))
            break;
    }
    *l = (struct redact_labels){at, line, sign, is};
    return is;
}

/* ---- the cells ---- */

/* Words alone are in front of the name in its cell. */
static bool is_label(struct redact_scan *s, size_t line, size_t at)
{
    size_t from = first_cell(s, line, at);
    from = redact_run(s, from, CLASS_BLANK);
    from += REDACT_ONE_OF(redact_char(s, from), "\"`");
    if (from > at || at - from > LABEL_MOST)
        return false;
    for (; from < at; from++)
        if (!redact_in(s->text[from], CLASS_NAME) &&
            !(s->text[from] == ' ' && s->text[from + 1] != ' '))
            return false;
    return true;
}

static bool is_enough(struct redact_scan *s, enum redact_telling tells, const struct cell *c)
{
    struct redact_reached v = {.from = c->from, .to = c->to};
    size_t len = c->to - c->from, blanks = 0;
    if (len < 4 || len > CELL_MOST || redact_is_placeholder(s, c->from, c->to) ||
        redact_is_path(s, c->from, c->to) || memmem(s->text + c->from, len, "://", 3))
        return false;
    for (size_t i = c->from; i < c->to; i++)
        blanks += s->text[i] == ' ';
    bool digit = redact_has_digit(s, c->from, c->to);
    if (redact_is_notice(s, c->from, c->to) || redact_is_remark(s, c->from, c->to) ||
        (blanks && !digit && !redact_is_spoken(s, c->from, c->to)))
        return false; /* what says something of it */
    if (tells != TELLS_ALL) {
        enum redact_strength strength = redact_strength(s, &v);
        return !blanks && (strength >= REDACT_RANDOM ||
                           (tells == TELLS_CODE && digit &&
                            (strength >= REDACT_MIXED || redact_has_sign(s, c->from, c->to) ||
                             (v.hex && len >= 16))));
    }
    if (blanks)
        return blanks < WORDS_MOST && s->text[c->to - 1] != '.' && (digit || blanks >= 2);
    return digit || redact_has_sign(s, c->from, c->to) || redact_is_jumbled(s, c->from, c->to) ||
           (len >= 8 && !redact_at(s, c->from, "required") && !redact_at(s, c->from, "optional"));
}

bool redact_label(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t line = redact_line_start(s, at, LINE_MOST), next = end;
    next += redact_in(redact_char(s, next), CLASS_DOUBLE | CLASS_TICK);
    size_t to = redact_run(s, next, CLASS_BLANK);
    char c = redact_char(s, next), sign = ' ';
    if (c == ',' || c == ';' || c == '\t')
        sign = c;
    else if (to < s->len && redact_is_bar(s, to))
        sign = '|';
    else if (to < next + 2)
        return false;
    if ((line && s->text[line - 1] != '\n') || !is_label(s, line, at))
        return false;
    enum redact_telling tells = redact_tells(s, at, end - at);
    if (!tells && redact_is_of_phrase(s, at, end))
        tells = redact_tells_of_phrase(s, at, end);
    int place = tells ? place_below_heading(s, line, sign) : 0;
    size_t line_end = redact_line_end(s, end);
    struct cell value = {.end = sign == '|' ? to : next};
    for (int i = 0; i < place && value.end < line_end; i++)
        value = cell_at(s, behind_sign(s, &value, sign), line_end, sign);
    if (!place)
        return false;
    if (value.to <= value.from || !is_enough(s, tells, &value))
        return false;
    *ret_match = (struct redact_match){value.from, value.to, "value"};
    return true;
}
