/* What stands behind a label, to its line's end, when that is several words: `Password: fjord og
 * fjell`, ` * Password : X Y`, `admin@example.com password: chain of proxies`; behind a blank in
 * files whose lines begin with a name (`password pumpkin spice latte`, beside `user` or `login`),
 * at a device's console, behind a question that no sign ends, in a header of quotes. It is the
 * password, unless it says how a password is, or where. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define FRONT_MOST   120 /* bytes of a line in front of a name */
#define BESIDE_MOST  4   /* lines in front of a name's line that may say whose it is, */
#define LINE_MOST    100 /* and bytes of each */
#define TEXT_MOST    48  /* bytes of the words */
#define DRAWN        "\xe2\x94\x82"
#define SPOKEN_LEAST 12  /* bytes of words that stand again: `Repeat for confirmation: X`, */
#define JOINED_LEAST 14  /* and of such that signs join */
#define SERVER_MOST  200 /* bytes in front in which a block begins */
#define LOOKED_AT    200 /* bytes of a command */

/* Signs that no value without quotes has; one that is in a word's midst is an apostrophe. */
bool redact_has_signs(const struct redact_scan *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (REDACT_ONE_OF(s->text[i], "()[]{}<>\"'`|=$") &&
            !(s->text[i] == '\'' && i > from && redact_in(s->text[i - 1], CLASS_LOWER) &&
              redact_in(redact_char(s, i + 1), CLASS_LOWER)))
            return true;
    return false;
}

bool redact_is_expression(const struct redact_scan *s, size_t from, size_t to)
{
    static const char signs[][7] = {" or ", " if ", " else ", " is ", " in ", " + ", " - ", " ? ",
                                    " * ",  "||",   "&&",     "->",   " < ",  " > ", " >> "};
    return redact_has_signs(s, from, to) || REDACT_HOLDS(s, from, to, signs);
}

/* Where the line ends, without blanks and a comment, and what a shell goes on behind. */
size_t redact_text_end(struct redact_scan *s, size_t from)
{
    size_t line = redact_line_end(s, from), to = from;
    line = line - from > TEXT_MOST ? from + TEXT_MOST + 1 : line; /* which is too long */
    while (to < line &&
           !(s->text[to] == ' ' && (redact_char(s, to + 1) == '#' || redact_at(s, to + 1, "//"))))
        to++;
    to -= to > from + 1 && s->text[to - 1] == '\\' && s->text[to - 2] == ' ';
    to -= to > from + 4 && redact_at(s, to - 4, " -->") ? 3 : 0;
    while (to > from && (redact_in(s->text[to - 1], CLASS_BLANK) || s->text[to - 1] == '\r'))
        to--;
    size_t bar = to > from && s->text[to - 1] == '|'            ? 1
                 : to > from + 3 && redact_at(s, to - 3, DRAWN) ? 3
                                                                : 0;
    if (!bar || s->text[to - bar - 1] != ' ')
        return to;
    for (to -= bar; to > from && s->text[to - 1] == ' ';)
        to--; /* what is in a box */
    return to;
}

