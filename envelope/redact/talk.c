/* What clients say to servers of mail, files and databases to be let in, as they show it (`> PASS
 * X`, `a1 LOGIN user X`), as those see it that look at the bytes (`"PASS X\r\n"` of strace, `..PASS
 * X` of tcpdump), and in the lines of Redis' protocol. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define WORD_MOST  120 /* bytes of what is said */
#define FRONT_MOST 64
#define ABOVE_MOST 240 /* in front of a line that may be one of IMAP */

/* What is said: from `from`, up to its line's end, or to the end that is written in it as `\r\n`;
 * its first word is [word, end). */
struct said {
    size_t word, end, from, to;
    bool written, blanks;
};

/* Whether the escape of a line's end is there: `\r\n`, `\n`. */
static bool is_written_end(const struct redact_scan *s, size_t at)
{
    return redact_char(s, at) == '\\' && REDACT_ONE_OF(redact_char(s, at + 1), "rn");
}

static bool read_said(struct redact_scan *s, size_t word, size_t end, struct said *ret)
{
    size_t from = redact_behind(s, end)->to, line = redact_line_end(s, from), to = from;
    size_t most = line - from > WORD_MOST ? from + WORD_MOST : line;
    bool blanks = false;
    while (to < most && !is_written_end(s, to))
        blanks |= redact_in(s->text[to++], CLASS_BLANK);
    bool written = to < most;
    to = written ? to : line;
    to -= to > from && s->text[to - 1] == '\r';
    *ret = (struct said){word, end, from, to, written, blanks};
    return from > end && to >= from + 4 && !REDACT_ONE_OF(s->text[from], "%{<$/*&(") &&
           !redact_is_placeholder(s, from, to);
}

/* Where the word begins that ends a name, alone or behind the bytes that are shown as dots, or as
 * the end of a line (`\nAUTH`); `end` where it does not. */
static size_t word_at(const struct redact_scan *s, size_t at, size_t end, const char *word)
{
    size_t len = strlen(word), from = end - len;
    if (end < at + len || memcmp(s->text + from, word, len) != 0)
        return end;
    bool is =
        from == at || s->text[from - 1] == '.' || (from == at + 1 && at && s->text[at - 1] == '\\');
    return is ? from : end;
}

/* Whether one of `words` is right in front. */
static bool is_behind(const struct redact_scan *s, size_t at, const char words[][14], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(words[i]);
        if (at >= len && !memcmp(s->text + at - len, words[i], len))
            return true;
    }
    return false;
}
#define IS_BEHIND(s, at, words) is_behind(s, at, words, sizeof words / sizeof *words)

/* Whether the bytes of a text are shown around it: in quotes, behind another written end. */
static bool is_in_bytes(const struct redact_scan *s, const struct said *t)
{
    static const char before[][14] = {"\"", "\\n", "\\r", "> ", "'"};
    return t->written && IS_BEHIND(s, t->word, before);
}

/* Letters and digits, or a sign: no word of a sentence. */
static bool is_strong(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    return redact_strength(s, &v) > REDACT_WEAK || redact_has_sign(s, from, to);
}

static bool take(const struct said *t, struct redact_match *ret)
{
    *ret = (struct redact_match){t->from, t->to, "value"};
    return true;
}

/* `PASS X`: POP3's, FTP's, IRC's. */
static bool is_pass(struct redact_scan *s, const struct said *t, struct redact_match *ret_match)
{
    static const char before[][14] = {"FTP: ", "POP: ", "POP3: ", "IRC: ", "Request: ", "C: "};
    static const char answers[][8] = {"+OK", "-ERR", "230", "530", "331", "NICK ", "USER "};
    size_t line = redact_line_end(s, t->to), above = redact_line_start(s, t->word, FRONT_MOST);
    if (is_in_bytes(s, t))
        return !t->blanks && redact_at(s, t->to, "\\r\\n") && take(t, ret_match);
    if (t->written)
        return false;
    size_t user = above ? redact_line_start(s, above - 1, FRONT_MOST) : 0;
    bool asked = above && memmem(s->text + user, above - user, "USER ", 5);
    bool dots = t->word && s->text[t->word - 1] == '.';
    bool answered = asked && !t->blanks && (dots || is_strong(s, t->from, t->to));
    for (size_t i = 0; i < sizeof answers / sizeof *answers && !answered; i++)
        answered = redact_at(s, line + 1, answers[i]);
    if (answered && (redact_leads_line(s, t->word) || dots))
        return take(t, ret_match);
    if (dots || IS_BEHIND(s, t->word, before))
        return !t->blanks && is_strong(s, t->from, t->to) && take(t, ret_match);
    bool shown = t->word >= 2 && redact_at(s, t->word - 2, "> ");
    bool arrow = shown && t->word >= 3 && s->text[t->word - 3] == '-' && t->to - t->from < 40;
    return shown && (!t->blanks || arrow) && !memchr(s->text + t->from, '/', t->to - t->from) &&
           take(t, ret_match);
}

