/* turns.h - many have work and one thread does it: in pieces, by turns, a bounded time at a
 * stretch.
 *
 * Whoever has work stands in line and is called for a piece of it; with more to do it goes to the
 * line's end. turns_run() is one turn: it does pieces for TURN_US, and between two turns the thread
 * hears clients and terminals. Who serves a person who waits is urgent: those come first. While
 * somebody waits (turns_hurry()) a turn is one piece of the others' work, of the smallest, and no
 * more.
 *
 * Knows neither what the pieces are nor a clock: both are callbacks.
 */
#ifndef PTYD_CORE_TURNS_H
#define PTYD_CORE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Microseconds of a turn, and of a piece: a longer one makes the next ones smaller. They are those
 * of our work alone: on a busy machine smaller pieces would only cost more. */
#define TURN_US       2000
#define TURN_PIECE_US 1000
/* Bytes that a piece is asked for. */
#define TURN_BYTES_LEAST (16 * 1024)
#define TURN_BYTES_MOST  (64 * 1024)
/* So long after somebody did something they are waited for. */
#define TURN_HURRY_US 1000000

/* Embedded in whoever has work. All but `piece` starts at zero. */
struct turn {
    /* Does a piece of some `bytes`; returns whether there is more to do now. It may add and remove
     * any turn; with false it may have freed this one. */
    bool (*piece)(struct turn *turn, size_t bytes);
    struct turn *next, *previous; /* in line; NULL when in none */
    size_t bytes;                 /* of the next piece; 0 for TURN_BYTES_MOST */
    bool urgent;                  /* the piece may change it for the next one */
};

/* Those in line, as a ring through its head. */
struct line {
    struct turn head;
    size_t count;
};

/* Microseconds; never goes back. */
typedef uint64_t turns_clock(void *user);

struct turns {
    struct line urgent, others;
    bool running, told;                 /* inside turns_run(); what `work` was called with last */
    uint64_t hurried_until, keys_until; /* by the time */
    turns_clock *worked, *time;
    void (*work)(void *user, bool there_is_some); /* the lines became empty, or are it no more */
    void *user;
};

/* `worked` says for how long this thread has worked, `time` how late it is. */
void turns_init(struct turns *turns, turns_clock *worked, turns_clock *time,
                void (*work)(void *user, bool there_is_some), void *user);

/* Stands in line from now on: the urgent's or the others'. One that did keeps its place, unless it
 * becomes urgent. */
void turns_add(struct turns *turns, struct turn *turn, bool urgent);

/* Stands in none. */
void turns_remove(struct turns *turns, struct turn *turn);
bool turn_waits(const struct turn *turn);

/* Somebody waits, or did within TURN_HURRY_US. */
void turns_hurry(struct turns *turns);
/* The same, by a key of a person's: within that time another is expected. */
void turns_note_keys(struct turns *turns);
bool turns_await_keys(const struct turns *turns);

/* A turn: the urgent once each, for TURN_US at most; then one of the others in any case, and more
 * of them while the turn lasts. While somebody waits it is one of TURN_BYTES_LEAST. The next turn
 * goes on behind. */
void turns_run(struct turns *turns);

#endif
