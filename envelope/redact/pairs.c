/* Secrets whose name is itself a value: `{"name": "db_password", "value": "X"}` in whatever order
 * and form, `key = db_password` over `value = X`, `1) "requirepass"` over `2) "X"`, Windows'
 * `PASSWORD  REG_SZ  X`, and a block of Terraform's with a heading that tells. */
#define LOGIN_LEAST 6  /* bytes of a password that becomes base64 with its user, */
#define LOGIN_MOST  40 /* and around both, up to the word that says so */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define PATH_MOST    120 /* bytes in front of a name that belong to it */
#define GROUP_MOST   400 /* between a name's key and its value's */
#define BLOCK_MOST   800
#define VALUE_MOST   512
#define HEADERS_MOST 3 /* of a form's part, behind the one that names it */

/* ---- what is enough ---- */

/* Whether it is what the name tells of: nobody knows the way there. */
static bool is_enough(struct redact_scan *s, enum redact_telling tells, size_t from, size_t to)
{
    size_t digits = 0, letters = 0, changes = 0, len = to - from;
    bool blank = false;
    if (len < 6 || len > VALUE_MOST)
        return false;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        letters += redact_in(s->text[i], CLASS_UPPER | CLASS_LOWER);
        changes += i > from && redact_in(s->text[i], CLASS_UPPER) &&
                   redact_in(s->text[i - 1], CLASS_LOWER);
        blank = blank || redact_in(s->text[i], CLASS_SPACE);
    }
    if (redact_is_placeholder(s, from, to) || redact_is_path(s, from, to) ||
        memmem(s->text + from, len, "://", 3))
        return false;
    if (blank)
        return tells == TELLS_ALL &&
               (redact_is_phrase(s, from, to, 3) || redact_is_quoted(s, from, to));
    if (tells == TELLS_LONG)
        return len >= 16 && digits >= 2 && letters >= 2;
    if (tells == TELLS_CODE)
        return len >= 8 && digits && letters >= 2 && !redact_is_version(s, from, to);
    return (digits && letters >= 2) || redact_has_sign(s, from, to) || (changes && len >= 8);
}

bool redact_take(struct redact_scan *s, enum redact_telling tells, size_t from, size_t to,
                 struct redact_match *ret_match)
{
    if (!tells || to <= from || !is_enough(s, tells, from, to))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

/* What is set at `at`, in quotes or to the line's end. */
static bool take_set(struct redact_scan *s, enum redact_telling tells, size_t at,
                     struct redact_match *ret_match)
{
    struct redact_value v;
    size_t line = redact_line_end(s, at);
    if (REDACT_ONE_OF(redact_char(s, at), "\"'"))
        return redact_read_value(s, at, false, &v) &&
               redact_take(s, tells, v.from, v.to, ret_match);
    while (line > at &&
           (redact_in(s->text[line - 1], CLASS_BLANK) || REDACT_ONE_OF(s->text[line - 1], ",\r|")))
        line--;
    while (line > at + 3 && redact_is_bar(s, line - 3))
        for (line -= 3; line > at && s->text[line - 1] == ' ';)
            line--;
    return redact_take(s, tells, at, line, ret_match);
}

/* ---- a name's key, and its value's ---- */

/* Whether [from, to) is what names are kept by. */
static bool is_key(const struct redact_scan *s, size_t from, size_t to)
{
    static const struct redact_word words[] = {
        REDACT_WORD("key"),   REDACT_WORD("name"),      REDACT_WORD("label"),
        REDACT_WORD("id"),    REDACT_WORD("purpose"),   REDACT_WORD("variable"),
        REDACT_WORD("var"),   REDACT_WORD("setting"),   REDACT_WORD("property"),
        REDACT_WORD("field"), REDACT_WORD("parameter"), REDACT_WORD("macro")};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = words[i].len, first = to - len;
        if (to - from < len || strncasecmp(s->text + first, words[i].text, len) != 0)
            continue;
        if (first == from || s->text[first - 1] == '_' ||
            (redact_in(s->text[first], CLASS_UPPER) && redact_in(s->text[first - 1], CLASS_LOWER)))
            return true; /* keyName, ParameterKey */
    }
    return false;
}