/* How passwords are and where, which ones, and what becomes of them. */
static bool is_state(const char *text, size_t len)
{
    static redact_words words = {
        ['a' & 31] = {REDACT_WORD("added"), REDACT_WORD("acceso"), REDACT_WORD("ago"),
                      REDACT_WORD("asks"), REDACT_WORD("aucun"), REDACT_WORD("accepted"),
                      REDACT_WORD("adds"), REDACT_WORD("argon2"), REDACT_WORD("available"),
                      REDACT_WORD("are")},
        ['b' & 31] = {REDACT_WORD("blocked"), REDACT_WORD("belongs"), REDACT_WORD("birthday"),
                      REDACT_WORD("bound")},
        ['c' & 31] = {REDACT_WORD("cambiar"), REDACT_WORD("checked"), REDACT_WORD("clipboard"),
                      REDACT_WORD("copied"), REDACT_WORD("cost"), REDACT_WORD("correct"),
                      REDACT_WORD("cleared"), REDACT_WORD("cached"), REDACT_WORD("checks")},
        ['d' & 31] = {REDACT_WORD("days"), REDACT_WORD("debe"), REDACT_WORD("deleted"),
                      REDACT_WORD("deprecated"), REDACT_WORD("discussed"), REDACT_WORD("doit"),
                      REDACT_WORD("defaults"), REDACT_WORD("deve"), REDACT_WORD("drop")},
        ['e' & 31] = {REDACT_WORD("escribir"), REDACT_WORD("existing"), REDACT_WORD("ecrire"),
                      REDACT_WORD("environment"), REDACT_WORD("entspricht"), REDACT_WORD("erneut"),
                      REDACT_WORD("exceeds"), REDACT_WORD("expire")},
        ['f' & 31] = {REDACT_WORD("fehlt"), REDACT_WORD("fixes"), REDACT_WORD("fixed"),
                      REDACT_WORD("fix"), REDACT_WORD("forbidden")},
        ['g' & 31] = {REDACT_WORD("given"), REDACT_WORD("gets"), REDACT_WORD("gesetzt")},
        ['h' & 31] = {REDACT_WORD("handed"), REDACT_WORD("handle"), REDACT_WORD("had"),
                      REDACT_WORD("hasla"), REDACT_WORD("hours"), REDACT_WORD("have")},
        ['i' & 31] = {REDACT_WORD("implement"), REDACT_WORD("inherited"), REDACT_WORD("if"),
                      REDACT_WORD("inside"), REDACT_WORD("improve")},
        ['k' & 31] = {REDACT_WORD("kept"), REDACT_WORD("keyring"), REDACT_WORD("keychain"),
                      REDACT_WORD("known"), REDACT_WORD("keep")},
        ['l' & 31] = {REDACT_WORD("leave"), REDACT_WORD("liegt"), REDACT_WORD("loaded"),
                      REDACT_WORD("lost"), REDACT_WORD("lettres"), REDACT_WORD("letras")},
        ['m' & 31] = {REDACT_WORD("matches"), REDACT_WORD("matched"), REDACT_WORD("months"),
                      REDACT_WORD("masking"), REDACT_WORD("made"), REDACT_WORD("moins"),
                      REDACT_WORD("mindestens"), REDACT_WORD("minst")},
        ['n' & 31] = {REDACT_WORD("needs"), REDACT_WORD("needed"), REDACT_WORD("never"),
                      REDACT_WORD("nur"), REDACT_WORD("no")},
        ['o' & 31] = {REDACT_WORD("omitted"), REDACT_WORD("ok")},
        ['p' & 31] = {REDACT_WORD("preserve"), REDACT_WORD("printed"), REDACT_WORD("provided"),
                      REDACT_WORD("provide"), REDACT_WORD("persisted"), REDACT_WORD("prompts"),
                      REDACT_WORD("pending"), REDACT_WORD("pbkdf2"), REDACT_WORD("press")},
        ['r' & 31] = {REDACT_WORD("received"), REDACT_WORD("redacted"), REDACT_WORD("removed"),
                      REDACT_WORD("rejected"), REDACT_WORD("replaced"), REDACT_WORD("requires"),
                      REDACT_WORD("rotated"), REDACT_WORD("rounds"), REDACT_WORD("returns"),
                      REDACT_WORD("recommended")},
        ['s' & 31] = {REDACT_WORD("saved"), REDACT_WORD("scrypt"), REDACT_WORD("sha512"),
                      REDACT_WORD("since"), REDACT_WORD("sha256"), REDACT_WORD("supplied"),
                      REDACT_WORD("sticker"), REDACT_WORD("sets"), REDACT_WORD("shared"),
                      REDACT_WORD("standard")},
        ['t' & 31] = {REDACT_WORD("tbd"), REDACT_WORD("todo"), REDACT_WORD("tresor"),
                      REDACT_WORD("taken"), REDACT_WORD("tries"), REDACT_WORD("toont")},
        ['u' & 31] = {REDACT_WORD("unchanged"), REDACT_WORD("updates"), REDACT_WORD("unable"),
                      REDACT_WORD("unavailable"), REDACT_WORD("undisclosed"),
                      REDACT_WORD("unlocked"), REDACT_WORD("unsupported")},
        ['v' & 31] = {REDACT_WORD("verified"), REDACT_WORD("via"), REDACT_WORD("vault"),
                      REDACT_WORD("vuelve"), REDACT_WORD("veuillez")},
        ['w' & 31] = {REDACT_WORD("wiki"), REDACT_WORD("works"), REDACT_WORD("we"),
                      REDACT_WORD("written"), REDACT_WORD("wanted"), REDACT_WORD("working")},
        ['z' & 31] = {REDACT_WORD("zuruck"), REDACT_WORD("zeichen"), REDACT_WORD("znaku")},
    };
    return redact_is_word_of(words, text, len);
}

