/* Lines that are written over themselves: where a backspace takes the terminal's cursor back, what
 * comes next stands in the place of what stood there; what nothing is written over stays. Pages of
 * the manual underline so, prompts take back what was typed. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "envelope/redact/fold.h"

/* A character of the line at hand, and what behind it shows nothing. */
struct cell {
    size_t at, len;               /* where it stands in `from`; bytes */
    struct redact_origin written; /* with all that was written here before */
};

struct line {
    struct cell *cells; /* owned */
    size_t count, room; /* in use; allocated */
    size_t cursor;      /* where the next one goes, <= count */
};

static void write_cell(struct line *l, size_t at, size_t len)
{
    if (l->cursor == l->room) {
        l->room = l->room ? 2 * l->room : 128;
        l->cells = memory_grow(l->cells, l->room * sizeof *l->cells);
    }
    size_t from = l->cursor < l->count ? l->cells[l->cursor].written.from : at;
    l->cells[l->cursor++] = (struct cell){at, len, {from, at + len}};
    l->count = l->cursor > l->count ? l->cursor : l->count;
}

/* What shows nothing belongs to the character that it stands behind; elsewhere it is left out. */
static void add_unseen(struct line *l, size_t at, size_t len)
{
    struct cell *before = l->cursor ? &l->cells[l->cursor - 1] : NULL;
    if (!before)
        return;
    before->len += before->at + before->len == at ? len : 0;
    before->written.to = at + len;
}

static void keep(struct redact_struck *s, char c, struct redact_origin place)
{
    s->places[s->text.len] = place;
    s->text.data[s->text.len++] = c;
}

/* The line [at, end), which has backspaces. */
static void strike_line(struct redact_struck *s, struct line *l, size_t at, size_t end)
{
    l->count = l->cursor = 0;
    for (size_t step = 1; at < end; at += step, step = 1) {
        uint32_t code;
        size_t unseen;
        if (s->from[at] == '\b') {
            l->cursor -= l->cursor > 0;
        } else if ((unseen = redact_fold_unseen(s->from, end, at))) {
            add_unseen(l, at, step = unseen);
        } else {
            int n = utf8_decode(s->from + at, end - at, &code);
            write_cell(l, at, step = n > 0 ? (size_t)n : 1);
        }
    }
    for (size_t i = 0; i < l->count; i++)
        for (size_t byte = 0; byte < l->cells[i].len; byte++)
            keep(s, s->from[l->cells[i].at + byte], l->cells[i].written);
}

void redact_strike(struct redact_struck *s, size_t len)
{
    struct line line = {0};
    s->places = memory_grow(NULL, (len + 1) * sizeof *s->places);
    if (!bytes_reserve(&s->text, len + 1))
        memory_end();
    for (size_t at = 0, end; at < len; at = end) {
        const char *feed = memchr(s->from + at, '\n', len - at);
        end = feed ? (size_t)(feed - s->from) + 1 : len;
        if (memchr(s->from + at, '\b', end - at)) {
            strike_line(s, &line, at, feed ? end - 1 : end);
            at = feed ? end - 1 : end;
        }
        for (; at < end; at++)
            keep(s, s->from[at], (struct redact_origin){at, at + 1});
    }
    free(line.cells);
}

void redact_struck_found(void *struck, size_t from, size_t to, const char *type)
{
    const struct redact_struck *s = struck;
    struct redact_origin all = s->places[from];
    for (; from < to; from++)
        all.to = s->places[from].to > all.to ? s->places[from].to : all.to;
    s->found(s->user, all.from, all.to, type);
}

void redact_struck_finish(struct redact_struck *s)
{
    bytes_finish(&s->text);
    free(s->places);
    s->places = NULL;
}
