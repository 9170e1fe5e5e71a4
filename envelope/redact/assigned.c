/* Whether what a name is given is a secret: by the name, the sign between them and its own look. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define PROSE_MOST     64  /* longer values without a digit are no prose */
#define RANDOM_LEAST   16  /* bytes of what looks random */
#define WORD_MOST      40  /* of the word in front */
#define REGISTRY_LEAST 6   /* of what a registry is told */
#define LINE_MOST      160 /* bytes of a line of settings, */
#define SECTION_MOST   16  /* and lines up to their heading */
#define CALL_MOST      400 /* bytes up to where a call's parenthesis closes */
#define LONG_MOST      256 /* whatever is longer and has a name that tells is no prose */

/* What is judged, and what is asked of it more than once. */
struct judged {
    const struct redact_place *p;
    const struct redact_value *v;
    size_t len;
    bool quotes; /* it is in some */
    bool digits; /* it has one; false of what is longer than PROSE_MOST */
};

/* `password_ptr` is a variable's name, not a password. */
static bool has_telling_word(struct redact_scan *s, const struct redact_value *v)
{
    for (size_t at = v->from; at < v->to;) {
        size_t end = at;
        while (end < v->to && redact_in(s->text[end], CLASS_ALNUM))
            end++;
        bool spice = end - at >= 6 && redact_at(s, end - 6, "pepper");
        if (end > at && !spice && redact_tells(s, at, end - at))
            return true;
        at = end + 1;
    }
    return false;
}

/* `user_input`, `root_dir`: small letters in words, the last of which programs name things by; and
 * for what is no password `lexer_next2`, one digit at its end. */
static bool is_variable(const struct redact_scan *s, const struct redact_place *p,
                        const struct redact_value *v)
{
    static const char *const words[] = {"_input", "_dir",  "_path", "_name", "_value", "_arg",
                                        "_args",  "_data", "_env",  "_ptr",  "_buf",   "_str",
                                        "_field", "_file", "_line", "_ctx",  "_result"};
    size_t end = v->to, start = v->from;
    bool code = p->tells != TELLS_ALL && redact_in(s->text[end - 1], CLASS_DIGIT);
    end -= code;
    for (size_t i = start; i < end; i++)
        if (!redact_in(s->text[i], CLASS_LOWER | CLASS_UNDER))
            return false;
    if (code)
        return memchr(s->text + start, '_', end - start) != NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i]);
        if (end - start > len && !memcmp(s->text + end - len, words[i], len))
            return true;
    }
    return false;
}

/* `[--api-key API_KEY]`, as a usage has it. */
static bool is_metavariable(struct redact_scan *s, const struct redact_value *v)
{
    size_t end = redact_run(s, v->from, CLASS_UPPER | CLASS_UNDER);
    return end + 1 >= v->to && end > v->from && REDACT_ONE_OF(redact_char(s, end), "] \n") &&
           redact_tells(s, v->from, end - v->from);
}

/* `Koala(8459?x`: a bracket in a word's midst that nothing closes. */
static bool is_open(struct redact_scan *s, size_t at, const struct redact_value *v)
{
    char close = s->text[at] == '(' ? ')' : s->text[at] == '[' ? ']' : '}';
    char behind = redact_char(s, redact_run(s, v->end, CLASS_BLANK));
    return REDACT_ONE_OF(behind, "\r\n}") && !memchr(s->text + at, close, v->to - at) &&
           at + 3 < v->to && redact_has_digit(s, at, v->to) &&
           !memchr(s->text + at, '"', v->to - at) && !memchr(s->text + at, '\'', v->to - at);
}

/* `username=kim password=oyster.dragon`: words of a command, each of which is set. */
static bool is_listed(struct redact_scan *s, const struct redact_place *p,
                      const struct redact_value *v)
{
    size_t at = p->name < 3 ? 0 : p->name - 1, least = at > WORD_MOST ? at - WORD_MOST : 0;
    if (!at || p->tells != TELLS_ALL || !p->tight || s->text[at] != ' ' ||
        !redact_in(redact_char(s, v->end), CLASS_SPACE))
        return false;
    while (at > least && redact_in(s->text[at - 1], CLASS_NAME))
        at--;
    return at > least && at > 1 && s->text[at - 1] == '=' &&
           redact_in(s->text[at - 2], CLASS_ALNUM) && redact_is_wordy(s, v->from, v->to);
}

