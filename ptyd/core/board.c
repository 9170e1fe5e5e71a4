#define _GNU_SOURCE
#include "ptyd/core/board.h"
#include "ptyd/core/cores.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct board {
    volatile uint64_t moves;
    volatile uint32_t fault; /* enum board_fault */
    struct board_place place;
    volatile uint64_t last_event;
    volatile uint32_t held; /* so many times */
};

static struct board own, *board = &own;

/* What is read behind a fault is read by its handler in the same thread, or after the process: the
 * order of the compiler's stores is all that matters. */
#define IN_ORDER() atomic_signal_fence(memory_order_seq_cst)

const char *board_step_words(enum board_step step)
{
    static const char *const words[] = {
        [BOARD_NOTHING] = "somewhere",
        [BOARD_OPEN] = "while its files were opened",
        [BOARD_OFFER] = "while its blocks were read",
        [BOARD_REBUILD] = "while its log was gone through",
        [BOARD_TAKE_IN] = "while its output was taken in",
        [BOARD_TYPE] = "while something was typed into it",
        [BOARD_RESIZE] = "while its size was changed",
        [BOARD_TIMER] = "while it was quiet",
        [BOARD_LOOK] = "while its screen was looked at",
        [BOARD_RENDER] = "while a block of it was told to an agent",
    };
    return step < sizeof words / sizeof *words ? words[step] : words[BOARD_NOTHING];
}

int board_create_fd(void)
{
    int fd = memfd_create("ptyd-board", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, sizeof *board) == 0)
        return fd < 0 ? -errno : fd;
    int error = -errno;
    close(fd);
    return error;
}

int board_open(int fd)
{
    struct board *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return -errno;
    cores_leave_out(shared, sizeof *shared);
    board = shared;
    return 0;
}

enum board_fault board_fault(struct board_place *ret_place)
{
    *ret_place = board->place;
    ret_place->session[sizeof ret_place->session - 1] = '\0';
    return board->fault;
}

void board_clear(void)
{
    uint64_t last_event = board->last_event;
    memset((void *)board, 0, sizeof *board);
    board->last_event = last_event;
}

struct board_place board_enter(const char *session, enum board_step step, uint64_t at)
{
    struct board_place before = board->place;
    board->place.step = BOARD_NOTHING;
    IN_ORDER();
    strncpy(board->place.session, session, sizeof board->place.session - 1);
    board->place.at = at;
    IN_ORDER();
    board->place.step = step;
    board_moved();
    return before;
}

void board_leave(const struct board_place *before)
{
    board->place.step = BOARD_NOTHING;
    IN_ORDER();
    board->place = *before;
}

void board_moved(void)
{
    __atomic_fetch_add(&board->moves, 1, __ATOMIC_RELAXED); /* threads get on, too */
    IN_ORDER();
}

uint64_t board_moves(void)
{
    return __atomic_load_n(&board->moves, __ATOMIC_RELAXED);
}

void board_hold(void)
{
    board->held++;
    IN_ORDER();
}

void board_let_go(void)
{
    IN_ORDER();
    board->held--;
}

bool board_held(void)
{
    return board->held != 0;
}

uint64_t board_next_event(void)
{
    return ++board->last_event;
}

uint64_t board_last_event(void)
{
    return board->last_event;
}

void board_set_last_event(uint64_t number)
{
    board->last_event = number;
}

bool board_inside(void)
{
    return board->place.step != BOARD_NOTHING;
}

void board_set_fault(enum board_fault fault)
{
    board->fault = fault;
    IN_ORDER();
}
