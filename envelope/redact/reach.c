/* Secrets that a name tells of whatever stands between the two: `os.environ["TOKEN"] or "X"`,
 * `setPassword("X")`, `token -> X`, `Password created for bob: X`. What is in between is not read
 * as one language or another: the next word of the line that has a digit is looked at, and what it
 * is made of says whether it is a secret; the less is known of the way there, the more it has to
 * say. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/rules.h"

#define REACH_MOST  110 /* bytes between a name and its value */
#define TOKEN_MOST  512 /* of a value without quotes, and in front of its first digit */
#define PHRASE_MOST 24  /* in front of a name, of the words that belong to it */
#define QUOTE_MOST  128 /* in quotes, in front of the first digit */

/* Whether [from, to) is one of them, capital letters or not. */
static bool is_word_of(redact_words words, const struct redact_scan *s, size_t from, size_t to)
{
    return from < to && redact_in(s->text[from], CLASS_UPPER | CLASS_LOWER) &&
           redact_is_word_of(words, s->text + from, to - from);
}

/* ---- the next word of the line with a digit ---- */

static bool ends_token(char c)
{
    return redact_in(c, CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK | CLASS_LESS) ||
           REDACT_ONE_OF(c, "()[]{}>,;|&\x1b");
}

/* Where what `digit` is in begins, behind a blank or a quote, `most` at the earliest: what is known
 * to have neither is not looked at again. */
static size_t part_start(struct redact_scan *s, size_t digit, size_t most)
{
    uint32_t ends = CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK;
    bool known = digit > s->bare_from && digit <= s->bare_to;
    size_t at = known ? s->bare_from : digit;
    while (!known && at > most && at != s->bare_to && !redact_in(s->text[at - 1], ends))
        at--;
    if (!known && at == s->bare_to && at > s->bare_from)
        at = s->bare_from;
    while (at > most && !redact_in(s->text[at - 1], ends))
        at--;
    s->bare_from = at;
    s->bare_to = known ? s->bare_to : digit;
    return at > most ? at : most;
}

/* The quote that opens what `digit` is in: nothing but a word is between. 0 for none. */
static size_t opening_quote(struct redact_scan *s, size_t digit)
{
    size_t most = digit > QUOTE_MOST ? digit - QUOTE_MOST : 0, at = part_start(s, digit, most);
    if (at == most || redact_in(s->text[at - 1], CLASS_SPACE))
        return 0;
    size_t before = at - 1;
    while (before > 0 && s->text[before - 1] == '\\')
        before--;
    return before && redact_in(s->text[before - 1], CLASS_ALNUM) ? 0 : at; /* it closes another */
}

/* Whether the escape of a terminal's that sets a colour is there: behind it, or 0. */
static size_t skip_colour(struct redact_scan *s, size_t digit)
{
    size_t from = digit;
    while (from > 0 && digit - from < 12 &&
           (redact_in(s->text[from - 1], CLASS_DIGIT) || s->text[from - 1] == ';'))
        from--;
    if (!from || s->text[from - 1] != '[') /* the escape itself is seen by nobody */
        return 0;
    while (digit < s->len && (redact_in(s->text[digit], CLASS_DIGIT) || s->text[digit] == ';'))
        digit++;
    return redact_char(s, digit) == 'm' ? digit + 1 : 0;
}

/* Whether no end of a word is in [at, to]: what is known to have none is not looked at again. */
static bool goes_on(struct redact_scan *s, size_t at, size_t to)
{
    if (at < s->word_goes_from || at > s->word_goes_to)
        s->word_goes_from = s->word_goes_to = at;
    while (s->word_goes_to <= to && !ends_token(s->text[s->word_goes_to]))
        s->word_goes_to++;
    return s->word_goes_to > to;
}

/* Up to where another digit of the word would be read as this one is: as near to the same quote,
 * and behind no sign that a word begins behind. */
static size_t same_until(const struct redact_scan *s, size_t digit, const struct redact_reached *t)
{
    uint32_t parts = CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK;
    size_t to = digit, most = t->to;
    if (t->quote && most - t->from > QUOTE_MOST)
        most = t->from + QUOTE_MOST;
    while (to < most && !redact_in(s->text[to], parts) &&
           (t->quote || (s->text[to] != '=' && s->text[to] != ':')))
        to++;
    return to;
}

