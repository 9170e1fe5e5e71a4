/* What commands print that print secrets, on the lines below them: members of it by their names,
 * lines in turn with names, logins of a here-document, all that looks random. Which commands, is in
 * tools_shown.c. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/matches.h"
#include "envelope/redact/places.h"

#define OUTPUT_MOST     3000 /* bytes below a command */
#define WORDS_LOOKED_AT 200  /* bytes of a command */
#define NAME_MOST       200
#define WORD_MOST       256
#define RANDOM_LEAST    20
#define INTERFACE       4 /* words of what `wg show dump` says of itself */
#define PROMPTS_MOST    3
#define ASKED_MOST      300
#define PRONOUNCED_MOST 10
#define BAR             "\xe2\x94\x82" /* of a box */

/* ---- what commands give away ---- */

void redact_command_add(struct redact_scan *s, struct redact_command_found *f, size_t from,
                        size_t to)
{
    const char *t = s->text;
    if (to - from >= 3 && (t[from] == '\'' || t[from] == '"') && t[to - 1] == ')' &&
        t[to - 2] == t[from])
        to--; /* $(tool 'X') */
    if (to - from >= 2 && (t[from] == '\'' || t[from] == '"') && t[to - 1] == t[from])
        from++, to--;
    if (from >= to || redact_is_placeholder(s, from, to) || redact_at(s, from, "@keychain:") ||
        redact_at(s, from, "@env:") ||
        (to - from == 2 && redact_at(s, from, "at command pipeline")))
        return;
    for (int i = f->count; i > 0 && f->list[i - 1].to > from; i--)
        if (f->list[i - 1].from < to)
            return; /* another rule's */
    f->count = redact_insert(f->list, f->count, sizeof f->list / sizeof *f->list,
                             &(struct redact_match){from, to, "value"});
}

/* ---- below them ---- */

/* Up to where lines are looked at: the next prompt. */
static size_t output_end(const struct redact_scan *s, size_t at)
{
    size_t most = s->len - at < OUTPUT_MOST ? s->len : at + OUTPUT_MOST;
    const char *prompt = memmem(s->text + at, most - at, "\n$ ", 3);
    return prompt ? (size_t)(prompt - s->text) : most;
}

/* Adds what is in quotes at `at`, or goes on to `line`. */
static void add_set(struct redact_scan *s, size_t at, size_t line,
                    struct redact_command_found *found)
{
    struct redact_value v = {at, line, line, 0};
    if (redact_char(s, at) == '"' && !redact_read_value(s, at, false, &v))
        return;
    while (!v.quote && v.to > v.from && redact_in(s->text[v.to - 1], CLASS_BLANK))
        v.to--;
    if (v.to >= v.from + 6 && v.to <= line)
        redact_command_add(s, found, v.from, v.to);
}

/* `set [ find default=yes ] name=X`, `(1) # set name "X"`: how devices are told a member. */
static bool add_told(struct redact_scan *s, const char *name, size_t at, size_t line,
                     struct redact_command_found *found)
{
    static const char words[][5] = {"set ", "add "};
    const char *told = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words && !told; i++)
        told = memmem(s->text + at, line - at, words[i], 4);
    const char *member =
        told ? memmem(told, (size_t)(s->text + line - told), name, strlen(name)) : NULL;
    size_t from = member ? (size_t)(member - s->text) : at, to = from + strlen(name);
    if (!member || s->text[from - 1] != ' ' || !REDACT_ONE_OF(redact_char(s, to), "= "))
        return false;
    struct redact_value v;
    if (redact_read_value(s, to + 1, true, &v) && v.to >= v.from + 4 && v.to <= line)
        redact_command_add(s, found, v.from, v.to);
    return true;
}

