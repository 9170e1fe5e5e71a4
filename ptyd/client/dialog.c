#include "ptyd/client/dialog.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"

int dialog_open(struct dialog *d, const struct cli *cli, int wait_ms)
{
    *d = (struct dialog){.cli = cli, .until = -1, .cols = LIMIT_COLS_DEFAULT};
    d->connected = rpc_connect(&d->rpc, false, wait_ms) == 0;
    return d->connected ? 0 : -1;
}

void dialog_close(struct dialog *d)
{
    if (d->connected)
        rpc_close(&d->rpc);
    d->connected = false;
}

/* ---- looking ---- */

int64_t dialog_until(const struct dialog *d, int wait_ms)
{
    int64_t until = clock_monotonic_ms() + wait_ms, last = d->until + LIMIT_RUN_GRACE_MS;
    return d->until >= 0 && last < until ? last : until;
}

static enum rpc_wait ask_once(struct dialog *d, const char *method, json_t *params, int64_t until,
                              json_t **ret_answer)
{
    int64_t soon = clock_monotonic_ms() + LIMIT_ANSWER_MS;
    json_int_t id = rpc_send(&d->rpc, method, json_incref(params), soon);
    enum rpc_wait end = id > 0 ? RPC_CAME : RPC_LOST;
    while (end == RPC_CAME && (end = rpc_wait(&d->rpc, until, ret_answer)) == RPC_CAME) {
        if (rpc_is_answer(*ret_answer, id))
            return RPC_CAME;
        json_decref(*ret_answer);
    }
    *ret_answer = NULL;
    return end;
}

static enum rpc_wait lose(struct dialog *d)
{
    d->late = d->until >= 0 && clock_monotonic_ms() >= d->until;
    if (d->late)
        say("the daemon went away; `ptyd status` shows its state");
    else
        say("the daemon went away and did not come back within %d s; `ptyd status` shows its state",
            LIMIT_RECONNECT_MS / 1000);
    return RPC_LOST;
}

static void say_losing(struct rpc *rpc)
{
    if (!rpc->said_silent && rpc_is_losing(rpc)) {
        rpc->said_silent = true;
        say("no answer from the daemon yet; waiting for it");
    }
}

enum rpc_wait dialog_ask(struct dialog *d, const char *method, json_t *params, int64_t until,
                         json_t **ret_result)
{
    json_t *answer = NULL;
    enum rpc_wait end;
    json_object_set_new(params, "name", json_string(d->cli->session));
    while ((end = ask_once(d, method, params, until, &answer)) == RPC_LOST) {
        if (until >= 0 && clock_monotonic_ms() >= until)
            end = RPC_LATE; /* whoever listens there closes each */
        else if (rpc_reconnect(&d->rpc, dialog_until(d, LIMIT_RECONNECT_MS)) < 0)
            end = lose(d);
        else
            say_losing(&d->rpc);
        if (end != RPC_LOST || d->rpc.fd < 0)
            break;
    }
    json_decref(params);
    if (end != RPC_CAME)
        return end;
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    if (error)
        say("%s", error);
    else
        *ret_result = json_incref(json_object_get(answer, "result"));
    json_decref(answer);
    return error ? RPC_LOST : RPC_CAME;
}

void dialog_say_late(struct dialog *d)
{
    d->late = d->until >= 0 && clock_monotonic_ms() >= d->until;
    say("the daemon does not answer; `ptyd status` says more");
}

int dialog_look(struct dialog *d)
{
    json_t *state = NULL;
    int64_t until = dialog_until(d, LIMIT_ANSWER_MS);
    enum rpc_wait end = dialog_ask(d, "session.wait", json_object(), until, &state);
    if (end == RPC_LATE)
        dialog_say_late(d);
    if (end != RPC_CAME)
        return -1;
    d->now = (uint64_t)json_number(state, "to", 0);
    d->end = (uint64_t)json_number(state, "end", 0);
    d->cols = (int)json_number(state, "cols", LIMIT_COLS_DEFAULT);
    d->modes = (struct key_modes){.cursor_keys = json_flag(state, "cursor_keys"),
                                  .bracketed_paste = json_flag(state, "bracketed_paste")};
    json_decref(state);
    return 0;
}

/* ---- typing ---- */

