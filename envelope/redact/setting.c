/* What a file or a dialogue sets a telling name to, whatever it is made of: words that signs join
 * (`kestrel.rocket`, `biscuit-horizon-winter`), several of them (`Otter, slow river 5`), and what
 * goes on behind a comma. Words of a program and of a sentence are told from these by a list. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "envelope/redact/command.h"
#include "envelope/redact/places.h"

#define MAP_MOST      160 /* bytes of a line in front of a name in braces */
#define MAPPED_LEAST  8
#define VALUE_MOST    64 /* bytes of it */
#define WORDS_MOST    6  /* more are a sentence */
#define WORD_LEAST    3
#define LONE_LEAST    8
#define GARBLED_LEAST 9
#define PLAIN_BITS    8192 /* as many as bit_of() tells apart */
#define CAMEL_LEAST   9

/* Words that sentences and programs are made of, and no password: a row for each first letter. */
static const char plain_words[26][303] = {
    ['a' - 'a'] = "about access account address admin again algorithm all allow already "
                  "also always and any app apr are args argument array asked attempt attr "
                  "attribute aug auth avec",
    ['b' - 'a'] = "backend base been before bitte body bool boolean but byte bytes",
    ['c' - 'a'] = "callback can cannot cert change changed characters check class clear "
                  "client cluster code column command comment component con conf config "
                  "confirm confirmed connect connection constants container content context cookie "
                  "copy create credentials ctx current custom",
    ['d' - 'a'] = "dans das data database dec default del der des description details "
                  "device dialog dict die directory disabled does domain",
    ['e' - 'a'] = "each een eingeben eintrag element email empty enabled encrypt "
                  "encrypted enter entered entrer entry env equal equals error est event "
                  "example exists expired expires export expression",
    ['f' - 'a'] = "failed feb field fields file filter final first following for forgot "
                  "form format found from function fur",
    ['g' - 'a'] = "generate generated get global grant group",
    ['h' - 'a'] = "handler has hash have header helper here het hidden host how",
    ['i' - 'a'] = "identifier il image import incorrect index info ingrese input inserire "
                  "instance int interface internal into introduzca invalid issue ist item "
                  "its",
    ['j' - 'a'] = "jan job json jul jun",
    ['k' - 'a'] = "key keys kind kubernetes kwargs",
    ['l' - 'a'] = "la label las last least length les level library line link list lo "
                  "load local location log login long los",
    ['m' - 'a'] = "mail managed manager manually map mar match max may mean member memory "
                  "message method min missing mit mock mode model module must",
    ['n' - 'a'] = "name names namespace need network new nicht nil node none not note "
                  "nothing nov now null number",
    ['o' - 'a'] = "obj object objects oct oder old once one only operator option optional "
                  "options opts org other output override owner",
    ['p' - 'a'] = "package page para param parameter params parser passed path pattern "
                  "plain plaintext please plugin point policy pool por port pour prefix "
                  "present private process profile project prompt property props "
                  "protected protocol provider public",
    ['q' - 'a'] = "que query",
    ['r' - 'a'] = "random read ref register registry remote remove repository req request "
                  "required res reset resource response result returned role root row run",
    ['s' - 'a'] = "saisir same schema scope script secure see self send sent sep server "
                  "service session set settings setup should show shown side siehe sign "
                  "single size skip source specified specify sql start state static "
                  "status storage store stored str string strong submit success such "
                  "super supplied support sur system",
    ['t' - 'a'] = "table tag target template test text that the their then there these "
                  "they thing this time title tls too tool top true try type types",
    ['u' - 'a'] = "una und undefined une unknown unset unter update updated upper url use "
                  "used user username users using utils",
    ['v' - 'a'] = "valid validate value values var variable vars vault ver verify version "
                  "view voer voir",
    ['w' - 'a'] = "want warning was way weak web were when where which will window wird "
                  "with without would write wrong",
    ['y' - 'a'] = "yaml yes you your",
    ['z' - 'a'] = "zone",
};

/* A bit for what these words begin and end with: most others are told by it. */
static uint8_t plain_bits[PLAIN_BITS / 8];
static pthread_once_t plain_once = PTHREAD_ONCE_INIT;

static unsigned bit_of(const char *word, size_t len)
{
    unsigned first = (unsigned char)word[0] & 31u, last = (unsigned char)word[len - 1] & 31u;
    unsigned second = (unsigned char)word[len > 1] & 31u;
    return (first | second << 5 | last << 10 | (unsigned)len << 15) * 2654435761u >> 19;
}

