/* board.h - where a worker is, in memory that its keeper reads when it has died.
 *
 * Before each step that eats what came from outside, the worker notes the session, the step and the
 * place in it; a few stores. When the step kills it, its own signal handler adds that it was the
 * worker's own doing (worker/faults.h): kills from outside add nothing. There is one board in a
 * process; before board_open() it is the process's own memory, and noting is no harm.
 */
#ifndef PTYD_CORE_BOARD_H
#define PTYD_CORE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

enum board_step {
    BOARD_NOTHING,
    BOARD_OPEN,    /* its files */
    BOARD_OFFER,   /* what was told of it before, and its blocks that may be told yet */
    BOARD_REBUILD, /* its log, from `at` on */
    BOARD_TAKE_IN, /* its output, from the stream offset `at` on */
    BOARD_TYPE,    /* input, where the stream stands at `at` */
    BOARD_RESIZE,  /* the same */
    BOARD_TIMER,   /* what follows output after a while, the same */
    BOARD_LOOK,    /* its screen and scrollback, for somebody who looks, the same */
    BOARD_RENDER,  /* the block with the key `at`, for an agent */
};

/* For people, like `while its output was taken in`. */
const char *board_step_words(enum board_step step);

struct board_place {
    char session[72]; /* "" for none */
    uint32_t step;    /* enum board_step */
    uint64_t at;
};

enum board_fault {
    BOARD_NO_FAULT,
    BOARD_CRASHED, /* a fault of its own, or it gave up (no memory) */
    BOARD_SPUN,    /* it used its processor without getting on */
};

/* Makes one. Returns the descriptor, the caller's, or -errno. */
int board_create_fd(void);

/* From now on this is the process's board, until it ends. Leaves the descriptor to the caller.
 * Returns 0 or -errno. */
int board_open(int fd);

/* The keeper's: what a worker left; and a clean one for the next, which goes on with the number of
 * the last event. */
enum board_fault board_fault(struct board_place *ret_place);
void board_clear(void);

/* Such a step begins. Steps lie in one another: board_leave() puts what it returned back. Entering
 * is getting on (board_moved()). */
struct board_place board_enter(const char *session, enum board_step step, uint64_t at);
void board_leave(const struct board_place *before);

/* The work gets on: a slice, a line, a request. Says so to whoever asks board_moves() how often. */
void board_moved(void);
uint64_t board_moves(void);

/* What is begun is not to be left half done: between the two the keeper ends no worker of its own
 * accord, LIMIT_BOARD_HELD_MS at most. One may lie in another. board_held() is the keeper's to ask.
 */
void board_hold(void);
void board_let_go(void);
bool board_held(void);

/* The next event that followers are told (worker/follow.h) and no file holds: its number. Which one
 * the last was; and it was this one, of a keeper before. */
uint64_t board_next_event(void);
uint64_t board_last_event(void);
void board_set_last_event(uint64_t number);

/* Whether the process is in a step. */
bool board_inside(void);

/* The worker dies of itself where it is. For its signal handlers. */
void board_set_fault(enum board_fault fault);

#endif
