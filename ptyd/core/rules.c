#include "ptyd/core/rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/regex.h"
#include "ptyd/core/text.h"

struct rule {
    char *value; /* as it stands in the settings */
    struct regex *regex;
    const char *name;       /* of a rule */
    unsigned long long met; /* how often it met a bound */
};

struct rules {
    struct rule *out, *kept;
    size_t out_count, kept_count;
};

/* ---- what they are ---- */

/* Where the name ends and the expression begins; false where there are not both. */
static bool split(const char *value, size_t *ret_name, const char **ret_pattern)
{
    size_t name = 0;
    while (isalnum((unsigned char)value[name]) || (value[name] && strchr("_.-", value[name])))
        name++;
    *ret_name = name;
    *ret_pattern = value + name + strspn(value + name, " \t");
    return name > 0 && name <= LIMIT_RULE_NAME_BYTES && *ret_pattern > value + name &&
           **ret_pattern;
}

char *rules_expected(const char *value, bool exception)
{
    size_t name;
    const char *pattern = value;
    char *why = NULL, *expected = NULL;
    if (exception ? !*value : !split(value, &name, &pattern))
        return text_copy(exception ? "a regular expression"
                                   : "NAME REGEX; the name has letters, digits and _ . -");
    if (utf8_valid(pattern, strlen(pattern)))
        regex_destroy(regex_create_rule(pattern, exception, &why));
    else
        why = text_copy("it is no UTF-8");
    if (why)
        expected = text_format("a regular expression (%s)", why);
    free(why);
    return expected;
}

/* What is told of a secret may be kept for longer than the settings stay as they are: names are
 * never freed, and each is there once. */
static const char *name_for_ever(const char *text, size_t len)
{
    static struct conf_list names;
    for (size_t i = 0; i < names.count; i++)
        if (strlen(names.items[i]) == len && !memcmp(names.items[i], text, len))
            return names.items[i];
    names.items = memory_grow(names.items, (names.count + 1) * sizeof *names.items);
    names.items[names.count] = text_format("%.*s", (int)len, text);
    return names.items[names.count++];
}

static struct rule *create(const struct conf_list *list, bool exceptions)
{
    struct rule *rules = memory_new((list->count + 1) * sizeof *rules);
    for (size_t i = 0; i < list->count; i++) {
        size_t name = 0;
        const char *pattern = list->items[i];
        char *why;
        if (!exceptions)
            split(list->items[i], &name, &pattern);
        rules[i] = (struct rule){.value = text_copy(list->items[i]),
                                 .name = name_for_ever(list->items[i], name),
                                 .regex = regex_create_rule(pattern, exceptions, &why)};
        if (!rules[i].regex)
            memory_end(); /* it was looked at when it was set */
    }
    return rules;
}

struct rules *rules_create(const struct conf_list *redact, const struct conf_list *except)
{
    struct rules *r = memory_new(sizeof *r);
    *r = (struct rules){.out = create(redact, false),
                        .kept = create(except, true),
                        .out_count = redact->count,
                        .kept_count = except->count};
    return r;
}

static void destroy(struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(rules[i].value);
        regex_destroy(rules[i].regex);
    }
    free(rules);
}

void rules_destroy(struct rules *r)
{
    if (!r)
        return;
    destroy(r->out, r->out_count);
    destroy(r->kept, r->kept_count);
    free(r);
}

static bool are(const struct rule *rules, size_t count, const struct conf_list *list)
{
    bool same = count == list->count;
    for (size_t i = 0; same && i < count; i++)
        same = !strcmp(rules[i].value, list->items[i]);
    return same;
}

bool rules_are(const struct rules *r, const struct conf_list *redact,
               const struct conf_list *except)
{
    return are(r->out, r->out_count, redact) && are(r->kept, r->kept_count, except);
}

