#include "ptyd/relay/serve.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/local.h"

static json_t *refuse(const char *why)
{
    return json_pack("{s:i, s:s}", "v", 1, "error", why);
}

static void copy(const json_t *from, json_t *to, const char *name)
{
    json_t *value = json_object_get(from, name);
    if (value)
        json_object_set(to, name, value);
}

/* What is passed on is what is known, and the daemon checks each. */
static json_t *output(const json_t *request)
{
    json_t *params = json_pack("{s:b}", "agent", 1);
    copy(request, params, "block");
    copy(request, params, "offset");
    copy(request, params, "limit");
    copy(request, params, "grep");
    json_object_set(params, "name", json_object_get(request, "session"));
    json_t *answer = local_ask("session.output", params);
    json_t *result = json_at(answer, "result");
    json_t *reply =
        json_is_object(result)
            ? json_pack("{s:i, s:O}", "v", 1, "result", result)
            : refuse(json_text(json_at(answer, "error"), "message", "no daemon runs on that host"));
    json_decref(answer);
    return reply;
}

json_t *serve_answer(const json_t *request, bool outputs)
{
    if (json_number(request, "v", 0) != 1 || strcmp(json_text(request, "op", ""), "output") != 0)
        return refuse("that host does not know this request");
    if (!outputs)
        return refuse("that host keeps its outputs to itself; `ptyd relay enable --outputs` there "
                      "lets your other hosts ask for them");
    if (!text_is_name(json_text(request, "session", "")))
        return refuse("that is no session's name");
    return output(request);
}