/* `Secret ID    = X`, `"Value": "X"`. */
static void add_member(struct redact_scan *s, const char *name, size_t at, size_t line,
                       struct redact_command_found *found)
{
    size_t len = strlen(name), bar = redact_at(s, at, BAR) ? strlen(BAR) : 0;
    if (add_told(s, name, at, line, found))
        return;
    at = redact_run(s, at + bar, CLASS_BLANK | CLASS_DOUBLE);
    if (!redact_at(s, at, name) || redact_in(redact_char(s, at + len), CLASS_WORD))
        return;
    size_t sign = redact_run(s, at + len, CLASS_BLANK | CLASS_DOUBLE);
    size_t value = redact_run(s, sign + 1, CLASS_BLANK);
    if (bar && redact_at(s, sign, BAR)) {
        value = redact_run(s, sign + bar, CLASS_BLANK);
        add_set(s, value, redact_run(s, value, ~(uint32_t)CLASS_SPACE), found);
    } else if (REDACT_ONE_OF(redact_char(s, sign), ":=") && value < line) {
        add_set(s, value, line, found);
    }
}

/* A line without its count and quotes, as Redis answers. */
static void strip(struct redact_scan *s, size_t *from, size_t *to)
{
    size_t number = redact_run(s, *from, CLASS_BLANK), sign = redact_run(s, number, CLASS_DIGIT);
    if (sign > number && redact_at(s, sign, ") "))
        *from = sign + 2;
    if (*to > *from + 1 && s->text[*from] == '"' && s->text[*to - 1] == '"')
        ++*from, --*to;
}

/* What a line says that is a name, or a path to one: nothing where it is neither. */
static enum redact_telling line_tells(struct redact_scan *s, size_t from, size_t to)
{
    strip(s, &from, &to);
    size_t name = to;
    while (name > from && redact_in(s->text[name - 1], CLASS_NAME))
        name--;
    if (name == to || to - from > NAME_MOST || redact_run(s, from, ~(uint32_t)CLASS_SPACE) < to ||
        (name > from && !REDACT_ONE_OF(s->text[name - 1], "/:")))
        return TELLS_NOTHING;
    return redact_telling(s->text + name, to - name);
}

static void add_lines(struct redact_scan *s, size_t at, size_t end,
                      struct redact_command_found *found)
{
    while (at < end) {
        size_t line = redact_line_end(s, at), next = line + 1;
        enum redact_telling tells = next < end ? line_tells(s, at, line) : TELLS_NOTHING;
        at = next;
        if (!tells)
            continue;
        size_t from = next, to = redact_line_end(s, next);
        at = to + 1;
        strip(s, &from, &to);
        if (to >= from + 6 && redact_run(s, from, ~(uint32_t)CLASS_SPACE) >= to &&
            (tells == TELLS_ALL || (to >= from + 8 && redact_has_digit(s, from, to))))
            redact_command_add(s, found, from, to);
    }
}

/* `user NAME X`, `user = "NAME:X"`. */
static void add_login(struct redact_scan *s, const char *name, size_t at, size_t line,
                      struct redact_command_found *found)
{
    at = redact_run(s, at, CLASS_BLANK);
    if (!redact_at(s, at, name) || redact_in(redact_char(s, at + strlen(name)), CLASS_NAME))
        return;
    size_t from = at + strlen(name), user = redact_run(s, from, CLASS_BLANK);
    const char *set = memmem(s->text + from, line - from, "): \"", 4); /* Bundler's */
    if (set && user > from)
        user = (size_t)(set - s->text) + 1;
    if (redact_char(s, user) == '=' || redact_char(s, user) == ':') {
        user = redact_run(s, user + 1, CLASS_BLANK);
        size_t quote = redact_char(s, user) == '"' && s->text[line - 1] == '"';
        const char *colon = memchr(s->text + user, ':', line - user);
        if (colon && (size_t)(colon - s->text) + 1 < line - quote)
            redact_command_add(s, found, (size_t)(colon - s->text) + 1, line - quote);
        return;
    }
    size_t end = redact_run(s, user, ~(uint32_t)CLASS_SPACE);
    size_t word = redact_run(s, end, CLASS_BLANK), to = redact_run(s, word, ~(uint32_t)CLASS_SPACE);
    if (user > from && end < line && word > end && to > word && to == line)
        redact_command_add(s, found, word, to);
}