/* The whole word around the digit, or what is in its quotes. */
static void read_token(struct redact_scan *s, size_t digit, struct redact_reached *t)
{
    size_t quote = opening_quote(s, digit), line = redact_line_end(s, digit);
    size_t most = line - digit < TOKEN_MOST ? line : digit + TOKEN_MOST;
    *t = (struct redact_reached){.digit = digit + 1, .from = digit, .to = digit};
    const char *close = quote ? memchr(s->text + digit, s->text[quote - 1], most - digit) : NULL;
    size_t to = close ? (size_t)(close - s->text) : 0;
    bool all = true; /* what is in front of it ends where it does, too */
    if (to && !memchr(s->text + quote, ' ', to - quote)) {
        t->from = quote, t->to = to, t->quote = s->text[quote - 1];
        while (t->to > t->from && s->text[t->to - 1] == '\\')
            t->to--;
    } else if (most < line && goes_on(s, digit, most)) {
        return; /* with REDACT_WEAK */
    } else {
        size_t least = digit > TOKEN_MOST ? digit - TOKEN_MOST : 0;
        while (t->from > least && !ends_token(s->text[t->from - 1]) &&
               s->text[t->from - 1] != '=' && s->text[t->from - 1] != ':')
            t->from--;
        all = t->from > least || !least;
        size_t behind = skip_colour(s, t->from);
        t->from = behind ? behind : t->from;
        while (t->to < most && !ends_token(s->text[t->to]))
            t->to++;
        while (t->to > digit + 1 && REDACT_ONE_OF(s->text[t->to - 1], ".:?!") &&
               (t->to == line || redact_in(s->text[t->to], CLASS_BLANK)))
            t->to--;
    }
    bool whole = t->to < most || t->to == line, call = redact_char(s, t->to) == '(';
    t->strength = whole && !(call && !t->quote) ? redact_strength(s, t) : REDACT_WEAK;
    t->same = whole && all ? same_until(s, digit, t) : 0;
}

/* ---- the way there ---- */

/* What comes in front of numbers and sums that are none. */
static bool is_other_word(const struct redact_scan *s, size_t from, size_t to)
{
    static const struct redact_word words[32][REDACT_OF_LETTER] = {
        ['a' & 31] = {REDACT_WORD("address"), REDACT_WORD("at"), REDACT_WORD("algorithm"),
                      REDACT_WORD("alg"), REDACT_WORD("arn")},
        ['b' & 31] = {REDACT_WORD("branch"), REDACT_WORD("build")},
        ['c' & 31] = {REDACT_WORD("checksum"), REDACT_WORD("commit"), REDACT_WORD("count"),
                      REDACT_WORD("client"), REDACT_WORD("client_id"), REDACT_WORD("code"),
                      REDACT_WORD("cipher")},
        ['d' & 31] = {REDACT_WORD("digest"), REDACT_WORD("date")},
        ['e' & 31] = {REDACT_WORD("etag"), REDACT_WORD("expires"), REDACT_WORD("email"),
                      REDACT_WORD("error")},
        ['f' & 31] = {REDACT_WORD("fingerprint"), REDACT_WORD("file"), REDACT_WORD("from"),
                      REDACT_WORD("format")},
        ['h' & 31] = {REDACT_WORD("hash"), REDACT_WORD("host"), REDACT_WORD("hint")},
        ['i' & 31] = {REDACT_WORD("id"), REDACT_WORD("issuer"), REDACT_WORD("image"),
                      REDACT_WORD("in")},
        ['j' & 31] = {REDACT_WORD("job")},
        ['k' & 31] = {REDACT_WORD("kid")},
        ['l' & 31] = {REDACT_WORD("line"), REDACT_WORD("login"), REDACT_WORD("length")},
        ['m' & 31] = {REDACT_WORD("md5"), REDACT_WORD("method")},
        ['n' & 31] = {REDACT_WORD("name"), REDACT_WORD("node"), REDACT_WORD("nonce")},
        ['o' & 31] = {REDACT_WORD("on")},
        ['p' & 31] = {REDACT_WORD("path"), REDACT_WORD("port"), REDACT_WORD("pid"),
                      REDACT_WORD("public"), REDACT_WORD("prefix")},
        ['r' & 31] = {REDACT_WORD("revision"), REDACT_WORD("request"), REDACT_WORD("release"),
                      REDACT_WORD("region"), REDACT_WORD("ref")},
        ['s' & 31] = {REDACT_WORD("serial"), REDACT_WORD("sha256"), REDACT_WORD("sha1"),
                      REDACT_WORD("size"), REDACT_WORD("subject"), REDACT_WORD("scope"),
                      REDACT_WORD("see"), REDACT_WORD("status")},
        ['t' & 31] = {REDACT_WORD("type"), REDACT_WORD("time"), REDACT_WORD("thumbprint")},
        ['u' & 31] = {REDACT_WORD("uuid"), REDACT_WORD("until"), REDACT_WORD("user"),
                      REDACT_WORD("username"), REDACT_WORD("url"), REDACT_WORD("uri")},
        ['v' & 31] = {REDACT_WORD("version")},
    };
    for (size_t at = from; at < to; at++) /* request_id */
        from = redact_in(s->text[at], CLASS_ALNUM) ? from : at + 1;
    return is_word_of(words, s, from, to);
}

