/* The search of one text: from its beginning to its end, a place at a time; at each the rules that
 * may begin there are asked, and what they find is told in the order in which it stands. */
#include <string.h>

#include "envelope/redact/command.h"
#include "envelope/redact/cut.h"
#include "envelope/redact/forms.h"
#include "envelope/redact/known.h"
#include "envelope/redact/matches.h"
#include "envelope/redact/places.h"
#include "envelope/redact/search.h"

#define AHEAD_MOST  32 /* all below a command, and as many of others */
#define VALUES_MOST 8
#define VALUE_MIN   8 /* shorter ones may be words */
#define VALUE_MAX   64
#define KEY_LEAST   4  /* characters of what `key` and `code` are set to */
#define AGAIN_LEAST 4  /* bytes of what is found in the next line once more */
#define FOLD_LEAST  60 /* bytes of a line of LDIF that goes on in the next one */

/* Who hears of what is found in which text. */
struct search {
    struct redact_scan scan;
    const struct redact_secrets *secrets;
    struct redact_command_found command;   /* of the command's words, what is to come */
    int told;                              /* of them */
    size_t name_end;                       /* of the name that was looked at last, */
    unsigned name_may;                     /* and what its end leaves open, enum redact_may */
    size_t done;                           /* up to here all that was found was told */
    struct redact_match ahead[AHEAD_MOST]; /* found, and begins further on; in order */
    int ahead_count;
    struct redact_match values[VALUES_MOST]; /* that were found by what is around them */
    int value_count;
    unsigned char value_first[32]; /* a bit for each byte that one of them begins with */
    redact_found *found;
    void *user;
};

/* Whether a name has several words: parts that signs join, or sshKey. */
static bool has_words(uint32_t first, uint32_t others)
{
    return ((first | others) & (CLASS_UNDER | CLASS_DASH | CLASS_DOT)) ||
           ((others & CLASS_UPPER) && ((first | others) & CLASS_LOWER));
}

/* Whether a sign is behind a name, or a quote: a first look. */
static inline bool is_set(const struct redact_scan *s, size_t end)
{
    char next = redact_char(s, end);
    next = next == ' ' ? redact_char(s, end + 1) : next;
    return REDACT_ONE_OF(next, ":=\"',;|\t\n");
}

/* Where the name that begins at `at` ends; 0 where none begins. */
static inline __attribute__((always_inline)) size_t name_at(struct search *q, size_t at)
{
    struct redact_scan *s = &q->scan;
    uint32_t first = redact_class(s->text[at]), others = 0, next;
    if (at < q->name_end || !(first & CLASS_NAME))
        return 0;
    size_t most = at + REDACT_SHORT < s->len ? at + REDACT_SHORT : s->len, end = at + 1;
    for (; end < most && (next = redact_class(s->text[end])) & CLASS_NAME; end++)
        others |= next;
    if (end == most && end < s->len) {
        end = redact_run(s, end, CLASS_NAME);
        others = CLASS_ALL;
    }
    unsigned may = (first | others) & (CLASS_UPPER | CLASS_LOWER)
                       ? redact_may(s->text + at, end - at)
                       : 0; /* a number */
    if (may && (first & CLASS_DIGIT) && at && s->text[at - 1] == '%' &&
        redact_in(redact_char(s, at + 1), CLASS_HEX)) {
        q->name_end = at + 2; /* %3BPWD */
        return 0;
    }
    bool words = has_words(first, others);
    q->name_may = words ? may : may & ~(unsigned)MAY_TELL_LAST;
    if (end - at >= 3 && !(q->name_may & (MAY_TELL | MAY_TELL_LAST)) &&
        (words || (is_set(s, end) && redact_is_first(s->text + at))) &&
        (redact_begins_telling(s->text + at, end - at, words) ||
         (words && (others & CLASS_UNDER) && is_set(s, end) &&
          redact_whose_tells(s->text + at, end - at))))
        q->name_may |= MAY_TELL_LAST;
    q->name_end = end;
    return end;
}

/* Which rules may find something where this character stands right behind a name: what each of them
 * asks for itself, so that most are not called. */
