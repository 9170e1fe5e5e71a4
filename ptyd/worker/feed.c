#include "ptyd/worker/feed.h"

#include "base/limits.h"

void feed_begin(struct feed *f, uint64_t place)
{
    f->place = place;
    f->follows = true;
    f->passed = f->skips = false;
    f->lines = 0;
}

void feed_resume(struct feed *f, uint64_t place)
{
    feed_begin(f, place);
    f->follows = false;
}

void feed_sent(struct feed *f, size_t bytes)
{
    f->sent += bytes;
}

static size_t window_of(const struct feed *f)
{
    return LIMIT_VIEW_WINDOW_BYTES + f->wider;
}

/* A wide window costs a slow terminal the time that it shows what was printed before Ctrl-C; a
 * narrow one costs a fast one the wakeups of small pieces. */
static void set_window(struct feed *f, int64_t now_ms)
{
    int64_t passed = now_ms - f->paced_ms;
    if (passed < LIMIT_VIEW_WINDOW_MS)
        return;
    uint64_t pace = (f->taken - f->paced) * LIMIT_VIEW_WINDOW_MS / (uint64_t)passed;
    uint64_t window = pace < LIMIT_VIEW_WINDOW_MOST_BYTES ? pace : LIMIT_VIEW_WINDOW_MOST_BYTES;
    f->wider = window > LIMIT_VIEW_WINDOW_BYTES ? (size_t)(window - LIMIT_VIEW_WINDOW_BYTES) : 0;
    f->paced = f->taken;
    f->paced_ms = now_ms;
}

bool feed_took(struct feed *f, uint64_t taken, int64_t now_ms)
{
    taken = taken < f->sent ? taken : f->sent;
    if (taken <= f->taken)
        return false;
    f->taken = taken;
    f->passed = false;
    set_window(f, now_ms);
    return true;
}

void feed_mark(struct feed *f)
{
    f->mark = f->sent;
}

bool feed_took_mark(const struct feed *f)
{
    return f->taken >= f->mark;
}

size_t feed_under_way(const struct feed *f)
{
    return (size_t)(f->sent - f->taken);
}

uint64_t feed_end(const struct feed *f)
{
    return f->skips ? f->skips_from : f->place;
}

size_t feed_room(const struct feed *f, uint64_t end)
{
    if (f->passed || f->skips)
        return SIZE_MAX;
    uint64_t counted = feed_under_way(f) + (f->follows || end < f->place ? 0 : end - f->place);
    size_t window = window_of(f);
    return counted + window / LIMIT_VIEW_ROOM_PART <= window ? (size_t)(window - counted) : 0;
}

void feed_pass_over(struct feed *f)
{
    f->passed = true;
    f->follows = false;
}

size_t feed_send_most(const struct feed *f, uint64_t end)
{
    size_t under_way = feed_under_way(f), window = window_of(f); /* it may have been wider */
    size_t room = under_way < window ? window - under_way : 0;
    return end - f->place < room ? (size_t)(end - f->place) : room;
}

void feed_skip(struct feed *f)
{
    if (!f->skips)
        f->skips_from = f->place;
    f->skips = true;
}

bool feed_has_step(const struct feed *f)
{
    bool may_send = f->skips || feed_under_way(f) < window_of(f);
    return !f->follows && !f->passed && may_send;
}

enum feed_step feed_next(struct feed *f, uint64_t end, uint64_t readable)
{
    if (f->follows || f->passed)
        return FEED_NOTHING;
    if (f->place < readable || f->place > end || end - f->place > LIMIT_VIEW_BEHIND_BYTES)
        feed_skip(f);
    if (f->skips) {
        bool counts = readable < end && f->place < end;
        f->place = f->place < readable ? readable : f->place;
        return counts && f->place < end ? FEED_COUNT : FEED_REDRAW;
    }
    return feed_has_step(f) ? FEED_SEND : FEED_NOTHING;
}

void feed_moved(struct feed *f, uint64_t place, uint64_t end)
{
    f->place = place;
    f->follows = place >= end;
}

void feed_counted(struct feed *f, uint64_t place, uint64_t lines)
{
    f->place = place;
    f->lines += lines;
}
