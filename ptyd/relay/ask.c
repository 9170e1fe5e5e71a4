#include "ptyd/relay/ask.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/subject.h"

#define TOO_LARGE 10054 /* nats-server, server/errors.json: JSStreamMessageExceedsMaximumErr */

/* Which of them comes where a stream is missing is the server's: 2.9 lets a service of another
 * account wait, 2.10 says that there is none. */
static const char late[] = "there is no answer in time", nobody[] = "nobody answers there";

static json_t *error_json(const char *why)
{
    return json_pack("{s:{s:s+}}", "error", "description", why, "");
}

/* Whether that ends the wait; *ret_why then says why it is no answer (a new string). */
static bool ends_wait(const struct hub_message *m, const char *name, char **ret_why)
{
    bool is_answer = m->kind == HUB_ANSWER && !strcmp(m->subject, name);
    if (is_answer && m->status == 503)
        *ret_why = text_copy(nobody);
    else if (m->kind == HUB_REFUSED || m->kind == HUB_LOST)
        *ret_why = text_copy(m->data);
    return is_answer || *ret_why;
}

static unsigned asked;

/* At an address of that name. */
static struct hub_message *ask_at(struct hub *hub, const char *name, const char *subject,
                                  const char *text, const char *id, int wait_ms, char **ret_why)
{
    int64_t until = clock_monotonic_ms() + wait_ms, left;
    const char *why = hub_publish(hub, subject, name, id, text, strlen(text));
    struct hub_message *m = NULL;
    *ret_why = why ? text_copy(why) : NULL;
    while (!*ret_why && (left = until - clock_monotonic_ms()) > 0) {
        struct pollfd fd = {.fd = hub_fd(hub), .events = POLLIN};
        m = hub_next(hub);
        if (!m)
            poll(&fd, 1, (int)left);
        else if (ends_wait(m, name, ret_why) && !*ret_why)
            break;
        hub_message_free(m);
        m = NULL;
    }
    if (!m && !*ret_why)
        *ret_why = text_copy(late);
    return m;
}

struct hub_message *ask_host_message(struct hub *hub, const char *host_id, const char *subject,
                                     const char *text, int wait_ms, char **ret_why)
{
    char *name = subject_answer(host_id, ++asked);
    struct hub_message *m = ask_at(hub, name, subject, text, NULL, wait_ms, ret_why);
    free(name);
    return m;
}

json_t *ask_hub_text(struct hub *hub, const char *subject, const char *text, const char *id,
                     int wait_ms)
{
    char *why, *name = text_format("a.%u", ++asked);
    struct hub_message *m = ask_at(hub, name, subject, text, id, wait_ms, &why);
    json_t *answer = m ? json_loadb(m->data, m->len, 0, NULL) : NULL;
    if (!answer)
        answer = error_json(why ? why : "the answer is no JSON");
    hub_message_free(m);
    free(name);
    free(why);
    return answer;
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

bool ask_is_too_large(const json_t *answer)
{
    return json_number(json_at(answer, "error"), "err_code", 0) == TOO_LARGE;
}

const char *ask_hub_hint(const char *error)
{
    if (!strcmp(error, nobody))
        return ": its owner has yet to make what it needs (`ptyd relay hub --init`)";
    if (!strcmp(error, late))
        return ": its owner has yet to make what it needs (`ptyd relay hub --init`), or it stands "
               "still, or its disk is full";
    return "";
}
