/* Values that are more than a word, by the form of what they stand in: the rest of a file's line,
 * YAML's text on the lines below, what is in braces, what goes on to a quote. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define WORDS_MOST  5   /* of a password; more are a sentence */
#define BLOCK_MOST  200 /* bytes of YAML's text */
#define LINE_MOST   64
#define PHRASE_MOST 120

size_t redact_behind_tag(struct redact_scan *s, size_t at, bool quoted)
{
    size_t next = at;
    if (redact_char(s, at) == '\n' && quoted) { /* `"name":` and its value on the next line */
        next = redact_run(s, at, CLASS_SPACE);
        return redact_char(s, next) == '"' ? next : at;
    }
    if (redact_char(s, at) == '&' && redact_in(redact_char(s, at + 1), CLASS_ALNUM))
        next = redact_run(s, at + 1, CLASS_WORD);
    else if (redact_at(s, at, "!!str ") || redact_at(s, at, "!!binary "))
        next = redact_run(s, at + 2, CLASS_LOWER);
    size_t value = redact_run(s, next, CLASS_BLANK);
    return value > next && next > at ? value : at;
}

/* Behind `Some(`, `SecretString(`: what debuggers and formatters break a line in. */
static size_t skip_opening(struct redact_scan *s, size_t at)
{
    size_t end = redact_run(s, at, CLASS_NAME | CLASS_COLON);
    return redact_char(s, end) == '(' && end - at < LINE_MOST ? end + 1 : at;
}

size_t redact_on_next_line(struct redact_scan *s, size_t at)
{
    size_t line = skip_opening(s, at), from = redact_run(s, line, CLASS_SPACE);
    struct redact_value v;
    if (redact_char(s, line) != '\n' || redact_char(s, line + 1) == '\n')
        return 0; /* most */
    size_t quote = from + (redact_char(s, from) == 'b');
    if (from - line < 3 || !redact_in(redact_char(s, quote), CLASS_DOUBLE | CLASS_SINGLE) ||
        redact_char(s, quote + 1) == s->text[quote] || !redact_read_value(s, quote, false, &v))
        return 0;
    struct redact_reached word = {.from = v.from, .to = v.to};
    size_t end = v.end;
    while (end < s->len && REDACT_ONE_OF(s->text[end], ",;)}]"))
        end++;
    return redact_run(s, end, CLASS_BLANK) >= redact_line_end(s, end) &&
                   redact_strength(s, &word) > REDACT_WEAK
               ? quote
               : 0;
}

bool redact_read_block(struct redact_scan *s, size_t name_end, struct redact_value *ret)
{
    size_t sign = redact_run(s, name_end, CLASS_DOUBLE | CLASS_SINGLE | CLASS_COLON);
    sign = redact_run(s, sign, CLASS_BLANK);
    if (!REDACT_ONE_OF(redact_char(s, sign), "|>"))
        return false;
    size_t line = redact_line_end(s, sign), from = redact_run(s, line, CLASS_SPACE), to = from;
    if (line - sign > 2 || line - sign < 1 || from >= s->len || from < line + 2 ||
        s->text[line] != '\n' || (line - sign == 2 && !REDACT_ONE_OF(s->text[sign + 1], "+-")))
        return false;
    size_t deep = from - redact_line_start(s, from, LINE_MOST), words = 0;
    /* of more lines than words nothing is taken: they are not read again for each name */
    for (size_t next = from, lines = 0; next < s->len && deep && lines < WORDS_MOST; lines++) {
        to = redact_line_end(s, next);
        next = redact_run(s, to + (to < s->len), CLASS_BLANK);
        if (to >= s->len || next - to - 1 < deep || redact_char(s, next) == '\n')
            break;
    }
    if (!deep || to - from < 4 || to - from >= BLOCK_MOST)
        return false;
    for (size_t i = from; i < to && words <= WORDS_MOST; i++)
        words += redact_in(s->text[i], CLASS_SPACE);
    *ret = (struct redact_value){from, to, to, 0};
    return words <= WORDS_MOST && !redact_is_placeholder(s, from, to) &&
           !memchr(s->text + from, '`', to - from) &&
           (redact_has_digit(s, from, to) || !redact_in(s->text[from], CLASS_UPPER));
}

/* Where ODBC's brace closes: one that is doubled is the value's, unless no other one closes it.
 * `from` for none. */