/* `password: ribbon(164)`: a word, and a number of three digits in brackets, at a line's end. What
 * makes passwords is told how long they be. */
static bool is_numbered(struct redact_scan *s, const struct redact_place *p, size_t at,
                        const struct redact_value *v)
{
    static const char makers[][8] = {"rand",     "gen",    "token",  "pass", "hex",
                                     "byte",     "string", "text",   "char", "varchar",
                                     "nvarchar", "binary", "repeat", "uuid"};
    size_t number = redact_run(s, at + 1, CLASS_DIGIT), line = redact_line_end(s, v->end);
    if (redact_char(s, at) != '(' || number < at + 3 || redact_char(s, number) != ')' ||
        at < v->from + 4 || redact_run(s, v->from, CLASS_LOWER | CLASS_UPPER) != at ||
        !(p->sign == ':' || p->tight))
        return false;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (redact_at(s, v->from, makers[i]))
            return false;
    return redact_run(s, v->end, CLASS_BLANK) >= line && redact_is_statement(s, p->name) &&
           !redact_is_plain_word(s, v->from, at);
}

/* Whether the parenthesis at `at` is closed on its line. */
static bool is_closed(struct redact_scan *s, size_t at)
{
    size_t line = redact_line_end(s, at), most = line - at > CALL_MOST ? at + CALL_MOST : line;
    return memchr(s->text + at, ')', most - at) != NULL;
}

/* What a program would have there: a call, a member, a type, another variable. */
static bool is_code(struct redact_scan *s, const struct redact_place *p,
                    const struct redact_value *v)
{
    bool digits;
    size_t at = v->from;
    char next = redact_char(s, v->end);
    while (at < v->to &&
           redact_in(s->text[at], CLASS_ALNUM | CLASS_UNDER | CLASS_DOT | CLASS_COLON))
        at++;
    char stop = at < v->to ? s->text[at] : 0;
    bool called = at > v->from && !(redact_in(s->text[v->from], CLASS_DIGIT) &&
                                    redact_run(s, v->from, CLASS_ALNUM) == at); /* 0{(x */
    if (called && (stop == '(' || stop == '[' || stop == '{') && !is_numbered(s, p, at, v) &&
        !(p->tight && p->shell && p->upper) &&
        (p->tight ? stop != '(' || is_closed(s, at) : !is_open(s, at, v)))
        return true;
    if (REDACT_ONE_OF(s->text[v->from], "&!*(") && !p->tight)
        return true;
    if (stop == '-' && !p->tight && redact_is_cmdlet(s, v))
        return true;
    if (!redact_is_identifier(s, v->from, v->to, &digits))
        return stop == '-' && at + 1 < v->to && s->text[at + 1] == '>' && !digits;
    if (!p->upper && !digits && has_telling_word(s, v))
        return true;
    if (digits)
        return false;
    bool dots = memchr(s->text + v->from, '.', v->to - v->from) != NULL;
    bool query = p->name && REDACT_ONE_OF(s->text[p->name - 1], "?&");        /* of an address */
    bool noted = p->upper && p->name >= 2 && redact_at(s, p->name - 2, "# "); /* # X_PASS=a.b */
    if (dots && !(p->tight && (p->shell || query || noted)) && !is_listed(s, p, v) &&
        !redact_is_jumbled(s, v->from, v->to))
        return true;
    return !p->tight && (next == ';' || next == ',' || next == ')');
}

static size_t count_in(const struct redact_scan *s, size_t from, size_t to, uint32_t set)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
        n += redact_in(s->text[i], set);
    return n;
}

/* Long enough, letters and digits in no order that a word has. */
static bool is_random(const struct redact_scan *s, size_t from, size_t to)
{
    size_t len = to - from, digits = count_in(s, from, to, CLASS_DIGIT);
    size_t letters = count_in(s, from, to, CLASS_UPPER | CLASS_LOWER);
    return len >= RANDOM_LEAST && digits >= 2 && letters >= 2 && digits + letters >= len * 3 / 4 &&
           !redact_is_path(s, from, to);
}