/* What is to be typed, and for how long. */
struct sending {
    struct dialog *dialog;
    const struct bytes *input;
    double timeout; /* seconds; 0 for none */
    int64_t until;  /* monotonic ms; -1 for ever */
    json_int_t token;
};

/* Nothing is typed again: whoever reads the session may have it already. */
static int say_what_is_known(const struct sending *s)
{
    size_t len = s->input->len;
    char *error = NULL;
    struct rpc *rpc = &s->dialog->rpc;
    json_t *known = NULL;
    if (rpc->fd >= 0 || rpc_reconnect(rpc, clock_monotonic_ms() + LIMIT_RECONNECT_MS) == 0)
        known = rpc_ask(rpc, "session.typed",
                        json_pack("{s:s, s:I}", "name", s->dialog->cli->session, "token", s->token),
                        LIMIT_ANSWER_MS, &error);
    json_int_t typed = json_number(known, "typed", 0), doubt = json_number(known, "in_doubt", 0);
    if (error)
        say("%s", error);
    free(error);
    if (!known)
        say("the daemon's worker died: %zu bytes may or may not have been typed; nothing was typed "
            "again",
            len);
    else if ((size_t)typed == len)
        say("the daemon's worker died, but all %zu bytes were typed", len);
    else if (doubt)
        say("the daemon's worker died: of %zu bytes %lld were typed, %lld more may or may not have "
            "been; nothing was typed again",
            len, (long long)typed, (long long)doubt);
    else
        say("the daemon's worker died: of %zu bytes %lld were typed, the rest was not", len,
            (long long)typed);
    json_decref(known);
    return (size_t)typed == len ? EXIT_OK : EXIT_FAILED;
}

static json_t *params_of(const struct sending *s)
{
    struct bytes data = {0};
    base64_encode(s->input->data, s->input->len, &data);
    json_t *params = json_pack("{s:s, s:s, s:I}", "name", s->dialog->cli->session, "data",
                               data.data, "token", s->token);
    int64_t left = s->until - clock_monotonic_ms();
    if (s->until >= 0)
        json_object_set_new(params, "timeout_ms", json_integer(left > 0 ? left : 1));
    bytes_finish(&data);
    return params;
}

/* The daemon watches the time; one that does not say how it stands is not waited for much longer.
 * *ret_answer is a new reference, or NULL. */
static enum rpc_wait ask_to_type(const struct sending *s, json_t **ret_answer)
{
    struct rpc *rpc = &s->dialog->rpc;
    int64_t last = s->until < 0 ? -1 : s->until + LIMIT_RUN_GRACE_MS;
    int64_t soon = clock_monotonic_ms() + LIMIT_ANSWER_MS;
    json_int_t id =
        rpc_send(rpc, "session.input", params_of(s), last >= 0 && last < soon ? last : soon);
    enum rpc_wait end = id > 0 ? RPC_CAME : RPC_LOST;
    while (end == RPC_CAME && (end = rpc_wait(rpc, last, ret_answer)) == RPC_CAME) {
        if (rpc_is_answer(*ret_answer, id))
            return RPC_CAME;
        json_decref(*ret_answer);
    }
    *ret_answer = NULL;
    return end;
}

static int finish(const struct sending *s, const json_t *answer)
{
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    if (!error)
        return EXIT_OK;
    say("%s", error);
    return s->until >= 0 && clock_monotonic_ms() >= s->until ? EXIT_TIMEOUT : EXIT_FAILED;
}

int dialog_type(struct dialog *d, const struct bytes *input, double timeout, uint64_t *ret_from)
{
    struct sending s = {
        .dialog = d, .input = input, .timeout = timeout, .until = -1, .token = request_new_token()};
    json_t *answer;
    int status;
    if (timeout > 0)
        s.until = clock_monotonic_ms() + (int64_t)(timeout * 1000);
    enum rpc_wait end = ask_to_type(&s, &answer);
    if (end == RPC_CAME)
        status = finish(&s, answer);
    else if (end == RPC_LATE)
        status = say_fail(EXIT_TIMEOUT,
                          "the daemon does not answer: after %g s %zu bytes may or may not have "
                          "been typed",
                          timeout, input->len);
    else
        status = say_what_is_known(&s);
    /* Where that is not known: where it stood when it was looked at before. */
    if (status == EXIT_OK)
        *ret_from = (uint64_t)json_number(json_at(answer, "result"), "from", (json_int_t)d->now);
    json_decref(answer);
    return status;
}
