/* Secrets that stand behind options and in places of commands: `mysql -pX`, `curl -u user:X`,
 * `vault login X`. Which tools, and where, is in tools.c. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "envelope/redact/command.h"

#define ACTIVE     64 /* rules of the tools in one command: sudo docker exec mysql ... */
#define KNOWN      8  /* tools of which is known that they came */
#define WORDS_MOST 400
#define BEGINNINGS 64 /* of words, a power of two */

/* ---- a command's words ---- */

/* One tool's rule while its words are read. */
struct active {
    const struct redact_rule *rule;
    bool share; /* PLACE_SHARE: it came */
    int places; /* words that are no options, since it or its subcommand came; before: of `words` */
};

struct command {
    struct redact_scan *s;
    struct active active[ACTIVE];
    int count, words; /* of words those that are no options */
    /* a bit for each of them: the subcommand has to come; the next word is the value; a word's
     * place, or its beginning, says whether it is */
    uint64_t waits, next, places, options;
    uint64_t joins;             /* of the options those that may be joined with others */
    uint64_t begin[BEGINNINGS]; /* for which of them a word may be that begins so, if for its
                                   beginning */
    int known[KNOWN], known_count;
    struct redact_command_found *found;
    size_t start;    /* of its first word, */
    size_t line;     /* and of that of the command that it is inside of, or the same */
    size_t from, to; /* of the word, without its quotes */
    bool inside;     /* of a quoted word */
    char quote;      /* in which they stand; 0 for none */
    enum redact_list list;
    bool option;
    bool behind; /* an option that may have taken the word for its value, */
    bool valued; /* and one that has */
};

static void begin_command(struct command *c, struct redact_scan *s, size_t start,
                          struct redact_command_found *found, bool inside)
{
    c->s = s;
    c->start = c->line = start;
    c->found = found;
    c->inside = inside;
    c->quote = 0;
    c->list = REDACT_NO_LIST;
    c->count = c->words = c->known_count = 0;
    c->waits = c->next = c->places = c->options = 0;
    c->joins = 0;
    memset(c->begin, 0, sizeof c->begin);
    c->option = c->behind = c->valued = false;
}

/* What tells a word's beginning from most others: its first letter, behind an option's dashes. */
static size_t beginning(const char *word)
{
    word += *word == '-';
    word += *word == '-';
    return (*word | 0x20) & (BEGINNINGS - 1);
}

static bool is_known(struct command *c, int tool)
{
    int i = 0;
    while (i < c->known_count && c->known[i] != tool)
        i++;
    if (i < c->known_count)
        return true;
    if (i < KNOWN)
        c->known[c->known_count++] = tool;
    return false;
}

/* From now on its words say what is secret. */
static void begin_rule(struct command *c, int at)
{
    const struct redact_rule *rule = c->active[at].rule;
    c->active[at].places = 0;
    if (rule->how >= BELOW)
        return;
    if (*rule->option && rule->how <= PREFIX) {
        c->options |= UINT64_C(1) << at;
        c->joins |= (uint64_t)(rule->how == USER && !rule->option[2]) << at;
        c->begin[beginning(rule->option)] |= UINT64_C(1) << at;
    } else {
        c->places |= UINT64_C(1) << at;
    }
}

/* A tool that is named again goes on as it began, but for what is said by places. */
static void begin_tool(struct command *c, const char *name, size_t len)
{
    int first = redact_tool_first(name, len);
    if (first < 0 || c->count == ACTIVE)
        return;
    bool known = is_known(c, first);
    for (int i = first; i >= 0 && c->count < ACTIVE; i = redact_tool_next(i)) {
        const struct redact_rule *rule = redact_tool_rule(i);
        if (known && *rule->option)
            continue;
        c->active[c->count] = (struct active){.rule = rule, .places = c->words};
        if (*rule->sub) {
            c->waits |= UINT64_C(1) << c->count;
            c->begin[beginning(rule->sub)] |= UINT64_C(1) << c->count;
        } else {
            begin_rule(c, c->count);
        }
        c->count++;
    }
}

