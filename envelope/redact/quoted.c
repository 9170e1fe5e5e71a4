/* A text in quotes right behind a name that tells all: a password, whatever it is made of ("goats
 * on the roof", "grapes, sour", "Hx(4)slate"), unless it is what a program says of one. That has a
 * word of a sentence about passwords, or ends as a sentence does, or has signs of a format. And
 * the places where a name and such a text stand beside each other, with no sign between:
 * `{"password", "X"}`, `(2, 'smtp_password', 'X')`, `fill_in 'Password', with: 'X'`. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define TEXT_LEAST   6
#define TEXT_MOST    48 /* bytes of it */
#define WORDS_MOST   7  /* more are a sentence */
#define LETTERS_MOST 16 /* of a word */
#define FRONT_MOST   96 /* bytes in front of a name, of the tuple or the call that it is in */
#define NAME_MOST    24 /* between a name and the quote that ends what it is in: `[0]` */

/* ---- the text ---- */

/* Words that a sentence about passwords has and a phrase may have, too. */
static bool is_filler(const char *text, size_t len)
{
    static redact_words words = {
        ['a' & 31] = {REDACT_WORD("and")},
        ['f' & 31] = {REDACT_WORD("for"), REDACT_WORD("from"), REDACT_WORD("first")},
        ['l' & 31] = {REDACT_WORD("last"), REDACT_WORD("long")},
        ['m' & 31] = {REDACT_WORD("mit")},
        ['o' & 31] = {REDACT_WORD("old"), REDACT_WORD("one"), REDACT_WORD("only")},
        ['t' & 31] = {REDACT_WORD("the"), REDACT_WORD("top"), REDACT_WORD("time")},
        ['u' & 31] = {REDACT_WORD("und")},
        ['w' & 31] = {REDACT_WORD("way"), REDACT_WORD("with")},
    };
    return redact_is_word_of(words, text, len);
}

/* The same of other languages, behind a label: in quotes their texts stand, too. */
static bool is_article(const char *text, size_t len)
{
    static redact_words words = {
        ['c' & 31] = {REDACT_WORD("con")},
        ['d' & 31] = {REDACT_WORD("das"), REDACT_WORD("del"), REDACT_WORD("der"),
                      REDACT_WORD("des"), REDACT_WORD("dans"), REDACT_WORD("die")},
        ['e' & 31] = {REDACT_WORD("een")},
        ['i' & 31] = {REDACT_WORD("il")},
        ['l' & 31] = {REDACT_WORD("la"), REDACT_WORD("las"), REDACT_WORD("le"), REDACT_WORD("les"),
                      REDACT_WORD("lo"), REDACT_WORD("los")},
        ['s' & 31] = {REDACT_WORD("sur")},
    };
    return redact_is_word_of(words, text, len);
}

/* Words of what is said about passwords, on buttons, in hints and in complaints, and of how they
 * are kept. */