/* Words that say where it is, or that begin a sentence. */
static bool is_leading(const struct redact_scan *s, size_t from, size_t to)
{
    static redact_words words = {
        ['a' & 31] = {REDACT_WORD("a"), REDACT_WORD("an"), REDACT_WORD("as"), REDACT_WORD("at"),
                      REDACT_WORD("and")},
        ['b' & 31] = {REDACT_WORD("by")},
        ['f' & 31] = {REDACT_WORD("for"), REDACT_WORD("from")},
        ['i' & 31] = {REDACT_WORD("in"), REDACT_WORD("im"), REDACT_WORD("it")},
        ['o' & 31] = {REDACT_WORD("on"), REDACT_WORD("or")},
        ['s' & 31] = {REDACT_WORD("same"), REDACT_WORD("siehe"), REDACT_WORD("see")},
        ['t' & 31] = {REDACT_WORD("the"), REDACT_WORD("to")},
        ['w' & 31] = {REDACT_WORD("wie"), REDACT_WORD("with")},
        ['x' & 31] = {REDACT_WORD("x")},
    };
    size_t end = from;
    while (end < to && redact_in(s->text[end], CLASS_ALNUM))
        end++;
    return redact_in(s->text[from], CLASS_LOWER | CLASS_UPPER) &&
           redact_is_word_of(words, s->text + from, end - from);
}

bool redact_is_stated(struct redact_scan *s, size_t from, size_t to)
{
    if (!redact_is_worded(s, from, to) || is_leading(s, from, to))
        return false;
    for (size_t at = from; at < to; at++) {
        size_t end = at;
        while (end < to && redact_in(s->text[end], CLASS_ALNUM))
            end++;
        if (end > at && redact_in(s->text[at], CLASS_LOWER | CLASS_UPPER) &&
            is_state(s->text + at, end - at))
            return false;
        at = end;
    }
    return true;
}

bool redact_is_exclaimed(struct redact_scan *s, size_t from, size_t to)
{
    return to > from && redact_is_stated(s, from, to - (s->text[to - 1] == '!'));
}

/* ---- whose it is ---- */

/* Whether the line begins with who is let in, or where: `Username: x`, ` * User : x`, `login x`. */
static bool says_who(struct redact_scan *s, size_t at, size_t to)
{
    static redact_words words = {
        ['a' & 31] = {REDACT_WORD("account"), REDACT_WORD("address"), REDACT_WORD("admin")},
        ['b' & 31] = {REDACT_WORD("benutzer"), REDACT_WORD("benutzername")},
        ['d' & 31] = {REDACT_WORD("domain")},
        ['e' & 31] = {REDACT_WORD("email"), REDACT_WORD("essid")},
        ['h' & 31] = {REDACT_WORD("host"), REDACT_WORD("hostname")},
        ['i' & 31] = {REDACT_WORD("identifiant")},
        ['l' & 31] = {REDACT_WORD("login")},
        ['m' & 31] = {REDACT_WORD("mail"), REDACT_WORD("machine")},
        ['n' & 31] = {REDACT_WORD("name"), REDACT_WORD("network")},
        ['s' & 31] = {REDACT_WORD("ssid"), REDACT_WORD("server")},
        ['u' & 31] = {REDACT_WORD("user"), REDACT_WORD("username"), REDACT_WORD("url"),
                      REDACT_WORD("user_name"), REDACT_WORD("usuario"), REDACT_WORD("utente"),
                      REDACT_WORD("utilisateur"), REDACT_WORD("userid")},
        ['w' & 31] = {REDACT_WORD("wifi"), REDACT_WORD("wlan")},
    };
    while (at < to && (redact_in(s->text[at], CLASS_BLANK) || REDACT_ONE_OF(s->text[at], "*-+|#>")))
        at++;
    size_t end = redact_run(s, at, CLASS_ALNUM | CLASS_UNDER), sign = end;
    if (at >= to || end == at || !redact_is_word_of(words, s->text + at, end - at))
        return false;
    sign = redact_run(s, end, CLASS_BLANK | CLASS_COLON);
    return sign > end && sign < to;
}

