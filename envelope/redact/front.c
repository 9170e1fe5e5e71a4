/* What stands in front of a name: the beginning of its line, or a word that sets it. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/rules.h"

#define NETWORK_MOST 300 /* bytes of a section in front of an option */

/* By the last five bits of one letter those that may stand beside it, small ones. */
typedef const char beside[32][8];

static bool is_beside(beside table, char letter, char other)
{
    const char *may = table[(unsigned char)letter & 31u];
    return *may && strchr(may, other | 0x20) != NULL;
}

static bool stands_before(const struct redact_scan *s, size_t from, size_t at,
                          struct redact_word word)
{
    if (at - from < word.len)
        return false;
    const char *text = s->text + at - word.len, *w = word.text; /* of two characters at least */
    const char *end = s->text + at, *last = w + word.len;       /* few end in the same two */
    return end[-1] == last[-1] && ((end[-2] ^ last[-2]) & ~0x20) == 0 &&
           !strncasecmp(text, w, word.len);
}

/* Where a line begins behind what grep writes in front of it: `FILE:12:`, `FILE:`, `12:`. */
static size_t behind_grep(struct redact_scan *s, size_t start)
{
    size_t path = redact_run(s, start, CLASS_NAME | CLASS_BASE64 | CLASS_TILDE);
    if (path == start || redact_char(s, path) != ':')
        return start;
    size_t number = redact_run(s, path + 1, CLASS_DIGIT);
    if (number > path + 1 && redact_char(s, number) == ':')
        return number + 1;
    bool only_number = redact_run(s, start, CLASS_DIGIT) == path;
    bool file =
        memchr(s->text + start, '/', path - start) || memchr(s->text + start, '.', path - start);
    bool sentence =
        redact_char(s, path + 1) == ' ' && !redact_in(redact_char(s, path + 2), CLASS_BLANK);
    return only_number || (file && !sentence) ? path + 1 : start;
}

/* Where a file's line begins, also one that grep or diff shows. */
static size_t statement_start(struct redact_scan *s, size_t name)
{
    size_t line = redact_line_start(s, name, REDACT_LINE_LOOKED_AT);
    bool whole = line == 0 || s->text[line - 1] == '\n'; /* else it begins further in front */
    size_t start = whole ? behind_grep(s, line) : line;
    if (start > name)
        start = line;
    char sign = redact_char(s, start);
    bool item = sign == '-' && redact_char(s, start + 1) == ' ' &&
                redact_char(s, start + 2) != ' '; /* YAML's */
    return start + (start < name && !item && REDACT_ONE_OF(sign, "+-<>"));
}

/* `ENV NAME value`, as older Dockerfiles have it and their builds show it. */
static bool is_dockerfile(struct redact_scan *s, size_t name)
{
    if (name < 4 || memcmp(s->text + name - 4, "ENV ", 4) != 0)
        return false;
    return redact_run(s, statement_start(s, name), CLASS_BLANK) == name - 4 ||
           (name >= 7 && redact_at(s, name - 7, " : "));
}

bool redact_is_set_by_blank(struct redact_scan *s, size_t name)
{
    static redact_words words = {
        ['g' & 31] = {REDACT_WORD("set -xg "), REDACT_WORD("set -g ")},
        ['h' & 31] = {REDACT_WORD("set -gx --path ")},
        ['m' & 31] = {REDACT_WORD("fastcgi_param ")},
        ['r' & 31] = {REDACT_WORD("proxy_set_header ")},
        ['s' & 31] = {REDACT_WORD("more_set_headers ")},
        ['t' & 31] = {REDACT_WORD("set --export "), REDACT_WORD("set --global --export "),
                      REDACT_WORD("set --universal --export "), REDACT_WORD("RequestHeader set "),
                      REDACT_WORD("SET PERSIST ")},
        ['u' & 31] = {REDACT_WORD("set -xU "), REDACT_WORD("set -U ")},
        ['v' & 31] = {REDACT_WORD("setenv ")},
        ['x' & 31] = {REDACT_WORD("setx "), REDACT_WORD("set -x "), REDACT_WORD("set -gx "),
                      REDACT_WORD("set -Ux "), REDACT_WORD("set -Ugx "), REDACT_WORD("set -lx ")},
    };
    static beside ends = {['v' & 31] = "n",  ['x' & 31] = "t-gul", ['g' & 31] = "x-",
                          ['u' & 31] = "x-", ['t' & 31] = "res",   ['h' & 31] = "t",
                          ['r' & 31] = "e",  ['m' & 31] = "a",     ['s' & 31] = "r"};
    if (name < 2 || s->text[name - 1] != ' ')
        return false;
    if (is_dockerfile(s, name))
        return true;
    if (name < 3 || !is_beside(ends, s->text[name - 2], s->text[name - 3]))
        return false; /* most */
    const struct redact_word *word = words[s->text[name - 2] & 31];
    for (int i = 0; i < REDACT_OF_LETTER && word[i].len; i++)
        if (stands_before(s, 0, name, word[i]) &&
            (name == word[i].len || !redact_in(s->text[name - word[i].len - 1], CLASS_ALNUM)))
            return true;
    return false;
}

