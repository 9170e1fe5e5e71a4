/* Answers that stand where no prompt is in front of what they answer: what a runner says of an
 * expression that it evaluates (`##[debug]Evaluating: env.API_TOKEN`), and what a language shows of
 * a password that getpass() asked for. */
#define _GNU_SOURCE
#include <string.h>

#include "envelope/redact/places.h"

#define LINE_MOST  160
#define LINES_MOST 10
#define ABOVE_MOST 120 /* bytes of the line over a question */
#define HIDDEN     40  /* bytes of dots that are shown for what is typed */

/* The text in quotes that is the last of the line that ends at `line`, behind `=> ` and the like,
 * from `at` on. */
static bool read_last(struct redact_scan *s, size_t at, size_t line, struct redact_match *ret)
{
    line -= line > at && s->text[line - 1] == '\r';
    char quote = line > at + 2 ? s->text[line - 1] : 0;
    const char *first =
        quote == '"' || quote == '\'' ? memchr(s->text + at, quote, line - at) : NULL;
    size_t from = first ? (size_t)(first - s->text) + 1 : line;
    *ret = (struct redact_match){from, line - 1, "value"};
    return line - 1 >= from + 4 && !redact_is_placeholder(s, from, line - 1);
}

bool redact_evaluated(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    static const char mark[] = "##[debug]";
    if (!memchr(s->text + at, '.', end - at) || s->text[end - 1] == '.')
        return false; /* most: what is evaluated is a member */
    size_t line = redact_line_start(s, at, LINE_MOST), below = redact_line_end(s, end) + 1, to;
    if (!memmem(s->text + line, at - line, mark, 9))
        return false;
    for (int i = 0; i < LINES_MOST && below < s->len; i++, below = to + 1) {
        to = redact_line_end(s, below);
        size_t most = to - below > LINE_MOST ? below + LINE_MOST : to;
        if (most < to || !memmem(s->text + below, most - below, mark, 9))
            return false;
        const char *is = memmem(s->text + below, most - below, "=> ", 3);
        if (!is || !read_last(s, (size_t)(is - s->text), to, ret_match))
            continue;
        size_t len = ret_match->to - ret_match->from;
        if (len > end - at || memcmp(s->text + ret_match->from, s->text + end - len, len) != 0)
            return true; /* not the name itself */
    }
    return false;
}

bool redact_got(struct redact_scan *s, size_t at, size_t end, struct redact_match *ret_match)
{
    size_t line = redact_line_start(s, at, LINE_MOST), last = redact_line_end(s, end);
    size_t above = line > ABOVE_MOST ? line - ABOVE_MOST : 0, from = last + 1;
    if (last > end + HIDDEN || !line || from >= s->len || s->text[line - 1] != '\n' ||
        redact_run(s, end + 1, CLASS_ALL & ~(uint32_t)(CLASS_ALNUM | CLASS_NEWLINE)) < last ||
        !memmem(s->text + above, line - above, "getpass", 7))
        return false; /* most */
    bool shown = REDACT_ONE_OF(s->text[from], "\"'") || redact_at(s, from, "=> ") ||
                 redact_at(s, from, "Out[");
    return shown && read_last(s, from, redact_line_end(s, from), ret_match);
}