bool redact_is_beside_user(struct redact_scan *s, size_t name)
{
    size_t line = redact_line_start(s, name, FRONT_MOST);
    for (int i = 0; i < BESIDE_MOST && line > 1 && s->text[line - 1] == '\n'; i++) {
        size_t last = line - 1;
        line = redact_line_start(s, last, LINE_MOST);
        if ((!line || s->text[line - 1] == '\n') && says_who(s, line, last))
            return true;
    }
    return false;
}

/* ---- the places ---- */

bool redact_is_labelled(const struct redact_scan *s, size_t name)
{
    size_t least = name > FRONT_MOST ? name - FRONT_MOST : 0, at = name, words = 0;
    while (at > least && (redact_in(s->text[at - 1], CLASS_ALNUM | CLASS_BLANK | CLASS_DASH) ||
                          REDACT_ONE_OF(s->text[at - 1], "*+[]|>#") || (s->text[at - 1] & 0x80))) {
        at--;
        words += s->text[at] == ' ' && at && redact_in(s->text[at - 1], CLASS_ALNUM);
    }
    return (at == 0 || s->text[at - 1] == '\n') && words <= 4;
}

/* Whether [from, to) is several words, and none of a program's, nor cells of a table. */
static bool is_words(struct redact_scan *s, size_t from, size_t to)
{
    return to > from && memchr(s->text + from, ' ', to - from) &&
           !memmem(s->text + from, to - from, "  ", 2) && redact_is_stated(s, from, to) &&
           !redact_is_expression(s, from, to);
}

/* `admin@example.com password: X` in a log's line: who is let in stands right in front. */
static bool is_behind_user(struct redact_scan *s, size_t name)
{
    size_t line = redact_line_start(s, name, FRONT_MOST), word = name - 1;
    word -= word > line + 2 && REDACT_ONE_OF(s->text[word - 1], "/|,")
                ? 1 + (s->text[word - 2] == ' ')
                : 0;
    while (word > line && !redact_in(s->text[word - 1], CLASS_BLANK))
        word--;
    static const char users[][10] = {
        "login: ", "user: ", "User: ", "Login: ", "username: ", "user=", "login=", "Username: "};
    const char *host = memchr(s->text + word, '@', name - word);
    return host ? host > s->text + word && redact_in(host[1], CLASS_ALNUM)
                : REDACT_HOLDS(s, line, name, users);
}

/* `Username: admin, Password: fiddlebiscuitsommer`: a word behind a comma and a capital letter. */
static bool is_lone(struct redact_scan *s, size_t name, size_t from, size_t to)
{
    return s->text[name - 2] == ',' && redact_in(s->text[name], CLASS_UPPER) && to >= from + 8 &&
           redact_run(s, from, CLASS_ALNUM) == to && !redact_is_plain_word(s, from, to) &&
           !redact_is_placeholder(s, from, to) && !is_state(s->text + from, to - from);
}

static bool is_in_log(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t from = redact_run(s, end + 1, CLASS_BLANK), to;
    if (from == end + 1 || at < 4 || s->text[at - 1] != ' ' ||
        redact_tells(s, at, end - at) != TELLS_ALL)
        return false; /* most */
    to = redact_text_end(s, from);
    *ret_match = (struct redact_match){from, to, "value"};
    return (is_words(s, from, to) || is_lone(s, at, from, to)) && is_behind_user(s, at);
}

/* `X-Gitlab-Token: tulipferry`, a line of its own, behind a sign that curl shows it by. */
static bool is_header_line(struct redact_scan *s, size_t at, size_t end,
                           struct redact_match *ret_match)
{
    size_t from = end + 2, line = redact_line_end(s, end), start = redact_line_start(s, at, 3);
    if (s->text[at] != 'X' || !redact_at(s, at, "X-") || !redact_at(s, end, ": ") ||
        !(start == at || (start + 2 == at && REDACT_ONE_OF(s->text[start], "<>"))))
        return false; /* most */
    line -= line > from && s->text[line - 1] == '\r';
    *ret_match = (struct redact_match){from, line, "value"};
    return redact_is_lone_word(s, from, line) || redact_is_torn(s, from, line);
}

