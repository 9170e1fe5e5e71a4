/* Keys and certificates in armour (RFC 7468, OpenPGP, PuTTY, SSH2): a BEGIN line, base64, an END
 * line. A preview holds the end of an output, so the beginning may be missing; a broken off command
 * leaves the end out; and each line may have a number, a sign or a name in front. Lines of base64
 * that are all as long as such lines are need neither. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/rules.h"

#define LABEL_MAX     64
#define MARK_NEAR     64
#define PREFIX_MOST   96  /* in front of a line of a body: a file's name, a number */
#define LINE_MOST     200 /* no line of a body is longer */
#define DASHES_MOST   6   /* in front of a BEGIN, one of them a diff's */
#define ADDRESS_LEAST 60  /* bytes of one in an address, from its BEGIN on */
#define WORD_MOST     12  /* of a sentence that tells of a BEGIN */
#define HEADS_MOST    16  /* lines of headings, and empty ones, in front of a body */

static const struct redact_word marks[2][2] = {{REDACT_WORD("-BEGIN "), REDACT_WORD("-END ")},
                                               {REDACT_WORD("- BEGIN "), REDACT_WORD("- END ")}};

/* ---- lines ---- */

struct line {
    size_t from, to;  /* the line, without its \n */
    size_t body, end; /* base64 in it; empty for none */
};

/* What may stand behind a line's base64: the end of a string that holds it, or three dots where it
 * was cut. */
static size_t trim(const struct redact_scan *s, size_t from, size_t to)
{
    if (to > from + 3 &&
        (!memcmp(s->text + to - 3, "...", 3) || !memcmp(s->text + to - 3, "\xe2\x80\xa6", 3)))
        return to - 3;
    if (to > from + 1 && s->text[to - 1] == '+' &&
        redact_in(s->text[to - 2], CLASS_ALNUM | CLASS_BASE64))
        return to; /* base64 itself ends so */
    while (to > from && REDACT_ONE_OF(s->text[to - 1], " \t\r\"',;\\+)") && s->text[to - 1] != 'n')
        to--;
    if (to > from + 1 && s->text[to - 1] == 'n' && s->text[to - 2] == '\\')
        to -= 2;
    while (to > from && s->text[to - 1] == '\\')
        to--;
    return to;
}

static void read_line(struct redact_scan *s, size_t at, struct line *l)
{
    *l = (struct line){.from = at, .to = redact_line_end(s, at)};
    l->end = trim(s, at, l->to);
    l->body = l->end;
    while (l->body > at && l->end - l->body < LINE_MOST &&
           redact_in(s->text[l->body - 1], CLASS_ALNUM | CLASS_BASE64))
        l->body--;
    if (l->body > at && l->body - at > PREFIX_MOST)
        l->body = l->end;
    if (l->body < l->end && s->text[l->body] == '+' && l->body == at)
        l->body += (l->end - l->body) % 4 == 1; /* a diff's sign */
}

static size_t body_length(const struct line *l)
{
    return l->end - l->body;
}

/* Letters of both cases and digits, as in base64 of what is no text: not a hash. */
static bool is_dense(const struct redact_scan *s, const struct line *l)
{
    unsigned seen = 0;
    for (size_t i = l->body; i < l->end; i++)
        seen |= redact_in(s->text[i], CLASS_DIGIT)                                ? 1u
                : redact_in(s->text[i], CLASS_UPPER)                              ? 2u
                : redact_in(s->text[i], CLASS_LOWER & ~(uint32_t)CLASS_HEX_LOWER) ? 4u
                                                                                  : 0;
    return seen == 7;
}

/* A header of what is in armour: `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`, or nothing. */
static bool is_heading(const struct redact_scan *s, const struct line *l)
{
    static const char *const names[] = {
        "Proc-Type:",     "DEK-Info:",       "Version:", "Comment:",    "Hash:",
        "Charset:",       "MessageID:",      "Subject:", "Encryption:", "Public-Lines:",
        "Private-Lines:", "Key-Derivation:", "Argon2-"};
    size_t at = l->from, start;
    while (at < l->to && at - l->from < PREFIX_MOST && !redact_in(s->text[at], CLASS_UPPER))
        at++;
    start = at;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (redact_at(s, start, names[i]))
            return true;
    return false;
}

/* Nothing, or a line's number alone. */
static bool is_blank(const struct redact_scan *s, const struct line *l)
{
    for (size_t i = l->from; i < l->to; i++)
        if (!redact_in(s->text[i], CLASS_BLANK | CLASS_DIGIT | CLASS_COLON | CLASS_DASH) &&
            !REDACT_ONE_OF(s->text[i], "+|>#*"))
            return false;
    return true;
}

