/* Lists of secrets below one name: `passwords: ["X", "Y"]`, YAML's `- X`, `keys=( 'X' Y )`, and
 * what users have for theirs: `PASSWORDS = {"kim": "X"}`. One item that is like no word tells of
 * all others: in `secrets: [db_password]` are names, in `secrets: [db, 4kT9-x]` is what they hold.
 */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LIST_MOST  4096
#define ITEM_MOST  512
#define ITEM_LEAST 4
#define CODE_LEAST 8
#define NAME_MOST  96
#define SAME_LEAST 16 /* letters of one that is like another */

struct list {
    size_t most; /* no item is behind this */
    size_t at;
    struct redact_match *items;
    int count;
    char close;
    bool words; /* blanks part them, as in a shell */
    bool pairs; /* each has a name */
    bool login; /* they are a user and a password */
};

/* ---- what is one ---- */

/* What the name tells of each of what it holds. */
static enum redact_telling each_tells(struct redact_scan *s, size_t at, size_t end)
{
    size_t len = end - at;
    if (len > NAME_MOST || redact_at(s, at, "dkim"))
        return TELLS_NOTHING;
    enum redact_telling one = redact_telling(s->text + at, len);
    if ((s->text[end - 1] | 0x20) == 's' && (!one || one == TELLS_LONG))
        one = redact_telling(s->text + at, len - 1);
    return one;
}

static bool is_strong(struct redact_scan *s, enum redact_telling tells, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    size_t len = to - from;
    if (tells == TELLS_ALL && redact_is_quoted(s, from, to))
        return true;
    if (memchr(s->text + from, ' ', len))
        return false;
    enum redact_strength strength = redact_strength(s, &v);
    if (tells == TELLS_ALL)
        return strength >= REDACT_SHORT_WORD || redact_is_composed(s, from, to) ||
               redact_is_jumbled(s, from, to) ||
               (redact_has_digit(s, from, to) && redact_has_sign(s, from, to));
    return strength >= REDACT_RANDOM || (v.hex && len >= 16) ||
           (strength >= REDACT_MIXED && len >= 12);
}

/* Whether it may be one beside another that is. */
static bool may_be(struct redact_scan *s, enum redact_telling tells, size_t from, size_t to)
{
    size_t len = to - from;
    return len >= ITEM_LEAST && len <= ITEM_MOST && !redact_is_placeholder(s, from, to) &&
           !redact_is_path(s, from, to) && !memmem(s->text + from, len, "://", 3) &&
           !redact_telling(s->text + from, len) &&
           (tells == TELLS_ALL || (len >= CODE_LEAST && redact_has_digit(s, from, to) &&
                                   !memchr(s->text + from, ' ', len)));
}

/* Letters of both cases alone, as many as another one has that is like no word. */
static bool is_like_one(const struct redact_scan *s, const struct list *l, int which)
{
    size_t from = l->items[which].from, len = l->items[which].to - from, upper = 0, lower = 0;
    bool like = false;
    for (size_t i = from + 1; i < from + len; i++) {
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
    }
    for (int i = 0; i < l->count; i++)
        like = like || (i != which && l->items[i].to - l->items[i].from == len);
    return like && len >= SAME_LEAST && upper >= 3 && lower >= 3 && upper + lower + 1 >= len;
}

/* Keeps those that are; none where nothing says that any is. */
static int judge(struct redact_scan *s, enum redact_telling tells, struct list *l)
{
    for (int i = 0; i < l->count && l->pairs && tells != TELLS_ALL; i++)
        if (!is_strong(s, tells, l->items[i].from, l->items[i].to))
            return 0;
    bool strong = l->words && l->close == ')' && tells == TELLS_ALL;
    bool taken[REDACT_ITEMS] = {0};
    int kept = 0;
    for (int i = 0; i < l->count && l->login; i++)
        taken[i] = l->items[i].to - l->items[i].from >= CODE_LEAST &&
                   may_be(s, TELLS_ALL, l->items[i].from, l->items[i].to) &&
                   redact_has_digit(s, l->items[i].from, l->items[i].to) &&
                   is_strong(s, TELLS_ALL, l->items[i].from, l->items[i].to);
    for (int i = 0; i < l->count && !strong; i++)
        strong = may_be(s, tells, l->items[i].from, l->items[i].to) &&
                 is_strong(s, tells, l->items[i].from, l->items[i].to);
    for (int i = 0; i < l->count && strong; i++)
        if (may_be(s, tells, l->items[i].from, l->items[i].to) || is_like_one(s, l, i))
            taken[i] = true;
    for (int i = 0; i < l->count; i++)
        if (taken[i])
            l->items[kept++] = l->items[i];
    return kept;
}

