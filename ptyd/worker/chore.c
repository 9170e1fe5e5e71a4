#include "ptyd/worker/chore.h"

#define STACK_BYTES (2 << 20) /* whatever the limit is that we were started with */

static void *run(void *user)
{
    struct chore *chore = user;
    chore->work(chore);
    uv_async_send(&chore->async);
    return NULL;
}

/* 0 or -errno. */
static int start_thread(struct chore *chore)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = pthread_create(&chore->thread, &attributes, run, chore);
    pthread_attr_destroy(&attributes);
    return -error;
}

static void on_closed(uv_handle_t *handle)
{
    struct chore *chore = handle->data;
    chore->after(chore, chore->status);
}

static void on_async(uv_async_t *async)
{
    struct chore *chore = async->data;
    if (chore->status == 0)
        pthread_join(chore->thread, NULL);
    uv_close((uv_handle_t *)async, on_closed);
}

void chore_begin(uv_loop_t *loop, struct chore *chore, void (*work)(struct chore *chore),
                 void (*after)(struct chore *chore, int status))
{
    *chore = (struct chore){.user = chore->user, .work = work, .after = after};
    uv_async_init(loop, &chore->async, on_async); /* needs nothing more than the loop has */
    chore->async.data = chore;
    chore->status = start_thread(chore);
    if (chore->status < 0)
        uv_async_send(&chore->async);
}