enum {
    BEHIND_HEAD = 1 << 0,
    BEHIND_SET = 1 << 1, /* redact_assignment() */
    BEHIND_COLUMN = 1 << 2,
    BEHIND_FILE = 1 << 3,
    BEHIND_CALL = 1 << 4,
    BEHIND_JWK = 1 << 5,
    BEHIND_PROSE = 1 << 6,
    BEHIND_GIVEN = 1 << 7,
    BEHIND_HOLD = 1 << 8,
    BEHIND_CUT = 1 << 9, /* redact_narrow(), redact_jar() */
};
static const uint16_t rules_behind[256] = {
    [0] = BEHIND_HEAD,
    [' '] = BEHIND_HEAD | BEHIND_SET | BEHIND_COLUMN | BEHIND_FILE | BEHIND_CALL | BEHIND_PROSE |
            BEHIND_GIVEN | BEHIND_HOLD,
    ['\t'] = BEHIND_HEAD | BEHIND_SET | BEHIND_FILE | BEHIND_PROSE | BEHIND_CUT,
    [':'] = BEHIND_HEAD | BEHIND_SET | BEHIND_COLUMN | BEHIND_PROSE | BEHIND_GIVEN | BEHIND_HOLD,
    ['='] = BEHIND_HEAD | BEHIND_SET | BEHIND_CALL | BEHIND_HOLD,
    ['"'] = BEHIND_HEAD | BEHIND_SET | BEHIND_CALL | BEHIND_JWK | BEHIND_HOLD,
    ['\''] = BEHIND_HEAD | BEHIND_SET | BEHIND_CALL | BEHIND_HOLD,
    ['`'] = BEHIND_HEAD | BEHIND_SET,
    ['\\'] = BEHIND_HEAD | BEHIND_SET | BEHIND_FILE,
    [']'] = BEHIND_HEAD | BEHIND_SET,
    ['%'] = BEHIND_HEAD | BEHIND_SET,
    [','] = BEHIND_HEAD,
    ['\n'] = BEHIND_FILE | BEHIND_HOLD,
    ['\r'] = BEHIND_FILE,
    ['<'] = BEHIND_SET,
    ['>'] = BEHIND_SET | BEHIND_HOLD | BEHIND_JWK,
    ['?'] = BEHIND_SET,
    ['+'] = BEHIND_SET,
    ['}'] = BEHIND_SET,
    ['['] = BEHIND_COLUMN | BEHIND_SET,
    ['('] = BEHIND_FILE | BEHIND_CALL | BEHIND_GIVEN,
    ['{'] = BEHIND_GIVEN,
    ['*'] = BEHIND_GIVEN,
    [0xe2] = BEHIND_CUT,
};

/* Keeps a match that begins further on. */
static void keep(struct search *q, const struct redact_match *match)
{
    q->ahead_count = redact_insert(q->ahead, q->ahead_count, AHEAD_MOST, match);
}

/* The words of the command that the name may be. What lies behind them, in what it printed, waits
 * with what else begins further on: other commands may stand in between. */
static void find_command(struct search *q, size_t at, size_t end)
{
    struct redact_command_found *found = &q->command;
    size_t before = q->scan.command_end;
    q->told = 0;
    if (!redact_command(&q->scan, at, end, found) || q->scan.command_end == before)
        return;
    while (found->count && found->list[found->count - 1].from >= q->scan.command_end)
        keep(q, &found->list[--found->count]);
}

/* LDIF cuts a line where it is full, and goes on behind one blank (RFC 2849). */
static void read_folded(struct redact_scan *s, size_t name, struct redact_match *match)
{
    size_t line = name;
    if (match->to < name || (name && s->text[name - 1] != '\n'))
        return;
    while (match->to - line >= FOLD_LEAST && redact_at(s, match->to, "\n ") &&
           !redact_in(redact_char(s, match->to + 2), CLASS_SPACE)) {
        line = match->to + 1;
        match->to = redact_run(s, line + 1, ~(uint32_t)CLASS_SPACE);
    }
}

/* Whether a word is set that is shorter than any key: `key: a`, `"code": "DE"`. */
static bool is_set_to_little(struct redact_scan *s, size_t end)
{
    size_t at = end;
    bool sign = false;
    while (at < end + 5 && REDACT_ONE_OF(redact_char(s, at), ":= \"'"))
        sign |= REDACT_ONE_OF(s->text[at++], ":=");
    size_t to = redact_run(s, at, CLASS_ALNUM);
    return sign && to > at && to - at < KEY_LEAST && REDACT_ONE_OF(redact_char(s, to), "\n\"',");
}

/* Whether a rule that asks what the name tells may find something: it tells, or does with the words
 * in front, or without the signs around it. */