/* Whether the word is that subcommand, or begins so where it ends in a dot. */
static bool word_is(const struct command *c, const char *word)
{
    if (((c->s->text[c->from] ^ *word) & ~0x20) != 0)
        return false;
    size_t len = strlen(word), is = c->to - c->from;
    size_t colon = len > 1 && word[len - 2] == ':'; /* `/user:.`: its dot is none */
    return (is == len || (is > len && word[len - 1] == '.')) &&
           !strncasecmp(c->s->text + c->from, word, len - colon);
}

/* In a log no shell has read the line: `-u bob,X&Y` goes on behind the sign. */
static size_t behind_sign(const struct command *c, size_t to)
{
    struct redact_scan *s = c->s;
    bool on = redact_char(s, to) == '&' && to && redact_in(s->text[to - 1], CLASS_ALNUM) &&
              redact_in(redact_char(s, to + 1), CLASS_ALNUM) && !c->inside;
    return on ? redact_shell_word(s, to + 1, redact_line_end(s, to)) : to;
}

static void add(struct command *c, size_t from, size_t to)
{
    redact_command_add(c->s, c->found, from, behind_sign(c, to));
}

/* To the line's end, or the quote's. */
static void add_rest(struct command *c, size_t from)
{
    size_t to = redact_line_end(c->s, from);
    while (to > c->to && redact_in(c->s->text[to - 1], CLASS_BLANK))
        to--;
    bool quoted = from && redact_in(c->s->text[from - 1], CLASS_DOUBLE | CLASS_SINGLE);
    add(c, from, quoted || c->inside ? c->to : to);
}

static void add_value(struct command *c, enum redact_how how, size_t from)
{
    static const char signs[] = {
        [USER] = ':', [PERCENT] = '%', [COMMA] = ',', [PAIR] = '=', [SLASH] = '/'};
    if (how < sizeof signs && signs[how])
        redact_user_behind(c->s, c->found, from, behind_sign(c, c->to), signs[how]);
    else if (how == REST)
        add_rest(c, from);
    else
        add(c, from, c->to);
}

/* The word is an option's, with or without a value in it. */
static void take_option(struct command *c, int rule)
{
    const struct redact_rule *r = c->active[rule].rule;
    bool joins = c->option && r->how == USER;
    bool brief = !r->option[1]; /* a kind of key: `7` */
    if (!joins && (c->to - c->from < (brief ? 1 : 2) || c->s->text[c->from] != *r->option ||
                   (!brief && c->s->text[c->from + 1] != r->option[1])))
        return; /* most end here */
    size_t start = joins ? redact_skip_joined(c->s, c->from, c->to, r->option) : c->from;
    if (start == c->from && c->s->text[start] != *r->option)
        return;
    size_t len = strlen(r->option), word = c->to - start;
    if (word < len || (start == c->from && memcmp(c->s->text + start, r->option, len)))
        return;
    bool attached = word > len;
    size_t from = start + len + (attached && c->s->text[start + len] == '=');
    if (!attached && r->how != ATTACHED && r->how != PREFIX)
        c->next |= UINT64_C(1) << rule;
    else if (!attached)
        return;
    else if (r->how == PREFIX || (r->option[1] != '-' && r->how != NEXT && r->how != SETTING) ||
             c->s->text[start + len] == '=')
        add_value(c, r->how, from);
}

static bool is_telling_word(const struct command *c)
{
    size_t len = c->to - c->from;
    return len < 200 && !memchr(c->s->text + c->from, '=', len) &&
           redact_is_telling(c->s->text + c->from, len);
}

static enum redact_strength strength_of(const struct command *c)
{
    struct redact_reached v = {.from = c->from, .to = c->to};
    return redact_strength(c->s, &v);
}

