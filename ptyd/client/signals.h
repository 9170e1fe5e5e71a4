/* signals.h - the signals of a command that lends its terminal: read, not taken in the midst. */
#ifndef PTYD_CLIENT_SIGNALS_H
#define PTYD_CLIENT_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
    int fd; /* to poll(2) for */
    sigset_t saved;
};

/* From now on WINCH, TERM, HUP, INT, TSTP and CONT wait to be read. Where that cannot be: false,
 * after a message; signals_close() is called all the same. */
bool signals_open(struct signals *signals);
void signals_close(struct signals *signals);

/* A Ctrl-C from before the keys were ours was for what came before. */
void signals_forget_interrupts(void);

/* As TSTP does, until we are continued; where nobody could do that nothing is stopped. */
void signals_stop(void);

/* The next one that came; 0 for none. */
int signals_next(struct signals *signals);

#endif