/* `is`, `to`, `or`, also in other languages. */
static bool is_is(const struct redact_scan *s, size_t from, size_t to)
{
    static const struct redact_word words[32][REDACT_OF_LETTER] = {
        ['a' & 31] = {REDACT_WORD("auf"), REDACT_WORD("ar"), REDACT_WORD("adalah"),
                      REDACT_WORD("a"), REDACT_WORD("as")},
        ['e' & 31] = {REDACT_WORD("est"), REDACT_WORD("es"), REDACT_WORD("e"), REDACT_WORD("er"),
                      REDACT_WORD("einai"), REDACT_WORD("en")},
        ['i' & 31] = {REDACT_WORD("is"), REDACT_WORD("ist")},
        ['j' & 31] = {REDACT_WORD("jest")},
        ['l' & 31] = {REDACT_WORD("lautet")},
        ['n' & 31] = {REDACT_WORD("now")},
        ['o' & 31] = {REDACT_WORD("or"), REDACT_WORD("olarak")},
        ['r' & 31] = {REDACT_WORD("reads")},
        ['t' & 31] = {REDACT_WORD("to"), REDACT_WORD("til")},
        ['w' & 31] = {REDACT_WORD("was")},
        ['z' & 31] = {REDACT_WORD("zu")},
    };
    return is_word_of(words, s, from, to);
}

struct way {
    bool sign;  /* = : -> is, or a bracket, right in front of the value */
    bool said;  /* words of a sentence are in between */
    bool plain; /* nothing but signs */
    bool other; /* the value belongs to another name */
    bool from;  /* `changed from X to Y` */
    bool is;    /* `is`, `to` or `or` is in front of it */
    bool pair;  /* behind a user: `credentials: admin / X`, `'admin:X'` */
};

/* Behind the last sign in front of `to` that is no quote and no colour. */
static size_t behind_sign(const struct redact_scan *s, size_t from, size_t to)
{
    size_t sign = to;
    for (bool more = true; more;) {
        while (sign > from &&
               redact_in(s->text[sign - 1],
                         CLASS_SPACE | CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK | CLASS_BACKSLASH))
            sign--;
        size_t colour = sign > from + 2 && s->text[sign - 1] == 'm' ? sign - 1 : 0;
        while (colour > from &&
               (redact_in(s->text[colour - 1], CLASS_DIGIT) || s->text[colour - 1] == ';'))
            colour--;
        more = colour > from && s->text[colour - 1] == '[';
        sign = more ? colour - 1 : sign;
    }
    return sign;
}

/* What is between the first name of several and the value that all of them may be of is read once:
 * of what is behind a later one the same is known. */
static void read_path(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_path *p = &s->path;
    *p = (struct redact_path){.from = from, .to = to, .sign = behind_sign(s, from, to)};
    for (size_t at = from; at < to; at++) {
        size_t colour = s->text[at] == '[' ? skip_colour(s, at + 1) : 0, end = at;
        if (colour) {
            at = colour - 1;
            continue;
        }
        if (!redact_in(s->text[at], CLASS_ALNUM))
            continue;
        while (end < to && redact_in(s->text[end], CLASS_ALNUM | CLASS_UNDER))
            end++;
        p->third = p->second, p->second = p->last, p->last = at + 1;
        p->last_end = end;
        p->said = redact_in(s->text[end], CLASS_BLANK) ? end : p->said;
        at = end;
    }
    if (!p->last)
        return;
    const char *comma = memrchr(s->text + from, ',', p->last - 1 - from);
    p->comma = comma ? (size_t)(comma - s->text) + 1 : 0;
    p->is = is_is(s, p->last - 1, p->last_end);
    p->other = is_other_word(s, p->last - 1, p->last_end);
}