static size_t close_brace(struct redact_scan *s, size_t from)
{
    size_t line = redact_line_end(s, from), to = from, doubled = from;
    line = line - from > LINE_MOST ? from + LINE_MOST : line;
    while (to < line && (s->text[to] != '}' || redact_char(s, to + 1) == '}')) {
        bool two = s->text[to] == '}';
        doubled = two && doubled == from ? to + 1 : doubled;
        to += two ? 2 : 1;
    }
    return to < line ? to : doubled;
}

/* Whether a driver of several words is in braces in front of the name: they are ODBC's, and no
 * program's that puts something there. */
static bool has_driver(const struct redact_scan *s, size_t name)
{
    size_t line = redact_line_start(s, name, PHRASE_MOST), from;
    const char *driver = memmem(s->text + line, name - line, "river={", 7);
    driver = driver ? driver : memmem(s->text + line, name - line, "RIVER={", 7);
    from = driver ? (size_t)(driver - s->text) + 7 : name;
    size_t blank = from;
    while (blank < name && redact_in(s->text[blank], CLASS_ALNUM))
        blank++;
    return blank > from && blank < name && s->text[blank] == ' ';
}

bool redact_read_braces(struct redact_scan *s, size_t name, size_t at, struct redact_value *ret)
{
    char before = name ? s->text[name - 1] : '\n';
    if (redact_char(s, at) != '{' || (before != ';' && before != '\n'))
        return false;
    size_t from = at + 1, to = close_brace(s, from);
    bool word = redact_run(s, from, CLASS_UPPER | CLASS_LOWER | CLASS_UNDER) >= to;
    if (to < from + 4 ||
        (word && (redact_tells(s, from, to - from) || before != ';' || !has_driver(s, name))) ||
        redact_char(s, from) == '{' || !REDACT_ONE_OF(redact_char(s, to + 1), ";\"'\n") ||
        (before == '\n' && (redact_char(s, to + 1) != '\n' || !redact_has_digit(s, from, to))))
        return false;
    *ret = (struct redact_value){from, to, to + 1, '{'};
    return true;
}

bool redact_read_default(struct redact_scan *s, size_t at, enum redact_telling tells,
                         struct redact_value *ret)
{
    at += redact_char(s, at) == '"';
    if (redact_char(s, at) != '$' || redact_char(s, at + 1) != '{')
        return false; /* most */
    size_t from = redact_run(s, at + 2, CLASS_ALNUM | CLASS_UNDER);
    from += redact_char(s, from) == ':';
    if (!REDACT_ONE_OF(redact_char(s, from), "-="))
        return false;
    size_t to = ++from, line = redact_line_end(s, from);
    line = line - from > LINE_MOST ? from + LINE_MOST : line;
    while (to < line && !REDACT_ONE_OF(s->text[to], "${}\"'` "))
        to++;
    struct redact_reached word = {.from = from, .to = to};
    *ret = (struct redact_value){from, to, to, '{'};
    return redact_char(s, to) == '}' && to >= from + 6 &&
           redact_strength(s, &word) >= (tells == TELLS_ALL ? REDACT_SHORT_WORD : REDACT_MIXED);
}

/* Letters of both cases, digits and signs as no program has them: `D#.CH1:R6;zXS{Y7g$IZ`. */
static bool is_dense(const struct redact_scan *s, const struct redact_value *v)
{
    size_t digits = 0, upper = 0, lower = 0;
    for (size_t i = v->from; i < v->to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
        if (redact_in(s->text[i], CLASS_SPACE) || !s->text[i] ||
            (s->text[i] == '$' && redact_char(s, i + 1) == '{'))
            return false;
    }
    return v->to - v->from >= 16 && v->to - v->from <= LINE_MOST && digits >= 3 && upper >= 2 &&
           lower >= 2;
}

bool redact_is_salt(const struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, upper = 0, lower = 0, blanks = 0;
    for (size_t i = from; i < to && i < from + LINE_MOST; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
        blanks += redact_in(s->text[i], CLASS_BLANK);
    }
    size_t known = digits + upper + lower + blanks, len = to - from;
    return len >= 20 && len <= LINE_MOST && digits >= 2 && upper >= 2 && lower >= 2 &&
           len - known >= 4 && blanks <= 4;
}

bool redact_has_code(const struct redact_scan *s, const struct redact_value *v)
{
    static const bool is_sign[256] = {
        ['('] = true, [')'] = true, ['['] = true, [']'] = true,  ['{'] = true, ['}'] = true,
        ['<'] = true, ['>'] = true, [' '] = true, ['\\'] = true, ['\0'] = true};
    for (size_t i = v->from; i < v->to; i++)
        if (is_sign[(unsigned char)s->text[i]])
            return !v->quote || !is_dense(s, v);
    return false;
}