static bool is_said(const char *text, size_t len)
{
    static redact_words words = {
        ['a' & 31] = {REDACT_WORD("ask"), REDACT_WORD("auto"), REDACT_WORD("authentication"),
                      REDACT_WORD("apply"), REDACT_WORD("accepts"), REDACT_WORD("abgelaufen"),
                      REDACT_WORD("anmelden")},
        ['b' & 31] = {REDACT_WORD("blank"), REDACT_WORD("browse"), REDACT_WORD("base64"),
                      REDACT_WORD("bcrypt"), REDACT_WORD("bytea"), REDACT_WORD("byte")},
        ['c' & 31] = {REDACT_WORD("characters"), REDACT_WORD("caracteres"), REDACT_WORD("chars"),
                      REDACT_WORD("choose"), REDACT_WORD("click"), REDACT_WORD("close"),
                      REDACT_WORD("contain"), REDACT_WORD("chiave"), REDACT_WORD("clave"),
                      REDACT_WORD("char")},
        ['d' & 31] = {REDACT_WORD("digit"), REDACT_WORD("digits"), REDACT_WORD("decrypt"),
                      REDACT_WORD("disallow"), REDACT_WORD("dummy")},
        ['e' & 31] = {REDACT_WORD("encoded"), REDACT_WORD("encode"), REDACT_WORD("edit"),
                      REDACT_WORD("expiry"), REDACT_WORD("explicit")},
        ['f' & 31] = {REDACT_WORD("forgotten"), REDACT_WORD("foo"), REDACT_WORD("falsch"),
                      REDACT_WORD("file")},
        ['g' & 31] = {REDACT_WORD("gespeichert"), REDACT_WORD("geheim"), REDACT_WORD("geheime"),
                      REDACT_WORD("give")},
        ['h' & 31] = {REDACT_WORD("hash"), REDACT_WORD("hashed"), REDACT_WORD("hex"),
                      REDACT_WORD("hide"), REDACT_WORD("hint"), REDACT_WORD("hashing")},
        ['i' & 31] = {REDACT_WORD("is"), REDACT_WORD("ignored"), REDACT_WORD("insecure"),
                      REDACT_WORD("inserisci"), REDACT_WORD("indiquez"), REDACT_WORD("introduce"),
                      REDACT_WORD("isn"), REDACT_WORD("integer")},
        ['k' & 31] = {REDACT_WORD("kennwort"), REDACT_WORD("kode"), REDACT_WORD("kod"),
                      REDACT_WORD("keine"), REDACT_WORD("kein")},
        ['l' & 31] = {REDACT_WORD("ldap"), REDACT_WORD("letter"), REDACT_WORD("letters"),
                      REDACT_WORD("length"), REDACT_WORD("logon"), REDACT_WORD("locked")},
        ['m' & 31] = {REDACT_WORD("minimum"), REDACT_WORD("maximum"), REDACT_WORD("mismatch"),
                      REDACT_WORD("match"), REDACT_WORD("matching"), REDACT_WORD("md5"),
                      REDACT_WORD("mot"), REDACT_WORD("modify"), REDACT_WORD("manage"),
                      REDACT_WORD("masked")},
        ['n' & 31] = {REDACT_WORD("neues"), REDACT_WORD("nueva"), REDACT_WORD("nuevo"),
                      REDACT_WORD("nuova"), REDACT_WORD("nouveau"), REDACT_WORD("nytt"),
                      REDACT_WORD("novo"), REDACT_WORD("nova"), REDACT_WORD("numbers"),
                      REDACT_WORD("nvarchar")},
        ['o' & 31] = {REDACT_WORD("ord"), REDACT_WORD("ours"), REDACT_WORD("oauth"),
                      REDACT_WORD("ohne")},
        ['p' & 31] = {REDACT_WORD("pass"), REDACT_WORD("passe"), REDACT_WORD("parola"),
                      REDACT_WORD("palavra"), REDACT_WORD("pwd"), REDACT_WORD("present"),
                      REDACT_WORD("plain"), REDACT_WORD("phrase"), REDACT_WORD("protect")},
        ['q' & 31] = {REDACT_WORD("quoted")},
        ['r' & 31] = {REDACT_WORD("rotate"), REDACT_WORD("repeat"), REDACT_WORD("retype"),
                      REDACT_WORD("recover"), REDACT_WORD("recovery"), REDACT_WORD("remember"),
                      REDACT_WORD("reminder"), REDACT_WORD("reveal"), REDACT_WORD("receive")},
        ['s' & 31] = {REDACT_WORD("send"), REDACT_WORD("sha"), REDACT_WORD("short"),
                      REDACT_WORD("should"), REDACT_WORD("stored"), REDACT_WORD("strength"),
                      REDACT_WORD("symbols"), REDACT_WORD("sso"), REDACT_WORD("secured"),
                      REDACT_WORD("senha")},
        ['t' & 31] = {REDACT_WORD("type"), REDACT_WORD("typed"), REDACT_WORD("types"),
                      REDACT_WORD("too"), REDACT_WORD("text"), REDACT_WORD("typing"),
                      REDACT_WORD("tippen"), REDACT_WORD("toggle")},
        ['u' & 31] = {REDACT_WORD("unhashed"), REDACT_WORD("unlock"), REDACT_WORD("unique"),
                      REDACT_WORD("utilizador"), REDACT_WORD("usuario"), REDACT_WORD("utilisateur"),
                      REDACT_WORD("uses"), REDACT_WORD("upper"), REDACT_WORD("uuid")},
        ['v' & 31] = {REDACT_WORD("verify"), REDACT_WORD("verification"), REDACT_WORD("visible"),
                      REDACT_WORD("value"), REDACT_WORD("view"), REDACT_WORD("vergessen"),
                      REDACT_WORD("varchar")},
        ['w' & 31] = {REDACT_WORD("weak"), REDACT_WORD("weakly"), REDACT_WORD("wiederholen"),
                      REDACT_WORD("whether"), REDACT_WORD("wurde"), REDACT_WORD("word"),
                      REDACT_WORD("words")},
        ['y' & 31] = {REDACT_WORD("yet"), REDACT_WORD("your")},
    };
    return redact_is_word_of(words, text, len);
}

