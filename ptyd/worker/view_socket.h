/* view_socket.h - the worker's end of the socket on which a viewer's frames go (view_wire.h). */
#ifndef PTYD_WORKER_VIEW_SOCKET_H
#define PTYD_WORKER_VIEW_SOCKET_H

#include <stdbool.h>
#include <uv.h>

#include "ptyd/core/view_wire.h"

struct view_socket;

struct view_socket_handler {
    /* A frame came. It may close the socket. */
    void (*frame)(void *user, const struct view_frame *frame);
    /* The other end is closed, or sends what is no frame: nothing more comes. It may close the
     * socket. */
    void (*gone)(void *user);
};

/* NULL with errno on failure. The other end, which is the viewer's, is the caller's. */
struct view_socket *view_socket_create(uv_loop_t *loop, const struct view_socket_handler *handler,
                                       void *user, int *ret_other);
/* The descriptor that came beside frames, -1 for none; the caller's. */
int view_socket_take_passed(struct view_socket *socket);
/* How many such descriptors all of them have that nobody took. */
int view_sockets_passed(void);
/* What is queued is still written as far as it goes at once; it is freed by the loop. */
void view_socket_close(struct view_socket *socket);

/* Frames are appended here, and go with view_socket_flush(): at once as far as there is room. */
struct bytes *view_socket_out(struct view_socket *socket);
void view_socket_flush(struct view_socket *socket);
/* The same with the next that go, or after a millisecond: what nobody waits for wakes nobody. */
void view_socket_flush_soon(struct view_socket *socket);

#endif