static bool may_say(struct redact_scan *s, size_t at, size_t end)
{
    return redact_tells(s, at, end - at) ||
           (redact_is_of_phrase(s, at, end) && !is_set_to_little(s, end)) ||
           redact_in(s->text[at], CLASS_DASH | CLASS_DOT) || s->text[end - 1] == '.';
}

/* Keeps the items of the list that the name holds; whether it has any. */
static __attribute__((noinline)) bool find_items(struct search *q, size_t at, size_t end)
{
    struct redact_match items[REDACT_ITEMS];
    int count = redact_items(&q->scan, at, end, items);
    for (int i = 0; i < count; i++)
        keep(q, &items[i]);
    return count > 0;
}

/* A name, and what is known of it before a rule is asked. */
struct named {
    size_t at, end;
    unsigned may, behind; /* enum redact_may; the rules that the character behind it allows */
    bool may_tell;        /* by its last letters; */
    bool says;            /* or by what it is, or the words in front: what rules of prose want, */
    bool tells;           /* and what the others want */
};

/* What is set, with a sign or as a table has it. */
static inline __attribute__((always_inline)) bool
find_set(struct redact_scan *s, const struct named *n, struct redact_match *ret)
{
    size_t at = n->at, end = n->end;
    return ((n->may & MAY_HEAD) && (n->behind & BEHIND_HEAD) && redact_header(s, at, end, ret)) ||
           (n->tells && redact_may_look_into(s, end) && redact_looked_into(s, at, end, ret)) ||
           (n->tells && (n->behind & BEHIND_SET) && redact_assignment(s, at, end, ret)) ||
           (n->tells && redact_may_label(s, end) && redact_label(s, at, end, ret)) ||
           (n->tells && (n->behind & BEHIND_COLUMN) && redact_column(s, at, end, ret));
}

/* Where the name alone does not tell: words of files, calls, what is said, numbers, sections. */
static inline __attribute__((always_inline)) bool
find_where_it_stands(struct redact_scan *s, const struct named *n, struct redact_match *ret)
{
    size_t at = n->at, end = n->end;
    return ((n->may & MAY_FILE) && (n->behind & BEHIND_FILE) && redact_in_file(s, at, end, ret)) ||
           ((n->may & MAY_CALL) && (n->behind & BEHIND_CALL) && redact_call(s, at, end, ret)) ||
           (n->says && (n->may & MAY_PROSE) && (n->behind & BEHIND_PROSE) &&
            redact_prose(s, at, end, ret)) ||
           ((n->tells || (n->may & MAY_DIGITS)) && redact_numbers(s, at, end, n->tells, ret)) ||
           (n->may_tell && redact_may_be_section(s, at, end) && redact_section(s, at, end, ret));
}

/* Names of one letter or two: of a web key, a Wi-Fi's code, a community, `p`. */
static inline __attribute__((always_inline)) bool
find_brief(struct redact_scan *s, const struct named *n, struct redact_match *ret)
{
    size_t at = n->at, end = n->end;
    if (end - at > 2)
        return false;
    return ((n->behind & BEHIND_JWK) && redact_jwk(s, at, end, ret)) ||
           (end - at == 1 && (redact_wifi(s, at, end, ret) ||
                              (s->text[at] == 'C' && redact_community(s, at, end, ret)) ||
                              (s->text[at] == 'p' && redact_brief(s, at, end, ret))));
}

/* What is given to a name, and what stands near one or further off in its line. */
static inline __attribute__((always_inline)) bool
find_beside(struct redact_scan *s, const struct named *n, struct redact_match *ret)
{
    size_t at = n->at, end = n->end;
    return (n->tells && ((n->behind & BEHIND_GIVEN) && redact_given(s, at, end, ret))) ||
           (n->tells && redact_place(s, at, end, ret)) ||
           (n->tells && end - at == 22 && redact_at(s, at, "ConvertTo-SecureString") &&
            redact_is_converted(s, at, ret)) ||
           (n->tells && redact_near(s, at, end, ret)) ||
           (n->says && redact_in(s->text[end - 1], CLASS_ALNUM) && redact_far(s, at, end, ret));
}

/* A wallet's words, what is answered to a question, queries, variables. */
static inline __attribute__((always_inline)) bool
find_asked(struct redact_scan *s, const struct named *n, struct redact_match *ret)
{
    size_t at = n->at, end = n->end;
    return (redact_may_be_seed(s, at, end) && redact_seed(s, end, ret)) ||
           (n->says && REDACT_ONE_OF(redact_char(s, end), " :?") &&
            redact_dialogue(s, at, end, ret)) ||
           (n->tells && redact_tells(s, at, end - at) && redact_query(s, at, end, ret)) ||
           (redact_may_be_variable(s, at, end) && redact_variable(s, at, end, ret));
}