/* Body lines as they are walked over. */
struct walk {
    size_t full, grew; /* the longest, and where it is */
    size_t end;        /* of those so far */
    int heads;         /* lines of headings that may come yet */
};

/* Whether the line goes on with a body. */
static bool is_body_line(const struct redact_scan *s, const struct walk *w, const struct line *l)
{
    size_t body = body_length(l);
    bool last = l->to == s->len, checksum = body == 5 && s->text[l->body] == '=';
    if (!body || body > LINE_MOST || (w->full && body > w->full + 1) ||
        (!w->full && body < 4 && !last) ||
        (w->full && body < w->full && body % 4 && !checksum && !last))
        return false;
    return l->body == l->from || !redact_in(s->text[l->body - 1], CLASS_ALNUM | CLASS_UNDER);
}

/* Takes the line; false where it is the last. */
static bool take_line(struct redact_scan *s, struct walk *w, const struct line *l)
{
    size_t body = body_length(l), at = l->to + 1;
    if (w->heads && (is_heading(s, l) || is_blank(s, l))) {
        w->heads--;
        w->end = l->to;
        return true;
    }
    if (l->to == s->len &&
        !memcmp("-----END ", s->text + l->from, l->to - l->from < 9 ? l->to - l->from : 9)) {
        w->end = l->to; /* of which more is to come */
        return false;
    }
    w->heads = 0;
    if (!is_body_line(s, w, l))
        return false;
    w->end = l->to;
    if (w->full && body + 1 < w->full && !(body == 5 && s->text[l->body] == '=')) {
        struct line next;
        if (at < s->len)
            read_line(s, at, &next);
        if (at < s->len && body_length(&next) == 5 && s->text[next.body] == '=')
            w->end = next.to;
        return false;
    }
    if (body > w->full) {
        w->full = body;
        w->grew = l->from;
    }
    return true;
}

/* The end of the body lines from `at` on, the first of which may be any. What a line does to a body
 * depends on nothing but the longest in front of it: where the walk before came by with that, it is
 * known where this one ends. */
static size_t skip_body(struct redact_scan *s, size_t at)
{
    struct walk w = {.end = at, .heads = HEADS_MOST};
    struct redact_walked *known = &s->walked;
    size_t last = at;
    for (struct line l; at < s->len; at = l.to + 1) {
        if (w.full && w.full == known->full && at > known->grew && at <= known->last)
            return known->end;
        read_line(s, at, &l);
        last = at;
        if (!take_line(s, &w, &l))
            break;
    }
    *known = (struct redact_walked){w.full, w.grew, last, w.end};
    return w.end;
}

/* ---- BEGIN and END ---- */

/* Where the mark stands at or behind `at`; NULL for nowhere. Those that are near are found by a
 * look at each byte: memmem() has more to do before its first. */
static const char *find_mark(const struct redact_scan *s, size_t at, const struct redact_word *mark)
{
    size_t near = s->len - at > MARK_NEAR + LABEL_MAX ? at + MARK_NEAR : at;
    for (; at < near; at++)
        if (s->text[at] == '-' && !memcmp(s->text + at, mark->text, mark->len))
            return s->text + at;
    return memmem(s->text + at, s->len - at, mark->text, mark->len);
}

/* The next mark at or behind `at`, looked for once. The text's length for none. */
static size_t next_of(struct redact_scan *s, size_t at, int which, int form)
{
    size_t *known = &s->pem[form][which];
    if (*known < at || *known == 0) {
        const struct redact_word *mark = &marks[form][which];
        const char *found = find_mark(s, at, mark);
        *known = found ? (size_t)(found - s->text) : s->len;
    }
    return *known;
}

enum { BEGIN, END };

static size_t next_mark(struct redact_scan *s, size_t at, int which)
{
    size_t first = next_of(s, at, which, 0), second = next_of(s, at, which, 1);
    return first < second ? first : second;
}

static bool is_dashes(const struct redact_scan *s, size_t at)
{
    return at + 1 < s->len && s->text[at] == '-' && s->text[at + 1] == '-';
}

enum { SAYS_PRIVATE = 1, SAYS_PUBLIC = 2 };

/* What a label says, read once. */
static unsigned label_says(const struct redact_scan *s, size_t from, size_t to)
{
    static const struct redact_word words[] = {
        REDACT_WORD("PRIVATE"),       REDACT_WORD("CERTIFICATE"), REDACT_WORD("PUBLIC KEY"),
        REDACT_WORD("X509 CRL"),      REDACT_WORD("SIGNATURE"),   REDACT_WORD("PARAMETERS"),
        REDACT_WORD("SIGNED MESSAGE")};
    unsigned says = 0;
    for (size_t at = from; at < to; at++)
        for (size_t i = 0; REDACT_ONE_OF(s->text[at], "PCXS") && i < sizeof words / sizeof *words;
             i++)
            if (*words[i].text == s->text[at] && to - at >= words[i].len &&
                !memcmp(s->text + at, words[i].text, words[i].len))
                says |= i ? SAYS_PUBLIC : SAYS_PRIVATE;
    return says;
}