void rules_tell_met(const struct rules *r, const char *before, conf_said *said, void *user)
{
    for (size_t i = 0; i < r->out_count + r->kept_count; i++) {
        bool out = i < r->out_count;
        const struct rule *rule = out ? &r->out[i] : &r->kept[i - r->out_count];
        if (!rule->met)
            continue;
        char *line =
            text_format("%s: %s = %s takes too long: of %llu %s", before,
                        out ? "redact" : "redact_except", rule->value, rule->met,
                        out ? "lines nobody knows what it matches; they are taken out whole"
                            : "secrets nobody knows whether it matches; they are taken out");
        said(user, line);
        free(line);
    }
}

/* ---- what they find ---- */

struct looking {
    struct rules *rules;
    redact_found *found;
    void *user;
    int64_t until; /* of the thread's time */
    bool over;     /* it is past that: nothing more is looked at */
};

/* What is taken out of `line`, which stands at `at` of its text. False where a bound was met. */
static bool look(struct looking *l, struct rule *rule, const char *line, size_t len, size_t at)
{
    size_t start = 0, from, to;
    while (start < len) {
        enum regex_result result = regex_search(rule->regex, line, len, start, false, &from, &to);
        l->over = clock_thread_ms() > l->until;
        if (result == REGEX_LIMIT || l->over) {
            rule->met++;
            return false;
        }
        if (result != REGEX_FOUND)
            return true;
        if (from < to)
            l->found(l->user, at + from, at + to, rule->name);
        start = to > start ? to : utf8_ceil(line, len, start + 1);
    }
    return true;
}

/* The same length, with question marks for what is no UTF-8. */
static const char *readable(const char *line, size_t len, struct bytes *copy)
{
    if (utf8_valid(line, len))
        return line;
    copy->len = 0;
    bytes_append(copy, line, len);
    if (copy->failed)
        memory_end();
    for (size_t i = 0; i < len;) {
        uint32_t code;
        int n = utf8_decode(copy->data + i, len - i, &code);
        if (n <= 0)
            copy->data[i] = '?';
        i += n > 0 ? (size_t)n : 1;
    }
    return copy->data;
}

/* A line at `at` of a text that ends at `end`. */
static void look_at_line(struct looking *l, const char *line, size_t len, size_t at, size_t end)
{
    struct rules *r = l->rules;
    struct bytes copy = {0};
    const char *text = readable(line, len, &copy);
    for (size_t i = 0; i < r->out_count && !l->over; i++)
        if (!look(l, &r->out[i], text, len, at))
            l->found(l->user, at, l->over ? end : at + len, r->out[i].name);
    bytes_finish(&copy);
}

void rules_find(struct rules *r, const char *text, size_t len, redact_found *found, void *user)
{
    if (!r->out_count) /* for most: what it takes is not asked of the system then */
        return;
    struct looking l = {.rules = r,
                        .found = found,
                        .user = user,
                        .until = clock_thread_ms() + LIMIT_RULES_MS * (1 + (int64_t)(len >> 16))};
    for (size_t at = 0; at < len && !l.over;) {
        const char *feed = memchr(text + at, '\n', len - at);
        size_t line = feed ? (size_t)(feed - text) - at : len - at;
        look_at_line(&l, text + at, line, at, len);
        at += line + 1;
    }
}

bool rules_keep(struct rules *r, const char *text, size_t len)
{
    size_t from, to;
    if (!utf8_valid(text, len))
        return false;
    for (size_t i = 0; i < r->kept_count; i++) {
        enum regex_result result = regex_search(r->kept[i].regex, text, len, 0, false, &from, &to);
        if (result == REGEX_FOUND)
            return true;
        r->kept[i].met += result == REGEX_LIMIT;
    }
    return false;
}

/* ---- in a thread ---- */

static _Thread_local struct rules *here;

static void find_here(const char *text, size_t len, redact_found *found, void *user)
{
    rules_find(here, text, len, found, user);
}

static bool keeps_here(const char *text, size_t len)
{
    return rules_keep(here, text, len);
}

void rules_use_here(struct rules *r)
{
    static const struct redact_rules rules = {.find = find_here, .keeps = keeps_here};
    here = r;
    redact_use_here(r ? &rules : NULL);
}