/* A name of programs' own, whatever it tells: a resource's, a package's, an assembly's, a linker's
 * `check_password'. */
static inline bool is_of_program(struct redact_scan *s, size_t at, size_t end)
{
    return (redact_char(s, end) == '\'' && at && s->text[at - 1] == '`') ||
           (redact_char(s, end) == ':' &&
            ((at && s->text[at - 1] == ':' && redact_is_in_resource(s, at)) ||
             redact_is_package(s, end))) ||
           redact_is_of_assembly(s, at, end);
}

static __attribute__((noinline)) bool find_named(struct search *q, size_t at, size_t end,
                                                 struct redact_match *ret_match)
{
    struct redact_scan *s = &q->scan;
    if (q->told == q->command.count)
        find_command(q, at, end);
    if (q->told < q->command.count && q->command.list[q->told].from < end)
        return false; /* -pMyPassword is no name */
    if (redact_may_be_login(s, at, end) && redact_login_option(s, at, end, ret_match))
        return true;
    struct named n = {.at = at, .end = end, .may = q->name_may};
    n.may_tell = n.may & (MAY_TELL | MAY_TELL_LAST);
    if (n.may_tell && is_of_program(s, at, end))
        return false;
    n.says = (n.may_tell || (n.may & MAY_PROSE)) && may_say(s, at, end);
    n.tells = n.says && n.may_tell;
    if (n.says && redact_is_crowded(s, at, end))
        return redact_crowd(s, end, ret_match);
    n.behind = rules_behind[(unsigned char)redact_char(s, end)];
    if ((n.may_tell || s->text[end - 1] == '.' || (n.behind & BEHIND_CUT)) &&
        redact_may_be_narrow(s, at, end) && redact_narrow_or_jar(s, at, end, ret_match))
        return true;
    if ((n.behind & BEHIND_HOLD) && end - at > 3 && redact_may_hold(s, at, end) &&
        find_items(q, at, end))
        return false;
    if (n.tells)
        redact_heading(s, at, end);
    return find_set(s, &n, ret_match) || find_where_it_stands(s, &n, ret_match) ||
           find_brief(s, &n, ret_match) || find_beside(s, &n, ret_match) ||
           find_asked(s, &n, ret_match);
}

/* Keeps a value that looks like a secret of its own: where it stands again, nothing may tell. */
static void note_value(struct search *q, size_t from, size_t to, const char *type)
{
    struct redact_scan *s = &q->scan;
    unsigned char first = (unsigned char)s->text[from];
    if (q->value_count == VALUES_MOST || to - from < VALUE_MIN || to - from > VALUE_MAX ||
        strcmp(type, "value") != 0 || !redact_in((char)first, CLASS_ALNUM) ||
        !redact_tells_again(s, from, to))
        return;
    q->values[q->value_count++] = (struct redact_match){from, to, "value"};
    q->value_first[first / 8] |= (unsigned char)(1u << first % 8);
}

/* Whether one of them stands here again, where a name may begin. */
static bool is_again(const struct search *q, size_t at, struct redact_match *ret_match)
{
    const struct redact_scan *s = &q->scan;
    unsigned char first = (unsigned char)s->text[at];
    if (!(q->value_first[first / 8] & 1u << first % 8) || at < q->name_end ||
        (at && redact_in(s->text[at - 1], CLASS_ALNUM)))
        return false;
    for (int i = 0; i < q->value_count; i++) {
        const struct redact_match *v = &q->values[i];
        size_t len = v->to - v->from, end = at + len;
        if (end > s->len || s->text[at + 1] != s->text[v->from + 1] ||
            memcmp(s->text + at, s->text + v->from, len) != 0 ||
            (end < s->len && redact_in(s->text[end], CLASS_ALNUM)))
            continue;
        *ret_match = (struct redact_match){at, end, "value"};
        return true;
    }
    return false;
}

static inline bool known_at(const struct search *q, size_t at, struct redact_match *ret_match)
{
    const struct redact_scan *s = &q->scan;
    return redact_known(q->secrets, s->text, s->len, at, s->fold != NULL, ret_match);
}

