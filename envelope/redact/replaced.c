/* What is put where a placeholder is, or into a file, by commands that say so themselves:
 * `sed -i "s|__DB_PASS__|X|" app.ini`, `cat <<< X > db_password.txt`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define SCRIPT_MOST 400 /* bytes of what sed is told */

/* ---- placeholders ---- */

/* The sign that ends a part of `s|A|B|`, at `at` or later; `to` for none. */
static size_t part_end(const struct redact_scan *s, size_t at, size_t to, char sign)
{
    while (at < to && s->text[at] != sign)
        at += s->text[at] == '\\' && at + 1 < to ? 2 : 1;
    return at < to ? at : to;
}

/* What the last name in [from, to) tells. */
static enum redact_telling last_tells(const struct redact_scan *s, size_t from, size_t to)
{
    while (to > from && !redact_in(s->text[to - 1], CLASS_ALNUM))
        to--;
    size_t name = to;
    while (name > from && redact_in(s->text[name - 1], CLASS_NAME))
        name--;
    while (name < to && !redact_in(s->text[name], CLASS_ALNUM))
        name++;
    return name < to ? redact_telling(s->text + name, to - name) : TELLS_NOTHING;
}

/* Whether signs around the name say that it stands for another text: `{{x}}`, `__x__`, `%x%`. */
static bool is_marked(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][8] = {"__", "{{", "${", "@", "%", "<", "CHANGE", "REPLACE"};
    return REDACT_HOLDS(s, from, to, words);
}

/* Behind the name and its sign, where what is put there has them again: `s|^pw: .*|pw: X|`. */
static size_t skip_name(struct redact_scan *s, size_t from, size_t to)
{
    size_t name = redact_run(s, from, CLASS_NAME), sign = redact_run(s, name, CLASS_BLANK);
    bool is = name > from && sign < to && REDACT_ONE_OF(s->text[sign], ":=") &&
              redact_telling(s->text + from, name - from);
    return is ? redact_run(s, sign + 1, CLASS_BLANK | CLASS_DOUBLE) : from;
}

/* Whether [from, to) may be a secret, and is no name or expression. */
static bool may_replace(struct redact_scan *s, size_t from, size_t to, bool marked)
{
    struct redact_reached v = {.from = from, .to = to};
    if (to < from + 4 || redact_is_placeholder(s, from, to) ||
        redact_telling(s->text + from, to - from) || REDACT_ONE_OF(s->text[from], "$\\&") ||
        memchr(s->text + from, '=', to - from) || memmem(s->text + from, to - from, ": ", 2) ||
        memmem(s->text + from, to - from, "\\1", 2))
        return false;
    return marked || redact_strength(s, &v) > REDACT_WEAK || redact_has_sign(s, from, to) ||
           redact_is_wordy(s, from, to);
}

void redact_replaced(struct redact_scan *s, struct redact_command_found *found, size_t from,
                     size_t to)
{
    char sign = redact_char(s, from + 1);
    if (s->text[from] != 's' || to < from + 8 || to - from > SCRIPT_MOST ||
        !REDACT_ONE_OF(sign, "/|#,:!@~%+"))
        return; /* most */
    size_t end = part_end(s, from + 2, to, sign), last = part_end(s, end + 1, to, sign);
    enum redact_telling tells = last < to ? last_tells(s, from + 2, end) : TELLS_NOTHING;
    if (!tells)
        return;
    bool marked = is_marked(s, from + 2, end);
    struct redact_reached v = {.from = skip_name(s, end + 1, last), .to = last};
    v.to -= v.to > v.from && s->text[v.to - 1] == '"';
    if (may_replace(s, v.from, v.to, marked) &&
        (tells == TELLS_ALL || redact_strength(s, &v) > REDACT_WEAK))
        redact_command_add(s, found, v.from, v.to);
}

/* ---- here-strings ---- */

/* The file that a command in [from, to) prints into: behind `>`, or tee's. */
static bool is_into_secret(struct redact_scan *s, size_t from, size_t to)
{
    const char *name = from < to ? memmem(s->text + from, to - from, "tee ", 4) : NULL;
    size_t tee = name ? (size_t)(name - s->text) : to;
    for (size_t at = from; at < to;) {
        at = redact_run(s, at, CLASS_BLANK);
        size_t word = at;
        while (word < to && s->text[word] == '>')
            word++;
        bool into = word > at || (at > tee && s->text[at] != '-' && s->text[at] != '<');
        word = redact_run(s, word, CLASS_BLANK);
        size_t end = redact_shell_word(s, word, to), quote = REDACT_ONE_OF(s->text[word], "\"'");
        if (end <= word)
            return false;
        if (into && end > word + 2 * quote && redact_is_secret_file(s, word + quote, end - quote))
            return true;
        at = end;
    }
    return false;
}

void redact_here(struct redact_scan *s, struct redact_command_found *found, size_t start,
                 size_t from, size_t to)
{
    size_t line = redact_line_end(s, from),
           most = line - from > SCRIPT_MOST ? from + SCRIPT_MOST : line;
    size_t word = from + 3, end = to;
    if (word == to) {
        word = redact_run(s, word, CLASS_BLANK);
        end = redact_shell_word(s, word, most);
    }
    if (end > word + 3 && from - start < SCRIPT_MOST &&
        (is_into_secret(s, start, from) || is_into_secret(s, end, most)))
        redact_command_add(s, found, word, end);
}