/* `-H 'api-key: X'`: to the quote that began in front of the name. */
static bool is_in_header(struct redact_scan *s, size_t at, size_t end,
                         struct redact_match *ret_match)
{
    size_t line = redact_line_end(s, end), from = redact_run(s, end + 1, CLASS_BLANK);
    char quote = at > 3 ? s->text[at - 1] : 0, before = at > 3 ? s->text[at - 2] : 0;
    if (!redact_in(quote, CLASS_DOUBLE | CLASS_SINGLE) || from == end + 1 ||
        !((before == ' ' && REDACT_ONE_OF(s->text[at - 3], "HrR")) || before == 'H'))
        return false; /* most */
    const char *close = memchr(s->text + from, quote, line - from);
    size_t to = close ? (size_t)(close - s->text) : from;
    *ret_match = (struct redact_match){from, to, "value"};
    return (is_words(s, from, to) || redact_is_lone_word(s, from, to) ||
            redact_is_torn(s, from, to)) &&
           redact_tells(s, at, end - at) >= TELLS_CODE;
}

/* `password       schnecken post!` in a file each of whose lines begins with a name: another says
 * whose it is, or this one has dots, as `spark.ssl.keyPassword sparkly pony`. */
static bool is_of_file(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t from = redact_behind(s, end)->to, to;
    if (!redact_leads_line(s, at) || redact_in(s->text[at], CLASS_UPPER))
        return false; /* most */
    to = redact_text_end(s, from);
    *ret_match = (struct redact_match){from, to, "value"};
    bool dotted = memchr(s->text + at, '.', end - at) != NULL;
    return to > from && is_words(s, from, to - (s->text[to - 1] == '!' && !dotted)) &&
           redact_tells(s, at, end - at) == TELLS_ALL && (dotted || redact_is_beside_user(s, at));
}

/* `Backlog SSId1 Attic; Password1 X; MqttPassword Y`, as devices are told at their console. */
static bool is_told_device(struct redact_scan *s, size_t at, size_t end,
                           struct redact_match *ret_match)
{
    static const char front[][9] = {"Backlog ", "CMD: ", "backlog "};
    size_t from = redact_behind(s, end)->to, line = redact_line_end(s, from), to = from;
    size_t start = redact_line_start(s, at, FRONT_MOST);
    if (!redact_in(s->text[at], CLASS_UPPER) || at < 5 || !REDACT_ONE_OF(s->text[at - 1], " ;") ||
        !REDACT_HOLDS(s, start, at, front))
        return false; /* most */
    line = line - from > FRONT_MOST ? from + FRONT_MOST : line;
    while (to < line && s->text[to] != ';')
        to++;
    *ret_match = (struct redact_match){from, to, "value"};
    return to >= from + 4 && redact_tells(s, at, end - at) == TELLS_ALL &&
           !redact_is_placeholder(s, from, to) &&
           (memchr(s->text + from, ' ', to - from) ? is_words(s, from, to)
                                                   : !redact_is_plain_word(s, from, to)) &&
           !redact_in(s->text[from], CLASS_SEPARATOR);
}

/* `Your temporary password is: X`, `DB password ......: X`: behind what leads to it. */
static bool is_led_to(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t sign = redact_behind(s, end)->to, from;
    if (redact_at(s, sign, "is:") && redact_in(redact_char(s, sign + 3), CLASS_BLANK))
        sign += 2;
    else if (redact_at(s, sign, "..."))
        sign = redact_run(s, sign, CLASS_DOT | CLASS_BLANK);
    else
        return false; /* most */
    from = redact_run(s, sign + 1, CLASS_BLANK);
    size_t to = redact_text_end(s, from);
    *ret_match = (struct redact_match){from, to, "value"};
    return redact_char(s, sign) == ':' && is_words(s, from, to) &&
           redact_tells(s, at, end - at) == TELLS_ALL;
}