/* Whether a colour begins right behind a name: behind a word it is read as another. */
static const struct redact_path *path_of(struct redact_scan *s, size_t from, size_t to)
{
    const struct redact_path *p = &s->path;
    if (p->to != to || p->from > from || (p->from < from && p->sign <= from) ||
        (p->from != from && s->text[from] == '[' && skip_colour(s, from + 1)))
        read_path(s, from, to);
    return p;
}

/* A name is set to the value by a sign, or what is said of it ends in one. */
static struct way way_of(struct redact_scan *s, size_t from, size_t to)
{
    const struct redact_path *p = path_of(s, from, to);
    size_t sign = p->sign, words = (p->last > from) + (p->second > from) + (p->third > from);
    size_t last = words ? p->last - 1 : from, last_end = words ? p->last_end : from;
    struct way w = {.said = p->said > from};
    w.plain = words == 0;
    char c = sign > from ? s->text[sign - 1] : 0;
    bool is = words && last_end >= sign && p->is;
    w.is = is;
    w.sign = is || (c && REDACT_ONE_OF(c, "=:>({[<?|~@,*")) || (c & 0x80);
    w.pair = words && words <= 2 && (c == ':' || c == '/') && sign - last_end <= 2;
    size_t first = from;
    while (first < to && redact_in(s->text[first], CLASS_BLANK | CLASS_DOUBLE | CLASS_SINGLE))
        first++;
    while (skip_colour(s, first + 1) > first + 1)
        first = skip_colour(s, first + 1);
    w.sign = w.sign || (words <= 2 && first < to && REDACT_ONE_OF(s->text[first], ":="));
    bool set = c == '=' && words;
    bool member = c == ':' && words && redact_in(s->text[last - 1], CLASS_DOUBLE) &&
                  redact_in(s->text[last_end], CLASS_DOUBLE | CLASS_BACKSLASH) &&
                  p->comma > from; /* `"name": "X", "other": "Y"` */
    size_t behind = last_end;
    while (set && behind < sign &&
           redact_in(s->text[behind], CLASS_BLANK | CLASS_DOUBLE | CLASS_SINGLE))
        behind++;
    bool wraps = c == '(' && last_end == sign - 1; /* String::from("X") */
    w.from = words && last_end - last == 4 && redact_at(s, last, "from") && !wraps;
    w.other = member || (words && !is && !wraps && !w.from && p->other);
    if (set && behind == sign - 1 && !redact_at(s, last, "default") &&
        !redact_at(s, last, "value") &&
        (last_end + 1 == to || redact_in(s->text[last - 1], CLASS_BLANK | CLASS_SEPARATOR)))
        w.other = w.other || !redact_in(s->text[last], CLASS_UPPER); /* `, name=X`, no type */
    return w;
}

/* ---- names of several words ---- */

enum redact_telling redact_tells_of_phrase(struct redact_scan *s, size_t at, size_t end)
{
    enum redact_telling tells = redact_tells(s, at, end - at);
    if (tells || at < 2 || s->text[at - 1] != ' ' || !redact_is_of_phrase(s, at, end))
        return tells;
    size_t from = at - 1, many = end - at == 5 && s->text[end - 1] == 's'; /* codes */
    while (from > 0 && at - from < PHRASE_MOST &&
           (redact_in(s->text[from - 1], CLASS_ALNUM) ||
            (s->text[from - 1] == ' ' && s->text[from] != ' ')))
        from--;
    return from + 1 < at ? redact_tells(s, from, end - many - from) : TELLS_NOTHING;
}

/* ---- both ---- */

/* Whether a way there is that would be enough: most values are none, whatever leads to them. */
static bool may_be_enough(const struct redact_reached *t, enum redact_telling tells)
{
    size_t len = t->to - t->from;
    if (t->strength == REDACT_WEAK || t->strength == REDACT_RANDOM)
        return t->strength == REDACT_RANDOM;
    return (tells == TELLS_CODE && len >= 8) ||
           (tells == TELLS_ALL && (t->strength == REDACT_MIXED || len >= (t->quote ? 6 : 8)));
}

