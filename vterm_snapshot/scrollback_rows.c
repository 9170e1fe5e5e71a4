/* What left the screen at other widths, as it is read: where its rows begin is found when the first
 * of them is asked for, and a row is made when it is read. */
#include "vterm_snapshot/scrollback_private.h"

#include <string.h>

#include "base/memory.h"

static bool piece_of(void *user, uint32_t number, struct scrollback_row *ret_piece)
{
    const struct scrollback *s = user;
    uint64_t all = s->rows_read->base + number;
    if (all < s->seam)
        *ret_piece = scrollback_piece(s, (size_t)(all - scrollback_oldest(s)));
    return all < s->seam;
}

/* Of the places behind `start` the last ones stay. */
static void keep_newest(struct scrollback_rows *r, size_t start, size_t count)
{
    memmove(r->places + start, r->places + r->count - count, count * sizeof *r->places);
    r->count = start + count;
}

/* Room for one more behind those from `start` on, which are a line's: twice as many as are read at
 * most, or as there is memory for, then the older half of the line goes. False where that is none.
 */
static bool make_room(struct scrollback_rows *r, size_t start, size_t limit)
{
    size_t capacity = r->capacity ? r->capacity * 2 : 64;
    if (r->count < r->capacity)
        return true;
    capacity = capacity < 2 * limit ? capacity : 2 * limit;
    struct wrap_place *places =
        r->capacity < 2 * limit ? memory_try_grow(r->places, capacity * sizeof *places) : NULL;
    if (places) {
        r->places = places;
        r->capacity = capacity;
        return true;
    }
    size_t held = r->count - start;
    if (held)
        keep_newest(r, start, held / 2);
    return held > 1;
}

static void turn_round(struct wrap_place *places, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct wrap_place place = places[i];
        places[i] = places[count - 1 - i];
        places[count - 1 - i] = place;
    }
}

/* The line of pieces [begin, end): its rows, the last one first. False without memory. */
static bool find_line(const struct scrollback *s, uint32_t begin, uint32_t end)
{
    struct scrollback_rows *r = s->rows_read;
    struct wrap w = {.cols = s->cols, .measures = true};
    struct wrap_place place = {.piece = begin};
    struct scrollback_row piece = scrollback_piece(s, begin);
    size_t start = r->count;
    bool room;
    do {
        room = make_room(r, start, s->limit);
        if (room)
            r->places[r->count++] = place;
    } while (room && wrap_row(&w, piece_of, (void *)s, &piece, &place) && place.piece < end);
    turn_round(r->places + start, r->count - start);
    return room;
}

/* The newest, as many as are read at most, by lines from the last one on. Without memory the older
 * ones are not read: what is read ends at the seam, whatever is left. */
static void find_rows(const struct scrollback *s)
{
    struct scrollback_rows *r = s->rows_read;
    uint32_t end, begin;
    r->known = true;
    r->base = scrollback_oldest(s);
    r->from = r->count = 0;
    for (end = (uint32_t)(s->seam - r->base); end && r->count < s->limit; end = begin) {
        begin = end - 1;
        while (begin && scrollback_piece(s, begin).continuation)
            begin--;
        if (!find_line(s, begin, end))
            break;
    }
    turn_round(r->places, r->count);
}

/* Rows that are a piece each. */
static size_t direct(const struct scrollback *s)
{
    uint64_t oldest = scrollback_oldest(s);
    return (size_t)(s->total - (s->seam > oldest ? s->seam : oldest));
}

size_t scrollback_wrapped(const struct scrollback *s)
{
    struct scrollback_rows *r = s->rows_read;
    uint64_t oldest = scrollback_oldest(s);
    if (!s->cols || s->seam <= oldest)
        return 0;
    if (!r->known)
        find_rows(s);
    while (r->from < r->count && r->base + r->places[r->from].piece < oldest)
        r->from++;
    if (r->count - r->from + direct(s) > s->limit)
        r->from = r->count + direct(s) - s->limit;
    return r->count - r->from;
}

const struct wrap_place *scrollback_wrapped_place(const struct scrollback *s, size_t i)
{
    return &s->rows_read->places[s->rows_read->from + i];
}

size_t scrollback_count(const struct scrollback *s)
{
    return scrollback_wrapped(s) + direct(s);
}

size_t scrollback_since(const struct scrollback *s, uint64_t from)
{
    const struct scrollback_rows *r = s->rows_read;
    size_t wrapped = scrollback_wrapped(s), later = direct(s), first = 0, end = wrapped;
    if (from >= s->total - later)
        return from < s->total ? (size_t)(s->total - from) : 0;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (r->base + scrollback_wrapped_place(s, middle)->piece < from)
            first = middle + 1;
        else
            end = middle;
    }
    return wrapped - first + later;
}

struct scrollback_row scrollback_get(const struct scrollback *s, size_t i)
{
    struct scrollback_rows *r = s->rows_read;
    size_t rows = scrollback_count(s);
    if (i >= scrollback_wrapped(s))
        return scrollback_piece(s, s->count - (rows - i));
    struct wrap_place place = *scrollback_wrapped_place(s, i);
    struct scrollback_row piece;
    piece_of((void *)s, place.piece, &piece);
    r->wrap.cols = s->cols;
    return wrap_read(&r->wrap, piece_of, (void *)s, &piece, &place);
}