/* A first look in front of a name that ends its line: most have no key there. */
static bool may_have_key(const struct redact_scan *s, size_t at)
{
    if (at < 6 || s->text[at - 1] == '/')
        return at >= 6;
    char sign = s->text[at - 2], key = s->text[at - 3];
    if (s->text[at - 1] != ' ')
        return REDACT_ONE_OF(s->text[at - 1], "\t=:");
    return sign == ' ' || (REDACT_ONE_OF(sign, ":=|") && REDACT_ONE_OF(key | 0x20, "yeldrg "));
}

/* Whether a cell of a table ends here. */
static bool is_cell(const struct redact_scan *s, size_t end)
{
    size_t most = s->len - end < PATH_MOST ? s->len : end + PATH_MOST;
    while (end < most && s->text[end] == ' ')
        end++;
    return end < most && redact_is_bar(s, end);
}

/* Where the key begins whose value ends in the name; `at` where there is none. */
static size_t key_of(const struct redact_scan *s, size_t at, size_t end)
{
    size_t from = at, least = at > PATH_MOST ? at - PATH_MOST : 0;
    while (from > least && (redact_in(s->text[from - 1], CLASS_NAME) || s->text[from - 1] == '/'))
        from--;
    char quote = from > least && REDACT_ONE_OF(s->text[from - 1], "\"'") ? s->text[from - 1] : 0;
    size_t sign = from - (quote != 0) - (quote && from > least + 1 && s->text[from - 2] == '@'),
           behind = end + (redact_char(s, end) == '\r');
    bool cell = !quote && is_cell(s, end);
    if (quote ? redact_char(s, end) != quote : !cell && redact_char(s, behind) != '\n')
        return at;
    while (sign > least && redact_in(s->text[sign - 1], CLASS_BLANK))
        sign--;
    if (cell && (sign < least + 3 || !(s->text[sign - 1] == '|' || redact_is_bar(s, sign - 3))))
        return at;
    sign -= sign > least && s->text[sign - 1] == '>';
    sign -= cell && s->text[sign - 1] != '|' ? 2 : 0;
    if (sign <= least || (!cell && !REDACT_ONE_OF(s->text[sign - 1], ":=|")))
        return at;
    sign--;
    while (sign > least && redact_in(s->text[sign - 1], CLASS_BLANK))
        sign--;
    sign -= sign > least && REDACT_ONE_OF(s->text[sign - 1], "\"'");
    size_t key = sign;
    while (key > least && redact_in(s->text[key - 1], CLASS_ALNUM | CLASS_UNDER))
        key--;
    return key < sign && is_key(s, key, sign) ? key : at;
}

/* What ends the group that both are in. */
static bool ends_group(const struct redact_scan *s, size_t at)
{
    return REDACT_ONE_OF(s->text[at], "{}[]()") ||
           (s->text[at] == '\n' && (redact_char(s, at + 1) == '\n' || redact_at(s, at + 1, "$ ") ||
                                    redact_at(s, at + 1, "---")));
}

/* The next of a list's items: `- ` where a line begins; the key at `at` may be what begins one. */
static bool begins_item(struct redact_scan *s, size_t at)
{
    if (s->text[at] != '\n')
        return false;
    size_t dash = redact_run(s, at + 1, CLASS_BLANK);
    return redact_char(s, dash) == '-' && redact_char(s, dash + 1) == ' ';
}

/* Where the value begins of the key at `at`, if that is `value`; 0 for none. */
static size_t value_of(struct redact_scan *s, size_t at)
{
    if (!redact_at(s, at, "value") || (at && redact_in(s->text[at - 1], CLASS_WORD)))
        return 0;
    size_t sign = at + 5;
    sign += REDACT_ONE_OF(redact_char(s, sign), "\"'");
    sign = redact_run(s, sign, CLASS_BLANK);
    if (sign >= s->len || !(REDACT_ONE_OF(s->text[sign], ":=") || redact_is_bar(s, sign)))
        return 0;
    sign += s->text[sign] == '\xe2' ? 2 : 0;
    sign += 1 + (redact_char(s, sign + 1) == '>');
    return redact_run(s, sign, CLASS_BLANK);
}