static void add(struct list *l, size_t from, size_t to)
{
    if (to > from && l->count < REDACT_ITEMS)
        l->items[l->count++] = (struct redact_match){from, to, "value"};
}

/* ---- in brackets ---- */

/* Blanks, line ends, and what a comment says behind an item. */
static void skip_between(struct redact_scan *s, struct list *l)
{
    while (l->at < l->most) {
        l->at = redact_run(s, l->at, CLASS_SPACE);
        bool comment = redact_char(s, l->at) == '#' || redact_at(s, l->at, "//");
        if (!comment || l->words)
            return;
        l->at = redact_line_end(s, l->at);
    }
}

/* The item at l->at without its quotes; false where something else is there. */
static bool read_item(struct redact_scan *s, struct list *l, size_t *ret_from, size_t *ret_to)
{
    const char *t = s->text;
    size_t at = l->at, index = redact_run(s, at + 1, CLASS_NAME);
    if (l->words && redact_char(s, at) == '[' && redact_at(s, index, "]="))
        at = index + 2; /* a shell's [kim]=X */
    if (redact_in(redact_char(s, at), CLASS_LOWER | CLASS_UPPER) && at + 1 < l->most &&
        REDACT_ONE_OF(t[at + 1], "\"'") && REDACT_ONE_OF(t[at] | 0x20, "bru"))
        at++; /* b"X" */
    at += redact_char(s, at) == '@' && redact_char(s, at + 1) == '"';
    char quote = redact_char(s, at);
    if (at < l->most && REDACT_ONE_OF(quote, "\"'`")) {
        *ret_from = ++at;
        while (at < l->most && t[at] != quote)
            at += t[at] == '\\' && quote != '\'' ? 2 : 1;
        *ret_to = at;
        l->at = at + 1;
        return at < l->most;
    }
    *ret_from = at;
    while (at < l->most && !redact_in(t[at], CLASS_SPACE) &&
           (l->words ? t[at] != l->close && !REDACT_ONE_OF(t[at], "\"'`")
                     : !REDACT_ONE_OF(t[at], ",])}(\"'`;") &&
                           !(l->pairs && REDACT_ONE_OF(t[at], ":=["))))
        at++;
    *ret_to = at;
    l->at = at;
    return at > *ret_from && at < l->most && t[at] != '(';
}

/* Behind a key: its sign, `:`, `=>` or `=`. */
static bool skip_sign(struct redact_scan *s, struct list *l)
{
    l->at = redact_run(s, l->at, CLASS_BLANK);
    if (!REDACT_ONE_OF(redact_char(s, l->at), ":="))
        return false;
    l->at += 1 + (redact_char(s, l->at + 1) == '>');
    l->at = redact_run(s, l->at, CLASS_BLANK);
    return true;
}

/* Whether an object has a member of that name: it is no list of whose what is. */
static bool is_member(const struct redact_scan *s, size_t from, size_t to)
{
    static redact_words members = {
        ['d' & 31] = {REDACT_WORD("description"), REDACT_WORD("default")},
        ['e' & 31] = {REDACT_WORD("enabled")},
        ['h' & 31] = {REDACT_WORD("host")},
        ['i' & 31] = {REDACT_WORD("id")},
        ['l' & 31] = {REDACT_WORD("label"), REDACT_WORD("length")},
        ['m' & 31] = {REDACT_WORD("members"), REDACT_WORD("min"), REDACT_WORD("max")},
        ['n' & 31] = {REDACT_WORD("name")},
        ['p' & 31] = {REDACT_WORD("path"), REDACT_WORD("properties")},
        ['r' & 31] = {REDACT_WORD("required"), REDACT_WORD("ref")},
        ['s' & 31] = {REDACT_WORD("shape")},
        ['t' & 31] = {REDACT_WORD("type"), REDACT_WORD("title")},
        ['u' & 31] = {REDACT_WORD("user"), REDACT_WORD("username"), REDACT_WORD("url")},
        ['v' & 31] = {REDACT_WORD("version")},
    };
    return to > from && redact_in(s->text[from], CLASS_LOWER | CLASS_UPPER) &&
           redact_is_word_of(members, s->text + from, to - from);
}

