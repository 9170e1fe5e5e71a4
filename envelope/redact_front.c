/* What stands in front of a name: the beginning of its line, or a word that sets it. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact_private.h"

/* A word and its length. */
struct word {
    const char *text;
    size_t len;
};
#define WORD(text)                                                                                 \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

static bool stands_before(const struct redact_scan *s, size_t from, size_t at, struct word word)
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
    return start + (start < name && !item && strchr("+-<>", sign) != NULL);
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
    static const struct word words[] = {WORD("setenv "),
                                        WORD("set -x "),
                                        WORD("set -gx "),
                                        WORD("set -Ux "),
                                        WORD("set -Ugx "),
                                        WORD("set -xg "),
                                        WORD("set -lx "),
                                        WORD("set -xU "),
                                        WORD("set -g "),
                                        WORD("set -U "),
                                        WORD("set --export "),
                                        WORD("set -gx --path "),
                                        WORD("set --global --export "),
                                        WORD("set --universal --export "),
                                        WORD("proxy_set_header "),
                                        WORD("fastcgi_param "),
                                        WORD("more_set_headers "),
                                        WORD("RequestHeader set "),
                                        WORD("SET PERSIST ")};
    if (name < 2 || s->text[name - 1] != ' ' || !strchr("vxguthlrms", s->text[name - 2] | 0x20))
        return false;
    if (is_dockerfile(s, name))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = words[i].len;
        if (((words[i].text[len - 2] ^ s->text[name - 2]) & ~0x20) == 0 &&
            stands_before(s, 0, name, words[i]) &&
            (name == len || !redact_in(s->text[name - len - 1], CLASS_ALNUM)))
            return true;
    }
    return false;
}

bool redact_is_defined(struct redact_scan *s, size_t name)
{
    static const struct word words[] = {WORD("#define "),   WORD("(setq "),        WORD("(defvar "),
                                        WORD("(def "),      WORD("(defconst "),    WORD("(define "),
                                        WORD("(setenv \""), WORD("(defparameter ")};
    if (name < 5 || s->text[name - 1] != ' ')
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (stands_before(s, 0, name, words[i]))
            return true;
    return false;
}

bool redact_is_statement(struct redact_scan *s, size_t name)
{
    static const struct word words[] = {
        WORD("export "),      WORD("declare -x "),  WORD("typeset -x "),    WORD("declare "),
        WORD("typeset "),     WORD("local "),       WORD("readonly "),      WORD("set "),
        WORD("env "),         WORD("$env:"),        WORD("export -x "),     WORD("declare -rx "),
        WORD("declare -gx "), WORD("typeset -gx "), WORD("declare -- "),    WORD("SET \""),
        WORD("setx "),        WORD("Environment="), WORD("Environment=\""), WORD("ENV "),
        WORD("ARG "),         WORD("env:")};
    size_t start = statement_start(s, name);
    while (start < name && redact_in(s->text[start], CLASS_BLANK))
        start++;
    if (start == name)
        return true;
    char last = s->text[name - 1], second = name > 1 ? s->text[name - 2] : 0;
    if ((last != ' ' && last != ':' && last != '=' && last != '"') ||
        !strchr("txelyv- =g", second | (redact_in(second, CLASS_UPPER) ? 0x20 : 0)))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (stands_before(s, start, name, words[i]))
            return true;
    return false;
}