/* `"NAME=X"`, a word of a list or of a command: all of X, where nothing else is set in it. */
static bool is_word_in(struct redact_scan *s, char quote, struct redact_value *v, size_t line)
{
    const char *close = memchr(s->text + v->from, quote, line - v->from);
    size_t to = close ? (size_t)(close - s->text) : line;
    if (!close || to - v->from > LINE_MOST || to < v->from + 6 ||
        !REDACT_ONE_OF(redact_char(s, to + 1), " ,)]}\n") ||
        memchr(s->text + v->from, ' ', to - v->from) ||
        (to > v->end && (memchr(s->text + v->end, '=', to - v->end) ||
                         memchr(s->text + v->end, '/', to - v->end))) ||
        memchr(s->text + v->from, '\\', to - v->from) || !redact_has_digit(s, v->from, to) ||
        redact_is_placeholder(s, v->from, to))
        return false;
    v->to = v->end = to;
    v->quote = quote;
    return true;
}

void redact_to_quote(struct redact_scan *s, char quote, bool all, struct redact_value *v)
{
    size_t line = redact_line_end(s, v->end), at = v->end;
    line = line - v->end > 2 * (size_t)LINE_MOST ? v->end + 2 * (size_t)LINE_MOST : line;
    if (all && is_word_in(s, quote, v, line))
        return;
    if (all && redact_char(s, at) == quote && redact_char(s, at + 1) == quote &&
        redact_in(redact_char(s, at + 2), CLASS_ALNUM)) { /* 'password=it''s' */
        while (at < line && (s->text[at] != quote || redact_char(s, at + 1) == quote))
            at += s->text[at] == quote ? 2 : 1;
        if (at < line && at - v->from < LINE_MOST)
            v->to = v->end = at;
        return;
    }
    if (redact_char(s, at) == ' ') /* blanks in front of it */
        at = redact_run(s, at, CLASS_ALNUM | CLASS_BLANK);
    if (redact_char(s, at) != '\\' || redact_char(s, at + 1) != quote)
        return;
    while (at < line && s->text[at] != quote)
        at += s->text[at] == '\\' && at + 1 < line ? 2 : 1;
    if (at < line && at - v->from < LINE_MOST)
        v->to = v->end = at;
}

bool redact_is_constant(const struct redact_scan *s, size_t from, size_t to)
{
    bool hex = redact_at(s, from, "0x");
    size_t at = from + (hex ? 2 : 0), digits = at;
    while (at < to && (redact_in(s->text[at], hex ? CLASS_HEX : CLASS_DIGIT) || s->text[at] == '<'))
        at++;
    if (at == digits || (!hex && to - from > 8 && !memchr(s->text + from, '<', to - from)))
        return false;
    while (at < to && REDACT_ONE_OF(s->text[at], "uUlL,"))
        at++;
    return at == to;
}

/* Letters and digits, six at least. */
static bool is_strong(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached word = {.from = from, .to = to};
    return to - from >= 6 && redact_strength(s, &word) >= REDACT_SHORT_WORD;
}

bool redact_read_words(struct redact_scan *s, size_t name, size_t name_end, char sign,
                       struct redact_value *v)
{
    size_t line = redact_line_end(s, v->from), to = v->from, words = 0, most = sign == ':' ? 3 : 4;
    bool strong = false, lone = false,
         dotted = memchr(s->text + name, '.', name_end - name) != NULL,
         apart = redact_in(redact_char(s, name_end), CLASS_BLANK);
    bool under = sign == ':' && memchr(s->text + name, '_', name_end - name);
    bool comma = under && redact_at(s, v->end, ", ");
    if (!(comma || redact_in(redact_char(s, v->end), CLASS_BLANK)) || line - v->from > LINE_MOST ||
        (sign == '=' && !dotted && !apart) || redact_is_placeholder(s, v->from, v->to))
        return false;
    for (size_t at = v->from; at < line; at = redact_run(s, to, CLASS_BLANK)) {
        if (at > v->from && REDACT_ONE_OF(s->text[at], "#;/"))
            break; /* a comment */
        to = redact_run(s, at, ~(uint32_t)CLASS_SPACE);
        strong = strong || is_strong(s, at, to) || (sign == '=' && redact_has_digit(s, at, to));
        strong = strong || (under && to == at + 1 && REDACT_ONE_OF(s->text[at], "&+"));
        lone = under && to >= line && redact_run(s, at, CLASS_DIGIT) == to;
        words++;
    }
    most += lone; /* `vault_password: Otter, slow river 5` */
    for (size_t i = v->from; i < to; i++)
        if (!(lone && s->text[i] == ',') && REDACT_ONE_OF(s->text[i], "()<>{}[],=\"'`|?"))
            return false;
    if (!(strong || (lone && words >= 3)) || words < 2 || words > most ||
        !redact_is_statement(s, name))
        return false;
    v->to = v->end = to;
    return true;
}

