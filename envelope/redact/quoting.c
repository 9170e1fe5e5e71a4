/* How programs quote what they set a name to: `%q{X}`, `[[X]]`, `String::from("X")`, `MD5('X')`,
 * and the second of `user, password = "a", "X"`. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/places.h"

#define VALUE_MOST 128 /* bytes of it */
#define CALL_MOST  40  /* of what wraps it */
#define NAMES_MOST 64  /* of the names in front */

static bool is_quote(char c)
{
    return redact_in(c, CLASS_DOUBLE | CLASS_SINGLE);
}

/* Ruby's and Perl's `%q{`, `qq(`; behind the letters. `at` where there are none. */
static size_t skip_letters(const struct redact_scan *s, size_t at)
{
    size_t end = at + (redact_char(s, at) == '%');
    for (int i = 0; i < 2 && REDACT_ONE_OF(redact_char(s, end), "qQ"); i++)
        end++;
    return end;
}

bool redact_read_brackets(struct redact_scan *s, size_t at, struct redact_value *ret)
{
    static const char opens[] = "{([<|!/", closes[] = "})]>|!/";
    if (!REDACT_ONE_OF(redact_char(s, at), "%q["))
        return false; /* most */
    bool lua = redact_at(s, at, "[[");
    size_t open = lua ? at + 1 : skip_letters(s, at);
    const char *kind = open > at ? strchr(opens, redact_char(s, open)) : NULL;
    size_t line = redact_line_end(s, at), from = open + 1;
    if (!kind || !*kind || from >= line)
        return false;
    size_t most = line - from < VALUE_MOST ? line : from + VALUE_MOST;
    const char *close = memchr(s->text + from, closes[kind - opens], most - from);
    size_t to = close ? (size_t)(close - s->text) : from, end = to + 1 + lua;
    if (!close || (lua && redact_char(s, to + 1) != ']'))
        return false;
    *ret = (struct redact_value){from, to, end, '"'};
    return to > from && (end >= s->len || !redact_in(s->text[end], CLASS_ALNUM));
}

bool redact_read_doubled(struct redact_scan *s, size_t name, size_t at, struct redact_value *ret)
{
    char quote = redact_char(s, at);
    if (!is_quote(quote) || redact_char(s, at + 1) != quote ||
        !redact_in(redact_char(s, at + 2), CLASS_NAME))
        return false; /* most */
    const char twice[] = {quote, quote};
    size_t from = at + 2, line = redact_line_end(s, at);
    size_t most = line - from < VALUE_MOST ? line : from + VALUE_MOST;
    const char *close = memmem(s->text + from, most - from, twice, sizeof twice);
    bool open = false;
    for (size_t i = redact_line_start(s, name, REDACT_LINE_LOOKED_AT); i < name; i++)
        open = open != (s->text[i] == quote);
    if (!close || !open)
        return false;
    size_t to = (size_t)(close - s->text);
    *ret = (struct redact_value){from, to, to + sizeof twice, quote};
    return true;
}

/* What makes a text of a text, or hides one; what reads one from elsewhere is none of these. */
static bool is_wrapper(const struct redact_scan *s, size_t at, size_t end)
{
    static redact_words words = {
        ['b' & 31] = {REDACT_WORD("bcrypt"), REDACT_WORD("b64decode"), REDACT_WORD("btoa"),
                      REDACT_WORD("b64encode"), REDACT_WORD("b64enc"), REDACT_WORD("base64"),
                      REDACT_WORD("base64encode"), REDACT_WORD("byte"), REDACT_WORD("bytes")},
        ['c' & 31] = {REDACT_WORD("crypt")},
        ['e' & 31] = {REDACT_WORD("encrypt")},
        ['f' & 31] = {REDACT_WORD("from"), REDACT_WORD("fromString")},
        ['g' & 31] = {REDACT_WORD("generate_password_hash"), REDACT_WORD("getBytes")},
        ['h' & 31] = {REDACT_WORD("hashpw"), REDACT_WORD("hash")},
        ['m' & 31] = {REDACT_WORD("md5"), REDACT_WORD("make_password")},
        ['o' & 31] = {REDACT_WORD("optional")},
        ['p' & 31] = {REDACT_WORD("password"), REDACT_WORD("password_hash")},
        ['s' & 31] = {REDACT_WORD("sha"), REDACT_WORD("sha1"), REDACT_WORD("sha2"),
                      REDACT_WORD("sha256"), REDACT_WORD("sha512"), REDACT_WORD("some"),
                      REDACT_WORD("string"), REDACT_WORD("strdup"), REDACT_WORD("SecretStr"),
                      REDACT_WORD("SecretString")},
        ['t' & 31] = {REDACT_WORD("trimspace"), REDACT_WORD("to_string")},
        ['w' & 31] = {REDACT_WORD("wstring")},
    };
    size_t word = end;
    while (word > at && redact_in(s->text[word - 1], CLASS_ALNUM | CLASS_UNDER))
        word--;
    return word < end && redact_is_word_of(words, s->text + word, end - word);
}

