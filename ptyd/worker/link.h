/* link.h - the worker's end of the socket to the keeper.
 *
 * Neither end blocks the other: what the socket does not take waits here, and the hand-over, which
 * comes before the loop, is waited for with poll(2).
 */
#ifndef PTYD_WORKER_LINK_H
#define PTYD_WORKER_LINK_H

#include <uv.h>

#include "ptyd/keeper/wire.h"

struct link;

/* Something came: link_receive() has it. */
typedef void link_readable(void *user);

/* Takes the socket over. NULL when the loop does not want it. */
struct link *link_create(uv_loop_t *loop, int socket, link_readable *readable, void *user);

/* From now on the loop listens. */
void link_start(struct link *link);

/* The loop listens no more; what is sent and finds no room is lost. */
void link_stop(struct link *link);

/* Closes the socket, by which the keeper knows that we end: after the loop, when it was started. */
void link_destroy(struct link *link);

/* Sends, or keeps until there is room; copies of the descriptors then, which stay the caller's.
 * Returns 0 or -errno. */
int link_send(struct link *link, const struct wire_message *message, const int *fds, int count);

/* The next message, as wire_receive() has it: -EAGAIN for none. link_wait() waits for one. */
int link_receive(struct link *link, struct wire_message *ret_message, int ret_fds[WIRE_FDS_MAX]);
int link_wait(struct link *link, struct wire_message *ret_message, int ret_fds[WIRE_FDS_MAX]);

#endif