static bool find(struct search *q, size_t at, struct redact_match *ret_match)
{
    struct redact_scan *s = &q->scan;
    char c = s->text[at];
    bool line = at == 0 || s->text[at - 1] == '\n';
    if (known_at(q, at, ret_match))
        return true;
    if (((c == '-' && redact_char(s, at + 1) == '-') || c == 'P') && redact_pem(s, at, ret_match))
        return true;
    if (line && (redact_pem_line(s, at, ret_match) || redact_pgpass(s, at, ret_match) ||
                 redact_dumped(s, at, ret_match) ||
                 (REDACT_ONE_OF(c, "[BKup") && redact_login(s, at, ret_match)) ||
                 (c == '|' && redact_beside_hash(s, at, ret_match)) ||
                 (REDACT_ONE_OF(c, ">Ii") && redact_made_at_prompt(s, at, ret_match))))
        return true;
    if (c == 'B' && !line && s->text[at - 1] == ' ' && redact_at(s, at, "BUNDLE_") &&
        redact_login(s, at, ret_match))
        return true;
    if (q->told < q->command.count && q->command.list[q->told].from == at) {
        *ret_match = q->command.list[q->told++];
        return true;
    }
    if ((s->len - at >= 3 && redact_may_begin(s->text + at) && redact_may_be_token(s, at) &&
         redact_token_or_cut(s, at, ret_match)) ||
        (c == ':' && (redact_url(s, at, ret_match) ||
                      (redact_may_be_relay(s->text + at) && redact_relay(s, at, ret_match)))) ||
        (c == '@' && redact_dsn(s, at, ret_match)) ||
        (c == '-' && (redact_dashes(s, at, ret_match) ||
                      (redact_may_be_product(s, at) && redact_product(s, at, ret_match)))))
        return true;
    if (q->value_count && is_again(q, at, ret_match))
        return true;
    size_t name = name_at(q, at);
    if (!name || !((name - at >= REDACT_MARKED_LEAST && redact_marked(s, at, name, ret_match)) ||
                   (redact_may_be_halves(s, at, name) && redact_halves(s, at, name, ret_match)) ||
                   (find_named(q, at, name, ret_match) && !redact_is_none(s, ret_match))))
        return false;
    read_folded(&q->scan, at, ret_match);
    return true;
}

/* Whether a rule may begin at `at` > 0, whether or not a name does. */
static inline __attribute__((always_inline)) bool may_begin(const struct redact_scan *s, size_t at)
{
    const char *t = s->text + at;
    if (redact_in(*t, CLASS_DASH | CLASS_COLON | CLASS_UPPER) &&
        ((*t == '-' && t[1] == '-' && t[-1] != '-') ||
         (*t == ':' && (t[1] == '/' || t[1] == '[' || (at > 1 && redact_is_behind_oracle(t)) ||
                        redact_is_behind_pgpass(t) || redact_may_be_relay(t))) ||
         (*t == 'P' && (t[1] == 'u' || t[1] == 'r'))))
        return true; /* redact_pem(), redact_url() */
    if ((*t == '@' && (redact_in(t[1], CLASS_ALNUM) || t[1] == '(') &&
         redact_in(t[-1], CLASS_ALNUM)) ||
        (*t == '-' && at + 9 < s->len &&
         (t[9] == '-' ? at >= 32 && redact_in(t[-1], CLASS_HEX) : redact_may_be_product(s, at))))
        return true; /* redact_dsn(), redact_dashes(), redact_product() */
    return redact_may_be_token(s, at);
}

/* Where the next match begins that was found already: a word of the command, or one that waits. */
static inline size_t next_found(const struct search *q)
{
    size_t next = q->scan.len;
    if (q->told < q->command.count)
        next = q->command.list[q->told].from;
    return q->ahead_count && q->ahead[0].from < next ? q->ahead[0].from : next;
}

/* The next place at or behind `at` > 0 that find() has to look at, where no known value is looked
 * for: most bytes are spared the rest by a look or two. */
static size_t skip_dull(const struct search *q, size_t at)
{
    const struct redact_scan *s = &q->scan;
    size_t most = s->len < 3 ? 0 : s->len - 2, found = next_found(q);
    most = found < most ? found : most;
    size_t name = q->name_end < most ? q->name_end : most;
    if (q->secrets || (at < s->len && s->text[at - 1] == '\n'))
        return at;
    while (at < name && !(redact_may_begin(s->text + at) && may_begin(s, at)))
        at++;
    if (at < name)
        return at;
    for (; at < most; at++) {
        if (s->text[at] == '\n')
            return at + 1;
        if (redact_in(s->text[at], CLASS_NAME) ||
            (redact_may_begin(s->text + at) && may_begin(s, at)))
            break;
    }
    return at;
}

