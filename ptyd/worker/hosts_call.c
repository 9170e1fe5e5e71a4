/* The methods `host.*`. */
#include <errno.h>
#include <string.h>

#include "ptyd/core/block.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/hosts.h"

void hosts_block_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    struct block *offered = NULL;
    json_t *answer = NULL;
    int result = hosts_take(w->hosts, params, worker_conf(w), &answer, &offered);
    if (offered)
        follow_pending(w, offered);
    block_unref(offered);
    if (result == 0)
        client_reply(client, id, answer);
    else if (result == -EINVAL)
        client_fail(client, id, RPC_INVALID_PARAMS, "that is no block of another host");
    else
        client_fail(client, id, RPC_FAILED, "it cannot be kept: %s", strerror(-result));
}

void hosts_list_call(struct client *client, const json_t *id, const json_t *params)
{
    (void)params;
    client_reply(client, id, hosts_json(client_worker(client)->hosts));
}
