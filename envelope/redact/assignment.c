/* Secrets given away by the name in front of them: `NAME=value`, `"name": "value"`, `name =>
 * value`,
 * `--name value`, `set -x NAME value`, `<name>value</name>`. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define PROSE_MOST    64  /* longer values without a digit are no prose */
#define RANDOM_LEAST  16  /* bytes of what looks random */
#define LINE_MOST     64  /* in front of an item's name */
#define MAP_MOST      200 /* bytes of a map in front of a name */
#define WORD_MOST     40  /* of the word in front */
#define REPLACED_MOST 40  /* of what sed looks for, in front of a name in it */
#define LONG_MOST     256 /* whatever is longer and has a name that tells is no prose */

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
    return at > least && s->text[at - 1] == '=' && redact_in(s->text[at - 2], CLASS_ALNUM) &&
           redact_is_wordy(s, v->from, v->to);
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
    if (at > v->from && (stop == '(' || stop == '[' || stop == '{') &&
        !(p->tight && p->shell && p->upper) &&
        (p->tight ? stop != '(' || memchr(s->text + at, ')', redact_line_end(s, at) - at) != NULL
                  : !is_open(s, at, v)))
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

/* `passphrase: tiger river cobalt`: words to the line's end. */
static bool is_phrase(struct redact_scan *s, const struct redact_place *p,
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

/* A first look at a value of at most PROSE_MOST: whether it cannot be one, whatever else it is.
 * Most end here. */
static bool is_too_little(struct redact_scan *s, const struct redact_place *p,
                          const struct redact_value *v, bool quotes, bool digits)
{
    if (p->tells == TELLS_CODE && !p->upper && p->sign != ' ')
        return v->to - v->from < 8 || !(digits || is_base64(s, v));
    if (p->tells == TELLS_LONG)
        return v->to - v->from < RANDOM_LEAST || !digits;
    return p->tells == TELLS_ALL && p->sign == ':' && !quotes && !digits &&
           redact_char(s, redact_run(s, v->end, CLASS_BLANK)) != '\n';
}

static bool is_secret(struct redact_scan *s, const struct redact_place *p,
                      const struct redact_value *v)
{
    size_t len = v->to - v->from;
    bool quotes = v->quote || (s->text[v->from] == '\'' || s->text[v->from] == '"');
    bool digits = len <= PROSE_MOST && redact_has_digit(s, v->from, v->to);
    if (is_phrase(s, p, v) || is_wordy(s, p, v) ||
        (v->quote && p->tells != TELLS_ALL && redact_is_garbled(s, v->from, v->to)) ||
        (p->tells == TELLS_CODE && p->sign == ':' &&
         (p->upper || memchr(s->text + p->name, '-', p->name_end - p->name)) &&
         redact_is_camel(s, v->from, v->to) && (v->quote || is_setting(s, p, v))) ||
        (p->tells == TELLS_LONG && p->upper && !v->quote && redact_is_wordy(s, v->from, v->to) &&
         is_setting(s, p, v)))
        return true;
    if (len <= PROSE_MOST && is_too_little(s, p, v, quotes, digits))
        return false;
    if (p->tells == TELLS_ALL && len <= PROSE_MOST && !quotes && is_code(s, p, v))
        return false;
    if ((redact_is_placeholder(s, v->from, v->to) && !(len > 128)) ||
        redact_is_remark(s, v->from, v->to))
        return false;
    if (p->upper && !p->tight && digits && redact_is_constant(s, v->from, v->to))
        return false;
    if (p->tells == TELLS_LONG && redact_is_named_sum(s, v->from, v->to))
        return false;
    if (p->tells != TELLS_ALL && digits && redact_is_version(s, v->from, v->to))
        return false;
    if (p->tells == TELLS_LONG)
        return len > LONG_MOST || (is_random(s, v->from, v->to) && (quotes || !is_code(s, p, v))) ||
               (quotes && len >= 32 && digits && redact_has_sign(s, v->from, v->to) &&
                !memchr(s->text + v->from, ' ', len)) ||
               (quotes && p->upper && redact_is_salt(s, v->from, v->to));
    if (len > PROSE_MOST)
        return true;
    if (s->text[v->from] == '/' && memchr(s->text + v->from + 1, '/', len - 1) &&
        p->tells != TELLS_ALL)
        return false; /* a path */
    if (!digits && (quotes || p->sign == '>') && redact_is_notice(s, v->from, v->to))
        return false;
    if (v->quote == '`' && p->shell && memchr(s->text + v->from, ' ', len))
        return false; /* a command's output */
    if (p->sign == ' ' && is_metavariable(s, v))
        return false;
    if (quotes && p->sign == ':' && !digits && redact_is_sentence(s, v) &&
        !(redact_is_spoken(s, v->from, v->to) ||
          (p->tells == TELLS_ALL && redact_is_quoted(s, v->from, v->to) &&
           !redact_names_text(s, p->name, p->name_end))))
        return false;
    if (quotes && !digits && redact_tells(s, v->from, len) &&
        redact_run(s, v->from, CLASS_NAME) >= v->to)
        return false; /* a name for it */
    if (!quotes && p->tells != TELLS_ALL && is_code(s, p, v))
        return false;
    if (!quotes && !p->tight && !p->upper && p->sign == '=' && is_variable(s, p, v))
        return false;
    if (p->sign == ' ')
        return len >= 4 &&
               (digits || quotes || count_in(s, v->from, v->to, CLASS_UPPER | CLASS_LOWER) < len ||
                (len >= 6 && !redact_is_usage(s, v)));
    bool raw = p->sign == '>' && v->from > 9 && redact_at(s, v->from - 9, "<![CDATA[");
    if (p->tells != TELLS_ALL && !p->upper && !raw && redact_has_code(s, v))
        return false;
    if (p->tells == TELLS_ALL && (p->sign == '=' || p->sign == '>' || p->sign == ' '))
        return len >= 3 && (digits || quotes || p->tight || p->sign != '=' || is_setting(s, p, v) ||
                            count_in(s, v->from, v->to, CLASS_ALNUM | CLASS_UNDER) < len);
    if (p->tells == TELLS_ALL) {
        if (quotes)
            return len >= 3;
        return len >= 4 && !redact_is_number(s, v->from, v->to)
                   ? digits || is_setting(s, p, v) || redact_is_dice(s, v) ||
                         (redact_has_sign(s, v->from, v->to) &&
                          redact_run(s, v->end, CLASS_BLANK) >= redact_line_end(s, v->end))
                   : len >= 6 && digits &&
                         (is_setting(s, p, v) || redact_is_grouped(s, v->from, v->to));
    }
    if (p->upper && p->sign == '=')
        return len >= 4;
    if (!quotes && redact_is_number(s, v->from, v->to) && !redact_is_grouped(s, v->from, v->to))
        return false;
    return len >= 8 && (digits || is_base64(s, v));
}

/* `wifi_password: 9 words of it`: a file's own line, to its end. */
static bool is_line(struct redact_scan *s, const struct redact_place *p,
                    const struct redact_value *v)
{
    size_t line = redact_line_end(s, v->end);
    if (p->sign != ':' || v->quote || p->tells != TELLS_ALL || line - v->end > 40 ||
        !memchr(s->text + p->name, '_', p->name_end - p->name) || redact_char(s, v->end) != ' ')
        return false;
    for (size_t i = v->end; i < line; i++)
        if (!redact_in(s->text[i], CLASS_ALNUM | CLASS_BLANK | CLASS_DASH))
            return false;
    return redact_is_statement(s, p->name);
}

/* `- NAME=two words`, an item of compose's environment: all of its line. */
static bool is_item(struct redact_scan *s, const struct redact_place *p,
                    const struct redact_value *v)
{
    size_t start = p->name < 2 ? 0 : redact_line_start(s, p->name, LINE_MOST);
    return p->upper && p->tight && !v->quote && p->name > start + 2 &&
           redact_char(s, v->end) == ' ' && redact_at(s, p->name - 2, "- ") &&
           redact_run(s, start, CLASS_BLANK) == p->name - 2;
}

/* What goes on behind: the other side of `"old" -> "new"`, the words of a dump's line. */
static void widen(struct redact_scan *s, const struct redact_place *p, struct redact_value *v)
{
    size_t end = redact_line_end(s, v->end);
    struct redact_value other;
    if (v->quote && redact_at(s, v->end, " -> \"") &&
        redact_read_value(s, v->end + 4, false, &other))
        v->to = other.to, v->end = other.end;
    if (p->shell && v->quote && REDACT_ONE_OF(redact_char(s, v->end), "\"'")) {
        size_t word = redact_shell_word(s, v->from - 1, end); /* 'Oma''s garden' */
        if (word > v->end && word - v->from < PROSE_MOST) {
            v->to = word - redact_in(s->text[word - 1], CLASS_DOUBLE | CLASS_SINGLE);
            v->end = word;
        }
    }
    if (is_phrase(s, p, v) || is_line(s, p, v))
        v->to = v->end = v->quote ? v->to : end;
    if (p->tells == TELLS_ALL && p->tight && !v->quote)
        redact_read_rest(s, p->name, p->name_end, v);
    if (p->tight && !v->quote) /* goes on behind a backslash at the line's end */
        while (end + 1 < s->len && s->text[end - 1] == '\\' && v->end + 1 >= end) {
            v->to = v->end = redact_run(s, end + 1, ~(uint32_t)CLASS_SPACE);
            end = redact_line_end(s, v->end);
        }
    bool batch = p->name >= 4 && redact_at(s, p->name - 4, "set ") && p->tight && !v->quote;
    if (p->tight && !v->quote && v->end < end && s->text[v->from] != '"' &&
        s->text[v->from] != '\'' &&
        (redact_is_dump(s, p->name, end) ||
         (batch && (p->name - 4 == redact_line_start(s, p->name, 8) ||
                    (p->name >= 6 && REDACT_ONE_OF(s->text[p->name - 6], ">")) ||
                    s->text[p->name - 5] == '>'))))
        v->to = v->end = end;
    if (is_item(s, p, v)) {
        const char *comment = memmem(s->text + v->end, end - v->end, " #", 2);
        v->to = v->end = comment ? (size_t)(comment - s->text) : end - (s->text[end - 1] == '\r');
    }
    /* within quotes that began in front of the name the value goes on to them */
    char before = p->name ? s->text[p->name - 1] : 0;
    if (p->tight && !v->quote && (before == '"' || before == '\'') && v->end < end) {
        const char *close = memchr(s->text + v->end, before, end - v->end);
        if (close && (size_t)(close - s->text) - v->from < PROSE_MOST &&
            (redact_in(s->text[v->end], CLASS_BLANK) || redact_at(s, v->end, ", ")))
            v->to = v->end = (size_t)(close - s->text);
    }
}

static bool may_begin(const struct redact_scan *s, size_t at)
{
    char c = redact_char(s, at), next = redact_char(s, at + 1);
    return c != '\n' && !(c == '<' && next == '<') && !(c == '$' && (next == '{' || next == '(')) &&
           !(c == '{' && next == '{') && !(c == '=' && next != '=');
}

/* The type a value is shown to be by its own shape. */
static const char *type_of(struct redact_scan *s, const struct redact_value *v,
                           struct redact_match *inner)
{
    if (redact_token(s, v->from, inner) && inner->from == v->from)
        return inner->type;
    return "value";
}

/* An element's text goes on to the next tag, anything else is a value. */
static bool read_behind(struct redact_scan *s, const struct redact_place *p, size_t value,
                        struct redact_value *ret)
{
    size_t end = p->sign != '>'
                     ? value
                     : redact_run(s, value, CLASS_ALL & ~(uint32_t)(CLASS_LESS | CLASS_NEWLINE));
    if (p->sign == '>' && (redact_char(s, value) == '@' || redact_closes(s, p->name, value)))
        return false; /* <user>:<password>@host, `password: <password>` */
    if (p->sign != '>' || redact_char(s, end) != '<') {
        bool typed = p->upper && p->name > 1 && s->text[p->name - 1] == ' ' &&
                     REDACT_ONE_OF(s->text[p->name - 2], "$#%"); /* behind a prompt */
        bool is = redact_read_value(s, value, p->tight && (p->shell || typed), ret);
        const char *next =
            is && p->encoded ? memmem(s->text + value, ret->to - value, "%26", 3) : NULL;
        if (next)
            ret->to = ret->end = (size_t)(next - s->text);
        return is && ret->to > ret->from;
    }
    char tag = redact_char(s, end + 1);
    if (tag == '!' && redact_at(s, end, "<![CDATA[")) {
        size_t from = end + 9, line = redact_line_end(s, from);
        const char *close = memmem(s->text + from, line - from, "]]>", 3);
        size_t to = close ? (size_t)(close - s->text) : line;
        *ret = (struct redact_value){from, to, to, '"'};
        return to > from;
    }
    *ret = (struct redact_value){value, end, end, 0};
    return end > value && tag == '/'; /* `--password <password> --key <key>` is a usage */
}

/* A first look at what is behind a name: most names have nothing there. */
static bool may_follow(struct redact_scan *s, const struct redact_place *p)
{
    const struct redact_behind *b = redact_behind(s, p->name_end);
    char next = b->next;
    if (next != ' ' && next != '\t')
        return redact_in(next, CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK | CLASS_BACKSLASH |
                                   CLASS_COLON | CLASS_LESS) ||
               next == '=' || next == '>' || next == ']' || next == '[' || next == '?' ||
               next == '+' || (next == '}' && p->name && s->text[p->name - 1] == '{') ||
               (next == '%' && REDACT_ONE_OF(redact_char(s, p->name_end + 1), "35"));
    char sign = b->sign;
    if (sign == '=' || sign == ':' || sign == '?' || sign == '+' || sign == '|' || sign == '<' ||
        (sign == '-' && redact_char(s, b->to + 1) == '>'))
        return true;
    char before = p->name ? s->text[p->name - 1] : '\n';
    return before == '-' || before == '\n' || before == '<' || before == '+' ||
           (before == ':' && sign == '"') ||
           (before == ' ' && p->name >= 4 &&
            (REDACT_ONE_OF(s->text[p->name - 2], "vxgUVrmsteqfn") ||
             redact_at(s, p->name - 4, "ort ")));
}

/* `secret key: X`, of two words: whatever is long and random is. */
static enum redact_telling tells_of_two(struct redact_scan *s, size_t at, size_t end)
{
    size_t from = at - (at > 0 && s->text[at - 1] == ' ');
    while (from > 0 && at - from < 16 && redact_in(s->text[from - 1], CLASS_ALNUM))
        from--;
    return from + 1 < at && redact_char(s, end) == ':' && redact_tells(s, from, end - from)
               ? TELLS_LONG
               : TELLS_NOTHING;
}

/* In sed's `s/name=X/name=Y/` the sign that parts them is none of the value's. */
static void cut_replaced(struct redact_scan *s, size_t name, struct redact_value *v)
{
    size_t line = redact_line_start(s, name, REPLACED_MOST), from = name;
    const char *slash = memchr(s->text + v->from, '/', v->to - v->from);
    if (!slash)
        return; /* most */
    while (from > line && s->text[from - 1] != '/')
        from--;
    if (from > line + 2 && s->text[from - 2] == 's' && REDACT_ONE_OF(s->text[from - 3], "'\" ;") &&
        slash > s->text + v->from)
        v->to = v->end = (size_t)(slash - s->text);
}

/* `WIFI_PASS "my pickle eats pelican7"`: words, one of which ends in digits. */
static bool is_defined_so(struct redact_scan *s, const struct redact_place *p,
                          const struct redact_value *v)
{
    size_t words = 0, mixed = 0;
    for (size_t at = v->from; at < v->to; at++) {
        size_t end = redact_run(s, at, CLASS_ALNUM), letters = redact_run(s, at, CLASS_LOWER);
        if (end == at || (end < v->to && s->text[end] != ' ') ||
            redact_in(s->text[at], CLASS_UPPER))
            return false;
        words++;
        mixed += letters >= at + 4 && letters < end && redact_run(s, letters, CLASS_DIGIT) == end;
        at = end;
    }
    return p->upper && words >= 3 && mixed && !redact_is_notice(s, v->from, v->to);
}

/* Go's `map[DB_USER:shop DB_PASS:word LOG:debug]`: no blank is behind the sign, and another pair
 * stands beside it in the bracket. */
static bool is_in_map(struct redact_scan *s, const struct redact_place *p,
                      const struct redact_value *v)
{
    size_t line = p->name ? redact_line_start(s, p->name, MAP_MOST) : 0;
    char before = p->name ? s->text[p->name - 1] : '\n', next = redact_char(s, v->end);
    return p->sign == ':' && p->tells == TELLS_ALL && v->from == p->name_end + 1 &&
           REDACT_ONE_OF(before, "[{ ") && REDACT_ONE_OF(next, " ]}") && v->to >= v->from + 6 &&
           redact_run(s, v->from, CLASS_WORD) == v->to &&
           !redact_tells(s, v->from, v->to - v->from) &&
           !redact_is_placeholder(s, v->from, v->to) &&
           memmem(s->text + line, p->name - line, "map[", 4) != NULL;
}

bool redact_assignment(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct redact_value v;
    struct redact_match inner;
    while (at < end && redact_in(s->text[at], CLASS_DASH | CLASS_DOT))
        at++;
    struct redact_place p = {.name = at, .name_end = end};
    while (end > at && s->text[end - 1] == '.')
        end--;
    if (at == end || !may_follow(s, &p))
        return false;
    p.tells = redact_tells(s, at, end - at);
    if (!p.tells && end - at == 3 && redact_at(s, at, "key"))
        p.tells = redact_is_network(s, at) || redact_is_pragma(s, at) ? TELLS_ALL
                                                                      : tells_of_two(s, at, end);
    bool variable = at && s->text[at - 1] == '$' && redact_char(s, end) != ' ';
    bool quoted =
        redact_char(s, end) == '=' && REDACT_ONE_OF(redact_char(s, end + 1), "'\""); /* $name='X' */
    if (!p.tells || (variable && !quoted))
        return false;
    p.upper = true;
    for (size_t i = at; i < end && p.upper; i++)
        p.upper = !redact_in(s->text[i], CLASS_LOWER);
    size_t value = redact_find_value(s, &p);
    if (value && p.sign == ':' && redact_below_sign(s, value))
        value = redact_below_sign(s, value);
    else if (value && p.sign == ':' && redact_behind_type(s, value))
        value = redact_behind_type(s, value);
    if (value && p.sign == ':')
        value = redact_behind_tag(s, value, p.quoted);
    size_t below = value ? redact_on_next_line(s, value) : 0;
    value = below ? below : value;
    if (value && redact_at(s, value, "([") && p.tight)
        return false; /* a shell's list, of which each has a name */
    if (value && s->text[value - 1] == ':' && redact_char(s, value) == '\'' &&
        p.tells == TELLS_ALL && redact_at(s, end, " :'"))
        return false;                                                 /* psql's variable */
    bool other = value && redact_read_default(s, value, p.tells, &v); /* ${NAME:-X} */
    if (!value || (!other && !may_begin(s, value)))
        return false;
    p.shell = p.tight && redact_is_statement(s, at);
    value += (redact_char(s, value + 1) == '"' || redact_char(s, value + 1) == '\'') &&
             (redact_char(s, value) == '@' || REDACT_ONE_OF(redact_char(s, value), "bfruN$"));
    if (p.sign == '=' || p.sign == ':')
        value = redact_behind_others(s, at, redact_behind_wrapper(s, value));
    char before = at ? s->text[at - 1] : 0;
    if ((before == '"' || before == '\'') && !p.quoted && s->text[value] == before &&
        redact_char(s, value + 1) != before)
        return false; /* what ends there began in front of the name */
    bool block = p.tells == TELLS_ALL && p.sign == ':' && redact_read_block(s, end, &v);
    bool whole = other || block ||
                 (p.tells == TELLS_ALL && p.sign == '=' && redact_read_braces(s, at, value, &v));
    bool read = p.sign == '=' &&
                (redact_read_brackets(s, value, &v) || redact_read_doubled(s, at, value, &v));
    if (!whole && !read && (!read_behind(s, &p, value, &v) || (p.sign == ',' && !v.quote)))
        return false;
    if (!whole && p.tight && !v.quote && (before == '"' || before == '\''))
        redact_to_quote(s, before, p.tells == TELLS_ALL, &v);
    if (!whole && p.tight && p.upper && !v.quote && v.to < v.from + 4 &&
        redact_is_dump(s, at, redact_line_end(s, v.end)))
        v.to = v.end = redact_line_end(s, v.end);
    if (!whole && p.tells == TELLS_ALL && !v.quote && (p.sign == ':' || p.sign == '='))
        whole = redact_read_words(s, at, end, p.sign, &v) ||
                (p.sign == '=' && redact_read_phrase(s, at, &v)) ||
                redact_read_setting(s, at, p.tight, &v) ||
                redact_read_scalar(s, at, end, p.sign, p.tight, &v);
    if (!whole && !is_secret(s, &p, &v) && !is_in_map(s, &p, &v) &&
        !(p.tells == TELLS_ALL && p.sign == ':' && redact_is_mapped(s, at, &v)))
        return false;
    if (p.sign == ' ' && redact_is_defined(s, at) &&
        (memchr(s->text + v.from, ' ', v.to - v.from) || !redact_has_digit(s, v.from, v.to)) &&
        !(p.tells == TELLS_ALL &&
          (redact_is_phrase(s, v.from, v.to, 4) ||
           (redact_is_quoted(s, v.from, v.to) && !redact_names_text(s, at, end)) ||
           is_defined_so(s, &p, &v))))
        return false; /* programs name things so */
    widen(s, &p, &v);
    cut_replaced(s, at, &v);
    *ret_match = (struct redact_match){v.from, v.to, type_of(s, &v, &inner)};
    if (redact_pem(s, v.from, &inner) && inner.to > v.from)
        *ret_match = inner;
    return true;
}