/* Whether no later word can be at its place. */
static bool is_past(const struct active *a)
{
    const struct redact_rule *r = a->rule;
    return (a->places >= r->place &&
            (r->how == PLACE || r->how == PLACE_BESIDE || r->how == PLACE_CODE ||
             r->how == PLACE_TEXT || r->how == PLACE_LONG || r->how == PLACE_RANDOM)) ||
           (a->places >= 2 && r->how == PLACE_SLASH);
}

static bool ends_command(char c)
{
    return c == '\n' || c == '|' || c == ';' || c == '&' || !c;
}

/* `net use Z: \\host\share X /user:NAME`, in any order. */
static void take_share(struct command *c, struct active *a)
{
    const char *t = c->s->text;
    size_t behind = redact_run(c->s, c->to, CLASS_DOUBLE);
    char next = redact_char(c->s, redact_run(c->s, behind, CLASS_BLANK));
    if (redact_at(c->s, c->from, "\\\\")) {
        a->share = true;
    } else if (a->share && t[c->from] != '/') {
        a->share = false;
        if (next == '/' || ends_command(next))
            add(c, c->from, c->to);
    }
}

/* Whether a word with a slash may be a login: by its host, or at a prompt's command alone. */
static bool may_be_slashed(const struct command *c, int place)
{
    return !place || memchr(c->s->text + c->from, '@', c->to - c->from) ||
           (c->start >= 5 && redact_at(c->s, c->start - 5, "SQL> ")) ||
           (place > 1 && redact_is_prompted(c->s, c->start));
}

static void take_place(struct command *c, int rule)
{
    struct active *a = &c->active[rule];
    const struct redact_rule *r = a->rule;
    if (r->how == AMONG || r->how == WITHIN) {
        size_t from = c->from, to = c->to;
        if (redact_among(c->s, r, &from, &to))
            add(c, from, to);
        return;
    }
    if (r->how == REPLACED) {
        redact_replaced(c->s, c->found, c->from, c->to);
        return;
    }
    if (r->how == WRITTEN) {
        if (c->s->text[c->from] == '<' && redact_at(c->s, c->from, "<<<"))
            redact_here(c->s, c->found, c->start, c->from, c->to);
        return;
    }
    bool kind =
        (r->how == PLACE_CODE || r->how == PLACE_TEXT) && c->to - c->from == 1; /* `key 7 X` */
    if ((c->option && r->how != PLACE_BESIDE) || (c->valued && r->how != SETTING) || kind)
        return;
    a->places++;
    if (c->list && r->how == PLACE && !*r->sub && strength_of(c) == REDACT_WEAK)
        return; /* a list of tools */
    if (r->how == PLACE_BESIDE && (c->option || redact_is_other_option(c->s, c->from, c->to)))
        a->places = r->place;
    else if ((r->how == PLACE || r->how == PLACE_BESIDE) && a->places == r->place)
        add(c, c->from, c->to);
    else if (r->how == PLACE_USER && a->places >= r->place &&
             redact_user_is_login(c->s, c->from, c->to))
        redact_user_behind(c->s, c->found, c->from, behind_sign(c, c->to), ':');
    else if (r->how == PLACE_SIGN && a->places >= r->place && c->s->text[c->from] == '>')
        add(c, c->from + 1, c->to);
    else if (r->how == PLACE_SIGN && a->places >= r->place && c->to - c->from == 65 &&
             c->s->text[c->from] == '#')
        add(c, c->from + 1, c->to); /* the hash of one */
    else if (r->how == PLACE_AT && a->places >= r->place)
        redact_user_before_host(c->s, c->found, c->from, c->to);
    else if (r->how == PLACE_CODE && a->places == r->place && strength_of(c) > REDACT_WEAK)
        add(c, c->from, c->to);
    else if (r->how == PLACE_TEXT && a->places == r->place &&
             redact_is_last_word(c->s, c->start, c->from, c->to))
        add(c, c->from, c->to);
    else if (r->how == PLACE_FTP && a->places == r->place && c->start >= 5 &&
             redact_at(c->s, c->start - 5, "ftp> "))
        add(c, c->from, c->to);
    else if (r->how == PLACE_RANDOM && a->places == r->place && strength_of(c) == REDACT_RANDOM)
        add(c, c->from, c->to);
    else if (r->how == PLACE_LONG && a->places == r->place && c->to - c->from >= 40)
        add(c, c->from, c->to);
    else if (r->how == PLACE_SLASH && a->places <= 2 && may_be_slashed(c, r->place))
        redact_user_behind_slash(c->s, c->found, c->from, c->to);
    else if (r->how == PLACE_COMMA && a->places == r->place)
        redact_user_behind(c->s, c->found, c->from, c->to, ',');
    else if (r->how == PLACE_SHARE)
        take_share(c, a);
    else if (r->how == PAIRS)
        redact_user_behind(c->s, c->found, c->from, behind_sign(c, c->to), '=');
    else if (r->how == SETTING && is_telling_word(c) &&
             (!r->place || redact_is_of_redis(c->s, c->start)))
        c->next |= UINT64_C(1) << rule;
    if (is_past(a))
        c->places &= ~(UINT64_C(1) << rule);
}

