/* What is to be covered is said by a finder: in texts, and in what a transcript shows. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "vterm_snapshot/blot_private.h"
#include "vterm_snapshot/mark.h"

#define AGAIN     (8 << 10) /* bytes of text that are looked at with what follows, too: a long key */
#define LINE_MOST (4 << 10) /* of a line that changes so much is looked at again, or */
#define AT_ONCE   (32 << 10)

static bool gives_up(const struct blot_finder *finder)
{
    return finder->gives_up && finder->gives_up(finder->user);
}

/* ---- texts ---- */

struct place {
    char *text;
    size_t count;
};

static void on_place(void *user, size_t from, size_t to, const char *what)
{
    struct place *p = user;
    (void)what;
    blot_cover(p->text + from, to - from);
    p->count++;
}

size_t blot_found_text(char *text, size_t len, const struct blot_finder *finder)
{
    struct place p = {.text = text};
    finder->in_text(finder->user, text, len, on_place, &p);
    return p.count;
}

/* ---- marks ---- */

/* What several marks say that is one text, and which bytes say it. */
struct said {
    const struct blot_finder *finder;
    struct bytes text, spots; /* struct spot for each byte of the text */
    size_t count;
    bool apart; /* of the mark at hand: what is no command's */
};

struct spot {
    char *at;
    size_t len;
};

static void on_said(void *user, size_t from, size_t to, const char *what)
{
    struct said *s = user;
    const struct spot *spots = (const struct spot *)(void *)s->spots.data;
    (void)what;
    for (size_t i = from; i < to;) {
        size_t len = spots[i].len, n = 1;
        /* The bytes of a character that stand as they are become one that is as wide. */
        while (len == 1 && i + n < to && spots[i + n].len == 1 &&
               spots[i + n].at == spots[i].at + n)
            n++;
        blot_cover(spots[i].at, len == 1 ? n : len);
        i += n;
    }
    s->count++;
}

static void look_at_said(struct said *s)
{
    if (s->text.failed || s->spots.failed)
        memory_end(); /* what is not found would stay */
    if (s->text.len)
        s->finder->in_text(s->finder->user, s->text.data, s->text.len, on_said, s);
    s->text.len = s->spots.len = 0;
}

static void add_value(void *user, const struct blot_value *value)
{
    struct said *s = user;
    size_t len;
    if (value->stays != s->apart)
        return;
    for (size_t i = 0; i < value->len; i += len) {
        struct spot spot = {.at = value->at + i};
        bytes_append_char(&s->text, blot_decode(value, i, &len));
        spot.len = len;
        bytes_append(&s->spots, &spot, sizeof spot);
    }
    if (s->apart)
        look_at_said(s);
}

/* A text that is too long for one mark comes in parts, each a mark of its own. */
static void look_at_mark(struct said *s, char *mark, size_t len)
{
    blot_each_value(mark, len, add_value, s);
    if (blot_mark_kind(mark, len) != MARK_TEXT)
        look_at_said(s);
    struct said apart = {.finder = s->finder, .apart = true};
    blot_each_value(mark, len, add_value, &apart);
    s->count += apart.count;
    bytes_finish(&apart.text);
    bytes_finish(&apart.spots);
}

/* ---- strings: titles, links ---- */

static size_t look_at_strings(char *at, char *end, const struct blot_finder *finder)
{
    size_t count = 0;
    while ((at = at < end ? memchr(at, '\033', (size_t)(end - at)) : NULL)) {
        if (end - at < 2 || !at[1] || !strchr("]PX^_", at[1])) {
            at++;
            continue;
        }
        char *behind = blot_string_end(at, end);
        count += blot_found_text(at + 2, (size_t)(behind - at) - 2, finder);
        at = behind;
    }
    return count;
}

static size_t look_at_marks(char *at, size_t len, const struct blot_finder *finder)
{
    char *end = at + len;
    struct said said = {.finder = finder};
    size_t count = 0, mark_len;
    while (at < end && !gives_up(finder)) {
        char *mark = blot_next_mark(at, end, &mark_len);
        count += look_at_strings(at, mark, finder);
        if (mark_len)
            look_at_mark(&said, mark, mark_len);
        at = mark + mark_len;
    }
    look_at_said(&said);
    bytes_finish(&said.text);
    bytes_finish(&said.spots);
    return count + said.count;
}

/* ---- what is shown ---- */

struct reading {
    struct blot_part part;
    const struct blot_finder *finder;
    struct transcript *shown;
    const char *text; /* of it, while it is looked at */
    size_t len;
    void (*moves)(void);
    size_t searched; /* of the text: what lies before it was looked at with all that follows */
    size_t count;
};

static void on_shown(void *user, size_t from, size_t to, const char *what)
{
    struct reading *r = user;
    (void)what;
    for (size_t i = from, step; i < to; i += step) {
        step = blot_cluster(r->text + i, r->len - i);
        blot_cover_shown(r->shown, r->text, i, step, &r->part);
    }
    r->count++;
}

static void look_from(struct reading *r, size_t from)
{
    if (from < r->len)
        r->finder->in_shown(r->finder->user, r->shown, from, on_shown, r);
}

/* Where the line begins that has the byte in front of `at`, or of a long one some character. */
static size_t line_of(const struct reading *r, size_t at, size_t most)
{
    size_t least = at > most ? at - most : 0, i = at;
    while (i > least && r->text[i - 1] != '\n')
        i--;
    return i > least || !i ? i : utf8_ceil(r->text, r->len, i);
}

/* What stands will be overwritten: the line at hand is looked at while it can be. */
static void on_changes(void *user)
{
    struct reading *r = user;
    size_t changed = transcript_changed_from(r->shown);
    r->text = transcript_text(r->shown, &r->len);
    if (changed < r->len)
        look_from(r, line_of(r, r->len, LINE_MOST));
}

static void look_at_all(struct reading *r)
{
    look_from(r, r->searched);
    size_t to = r->len > AGAIN ? line_of(r, r->len - AGAIN, AGAIN) : 0;
    r->searched = to > r->searched ? to : r->searched;
    size_t gone = transcript_forget(r->shown, r->searched);
    r->searched -= gone;
}

static bool on_piece(void *user)
{
    struct reading *r = user;
    r->text = transcript_text(r->shown, &r->len);
    r->searched = r->searched < r->len ? r->searched : r->len;
    if (r->len - r->searched > AGAIN + AT_ONCE)
        look_at_all(r);
    if (r->moves)
        r->moves();
    return !gives_up(r->finder);
}

size_t blot_found(char *bytes, size_t len, uint64_t offset, const struct blot_width *widths,
                  size_t width_count, const struct blot_finder *finder, void (*moves)(void))
{
    struct reading r = {
        .part = {bytes, len, offset, widths, width_count}, .finder = finder, .moves = moves};
    r.shown = transcript_create(offset, blot_cols(&r.part), on_changes, &r);
    if (!r.shown)
        memory_end();
    transcript_join_full(r.shown);
    blot_read(&r.part, r.shown, on_piece, &r);
    r.text = transcript_text(r.shown, &r.len);
    look_from(&r, r.searched < r.len ? r.searched : 0);
    transcript_destroy(r.shown);
    return r.count + look_at_marks(bytes, len, finder);
}