static bool is_member(struct redact_scan *s, size_t key, size_t end, enum redact_telling tells,
                      struct redact_match *ret_match)
{
    size_t value, most = s->len - end < GROUP_MOST ? s->len : end + GROUP_MOST;
    bool known = end >= s->pair_from && end <= s->pair_to;
    size_t at = known ? s->pair_to : end;
    for (; at < most && !ends_group(s, at) && !begins_item(s, at); at++)
        if ((s->text[at] | 0x20) == 'v' && (value = value_of(s, at)))
            return take_set(s, tells, value, ret_match);
    s->pair_from = known ? s->pair_from : end;
    s->pair_to = at;
    size_t least = key > GROUP_MOST ? key - GROUP_MOST : 0;
    for (size_t i = key > s->pair_from && key <= s->pair_to ? s->pair_from : key;
         i > least && !ends_group(s, i - 1) && !begins_item(s, i - 1); i--)
        if ((s->text[i - 1] | 0x20) == 'v' && (value = value_of(s, i - 1)))
            return take_set(s, tells, value, ret_match);
    return false;
}

/* ---- other places ---- */

/* Behind `12) "`, as Redis counts what it answers; 0 for none. */
static size_t skip_count(struct redact_scan *s, size_t at)
{
    size_t number = redact_run(s, at, CLASS_BLANK), sign = redact_run(s, number, CLASS_DIGIT);
    return sign > number && redact_at(s, sign, ") \"") ? sign + 3 : 0;
}

/* Whether both are keys of a list, `user:1:password` and `user:1:name`: in what has values, names
 * have no colon. */
static bool are_keys(const struct redact_scan *s, size_t first, size_t at, size_t from, size_t to)
{
    return memchr(s->text + first, ':', at - first) && memchr(s->text + from, ':', to - from) &&
           !redact_has_sign(s, from, to);
}

/* Names and their values in turn: of names the numbers are odd. */
static bool is_counted(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                       struct redact_match *ret_match)
{
    size_t line = redact_line_start(s, at, PATH_MOST), first = skip_count(s, line);
    if (redact_char(s, end + 1) != '\n' || !first || first > at || !(s->text[first - 4] & 1))
        return false;
    size_t from = skip_count(s, end + 2), to = from ? redact_line_end(s, from) : 0;
    if (!from || to < from + 4 || s->text[to - 1] != '"' ||
        redact_is_placeholder(s, from, to - 1) || are_keys(s, first, at, from, to))
        return false;
    if (tells != TELLS_ALL && !redact_has_digit(s, from, to))
        return false;
    *ret_match = (struct redact_match){from, to - 1, "value"};
    return true;
}

