/* Secrets in the columns of tables: a heading tells (`id | user | token`, `NAME  PASSWORD  AGE`,
 * `user,password,mail`, `user;password;mail`), and the lines below it hold what it tells of, in the
 * same place. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define ROW_MOST     1000 /* bytes of a line that is looked at */
#define ROWS_MOST    500
#define HEADING_MOST 40

/* What is counted of a line: bars, commas, tabulators. */
static void count(const struct redact_scan *s, size_t at, struct redact_signs *n)
{
    n->bars += redact_is_bar(s, at);
    n->commas += s->text[at] == ',';
    n->semicolons += s->text[at] == ';';
    n->tabs += s->text[at] == '\t';
    n->runs += s->text[at] == '\t' && (at == 0 || s->text[at - 1] != '\t');
}

/* Goes on with counting up to `at`, from where its line begins: each byte is looked at once. */
static void count_to(struct redact_scan *s, size_t at)
{
    struct redact_table *t = &s->table;
    size_t line = at < t->counted ? redact_line_start(s, at, ROW_MOST)
                                  : redact_line_start(s, at, at - t->counted);
    if (at < t->counted || line > t->counted || (line && s->text[line - 1] == '\n')) {
        t->counted = t->line = line;
        t->signs = (struct redact_signs){0};
    }
    for (; t->counted < at; t->counted++)
        if (!redact_in(s->text[t->counted], CLASS_NAME))
            count(s, t->counted, &t->signs);
}

/* Three places at least, or two where one is for users, a word of letters in each, or two: `User
 * Name`. */
static bool is_words(const struct redact_scan *s, size_t from, size_t to)
{
    static const char whom[][9] = {"user", "User", "login", "Login", "account"};
    size_t places = 1;
    for (size_t i = from; i < to; i++) {
        if (!redact_in(s->text[i], CLASS_ALNUM | CLASS_UNDER | CLASS_DASH | CLASS_BLANK))
            return false;
        if (s->text[i] == ' ' && i + 1 < to && s->text[i + 1] != ' ' && i > from) {
            bool same = s->text[i - 1] != ' ';
            if (same && !redact_in(s->text[i + 1], CLASS_UPPER))
                return false;
            places += !same;
        }
    }
    return places >= 3 || (places == 2 && REDACT_HOLDS(s, from, to, whom));
}

/* Between blanks a heading is in capitals, or a rule is below. */
static bool is_heading(struct redact_scan *s, size_t at, size_t end)
{
    bool upper = redact_in(s->text[at], CLASS_UPPER);
    size_t line = redact_line_end(s, end);
    if (!redact_has_digit(s, s->table.line, line) && line - s->table.line < 160 &&
        (end >= line || redact_in(s->text[end], CLASS_BLANK)) && is_words(s, s->table.line, line))
        return true;
    for (size_t i = at; i < end && upper; i++)
        upper = !redact_in(s->text[i], CLASS_LOWER);
    size_t below = redact_line_end(s, end) + 1;
    if (redact_at(s, s->table.line, "     ") && redact_at(s, below, "0 "))
        return true; /* pandas numbers its rows */
    return upper || (below + 2 < s->len && s->text[below] == '-' && s->text[below + 1] == '-');
}

/* Longer rows are not looked at. */
static size_t heading_end(struct redact_scan *s, size_t line, size_t at)
{
    size_t end = redact_line_end(s, at);
    return end - line > ROW_MOST ? line + ROW_MOST : end;
}

/* Whether the name is all that stands in its place, and what parts the places. */
static char parted_by(struct redact_scan *s, size_t line, size_t at, size_t end)
{
    size_t before = at, behind = redact_run(s, end, CLASS_BLANK);
    while (before > line && redact_in(s->text[before - 1], CLASS_BLANK))
        before--;
    bool first = before == line, last = behind >= s->len || s->text[behind] == '\n';
    char front = first ? 0 : s->text[before - 1], next = last ? 0 : s->text[behind];
    bool bar_front = front == '|' || (before >= line + 3 && redact_is_bar(s, before - 3));
    bool bar_next = !last && redact_is_bar(s, behind);
    if ((bar_front || bar_next) && (first || bar_front) && (last || bar_next))
        return '|';
    char list = next == ',' || next == ';' ? next : front;
    if (before == at && behind == end && (list == ',' || list == ';') &&
        (first ? !last : front == list) && (last || next == list))
        return list;
    bool tab_front = at > line && s->text[at - 1] == '\t', tab_next = redact_char(s, end) == '\t';
    if ((tab_front || tab_next) && (at == line || tab_front) && (last || tab_next))
        return memmem(s->text + line, heading_end(s, line, end) - line, "\t\t", 2) ? 'R' : '\t';
    bool apart = (at == line || at - before >= 2) && (last || behind - end >= 2);
    return apart && !(first && last) && is_heading(s, at, end) ? ' ' : 0;
}

