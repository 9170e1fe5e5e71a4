/* spares.h - what a session takes a while to make lies ready for the next one: its directory
 * (session/spare.h) and its shell's file (start/plan.h). Another is made behind the prompt; an idle
 * daemon does nothing for it.
 */
#ifndef PTYD_WORKER_SPARES_H
#define PTYD_WORKER_SPARES_H

struct spares;
struct worker;

/* The first ones are made in a moment. */
struct spares *spares_create(struct worker *worker);

/* A session has begun: others are made in a moment. */
void spares_used(struct spares *spares);

/* Removes them; NULL is none. */
void spares_close(struct spares *spares);

#endif