/* Whether a word that begins so is what has to come: no option has such a value. */
static bool is_whole(const char *sub)
{
    return sub[strlen(sub) - 1] == '.';
}

/* The word is for one of the rules. */
static void take_rule(struct command *c, int at)
{
    struct active *a = &c->active[at];
    uint64_t bit = UINT64_C(1) << at;
    if (c->next & bit) {
        if (a->rule->how == SETTING && redact_is_value_option(c->s, c->from, c->to))
            return;
        c->next &= ~bit;
        if (!c->option || a->rule->how == NEXT)
            add_value(c, a->rule->how, c->from);
    } else if (c->waits & bit) {
        if (!word_is(c, a->rule->sub) ||
            (c->behind && c->words > a->places && !is_whole(a->rule->sub)))
            return;
        c->waits &= ~bit;
        begin_rule(c, at);
    } else if (c->options & bit) {
        take_option(c, at);
    } else {
        take_place(c, at);
    }
}

static void take_word(struct command *c)
{
    if (c->s->text[c->from] == 'a')
        redact_skip_number(c->s, &c->from, &c->to);
    const char *t = c->s->text + c->from;
    c->option = *t == '-' && c->to - c->from > 1;
    uint64_t look = c->next | c->places | (c->begin[beginning(t)] & (c->options | c->waits)) |
                    (c->option ? c->joins : 0);
    for (; look; look &= look - 1)
        take_rule(c, __builtin_ctzll(look));
    c->behind = c->option && !memchr(t, '=', c->to - c->from);
    c->valued = c->behind && redact_takes_value(c->s, c->from, c->to);
    if (c->option && !c->list && c->to - c->from == 13 && redact_at(c->s, c->from, "-ArgumentList"))
        c->list = REDACT_LIST; /* PowerShell's, behind Start-Process */
    if (c->option)
        return;
    c->words++;
    const char *slash = memrchr(t, '/', c->to - c->from);
    if (*t == 'H' && !slash)
        slash = memrchr(t, '\\', c->to - c->from); /* HKLM\...: Windows' registry */
    const char *name = slash ? slash + 1 : t;
    name += !slash && c->to - c->from > 2 && t[0] == '$' && t[1] == '(' ? 2 : 0;
    begin_tool(c, name, c->to - c->from - (size_t)(name - t));
}

static size_t skip_blanks(struct redact_scan *s, size_t at, size_t end)
{
    for (;;) {
        at = redact_run(s, at, CLASS_BLANK);
        if (at + 1 < end && s->text[at] == '\\' && s->text[at + 1] == '\n')
            at += 2;
        else
            return at < end ? at : end;
    }
}