/* Ansible's `{{ 'X' | password_hash('sha512') }}`, in quotes or not: the literal's quote. */
static size_t behind_braces(struct redact_scan *s, size_t at)
{
    static const char filters[][14] = {"password_hash", "hash(", "b64enc", "bcrypt"};
    size_t open = at + is_quote(s->text[at]), quote = redact_run(s, open + 2, CLASS_BLANK);
    struct redact_value v;
    if (!redact_at(s, open, "{{") || !is_quote(redact_char(s, quote)) ||
        !redact_read_value(s, quote, false, &v))
        return at;
    size_t pipe = redact_run(s, v.end, CLASS_BLANK), line = redact_line_end(s, pipe);
    line = line - pipe > CALL_MOST ? pipe + CALL_MOST : line;
    return redact_char(s, pipe) == '|' && REDACT_HOLDS(s, pipe, line, filters) ? quote : at;
}

size_t redact_behind_wrapper(struct redact_scan *s, size_t at)
{
    if (REDACT_ONE_OF(redact_char(s, at), "{\"'") &&
        (redact_char(s, at + 1) == '{' || redact_char(s, at + 2) == '{'))
        return behind_braces(s, at);
    if (redact_at(s, at, "u8\""))
        return at + 2;
    if (redact_char(s, at) == '[' && redact_at(s, at, "[]byte(") &&
        REDACT_ONE_OF(redact_char(s, at + 7), "\"`"))
        return at + 7; /* Go's */
    if (!redact_in(redact_char(s, at), CLASS_UPPER | CLASS_LOWER))
        return at; /* most */
    at = redact_at(s, at, "new ") ? at + 4 : at;
    size_t end = redact_run(s, at, CLASS_NAME | CLASS_COLON);
    if (redact_char(s, end) != '(' || end - at > CALL_MOST)
        return at;
    size_t quote = redact_run(s, end + 1, CLASS_BLANK);
    quote += is_quote(redact_char(s, quote + 1)) && REDACT_ONE_OF(redact_char(s, quote), "brLN@$");
    return is_quote(redact_char(s, quote)) && is_wrapper(s, at, end) ? quote : at;
}

/* How many names are in front of it on its line, and nothing else. */
static int names_in_front(const struct redact_scan *s, size_t name)
{
    size_t at = name, most = name > NAMES_MOST ? name - NAMES_MOST : 0;
    int names = 0;
    while (at > most && s->text[at - 1] != '\n') {
        char c = s->text[--at];
        names += c == ',';
        if (c != ',' && !redact_in(c, CLASS_ALNUM | CLASS_UNDER | CLASS_BLANK))
            return 0;
    }
    return at == 0 || s->text[at - 1] == '\n' ? names : 0;
}

size_t redact_behind_others(struct redact_scan *s, size_t name, size_t at)
{
    if (name < 3 || s->text[name - 1] != ' ' || s->text[name - 2] != ',' ||
        !is_quote(redact_char(s, at)))
        return at; /* most */
    struct redact_value v;
    size_t value = at;
    for (int names = names_in_front(s, name); names > 0; names--) {
        if (!redact_read_value(s, value, false, &v) || redact_char(s, v.end) != ',')
            return at;
        value = redact_run(s, v.end + 1, CLASS_BLANK);
        if (!is_quote(redact_char(s, value)))
            return at;
    }
    return value;
}