/* A heading of several words, the last of which is the name: `Secret access key`. Where it begins;
 * `at` where it is one word, `end` where it is text. */
static size_t words_from(struct redact_scan *s, size_t at, size_t end)
{
    size_t from = at;
    if (at < 2 || s->text[at - 1] != ' ' || !redact_in(s->text[at - 2], CLASS_ALNUM))
        return at;
    while (from > 0 && at - from < HEADING_MOST &&
           (redact_in(s->text[from - 1], CLASS_ALNUM) ||
            (s->text[from - 1] == ' ' && s->text[from] != ' ')))
        from--;
    from += s->text[from] == ' ';
    bool begins =
        !from || REDACT_ONE_OF(s->text[from - 1], ",;\t\n") ||
        (from >= 4 && s->text[from - 1] == ' ' &&
         (s->text[from - 2] == ' ' || s->text[from - 2] == '|' || redact_is_bar(s, from - 4)));
    return redact_in(s->text[from], CLASS_ALNUM) && begins ? from : end;
}

/* Whether the line above the heading is a command that lists keys of an API. */
static bool is_of_keys(const struct redact_scan *s, size_t line)
{
    static const char words[][9] = {"apikey", "api-key", "api_key", "api key", "access-k"};
    size_t above = line ? redact_line_start(s, line - 1, HEADING_MOST * 2) : 0;
    return line && REDACT_HOLDS(s, above, line, words);
}

void redact_table_heading(struct redact_scan *s, size_t at, size_t end)
{
    struct redact_table *t = &s->table;
    bool key = redact_is_of_phrase(s, at, end);
    enum redact_telling tells = redact_tells(s, at, end - at);
    size_t from = tells || key ? words_from(s, at, end) : end;
    if (from == end)
        return; /* most */
    tells = from < at ? redact_tells(s, from, end - from) : tells;
    at = from;
    key = tells == TELLS_LONG || (!tells && key);
    if (!tells && !key)
        return;
    if (at && s->text[at - 1] == '"' && redact_char(s, end) == '"')
        at--, end++;
    count_to(s, at);
    char sign = parted_by(s, t->line, at, end);
    if (!sign || !redact_is_head(s, t->line, sign) || redact_is_typed_column(s, end))
        return;
    tells = key && is_of_keys(s, t->line) ? TELLS_CODE : tells;
    if (!tells)
        return;
    if (t->heading != t->line + 1 || t->sign != sign)
        t->count = 0;
    t->heading = t->line + 1;
    t->sign = sign;
    t->rows = 0;
    t->row = redact_line_end(s, end) + 1;
    if (t->count == REDACT_COLUMNS)
        return;
    t->columns[t->count++] = (struct redact_column){.place = sign == '|'   ? t->signs.bars
                                                             : sign == ',' ? t->signs.commas
                                                             : sign == ';' ? t->signs.semicolons
                                                             : sign == 'R' ? t->signs.runs
                                                                           : t->signs.tabs,
                                                    .cell = t->signs.tabs,
                                                    .offset = at - t->line,
                                                    .tells = (int)tells};
}

/* The next place's end. */
static size_t place_end(const struct redact_scan *s, size_t at, size_t line, char sign)
{
    bool quoted = sign != '|' && at < line && s->text[at] == '"';
    bool inside = quoted;
    for (at += quoted; at < line; at++) {
        if (inside && s->text[at] == '"') {
            bool doubled = at + 1 < line && s->text[at + 1] == '"';
            inside = doubled;
            at += doubled;
        }
        if (!inside && (sign == '|' ? redact_is_bar(s, at) : s->text[at] == sign))
            break;
    }
    return at;
}

static bool is_secret(struct redact_scan *s, int tells, size_t from, size_t to)
{
    struct redact_reached v = {.from = from, .to = to};
    int strength = redact_strength(s, &v);
    return tells == TELLS_ALL    ? strength >= REDACT_SHORT_WORD
           : tells == TELLS_CODE ? strength >= REDACT_MIXED && to - from >= 8
                                 : strength >= REDACT_RANDOM && !v.hex;
}

