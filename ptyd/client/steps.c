#include "ptyd/client/steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/text.h"

#define WORDS 64 /* of a line */

struct words {
    char *word[WORDS];
    bool quoted[WORDS]; /* any of it: it is no option */
    size_t count, at;
    const char *end; /* of the line, without comment */
};

/* What goes on meanwhile. */
struct parse {
    struct steps *steps;
    double timeout;
    char *error;
};

static void fail(struct parse *p, char *error)
{
    if (!p->error)
        p->error = error;
    else
        free(error);
}

/* ---- words ---- */

static int hex(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10
                                        : -1;
}

/* Behind a backslash in "...". Returns what follows, NULL for what is none. */
static const char *read_escape(const char *at, struct bytes *word)
{
    static const char names[] = "nrte\\\"", bytes[] = "\n\r\t\x1b\\\"";
    const char *name = *at ? strchr(names, *at) : NULL;
    if (name) {
        bytes_append_char(word, bytes[name - names]);
        return at + 1;
    }
    if (*at != 'x' || hex(at[1]) < 0 || hex(at[2]) < 0 || (at[1] == '0' && at[2] == '0'))
        return NULL;
    bytes_append_char(word, (char)(hex(at[1]) << 4 | hex(at[2])));
    return at + 3;
}

/* A quoted part behind its quote; returns what follows it, NULL after an error. */
static const char *read_quoted(struct parse *p, char quote, const char *at, struct bytes *word)
{
    while (*at && *at != quote) {
        if (quote != '"' || *at != '\\') {
            bytes_append_char(word, *at++);
        } else if (!(at = read_escape(at + 1, word))) {
            fail(p, text_copy("behind \\ in \"...\": n r t e \\ \" or xHH expected"));
            return NULL;
        }
    }
    if (*at)
        return at + 1;
    fail(p, text_format("a closing %c expected", quote));
    return NULL;
}

static const char *read_word(struct parse *p, const char *at, struct words *w)
{
    struct bytes word = {0};
    bytes_append_text(&word, "");
    while (at && *at && *at != ' ' && *at != '\t')
        if (*at == '\'' || *at == '"') {
            w->quoted[w->count] = true;
            at = read_quoted(p, *at, at + 1, &word);
        } else {
            bytes_append_char(&word, *at++);
        }
    w->word[w->count++] = word.data;
    return at;
}

static void read_words(struct parse *p, const char *line, struct words *w)
{
    const char *at = line;
    *w = (struct words){.end = line};
    while (at && !p->error) {
        at += strspn(at, " \t");
        if (!*at || *at == '#')
            return;
        if (w->count == WORDS) {
            fail(p, text_format("at most %d words expected", WORDS));
            return;
        }
        at = read_word(p, at, w);
        w->end = at ? at : w->end;
    }
}

static void finish_words(struct words *w)
{
    for (size_t i = 0; i < w->count; i++)
        free(w->word[i]);
}

/* The next word where it is that option. */
static bool take_option(struct words *w, const char *name)
{
    bool is = w->at < w->count && !w->quoted[w->at] && !strcmp(w->word[w->at], name);
    w->at += is;
    return is;
}

static bool at_option(const struct words *w)
{
    return w->at < w->count && !w->quoted[w->at] && !strncmp(w->word[w->at], "--", 2);
}

static const char *take_word(struct parse *p, struct words *w, const char *expected)
{
    if (w->at < w->count)
        return w->word[w->at++];
    fail(p, text_format("%s expected", expected));
    return "";
}

/* ---- steps ---- */

static double take_seconds(struct parse *p, struct words *w)
{
    const char *word = take_word(p, w, "a number of seconds");
    char *end;
    double seconds = strtod(word, &end);
    if (*end || !(seconds > 0 && seconds < LIMIT_RUN_S))
        fail(p, text_format("a number of seconds expected, not '%s'", word));
    return seconds;
}

static void parse_set(struct parse *p, struct words *w, struct step *step)
{
    (void)step;
    if (strcmp(take_word(p, w, "timeout"), "timeout"))
        fail(p, text_copy("`set timeout SECONDS` expected"));
    p->timeout = take_seconds(p, w);
}

static const char *take_text(struct parse *p, struct words *w)
{
    const char *text = take_word(p, w, "a TEXT");
    if (!*text)
        fail(p, text_copy("a TEXT that is not empty expected"));
    return text;
}

static void parse_send(struct parse *p, struct words *w, struct step *step)
{
    const char *text = take_text(p, w);
    keystrokes_add_text(&step->keys, text, strlen(text));
}

static void parse_paste(struct parse *p, struct words *w, struct step *step)
{
    keystrokes_add_paste(&step->keys, take_text(p, w));
}

static void parse_key(struct parse *p, struct words *w, struct step *step)
{
    do {
        char *error = keystrokes_add_key(&step->keys, take_word(p, w, "the name of a key"));
        if (error)
            fail(p, error);
    } while (w->at < w->count);
}

