#include "ptyd/session/placement.h"

/* A try costs little of what the better place gains: when the other one loses it comes less often.
 */
#define EVERY_LEAST 4
#define EVERY_MOST  64

static void end_try(struct placement *p, uint64_t speed)
{
    bool better = speed > p->speed[!p->place];
    p->speed[p->place] = speed;
    p->every = better ? EVERY_LEAST : 2 * p->every < EVERY_MOST ? 2 * p->every : EVERY_MOST;
    p->place = better ? p->place : !p->place;
    p->trying = false;
    p->windows = 0;
}

int placement_next(struct placement *p, size_t bytes, int64_t ns)
{
    uint64_t speed = bytes * UINT64_C(1000000000) / (uint64_t)(ns > 0 ? ns : 1);
    uint64_t *mean = &p->speed[p->place];
    if (p->trying) {
        end_try(p, speed);
        return p->place;
    }
    *mean = *mean ? (3 * *mean + speed) / 4 : speed;
    bool behind = *mean < p->speed[!p->place]; /* of what the other one did when it was tried */
    if (++p->windows < (behind ? EVERY_LEAST : p->every))
        return p->place;
    p->trying = true;
    p->every = p->every > EVERY_LEAST ? p->every : EVERY_LEAST;
    return p->place = !p->place;
}
