/* look.h - methods on one session: what it shows and did. */
#ifndef PTYD_WORKER_LOOK_H
#define PTYD_WORKER_LOOK_H

#include "ptyd/worker/server.h"

void look_block_call(struct client *client, const json_t *id, const json_t *params);
void look_blocks_call(struct client *client, const json_t *id, const json_t *params);
void look_resize_call(struct client *client, const json_t *id, const json_t *params);
void look_screen_call(struct client *client, const json_t *id, const json_t *params);
void look_scrollback_call(struct client *client, const json_t *id, const json_t *params);

#endif