/* `DefaultPassword    REG_SZ    X`. */
static bool is_registered(struct redact_scan *s, size_t end, enum redact_telling tells,
                          struct redact_match *ret_match)
{
    size_t type = redact_behind(s, end)->to,
           behind = redact_run(s, type, CLASS_UPPER | CLASS_UNDER);
    bool bytes = redact_at(s, type, "REG_BINARY"); /* VNC's */
    if (tells != TELLS_ALL || !(bytes || redact_at(s, type, "REG_SZ")))
        return false;
    size_t from = redact_run(s, behind, CLASS_BLANK), to = redact_line_end(s, from);
    to -= to > from && s->text[to - 1] == '\r';
    if (to < from + 3 || from == behind || redact_is_placeholder(s, from, to) ||
        (bytes && redact_run(s, from, CLASS_HEX) != to))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

/* Behind what a plan says of a line: `  ~ result = "X" -> "Y"`, `-/+ resource`. */
static size_t behind_plan(struct redact_scan *s, size_t line)
{
    size_t sign = redact_run(s, line, CLASS_BLANK), at = sign;
    while (at < sign + 3 && REDACT_ONE_OF(redact_char(s, at), "+-~/"))
        at++;
    return redact_run(s, at, CLASS_BLANK);
}

/* `resource "random_password" "db" {`, `variable "token" {`: what its block says it is. */
static bool is_block(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                     struct redact_match *ret_match)
{
    static const char *const heads[] = {"resource \"", "variable \"", "output \"", "data \""};
    static const char *const members[] = {"result", "default", "value", "content"};
    size_t start = behind_plan(s, redact_line_start(s, at, PATH_MOST)),
           line = redact_line_end(s, end);
    bool is = false;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        is = is || redact_at(s, start, heads[i]);
    if (!is || s->text[line - 1] != '{')
        return false;
    for (size_t from = line + 1; from < s->len && from < line + BLOCK_MOST && s->text[from] != '}';
         from = redact_line_end(s, from) + 1) {
        size_t name = behind_plan(s, from), sign = redact_run(s, name, CLASS_LOWER);
        size_t value = redact_run(s, sign, CLASS_BLANK);
        for (size_t i = 0; i < sizeof members / sizeof *members; i++)
            if (redact_at(s, name, members[i]) && sign - name == strlen(members[i]) &&
                redact_char(s, value) == '=') {
                value = redact_run(s, value + 1, CLASS_BLANK);
                return redact_char(s, value) == '"' && take_set(s, tells, value, ret_match);
            }
    }
    return false;
}

bool redact_history(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end), most = line - end < PATH_MOST ? line : end + PATH_MOST;
    if (at && s->text[at - 1] == '\\' && redact_at(s, at, "040"))
        at += 3;
    bool identified = end - at == 10 && redact_at(s, at, "identified");
    if (!redact_at(s, end, "\\040") || (!identified && !redact_at(s, at, "password")))
        return false;
    for (size_t i = end + 4; i < most; i++) {
        if (s->text[i] != '\'' || !(redact_at(s, i - 6, "by\\040") || s->text[i - 1] == '=' ||
                                    redact_at(s, i - 5, "=\\040")))
            continue;
        const char *close = memchr(s->text + i + 1, '\'', line - i - 1);
        size_t to = close ? (size_t)(close - s->text) : line;
        *ret_match = (struct redact_match){i + 1, to, "value"};
        return to > i + 3 && !redact_is_placeholder(s, i + 1, to);
    }
    return false;
}

/* `name="password"`, an empty line and X: a form's part. */
static bool is_part(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                    struct redact_match *ret_match)
{
    size_t line = end + 1 + (redact_char(s, end + 1) == '\r');
    if (at < 6 || !redact_at(s, at - 6, "name=\"") || redact_char(s, line) != '\n')
        return false;
    for (int i = 0; i < HEADERS_MOST && redact_at(s, line + 1, "content-"); i++)
        line = redact_line_end(s, line + 1);
    size_t from = line + 1 + (redact_char(s, line + 1) == '\r') + 1;
    if (from >= s->len || s->text[from - 1] != '\n')
        return false;
    size_t to = redact_run(s, from, ~(uint32_t)CLASS_SPACE);
    size_t behind = to + (redact_char(s, to) == '\r');
    return redact_char(s, behind) == '\n' && redact_at(s, behind + 1, "--") &&
           redact_take(s, tells, from, to, ret_match);
}

bool redact_concealed(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    return end - at == 9 && !memcmp(s->text + at, "CONCEALED", 9) && at && s->text[at - 1] == '"' &&
           is_member(s, at, end, TELLS_ALL, ret_match);
}

