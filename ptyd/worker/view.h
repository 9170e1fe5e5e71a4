/* view.h - an attached terminal: it shows the session and, unless it only looks, drives it. */
#ifndef PTYD_WORKER_VIEW_H
#define PTYD_WORKER_VIEW_H

#include "ptyd/worker/server.h"

/* `session.attach {name, size, view, owns, again}`: replies with what the joining line needs, then
 * sends `view.output {data}` (base64), `view.cwd {cwd}` and, at the end, `view.end {exit_status}`.
 * `again`: the client was attached to a former worker; one whose shell has exited since is not
 * refused, but told its end. */
void view_attach_call(struct client *client, const json_t *id, const json_t *params);

/* `view.leave`: the user goes, the session stays, also one that the view owns. */
void view_leave_call(struct client *client, const json_t *id, const json_t *params);

/* `view.input {data}` and `view.resize {size}` of an attached client. */
void view_input_call(struct client *client, const json_t *id, const json_t *params);
void view_resize_call(struct client *client, const json_t *id, const json_t *params);

#endif