static void read_plain(void)
{
    for (size_t i = 0; i < sizeof plain_words / sizeof *plain_words; i++)
        for (const char *at = plain_words[i]; *at; at += strspn(at, " ")) {
            size_t len = strcspn(at, " ");
            plain_bits[bit_of(at, len) / 8] |= (uint8_t)(1u << bit_of(at, len) % 8);
            at += len;
        }
}

static bool is_plain(const char *word, size_t len)
{
    if (!redact_in(*word, CLASS_UPPER | CLASS_LOWER))
        return false;
    pthread_once(&plain_once, read_plain);
    unsigned bit = bit_of(word, len);
    if (!(plain_bits[bit / 8] & 1u << bit % 8))
        return false; /* most */
    const char *at = plain_words[(*word | 0x20) - 'a'];
    while (*at) {
        size_t end = strcspn(at, " ");
        if (end == len && !strncasecmp(at, word, len))
            return true;
        at += end + (at[end] == ' ');
    }
    return false;
}

/* `pepper`, `CobaltPepper`: things, of which words are made that dice choose. */
static bool is_spice(const struct redact_scan *s, size_t at, size_t end)
{
    return end - at >= 6 && redact_at(s, end - 6, "pepper");
}

/* Whether the word says of a secret what it is; some that do are things, too. */
static bool is_ours(struct redact_scan *s, size_t at, size_t end)
{
    return redact_tells(s, at, end - at) > TELLS_LONG && !is_spice(s, at, end) &&
           !(end - at == 6 && redact_at(s, at, "cookie"));
}

bool redact_is_plain_word(struct redact_scan *s, size_t at, size_t end)
{
    return is_plain(s->text + at, end - at) || is_ours(s, at, end);
}

bool redact_is_lone_word(struct redact_scan *s, size_t from, size_t to)
{
    return to >= from + LONE_LEAST && to - from <= VALUE_MOST &&
           redact_run(s, from, CLASS_LOWER) == to && !redact_is_plain_word(s, from, to) &&
           !redact_is_placeholder(s, from, to) && !redact_tells(s, from, to - from);
}

/* A value's words, as they were counted. */
struct words {
    size_t count, least; /* the shortest's length */
    bool digits, blanks, signs;
    bool camels; /* a capital letter inside of a word */
    bool other;  /* something that no word has, or a word of a sentence or a program */
};

/* Words of letters and digits, one sign or a comma and a blank between two. */
static struct words count_words(struct redact_scan *s, size_t from, size_t to)
{
    struct words w = {.least = SIZE_MAX};
    for (size_t at = from; at < to && !w.other;) {
        size_t end = at, gap;
        bool digits = false;
        for (; end < to && redact_in(s->text[end], CLASS_ALNUM); end++) {
            digits |= redact_in(s->text[end], CLASS_DIGIT);
            w.camels |= end > at && redact_in(s->text[end], CLASS_UPPER) &&
                        redact_in(s->text[end - 1], CLASS_LOWER);
        }
        w.digits |= digits;
        w.other =
            end == at || (!digits && (is_plain(s->text + at, end - at) || is_ours(s, at, end)));
        w.least = !digits && end - at < w.least ? end - at : w.least;
        w.count++;
        for (gap = end; gap < to && !redact_in(s->text[gap], CLASS_ALNUM); gap++) {
            w.blanks |= s->text[gap] == ' ';
            w.signs |= s->text[gap] != ' ' && s->text[gap] != ',';
            w.other |= !REDACT_ONE_OF(s->text[gap], "-_.+&!~@%*#$?^ ") && s->text[gap] != ',';
        }
        w.other |= gap < to && gap - end > 3;
        at = gap;
    }
    return w;
}

static size_t word_end(const struct redact_scan *s, size_t at, size_t to)
{
    while (at < to && redact_in(s->text[at], CLASS_ALNUM))
        at++;
    return at;
}

/* `kestrel.rocket`: two and more words of small letters, of which no program's name is made. */
bool redact_is_wordy(struct redact_scan *s, size_t from, size_t to)
{
    if (to - from < 2 * WORD_LEAST + 1 || to - from > VALUE_MOST ||
        !redact_in(s->text[from], CLASS_LOWER | CLASS_UPPER) || word_end(s, from, to) >= to)
        return false; /* most */
    struct words w = count_words(s, from, to);
    return !w.other && !w.blanks && !w.camels && w.count >= 2 && w.count <= WORDS_MOST &&
           w.least >= WORD_LEAST && redact_in(s->text[to - 1], CLASS_ALNUM);
}

