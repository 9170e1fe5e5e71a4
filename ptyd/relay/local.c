#include "ptyd/relay/local.h"

#include "base/limits.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"

json_t *local_ask(const char *method, json_t *params)
{
    struct rpc rpc = {.fd = -1, .lines = {.limit = LIMIT_ANSWER_BYTES}};
    int64_t until = clock_monotonic_ms() + LIMIT_RELAY_HAND_MS;
    json_t *answer = NULL, *message;
    if (rpc_connect_again(&rpc) < 0) {
        json_decref(params);
        return NULL;
    }
    json_int_t id = rpc_send(&rpc, method, params, until);
    while (!answer && id >= 0 && rpc_wait(&rpc, until, &message) == RPC_CAME) {
        if (json_number(message, "id", -1) == id)
            answer = json_incref(message);
        json_decref(message);
    }
    rpc_close(&rpc);
    return answer;
}
