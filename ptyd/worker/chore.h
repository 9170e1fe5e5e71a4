/* chore.h - what takes long is done by a thread of its own, beside the loop.
 *
 * libuv has a pool for that, which aborts the process where it can have no threads: at the user's
 * limit of processes, say, where every worker that begins would die. Here whoever has the chore
 * hears that nobody does it.
 */
#ifndef PTYD_WORKER_CHORE_H
#define PTYD_WORKER_CHORE_H

#include <pthread.h>
#include <uv.h>

struct chore {
    void *user;
    /* The rest is chore.c's. */
    uv_async_t async;
    pthread_t thread;
    void (*work)(struct chore *chore);
    void (*after)(struct chore *chore, int status);
    int status;
};

/* `work` is called in a thread, `after` on the loop behind it, which may begin or free the chore
 * again: with 0, or -errno where there is no thread to be had, and nothing was done. That is not
 * before this returns. The loop goes on until then, and there is no giving up. */
void chore_begin(uv_loop_t *loop, struct chore *chore, void (*work)(struct chore *chore),
                 void (*after)(struct chore *chore, int status));

#endif
