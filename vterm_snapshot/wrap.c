#include "vterm_snapshot/wrap.h"

#include <string.h>

#include "base/utf8.h"
#include "vterm_snapshot/cluster.h"
#include "vterm_snapshot/grapheme.h"
#include "vterm_snapshot/width.h"

/* The byte that the first character of no width begins with, U+0300. */
#define FIRST_MARK 0xcc

size_t wrap_character(const char *text, size_t len, bool clusters, int *ret_width)
{
    struct grapheme cluster = {0};
    size_t at = 0, codes = 0;
    int width = 0;
    while (at < len && codes < CLUSTER_MAX &&
           (!at || clusters || (unsigned char)text[at] >= FIRST_MARK)) {
        uint32_t code = 0xfffd;
        int step = utf8_decode(text + at, len - at, &code);
        bool joins = clusters ? grapheme_add(&cluster, code) : width_of(code) == WIDTH_MARK;
        if (at && !joins)
            break;
        if (clusters || !at)
            width = clusters ? cluster.width : (int)width_of(code);
        at += step > 0 ? (size_t)step : 1;
        codes++;
    }
    *ret_width = width;
    return at;
}

void wrap_finish(struct wrap *w)
{
    bytes_finish(&w->text);
    bytes_finish(&w->runs);
}

/* ---- a piece ---- */

/* How many bytes of ASCII there are, a column each. */
static size_t plain_length(const char *text, size_t len)
{
    size_t n = 0;
    for (uint64_t word; n + sizeof word <= len; n += sizeof word) {
        memcpy(&word, text + n, sizeof word);
        if (word & 0x8080808080808080u)
            break;
    }
    while (n < len && (unsigned char)text[n] < 0x80)
        n++;
    return n;
}

/* As many characters as have room, none of them measured by cluster: wrap_character()'s, in one go.
 * Returns their bytes. */
static size_t take_run(const char *text, size_t len, int room, int *ret_cols)
{
    size_t at = 0, codes = 0;
    int cols = 0;
    while (at < len) {
        size_t left = (size_t)(room - cols), most = len - at < left ? len - at : left;
        size_t plain = plain_length(text + at, most);
        at += plain;
        cols += (int)plain;
        codes = plain ? 1 : codes;
        if (at == len)
            break;
        uint32_t code = 0xfffd;
        int step = utf8_decode(text + at, len - at, &code), width = (int)width_of(code);
        bool joins = width == WIDTH_MARK && codes && codes < CLUSTER_MAX;
        if (!joins && cols + width > room)
            break;
        codes = joins ? codes + 1 : 1;
        cols += joins ? 0 : width;
        at += step > 0 ? (size_t)step : 1;
    }
    *ret_cols = cols;
    return at;
}

static void set_pen(struct wrap *w, int col, uint16_t pen)
{
    struct row_run run = {.column = (uint16_t)col, .pen = pen};
    if (pen != w->pen)
        bytes_append(&w->runs, &run, sizeof run);
    w->pen = pen;
}

/* Columns [from, to) of the piece come at `col`. */
static void take_pens(struct wrap *w, const struct scrollback_row *piece, int from, int to, int col)
{
    uint16_t pen = 0;
    int i = 0;
    for (; i < piece->runs && piece->run[i].column <= from; i++)
        pen = piece->run[i].pen;
    set_pen(w, col, pen);
    for (; i < piece->runs && piece->run[i].column < to; i++)
        set_pen(w, col + piece->run[i].column - from, piece->run[i].pen);
}

/* The same one by one; returns where they end. */
static size_t take_each(struct wrap *w, const struct scrollback_row *piece, size_t at)
{
    for (size_t n; at < piece->len; at += n) {
        int width;
        n = wrap_character(piece->text + at, piece->len - at, piece->clusters, &width);
        if (w->col + width > w->cols || w->len + n > UINT16_MAX)
            break;
        w->col += width;
        w->len += n;
    }
    return at;
}

/* What has room of the piece from `place` on; returns whether that is all. */
static bool take(struct wrap *w, const struct scrollback_row *piece, struct wrap_place *place)
{
    size_t start = place->at, at = start, n;
    int first = w->col, width;
    if (!piece->clusters && w->len + (piece->len - at) <= UINT16_MAX) {
        n = take_run(piece->text + at, piece->len - at, w->cols - w->col, &width);
        w->col += width;
        w->len += n;
        at += n;
    } else {
        at = take_each(w, piece, at);
    }
    if (!w->measures && at > start) {
        bytes_append(&w->text, piece->text + start, at - start);
        take_pens(w, piece, place->col, place->col + w->col - first, first);
        w->clusters = w->clusters || piece->clusters;
    }
    place->at = (uint16_t)at;
    place->col = (uint16_t)(place->col + w->col - first);
    return at == piece->len;
}

/* ---- a row ---- */

bool wrap_row(struct wrap *w, wrap_piece *next, void *user, struct scrollback_row *piece,
              struct wrap_place *place)
{
    w->text.len = w->runs.len = w->len = 0;
    w->col = w->pen = 0;
    w->clusters = false;
    while (take(w, piece, place)) {
        *place = (struct wrap_place){.piece = place->piece + 1};
        if (!next(user, place->piece, piece))
            return false;
        if (!piece->continuation)
            break;
    }
    return true;
}

struct scrollback_row wrap_read(struct wrap *w, wrap_piece *next, void *user,
                                struct scrollback_row *piece, struct wrap_place *place)
{
    uint64_t first = piece->first, number = place->piece;
    bool goes_on = place->at || piece->continuation;
    wrap_row(w, next, user, piece, place);
    uint64_t pieces = place->piece - number + (place->at > 0);
    return (struct scrollback_row){
        .len = (uint16_t)w->text.len,
        .runs = (uint16_t)(w->runs.len / sizeof(struct row_run)),
        .continuation = goes_on ? (uint16_t)w->cols : 0,
        .clusters = w->clusters,
        .run = (const struct row_run *)(const void *)w->runs.data,
        .text = w->text.data ? w->text.data : "",
        .first = first,
        .last = first + (pieces ? pieces - 1 : 0),
    };
}