/* Behind `-BEGIN LABEL-----`, at whose mark `at` is; 0 when that is not there. */
static size_t skip_label(const struct redact_scan *s, size_t at, bool *ret_key)
{
    size_t label = at + 1, end;
    while (label < s->len && redact_in(s->text[label], CLASS_BLANK))
        label++;
    end = label;
    while (end < s->len && end - label <= LABEL_MAX && s->text[end] != '\n' && !is_dashes(s, end))
        end++;
    if (!is_dashes(s, end))
        return 0;
    *ret_key = label_says(s, label, end) & SAYS_PRIVATE;
    while (end < s->len && s->text[end] == '-')
        end++;
    return end;
}

/* What its BEGIN calls public. */
static bool is_public(const struct redact_scan *s, size_t mark, size_t body)
{
    return label_says(s, mark, body) == SAYS_PUBLIC;
}

static const char *type_of(bool key)
{
    return key ? "private-key" : "pem";
}

/* Counts what such a body is of in [from, to): mostly what was counted last, moved a little. */
static void count_byte(struct redact_scan *s, size_t at, size_t by)
{
    s->body.letters += redact_in(s->text[at], CLASS_ALNUM) ? by : 0;
    s->body.good +=
        redact_in(s->text[at], CLASS_ALNUM | CLASS_BASE64 | CLASS_SPACE | CLASS_BACKSLASH |
                                   CLASS_DASH | CLASS_COLON | CLASS_DOUBLE)
            ? by
            : 0;
}

static const struct redact_body *count_body(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_body *b = &s->body;
    if (from < b->from || from > b->to)
        *b = (struct redact_body){.from = from, .to = from};
    while (b->from < from)
        count_byte(s, b->from++, (size_t)-1);
    while (b->to < to)
        count_byte(s, b->to++, 1);
    while (b->to > to)
        count_byte(s, --b->to, (size_t)-1);
    return b;
}

/* Whether there is anything between, and it is what such a body is of: programs speak of marks. */
static bool has_body(struct redact_scan *s, size_t from, size_t to)
{
    size_t looked = to - from < 300 ? to - from : 300;
    const struct redact_body *b = count_body(s, from, from + looked);
    if (to + 1 >= s->len && looked < 8)
        return b->good == looked; /* more is to come */
    return b->letters >= 4 && b->good * 100 >= looked * 88;
}

/* The end of the line that `at` is in, and of the body below; looked for once in a line. */
static size_t armour_line(struct redact_scan *s, size_t at, size_t *ret_to)
{
    if (at < s->armour_from || at > s->armour_line) {
        size_t line = redact_line_end(s, at);
        s->armour_from = at;
        s->armour_line = line;
        s->armour_to = skip_body(s, line < s->len ? line + 1 : line);
    }
    *ret_to = s->armour_to;
    return s->armour_line;
}

/* `-----BEGIN%20PRIVATE%20KEY-----%0AMII`, as an address and a form have it: all of it is a word.
 */
static bool is_in_address(struct redact_scan *s, size_t at, size_t mark,
                          struct redact_match *ret_match)
{
    size_t to = redact_run(s, at, CLASS_ALNUM | CLASS_BASE64 | CLASS_DASH | CLASS_PERCENT);
    size_t most = to - mark > LABEL_MAX ? mark + LABEL_MAX : to;
    *ret_match = (struct redact_match){at, to, type_of(true)};
    return to - mark > ADDRESS_LEAST && (label_says(s, mark, most) & SAYS_PRIVATE);
}

/* Whether a sentence goes on behind the BEGIN: ` is what`. */
static bool is_told_of(struct redact_scan *s, size_t at)
{
    size_t word = redact_run(s, at, CLASS_BLANK), to = redact_run(s, word, CLASS_LOWER);
    return word > at && to > word && to - word < WORD_MOST && redact_char(s, to) == ' ' &&
           redact_in(redact_char(s, to + 1), CLASS_LOWER);
}

