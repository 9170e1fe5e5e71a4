/* The settings. A further one is a member of struct conf, a row here, a paragraph in ptyd.conf(5)
 * and a test that it does what it says. */
#include "ptyd/core/conf_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/detach_key.h"
#include "ptyd/core/rules.h"
#include "ptyd/core/text.h"

enum kind {
    CHOICE,   /* int: one of the words, by its place */
    NUMBER,   /* int64_t: a whole number */
    BYTES,    /* int64_t: 500, 500M, 4G */
    DURATION, /* int64_t in ms: 90 or 90s, 15m, 2h, 7d */
    KEYS,     /* char *: which keys leave */
    PATTERNS, /* struct conf_list: each value is one more */
    WORDS,    /* struct conf_list: each word of a value is one more */
    RULES,    /* struct conf_list: each value is one more rule (rules.h) */
    EXCEPTS,  /* struct conf_list: each value is one more exception */
};

#define CHOICES_MOST 3

struct conf_setting {
    const char *name;
    enum conf_user user;
    enum kind kind;
    size_t at; /* in struct conf */
    const char *const *choices;
    int64_t usual, least, most;
    const char *usual_text; /* of keys, or the words of a list */
    const char *variable;   /* of the environment, which counts more than the file; or NULL */
    const char *value;      /* what --help calls it */
    const char *help;       /* and says of it */
};

#define AT(member) .at = offsetof(struct conf, member)

static const char *const private_spaces[CHOICES_MOST + 1] = {"auto", "always", "never"};

static const char *const preview_kinds[CHOICES_MOST + 1] = {"application", "untrusted"};

static const char *const switches[CHOICES_MOST + 1] = {"off", "on"};

static const struct conf_setting settings[] = {
    {"keep_days", CONF_OF_SERVE, NUMBER, AT(keep_days), .usual = LIMIT_KEEP_DAYS,
     .most = LIMIT_KEEP_DAYS_MOST, .value = "N",
     .help = "what closed sessions leave is removed after N days without use (90)"},
    {"keep_bytes", CONF_OF_SERVE, BYTES, AT(keep_bytes), .usual = LIMIT_KEEP_BYTES,
     .most = LIMIT_KEEP_BYTES_MOST, .value = "N",
     .help = "and the oldest of it when all is larger, as 500M or 4G (4G)"},
    {"private_space", CONF_OF_SERVE, CHOICE, AT(private_space), private_spaces,
     .usual = PRIVATE_SPACE_AUTO, .value = "WHEN",
     .help = "a line that begins with a space is private: as the shell's history has it\n"
             "(auto), always, never"},
    {"private_commands", CONF_OF_SERVE, PATTERNS, AT(private_commands), .value = "PATTERN",
     .help = "commands like this are private, as pass or '*--password*'; repeat it for more"},
    {"untold_programs", CONF_OF_SERVE, WORDS, AT(untold_programs),
     .usual_text = "codex claude gemini qwen copilot opencode ptyd", .value = "NAMES",
     .help = "programs whose commands agents are not told (the agents and ptyd)"},
    {"redact", CONF_OF_SERVE, RULES, AT(redact), .value = "RULE",
     .help = "NAME REGEX: what matches is told to nobody, [redacted:NAME] is; repeat it for more"},
    {"redact_except", CONF_OF_SERVE, EXCEPTS, AT(redact_except), .value = "REGEX",
     .help = "what would be taken out and matches, all of it, stays; repeat it for more"},
    {"redact_disk", CONF_OF_SERVE, CHOICE, AT(redact_disk), switches, .value = "off|on",
     .help = "secrets are taken out of the files of the state directory, too, when a command\n"
             "has ended (off)"},
    {"new_thread_lookback", CONF_OF_SERVE, DURATION, AT(new_thread_lookback_ms),
     .usual = LIMIT_LOOKBACK_MS, .most = LIMIT_LOOKBACK_MOST_MS, .value = "TIME",
     .help = "a new conversation is told, too, what others were told so lately (15m)"},
    {"context_max_bytes", CONF_OF_SERVE, BYTES, AT(context_max_bytes), .usual = LIMIT_CONTEXT_BYTES,
     .least = LIMIT_CONTEXT_BYTES_LEAST, .most = LIMIT_CONTEXT_BYTES, .value = "N",
     .help = "all that is told with a message has at most N bytes (44000)"},
    {"preview_kind", CONF_OF_SERVE, CHOICE, AT(preview_kind), preview_kinds,
     .usual = PREVIEW_APPLICATION, .value = "KIND",
     .help = "as what agents get the ends of outputs: application, or untrusted (application)"},
    {"foreign_marks", CONF_OF_SERVE, CHOICE, AT(foreign_marks), switches, .value = "off|on",
     .help = "in shells that are not ours to integrate, other terminals' marks make command\n"
             "blocks (off)"},
    {"confinement", CONF_OF_SERVE, CHOICE, AT(confinement), switches, .usual = 1, .value = "off|on",
     .help = "the worker has the system calls that it needs, and debuggers are kept out of the\n"
             "daemon (on); from its next start on"},
    {"notify_after", CONF_OF_ATTACH, DURATION, AT(notify_after_ms), .most = LIMIT_NOTIFY_MOST_MS,
     .value = "TIME",
     .help = "a command that ends after so long, and nobody looks, is a notification; 0: none (0)"},
    {"detach_key", CONF_OF_ATTACH, KEYS, AT(detach_key), .usual_text = DETACH_KEY_USUAL,
     .variable = "PTYD_DETACH_KEY", .value = "KEYS",
     .help = "other keys to leave by: `C-a d', say; `none' for none; also PTYD_DETACH_KEY"},
};