/* The whole line is the name and its value, as in files of settings. */
static bool is_setting(struct redact_scan *s, const struct redact_place *p,
                       const struct redact_value *v)
{
    size_t end = redact_line_end(s, v->end);
    return redact_run(s, v->end, CLASS_BLANK) >= end && redact_is_statement(s, p->name);
}

/* Of both cases, in groups of four: what an `auth` of letters alone is. */
static bool is_base64(const struct redact_scan *s, const struct redact_value *v)
{
    size_t len = v->to - v->from;
    return len % 4 == 0 && (v->quote || s->text[v->to - 1] == '=') &&
           count_in(s, v->from, v->to, CLASS_ALNUM | CLASS_BASE64) == len &&
           count_in(s, v->from + 1, v->to, CLASS_UPPER) >= 2 &&
           count_in(s, v->from, v->to, CLASS_LOWER) >= 2;
}

bool redact_is_passphrase(struct redact_scan *s, const struct redact_place *p,
                          const struct redact_value *v)
{
    size_t end = redact_line_end(s, v->end), words = 1;
    end = v->quote ? v->to : end;
    if (p->sign == ',' || p->name_end - p->name < 6 ||
        !(redact_at(s, p->name_end - 6, "phrase") || redact_at(s, p->name_end - 6, "emonic")))
        return false;
    for (size_t i = v->from; i < end; i++) {
        if (!redact_in(s->text[i], CLASS_LOWER | CLASS_BLANK))
            return false;
        words += s->text[i] == ' ';
    }
    return words >= 3;
}

/* `flash!gordon`: two words that no program joins so. */
static bool is_parted(struct redact_scan *s, size_t from, size_t to)
{
    size_t sign = redact_run(s, from, CLASS_ALNUM);
    return sign >= from + 3 && to >= sign + 4 && REDACT_ONE_OF(s->text[sign], "!#&^") &&
           redact_run(s, sign + 1, CLASS_ALNUM) == to;
}

/* `{user: kim, password: biscuit-horizon-winter}`: in braces, or an option's; in an address,
 * `?token=biscuit-horizon-winter`. */
static bool is_wordy(struct redact_scan *s, const struct redact_place *p,
                     const struct redact_value *v)
{
    char next = redact_char(s, v->end);
    bool option = p->tells == TELLS_CODE && p->tight && p->name > 1 && !v->quote &&
                  s->text[p->name - 1] == '-' && s->text[p->name - 2] == '-';
    if (option && v->to - v->from >= 8 && is_parted(s, v->from, v->to))
        return true;
    if (p->tells == TELLS_CODE)
        return p->sign == '=' && p->name && REDACT_ONE_OF(s->text[p->name - 1], "?&") &&
               redact_is_wordy(s, v->from, v->to) && !redact_is_placeholder(s, v->from, v->to);
    return p->tells == TELLS_ALL && (v->quote || next == ',' || next == '}' || next == '\n') &&
           redact_is_wordy(s, v->from, v->to);
}

/* `Api-Key: BlueHorseStaple`, and a settings file's own line: words that are no code there. */
static bool is_of_setting(struct redact_scan *s, const struct judged *j)
{
    const struct redact_place *p = j->p;
    const struct redact_value *v = j->v;
    if (p->tells == TELLS_CODE)
        return p->sign == ':' &&
               (p->upper || memchr(s->text + p->name, '-', p->name_end - p->name)) &&
               redact_is_camel(s, v->from, v->to) && (v->quote || is_setting(s, p, v));
    return p->tells == TELLS_LONG && p->upper && !v->quote && redact_is_wordy(s, v->from, v->to) &&
           is_setting(s, p, v);
}

/* npm's `//registry.npmjs.org/:_authToken=X`: whatever a registry's is set to. */
static bool is_of_registry(struct redact_scan *s, const struct judged *j)
{
    const struct redact_place *p = j->p;
    const struct redact_value *v = j->v;
    return p->tight && p->name > 1 && s->text[p->name - 1] == ':' && s->text[p->name] == '_' &&
           s->text[p->name - 2] == '/' && j->len >= REGISTRY_LEAST &&
           !redact_is_placeholder(s, v->from, v->to) && !redact_tells(s, v->from, j->len) &&
           !REDACT_ONE_OF(s->text[v->from], "$<{%");
}