void redact_read_rest(struct redact_scan *s, size_t name, size_t name_end, struct redact_value *v)
{
    size_t line, words = 0;
    if (redact_char(s, v->end) != ' ' || !memchr(s->text + name, '.', name_end - name))
        return; /* most */
    line = redact_line_end(s, v->end);
    if (line - v->from > LINE_MOST || !redact_is_statement(s, name))
        return;
    for (size_t i = v->end; i < line; i++) {
        words += s->text[i] == ' ';
        if (REDACT_ONE_OF(s->text[i], "#<>{}[]=\"'`|") ||
            (s->text[i] == '/' && s->text[i - 1] == ' '))
            return;
    }
    if (words <= WORDS_MOST)
        v->to = v->end = line - (s->text[line - 1] == '\r');
}

/* `gpg_passphrase = `, as a file sets it. */
static bool is_named_phrase(struct redact_scan *s, size_t name, size_t at)
{
    while (at > name && redact_in(s->text[at - 1], CLASS_BLANK))
        at--;
    at -= at > name && s->text[at - 1] == '=';
    while (at > name && redact_in(s->text[at - 1], CLASS_BLANK))
        at--;
    return at >= name + 6 && redact_at(s, at - 6, "phrase") && redact_is_statement(s, name);
}

/* The same as a phrase, with capital letters at the beginnings of words. */
static bool is_title(const struct redact_scan *s, size_t from, size_t to)
{
    size_t words = 1;
    for (size_t i = from; i < to; i++) {
        bool begins = i == from || s->text[i - 1] == ' ';
        if (!redact_in(s->text[i], CLASS_LOWER) &&
            !(begins && redact_in(s->text[i], CLASS_UPPER)) && (begins || s->text[i] != ' '))
            return false;
        words += s->text[i] == ' ';
    }
    return words >= 3 && words <= 4 && !redact_at(s, from, "the ") && !redact_at(s, from, "a ") &&
           !redact_at(s, from, "your ");
}

/* What a shell is told to run with a variable in front: tools that take a secret, and what builds
 * and starts programs. */
static bool is_run(const struct redact_scan *s, size_t from, size_t to)
{
    static const struct redact_word words[] = {
        REDACT_WORD("make"),     REDACT_WORD("cmake"),      REDACT_WORD("ninja"),
        REDACT_WORD("npm"),      REDACT_WORD("npx"),        REDACT_WORD("pnpm"),
        REDACT_WORD("yarn"),     REDACT_WORD("node"),       REDACT_WORD("deno"),
        REDACT_WORD("bun"),      REDACT_WORD("python"),     REDACT_WORD("pytest"),
        REDACT_WORD("pip"),      REDACT_WORD("poetry"),     REDACT_WORD("tox"),
        REDACT_WORD("flask"),    REDACT_WORD("django"),     REDACT_WORD("celery"),
        REDACT_WORD("ruby"),     REDACT_WORD("bundle"),     REDACT_WORD("rails"),
        REDACT_WORD("rake"),     REDACT_WORD("perl"),       REDACT_WORD("php"),
        REDACT_WORD("java"),     REDACT_WORD("mvn"),        REDACT_WORD("gradle"),
        REDACT_WORD("cargo"),    REDACT_WORD("mix"),        REDACT_WORD("sudo"),
        REDACT_WORD("env"),      REDACT_WORD("exec"),       REDACT_WORD("nohup"),
        REDACT_WORD("bash"),     REDACT_WORD("zsh"),        REDACT_WORD("dash"),
        REDACT_WORD("ssh"),      REDACT_WORD("rsync"),      REDACT_WORD("cat"),
        REDACT_WORD("echo"),     REDACT_WORD("printf"),     REDACT_WORD("tmux"),
        REDACT_WORD("just"),     REDACT_WORD("composer"),   REDACT_WORD("systemctl"),
        REDACT_WORD("createdb"), REDACT_WORD("createuser"), REDACT_WORD("terraform"),
        REDACT_WORD("timeout"),  REDACT_WORD("ansible")};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].len == to - from && !memcmp(words[i].text, s->text + from, to - from))
            return true;
    return redact_is_tool(s->text + from, to - from);
}