#define COUNT (sizeof settings / sizeof *settings)
_Static_assert(COUNT < CONF_OPTIONS - 8, "there is room for a command's other options");

const struct conf_setting *conf_setting_at(size_t index)
{
    return index < COUNT ? &settings[index] : NULL;
}

size_t conf_index(const struct conf_setting *setting)
{
    return (size_t)(setting - settings);
}

const struct conf_setting *conf_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (!strcmp(settings[i].name, name))
            return &settings[i];
    return NULL;
}

const char *conf_nearest(const char *name)
{
    struct text_nearest nearest = text_nearest_begin(name);
    for (size_t i = 0; i < COUNT; i++)
        text_nearest_offer(&nearest, settings[i].name);
    return nearest.found;
}

const char *conf_name(const struct conf_setting *s)
{
    return s->name;
}

enum conf_user conf_user_of(const struct conf_setting *s)
{
    return s->user;
}

const char *conf_variable(const struct conf_setting *s)
{
    const char *value = s->variable ? getenv(s->variable) : NULL;
    return value && *value ? value : NULL;
}

const char *conf_variable_name(const struct conf_setting *s)
{
    return s->variable;
}

bool conf_is_list(const struct conf_setting *s)
{
    return s->kind == PATTERNS || s->kind == WORDS || s->kind == RULES || s->kind == EXCEPTS;
}

/* ---- values ---- */

static void *place(const struct conf_setting *s, const struct conf *conf)
{
    return (char *)conf + s->at;
}

static char *take_choice(const struct conf_setting *s, const char *value, int *to)
{
    struct bytes words = {0};
    for (int i = 0; s->choices[i]; i++) {
        if (!strcmp(s->choices[i], value)) {
            *to = i;
            bytes_finish(&words);
            return NULL;
        }
        bytes_append_text(&words, !i ? "" : s->choices[i + 1] ? ", " : " or ");
        bytes_append_text(&words, s->choices[i]);
    }
    char *expected = text_copy(words.data);
    bytes_finish(&words);
    return expected;
}

/* Milliseconds. Returns whether it is a duration. */
static bool parse_duration(const char *text, int64_t most, int64_t *ret_ms)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
    char *end;
    int64_t unit = 1000;
    errno = 0;
    if (!isdigit((unsigned char)text[0]))
        return false;
    long long count = strtoll(text, &end, 10);
    for (size_t i = 0; *end && i < sizeof units / sizeof *units; i++)
        if (units[i].unit == *end && !end[1]) {
            unit = units[i].ms;
            end++;
        }
    if (errno || *end || count > most / unit)
        return false;
    *ret_ms = count * unit;
    return true;
}

static char *take_amount(const struct conf_setting *s, const char *value, int64_t *to)
{
    int64_t amount = 0;
    long number = 0;
    bool good = s->kind == BYTES      ? text_parse_bytes(value, s->most, &amount)
                : s->kind == DURATION ? parse_duration(value, s->most, &amount)
                                      : text_parse_number(value, 0, (long)s->most, &number);
    amount = s->kind == NUMBER ? number : amount;
    if (good && amount >= s->least) {
        *to = amount;
        return NULL;
    }
    long long least = s->least, most = s->most;
    if (s->kind == DURATION)
        return text_format("a time like 90s, 15m, 2h or 7d, at most %lldd", most / 86400000);
    return text_format(s->kind == BYTES
                           ? "a number of bytes from %lld to %lld, like 20000, 500M or 4G"
                           : "a whole number from %lld to %lld",
                       least, most);
}

static void append_item(struct conf_list *list, const char *text, size_t len)
{
    list->items = memory_grow(list->items, (list->count + 1) * sizeof *list->items);
    list->items[list->count++] = text_format("%.*s", (int)len, text);
}

/* As in a shell or another program's settings; here they would be a part of the value, and nothing
 * would match it. */
static bool is_quoted(const char *value)
{
    size_t len = strlen(value);
    return len > 1 && (*value == '"' || *value == '\'') && value[len - 1] == *value;
}

