/* feed.h - how far a viewer is, and what it gets next.
 *
 * What is sent to it is counted until its terminal took it. At most a window is under way
 * (LIMIT_VIEW_WINDOW_BYTES; more where its terminal is fast): then whoever writes waits. A viewer
 * that takes nothing meanwhile is passed over, so that it stops nobody; when it takes something
 * again it gets what it missed from the log, or, where that is more than LIMIT_VIEW_BEHIND_BYTES or
 * the log lacks a part, is told how many lines that was.
 *
 * Pure: it knows numbers alone.
 */
#ifndef PTYD_WORKER_FEED_H
#define PTYD_WORKER_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zeroed struct is a viewer that has nothing. */
struct feed {
    uint64_t sent, taken; /* bytes, since it joined */
    uint64_t place;       /* in the stream: it was sent all before */
    bool follows;         /* it gets what comes, as it comes: nothing is missing */
    bool passed;          /* it takes nothing and is not waited for */
    bool skips;           /* what it missed is counted, not sent */
    uint64_t skips_from;  /* then: `place` where that began */
    uint64_t lines;       /* counted so far */
    uint64_t mark;        /* `sent` at the last feed_mark() */
    size_t wider;         /* bytes of its window beyond LIMIT_VIEW_WINDOW_BYTES */
    int64_t paced_ms;     /* when that was found, from what it took since the time before */
    uint64_t paced;       /* `taken` then */
};

/* It was shown all up to here, and follows from now on. */
void feed_begin(struct feed *feed, uint64_t place);
/* It has all before `place`, and gets what is missing since. */
void feed_resume(struct feed *feed, uint64_t place);

void feed_sent(struct feed *feed, size_t bytes);
/* What its terminal took in all, up to `now_ms` of the monotonic clock. Returns whether that was
 * more than before; no more than was sent counts. One that was passed over is not any more. */
bool feed_took(struct feed *feed, uint64_t taken, int64_t now_ms);
/* Marks what was sent so far; whether its terminal took all of that. */
void feed_mark(struct feed *feed);
bool feed_took_mark(const struct feed *feed);
size_t feed_under_way(const struct feed *feed);
/* All before was sent, whatever was counted behind it. */
uint64_t feed_end(const struct feed *feed);

/* How many bytes of the stream behind `end` may come: none, or at least the window's
 * LIMIT_VIEW_ROOM_PARTth part;
 * SIZE_MAX for one that is not waited for. */
size_t feed_room(const struct feed *feed, uint64_t end);

/* It took nothing for too long. */
void feed_pass_over(struct feed *feed);

enum feed_step {
    FEED_NOTHING, /* now: it follows, or takes nothing */
    FEED_SEND,    /* what stands in the log from `place` on, at most feed_send_most() */
    FEED_COUNT,   /* the lines that stand there, and tell feed_counted() */
    FEED_REDRAW,  /* `lines` were not sent: it is told so, drawn, and feed_begin() */
};
/* What is to be done for one that does not follow, where the stream was taken in up to `end` and
 * can be read from `readable` on. */
enum feed_step feed_next(struct feed *feed, uint64_t end, uint64_t readable);
/* Whether there may be such a step now. */
bool feed_has_step(const struct feed *feed);
size_t feed_send_most(const struct feed *feed, uint64_t end);
/* The log cannot be read there: what is missing is counted instead. */
void feed_skip(struct feed *feed);

/* All before `place` was sent, or counted with so many lines. At `end` one that was sent all
 * follows. */
void feed_moved(struct feed *feed, uint64_t place, uint64_t end);
void feed_counted(struct feed *feed, uint64_t place, uint64_t lines);

#endif