/* What ends a sentence, a question, a prompt; or begins an address, a file's name, a selector. */
static bool is_framed(const struct redact_scan *s, size_t from, size_t to)
{
    char first = s->text[from], last = s->text[to - 1];
    return !(redact_in(first, CLASS_ALNUM) || REDACT_ONE_OF(first, "!")) ||
           REDACT_ONE_OF(last, ".:?,;=(- ") ||
           (last == '!' && memchr(s->text + from, ' ', to - from));
}

/* `%s`, `{0}`, `${x}`, `\n`, `<b>`: signs that a program fills in, or shows otherwise. */
static bool is_format(const struct redact_scan *s, size_t at)
{
    char c = s->text[at], next = redact_char(s, at + 1);
    switch (c) {
    case '%':
        return redact_in(next, CLASS_ALNUM) || REDACT_ONE_OF(next, "(@{-.*<");
    case '{':
        return REDACT_ONE_OF(next, "}{%0123456789") || REDACT_ONE_OF(s->text[at - 1], "$#{ @");
    case '$':
    case '#':
        return REDACT_ONE_OF(next, "{(") || (c == '$' && redact_in(next, CLASS_LOWER));
    case '<':
    case '\\':
        return redact_in(next, CLASS_ALNUM) || next == '/' || next == '(';
    case '=':
        return true;
    case '(':
        return next == ')' || redact_in(next, CLASS_DOUBLE | CLASS_SINGLE) ||
               s->text[at - 1] == ' ';
    case ':':
        return next == ' ' || next == ':' || next == '/';
    default:
        return false;
    }
}

/* A sign that no name of a program has in its midst: neither `user.name` nor `host:port`. */
static bool is_sign(const struct redact_scan *s, size_t at)
{
    char c = s->text[at], before = s->text[at - 1], next = redact_char(s, at + 1);
    if (redact_in(c, CLASS_BLANK | CLASS_UNDER | CLASS_DOT | CLASS_DASH))
        return false;
    return !REDACT_ONE_OF(c, "/:,@|\\") || redact_in(next, CLASS_UPPER | CLASS_DIGIT) ||
           redact_in(before, CLASS_DIGIT);
}

/* How many bytes a picture has that a password may hold: a heart, a star, a face; 0 for none. */
static size_t picture_length(const struct redact_scan *s, size_t at, size_t to)
{
    const char *t = s->text + at;
    if (to - at >= 3 && t[0] == '\xe2' && (unsigned char)t[1] >= 0x98 &&
        (unsigned char)t[1] <= 0x9e)
        return 3;
    return to - at >= 4 && t[0] == '\xf0' && t[1] == '\x9f' ? 4 : 0;
}

