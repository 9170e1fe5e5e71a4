/* Lists that files hold of users and what lets them in, a line each: `bob * X`, `bob:X`, `key 7 X`
 * below whose it is. Which files, is in tools.c. */
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define LINE_MOST   200
#define OTHERS_MOST 8 /* lines of a list that are none of its */

/* A word at `at`, without its quotes; behind them. */
static size_t read_word(struct redact_scan *s, size_t at, size_t line, struct redact_value *v)
{
    if (redact_char(s, at) == '"' && redact_read_value(s, at, false, v) && v->end <= line)
        return v->end;
    size_t end = redact_run(s, at, ~(uint32_t)CLASS_SPACE);
    end = end > line ? line : end; /* in front of \r */
    *v = (struct redact_value){at, end, end, 0};
    return end;
}

/* `bob * X`: one of a line of as many words, or one more. False where it is none of the list. */
static bool add_word(struct redact_scan *s, int place, size_t at, size_t line,
                     struct redact_command_found *found)
{
    struct redact_value v, value = {0};
    int words = 0;
    for (at = redact_run(s, at, CLASS_BLANK); at < line; at = redact_run(s, at, CLASS_BLANK)) {
        at = read_word(s, at, line, &v);
        if (++words == place)
            value = v;
        if (words > place + 1 ||
            (words == 1 && REDACT_ONE_OF(s->text[v.to - (v.to > v.from)], "$#%>")))
            return false;
    }
    if (words < place || (place == 2 && !(words == 2 && value.quote)))
        return false;
    if (value.to >= value.from + 4)
        redact_command_add(s, found, value.from, value.to);
    return true;
}

/* `bob: X, role`, `bob=X,role`: up to the comma, or X looks like a secret. */
static bool add_entry(struct redact_scan *s, size_t at, size_t line,
                      struct redact_command_found *found)
{
    size_t name = redact_run(s, at, CLASS_NAME), sign = redact_run(s, name, CLASS_BLANK);
    size_t from = redact_run(s, sign + 1, CLASS_BLANK), to = from;
    if (name == at || !REDACT_ONE_OF(redact_char(s, sign), ":="))
        return false;
    while (to < line && s->text[to] != ',' && !redact_in(s->text[to], CLASS_SPACE))
        to++;
    struct redact_reached word = {.from = from, .to = to};
    if (to < line ? s->text[to] != ',' : redact_strength(s, &word) == REDACT_WEAK)
        return false;
    if (to >= from + 4)
        redact_command_add(s, found, from, to);
    return true;
}

/* `bob:X`, all of a line but a list's dash. */
static bool add_colon(struct redact_scan *s, int place, size_t at, size_t line,
                      struct redact_command_found *found)
{
    if (place == 1)
        return add_entry(s, at, line, found);
    if (place)
        at = redact_run(s, at, ~(uint32_t)CLASS_SPACE);
    at = redact_run(s, at, CLASS_BLANK);
    at += redact_at(s, at, "- ") ? 2 : 0;
    size_t colon = redact_run(s, at, CLASS_NAME);
    if (redact_char(s, colon) == '@')
        colon = redact_run(s, colon + 1, CLASS_NAME);
    size_t from = colon + 1, word = redact_run(s, from, ~(uint32_t)CLASS_SPACE);
    if (colon == at || redact_char(s, colon) != ':' || line < from + 4 ||
        REDACT_ONE_OF(s->text[from], ":/") ||
        (word < line && !place && !redact_is_exclaimed(s, from, line)))
        return false;
    if (!redact_at(s, from, "RANDOM"))
        redact_command_add(s, found, from, line);
    return true;
}

/* `key X`, `key 7 X`, further in than the line that says whose. */
static bool add_indented(struct redact_scan *s, const char *name, size_t at, size_t line,
                         struct redact_command_found *found)
{
    size_t word = redact_run(s, at, CLASS_BLANK), end = word + strlen(name), last = line;
    if (word == at)
        return false;
    while (last > word && !redact_in(s->text[last - 1], CLASS_SPACE))
        last--;
    if (redact_at(s, word, name) && redact_in(redact_char(s, end), CLASS_BLANK) &&
        last <= end + 3 && line >= last + 4)
        redact_command_add(s, found, last, line);
    return true;
}

size_t redact_output_list(struct redact_scan *s, const struct redact_rule *rule, size_t at,
                          size_t end, struct redact_command_found *found)
{
    bool began = false;
    for (size_t line, others = 0; at < end; at = line + 1) {
        line = redact_line_end(s, at);
        if (line == at || line - at > LINE_MOST || redact_char(s, at) == '#') {
            if (++others > OTHERS_MOST)
                break;
            continue;
        }
        size_t to = line - (s->text[line - 1] == '\r');
        bool is = rule->how == INDENTED ? add_indented(s, rule->option, at, to, found)
                  : rule->how == WORD   ? add_word(s, rule->place, at, to, found)
                                        : add_colon(s, rule->place, at, to, found);
        began = began || is;
        if (!is && (began || rule->how != COLON || ++others > OTHERS_MOST))
            break;
    }
    return at;
}