/* `AUTH PLAIN X`, base64 of it. */
static bool is_base64(struct redact_scan *s, const struct said *t, struct redact_match *ret_match)
{
    size_t lower = redact_run(s, t->from, CLASS_LOWER); /* a word is no base64 */
    static const char before[][14] = {"AUTH ", "AUTHENTICATE "};
    return IS_BEHIND(s, t->word, before) && t->to - t->from >= 8 && lower < t->to &&
           (t->to - t->from) % 4 == 0 &&
           redact_run(s, t->from, CLASS_ALNUM | CLASS_BASE64) == t->to && take(t, ret_match);
}

/* `> AUTH X`, `> AUTH user X`, Redis' and others'. */
static bool is_auth(struct redact_scan *s, struct said *t, struct redact_match *ret_match)
{
    size_t last = t->to;
    char quote = s->text[t->to - 1];
    if (t->blanks && REDACT_ONE_OF(quote, "\"'") && t->to > t->from + 2)
        for (last--; last > t->from && s->text[last - 1] != quote;)
            last--; /* AUTH user "X Y" */
    else
        quote = 0;
    while (last > t->from && !quote && !redact_in(s->text[last - 1], CLASS_BLANK))
        last--;
    t->to -= quote != 0;
    bool shown = t->word >= 2 && redact_at(s, t->word - 2, "> ");
    shown = shown || (t->word >= 10 && redact_at(s, t->word - 8, "HELLO ") &&
                      redact_at(s, t->word - 10, "> ")); /* HELLO 3 AUTH user X */
    t->from = last;
    if (redact_at(s, last, "PLAIN") || redact_at(s, last, "LOGIN") || redact_at(s, last, "TLS"))
        return false;
    return (is_in_bytes(s, t) || shown) && t->to >= last + 4 &&
           !redact_is_placeholder(s, last, t->to) && take(t, ret_match);
}

/* Redis' `"AUTH" "user" "X"`, as MONITOR shows it: the last of the line. */
static bool is_monitored(struct redact_scan *s, size_t at, size_t end,
                         struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end), from;
    if (!at || s->text[at - 1] != '"' || !redact_at(s, end, "\" \"") || line - end > WORD_MOST ||
        s->text[line - 1] != '"' || memchr(s->text + end, '\\', line - end))
        return false;
    for (from = line - 1; s->text[from - 1] != '"';)
        from--;
    *ret_match = (struct redact_match){from, line - 1, "value"};
    return from > end && line >= from + 4 && !redact_is_placeholder(s, from, line - 1);
}

/* ---- IMAP ---- */

/* Whether the lines around are IMAP's: an answer to the tag below, or a server's words above. */
static bool is_of_imap(struct redact_scan *s, size_t tag, size_t len, size_t line)
{
    static const char words[][12] = {"* OK",   "s_client", "imap", ":993",      ":143",
                                     " 143\n", " 993\n",   "IMAP", "CAPABILITY"};
    size_t below = line + 1, above = tag > ABOVE_MOST ? tag - ABOVE_MOST : 0;
    bool same = s->len > below + len + 3 && !memcmp(s->text + below, s->text + tag, len);
    if (same && (redact_at(s, below + len, " OK") || redact_at(s, below + len, " NO") ||
                 redact_at(s, below + len, " BAD")))
        return true;
    return redact_at(s, below, "* ") || redact_at(s, below, "S: ") ||
           REDACT_HOLDS(s, above, tag, words);
}

/* `a001 LOGIN user X`, as a client of IMAP tells it: X is to the line's end. */
static bool is_imap(struct redact_scan *s, struct said *t, struct redact_match *ret_match)
{
    size_t start = redact_line_start(s, t->word, FRONT_MOST), tag = t->word - (t->word > 0);
    while (tag > start && redact_in(s->text[tag - 1], CLASS_ALNUM | CLASS_DOT))
        tag--;
    size_t len = t->word - tag - (t->word > 0), line = redact_line_end(s, t->to);
    bool first = tag == start || IS_BEHIND(s, tag, ((const char[][14]){"C: ", "> ", "\"", "\\n"}));
    if (!len || len > 12 || s->text[t->word - 1] != ' ' || !first)
        return false;
    bool digit = redact_has_digit(s, tag, t->word), upper = s->text[t->word] == 'L';
    bool sure = (digit && upper) || (t->written && upper);
    size_t user = redact_char(s, t->from) == '"' ? redact_shell_word(s, t->from, t->to)
                                                 : redact_run(s, t->from, ~(uint32_t)CLASS_SPACE);
    size_t value = user + 1, quote = redact_at(s, value, "\\\"") ? 2 : redact_at(s, value, "\"");
    if (user >= t->to || value + quote + 4 > t->to || redact_is_placeholder(s, value, t->to) ||
        (!sure && !((digit || len == 1) && is_of_imap(s, tag, len, line))))
        return false;
    value += quote;
    if (!quote && sure && !redact_has_digit(s, value, t->to))
        return false;
    size_t to = t->to - (quote && s->text[t->to - 1] == '"');
    to -= quote == 2 && s->text[to - 1] == '\\';
    *ret_match = (struct redact_match){value, to, "value"};
    return to > value;
}