/* Whether the lines above set something, too, up to a heading in brackets. */
static bool is_in_section(struct redact_scan *s, size_t name)
{
    size_t line = redact_line_start(s, name, LINE_MOST);
    for (int i = 0; i < SECTION_MOST && line > 1 && s->text[line - 1] == '\n'; i++) {
        size_t end = line - 1;
        line = redact_line_start(s, end, LINE_MOST);
        if (end > line + 2 && s->text[line] == '[' && s->text[end - 1] == ']')
            return true;
        if (end == line || (!memchr(s->text + line, '=', end - line) && s->text[line] != '#'))
            return false;
    }
    return false;
}

/* `token = "velvetcopper"` in a file of settings: a word that is no program's. */
static bool is_of_section(struct redact_scan *s, const struct judged *j)
{
    const struct redact_value *v = j->v;
    return j->p->tells == TELLS_CODE && j->p->sign == '=' && !j->p->tight &&
           redact_is_lone_word(s, v->from, v->to) && is_setting(s, j->p, v) &&
           is_in_section(s, j->p->name);
}

/* What is made of words in a way that only passwords are. */
static bool is_made_of_words(struct redact_scan *s, const struct judged *j)
{
    const struct redact_value *v = j->v;
    return redact_is_passphrase(s, j->p, v) || is_wordy(s, j->p, v) || is_of_registry(s, j) ||
           is_of_section(s, j) ||
           (v->quote && j->p->tells != TELLS_ALL && redact_is_garbled(s, v->from, v->to)) ||
           is_of_setting(s, j);
}

/* A first look at a value of at most PROSE_MOST: whether it cannot be one, whatever else it is.
 * Most end here. */
static bool is_too_little(struct redact_scan *s, const struct judged *j)
{
    const struct redact_place *p = j->p;
    const struct redact_value *v = j->v;
    if (p->tells == TELLS_CODE && !p->upper && p->sign != ' ')
        return j->len < 8 || !(j->digits || is_base64(s, v));
    if (p->tells == TELLS_LONG)
        return j->len < RANDOM_LEAST || !j->digits;
    return p->tells == TELLS_ALL && p->sign == ':' && !j->quotes && !j->digits &&
           redact_char(s, redact_run(s, v->end, CLASS_BLANK)) != '\n';
}

/* What stands for a secret, or is named as something else, however long it is. */
static bool is_none(struct redact_scan *s, const struct judged *j)
{
    const struct redact_place *p = j->p;
    const struct redact_value *v = j->v;
    return (p->tells == TELLS_ALL && j->len <= PROSE_MOST && !j->quotes && is_code(s, p, v)) ||
           (j->len <= 128 && redact_is_placeholder(s, v->from, v->to)) ||
           redact_is_remark(s, v->from, v->to) ||
           (p->upper && !p->tight && j->digits && redact_is_constant(s, v->from, v->to)) ||
           (p->tells == TELLS_LONG && redact_is_named_sum(s, v->from, v->to)) ||
           (p->tells != TELLS_ALL && j->digits && redact_is_version(s, v->from, v->to));
}

/* Of a name that tells of what is long and random alone. */
static bool is_long(struct redact_scan *s, const struct judged *j)
{
    const struct redact_value *v = j->v;
    if (j->len > LONG_MOST)
        return true;
    if (is_random(s, v->from, v->to) && (j->quotes || !is_code(s, j->p, v)))
        return true;
    return j->quotes && ((j->len >= 32 && j->digits && redact_has_sign(s, v->from, v->to) &&
                          !memchr(s->text + v->from, ' ', j->len)) ||
                         (j->p->upper && redact_is_salt(s, v->from, v->to)));
}

/* `password: "It has to have eight characters"`. */
static bool is_sentence(struct redact_scan *s, const struct judged *j)
{
    const struct redact_place *p = j->p;
    const struct redact_value *v = j->v;
    bool one = j->quotes && p->sign == ':' && !j->digits && redact_is_sentence(s, v);
    return one && !redact_is_spoken(s, v->from, v->to) &&
           !(p->tells == TELLS_ALL && redact_is_quoted(s, v->from, v->to) &&
             !redact_names_text(s, p->name, p->name_end));
}