bool redact_is_option(const struct redact_scan *s, size_t name)
{
    return name >= 8 && redact_in(s->text[name - 8], CLASS_BLANK) &&
           redact_at(s, name - 7, "option ");
}

/* `uci set wireless.@wifi-iface[0].`, `wireless.x.`: what is in front of the name on its line. */
static bool is_of_wireless(const struct redact_scan *s, size_t name)
{
    size_t line = redact_line_start(s, name, REDACT_LINE_LOOKED_AT);
    return memmem(s->text + line, name - line, "wireless.", 9) != NULL;
}

bool redact_is_network(const struct redact_scan *s, size_t name)
{
    if (redact_is_option(s, name)) {
        size_t from = name > NETWORK_MOST ? name - NETWORK_MOST : 0;
        return memmem(s->text + from, name - from, "wifi-iface", 10) != NULL;
    }
    return name >= 2 && s->text[name - 1] == '.' && s->text[name - 2] == ']' &&
           is_of_wireless(s, name);
}

bool redact_is_pragma(const struct redact_scan *s, size_t name)
{
    if (name < 7 || s->text[name - 1] != ' ')
        return false;
    size_t line = redact_line_start(s, name, 40);
    return redact_at(s, name - 7, "pragma ") ||
           (redact_at(s, line, "ATTACH ") &&
            memmem(s->text + line, name - line, " AS ", 4) != NULL);
}

bool redact_is_defined(struct redact_scan *s, size_t name)
{
    static redact_words words = {
        ['e' & 31] = {REDACT_WORD("#define "), REDACT_WORD("(define ")},
        ['f' & 31] = {REDACT_WORD("(def ")},
        ['q' & 31] = {REDACT_WORD("(setq ")},
        ['r' & 31] = {REDACT_WORD("(defvar "), REDACT_WORD("(defparameter ")},
        ['t' & 31] = {REDACT_WORD("(defconst ")},
    };
    if (name < 5 || s->text[name - 1] != ' ' || !REDACT_ONE_OF(s->text[name - 2] | 0x20, "eqrft"))
        return false;
    const struct redact_word *word = words[s->text[name - 2] & 31];
    for (int i = 0; i < REDACT_OF_LETTER && word[i].len; i++)
        if (stands_before(s, 0, name, word[i]))
            return true;
    return false;
}

/* `Mail:Smtp:`, as .NET's settings are named, in front of the name and of `=` behind it. */
static bool is_section(struct redact_scan *s, size_t start, size_t name)
{
    if (s->text[name - 1] != ':' ||
        redact_run(s, start, CLASS_ALNUM | CLASS_UNDER | CLASS_COLON) < name)
        return false;
    if (name >= start + 3 && s->text[name - 2] == ':')
        return true; /* `profile::db::`, as Puppet names them */
    if (!redact_in(s->text[start], CLASS_UPPER))
        return false;
    size_t end = redact_run(s, name, CLASS_ALNUM | CLASS_UNDER);
    return redact_at(s, end, " = ");
}

bool redact_is_statement(struct redact_scan *s, size_t name)
{
    static const struct redact_word words[] = {
        REDACT_WORD("export "),        REDACT_WORD("declare -x "),
        REDACT_WORD("typeset -x "),    REDACT_WORD("declare "),
        REDACT_WORD("typeset "),       REDACT_WORD("local "),
        REDACT_WORD("readonly "),      REDACT_WORD("set "),
        REDACT_WORD("env "),           REDACT_WORD("$env:"),
        REDACT_WORD("export -x "),     REDACT_WORD("declare -rx "),
        REDACT_WORD("declare -gx "),   REDACT_WORD("typeset -gx "),
        REDACT_WORD("declare -- "),    REDACT_WORD("SET \""),
        REDACT_WORD("setx "),          REDACT_WORD("Environment="),
        REDACT_WORD("Environment=\""), REDACT_WORD("ENV "),
        REDACT_WORD("ARG "),           REDACT_WORD("env:")};
    size_t start = statement_start(s, name);
    while (start < name && redact_in(s->text[start], CLASS_BLANK))
        start++;
    if (start == name || is_section(s, start, name))
        return true;
    char last = s->text[name - 1], second = name > 1 ? s->text[name - 2] : 0;
    if ((last != ' ' && last != ':' && last != '=' && last != '"') ||
        !REDACT_ONE_OF(second | (redact_in(second, CLASS_UPPER) ? 0x20 : 0), "txelyv- =g"))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (stands_before(s, start, name, words[i]))
            return true;
    return false;
}