/* A word of two kinds of characters, or several words as passwords have them. */
static bool is_printed(struct redact_scan *s, size_t from, size_t to)
{
    size_t blanks = 0, digits = 0, upper = 0, lower = 0, signs = 0;
    for (size_t i = from; i < to; i++) {
        blanks += redact_in(s->text[i], CLASS_SPACE);
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += i > from && redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
        signs += s->text[i] > ' ' && !redact_in(s->text[i], CLASS_NAME);
    }
    if (to < from + 6 || to - from > WORD_MOST || REDACT_ONE_OF(s->text[from], "{[<-/~") ||
        REDACT_ONE_OF(s->text[to - 1], ".:") || memmem(s->text + from, to - from, "://", 3))
        return false;
    size_t last = to;
    while (blanks && !redact_in(s->text[last - 1], CLASS_SPACE))
        last--;
    if (blanks && redact_is_version(s, last, to))
        return false;
    if (!blanks)
        return (digits != 0) + (upper != 0) + (lower != 0) + (signs != 0) >= 2;
    return redact_is_phrase(s, from, to, 3) || redact_is_spoken(s, from, to) ||
           (blanks <= 4 && digits && lower && !signs);
}

/* What a prompt ends in. */
static bool is_prompt(const struct redact_scan *s, size_t from, size_t to)
{
    while (to > from && redact_in(s->text[to - 1], CLASS_SPACE))
        to--;
    return to > from && to - from < NAME_MOST &&
           (s->text[to - 1] == ':' || redact_at(s, from, "? "));
}

/* Whether the line says something of the tool in front of the answer: ` !    Warning: ...`. */
static bool is_warning(struct redact_scan *s, size_t from)
{
    size_t text = redact_run(s, from, CLASS_BLANK);
    return redact_at(s, text, "! ") || redact_at(s, text, "\xe2\x80\xba ") ||
           redact_at(s, text, "warning") || redact_at(s, text, "[warn");
}

/* Whether the command asks for something else than the secret. */
static bool asks_otherwise(const struct redact_scan *s, size_t start, size_t at)
{
    static const char words[][12] = {"--help",  "--version", " -list\n",  " version\n", "username",
                                     " --list", " -h\n",     "keygen -y", "accessor"};
    size_t from = at - start > WORDS_LOOKED_AT ? at - WORDS_LOOKED_AT : start;
    return at > start && REDACT_HOLDS(s, from, at, words);
}

/* `hqmOft5tuxjii (gvz-Oft-wgsy)`: apg's, with how it is pronounced. */
static bool is_pronounced(struct redact_scan *s, size_t at, size_t line)
{
    size_t word = redact_run(s, at, ~(uint32_t)CLASS_SPACE);
    return word < line && redact_at(s, word, " (") && word >= at + 6 && s->text[line - 1] == ')' &&
           memchr(s->text + word, '-', line - word) &&
           redact_run(s, word + 1, ~(uint32_t)CLASS_SPACE) == line;
}

static void add_pronounced(struct redact_scan *s, size_t at, struct redact_command_found *found)
{
    for (int i = 0; i < PRONOUNCED_MOST && at < s->len; i++) {
        size_t line = redact_line_end(s, at);
        if (line == at || !is_pronounced(s, at, line))
            return;
        redact_command_add(s, found, at, line);
        at = line + 1;
    }
}

/* Several words, or with signs, that a command prints which says what is secret. */
static bool is_answered(struct redact_scan *s, size_t start, size_t at, size_t line)
{
    return at < line && redact_is_stated(s, at, line) && redact_asks_secret(s, start, at - 1) &&
           !redact_is_expression(s, at, line) && !redact_begins_prompt(s, at);
}