static bool is_enough(const struct redact_reached *t, const struct way *w,
                      enum redact_telling tells, bool last)
{
    size_t len = t->to - t->from;
    enum redact_strength is = (enum redact_strength)t->strength;
    if (w->pair && tells == TELLS_CODE && is >= REDACT_SHORT_WORD && len >= 8)
        return true;
    if (w->other || is == REDACT_WEAK)
        return false;
    if (is == REDACT_RANDOM && !(t->hex && len <= 40))
        return w->sign || t->quote || !w->said || tells == TELLS_ALL || last;
    if (is == REDACT_RANDOM)
        return (w->sign && (last || t->quote || !w->said)) ||
               (tells != TELLS_LONG && (t->quote || (w->plain && len >= 32)));
    if (tells == TELLS_LONG)
        return false;
    if (tells == TELLS_CODE)
        return (is == REDACT_MIXED && len >= 12 && (w->sign || t->quote)) ||
               (len >= 20 && w->sign && t->quote);
    if (t->quote)
        return is == REDACT_MIXED || (len >= 6 && w->sign);
    return is == REDACT_MIXED ? w->sign || last : (last || w->is) && w->sign && len >= 8;
}

/* The next digit of the line that belongs to no colour; 0 for none. */
static size_t next_digit(struct redact_scan *s, size_t end)
{
    size_t line = redact_line_end(s, end), at = end;
    size_t most = line - end > REACH_MOST + QUOTE_MOST ? end + REACH_MOST + QUOTE_MOST + 1 : line;
    for (int i = 0; i < 5; i++) {
        at = at < most ? redact_next_digit(s, at, most) : most;
        if (at == most)
            return 0;
        size_t number = redact_run(s, at, CLASS_DIGIT), colour = skip_colour(s, at);
        if (!colour && (number - at > 4 || !REDACT_ONE_OF(redact_char(s, number), "):") ||
                        redact_in(s->text[at - 1], CLASS_WORD | CLASS_DOT)))
            return at;
        at = colour ? colour : number; /* or a length: string(12) "X" */
    }
    return 0;
}

/* A parameter of an address. */
static bool in_query(const struct redact_scan *s, size_t at)
{
    return at && REDACT_ONE_OF(s->text[at - 1], "?&#");
}

/* Nothing but blanks, or a quote, is in front of the name: it has no other word. */
static bool is_first(const struct redact_scan *s, size_t at)
{
    char before = at ? s->text[at - 1] : '\n';
    return redact_in(before, CLASS_DOUBLE | CLASS_SINGLE) ||
           redact_run((struct redact_scan *)s, redact_line_start(s, at, REDACT_LINE_LOOKED_AT),
                      CLASS_BLANK) >= at;
}

/* `{"username": "me", "key": "X"}`. */
static bool names_user(const struct redact_scan *s, size_t at)
{
    size_t from = at > 80 ? at - 80 : 0;
    return at && s->text[at - 1] == '"' && memmem(s->text + from, at - from, "\"username\"", 10);
}

/* What the next word with a digit is, and how the name goes to it. */
static bool reaches(struct redact_scan *s, size_t at, size_t end, enum redact_telling tells,
                    struct redact_match *ret_match)
{
    struct redact_reached *t = &s->reached;
    bool key = !tells, user = key && names_user(s, at);
    size_t digit = next_digit(s, end), from = end;
    if (!digit)
        return false;
    if (t->digit != digit + 1 && !(digit + 1 > t->digit && digit < t->same))
        read_token(s, digit, t);
    if (!may_be_enough(t, tells) || t->from <= end || t->from - end > REACH_MOST ||
        (key && t->hex && !user))
        return false;
    while (redact_char(s, from) == '\\')
        from++;
    from += redact_in(redact_char(s, from), CLASS_DOUBLE | CLASS_SINGLE | CLASS_TICK);
    struct way w = way_of(s, from, t->from);
    w.pair = w.pair && end - at >= 5 &&
             (redact_at(s, end - 5, "creds") || redact_at(s, end - 5, "tials"));
    size_t behind = redact_run(s, t->to + (t->quote != 0), CLASS_BLANK | CLASS_DOT);
    size_t colour = redact_char(s, behind) == '[' ? skip_colour(s, behind + 1) : 0;
    bool last = (colour ? colour : behind) >= redact_line_end(s, t->to);
    if (w.from) {
        w.sign = tells == TELLS_ALL && redact_at(s, t->to, " to ");
        w.other = !w.sign;
        last = true;
    }
    if (w.plain && last &&
        redact_run(s, redact_line_start(s, at, REDACT_LINE_LOOKED_AT), CLASS_BLANK | CLASS_DASH) >=
            at)
        w.sign = true; /* a line of two words */
    if (tells == TELLS_LONG && redact_is_named_sum(s, t->from, t->to))
        return false;
    if (key ? !(w.plain && w.sign && (last || user || in_query(s, at)))
            : !is_enough(t, &w, tells, last))
        return false;
    *ret_match = (struct redact_match){t->from, t->to, "value"};
    if (w.from && redact_at(s, t->to, " to "))
        ret_match->to = redact_run(s, t->to + 4, ~(uint32_t)CLASS_SPACE);
    return true;
}