/* What is something else: a path, what is said of it, a command's output, a word of a usage, a
 * sentence, a name for it, a variable. */
static bool is_other(struct redact_scan *s, const struct judged *j)
{
    const struct redact_place *p = j->p;
    const struct redact_value *v = j->v;
    const char *t = s->text + v->from;
    return (*t == '/' && p->tells != TELLS_ALL && memchr(t + 1, '/', j->len - 1)) ||
           (!j->digits && (j->quotes || p->sign == '>') && redact_is_notice(s, v->from, v->to)) ||
           (v->quote == '`' && p->shell && memchr(t, ' ', j->len)) ||
           (p->sign == ' ' && is_metavariable(s, v)) || is_sentence(s, j) ||
           (j->quotes && !j->digits && redact_tells(s, v->from, j->len) &&
            redact_run(s, v->from, CLASS_NAME) >= v->to) ||
           (!j->quotes && p->tells != TELLS_ALL && is_code(s, p, v)) ||
           (!j->quotes && !p->tight && !p->upper && p->sign == '=' && is_variable(s, p, v));
}

/* An option's, behind a blank. */
static bool is_argument(struct redact_scan *s, const struct judged *j)
{
    const struct redact_value *v = j->v;
    if (redact_at(s, v->from, "--") && redact_in(redact_char(s, v->from + 2), CLASS_LOWER))
        return false; /* `--random-password --email` */
    return j->len >= 4 && (j->digits || j->quotes ||
                           count_in(s, v->from, v->to, CLASS_UPPER | CLASS_LOWER) < j->len ||
                           (j->len >= 6 && !redact_is_usage(s, v)));
}

/* Of a name that tells of whatever it is given. */
static bool is_password(struct redact_scan *s, const struct judged *j)
{
    const struct redact_place *p = j->p;
    const struct redact_value *v = j->v;
    if (p->sign == '=' || p->sign == '>')
        return j->len >= 3 &&
               (j->digits || j->quotes || p->tight || p->sign != '=' || is_setting(s, p, v) ||
                count_in(s, v->from, v->to, CLASS_ALNUM | CLASS_UNDER) < j->len);
    if (j->quotes)
        return j->len >= 3;
    if (j->len < 4 || redact_is_number(s, v->from, v->to))
        return j->len >= 6 && j->digits &&
               (is_setting(s, p, v) || redact_is_grouped(s, v->from, v->to));
    return j->digits || is_setting(s, p, v) || redact_is_dice(s, v) ||
           (redact_has_sign(s, v->from, v->to) &&
            redact_run(s, v->end, CLASS_BLANK) >= redact_line_end(s, v->end));
}

/* Of a name that tells of codes: keys, tokens. */
static bool is_key(struct redact_scan *s, const struct judged *j)
{
    const struct redact_place *p = j->p;
    const struct redact_value *v = j->v;
    bool raw = p->sign == '>' && v->from > 9 && redact_at(s, v->from - 9, "<![CDATA[");
    if (!p->upper && !raw && redact_has_code(s, v))
        return false;
    if (p->upper && p->sign == '=')
        return j->len >= 4;
    if (!j->quotes && redact_is_number(s, v->from, v->to) && !redact_is_grouped(s, v->from, v->to))
        return false;
    return j->len >= 8 && (j->digits || is_base64(s, v));
}

bool redact_is_assigned(struct redact_scan *s, const struct redact_place *p,
                        const struct redact_value *v)
{
    struct judged j = {.p = p, .v = v, .len = v->to - v->from};
    j.quotes = v->quote || s->text[v->from] == '\'' || s->text[v->from] == '"';
    j.digits = j.len <= PROSE_MOST && redact_has_digit(s, v->from, v->to);
    if (is_made_of_words(s, &j))
        return true;
    if ((j.len <= PROSE_MOST && is_too_little(s, &j)) || is_none(s, &j))
        return false;
    if (p->tells == TELLS_LONG)
        return is_long(s, &j);
    if (j.len > PROSE_MOST)
        return true;
    if (is_other(s, &j))
        return false;
    if (p->sign == ' ')
        return is_argument(s, &j);
    return p->tells == TELLS_ALL ? is_password(s, &j) : is_key(s, &j);
}