static char *take_items(const struct conf_setting *s, const char *value, struct conf_list *to)
{
    if (to->count >= LIMIT_CONF_LIST)
        return text_format("nothing: there are %d values already", LIMIT_CONF_LIST);
    bool is_rule = s->kind == RULES || s->kind == EXCEPTS;
    char *expected = is_rule ? rules_expected(value, s->kind == EXCEPTS) : NULL;
    if (expected)
        return expected;
    if (!is_rule && is_quoted(value))
        return text_format("%s as they are, without quotes around them",
                           s->kind == WORDS ? "names" : "commands");
    if (s->kind != WORDS) {
        append_item(to, value, strlen(value));
        return NULL;
    }
    for (size_t len; *value && to->count < LIMIT_CONF_LIST; value += len) {
        value += strspn(value, " \t,");
        if ((len = strcspn(value, " \t,")))
            append_item(to, value, len);
    }
    return NULL;
}

static char *take_keys(const char *value, char **to)
{
    char prefix, leave;
    if (!detach_key_parse(value, &prefix, &leave))
        return text_copy("Ctrl and a character, then a character, like `" DETACH_KEY_USUAL
                         "', or none");
    free(*to);
    *to = text_copy(value);
    return NULL;
}

char *conf_take(const struct conf_setting *s, const char *value, struct conf *conf)
{
    switch (s->kind) {
    case CHOICE:
        return take_choice(s, value, place(s, conf));
    case NUMBER:
    case BYTES:
    case DURATION:
        return take_amount(s, value, place(s, conf));
    case PATTERNS:
    case WORDS:
    case RULES:
    case EXCEPTS:
        return take_items(s, value, place(s, conf));
    case KEYS:
        return take_keys(value, place(s, conf));
    }
    return NULL;
}

static void empty(const struct conf_setting *s, struct conf *conf)
{
    struct conf_list *list = place(s, conf);
    char **text = place(s, conf);
    if (s->kind == KEYS) {
        free(*text);
        *text = NULL;
    }
    for (size_t i = 0; conf_is_list(s) && i < list->count; i++)
        free(list->items[i]);
    if (conf_is_list(s)) {
        free(list->items);
        *list = (struct conf_list){0};
    }
}

void conf_reset(const struct conf_setting *s, struct conf *conf)
{
    char **text = place(s, conf);
    int *word = place(s, conf);
    int64_t *amount = place(s, conf);
    empty(s, conf);
    if (s->kind == KEYS)
        *text = text_copy(s->usual_text);
    else if (s->kind == CHOICE)
        *word = (int)s->usual;
    else if (!conf_is_list(s))
        *amount = s->usual;
}

void conf_copy(const struct conf_setting *s, const struct conf *from, struct conf *to)
{
    const struct conf_list *list = place(s, from);
    char **text = place(s, to);
    conf_reset(s, to);
    if (s->kind == KEYS) {
        free(*text);
        *text = text_copy(*(char **)place(s, from));
    } else if (s->kind == CHOICE) {
        *(int *)place(s, to) = *(int *)place(s, from);
    } else if (conf_is_list(s)) {
        for (size_t i = 0; i < list->count; i++)
            append_item(place(s, to), list->items[i], strlen(list->items[i]));
    } else {
        *(int64_t *)place(s, to) = *(int64_t *)place(s, from);
    }
}

void conf_init(struct conf *conf)
{
    *conf = (struct conf){0};
    for (const struct conf_setting *s = settings; s < settings + COUNT; s++) {
        conf_reset(s, conf);
        if (s->kind == WORDS)
            conf_take(s, s->usual_text, conf);
    }
}

void conf_finish(struct conf *conf)
{
    for (const struct conf_setting *s = settings; s < settings + COUNT; s++)
        empty(s, conf);
}

/* ---- options ---- */

/* --keep-days for keep_days; the name is made once and stays. */
static const char *option_name(size_t index)
{
    static char *names[COUNT];
    if (!names[index]) {
        names[index] = text_copy(settings[index].name);
        for (char *at = names[index]; *at; at++)
            *at = *at == '_' ? '-' : *at;
    }
    return names[index];
}

void conf_options(enum conf_user user, int first, const struct option *others,
                  struct option ret_options[CONF_OPTIONS])
{
    struct option *to = ret_options;
    for (size_t i = 0; i < COUNT; i++)
        if (settings[i].user == user)
            *to++ = (struct option){option_name(i), required_argument, NULL, first + (int)i};
    do
        *to++ = *others;
    while (others++->name);
}

/* Its text stands from the 23rd column on. */
static void append_help(enum conf_user user, struct bytes *out)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (settings[i].user != user)
            continue;
        char *head = text_format("  --%s %s", option_name(i), settings[i].value);
        const char *text = settings[i].help;
        bytes_printf(out, strlen(head) < 22 ? "%-22s" : "%s\n%22s", head, "");
        for (const char *line; (line = strchr(text, '\n')); text = line + 1)
            bytes_printf(out, "%.*s\n%22s", (int)(line - text), text, "");
        bytes_printf(out, "%s\n", text);
        free(head);
    }
}

char *conf_help_between(const char *before, enum conf_user user, const char *behind)
{
    struct bytes help = {0};
    bytes_append_text(&help, before);
    append_help(user, &help);
    bytes_append_text(&help, behind);
    char *text = text_copy(help.data);
    bytes_finish(&help);
    return text;
}
