#include "ptyd/keeper/tally.h"

static int find(struct tally *t, uint32_t step, uint64_t at)
{
    for (int i = 0; i < LIMIT_TALLY_PLACES; i++)
        if (t->places[i].deaths && t->places[i].step == step && t->places[i].at == at)
            return i;
    int i = t->next;
    t->next = (t->next + 1) % LIMIT_TALLY_PLACES;
    t->places[i].step = step;
    t->places[i].at = at;
    t->places[i].deaths = 0;
    return i;
}

bool tally_add(struct tally *t, uint32_t step, uint64_t at)
{
    return ++t->places[find(t, step, at)].deaths >= LIMIT_DEATHS;
}