/* Behind prompts for what unlocks it. */
static void add_first(struct redact_scan *s, const struct redact_rule *rule, size_t at,
                      size_t start, struct redact_command_found *found)
{
    size_t line = redact_line_end(s, at);
    for (int i = 0;
         i < PROMPTS_MOST && line < s->len && (is_prompt(s, at, line) || is_warning(s, at)); i++) {
        at = redact_run(s, line + 1, CLASS_SPACE);
        line = at < s->len ? redact_line_end(s, at) : at;
    }
    if (asks_otherwise(s, start, at))
        return;
    if (redact_at(s, at, "Secret: ") && redact_at(s, line, "\n\n")) { /* gopass says which */
        at = line + 2;
        line = redact_line_end(s, at);
    }
    size_t begins = redact_line_start(s, start, REDACT_LINE_LOOKED_AT);
    if (start > begins && memchr(s->text + begins, '<', start - begins))
        return;                                     /* `KEY=<made by openssl rand>` */
    bool tree = redact_at(s, line + 1, "\xe2\x94"); /* of a folder's names */
    if (tree || line >= s->len + 1)
        return;
    line = redact_before_prompt(s, begins, at, line);
    while (line > at && redact_in(s->text[line - 1], CLASS_SPACE))
        line--;
    if (is_pronounced(s, at, line)) {
        add_pronounced(s, at, found);
        return;
    }
    if ((!redact_at(s, at, "error") && is_printed(s, at, line)) ||
        (redact_is_prompted(s, start) &&
         (redact_is_printed(s, at, line) || is_answered(s, start, at, line) ||
          (rule->place && redact_is_all(s, start, rule->option, at, line)))))
        redact_command_add(s, found, at, line);
}

/* Long words that look random and are neither sums nor ids. */
static bool is_random(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached t = {.from = from, .to = to};
    return to >= from + RANDOM_LEAST && to - from < 4 * (size_t)WORD_MOST &&
           redact_strength(s, &t) == REDACT_RANDOM && !t.hex;
}

/* Which word of a line is the secret: of WireGuard's interface, which has four, the first, of a
 * peer the one at `place`; behind the interface's name, where all of them are shown. */
static int wanted_place(struct redact_scan *s, int place, size_t at, size_t line)
{
    int words = 0, named = redact_run(s, at, ~(uint32_t)CLASS_SPACE) < at + RANDOM_LEAST;
    while (at < line) {
        at = redact_run(s, redact_run(s, at, ~(uint32_t)CLASS_SPACE), CLASS_BLANK);
        words++;
    }
    return named + (words == INTERFACE + named ? 1 : place);
}

static void add_randoms(struct redact_scan *s, const struct redact_rule *rule, size_t at,
                        size_t end, struct redact_command_found *found)
{
    uint32_t parts = CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_SEPARATOR;
    size_t line = at;
    int wanted = 0;
    for (int place = 1; at < end; place++) {
        if (at >= line) {
            at += redact_char(s, at) == '\n' && line > at - (at > 0);
            line = redact_line_end(s, at);
            place = 1;
            wanted = rule->place ? wanted_place(s, rule->place, at, line) : 0;
        }
        at = redact_run(s, at, parts & ~(uint32_t)CLASS_NEWLINE);
        size_t to = redact_run(s, at, ~parts);
        size_t brace = redact_char(s, at) == '{' && to > at + 2 && s->text[to - 1] == '}';
        if (redact_at(s, at, "(0x") && s->text[to - 1] == ')' && to - at >= RANDOM_LEAST)
            redact_command_add(s, found, at + 3, to - 1); /* a key of Kerberos' */
        else if ((!wanted || place == wanted) && is_random(s, at + brace, to - brace))
            redact_command_add(s, found, at + brace, to - brace);
        at = to;
    }
}