static size_t read_words(struct command *c, size_t at, size_t most);
static void add_below(struct command *c, size_t end);

/* Whether nothing is behind the quote but a pipe. */
static inline bool ends_at_quote(const struct redact_scan *s, size_t quote)
{
    char next = redact_char(s, quote + 1);
    return next == '\n' || (next == ' ' && redact_char(s, quote + 2) == '|');
}

/* What is below the quotes in which all commands are that a shell elsewhere is told: `sh -c '...'`,
 * `ssh host "..."`. The last of them prints it. */
static __attribute__((noinline)) void add_inside_below(struct command *c, size_t quote)
{
    size_t line = redact_line_end(c->s, quote);
    if (redact_behind_filters(c->s, redact_run(c->s, quote + 1, CLASS_BLANK)) >= line)
        add_below(c, line);
}

/* A quoted word may be commands of its own: `sudo sh -c 'mysql -pX'`. */
static void read_inside(struct command *outer, size_t at, size_t end)
{
    size_t first = at;
    if (!memchr(outer->s->text + at, ' ', end - at))
        return;
    while (at < end) {
        struct command c;
        begin_command(&c, outer->s, at, outer->found, true);
        c.line = outer->line;
        c.quote = outer->s->text[first - 1];
        size_t to = read_words(&c, at, end);
        at = to > at ? to : at + 1;
        if (at >= end && c.count && ends_at_quote(c.s, end))
            add_inside_below(&c, end);
    }
}

/* The next word of a shell's, where `*at` goes on to. */
static bool read_word(struct command *c, size_t *at, size_t most, struct redact_value *ret)
{
    struct redact_scan *s = c->s;
    *at = skip_blanks(s, *at, most);
    if (*at >= most || ends_command(s->text[*at]))
        return false;
    size_t from = *at, line = redact_line_end(s, from), end = line < most ? line : most;
    size_t to =
        c->quote ? redact_inner_word(s, from, end, c->quote) : redact_shell_word(s, from, end);
    bool quotes = to - from >= 2 && (s->text[from] == '"' || s->text[from] == '\'') &&
                  s->text[to - 1] == s->text[from];
    *ret = (struct redact_value){from + quotes, to - quotes, to, quotes ? s->text[from] : 0};
    return to > from;
}

/* The words up to what ends the command, or to `most`. Returns where they end. */
static size_t read_words(struct command *c, size_t at, size_t most)
{
    struct redact_value v;
    for (int i = 0; i < WORDS_MOST; i++) {
        if (!(c->list ? redact_listed_word(c->s, c->list, at, most, &v)
                      : read_word(c, &at, most, &v)))
            break;
        c->from = v.from;
        c->to = v.to;
        if (c->to > c->from)
            take_word(c);
        else if (c->list)
            c->next = 0; /* an expression */
        if ((v.quote || c->list == REDACT_ITEM_LIST) && !c->inside && c->to > c->from)
            read_inside(c, v.from, v.to);
        at = v.end;
    }
    return at;
}

/* How far words go: what stands right behind a quote ends with it. */
static size_t quoted_end(struct redact_scan *s, size_t at, size_t end)
{
    char quote = at ? s->text[at - 1] : 0;
    return quote == '"' || quote == '\'' || quote == '`' ? redact_outer_quote(s, at, end, quote)
                                                         : s->len;
}