/* `set("X", forKey: "name")`: the text in quotes in front of the key. */
static bool is_for_key(struct redact_scan *s, size_t key, enum redact_telling tells,
                       struct redact_match *ret_match)
{
    size_t least = key > VALUE_MOST ? key - VALUE_MOST : 0, to = key;
    while (to > least && (redact_in(s->text[to - 1], CLASS_BLANK) || s->text[to - 1] == ','))
        to--;
    if (to == least || s->text[--to] != '"')
        return false;
    size_t from = to;
    while (from > least && s->text[from - 1] != '\n' &&
           (s->text[from - 1] != '"' || (from > least + 1 && s->text[from - 2] == '\\')))
        from--;
    return from > least && s->text[from - 1] == '"' && redact_take(s, tells, from, to, ret_match);
}

/* `[ 'name', 'X' ]`: both are all that is in the brackets. */
static bool is_couple(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                      struct redact_match *ret_match)
{
    char quote = redact_char(s, end);
    size_t open = at > 1 ? at - 2 : 0, from = redact_run(s, end + 2, CLASS_BLANK);
    if (redact_char(s, end + 1) != ',' || redact_char(s, from) != quote || at < 2)
        return false;
    open -= open && s->text[open] == ' ';
    if (s->text[at - 1] != quote || !REDACT_ONE_OF(s->text[open], "[("))
        return false;
    const char *close = memchr(s->text + from + 1, quote, redact_line_end(s, from) - from - 1);
    size_t to = close ? (size_t)(close - s->text) : 0;
    return close && REDACT_ONE_OF(redact_char(s, redact_run(s, to + 1, CLASS_BLANK)), "])") &&
           redact_take(s, tells, from + 1, to, ret_match);
}

bool redact_pair(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    char next = redact_char(s, end);
    enum redact_telling tells;
    if (next == '}' && (tells = redact_tells(s, at, end - at))) { /* Zabbix' '{$DB.PASSWORD}' */
        size_t macro = key_of(s, at - 2, end + 1);
        return macro < at - 2 && is_member(s, macro, end + 1, tells, ret_match);
    }
    bool apart = (next == ' ' || next == '\t') && redact_behind(s, end)->sign == 'R';
    bool plain = next != '"' && next != '\'';
    if (!plain && !apart && redact_char(s, end + 1) == ',' &&
        is_couple(s, at, end, redact_tells(s, at, end - at), ret_match))
        return true;
    size_t key = apart || (plain && !may_have_key(s, at)) ? at : key_of(s, at, end);
    if (!apart && key == at && next != '"')
        return false; /* most */
    tells = redact_tells(s, at, end - at);
    if (!tells)
        return false;
    if (apart)
        return is_registered(s, end, tells, ret_match);
    if (key < at && redact_at(s, key, "for") && redact_in(s->text[key + 3], CLASS_UPPER))
        return is_for_key(s, key, tells, ret_match);
    return (key < at && is_member(s, key, end, tells, ret_match)) ||
           (next == '"' &&
            (is_counted(s, at, end, tells, ret_match) || is_block(s, at, end, tells, ret_match) ||
             is_part(s, at, end, tells, ret_match)));
}

bool redact_encoded_login(struct redact_scan *s, size_t from, size_t to,
                          struct redact_match *ret_match)
{
    static const char ways[][7] = {"base64", "Base64", "b64", "BASE64", "btoa"};
    size_t colon = redact_run(s, from, CLASS_NAME),
           back = from > LOGIN_MOST ? from - LOGIN_MOST : 0;
    size_t ahead = s->len - to > LOGIN_MOST ? to + LOGIN_MOST : s->len;
    struct redact_reached v = {.from = colon + 1, .to = to};
    return colon > from && colon + 1 < to && s->text[colon] == ':' &&
           redact_in(s->text[from], CLASS_UPPER | CLASS_LOWER) &&
           !memchr(s->text + from, ' ', to - from) && s->text[colon + 1] != '/' &&
           redact_strength(s, &v) >= REDACT_SHORT_WORD && !v.hex &&
           (REDACT_HOLDS(s, back, from, ways) || REDACT_HOLDS(s, to, ahead, ways)) &&
           redact_take_word(s, v.from, to, LOGIN_LEAST, ret_match);
}
