#include "vterm_snapshot/lasting.h"

#include <string.h>

static uint64_t shift_of(const struct lasting *l, uint64_t number)
{
    size_t i = l->count;
    while (i && l->shift[i - 1].from > number)
        i--;
    return i ? l->shift[i - 1].by : 0;
}

uint64_t lasting_of(const struct lasting *l, uint64_t number)
{
    return number + shift_of(l, number);
}

uint64_t lasting_row(const struct lasting *l, uint64_t lasting)
{
    uint64_t row = lasting, by = 0;
    for (size_t i = 0; i < l->count && lasting >= l->shift[i].from + by; i++) {
        by = l->shift[i].by;
        row = lasting > l->shift[i].from + by ? lasting - by : l->shift[i].from;
    }
    return row;
}

/* Of more than there is room for the oldest two become one: rows of the first are read again. */
void lasting_raise(struct lasting *l, uint64_t base, uint64_t by)
{
    while (l->count && l->shift[l->count - 1].from >= base)
        l->count--;
    if (l->count == LIMIT_LASTING_SHIFTS) {
        l->shift[1].from = l->shift[0].from;
        memmove(l->shift, l->shift + 1, --l->count * sizeof *l->shift);
    }
    l->shift[l->count++] = (struct lasting_shift){base, by};
}