/* Characters of several kinds and signs that no word has, whatever is in quotes. */
static bool is_dense(const struct redact_scan *s, size_t from, size_t to)
{
    size_t kinds[4] = {0};
    for (size_t i = from; i < to; i++)
        kinds[redact_in(s->text[i], CLASS_DIGIT)   ? 0
              : redact_in(s->text[i], CLASS_UPPER) ? 1
              : redact_in(s->text[i], CLASS_LOWER) ? 2
                                                   : 3]++;
    return to - from >= 8 && (kinds[0] != 0) + (kinds[1] != 0) + (kinds[2] != 0) >= 2 &&
           kinds[3] >= 3 && redact_has_sign(s, from, to) &&
           !memmem(s->text + from, to - from, "://", 3) && !redact_is_placeholder(s, from, to);
}

/* `425679` below `Door Code`. */
static bool is_code(struct redact_scan *s, const struct redact_column *c, size_t from, size_t to)
{
    size_t name = s->table.heading - 1 + c->offset, most = name + HEADING_MOST;
    size_t end = redact_run(s, name, CLASS_ALNUM | CLASS_BLANK | CLASS_UNDER);
    while (end > name && s->text[end - 1] == ' ')
        end--;
    return end <= most && end > name + 4 && redact_at(s, end - 4, "code") && to - from <= 10 &&
           redact_run(s, from, CLASS_DIGIT | CLASS_DASH) == to;
}

/* A password of several words, one of which has a digit, or in quotes. */
static bool is_phrase(const struct redact_scan *s, size_t from, size_t to, bool quoted)
{
    size_t blanks = 0, mixed = 0, digits = 0;
    for (size_t i = from; i < to; i++) {
        blanks += s->text[i] == ' ';
        digits += redact_in(s->text[i], CLASS_DIGIT);
        mixed += redact_in(s->text[i], CLASS_DIGIT) &&
                 ((i > from && redact_in(s->text[i - 1], CLASS_UPPER | CLASS_LOWER)) ||
                  (i + 1 < to && redact_in(s->text[i + 1], CLASS_UPPER | CLASS_LOWER)));
    }
    bool some = quoted && blanks <= 5 && digits;
    return ((blanks <= 2 && (mixed || (quoted && blanks == 1))) || some) &&
           !redact_is_placeholder(s, from, to);
}

/* `blauwe.fiets.31` between bars: words and a number that signs join, and no version. */
static bool is_dotted(struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, letters = 0, signs = 0;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        letters += redact_in(s->text[i], CLASS_UPPER | CLASS_LOWER);
        signs += s->text[i] == '.' || s->text[i] == '-' || s->text[i] == '_';
    }
    return s->table.sign == '|' && to - from >= 8 && digits && letters >= 4 && signs &&
           digits + letters + signs == to - from && !redact_is_version(s, from, to) &&
           !redact_is_placeholder(s, from, to);
}

/* A word of letters of both cases and digits with signs that no word of a program has. */
static bool is_odd(const struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, upper = 0, lower = 0, odd = 0;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
        odd += REDACT_ONE_OF(s->text[i], "\",;'&|");
        if (REDACT_ONE_OF(s->text[i], "()[]{}<>\\"))
            return false;
    }
    return to - from >= 8 && digits && upper && lower && odd &&
           !redact_is_placeholder(s, from, to) && !memmem(s->text + from, to - from, "://", 3);
}

/* `"lantern,""172"` in a file of such: letters, a digit and what only quotes let it have. */
static bool is_held(const struct redact_scan *s, size_t from, size_t to)
{
    size_t digits = 0, letters = 0, signs = 0;
    for (size_t i = from; i < to; i++) {
        digits += redact_in(s->text[i], CLASS_DIGIT);
        letters += redact_in(s->text[i], CLASS_UPPER | CLASS_LOWER);
        signs += REDACT_ONE_OF(s->text[i], "\",;");
        if (REDACT_ONE_OF(s->text[i], "()[]{}<>\\:= "))
            return false;
    }
    return digits && letters >= 3 && signs && signs <= 4 && !redact_is_placeholder(s, from, to);
}