/* Whether a name says whom, or where, and is no secret's. */
static bool says_where(const struct redact_scan *s, size_t from, size_t to)
{
    static const char ends[][6] = {"user", "name", "host", "url",   "port",
                                   "addr", "mail", "path", "login", "id"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (to - from > strlen(ends[i]) && redact_at(s, to - strlen(ends[i]), ends[i]))
            return true;
    return false;
}

/* `user_bob="X"` of names that begin so; in YAML, `vault_sudo: X`. */
static void add_members(struct redact_scan *s, const char *name, size_t at, size_t line,
                        struct redact_command_found *found)
{
    at = redact_run(s, at, CLASS_BLANK);
    size_t sign = redact_at(s, at, name) ? redact_run(s, at, CLASS_NAME) : at;
    struct redact_value v;
    if (sign > at && redact_char(s, sign) == '=' && redact_char(s, sign + 1) == '"' &&
        redact_read_value(s, sign + 1, false, &v) && v.to <= line && v.to >= v.from + 4)
        redact_command_add(s, found, v.from, v.to);
    else if (sign > at && redact_at(s, sign, ": ") && !says_where(s, at, sign)) {
        size_t quote = REDACT_ONE_OF(redact_char(s, sign + 2), "\"'");
        if (is_printed(s, sign + 2 + quote, line - quote))
            redact_command_add(s, found, sign + 2, line);
    }
}

/* ---- codes and answers ---- */

/* `123456`, `github:bob  123456`. */
static void add_codes(struct redact_scan *s, size_t at, size_t end,
                      struct redact_command_found *found)
{
    for (size_t line; at < end; at = line + 1) {
        line = redact_line_end(s, at);
        size_t to = line, from;
        while (to > at && redact_in(s->text[to - 1], CLASS_BLANK))
            to--;
        for (from = to; from > at && redact_in(s->text[from - 1], CLASS_DIGIT);)
            from--;
        if (to >= from + 6 && to <= from + 8 &&
            (from == at || redact_in(s->text[from - 1], CLASS_BLANK)))
            redact_command_add(s, found, from, to);
    }
}

/* Whether [from, to) has the word. */
static bool has_word(const struct redact_scan *s, size_t from, size_t to, const char *name,
                     size_t len)
{
    uint32_t word = CLASS_ALNUM | CLASS_UNDER;
    for (const char *at; (at = memmem(s->text + from, to - from, name, len)) != NULL;) {
        from = (size_t)(at - s->text) + len;
        if (!redact_in(at[-1], word) && !redact_in(redact_char(s, from), word))
            return true;
    }
    return false;
}

/* Whether `read -s NAME` is in front, with whatever other options and prompt. */
static bool was_asked(struct redact_scan *s, size_t at, const char *name, size_t len)
{
    const char *read;
    for (size_t from = at > ASKED_MOST ? at - ASKED_MOST : 0;
         (read = memmem(s->text + from, at - from, "read -", 6)) != NULL;) {
        from = (size_t)(read - s->text) + 6;
        size_t line = redact_line_end(s, from), end = redact_run(s, from, CLASS_LOWER);
        if (memchr(s->text + from, 's', end - from) &&
            has_word(s, end, line < at ? line : at, name, len))
            return true;
    }
    return false;
}

void redact_asked(struct redact_scan *s, size_t name, size_t end, size_t at,
                  struct redact_command_found *found)
{
    size_t most = s->len - at < OUTPUT_MOST ? s->len : at + OUTPUT_MOST, len = end - name;
    struct redact_value v;
    if (!len || len > NAME_MOST || !was_asked(s, name, s->text + name, len))
        return;
    for (size_t line; at < most; at = line + 1) {
        line = redact_line_end(s, at);
        size_t word = at + (redact_at(s, at, "declare ") || redact_at(s, at, "typeset ") ? 8 : 0);
        if (redact_char(s, word) == '-')
            word = redact_run(s, redact_run(s, word, CLASS_WORD), CLASS_BLANK);
        if (s->len - word > len && !memcmp(s->text + word, s->text + name, len) &&
            s->text[word + len] == '=' && redact_read_value(s, word + len + 1, true, &v))
            redact_command_add(s, found, v.from, v.to);
    }
}

void redact_output_below(struct redact_scan *s, size_t at, struct redact_command_found *found)
{
    struct redact_reached v = {.from = at, .to = redact_line_end(s, at)};
    for (size_t len = v.to - v.from; v.to - v.from == len;) { /* one a line */
        if (len < 8 || len > 300 || memchr(s->text + v.from, ' ', len) ||
            redact_strength(s, &v) < REDACT_MIXED)
            break;
        redact_command_add(s, found, v.from, v.to);
        v.from = v.to + 1;
        v.to = v.from < s->len ? redact_line_end(s, v.from) : v.from;
    }
}

/* Whether the same was asked of the line already: of what a line's commands print nobody knows
 * which did, and there may be many. */
static bool is_shown(struct redact_scan *s, enum redact_how how, size_t at)
{
    uint64_t bit = UINT64_C(1) << how, before = s->shown_at == at ? s->shown : 0;
    s->shown_at = at;
    s->shown = before | bit;
    return before & bit;
}

/* `# client server secret`, over a list of such. */
static bool is_heading(struct redact_scan *s, size_t start)
{
    size_t second = redact_run(s, start + 6, CLASS_BLANK), third;
    if (start < 2 || !REDACT_ONE_OF(s->text[start - 2 + (s->text[start - 1] == '#')], "#") ||
        !redact_at(s, second, "server"))
        return false;
    third = redact_run(s, second + 6, CLASS_BLANK);
    size_t fourth = redact_run(s, third + 6, CLASS_BLANK);
    return redact_at(s, third, "secret") &&
           (redact_at(s, fourth, "ip") || redact_in(redact_char(s, fourth), CLASS_NEWLINE));
}

void redact_output(struct redact_scan *s, const struct redact_rule *rule, size_t at, size_t start,
                   struct redact_command_found *found)
{
    if (at < s->output_to && at != s->output_from)
        return; /* of another's */
    if (rule->how >= CODES && is_shown(s, rule->how, at))
        return;
    if (rule->how == WORD && *rule->sub && !is_heading(s, start))
        return;
    size_t end = output_end(s, at);
    if (rule->how != MADE && rule->how != DUMPED) { /* which look at the command, and a line */
        s->output_from = at;
        s->output_to = end;
    }
    if (rule->how >= INDENTED && rule->how <= COLON) {
        s->output_to = redact_output_list(s, rule, at, end, found);
        return;
    }
    switch (rule->how) {
    case LINES:
        add_lines(s, at, end, found);
        return;
    case FIRST:
        add_first(s, rule, at, start, found);
        return;
    case CRACKED:
        redact_output_cracked(s, at, found);
        return;
    case RANDOMS:
        add_randoms(s, rule, at, end, found);
        return;
    case MADE:
        redact_output_made(s, start, at, found);
        return;
    case DECODED:
        redact_output_decoded(s, start, at, found);
        return;
    case MISTYPED:
        redact_output_mistyped(s, start, at, found);
        return;
    case TYPED:
        redact_output_typed(s, start, at, found);
        return;
    case DUMPED:
        redact_output_dumped(s, start, at, found);
        return;
    case CODES:
        add_codes(s, at, end, found);
        return;
    default:
        break;
    }
    for (size_t line; at < end; at = line + 1) {
        line = redact_line_end(s, at);
        if (rule->how == MEMBER)
            add_member(s, rule->option, at, line, found);
        else if (rule->how == MEMBERS)
            add_members(s, rule->option, at, line, found);
        else
            add_login(s, rule->option, at, line, found);
    }
}