/* What the command printed, where that is all that it does. */
static void add_below(struct command *c, size_t end)
{
    struct redact_scan *s = c->s;
    end = redact_behind_filters(s, end);
    bool prints = false, last = redact_char(s, end) == '\n';
    size_t below = redact_line_end(s, end) + 1;
    if (below + 6 > s->len)
        return;
    for (int i = 0; i < c->count; i++) {
        const struct redact_rule *rule = c->active[i].rule;
        prints = prints || (last && rule->how == BELOW && !(c->waits & UINT64_C(1) << i));
        if (rule->how == ASKED && !(c->waits & UINT64_C(1) << i))
            redact_asked(s, c->from, c->to, below, c->found);
        else if (rule->how == FILES && (last || redact_char(s, end) == ';')) /* the first lines */
            redact_output_files(s, c->line, c->start, end, below, c->found);
        else if (rule->how == FILES)
            continue; /* what others print stands there, too */
        else if (rule->how > BELOW && (last || rule->how >= INDENTED) &&
                 !(c->waits & UINT64_C(1) << i))
            redact_output(s, rule, below, c->line, c->found);
    }
    if (prints)
        redact_output_below(s, end + 1, c->found);
}

static bool is_listed(enum redact_how how)
{
    return how == MEMBERS || how == WORD || how == COLON;
}

/* Whether it names a list of secrets, or prints one without being told more. */
static bool is_list(struct redact_scan *s, size_t at, int tool)
{
    for (int i = tool; i >= 0; i = redact_tool_next(i)) {
        const struct redact_rule *r = redact_tool_rule(i);
        if (is_listed(r->how) ||
            (r->how == FIRST && !*r->sub && at > 0 && redact_is_prompted(s, at)))
            return true;
    }
    return false;
}

/* Those of a command whose words end at a quote. */
static void add_below_quote(struct command *c, size_t end)
{
    char quote = c->start ? c->s->text[c->start - 1] : 0;
    if ((quote != '"' && quote != '\'') || redact_char(c->s, end) != quote)
        return;
    if (!ends_at_quote(c->s, end))
        return;
    c->line = redact_run_elsewhere(c->s, c->start);
    if (c->line)
        add_inside_below(c, end);
}

/* The words behind the tool's name, and what they print. Apart from what most names end at. */
static __attribute__((noinline)) bool read_command(struct redact_scan *s, size_t at, size_t end,
                                                   enum redact_goes_on how, int tool,
                                                   struct redact_command_found *found)
{
    struct command c;
    bool items = how == REDACT_BY_LINES && !is_list(s, at, tool);
    size_t from = end;
    if (items && !redact_is_item(s, at))
        return false;
    begin_command(&c, s, at, found, false);
    if (how == REDACT_BY_LIST)
        c.list = redact_list_behind(s, at, &from);
    else if (how == REDACT_BY_LINES)
        from = redact_line_end(s, end);
    else if (how == REDACT_BY_COUNT)
        from = end + 1;
    c.list = items ? REDACT_ITEM_LIST : c.list;
    begin_tool(&c, s->text + at, end - at);
    size_t most = how == REDACT_BY_WORDS ? quoted_end(s, at, end) : s->len;
    if (most < s->len)
        c.quote = s->text[at - 1];
    s->command_end = read_words(&c, from, most);
    add_below_quote(&c, s->command_end);
    add_below(&c, s->command_end);
    return found->count > 0;
}

bool redact_command(struct redact_scan *s, size_t at, size_t end,
                    struct redact_command_found *ret_found)
{
    size_t len = end - at;
    ret_found->count = 0;
    bool prints = (len == 4 && !memcmp(s->text + at, "echo", 4)) ||
                  (len == 3 && s->text[at] == 'y' && redact_at(s, at, "yes")) ||
                  (len == 6 && !memcmp(s->text + at, "printf", 6));
    if (prints && end < s->len && redact_is_fed(s, at)) {
        redact_fed(s, at, end, ret_found);
        return ret_found->count > 0;
    }
    if (at < s->command_end || end >= s->len)
        return false;
    enum redact_goes_on how = redact_words_go_on(s, at, end);
    if (how == REDACT_NO_FURTHER)
        return false;
    if (prints && how == REDACT_BY_WORDS) {
        redact_piped(s, end, ret_found);
        return ret_found->count > 0;
    }
    int tool = redact_tool_first(s->text + at, len);
    return tool >= 0 && read_command(s, at, end, how, tool, ret_found);
}
