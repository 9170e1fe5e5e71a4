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

bool feed_took(struct feed *f, uint64_t taken)
{
    taken = taken < f->sent ? taken : f->sent;
    if (taken <= f->taken)
        return false;
    f->taken = taken;
    f->passed = false;
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
    return counted + LIMIT_VIEW_ROOM_BYTES <= LIMIT_VIEW_WINDOW_BYTES
               ? (size_t)(LIMIT_VIEW_WINDOW_BYTES - counted)
               : 0;
}

void feed_pass_over(struct feed *f)
{
    f->passed = true;
    f->follows = false;
}

size_t feed_send_most(const struct feed *f, uint64_t end)
{
    size_t room = LIMIT_VIEW_WINDOW_BYTES - feed_under_way(f);
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
    bool may_send = f->skips || feed_under_way(f) < LIMIT_VIEW_WINDOW_BYTES;
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
