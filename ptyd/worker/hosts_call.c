/* The methods `host.*`. */
#include <errno.h>
#include <string.h>

#include "ptyd/core/block.h"
#include "ptyd/worker/follow.h"
#include "ptyd/worker/hosts.h"

/* As hosts_take(). */
static int take(struct worker *w, const json_t *params, const struct conf *conf,
                json_t **ret_answer)
{
    struct block *offered = NULL;
    int result = hosts_take(w->hosts, params, conf, ret_answer, &offered);
    if (offered)
        follow_pending(w, offered);
    block_unref(offered);
    return result;
}

void hosts_block_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    json_t *answer = NULL;
    int result = take(w, params, worker_conf(w), &answer);
    hosts_settle(w->hosts);
    if (result == 0)
        client_reply(client, id, answer);
    else if (result == -EINVAL)
        client_fail(client, id, RPC_INVALID_PARAMS, "that is no block of another host");
    else
        client_fail(client, id, RPC_FAILED, "it cannot be kept: %s", strerror(-result));
}

/* One that cannot be kept ends it: what is behind it would overtake it. */
void hosts_blocks_call(struct client *client, const json_t *id, const json_t *params)
{
    struct worker *w = client_worker(client);
    json_t *results = json_array();
    const json_t *one;
    size_t i;
    int result = 0;
    const struct conf *conf = worker_conf(w);
    conf_hold(w->options->conf, true);
    json_array_foreach(json_object_get(params, "blocks"), i, one) {
        json_t *answer = NULL;
        result = take(w, one, conf, &answer);
        if (result < 0 && result != -EINVAL)
            break;
        json_array_append_new(results,
                              answer ? answer : json_pack("{s:b, s:s}", "taken", 0, "why", "none"));
        result = 0;
    }
    conf_hold(w->options->conf, false);
    hosts_settle(w->hosts);
    client_reply(client, id,
                 json_pack("{s:o, s:s?}", "results", results, "error",
                           result < 0 ? strerror(-result) : NULL));
}

void hosts_list_call(struct client *client, const json_t *id, const json_t *params)
{
    (void)params;
    client_reply(client, id, hosts_json(client_worker(client)->hosts));
}
