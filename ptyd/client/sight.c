#define _GNU_SOURCE
#include "ptyd/client/sight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "ptyd/client/request.h"
#include "ptyd/client/share.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/own_rules.h"
#include "ptyd/command/page.h"
#include "ptyd/command/pager.h"
#include "ptyd/command/paint.h"
#include "ptyd/command/show.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/edges.h"
#include "ptyd/core/say.h"

struct sight {
    bool colour;
    struct page *page; /* NULL: it is text */
    struct pager pager;
    struct redact_secrets *secrets;
    int redacted;
    struct bytes line; /* scratch */
};

bool sight_option(struct sight_options *options, int option)
{
    options->ansi = options->ansi || option == SIGHT_ANSI;
    options->plain = options->plain || option == SIGHT_PLAIN;
    options->html = options->html || option == SIGHT_HTML;
    options->no_pager = options->no_pager || option == SIGHT_NO_PAGER;
    return option >= SIGHT_ANSI && option <= SIGHT_NO_PAGER;
}

bool sight_wants_colour(const struct sight_options *options)
{
    return options->html || options->ansi || (!options->plain && paint_is_wanted());
}

struct table_look sight_table_look(void)
{
    bool terminal = isatty(STDOUT_FILENO);
    return (struct table_look){.width = terminal ? request_terminal_size().cols : 0,
                               .colour = paint_is_wanted(),
                               .now_ms = clock_wall_ms(),
                               .home = getenv("HOME")};
}

static struct redact_secrets *secrets_of(const char *session)
{
    bool shell;
    struct redact_secrets *secrets = share_secrets(session, &shell);
    if (!shell)
        say("the environment of session %s's shell cannot be read any more: what was secret in it "
            "is not known; look through the page before you share it",
            session);
    return secrets;
}

struct sight *sight_begin(const struct sight_options *options, const char *session,
                          const char *title)
{
    struct sight *s = memory_new(sizeof *s);
    s->colour = sight_wants_colour(options) && !options->html;
    s->page = options->html ? page_create(title) : NULL;
    s->secrets = options->html ? secrets_of(session) : NULL;
    s->pager = pager_begin(!options->no_pager && !options->html);
    return s;
}

bool sight_shows_colour(const struct sight *s)
{
    return s->colour || s->page;
}

/* For a page alone. */
static void redact(struct sight *s, const char *text, size_t len, const int *widths,
                   struct bytes *out)
{
    struct redact_ends ends = edges_find(text, s->page ? len : 0, widths);
    if (s->page)
        s->redacted += redact_text_over(text, len, &ends, s->secrets, out);
    else
        bytes_append(out, text, len);
    redact_ends_finish(&ends);
}

void sight_paint(struct sight *s, const struct bytes *text, const int *widths,
                 const struct bytes *painted, struct bytes *out)
{
    struct bytes clean = {0};
    if (text->len)
        redact(s, text->data, text->len, widths, &clean);
    if (clean.len && painted->len && sight_shows_colour(s))
        paint_match(clean.data, clean.len, painted->data, painted->len, out);
    else if (clean.len)
        bytes_append(out, clean.data, clean.len);
    bytes_finish(&clean);
}

void sight_clean(struct sight *s, const struct bytes *text, const int *widths, struct bytes *clean)
{
    redact(s, text->data ? text->data : "", text->len, widths, clean);
}

void sight_clean_rows(struct sight *s, const struct told_row *rows, size_t count, size_t from,
                      size_t to, struct bytes *clean)
{
    s->redacted += told_rows_clean(rows, count, from, to, s->secrets, TOLD_AS_IT_IS, clean);
}

void sight_line(struct sight *s, const char *label, const char *line, size_t len)
{
    struct bytes *out = &s->line;
    out->len = 0;
    bytes_append_text(out, label);
    if (s->page) {
        bytes_append(out, line, len);
        page_line(s->page, out->len ? out->data : "", out->len);
        return;
    }
    if (s->colour)
        paint_terminal(line, len, out);
    else
        show_clean(line, len, out);
    bytes_append_char(out, '\n');
    fwrite(out->data, 1, out->len, stdout);
}

void sight_lines(struct sight *s, const struct bytes *lines)
{
    for (size_t at = 0; at < lines->len;) {
        const char *line = lines->data + at, *end = memchr(line, '\n', lines->len - at);
        size_t len = end ? (size_t)(end - line) : lines->len - at;
        sight_line(s, "", line, len);
        at += len + 1;
    }
}

void sight_heading(struct sight *s, const char *text)
{
    static const int none[1];
    struct bytes clean = {0};
    redact(s, text, strlen(text), none, &clean);
    const char *heading = clean.data ? clean.data : "";
    if (s->page)
        page_heading(s->page, heading);
    else if (s->colour)
        fputs("\x1b[1m", stdout);
    if (!s->page)
        show_text(heading);
    if (!s->page)
        fputs(s->colour ? "\x1b[0m\n" : "\n", stdout);
    bytes_finish(&clean);
}

static void free_sight(struct sight *s)
{
    page_destroy(s->page);
    bytes_finish(&s->line);
    redact_secrets_destroy(s->secrets);
    free(s);
}

void sight_drop(struct sight *s)
{
    pager_end(&s->pager);
    free_sight(s);
}

int sight_end(struct sight *s)
{
    if (s->page)
        page_write(s->page, stdout);
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    pager_end(&s->pager);
    if (s->redacted)
        say("%d secret%s %s taken out; look at the rest before you share it", s->redacted,
            s->redacted == 1 ? "" : "s", s->redacted == 1 ? "was" : "were");
    own_rules_say_met();
    free_sight(s);
    return written ? EXIT_OK : EXIT_FAILED;
}
