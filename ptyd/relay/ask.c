#include "ptyd/relay/ask.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

static json_t *error_json(const char *why)
{
    return json_pack("{s:{s:s+}}", "error", "description", why, "");
}

static json_t *read_answer(const struct hub_message *m)
{
    if (m->status == 503)
        return error_json("nobody answers there");
    json_t *answer = json_loadb(m->data, m->len, 0, NULL);
    return answer ? answer : error_json("the answer is no JSON");
}

/* NULL: that was not it. */
static json_t *hear(const struct hub_message *m, const char *name)
{
    if (m->kind == HUB_ANSWER && !strcmp(m->subject, name))
        return read_answer(m);
    if (m->kind == HUB_REFUSED || m->kind == HUB_LOST)
        return error_json(m->data);
    return NULL;
}

json_t *ask_hub_text(struct hub *hub, const char *subject, const char *text, const char *id,
                     int wait_ms)
{
    static unsigned asked;
    int64_t until = clock_monotonic_ms() + wait_ms, left;
    char *name = text_format("a.%u", ++asked);
    const char *why = hub_publish(hub, subject, name, id, text, strlen(text));
    json_t *answer = why ? error_json(why) : NULL;
    while (!answer && (left = until - clock_monotonic_ms()) > 0) {
        struct hub_message *m = hub_next(hub);
        struct pollfd fd = {.fd = hub_fd(hub), .events = POLLIN};
        if (m)
            answer = hear(m, name);
        else
            poll(&fd, 1, (int)left);
        hub_message_free(m);
    }
    free(name);
    return answer ? answer : error_json("there is no answer in time");
}

json_t *ask_hub(struct hub *hub, const char *subject, json_t *question, int wait_ms)
{
    char *text = question ? json_dumps(question, JSON_COMPACT) : NULL;
    json_t *answer = ask_hub_text(hub, subject, text ? text : "", NULL, wait_ms);
    free(text);
    json_decref(question);
    return answer;
}

const char *ask_error(const json_t *answer)
{
    return json_text(json_at(answer, "error"), "description", NULL);
}