static bool is_armour(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    bool key, ignored;
    size_t mark = at;
    while (mark < s->len && mark - at < DASHES_MOST && s->text[mark] == '-')
        mark++;
    if (mark - at >= 4 && redact_at(s, mark, "BEGIN") &&
        REDACT_ONE_OF(redact_char(s, mark + 5), "%+"))
        return is_in_address(s, at, mark, ret_match);
    if (mark - at < 4 || !(redact_at(s, mark, "BEGIN ") || redact_at(s, mark, " BEGIN ")))
        return false;
    size_t body = skip_label(s, mark - 1, &key);
    char quote = at ? s->text[at - 1] : 0, close = redact_char(s, body),
         next_to = redact_char(s, body + 1);
    if (!body || is_told_of(s, body) ||
        (close == quote && (quote == '\'' || quote == '"') &&
         (next_to == ')' || next_to == ',' || next_to == ' ' || next_to == ';')))
        return false; /* a program speaks of one: startswith('-----BEGIN X-----') */
    size_t end = next_mark(s, body, END), next = next_mark(s, body, BEGIN), to = 0;
    if (end < s->len && end < next)
        to = skip_label(s, end, &ignored);
    if (!to) {
        size_t line = armour_line(s, body, &to);
        size_t same = redact_run(s, body, CLASS_ALNUM | CLASS_BASE64 | CLASS_BACKSLASH);
        to = same > to ? same : to > body && to != line + 1 ? to : line;
    }
    if (is_public(s, mark, body)) {
        s->public_to = to;
        return false;
    }
    *ret_match = (struct redact_match){at, to, type_of(key)};
    return has_body(s, body, to);
}

/* PuTTY's own. */
static bool is_putty(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    if (!redact_at(s, at, "PuTTY-User-Key-File-") && !redact_at(s, at, "Private-Lines:"))
        return false;
    size_t end = redact_line_end(s, at), to = end;
    for (int i = 0; i < 200 && end < s->len; i++) {
        struct line l;
        read_line(s, end + 1, &l);
        bool mac = memmem(s->text + l.from, l.to - l.from, "Private-MAC:", 12) ||
                   memmem(s->text + l.from, l.to - l.from, "Private-Hash:", 13);
        if (!mac && !is_heading(s, &l) && (!body_length(&l) || l.body - l.from > PREFIX_MOST))
            break;
        to = end = l.to;
        if (mac)
            break;
    }
    *ret_match = (struct redact_match){at, to, "private-key"};
    return true;
}

/* ---- lines without either ---- */

/* Where what ends at `end` begins: lines of base64 in front of an END, the first of them cut. */
static size_t body_start(struct redact_scan *s, size_t end)
{
    size_t from = redact_line_start(s, end, LINE_MOST), start = from;
    for (int i = 0; from > 0; i++) {
        struct line l;
        read_line(s, redact_line_start(s, from - 1, LINE_MOST), &l);
        bool cut = l.from == 0 && l.body - l.from <= 3;
        if (is_heading(s, &l) || (body_length(&l) < 16 && !cut && (i || !body_length(&l))))
            break;
        start = cut ? 0 : l.body;
        from = l.from;
        if (l.from && s->text[l.from - 1] != '\n')
            break;
    }
    return start;
}

bool redact_pem_tail(struct redact_scan *s, struct redact_match *ret_match)
{
    bool key;
    size_t end =
        next_mark(s, 0, END); /* an ellipsis in front of a line that was cut goes with it */
    if (end >= s->len || next_mark(s, 0, BEGIN) < end)
        return false;
    size_t to = skip_label(s, end, &key), from = body_start(s, end);
    if (!to || from >= redact_line_start(s, end, LINE_MOST))
        return false;
    *ret_match = (struct redact_match){from, to, type_of(key)};
    return true;
}

/* At least two lines, equally long as such lines are, dense; with an END, if there is one. */
bool redact_pem_line(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    struct line first, next;
    bool key = true;
    if (at < s->public_to || redact_line_end(s, at) - at < 60)
        return false;
    read_line(s, at, &first);
    size_t len = body_length(&first);
    if ((len != 64 && len != 70 && len != 76 && len != 72 && len != 60) || first.to + 1 >= s->len)
        return false;
    read_line(s, first.to + 1, &next);
    if (body_length(&next) != len || !is_dense(s, &first) || !is_dense(s, &next))
        return false;
    size_t to = skip_body(s, at), end = to < s->len ? redact_line_end(s, to + 1) : to;
    size_t mark = next_mark(s, first.body, END);
    size_t label = mark < end ? skip_label(s, mark, &key) : 0;
    *ret_match = (struct redact_match){first.body, label ? label : to, type_of(key)};
    return ret_match->to > first.body;
}

bool redact_pem(struct redact_scan *s, size_t at, struct redact_match *ret_match)
{
    char c = s->text[at];
    if (c == '-' && (at == 0 || s->text[at - 1] != '-'))
        return is_armour(s, at, ret_match);
    return c == 'P' && redact_starts_word(s, at) && is_putty(s, at, ret_match);
}