/* `not-required`, `from-vault`: words of a program alone. */
bool redact_is_remark(struct redact_scan *s, size_t from, size_t to)
{
    size_t words = 0, at = from;
    if (word_end(s, from, to) >= to)
        return false; /* most */
    while (at < to && to - from <= VALUE_MOST) {
        size_t end = word_end(s, at, to);
        if (end == at || !is_plain(s->text + at, end - at) ||
            (end < to && !REDACT_ONE_OF(s->text[end], "-_. |:")))
            return false;
        if (end < to && s->text[end] == ':') /* `min:8` */
            end = redact_run(s, end + 1, CLASS_DIGIT);
        words++;
        at = end + 1;
    }
    return words >= 2;
}

/* `Forgot your password?`, `New passphrase`: what a program shows has a word of ours, and is brief
 * or has one of a sentence. */
bool redact_is_notice(struct redact_scan *s, size_t from, size_t to)
{
    size_t words = 0, plain = 0, telling = 0;
    if (to - from > VALUE_MOST || !memchr(s->text + from, ' ', to - from))
        return false; /* most */
    for (size_t at = from; at < to;) {
        size_t end = word_end(s, at, to);
        words += end > at;
        plain += end > at && is_plain(s->text + at, end - at);
        telling +=
            end > at && redact_tells(s, at, end - at) != TELLS_NOTHING && !is_spice(s, at, end);
        at = end + 1;
    }
    return telling && (words <= 2 || plain);
}

/* Several words that are no sentence: three, or two of which one has a digit or a sign. */
bool redact_is_spoken(struct redact_scan *s, size_t from, size_t to)
{
    if (to - from > VALUE_MOST || to - from < 2 * WORD_LEAST + 1)
        return false; /* most */
    struct words w = count_words(s, from, to);
    return !w.other && w.blanks && w.count <= WORDS_MOST &&
           w.count >= (w.digits || w.signs ? 2u : 3u) &&
           (w.least >= WORD_LEAST || w.least == SIZE_MAX);
}

/* `HarborNickelRibbon`: words that capital letters part, none of which is a program's. */
bool redact_is_camel(struct redact_scan *s, size_t from, size_t to)
{
    size_t words = 0, at = from;
    if (to - from < CAMEL_LEAST || to - from > VALUE_MOST)
        return false;
    while (at < to) {
        size_t end = at + 1;
        while (end < to && redact_in(s->text[end], CLASS_LOWER))
            end++;
        if (!redact_in(s->text[at], CLASS_UPPER | CLASS_LOWER) || end - at < WORD_LEAST + 1 ||
            is_plain(s->text + at, end - at) ||
            (redact_tells(s, at, end - at) && !is_spice(s, at, end)))
            return false;
        words++;
        at = end;
    }
    return words >= 2 && words <= WORDS_MOST;
}

/* Signs between letters and digits, as no program's text has them: `qk=EC[)Rh6`, `hazel20\"Mapl`.
 */
bool redact_is_garbled(const struct redact_scan *s, size_t from, size_t to)
{
    size_t signs = 0, strong = 0, digits = 0, letters = 0;
    if (to - from < GARBLED_LEAST || to - from > VALUE_MOST ||
        !redact_in(s->text[from], CLASS_ALNUM))
        return false;
    for (size_t i = from; i < to; i++) {
        char c = s->text[i], before = i > from ? s->text[i - 1] : ' ';
        digits += redact_in(c, CLASS_DIGIT);
        letters += redact_in(c, CLASS_UPPER | CLASS_LOWER);
        if (redact_in(c, CLASS_ALNUM) || REDACT_ONE_OF(c, "-_.+~@"))
            continue;
        if ((unsigned char)c >= 0x80 || REDACT_ONE_OF(c, " \t:/,%`<") ||
            (c == '{' && REDACT_ONE_OF(before, "$#{%")))
            return false;
        bool between = i > from && i + 1 < to && redact_in(before, CLASS_ALNUM);
        signs++;
        strong += between && REDACT_ONE_OF(c, "!#$^*\"';&|?\\") &&
                  redact_in(s->text[i + 1], CLASS_ALNUM | CLASS_DOUBLE | CLASS_SINGLE);
    }
    return digits && letters >= 3 && (strong || signs >= 3);
}

/* `basic_auth: {username: kim, password: zephyranchor}`: a word of small letters behind whom it
 * lets in, in the braces of YAML that end their line; of a program are neither the word nor the
 * line. */