static struct redact_match take_ahead(struct search *q)
{
    struct redact_match first = q->ahead[0];
    q->ahead_count--;
    memmove(q->ahead, q->ahead + 1, (size_t)q->ahead_count * sizeof *q->ahead);
    return first;
}

/* A key in armour ends where it says so. */
static bool ends_itself(const char *type)
{
    return *type == 'p' && (!strcmp(type, "pem") || !strcmp(type, "private-key"));
}

/* How far the known values reach that begin in [at, to), at least `to`. */
static size_t known_to(const struct search *q, size_t at, size_t to)
{
    struct redact_match known;
    for (; q->secrets && at < to; at++)
        if (known_at(q, at, &known) && known.to > to)
            to = known.to;
    return to;
}

/* How far the matches reach, one in the other, that begin in [at, to): those are told with it. */
static size_t absorb(struct search *q, size_t at, size_t to)
{
    for (;;) {
        size_t end;
        to = known_to(q, at, to);
        if (q->told < q->command.count && q->command.list[q->told].from < to)
            end = q->command.list[q->told++].to;
        else if (q->ahead_count && q->ahead[0].from < to)
            end = take_ahead(q).to;
        else
            return to;
        at = to;
        to = end > to ? end : to;
    }
}

/* Tells of one match, and of those that begin in it, as one. Returns where to go on. */
static size_t report(struct search *q, size_t at, const struct redact_match *match)
{
    struct redact_match known, other;
    if (match->from < at)
        at = match->from > q->done ? match->from : q->done;
    size_t to = absorb(q, at, match->to);
    if (at < to && redact_is_public(&q->scan, &(struct redact_match){at, to, match->type})) {
        if (!known_at(q, at, &known))
            return at;
        match = &known;
        to = known.to;
    } else if (at < to && !ends_itself(match->type)) {
        size_t end = redact_goes_on(&q->scan, at, to);
        to = end > to ? absorb(q, to, end) : to;
    }
    if (at < to)
        q->found(q->user, at, to, match->type);
    if (at < to && redact_becomes(&q->scan, at, to, &other))
        keep(q, &other);
    if (to >= at + AGAIN_LEAST && redact_in(redact_char(&q->scan, to), CLASS_SPACE) &&
        redact_again(&q->scan, at, to, &other))
        keep(q, &other);
    if (at < to && q->value_count < VALUES_MOST)
        note_value(q, at, to, match->type);
    q->done = at < to ? to : at;
    return q->done;
}

/* A known value says more than what was found around it. */
static struct redact_match by_its_name(const struct search *q, size_t at, struct redact_match match)
{
    struct redact_match known;
    bool is = match.from == at && known_at(q, at, &known);
    return is && known.to >= match.to ? known : match;
}

/* The places of a table's line that hold what their headings tell of. */
static void find_row(struct search *q, size_t at)
{
    struct redact_match list[REDACT_COLUMNS];
    for (int i = 0, count = redact_row(&q->scan, at, list); i < count; i++)
        keep(q, &list[i]);
}

static void search(struct search *q)
{
    struct redact_match match, beside;
    redact_read_shapes();
    redact_read_names();
    if (redact_pem_tail(&q->scan, &match))
        keep(q, &match);
    for (size_t at = 0; at < q->scan.len;) {
        if (q->scan.table.count && q->scan.table.row <= at)
            find_row(q, at);
        bool is = q->ahead_count && q->ahead[0].from <= at;
        if (is)
            match = by_its_name(q, at, take_ahead(q));
        if (is && match.to <= at) { /* in front: one may begin here as well */
            report(q, at, &match);
            is = false;
        }
        is = is || (find(q, at, &match) && match.to > match.from);
        if (is && match.from > at)
            keep(q, &match);
        if (is && match.from == at && redact_beside(&q->scan, &match, &beside))
            keep(q, &beside);
        size_t next = is && match.from <= at ? report(q, at, &match) : at;
        at = next > at ? next : skip_dull(q, at + 1); /* or it ends where it was found by */
    }
}

void redact_search(const char *text, size_t len, const struct redact_fold *fold,
                   const struct redact_secrets *secrets, redact_found *found, void *user)
{
    search(&(struct search){.scan = {.text = text, .len = len, .fold = fold},
                            .secrets = secrets,
                            .found = found,
                            .user = user});
}