static void parse_text(struct parse *p, struct words *w, struct step *step, enum waiting_kind kind)
{
    step->what.kind = kind;
    while (at_option(w) && !p->error)
        if (take_option(w, "--regex"))
            step->what.is_regex = true;
        else if (take_option(w, "--timeout"))
            step->timeout = take_seconds(p, w);
        else
            fail(p, text_format("--regex, --timeout or a TEXT (\"%s\"?) expected", w->word[w->at]));
    step->text = text_copy(take_text(p, w));
    step->what.text = step->text;
    char *error = p->error ? NULL : waiting_prepare(&step->what);
    if (error)
        fail(p, text_format("a pattern expected: %s", error));
    free(error);
}

static void parse_expect(struct parse *p, struct words *w, struct step *step)
{
    parse_text(p, w, step, WAIT_TEXT);
}

static void parse_expect_screen(struct parse *p, struct words *w, struct step *step)
{
    parse_text(p, w, step, WAIT_SCREEN);
}

static void take_ms(struct parse *p, struct words *w, struct step *step)
{
    const char *word = take_word(p, w, "a number of milliseconds");
    if (!text_parse_number(word, 1, LIMIT_WAIT_MS, &step->what.ms))
        fail(p, text_format("a number of milliseconds expected, not '%s'", word));
}

static void parse_wait(struct parse *p, struct words *w, struct step *step)
{
    static const struct {
        const char *name;
        enum waiting_kind kind;
        bool has_ms;
    } kinds[] = {{"--prompt", WAIT_PROMPT, false},
                 {"--exit", WAIT_EXIT, false},
                 {"--idle", WAIT_IDLE, true},
                 {"--change", WAIT_CHANGE, false},
                 {"--settled", WAIT_SETTLED, true}};
    static const char expected[] = "one of --prompt, --exit, --idle MS, --change, --settled MS";
    while (at_option(w) && !p->error) {
        size_t i = 0, count = sizeof kinds / sizeof *kinds;
        if (take_option(w, "--timeout")) {
            step->timeout = take_seconds(p, w);
            continue;
        }
        while (i < count && !take_option(w, kinds[i].name))
            i++;
        if (i == count || step->what.kind != WAIT_NONE) {
            fail(p, text_format("%s expected", expected));
            return;
        }
        step->what.kind = kinds[i].kind;
        if (kinds[i].has_ms)
            take_ms(p, w, step);
    }
    if (step->what.kind == WAIT_NONE)
        fail(p, text_format("%s expected", expected));
}

static const struct {
    const char *name;
    void (*parse)(struct parse *p, struct words *w, struct step *step);
} kinds[] = {
    {"set", parse_set},   {"send", parse_send},     {"paste", parse_paste},
    {"key", parse_key},   {"expect", parse_expect}, {"expect-screen", parse_expect_screen},
    {"wait", parse_wait},
};

static void parse_step(struct parse *p, struct words *w, struct step *step)
{
    const char *name = w->word[w->at++];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) {
            kinds[i].parse(p, w, step);
            if (w->at < w->count)
                fail(p, text_format("nothing more expected, but '%s' (blanks in a TEXT? \"...\")",
                                    w->word[w->at]));
            return;
        }
    fail(p, text_format("send, key, paste, expect, expect-screen, wait or set expected, not '%s'",
                        name));
}

static void finish_step(struct step *step)
{
    free(step->source);
    free(step->text);
    keystrokes_finish(&step->keys);
    waiting_finish(&step->what);
}

static void add_step(struct steps *s, const struct step *step)
{
    s->steps = memory_grow(s->steps, (s->count + 1) * sizeof *s->steps);
    s->steps[s->count++] = *step;
}

static void parse_line(struct parse *p, const char *line, int number)
{
    struct words w;
    read_words(p, line, &w);
    struct step step = {.line = number};
    if (w.count && !p->error)
        parse_step(p, &w, &step);
    line += strspn(line, " \t");
    step.source = text_format("%.*s", w.end > line ? (int)(w.end - line) : 0, line);
    if (step.what.kind == WAIT_NONE && keystrokes_empty(&step.keys)) {
        finish_step(&step);
    } else {
        step.timeout = step.timeout > 0 ? step.timeout : p->timeout;
        add_step(p->steps, &step);
    }
    finish_words(&w);
}

int steps_parse(const char *text, struct steps *ret_steps, char **ret_error)
{
    struct steps steps = {0};
    struct parse p = {.steps = &steps, .timeout = LIMIT_STEP_S};
    int number = 0;
    while (*text && !p.error) {
        size_t len = strcspn(text, "\n");
        size_t end = len && text[len - 1] == '\r' ? len - 1 : len;
        char *line = text_format("%.*s", (int)end, text);
        parse_line(&p, line, ++number);
        free(line);
        text += len + (text[len] != '\0');
    }
    if (!p.error) {
        *ret_steps = steps;
        return 0;
    }
    *ret_error = p.error;
    steps_finish(&steps);
    return number;
}

void steps_finish(struct steps *s)
{
    for (size_t i = 0; i < s->count; i++)
        finish_step(&s->steps[i]);
    free(s->steps);
    *s = (struct steps){0};
}