/* How the words of a text were counted. */
struct counted {
    size_t words, own; /* all, and those that no sentence is made of */
    bool blanks, signs;
    bool label; /* it is behind one */
};

/* The word [at, end): false where it is one of a sentence about passwords, or of a program. */
static bool count_word(struct redact_scan *s, size_t at, size_t end, struct counted *c)
{
    c->words++;
    if (redact_in(s->text[at], CLASS_LOWER | CLASS_UPPER) && is_said(s->text + at, end - at))
        return false;
    if (redact_has_digit(s, at, end)) {
        c->own++;
        return true;
    }
    if (end - at > LETTERS_MOST)
        return false;
    if (is_filler(s->text + at, end - at) ||
        (c->label && redact_in(s->text[at], CLASS_LOWER) && is_article(s->text + at, end - at)))
        return true;
    if (redact_is_plain_word(s, at, end))
        return false;
    c->own += end - at >= 3;
    return true;
}

/* `label`: it is behind one, and not in quotes. */
static bool is_text(struct redact_scan *s, size_t from, size_t to, bool label)
{
    struct counted c = {.label = label};
    if (to < from + TEXT_LEAST || to - from > TEXT_MOST || is_framed(s, from, to) ||
        redact_is_placeholder(s, from, to) || redact_is_path(s, from, to))
        return false;
    for (size_t at = from; at < to;) {
        size_t end = at;
        while (end < to && redact_in(s->text[end], CLASS_ALNUM))
            end++;
        if (end > at && !count_word(s, at, end, &c))
            return false;
        for (at = end; at < to && !redact_in(s->text[at], CLASS_ALNUM); at++) {
            size_t picture = s->text[at] & 0x80 ? picture_length(s, at, to) : 0;
            if (picture) {
                c.signs = true;
                at += picture - 1;
                continue;
            }
            c.blanks |= s->text[at] == ' ';
            c.signs |= is_sign(s, at);
            if ((s->text[at] & 0x80) || (unsigned char)s->text[at] < ' ' || is_format(s, at))
                return false;
        }
    }
    return (c.blanks || c.signs) && c.own > (c.words < 3 || c.words > 4) && c.words <= WORDS_MOST;
}

bool redact_is_quoted(struct redact_scan *s, size_t from, size_t to)
{
    return is_text(s, from, to, false);
}

bool redact_is_worded(struct redact_scan *s, size_t from, size_t to)
{
    return is_text(s, from, to, true);
}

bool redact_names_text(const struct redact_scan *s, size_t at, size_t end)
{
    static const char words[][8] = {"rong",   "ncorrec", "nvalid",  "orgot",   "issing",  "rror",
                                    "onfirm", "eset",    "hange",   "epeat",   "equired", "RROR",
                                    "WRONG",  "NVALID",  "FORGOT",  "MISSING", "CHANGE",  "RESET",
                                    "_BAD_",  "bad_",    "NCORREC", "ERR_"};
    return REDACT_HOLDS(s, at, end, words);
}

/* ---- the places ---- */

/* A name and the text beside it. */
struct beside {
    size_t front;       /* where what the name is in begins, its quote included */
    size_t from, to;    /* the text */
    size_t behind;      /* behind its quotes, and blanks */
    bool quoted, given; /* the name is in quotes; what fills a field in is in front of the text */
};

/* The other end of the quotes that the name ends: the quote, or the name where there is none. */
static size_t front_of(const struct redact_scan *s, size_t at, char quote)
{
    size_t least = at > NAME_MOST ? at - NAME_MOST : 0, from = at;
    while (from > least && s->text[from - 1] != quote && s->text[from - 1] != '\n')
        from--;
    return from > least && s->text[from - 1] == quote ? from - 1 : at;
}