bool redact_is_dump(const struct redact_scan *s, size_t name, size_t line_end)
{
    size_t start = redact_line_start(s, name, 4);
    if (start != name)
        return false;
    size_t next = line_end + 1,
           before = start ? redact_line_start(s, start - 1, REDACT_LINE_LOOKED_AT) : start;
    for (int i = 0; i < 2; i++) {
        size_t at = i ? before : next, from = at;
        while (at < s->len && redact_in(s->text[at], CLASS_ALNUM | CLASS_UNDER))
            at++;
        if (at > from && from != name && redact_char(s, at) == '=' &&
            redact_in(s->text[from], CLASS_ALNUM))
            return true;
    }
    return false;
}

bool redact_is_in_resource(struct redact_scan *s, size_t at)
{
    size_t from = at, first = at < 128 ? 0 : at - 128;
    while (from > first && from != s->part_at &&
           redact_in(s->text[from - 1], CLASS_NAME | CLASS_COLON))
        from--;
    if (from == s->part_at && from > s->part_from) /* as far as the last look came */
        from = s->part_from > first ? s->part_from : first;
    s->part_from = from;
    s->part_at = at;
    return redact_at(s, from, "arn:") || redact_at(s, from, "urn:");
}

bool redact_is_package(const struct redact_scan *s, size_t colon)
{
    static const struct redact_word architectures[] = {
        REDACT_WORD("amd64"),   REDACT_WORD("arm64"),   REDACT_WORD("i386"),
        REDACT_WORD("armhf"),   REDACT_WORD("armel"),   REDACT_WORD("ppc64el"),
        REDACT_WORD("riscv64"), REDACT_WORD("s390x"),   REDACT_WORD("mips64el"),
        REDACT_WORD("loong64"), REDACT_WORD("aarch64"), REDACT_WORD("x86_64")};
    static beside begin = {['a' & 31] = "mra", ['i' & 31] = "3", ['p' & 31] = "p",
                           ['r' & 31] = "i",   ['s' & 31] = "3", ['m' & 31] = "i",
                           ['l' & 31] = "o",   ['x' & 31] = "8"};
    if (!is_beside(begin, redact_char(s, colon + 1), redact_char(s, colon + 2)))
        return false; /* most */
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (redact_at(s, colon + 1, architectures[i].text) &&
            !redact_in(redact_char(s, colon + 1 + architectures[i].len), CLASS_WORD))
            return true;
    return false;
}

bool redact_is_password(const struct redact_scan *s, size_t at)
{
    size_t sign_at = at;
    while (at < s->len && (redact_in(s->text[at], CLASS_BLANK | CLASS_DOUBLE | CLASS_SINGLE)))
        at++;
    if (sign_at >= 6 && redact_at(s, at, "%3D"))
        return redact_at(s, sign_at - 6, "%3B"); /* in a list that an address holds */
    if (at + 8 > s->len || !strchr("=:", s->text[at]))
        return false;
    while (++at < s->len && redact_in(s->text[at], CLASS_BLANK | CLASS_DOUBLE | CLASS_SINGLE))
        ;
    if (at + 6 < s->len && s->text[at] == '{' && sign_at >= 4 &&
        REDACT_ONE_OF(s->text[sign_at - 4], ";\n"))
        return true; /* ODBC's */
    return at + 6 < s->len && !strchr("/~$.{(%\n", s->text[at]) && s->text[at + 1] != ':';
}

bool redact_closes(const struct redact_scan *s, size_t name, size_t at)
{
    char quote = redact_char(s, at);
    bool open = false;
    if (!redact_in(quote, CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK))
        return false;
    for (size_t i = redact_line_start(s, name, REDACT_LINE_LOOKED_AT); i < name; i++)
        open ^= s->text[i] == quote;
    return open;
}