static bool read_brackets(struct redact_scan *s, struct list *l)
{
    l->close = s->text[l->at] == '[' ? ']' : s->text[l->at] == '(' ? ')' : '}';
    size_t from, to;
    bool first = true;
    l->pairs = l->close == '}';
    for (l->at++;; first = false) {
        skip_between(s, l);
        if (l->at >= l->most)
            return false;
        if (s->text[l->at] == l->close)
            return true;
        if (s->text[l->at] == ',' && !l->words) {
            l->at++;
            continue;
        }
        if (!read_item(s, l, &from, &to))
            return false;
        bool sign = !l->words && skip_sign(s, l);
        if (first && !sign)
            l->pairs = false; /* { "X", "Y" } of C, or a list */
        else if (first)
            l->pairs = true; /* PHP's ['kim' => 'X'] */
        if (sign != l->pairs || (sign && (is_member(s, from, to) || !read_item(s, l, &from, &to))))
            return false;
        add(l, from, to);
    }
}

/* ---- on lines ---- */

static size_t indent(struct redact_scan *s, size_t line)
{
    size_t from = redact_run(s, line, CLASS_BLANK);
    return from - line;
}

/* The rest of a line of YAML's, in quotes or not; false where another list or map begins. */
static bool read_scalar(struct redact_scan *s, struct list *l, size_t at, size_t end)
{
    char first = redact_char(s, at);
    while (end > at && redact_in(s->text[end - 1], CLASS_BLANK))
        end--;
    end -= end > at && s->text[end - 1] == '\r';
    if (at >= end || REDACT_ONE_OF(first, "{[|>&*!#"))
        return false;
    if ((first == '"' || first == '\'') && end > at + 1 && s->text[end - 1] == first) {
        add(l, at + 1, end - 1);
        return true;
    }
    const char *comment = memmem(s->text + at, end - at, " #", 2),
               *sign = memmem(s->text + at, end - at, ": ", 2);
    if (sign || s->text[end - 1] == ':')
        return false;
    add(l, at, comment ? (size_t)(comment - s->text) : end);
    return true;
}

/* `- X` or `kim: X` on each line, none of which is left of the name. */
static void read_lines(struct redact_scan *s, struct list *l, size_t name)
{
    size_t least = indent(s, redact_line_start(s, name, NAME_MOST));
    for (l->at++; l->at < l->most;) {
        size_t end = redact_line_end(s, l->at), deep = indent(s, l->at), at = l->at + deep;
        bool item = redact_at(s, at, "- ");
        if (at >= end || end > l->most || deep < least || (deep == least && !item))
            return;
        if (item) {
            at = redact_run(s, at + 2, CLASS_BLANK);
        } else {
            at = redact_run(s, at + REDACT_ONE_OF(s->text[at], "\"'"), CLASS_NAME);
            at += REDACT_ONE_OF(redact_char(s, at), "\"'");
            if (!redact_at(s, at, ": "))
                return;
            at = redact_run(s, at + 2, CLASS_BLANK);
        }
        if ((l->count && l->pairs == item) || !read_scalar(s, l, at, end))
            return;
        l->pairs = !item;
        l->at = end + 1;
    }
}

/* ---- where it begins ---- */