/* Erlang's `<<"X">>`, Clojure's and C's own letters in front of a quote. */
static bool read_text(struct redact_scan *s, size_t at, struct beside *b)
{
    struct redact_value v;
    bool bytes = redact_at(s, at, "<<\"");
    at += bytes ? 2 : 0;
    if (!redact_in(redact_char(s, at), CLASS_DOUBLE | CLASS_SINGLE) ||
        !redact_read_value(s, at, false, &v) || v.quote != s->text[at])
        return false;
    b->from = v.from;
    b->to = v.to;
    b->behind = redact_run(s, v.end + (bytes ? 2 : 0), CLASS_BLANK);
    return true;
}

/* Behind `).type(`: what is done with the field that is called by the name; 0 for nothing. */
static size_t skip_verb(struct redact_scan *s, size_t at)
{
    static const char verbs[][20] = {
        "type(",      "fill(",        "send_keys(", "sendKeys(",          "setValue(",
        "set(",       "val(",         "typeText(",  "set_value(",         "input(",
        "enterText(", "replaceText(", "type_text(", "pressSequentially(", "fillText("};
    while (REDACT_ONE_OF(redact_char(s, at), ")]") && at < s->len)
        at++;
    if (redact_at(s, at, ".clear()"))
        at += 8;
    if (redact_at(s, at, ".value = "))
        return at + 9;
    for (size_t i = 0; redact_char(s, at) == '.' && i < sizeof verbs / sizeof *verbs; i++)
        if (redact_at(s, at + 1, verbs[i]))
            return at + 1 + strlen(verbs[i]);
    return 0;
}

/* `"Password"`, and what a step of a test does with it: ` with "X"`, on the next line `- inputText:
 * "X"`; 0 for nothing. */
static size_t skip_step(struct redact_scan *s, size_t at)
{
    static const char verbs[][12] = {"inputText: ", "input: ", "typeText: ", "fill: ", "type: "};
    if (redact_at(s, at, " with \""))
        return at + 6;
    if (redact_char(s, at) != '\n')
        return 0; /* most */
    at = redact_run(s, at + 1, CLASS_BLANK);
    at += redact_at(s, at, "- ") ? 2 : 0;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (redact_at(s, at, verbs[i]))
            return at + strlen(verbs[i]);
    return 0;
}

static bool read_beside(struct redact_scan *s, size_t at, size_t end, struct beside *b)
{
    size_t close = redact_char(s, end) == ']' ? end + 1 : end;
    char quote = redact_char(s, close);
    b->quoted = redact_in(quote, CLASS_DOUBLE | CLASS_SINGLE);
    b->front = b->quoted ? front_of(s, at, quote) : at;
    if (b->quoted && b->front == at)
        return false;
    size_t comma = close + b->quoted, text;
    if ((text = skip_verb(s, comma)))
        return (b->given = read_text(s, text, b)) && REDACT_ONE_OF(redact_char(s, b->behind), ");");
    if ((text = skip_step(s, comma)))
        return b->given = read_text(s, text, b);
    if (redact_char(s, comma) != ',')
        return false; /* most */
    text = redact_run(s, comma + 1, CLASS_BLANK);
    b->given = redact_at(s, text, "with: ") || redact_at(s, text, "with => ");
    text += b->given ? (s->text[text + 4] == ':' ? 6 : 8) : 0;
    return read_text(s, text, b);
}

/* `{"password", "X"}`: both are all that is in the brackets. */
static bool is_couple(const struct redact_scan *s, const struct beside *b)
{
    size_t open = b->front;
    open -= open && s->text[open - 1] == ' ';
    char first = open ? s->text[open - 1] : 0, close = redact_char(s, b->behind);
    return (first == '{' && close == '}') ||
           (b->quoted && ((first == '[' && close == ']') || (first == '(' && close == ')')));
}