/* What a database shows: dashes and plusses are below its heading. Words, and a number. */
static bool is_shown(struct redact_scan *s, size_t from, size_t to)
{
    size_t rule = redact_line_end(s, s->table.heading - 1) + 1, blanks = 0, digits = 0, upper = 0;
    size_t end = rule < s->len ? redact_line_end(s, rule) : rule;
    if (s->table.sign != '|' || end - rule > ROW_MOST ||
        !memmem(s->text + rule, end - rule, "-+", 2))
        return false;
    for (size_t i = from; i < to; i++) {
        blanks += s->text[i] == ' ';
        digits += redact_in(s->text[i], CLASS_DIGIT);
        upper += redact_in(s->text[i], CLASS_UPPER);
        if (!redact_in(s->text[i], CLASS_ALNUM | CLASS_BLANK))
            return false;
    }
    return blanks <= 3 && digits && upper;
}

static bool are_words(struct redact_scan *s, char sign, size_t from, size_t to, bool quoted)
{
    return is_phrase(s, from, to, quoted && (sign == '\t' || sign == ',' || sign == ';')) ||
           is_shown(s, from, to) || ((quoted || sign == '|') && redact_is_phrase(s, from, to, 3));
}

static struct redact_signs signs_of(struct redact_scan *s, size_t at)
{
    struct redact_signs signs = {0};
    for (size_t line = heading_end(s, at, at), i = at; i < line; i++)
        count(s, i, &signs);
    return signs;
}

/* Letters alone, of both cases and in no order that a name has, in a row that is no other text: it
 * has as many places as the heading, three at least. */
static bool is_mixed(struct redact_scan *s, size_t at, size_t from, size_t to)
{
    char sign = s->table.sign;
    size_t upper = 0, lower = 0;
    for (size_t i = from + 1; i < to; i++) {
        upper += redact_in(s->text[i], CLASS_UPPER);
        lower += redact_in(s->text[i], CLASS_LOWER);
    }
    if ((sign != ',' && sign != ';') || to - from < 8 || upper < 2 || lower < 2 ||
        upper + lower + 1 < to - from ||
        (to < s->len && s->text[to] != sign && s->text[to] != '\n'))
        return false;
    struct redact_signs row = signs_of(s, at), all = signs_of(s, s->table.heading - 1);
    return sign == ',' ? row.commas >= 2 && row.commas == all.commas
                       : row.semicolons >= 2 && row.semicolons == all.semicolons;
}

/* Whether the heading in capitals has a column for whom the other one lets in. */
static bool has_users(struct redact_scan *s)
{
    static const char whom[][9] = {"USER", "LOGIN", "ACCOUNT", "EMAIL"};
    size_t line = s->table.heading - 1;
    return REDACT_HOLDS(s, line, heading_end(s, line, line), whom);
}

/* `beacon_otter_topaz` below a heading in small letters that has one, too. */
static bool is_of_user(struct redact_scan *s, size_t from, size_t to)
{
    static const char whom[][9] = {"user", "login", "account", "email"};
    size_t line = s->table.heading - 1, end = heading_end(s, line, line);
    return (has_users(s) || REDACT_HOLDS(s, line, end, whom)) && redact_is_wordy(s, from, to);
}

/* Letters, and signs between or behind them, in a row of the heading's own form: a word, where no
 * other column says what it is. */
static bool is_sole(struct redact_scan *s, size_t at, size_t from, size_t to)
{
    static const char *const states[] = {"required",  "disabled",  "unchanged",
                                         "encrypted", "password",  "optional",
                                         "changeme",  "inherited", "undefined"};
    char sign = s->table.sign;
    size_t letters = 0, changes = 0, signs = 0;
    for (size_t i = from; i < to; i++) {
        letters += redact_in(s->text[i], CLASS_UPPER | CLASS_LOWER);
        signs += REDACT_ONE_OF(s->text[i], "!?._-+");
        changes += i > from && redact_in(s->text[i], CLASS_UPPER) &&
                   redact_in(s->text[i - 1], CLASS_LOWER);
    }
    if (letters < 8 || letters + signs < to - from || redact_is_placeholder(s, from, to))
        return false;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (redact_at(s, from, states[i]))
            return false;
    if (sign == ' ')
        return signs ? is_of_user(s, from, to) : changes || has_users(s);
    struct redact_signs row = signs_of(s, at), all = signs_of(s, s->table.heading - 1);
    bool apart = from > at && redact_in(s->text[from - 1], CLASS_BLANK | CLASS_TICK);
    return sign == '|'   ? apart && row.bars >= 2 && row.bars == all.bars
           : sign == ',' ? row.commas >= 2 && row.commas == all.commas
           : sign == ';' ? row.semicolons >= 2 && row.semicolons == all.semicolons
                         : row.tabs >= 1 && row.tabs == all.tabs;
}

