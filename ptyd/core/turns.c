#include "ptyd/core/turns.h"

static void line_init(struct line *line)
{
    line->head.next = line->head.previous = &line->head;
}

void turns_init(struct turns *t, turns_clock *worked, turns_clock *time,
                void (*work)(void *user, bool there_is_some), void *user)
{
    *t = (struct turns){.worked = worked, .time = time, .work = work, .user = user};
    line_init(&t->urgent);
    line_init(&t->others);
}

static void append(struct line *line, struct turn *turn)
{
    turn->next = &line->head;
    turn->previous = line->head.previous;
    turn->previous->next = turn;
    line->head.previous = turn;
    line->count++;
}

static void take_out(struct line *line, struct turn *turn)
{
    turn->next->previous = turn->previous;
    turn->previous->next = turn->next;
    turn->next = turn->previous = NULL;
    line->count--;
}

static struct line *line_of(struct turns *t, const struct turn *turn)
{
    return turn->urgent ? &t->urgent : &t->others;
}

/* In a turn the piece at hand stands in no line, though there may be more of it: its end tells. */
static void tell_work(struct turns *t)
{
    bool there_is_some = t->urgent.count || t->others.count;
    if (t->running || there_is_some == t->told)
        return;
    t->told = there_is_some;
    t->work(t->user, there_is_some);
}

bool turn_waits(const struct turn *turn)
{
    return turn->next;
}

void turns_add(struct turns *t, struct turn *turn, bool urgent)
{
    if (turn_waits(turn) && (turn->urgent || !urgent))
        return;
    if (turn_waits(turn))
        take_out(&t->others, turn);
    turn->urgent = urgent;
    append(line_of(t, turn), turn);
    tell_work(t);
}

void turns_remove(struct turns *t, struct turn *turn)
{
    if (!turn_waits(turn))
        return;
    take_out(line_of(t, turn), turn);
    tell_work(t);
}

void turns_hurry(struct turns *t)
{
    t->hurried_until = t->time(t->user) + TURN_HURRY_US;
}

void turns_note_keys(struct turns *t)
{
    turns_hurry(t);
    t->keys_until = t->hurried_until;
}

bool turns_await_keys(const struct turns *t)
{
    return t->time(t->user) < t->keys_until;
}

/* A piece that took long is followed by smaller ones, so that what costs much per byte holds nobody
 * up for longer than the rest does. */
static size_t next_bytes(size_t bytes, uint64_t took)
{
    if (took > TURN_PIECE_US && bytes > TURN_BYTES_LEAST)
        return bytes / 2;
    if (took < TURN_PIECE_US / 2 && bytes < TURN_BYTES_MOST)
        return bytes * 2;
    return bytes;
}

/* Returns when the piece was done, which began at `now`. One of the smallest says nothing of how
 * large the next should be. */
static uint64_t do_piece(struct turns *t, struct line *line, uint64_t now, bool smallest)
{
    struct turn *turn = line->head.next;
    size_t bytes = turn->bytes ? turn->bytes : TURN_BYTES_MOST;
    take_out(line, turn);
    bool more = turn->piece(turn, smallest ? TURN_BYTES_LEAST : bytes);
    uint64_t end = t->worked(t->user);
    if (!more)
        return end;
    if (!smallest)
        turn->bytes = next_bytes(bytes, end - now);
    if (!turn_waits(turn))
        append(line_of(t, turn), turn);
    return end;
}

void turns_run(struct turns *t)
{
    uint64_t now = t->worked(t->user), end = now + TURN_US;
    t->running = true;
    for (size_t n = t->urgent.count; n && t->urgent.count && now < end; n--)
        now = do_piece(t, &t->urgent, now, false);
    bool hurried = t->time(t->user) < t->hurried_until;
    do
        now = t->others.count ? do_piece(t, &t->others, now, hurried) : end;
    while (now < end && !hurried);
    t->running = false;
    tell_work(t);
}