/* `(2, 'smtp_password', 'X')`, a row of SQL's: behind its name it ends, or the next value comes. */
static bool is_row(struct redact_scan *s, const struct beside *b)
{
    size_t line = redact_line_start(s, b->front, FRONT_MOST), at = b->front;
    char close = redact_char(s, b->behind);
    if (!b->quoted || !(close == ')' || close == ','))
        return false;
    while (at > line && s->text[at - 1] != '(')
        at--;
    size_t open = at > line ? at - 1 : line, text = redact_run(s, line, CLASS_BLANK);
    return at > line &&
           redact_run(s, at,
                      CLASS_ALNUM | CLASS_BLANK | CLASS_SINGLE | CLASS_UNDER | CLASS_SEPARATOR) >=
               b->front &&
           (text == open || (open >= 7 && memmem(s->text + line, open - line, "VALUES", 6)) ||
            (open > 2 && s->text[open - 1] == ',' && s->text[open - 2] == ')'));
}

/* `fill_in 'Password', with: 'X'`, `page.fill("#password", "X")`. */
static bool is_filled(struct redact_scan *s, const struct beside *b)
{
    static const char verbs[][12] = {"fill(",     "type(",      "fill_in(",
                                     "setValue(", "fillField(", "fillIn(",
                                     "typeText(", "set_value(", "enter("};
    size_t line = redact_line_start(s, b->front, FRONT_MOST);
    return b->given || (redact_char(s, b->behind) == ')' && REDACT_HOLDS(s, line, b->front, verbs));
}

/* What was typed where a password was asked for: nothing but a placeholder is none. */
static bool is_typed(struct redact_scan *s, const struct beside *b)
{
    return b->to >= b->from + TEXT_LEAST && !redact_is_placeholder(s, b->from, b->to) &&
           !redact_is_remark(s, b->from, b->to) && !redact_is_notice(s, b->from, b->to) &&
           !redact_is_plain_word(s, b->from, b->to);
}

bool redact_quoted(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct beside b;
    if (redact_tells(s, at, end - at) != TELLS_ALL || !read_beside(s, at, end, &b))
        return false;
    *ret_match = (struct redact_match){b.from, b.to, "value"};
    return redact_is_quoted(s, b.from, b.to) ? is_couple(s, &b) || is_row(s, &b) || is_filled(s, &b)
                                             : is_typed(s, &b) && is_filled(s, &b);
}

/* A statement's or a line's beginning. */
static bool begins_statement(const struct redact_scan *s, size_t at)
{
    size_t least = at > NAME_MOST ? at - NAME_MOST : 0, from = at;
    while (from > least && redact_in(s->text[from - 1], CLASS_BLANK))
        from--;
    size_t number = from;
    while (from < at && number > least && redact_in(s->text[number - 1], CLASS_DIGIT))
        number--;
    return from == 0 || REDACT_ONE_OF(s->text[from - 1], "\n{;") ||
           (number < from && (number == 0 || REDACT_ONE_OF(s->text[number - 1], "\n ")));
}

bool redact_apart(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct beside b;
    if (!begins_statement(s, at) || !read_text(s, redact_behind(s, end)->to, &b) ||
        !REDACT_ONE_OF(redact_char(s, b.behind), "\n\r;}"))
        return false;
    *ret_match = (struct redact_match){b.from, b.to, "value"};
    return redact_is_quoted(s, b.from, b.to) ||
           (is_typed(s, &b) && redact_is_wordy(s, b.from, b.to));
}

bool redact_or_else(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    struct beside b;
    size_t text = redact_run(s, redact_behind(s, end)->to + 1, CLASS_BLANK);
    if (!redact_at(s, text, "default") || redact_tells(s, at, end - at) != TELLS_ALL)
        return false; /* most */
    text = redact_run(s, text + 7, CLASS_BLANK);
    text = redact_run(s, text + (redact_char(s, text) == '('), CLASS_BLANK);
    if (!read_text(s, text, &b) || !REDACT_ONE_OF(redact_char(s, b.behind), "),}|"))
        return false;
    *ret_match = (struct redact_match){b.from, b.to, "value"};
    return redact_is_quoted(s, b.from, b.to) || is_typed(s, &b);
}