bool redact_is_mapped(struct redact_scan *s, size_t name, const struct redact_value *v)
{
    static const char users[][7] = {"{user", " user", "{name:", "{login", " login", "_user:"};
    static const char code[][3] = {"=", "(", ";", "//", "=>", "\""};
    size_t line = redact_line_end(s, v->end), start = redact_line_start(s, name, MAP_MOST);
    size_t close = v->from, front = name;
    while (close < line && redact_in(s->text[close], CLASS_LOWER | CLASS_DASH | CLASS_UNDER))
        close++;
    size_t end = close;
    while (end < line && REDACT_ONE_OF(s->text[end], "} "))
        end++;
    while (front > start && s->text[front - 1] != '{')
        front--;
    if (v->quote || close == end || end < line || front <= start || close < v->from + MAPPED_LEAST)
        return false; /* most */
    struct words w = count_words(s, v->from, close);
    return !w.other && REDACT_HOLDS(s, front - 1, name, users) &&
           !REDACT_HOLDS(s, start, name, code) &&
           memmem(s->text + start, front - start, ": {", 3) &&
           (start == 0 || s->text[start - 1] == '\n');
}

/* Where the line's value ends: without a comment, and what ends a statement. */
static size_t value_end(struct redact_scan *s, size_t from)
{
    size_t line = redact_line_end(s, from), to = from;
    line = line - from > VALUE_MOST ? from + VALUE_MOST + 1 : line; /* which is too long */
    while (to < line && !(s->text[to] == ' ' && REDACT_ONE_OF(redact_char(s, to + 1), "#;/")))
        to++;
    while (to > from && (redact_in(s->text[to - 1], CLASS_BLANK) || s->text[to - 1] == '\r'))
        to--;
    return to;
}

/* `#db_pass = ...`: a line of settings that is switched off. */
static bool is_commented(struct redact_scan *s, size_t name)
{
    size_t at = name;
    while (at > 0 && REDACT_ONE_OF(s->text[at - 1], " #;"))
        at--;
    return at < name && (at == 0 || s->text[at - 1] == '\n') &&
           !redact_in(s->text[at], CLASS_BLANK);
}

/* Whether the name is of small letters and the line in front is `[section]`, or sets another of
 * these to a word: no shell's, which would run what is behind a blank. */
static bool is_in_section(struct redact_scan *s, size_t name)
{
    size_t line = redact_line_start(s, name, 4);
    if (!line || line != name || !redact_in(s->text[name], CLASS_LOWER))
        return false;
    size_t start = redact_line_start(s, line - 1, REDACT_LINE_LOOKED_AT);
    size_t word = redact_run(s, start, CLASS_LOWER | CLASS_DASH | CLASS_UNDER);
    return s->text[start] == '[' || (word > start && redact_char(s, word) == '=' &&
                                     memchr(s->text + start, '-', word - start) != NULL);
}

bool redact_read_setting(struct redact_scan *s, size_t name, bool tight, struct redact_value *v)
{
    size_t from = v->from, line = redact_line_end(s, from);
    bool goes_on = line > v->end && line - from <= VALUE_MOST;
    if (!goes_on && !memchr(s->text + from, '.', v->to - from) &&
        !memchr(s->text + from, '-', v->to - from) && !memchr(s->text + from, '_', v->to - from))
        return false; /* most */
    if (redact_is_placeholder(s, from, v->to) ||
        !(redact_is_statement(s, name) || is_commented(s, name)))
        return false;
    size_t to = value_end(s, from), next = redact_run(s, v->end, CLASS_BLANK);
    if (to <= from || to - from > VALUE_MOST ||
        redact_char(s, redact_run(s, next, CLASS_NAME)) == '=')
        return false; /* another is set */
    bool blanks = memchr(s->text + from, ' ', to - from) != NULL;
    if (!blanks && !tight && to > v->to + 2 && REDACT_ONE_OF(s->text[v->to], ",&") &&
        REDACT_ONE_OF(redact_char(s, v->to + 2), "=:")) { /* `secret = JDkx,z=UGKs` */
        v->to = v->end = to;
        return true;
    }
    if (blanks ? !redact_is_spoken(s, from, to) : !(to == v->to && redact_is_wordy(s, from, to)))
        return false;
    if (blanks && tight) {
        struct words w = count_words(s, from, to);
        if (w.count < (is_in_section(s, name) ? 2 : 4) || w.signs ||
            redact_is_tool(s->text + next, redact_run(s, next, CLASS_NAME) - next))
            return false; /* X=a command of words */
    }
    v->to = v->end = to;
    return true;
}