/* One word that the column's heading tells of. */
static bool is_word(struct redact_scan *s, const struct redact_column *c, size_t at, size_t from,
                    size_t to)
{
    if (is_secret(s, c->tells, from, to))
        return true;
    return c->tells == TELLS_ALL
               ? is_mixed(s, at, from, to) || is_odd(s, from, to) || is_dotted(s, from, to) ||
                     is_dense(s, from, to) || is_sole(s, at, from, to)
               : c->tells == TELLS_CODE && (is_dense(s, from, to) || is_code(s, c, from, to));
}

/* The word that ends where the heading does; 0 for none. */
static size_t right_aligned(struct redact_scan *s, const struct redact_column *c, size_t at,
                            size_t line)
{
    size_t name = s->table.heading - 1 + c->offset;
    size_t to = at + redact_run(s, name, CLASS_NAME) - (s->table.heading - 1), from = to;
    if (to > line || (to < line && s->text[to] != ' '))
        return 0;
    while (from > at && s->text[from - 1] != ' ')
        from--;
    return from > at && from < to ? from : 0;
}

static bool is_in_place(struct redact_scan *s, const struct redact_column *c, size_t at,
                        size_t line, struct redact_match *ret_match)
{
    bool runs = s->table.sign == 'R' && !s->table.cells;
    char sign = s->table.sign == 'R' ? '\t' : s->table.sign;
    int place = s->table.cells ? c->cell : c->place;
    size_t from = at, to;
    if (sign == ' ') {
        from = at + c->offset;
        if (from >= line || (c->offset && !redact_in(s->text[from - 1], CLASS_BLANK)))
            from = right_aligned(s, c, at, line);
        if (!from)
            return false;
        to = redact_run(s, from, ~(uint32_t)CLASS_SPACE);
    } else {
        to = place_end(s, from, line, sign);
        if (to >= line && !place)
            return false; /* no row of it */
        for (int i = 0; i < place; i++) {
            if (to >= line)
                return false;
            from = to + (sign == '|' && s->text[to] != '|' ? 3 : 1);
            while (runs && from < line && s->text[from] == '\t')
                from++;
            to = place_end(s, from, line, sign);
        }
    }
    while (from < to && redact_in(s->text[from], CLASS_BLANK | CLASS_DOUBLE | CLASS_TICK))
        from++;
    while (to > from && redact_in(s->text[to - 1], CLASS_BLANK | CLASS_DOUBLE | CLASS_TICK))
        to--;
    bool quoted = from && s->text[from - 1] == '"' && redact_char(s, to) == '"',
         words = memchr(s->text + from, ' ', to - from) != NULL;
    if (to < from + 6 ||
        (words ? c->tells != TELLS_ALL || sign == ' ' || !are_words(s, sign, from, to, quoted)
               : !is_word(s, c, at, from, to) &&
                     !(quoted && c->tells == TELLS_ALL && is_held(s, from, to))))
        return false;
    *ret_match = (struct redact_match){from, to, "value"};
    return true;
}

/* Two tabulators in a row align what a heading names, or are an empty cell of it. A row with as
 * many runs of them is parted by runs, any other has that cell, too. */
static bool has_cells(struct redact_scan *s, size_t at)
{
    struct redact_table *t = &s->table;
    if (t->sign != 'R')
        return false;
    if (!t->rows)
        t->runs = signs_of(s, t->heading - 1).runs;
    return signs_of(s, at).runs != t->runs;
}

int redact_table_row(struct redact_scan *s, size_t at,
                     struct redact_match ret_match[REDACT_COLUMNS])
{
    struct redact_table *t = &s->table;
    int found = 0;
    if (t->row != at) {
        t->count = 0; /* something went on over its beginning */
        return 0;
    }
    size_t line = redact_line_end(s, at);
    if (line == at || line - at > ROW_MOST || t->rows > ROWS_MOST) {
        t->count = 0;
        return 0;
    }
    t->cells = has_cells(s, at);
    t->rows++;
    for (int i = 0; i < t->count; i++)
        found += is_in_place(s, &t->columns[i], at, line, &ret_match[found]);
    t->row = line + 1;
    return found;
}