bool redact_stated(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    enum redact_telling tells = redact_tells(s, at, end - at);
    if (tells < TELLS_CODE || (tells == TELLS_CODE && redact_char(s, end) != ':'))
        return false; /* most */
    if (redact_char(s, end) == ':')
        return is_in_header(s, at, end, ret_match) || is_header_line(s, at, end, ret_match) ||
               is_in_log(s, at, end, ret_match);
    if (is_led_to(s, at, end, ret_match))
        return true;
    if (!redact_in(redact_behind(s, end)->sign, CLASS_ALNUM))
        return false;
    return is_of_file(s, at, end, ret_match) || is_told_device(s, at, end, ret_match);
}

/* ` key moose on the loose` in the block of a server of RADIUS or TACACS. */
static bool is_server_key(struct redact_scan *s, size_t at, size_t end,
                          struct redact_match *ret_match)
{
    static const char servers[][8] = {"radius", "tacacs", "RADIUS", "TACACS"};
    if (!redact_at(s, at, "key") || !at || s->text[at - 1] != ' ' ||
        !redact_in(redact_behind(s, end)->sign, CLASS_UPPER | CLASS_LOWER) ||
        !redact_leads_line(s, at))
        return false; /* most */
    size_t from = redact_behind(s, end)->to, back = at > SERVER_MOST ? at - SERVER_MOST : 0;
    size_t to = redact_text_end(s, from);
    *ret_match = (struct redact_match){from, to, "value"};
    return from > end && is_words(s, from, to) && REDACT_HOLDS(s, back, at, servers);
}

bool redact_in_lines(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    if (!redact_file(s, at, end, ret_match))
        return end - at == 3 && is_server_key(s, at, end, ret_match);
    if (redact_char(s, ret_match->to) == ' ' && redact_leads_line(s, at)) {
        size_t to = redact_text_end(s, ret_match->from);
        if (to > ret_match->to && is_words(s, ret_match->from, to))
            ret_match->to = to;
    }
    return true;
}

/* Whether a command whose output is words names what is secret: `security ... -w`, not `wp option
 * get blogname`. */
bool redact_asks_secret(const struct redact_scan *s, size_t from, size_t to)
{
    static const char words[][8] = {"assw", "ecret", "psk",    "phrase",  "pass ", "passage",
                                    "op ",  "bw ",   "rbw ",   "lpass ",  "dcli ", "keepass",
                                    "PASS", "SECRE", "Passwo", "keyring", "cred"};
    size_t most = to - from > LOOKED_AT ? from + LOOKED_AT : to;
    return REDACT_HOLDS(s, from, most, words);
}

/* ---- once more ---- */

/* `hunter2kiwi`, `igloo-spruce-fjord`: small letters with digits and no sign, or three words of
 * small letters that dashes join: neither a version nor what a program calls something. */
static bool is_plain(struct redact_scan *s, size_t from, size_t to)
{
    size_t dashes = 0;
    if (redact_run(s, from, CLASS_LOWER | CLASS_DIGIT) == to) {
        size_t word = redact_run(s, from, CLASS_LOWER);
        bool two = REDACT_ONE_OF(redact_char(s, word), "24") && /* pod2html */
                   word + 1 < to && redact_run(s, word + 1, CLASS_LOWER) == to;
        return !two && redact_run(s, from, CLASS_HEX) < to && word < to;
    }
    for (size_t i = from; i < to; i++) {
        dashes += s->text[i] == '-';
        if (!redact_in(s->text[i], CLASS_LOWER | CLASS_DASH))
            return false;
    }
    return dashes >= 2 && to - from >= JOINED_LEAST;
}

/* Whether a value is like no word that a text may hold besides. */
static bool is_telling(struct redact_scan *s, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    return redact_is_odd(s, from, to) ? redact_strength(s, &v) != REDACT_WEAK ||
                                            redact_has_sign(s, from, to) || is_plain(s, from, to)
                                      : is_plain(s, from, to);
}

bool redact_tells_again(struct redact_scan *s, size_t from, size_t to)
{
    return redact_run(s, from, ~(uint32_t)CLASS_SPACE) >= to
               ? is_telling(s, from, to)
               : to - from >= SPOKEN_LEAST && redact_is_stated(s, from, to);
}
