/* faults.h - a worker that crashes or spins says on the board that it was its own doing.
 *
 * A fault is the process's own when the kernel says so, or when it sent the signal itself
 * (abort()); the same signals sent by others kill it as ever. The loop's thread spins when it used
 * LIMIT_SPIN_MS of its processor's time without getting on: it stayed in one step (board.h), or did
 * not sleep once outside of all. The clock is the thread's own: an idle worker is not woken.
 */
#ifndef PTYD_WORKER_FAULTS_H
#define PTYD_WORKER_FAULTS_H

/* For the calling thread, which is the loop's, until the process ends. */
void faults_watch(void);

#endif