/* Such a word behind the first makes it a command. */
bool redact_read_phrase(struct redact_scan *s, size_t name, struct redact_value *v)
{
    if (redact_char(s, v->end) != ' ' || !redact_in(s->text[v->from], CLASS_LOWER | CLASS_UPPER))
        return false; /* most */
    bool named = is_named_phrase(s, name, v->from);
    if (!named && !redact_in(s->text[v->from], CLASS_LOWER))
        return false;
    size_t line = redact_line_end(s, v->from), start = redact_line_start(s, name, PHRASE_MOST);
    line -= line > v->from && s->text[line - 1] == '\r';
    if (line - v->from > PHRASE_MOST ||
        !(redact_is_phrase(s, v->from, line - REDACT_ONE_OF(s->text[line - 1], "!?*#"), 3) ||
          (named && is_title(s, v->from, line))))
        return false;
    for (size_t i = start; i + 1 < name; i++) /* X=a run b c is a command */
        if (REDACT_ONE_OF(s->text[i], "$#%>;&|") && s->text[i + 1] == ' ')
            return false;
    size_t tool = redact_run(s, v->end, CLASS_BLANK), end = redact_run(s, tool, CLASS_LOWER);
    if (is_run(s, tool, end))
        return false;
    v->to = v->end = line;
    return true;
}

/* YAML's value on the lines below: `password: |`. */
size_t redact_below_sign(struct redact_scan *s, size_t at)
{
    if (!REDACT_ONE_OF(redact_char(s, at), "|>-+"))
        return 0; /* most */
    size_t end = redact_line_end(s, at), sign = at;
    while (sign < end && REDACT_ONE_OF(s->text[sign], "|>-+"))
        sign++;
    if (sign == at || sign != end || end >= s->len)
        return 0;
    size_t line = redact_run(s, end + 1, CLASS_BLANK);
    return line > end + 1 && line < s->len && s->text[line] != '\n' ? line : 0;
}

/* Behind a type, as in `key: str = "X"`: what the name is set to. */
size_t redact_behind_type(struct redact_scan *s, size_t at)
{
    size_t type = at;
    while (type < s->len && type - at < 48 &&
           (redact_in(s->text[type], CLASS_ALNUM | CLASS_UNDER | CLASS_DOT) ||
            REDACT_ONE_OF(s->text[type], "&<>[]?*'") || redact_at(s, type, " str ") ||
            redact_at(s, type, "]const ") || redact_at(s, type - 1, "t u8 ") ||
            redact_at(s, type, " | ")))
        type += redact_at(s, type, " | ") ? 3 : redact_at(s, type, "]const ") ? 7 : 1;
    size_t sign = redact_run(s, type, CLASS_BLANK);
    if (type == at || sign == type || redact_char(s, sign) != '=' ||
        !redact_in(redact_char(s, sign + 1), CLASS_BLANK))
        return 0;
    size_t value = redact_run(s, sign + 1, CLASS_BLANK);
    value += redact_at(s, value, "b\"");
    return redact_in(redact_char(s, value), CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK) ? value : 0;
}

/* What stands behind an option in a sentence. */
bool redact_is_usage(const struct redact_scan *s, const struct redact_value *v)
{
    static const char *const words[] = {
        "option",  "options", "description", "command", "arguments", "argument",  "instead",
        "support", "should",  "without",     "before",  "password",  "passwords", "authentication"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (redact_at(s, v->from, words[i]))
            return true;
    return false;
}

/* `"login.password": "Mot de passe"`: what a program shows, in whatever language. */
bool redact_is_sentence(const struct redact_scan *s, const struct redact_value *v)
{
    bool lower = false, words = false;
    for (size_t i = v->from; i < v->to; i++) {
        lower =
            lower || (i > v->from && s->text[i - 1] == ' ' && redact_in(s->text[i], CLASS_LOWER));
        words = words || s->text[i] == ' ';
    }
    return words && lower && !redact_in(s->text[v->from], CLASS_LOWER);
}
