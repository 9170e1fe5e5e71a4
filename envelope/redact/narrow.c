/* Names of which a column, a window or a pager shows only a part: `AZURE_CLIENT_SEC…  X` in a table
 * of PowerShell's, `...ssword: X` at a window's edge. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define PART_LEAST  2 /* letters of the word that is cut */
#define SURE_LEAST  3 /* and of one that hardly is another */
#define VALUE_LEAST 6
#define LINE_MOST   400

static const struct {
    char word[12];
    enum redact_telling tells;
} words[] = {{"password", TELLS_ALL},    {"passwd", TELLS_ALL},  {"passphrase", TELLS_ALL},
             {"pwd", TELLS_ALL},         {"secret", TELLS_CODE}, {"token", TELLS_CODE},
             {"credential", TELLS_CODE}, {"apikey", TELLS_CODE}, {"key", TELLS_LONG}};

/* What a word tells of which [from, to) is the beginning, or the end. */
static enum redact_telling part_tells(const struct redact_scan *s, size_t from, size_t to, bool end)
{
    size_t len = to - from;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t whole = strlen(words[i].word);
        if (len <= whole &&
            !strncasecmp(s->text + from, words[i].word + (end ? whole - len : 0), len))
            return words[i].tells;
    }
    return TELLS_NOTHING;
}

/* A word that is like none of a sentence; `sure`: or any that may be a password. */
static bool take(struct redact_scan *s, enum redact_telling tells, bool sure, size_t from,
                 struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, from), to = from;
    if (line - from > LINE_MOST)
        return false;
    while (to < line && !redact_in(s->text[to], CLASS_SPACE) && !redact_is_bar(s, to))
        to++;
    size_t behind = redact_run(s, to, CLASS_BLANK);
    bool alone = behind == line || redact_is_bar(s, behind) || s->text[behind] == '\r';
    if (to < from + VALUE_LEAST || !alone || redact_is_placeholder(s, from, to) ||
        redact_is_path(s, from, to) || memmem(s->text + from, to - from, "://", 3))
        return false;
    bool any = sure && tells == TELLS_ALL && !redact_telling(s->text + from, to - from);
    if (!any && !redact_take(s, tells, from, to, ret_match) &&
        !(tells == TELLS_ALL && redact_is_wordy(s, from, to)))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

/* `DB_CONNECTION_PA…  X`: the last of several words is cut. */
static bool is_cut_behind(struct redact_scan *s, size_t at, size_t end, size_t behind,
                          struct redact_match *ret_match)
{
    size_t word = end, from = redact_run(s, behind, CLASS_BLANK);
    while (word > at && redact_in(s->text[word - 1], CLASS_UPPER | CLASS_LOWER))
        word--;
    if (from < s->len && redact_is_bar(s, from))
        from = redact_run(s, from + (s->text[from] == '|' ? 1 : 3), CLASS_BLANK);
    if (from == behind || word == at || !REDACT_ONE_OF(s->text[word - 1], "_-."))
        return false;
    enum redact_telling tells =
        end - word < PART_LEAST ? TELLS_NOTHING : part_tells(s, word, end, false);
    if (!tells) /* STRIPE_SECRET_K… */
        tells = redact_telling(s->text + at, word - 1 - at) ? TELLS_LONG : TELLS_NOTHING;
    return tells && take(s, tells, end - word > SURE_LEAST, from, ret_match);
}

/* `...ssword: X`: of the only word the beginning is. */
static bool is_cut_in_front(struct redact_scan *s, size_t at, size_t end,
                            struct redact_match *ret_match)
{
    char sign = redact_char(s, end);
    if (end < at + SURE_LEAST + 1 || (sign != ':' && sign != '='))
        return false;
    enum redact_telling tells = part_tells(s, at, end, true);
    size_t from = redact_run(s, end + 1, CLASS_BLANK);
    return tells && take(s, tells, true, from, ret_match);
}

bool redact_narrow(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t name = at, to = end;
    while (name < to && s->text[name] == '.')
        name++;
    while (to > name && s->text[to - 1] == '.')
        to--;
    if (name == to)
        return false;
    bool front = name >= at + 3 || (at >= 3 && redact_at(s, at - 3, "\xe2\x80\xa6"));
    if (front && to == end)
        return is_cut_in_front(s, name, to, ret_match);
    size_t behind = end > to + 2 ? end : redact_at(s, end, "\xe2\x80\xa6") ? end + 3 : 0;
    return behind && is_cut_behind(s, name, to, behind, ret_match);
}
