/* Values: where they end, and whether they are one. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/rules.h"

#define ESCAPES_MOST   7  /* backslashes in front of a quote */
#define DESCRIBED_MOST 48 /* bytes of what stands for a value */
#define CUT_MOST       12 /* of one that is cut: a beginning that its kind has */
#define ENDS_MOST      64 /* signs behind a word that do not belong to it */

/* ---- quoted ---- */

static size_t backslashes_before(const struct redact_scan *s, size_t at, size_t from)
{
    size_t n = 0;
    while (at - n > from && s->text[at - n - 1] == '\\')
        n++;
    return n;
}

static uint32_t not_quote(char quote)
{
    uint32_t out = quote == '"' ? CLASS_DOUBLE : quote == '\'' ? CLASS_SINGLE : CLASS_TICK;
    return CLASS_ALL & ~(out | CLASS_NEWLINE);
}

/* Three of them begin a text of many lines. */
static bool read_long_text(struct redact_scan *s, size_t at, char quote, struct redact_value *ret)
{
    const char marks[] = {quote, quote, quote, 0};
    if (!redact_at(s, at, marks) || s->len - at < 6)
        return false;
    const char *end = memmem(s->text + at + 3, s->len - at - 3, marks, 3);
    size_t to = end ? (size_t)(end - s->text) : s->len;
    *ret = (struct redact_value){at + 3, to, end ? to + 3 : to, quote};
    return to > at + 3;
}

/* With `escapes` backslashes in front of the quotes, as in JSON inside of JSON. */
static bool read_quoted(struct redact_scan *s, size_t quote_at, size_t escapes, bool tight,
                        struct redact_value *ret)
{
    char quote = s->text[quote_at];
    size_t from = quote_at + 1, end = from;
    bool dollar = quote_at && s->text[quote_at - 1] == '$'; /* $'it\'s' */
    if (!escapes && quote != '`' && read_long_text(s, quote_at, quote, ret))
        return true;
    for (;; end++) {
        end = redact_run(s, end, not_quote(quote));
        if (end >= s->len || s->text[end] == '\n')
            break;
        if (quote != '`' && !escapes && end > from && end + 1 < s->len &&
            s->text[end + 1] == quote &&
            (!tight || redact_in(redact_char(s, end + 2), CLASS_ALNUM))) {
            end++; /* doubled, it is part of the text */
            continue;
        }
        if (quote == '"' && !escapes && end > from && s->text[end - 1] == '`' &&
            redact_in(redact_char(s, end + 1), CLASS_ALNUM | CLASS_TICK)) {
            end++; /* PowerShell's escape */
            continue;
        }
        bool counts = quote != '`' && (quote == '"' || escapes || !tight || dollar);
        size_t before = counts ? backslashes_before(s, end, from) : 0;
        if (before <= escapes && (before == escapes || before % 2 == 0 || escapes))
            break;
        if (!escapes && before % 2 == 0)
            break;
    }
    bool closed = end < s->len && s->text[end] == quote;
    size_t before = closed && escapes ? backslashes_before(s, end, from) : 0;
    *ret = (struct redact_value){from, end - before, end + closed, quote};
    return ret->to > from;
}

/* ---- words ---- */