/* What languages write in front of a list's bracket; the bracket's place, `at` for none. */
static size_t skip_maker(struct redact_scan *s, size_t at)
{
    static const struct redact_word makers[] = {
        REDACT_WORD("[]string"),   REDACT_WORD("[...]string"),  REDACT_WORD("vec!"),
        REDACT_WORD("&"),          REDACT_WORD("%w"),           REDACT_WORD("qw"),
        REDACT_WORD("List.of"),    REDACT_WORD("Set.of"),       REDACT_WORD("Arrays.asList"),
        REDACT_WORD("array"),      REDACT_WORD("set"),          REDACT_WORD("frozenset"),
        REDACT_WORD("listOf"),     REDACT_WORD("setOf"),        REDACT_WORD("arrayOf"),
        REDACT_WORD("Map.of"),     REDACT_WORD("dict"),         REDACT_WORD("@"),
        REDACT_WORD("new[]"),      REDACT_WORD("new string[]"), REDACT_WORD("new String[]"),
        REDACT_WORD("string[] ="), REDACT_WORD("Array.of"),     REDACT_WORD("map[string]string")};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (redact_at(s, at, makers[i].text)) {
            size_t open = redact_run(s, at + makers[i].len, CLASS_BLANK);
            if (REDACT_ONE_OF(redact_char(s, open), "[({"))
                return open;
        }
    return at;
}

/* Whether a text in quotes is the first in the list. */
static bool opens_texts(struct redact_scan *s, size_t at)
{
    return redact_in(redact_char(s, redact_run(s, at, CLASS_SPACE)), CLASS_DOUBLE | CLASS_SINGLE);
}

bool redact_holds_some(struct redact_scan *s, size_t at, size_t end)
{
    char next = redact_char(s, end);
    if (redact_may_keep(s, at, end, next))
        return true;
    if ((s->text[end - 1] | 0x20) != 's') {
        size_t sign = redact_run(s, end + (next == '"'), CLASS_BLANK);
        size_t open = redact_run(s, sign + 1, CLASS_BLANK);
        return (next == '=' && redact_char(s, end + 1) == '(') ||
               (REDACT_ONE_OF(redact_char(s, sign), ":=") && redact_char(s, open) == '[' &&
                (next == '"' || opens_texts(s, open + 1)));
    }
    if (next == '"' || next == '\'')
        next = redact_char(s, end + 1);
    return end - at > 3 && (next == ':' || next == '=' ||
                            (next == ' ' && REDACT_ONE_OF(redact_behind(s, end)->sign, ":=")));
}

int redact_items(struct redact_scan *s, size_t at, size_t end,
                 struct redact_match ret_items[REDACT_ITEMS])
{
    if (at < s->items_to)
        return 0; /* in another list */
    if (redact_may_keep(s, at, end, redact_char(s, end)))
        return redact_keep(s, at, end, ret_items);
    size_t sign = end + REDACT_ONE_OF(redact_char(s, end), "\"'");
    sign = redact_run(s, sign, CLASS_BLANK);
    bool equals = redact_char(s, sign) == '=';
    size_t open = redact_run(s, sign + 1 + (redact_char(s, sign + 1) == '>'), CLASS_BLANK);
    bool lines = !equals && redact_char(s, open + (redact_char(s, open) == '\r')) == '\n';
    if (!lines)
        open = skip_maker(s, open);
    if (open >= s->len || (!lines && !REDACT_ONE_OF(s->text[open], "[({")))
        return 0; /* most */
    enum redact_telling tells = each_tells(s, at, end);
    if (tells < TELLS_CODE)
        return 0;
    struct list l = {.most = s->len - open < LIST_MOST ? s->len : open + LIST_MOST,
                     .at = open + (redact_char(s, open) == '\r'),
                     .items = ret_items,
                     .words = equals && open == sign + 1 && s->text[open] == '('};
    l.words =
        l.words || (open >= 2 && (redact_at(s, open - 2, "%w") || redact_at(s, open - 2, "qw")));
    l.login = l.words && (redact_at(s, end - 5, "creds") || redact_at(s, end - 11, "credentials"));
    if (lines)
        read_lines(s, &l, at);
    else if (!read_brackets(s, &l))
        l.count = 0;
    s->items_to = l.at;
    return judge(s, tells, &l);
}