/* Small letters and dashes, with no sign in between. */
bool redact_is_called_so(const struct redact_scan *s, size_t at, size_t end,
                         const struct redact_match *match)
{
    size_t words = 0, from = match->from;
    bool object = (end - at == 6 && redact_at(s, at, "secret")) ||
                  (end - at == 7 && redact_at(s, at, "secrets")) ||
                  (end - at == 5 && redact_at(s, at, "token"));
    for (size_t i = end; i < from && object; i++)
        object = REDACT_ONE_OF(s->text[i], " \"'/");
    for (size_t i = from; i < match->to && object; i++) {
        object = redact_in(s->text[i], CLASS_LOWER | CLASS_DIGIT | CLASS_DASH | CLASS_DOT);
        words += s->text[i] == '-' && i > from && redact_in(s->text[i - 1], CLASS_LOWER);
    }
    return object && words;
}

/* `user:password@localhost:5432/db`: behind the name is a host, and behind that its port. */
static bool is_at_port(struct redact_scan *s, size_t end, size_t value)
{
    size_t host = redact_char(s, end) == '@' ? redact_run(s, end + 1, CLASS_NAME) : end;
    return host > end && redact_char(s, host) == ':' && value == host + 1 &&
           redact_run(s, value, CLASS_DIGIT) > value &&
           redact_char(s, redact_run(s, value, CLASS_DIGIT)) == '/';
}

/* `sshpass -p X ssh root@10.0.0.1`: who is let in, and where, by its number. */
static bool is_at_host(struct redact_scan *s, const struct redact_match *match)
{
    size_t user = redact_run(s, match->from, CLASS_LOWER | CLASS_DASH | CLASS_UNDER);
    return user > match->from && redact_char(s, user) == '@' &&
           redact_in(redact_char(s, user + 1), CLASS_DIGIT) &&
           redact_run(s, user + 1, CLASS_DIGIT | CLASS_DOT) == match->to;
}

/* `${USER}:${PASSWORD}@host`, `{{ a }}:{{ b }}@host`: the name stands for the password of an
 * address, whose host is behind it. */
static bool is_in_address(struct redact_scan *s, size_t end)
{
    const struct redact_behind *b = redact_behind(s, end);
    if (!REDACT_ONE_OF(b->sign, "}])>%#"))
        return false; /* most */
    size_t at = b->to, most = at + 3;
    while (at < most && REDACT_ONE_OF(redact_char(s, at), "}])>%#"))
        at++;
    return redact_char(s, at) == '@' && redact_in(s->text[at - 1], CLASS_ALL & ~CLASS_SPACE);
}

bool redact_far(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (is_in_address(s, end))
        return false;
    enum redact_telling tells = redact_tells_of_phrase(s, at, end);
    bool key = !tells &&
               ((end - at == 3 && redact_at(s, at, "key")) ||
                (end - at == 4 && redact_at(s, at, "code") && in_query(s, at))) &&
               (is_first(s, at) || in_query(s, at));
    return ((tells || key) && reaches(s, at, end, tells, ret_match) &&
            !redact_is_called_so(s, at, end, ret_match) && !is_at_port(s, end, ret_match->from) &&
            !is_at_host(s, ret_match)) ||
           (tells && redact_below(s, at, end, tells, ret_match));
}