/* A quoted part of a shell's word; behind it. */
static size_t skip_quoted(struct redact_scan *s, size_t at, size_t end)
{
    char quote = s->text[at++];
    while (at < end && s->text[at] != quote)
        at += quote == '"' && s->text[at] == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

size_t redact_shell_word(struct redact_scan *s, size_t at, size_t end)
{
    while (at < end) {
        char c = s->text[at];
        if (redact_in(c, CLASS_NAME | CLASS_BASE64 | CLASS_COLON)) {
            at++;
            continue;
        }
        if (redact_in(c, CLASS_SPACE))
            break;
        if (c == '\\' && at + 1 < end)
            at += 2;
        else if (c == '"' || c == '\'')
            at = skip_quoted(s, at, end);
        else if (c == ';' || c == '|' || c == '&' || !c)
            break;
        else
            at++;
    }
    return at < end ? at : end;
}

/* `YF3KX`: a digit between capital letters, as names do not have it. */
static bool is_no_name(const struct redact_scan *s, size_t at, size_t end)
{
    for (size_t i = at + 1; i + 1 < end && i < at + 40; i++)
        if (redact_in(s->text[i], CLASS_DIGIT) && redact_in(s->text[i - 1], CLASS_UPPER) &&
            redact_in(s->text[i + 1], CLASS_UPPER))
            return true;
    return false;
}

/* Behind a comma, semicolon or ampersand: does another `name=` or `name:` begin? Forms, which have
 * the last, have no blanks. */
static bool another_begins(struct redact_scan *s, size_t at)
{
    uint32_t blank = s->text[at - 1] == '&' ? 0 : CLASS_BLANK;
    while (at < s->len &&
           (redact_in(s->text[at], blank) || s->text[at] == '"' || s->text[at] == '\''))
        at++;
    if (at >= s->len || !redact_in(s->text[at], CLASS_UPPER | CLASS_LOWER | CLASS_UNDER))
        return false;
    size_t end = redact_run(s, at, CLASS_NAME | blank);
    if (is_no_name(s, at, end))
        return false;
    end += end < s->len && (s->text[end] == '"' || s->text[end] == '\'');
    return end < s->len && end - at < 40 &&
           (s->text[end] == '=' || s->text[end] == ':' || redact_at(s, end, "%5B"));
}

static bool ends_here(struct redact_scan *s, size_t at)
{
    char c = s->text[at], next = at + 1 < s->len ? s->text[at + 1] : '\n';
    if (c == '<')
        return next == '/';
    if (c == '"' || c == '\'' || c == '`')
        return redact_in(next, CLASS_SPACE | CLASS_SEPARATOR | CLASS_COLON | CLASS_LESS) ||
               REDACT_ONE_OF(next, ")]}>\\\"'");
    if (c == '\\')
        return next == 'n' || next == 'r' || next == 't' || next == '"';
    if (c == ',' || c == ';' || c == '&')
        return another_begins(s, at + 1);
    if (c == '|')
        return next == '|';
    return false;
}

static size_t balance(const struct redact_scan *s, size_t from, size_t to)
{
    char close = s->text[to - 1], opens = close == ')' ? '(' : close == ']' ? '[' : '{';
    if (close != ')' && close != ']' && close != '}')
        return to;
    int open = 0;
    for (size_t i = from; i + 1 < to && i < from + 256; i++)
        open += s->text[i] == opens ? 1 : s->text[i] == close ? -1 : 0;
    return open > 0 ? to : to - 1;
}

static size_t trim(const struct redact_scan *s, size_t from, size_t to, bool tight)
{
    size_t before = to + 1;
    for (int i = 0; i < ENDS_MOST && before != to && to > from; i++) {
        before = to;
        if (s->text[to - 1] == ',' || s->text[to - 1] == ';')
            to--;
        else if (!tight)
            to = balance(s, from, to);
    }
    return to;
}

/* Where a word ends does not depend on where it begins: it is read once. */
static size_t word_end(struct redact_scan *s, size_t at)
{
    size_t end = at;
    if (at > s->word_from && at < s->word_to && s->text[at - 1] != '\\')
        return s->word_to;
    while (end < s->len) {
        if (redact_in(s->text[end], CLASS_NAME | CLASS_BASE64 | CLASS_COLON)) {
            end++;
            continue;
        }
        if (redact_in(s->text[end], CLASS_SPACE) || ends_here(s, end))
            break;
        bool escape = s->text[end] == '\\' && end + 1 < s->len && s->text[end + 1] != '\n';
        end += escape ? 2 : 1;
    }
    s->word_from = at;
    s->word_to = end;
    return end;
}

static bool read_word(struct redact_scan *s, size_t at, bool tight, struct redact_value *ret)
{
    size_t end = word_end(s, at), line = tight ? redact_line_end(s, at) : at;
    bool parts = tight && line > end &&
                 (memchr(s->text + at, '"', end - at) || memchr(s->text + at, '\'', end - at));
    if (parts) { /* ab"it's 42" */
        size_t shell = redact_shell_word(s, at, line);
        end =
            shell > end && redact_in(s->text[shell - 1], CLASS_DOUBLE | CLASS_SINGLE) ? shell : end;
    }
    size_t to = trim(s, at, end, tight);
    *ret = (struct redact_value){at, to, to, 0};
    return to > at;
}

/* Whether a shell's word goes on behind its first quoted piece with another: 'it'"'"'s'. One that
 * began in front of it ends there. */
static bool goes_on(struct redact_scan *s, size_t at, const struct redact_value *v, bool tight)
{
    static const char *const escapes[] = {"\\''", "\"'\"'", "'\"'\""};
    char next = redact_char(s, v->end);
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (redact_at(s, v->end, escapes[i]) && escapes[i][strlen(escapes[i]) - 1] == v->quote)
            return true;
    size_t line = redact_line_end(s, at);
    if (!tight || next == v->quote || !redact_in(next, CLASS_DOUBLE | CLASS_SINGLE) ||
        !memchr(s->text + v->end + 1, next, line - v->end - 1))
        return false;
    bool open = false;
    for (size_t i = redact_line_start(s, at, REDACT_LINE_LOOKED_AT); i < at; i++)
        open = open != (s->text[i] == next);
    return !open;
}

bool redact_read_value(struct redact_scan *s, size_t at, bool tight, struct redact_value *ret)
{
    size_t quote = at;
    while (quote < s->len && s->text[quote] == '\\' && quote - at < ESCAPES_MOST)
        quote++;
    bool quotes =
        quote < s->len && redact_in(s->text[quote], CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK);
    if (at >= s->len || redact_in(s->text[at], CLASS_SPACE))
        return false;
    if (!quotes)
        return read_word(s, at, tight, ret);
    if (!read_quoted(s, quote, quote - at, tight, ret))
        return false;
    char next = ret->end < s->len ? s->text[ret->end] : '\n';
    if (quote > at || redact_in(next, CLASS_SPACE | CLASS_SEPARATOR))
        return true;
    if (!goes_on(s, at, ret, tight) && (!tight || REDACT_ONE_OF(next, ")]}>`\"':<#.?+")))
        return true;
    size_t end = redact_shell_word(s, ret->end, redact_line_end(s, ret->end)); /* 'it'\''s' */
    *ret = (struct redact_value){at, end, end, 0};
    return true;
}

/* ---- what is no secret ---- */

/* Of a letter that words begin with, and one that ends them. */
#define NOTHINGS_MOST 24

/* Whether a text is one of those words, capital letters or not. */
static bool is_word_of(const struct redact_word *words, const char *text, size_t len)
{
    for (; words->len; words++)
        if (words->len == len && !strncasecmp(words->text, text, len))
            return true;
    return false;
}

static bool is_nothing(const struct redact_scan *s, size_t from, size_t to)
{
    static const struct redact_word words[26][NOTHINGS_MOST] = {
        ['a' - 'a'] = {REDACT_WORD("accepted"), REDACT_WORD("and"), REDACT_WORD("any"),
                       REDACT_WORD("auth"), REDACT_WORD("authentication"), REDACT_WORD("auto"),
                       REDACT_WORD("available")},
        ['b' - 'a'] = {REDACT_WORD("boolean"), REDACT_WORD("bytes")},
        ['c' - 'a'] = {REDACT_WORD("changed"), REDACT_WORD("char"), REDACT_WORD("compat"),
                       REDACT_WORD("const")},
        ['d' - 'a'] = {REDACT_WORD("db"), REDACT_WORD("default"), REDACT_WORD("denied"),
                       REDACT_WORD("disabled")},
        ['e' - 'a'] = {REDACT_WORD("empty"), REDACT_WORD("enabled"), REDACT_WORD("expired")},
        ['f' - 'a'] = {REDACT_WORD("failed"), REDACT_WORD("false"), REDACT_WORD("files"),
                       REDACT_WORD("for"), REDACT_WORD("function")},
        ['h' - 'a'] = {REDACT_WORD("hidden")},
        ['i' - 'a'] = {REDACT_WORD("ignore"), REDACT_WORD("incorrect"), REDACT_WORD("int"),
                       REDACT_WORD("integer"), REDACT_WORD("invalid"), REDACT_WORD("is")},
        ['k' - 'a'] = {REDACT_WORD("key")},
        ['l' - 'a'] = {REDACT_WORD("ldap"), REDACT_WORD("let")},
        ['m' - 'a'] = {REDACT_WORD("masked"), REDACT_WORD("missing"), REDACT_WORD("must")},
        ['n' - 'a'] = {REDACT_WORD("nil"), REDACT_WORD("nis"), REDACT_WORD("no"),
                       REDACT_WORD("none"), REDACT_WORD("not"), REDACT_WORD("null"),
                       REDACT_WORD("number")},
        ['o' - 'a'] = {REDACT_WORD("object"), REDACT_WORD("off"), REDACT_WORD("ok"),
                       REDACT_WORD("on"), REDACT_WORD("optional")},
        ['p' - 'a'] = {REDACT_WORD("pam_unix"), REDACT_WORD("pass"), REDACT_WORD("passwd"),
                       REDACT_WORD("password"), REDACT_WORD("prompt"), REDACT_WORD("protected"),
                       REDACT_WORD("publickey"), REDACT_WORD("pwd")},
        ['r' - 'a'] = {REDACT_WORD("redacted"), REDACT_WORD("redacted]"), REDACT_WORD("rejected"),
                       REDACT_WORD("required"), REDACT_WORD("return")},
        ['s' - 'a'] = {REDACT_WORD("secret"), REDACT_WORD("secretbytes"), REDACT_WORD("secretstr"),
                       REDACT_WORD("secretstring"), REDACT_WORD("securestring"),
                       REDACT_WORD("self"), REDACT_WORD("sensitive"), REDACT_WORD("set"),
                       REDACT_WORD("should"), REDACT_WORD("sss"), REDACT_WORD("static"),
                       REDACT_WORD("str"), REDACT_WORD("string"), REDACT_WORD("string!"),
                       REDACT_WORD("stringarray"), REDACT_WORD("stringslice"),
                       REDACT_WORD("successfully"), REDACT_WORD("systemd")},
        ['t' - 'a'] = {REDACT_WORD("test"), REDACT_WORD("text"), REDACT_WORD("the"),
                       REDACT_WORD("this"), REDACT_WORD("token"), REDACT_WORD("true"),
                       REDACT_WORD("type")},
        ['u' - 'a'] = {REDACT_WORD("unchanged"), REDACT_WORD("undefined"), REDACT_WORD("unknown"),
                       REDACT_WORD("unset"), REDACT_WORD("updated")},
        ['v' - 'a'] = {REDACT_WORD("valid"), REDACT_WORD("value"), REDACT_WORD("var"),
                       REDACT_WORD("void")},
        ['w' - 'a'] = {REDACT_WORD("wrong")},
        ['y' - 'a'] = {REDACT_WORD("yes")},
    };
    static const struct redact_word bracketed[] = {REDACT_WORD("(null)"),
                                                   REDACT_WORD("(none)"),
                                                   REDACT_WORD("<sensitive>"),
                                                   REDACT_WORD("(sensitive"),
                                                   {"", 0}};
    char first = s->text[from];
    char last = s->text[to - 1];
    if (to - from > 20 ||
        !(redact_in(last, CLASS_UPPER | CLASS_LOWER) || REDACT_ONE_OF(last, "!])>e")))
        return false; /* most words of that length end otherwise */
    if (!redact_in(first, CLASS_UPPER | CLASS_LOWER))
        return (first == '(' || first == '<') && is_word_of(bracketed, s->text + from, to - from);
    return is_word_of(words[(first | 0x20) - 'a'], s->text + from, to - from);
}

/* `<your secret access key>`: behind its first word letters and blanks, up to the bracket. */
static bool is_described(const struct redact_scan *s, size_t to)
{
    size_t end = to, most = s->len - to < DESCRIBED_MOST ? s->len : to + DESCRIBED_MOST;
    while (end < most && redact_in(s->text[end], CLASS_WORD | CLASS_BLANK))
        end++;
    return end > to && redact_char(s, end) == '>';
}

/* All of one pair of brackets with a sign in front: ${X}, {{ x }}, <password>, %X%, $X, $(x). */
static bool is_reference(const struct redact_scan *s, size_t from, size_t to)
{
    char first = s->text[from], last = s->text[to - 1];
    size_t len = to - from;
    if (len < 2 || !REDACT_ONE_OF(first, "$<{[%#`(@"))
        return false; /* most */
    char second = s->text[from + 1];
    if (first == '$' && (second == '{' || second == '('))
        return true;
    if (first == '$') {
        size_t at = from + 1;
        while (at < to &&
               redact_in(s->text[at], CLASS_ALNUM | CLASS_UNDER | CLASS_COLON | CLASS_DOT))
            at++;
        bool member = at < to && (REDACT_ONE_OF(s->text[at], "[({") || /* $ENV{X} of Perl */
                                  (s->text[at] == '-' && at + 1 < to && s->text[at + 1] == '>'));
        member = member || (at + 1 == to && last == '$'); /* $USER4$ of Nagios */
        return (at == to || member) &&                    /* $_POST['x'], $this->x */
               redact_in(second, CLASS_UPPER | CLASS_LOWER | CLASS_UNDER);
    }
    if (first == '<' && redact_in(second, CLASS_UPPER | CLASS_LOWER) && is_described(s, to))
        return true;
    return (first == '<' && (last == '>' || second == '(')) || (first == '{' && last == '}') ||
           (first == '{' && second == '{') || (first == '[' && last == ']') ||
           (first == '%' && last == '%') || (first == '#' && second == '{') ||
           (first == '%' && (second == '{' || second == '(')) || (first == '%' && len == 2) ||
           (first == '`' && last == '`') || (first == '(' && last == ')') ||
           (first == '@' && (second == '{' || last == '@'));
}

/* Nothing but stars, dots, x, dashes: what a program shows instead. */
static bool is_mask(const struct redact_scan *s, size_t from, size_t to)
{
    static const bool masks[128] = {
        [0] = true,   ['*'] = true, ['.'] = true, ['x'] = true, ['X'] = true,
        ['-'] = true, ['_'] = true, ['#'] = true, ['?'] = true};
    for (size_t i = from; i < to; i++)
        if ((unsigned char)s->text[i] < 0x80 && !masks[(unsigned char)s->text[i]])
            return false;
    return true;
}

bool redact_has_sign(const struct redact_scan *s, size_t from, size_t to)
{
    for (size_t i = from + 1; i + 1 < to; i++)
        if (redact_in(s->text[i], CLASS_OTHER | CLASS_PERCENT) && s->text[i] &&
            REDACT_ONE_OF(s->text[i], "!#$%^*") && redact_in(s->text[i - 1], CLASS_ALNUM) &&
            redact_in(s->text[i + 1], CLASS_ALNUM))
            return true;
    return false;
}

/* `xoxb-xxxxxxxx`, `ghp_****1234`: a part of it is a mask. Of four characters one is looked at. */
static bool is_masked(const struct redact_scan *s, size_t from, size_t to)
{
    size_t most = to - from < 256 ? to : from + 256;
    for (size_t at = from + 3; at < most; at += 4) {
        char c = s->text[at];
        if (c != '*' && (c | 0x20) != 'x')
            continue;
        size_t begin = at, end = at, run = c == '*' ? 4 : 6;
        while (begin > from && s->text[begin - 1] == c)
            begin--;
        while (end < to && s->text[end] == c)
            end++;
        if (end - begin >= run)
            return true;
    }
    return false;
}

/* Where a secret is kept, not what it is: op://vault/item, @Microsoft.KeyVault(...), ENC[...]. */
static bool is_kept(const struct redact_scan *s, size_t from, size_t to)
{
    /* by the last five bits of what they begin with; one more that ends them */
    static const char fronts[32][11][14] = {
        ['@' & 31] = {"@microsoft"},
        ['a' & 31] = {"awssm:", "asm:", "arn:aws:", "akv:", "aws-sm:", "!vault", "!secret", "!ref",
                      "!sub", "!getatt"},
        ['b' & 31] = {"bw://"},
        ['d' & 31] = {"doppler:", "data.", "$ansible_v"},
        ['e' & 31] = {"env:", "env.", "enc["},
        ['f' & 31] = {"file:"},
        ['g' & 31] = {"gcpsm"},
        ['k' & 31] = {"keyvault:", "k8s:", "keyring:", "keychain:"},
        ['l' & 31] = {"local."},
        ['m' & 31] = {"module."},
        ['o' & 31] = {"op://"},
        ['p' & 31] = {"pass://", "process.e", "projects/"},
        ['r' & 31] = {"ref+"},
        ['s' & 31] = {"ssm:", "ssm/", "sm://", "secretref", "secret:", "secrets.",
                      "sops:", "secrets-mana"},
        ['v' & 31] = {"vault:", "vault://", "var."},
        ['{' & 31] = {"{cipher}"}};
    if (s->text[from] == '.' || s->text[from] == '~') { /* ./file, ../file, ~/file */
        size_t slash = from + 1 + (redact_char(s, from + 1) == '.');
        return slash + 1 < to && s->text[slash] == '/';
    }
    if (to - from < 6)
        return false;
    char second = s->text[from + 1];
    for (const char(*front)[14] = fronts[(unsigned char)s->text[from] & 31]; **front; front++)
        if ((((*front)[1] ^ second) & ~0x20) == 0 && redact_at(s, from, *front))
            return true;
    return false;
}

bool redact_is_path(const struct redact_scan *s, size_t from, size_t to)
{
    size_t changes = 0;
    if (s->text[from] != '/')
        return false;
    for (size_t i = from + 1; i < to; i++) {
        uint32_t kinds = CLASS_DIGIT | CLASS_UPPER | CLASS_LOWER;
        uint32_t before = redact_class(s->text[i - 1]) & kinds, kind = redact_class(s->text[i]);
        if (!redact_in(s->text[i], CLASS_ALNUM | CLASS_BASE64))
            return true;
        kind &= kinds;
        changes +=
            kind && before && kind != before && !(before == CLASS_UPPER && kind == CLASS_LOWER);
    }
    return to - from < 32 || changes * 4 < to - from;
}

/* Two numbers and a dot between, and what is told of them in small letters. */
bool redact_is_version(const struct redact_scan *s, size_t from, size_t to)
{
    size_t at = from, words = from;
    if (to - from > 64)
        return false;
    while (words < to && redact_in(s->text[words], CLASS_LOWER | CLASS_DASH))
        words++;
    if (words > from && redact_char(s, words) == ':')
        at = words + 1; /* jar: */
    else if (to - from > 2 && redact_in(s->text[from], CLASS_DIGIT) && s->text[from + 1] == ':')
        at = from + 2; /* Debian's epoch */
    while (at < to && REDACT_ONE_OF(s->text[at], "^~>=<v"))
        at++;
    size_t number = at, dots = 0;
    for (; at < to && redact_in(s->text[at], CLASS_DIGIT | CLASS_DOT); at++)
        dots += s->text[at] == '.' && at > number && redact_in(s->text[at - 1], CLASS_DIGIT);
    if (!dots || number == at || (at < to && !REDACT_ONE_OF(s->text[at], "-+~:")))
        return false;
    for (; at < to; at++)
        if (!redact_in(s->text[at], CLASS_LOWER | CLASS_DIGIT | CLASS_DOT | CLASS_DASH) &&
            !REDACT_ONE_OF(s->text[at], "+~:"))
            return false;
    return true;
}

bool redact_is_named_sum(const struct redact_scan *s, size_t from, size_t to)
{
    size_t sum = to, letters = from;
    while (sum > from && redact_in(s->text[sum - 1], CLASS_DIGIT | CLASS_HEX_LOWER))
        sum--;
    size_t len = to - sum;
    while (letters < sum && redact_in(s->text[letters], CLASS_UPPER | CLASS_LOWER))
        letters++;
    return (len == 32 || len == 40 || len == 64) && sum >= from + 4 && s->text[sum - 1] == '-' &&
           letters >= from + 3 && redact_char(s, letters) == '-' && letters + 1 < sum;
}

/* `sk-...`: what begins so. */
static bool is_cut(const struct redact_scan *s, size_t from, size_t to)
{
    return to - from >= 4 && to - from <= CUT_MOST && !memcmp(s->text + to - 3, "...", 3);
}

/* `2025-02-01T10:00:00Z`. */
static bool is_time(const struct redact_scan *s, size_t from, size_t to)
{
    static const char form[] = "dddd-dd-ddTdd:dd";
    if (to - from < 10 || !redact_in(s->text[from], CLASS_DIGIT))
        return false; /* most */
    for (size_t i = 0; form[i] && from + i < to; i++)
        if (form[i] == 'd' ? !redact_in(s->text[from + i], CLASS_DIGIT)
                           : s->text[from + i] != form[i])
            return false;
    return to - from <= 35;
}

/* `prod/auth-proxy/db`: where it is kept, by small words. */
static bool is_place(const struct redact_scan *s, size_t from, size_t to)
{
    size_t slashes = 0;
    if (!redact_in(s->text[from], CLASS_LOWER))
        return false;
    for (size_t i = from; i < to; i++) {
        slashes += s->text[i] == '/';
        if (!redact_in(s->text[i], CLASS_LOWER | CLASS_DASH) && s->text[i] != '/')
            return false;
    }
    return slashes >= 2;
}

bool redact_is_placeholder(const struct redact_scan *s, size_t from, size_t to)
{
    while (to > from + 1 && ((s->text[to - 1] == '.' && s->text[to - 2] == '>') ||
                             (s->text[to - 1] == ':' && redact_in(s->text[to - 2], CLASS_LOWER))))
        to--; /* a sentence ends there, a prompt */
    return from >= to || is_reference(s, from, to) || is_mask(s, from, to) ||
           is_nothing(s, from, to) || redact_is_standin(s, from, to) || is_masked(s, from, to) ||
           is_kept(s, from, to) || redact_at(s, from, "[redacted") || is_cut(s, from, to) ||
           is_time(s, from, to) || is_place(s, from, to) ||
           (to - from > 10 && !memcmp(s->text + to - 10, "EXAMPLEKEY", 10));
}

bool redact_take_word(const struct redact_scan *s, size_t from, size_t to, size_t least,
                      struct redact_match *ret_match)
{
    if (to < from + least || redact_is_placeholder(s, from, to))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

/* Digits in two places, or a sign: no name that programs have. */
bool redact_is_odd(const struct redact_scan *s, size_t from, size_t to)
{
    int groups = 0;
    for (size_t i = from + 1; i < to; i++)
        groups += redact_in(s->text[i], CLASS_DIGIT) && !redact_in(s->text[i - 1], CLASS_DIGIT);
    return groups > 1 || redact_has_sign(s, from, to);
}

/* A number as programs count: digits, with a unit or a fraction. */
bool redact_is_number(const struct redact_scan *s, size_t from, size_t to)
{
    bool digits = false;
    for (size_t i = from; i < to; i++) {
        if (!redact_in(s->text[i],
                       CLASS_DIGIT | CLASS_DOT | CLASS_COLON | CLASS_DASH | CLASS_PERCENT))
            return false;
        digits = digits || redact_in(s->text[i], CLASS_DIGIT);
    }
    return digits;
}