/* ---- lines of Redis' protocol ---- */

/* Behind `$16` and a line's end, whether as it is or written: the text of so many bytes at `at`. */
static size_t skip_end(const struct redact_scan *s, size_t at)
{
    if (redact_at(s, at, "\\r\\n"))
        return at + 4;
    at += redact_char(s, at) == '\r';
    return at < s->len && s->text[at] == '\n' ? at + 1 : 0;
}

/* `AUTH`, `$3`, `bob`, `$16`, `X`: the last of them. */
static bool is_resp(struct redact_scan *s, size_t end, struct redact_match *ret_match)
{
    bool is = false;
    for (size_t at = end, i = 0; i < 2; i++) {
        size_t sign = skip_end(s, at), digits = sign ? redact_run(s, sign + 1, CLASS_DIGIT) : 0;
        if (!sign || redact_char(s, sign) != '$' || digits == sign + 1 || digits > sign + 4)
            return is;
        size_t from = skip_end(s, digits), len = 0;
        for (size_t d = sign + 1; d < digits; d++)
            len = len * 10 + (size_t)(s->text[d] - '0');
        if (!from || len < 2 || s->len - from < len || memchr(s->text + from, '\n', len))
            return is;
        *ret_match = (struct redact_match){from, from + len, "value"};
        is = true;
        at = from + len;
    }
    return is;
}

/* What is said behind `334 UGFzc3dvcmQ6`, which asks for a password. */
static bool is_asked(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (end - at != 12 || memcmp(s->text + at, "UGFzc3dvcmQ6", 12) != 0 ||
        redact_char(s, end) != '\n' || end + 8 > s->len)
        return false;
    size_t line = redact_line_end(s, end + 1), from = line, to = line;
    to -= to > end + 1 && s->text[to - 1] == '\r';
    while (from > end + 1 && !redact_in(s->text[from - 1], CLASS_BLANK))
        from--;
    *ret_match = (struct redact_match){from, to, "value"};
    return to >= from + 4 && (to - from) % 4 == 0 && /* base64: not a log's next line */
           redact_run(s, from, CLASS_ALNUM | CLASS_BASE64) == to;
}

bool redact_talk(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    char last = s->text[end - 1];
    if (!REDACT_ONE_OF(last, "6HShNn"))
        return false; /* most */
    struct said t;
    size_t word = end;
    if (last == '6')
        return is_asked(s, at, end, ret_match);
    if (last == 'H' && redact_char(s, end) == '"' && end - at == 4 && redact_at(s, at, "AUTH"))
        return is_monitored(s, at, end, ret_match);
    if (last == 'H' && (word = word_at(s, at, end, "AUTH")) < end && redact_char(s, end) != ' ')
        return is_resp(s, end, ret_match);
    if (redact_char(s, end) != ' ')
        return false;
    switch (last) {
    case 'S':
        word = word_at(s, at, end, "PASS");
        return word < end && read_said(s, word, end, &t) && is_pass(s, &t, ret_match);
    case 'H':
        return word < end && read_said(s, word, end, &t) && is_auth(s, &t, ret_match);
    case 'h': /* Redis' `127.0.0.1:6379> auth X` */
        return end - at == 4 && at >= 4 && redact_at(s, at, "auth") &&
               redact_in(s->text[at - 3], CLASS_DIGIT) && read_said(s, at, end, &t) &&
               is_auth(s, &t, ret_match);
    case 'N':
    case 'n':
        if ((word = word_at(s, at, end, "LOGIN")) == end)
            word = word_at(s, at, end, "login");
        if (word < end && read_said(s, word, end, &t) && is_imap(s, &t, ret_match))
            return true;
        word = word == end ? word_at(s, at, end, "PLAIN") : word;
        return word < end && read_said(s, word, end, &t) && is_base64(s, &t, ret_match);
    default:
        return false;
    }
}
