/* pager.h - what a command prints on a terminal, in a pager where it is longer than that. */
#ifndef PTYD_COMMAND_PAGER_H
#define PTYD_COMMAND_PAGER_H

#include <stdbool.h>

struct pager {
    int terminal; /* what stdout was while it is held back; -1: it is not */
};

/* From now on stdout is held back, where it is a terminal and `wanted`. What was printed before is
 * not. */
struct pager pager_begin(bool wanted);

/* Prints what was held back: by $PAGER (`less -FRX` without one, and
 * with LESS=FRX where that is not set) where it has more lines than the terminal, or wider ones;
 * as it is where it fits, and where no pager can be run. Waits until that ends. */
void pager_end(struct pager *pager);

#endif
