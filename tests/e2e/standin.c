/* A stand-in for an app-server: it knows the shapes of the protocol that the demo and the ledger's
 * test need and runs no model. Lines of JSON on stdin and stdout.
 *
 * STANDIN_LOG=FILE: each accepted turn's context is appended to FILE, one line, before anybody
 * hears of it. What is to go wrong stands in the turn's own params:
 *   fault: refuse, overload, die-before (accepting), die-after (accepting, unheard),
 *          kill-before, kill-after (the process `victim`, around accepting), ask (a request of its
 *          own with the turn's id, first)
 * A thread/rollback takes turns off its end, as Codex 0.144.6 does, and thread/read lists them.
 * STANDIN_OTHER=success, error or garbage: it knows no kinds of context, and answers a turn that
 * has a bad one so; it knows no thread/inject_items. Without: it answers as Codex 0.169.0 does. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void answer(const json_t *id, const char *what, json_t *value)
{
    json_t *message = json_pack("{s:O, s:o}", "id", id, what, value);
    json_dumpf(message, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    json_decref(message);
}

static void refuse(const json_t *id, int code, const char *text)
{
    answer(id, "error", json_pack("{s:i, s:s}", "code", code, "message", text));
}

/* As old servers do: with all the methods they know. */
static void refuse_listing(const json_t *id)
{
    char text[2048] = "Invalid request: unknown variant `thread/inject_items`, expected one of ";
    size_t len = strlen(text);
    memset(text + len, 'x', sizeof text - len - 1);
    refuse(id, -32600, text);
}

static int has_bad_kind(const json_t *context)
{
    const char *key;
    json_t *entry;
    json_object_foreach((json_t *)context, key, entry) {
        const char *kind = json_string_value(json_object_get(entry, "kind"));
        if (!kind || (strcmp(kind, "application") && strcmp(kind, "untrusted")))
            return 1;
    }
    return 0;
}

/* How a server that is not Codex may answer what it does not know. */
static void answer_otherwise(const json_t *id, const char *how)
{
    if (!strcmp(how, "success"))
        answer(id, "result", json_pack("{s:{s:s}}", "turn", "id", "turn-0"));
    else if (!strcmp(how, "error"))
        refuse(id, -32603,
               "Internal error: quota, `untrusted` or not, is used up: unknown variant");
    else
        answer(id, "garbage", json_pack("[n, s]", "unknown variant `bogus`"));
}

/* One write, so that a kill leaves no half of it. */
static void accept_turn(const json_t *params)
{
    const char *path = getenv("STANDIN_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    const json_t *context = json_object_get(params, "additionalContext");
    const char *fault = json_string_value(json_object_get(params, "fault"));
    if (!log)
        return;
    json_t *line = json_pack("{s:s, s:O*, s:O*}", "fault", fault ? fault : "", "context", context,
                             "input", json_object_get(params, "input"));
    char *text = json_dumps(line, JSON_COMPACT);
    setvbuf(log, NULL, _IOFBF, strlen(text) + 2);
    fprintf(log, "%s\n", text);
    fclose(log);
    free(text);
    json_decref(line);
}

static json_t *turns; /* ids */

static void start_turn(const json_t *id, const json_t *params)
{
    static long started;
    const json_t *fault_member = json_object_get(params, "fault");
    const char *fault = json_string_value(fault_member) ? json_string_value(fault_member) : "";
    pid_t victim = (pid_t)json_integer_value(json_object_get(params, "victim"));
    if (has_bad_kind(json_object_get(params, "additionalContext"))) {
        if (getenv("STANDIN_OTHER"))
            answer_otherwise(id, getenv("STANDIN_OTHER"));
        else
            refuse(id, -32600,
                   "Invalid request: unknown variant `bogus`, expected `untrusted` or "
                   "`application`");
        return;
    }
    if (!strcmp(fault, "ask"))
        answer(id, "method", json_string("item/tool/call"));
    if (!strcmp(fault, "refuse") || !strcmp(fault, "overload")) {
        refuse(id, *fault == 'o' ? -32001 : -32600, fault);
        return;
    }
    if (!strcmp(fault, "die-before"))
        raise(SIGKILL);
    if (!strcmp(fault, "kill-before"))
        kill(victim, SIGKILL);
    accept_turn(params);
    if (!strcmp(fault, "die-after"))
        raise(SIGKILL);
    if (!strcmp(fault, "kill-after"))
        kill(victim, SIGKILL);
    answer(id, "result",
           json_pack("{s:{s:o, s:s}}", "turn", "id", json_sprintf("turn-%ld", ++started), "status",
                     "inProgress"));
    json_array_append_new(turns, json_sprintf("turn-%ld", started));
    printf("{\"method\":\"turn/completed\",\"params\":{\"turn\":{\"id\":\"turn-%ld\",\"status\":"
           "\"completed\"}}}\n",
           started);
    fflush(stdout);
}

static void tell_turns(const json_t *id, const json_t *params)
{
    const char *thread = json_string_value(json_object_get(params, "threadId"));
    json_t *list = json_array(), *turn;
    size_t i;
    json_array_foreach(turns, i, turn)
        json_array_append_new(list, json_pack("{s:O}", "id", turn));
    answer(id, "result",
           json_pack("{s:{s:s, s:o}}", "thread", "id", thread ? thread : "", "turns", list));
}

static void roll_back(const json_t *id, const json_t *params)
{
    json_int_t count = json_integer_value(json_object_get(params, "numTurns"));
    for (; count > 0 && json_array_size(turns); count--)
        json_array_remove(turns, json_array_size(turns) - 1);
    tell_turns(id, params);
}

/* The thread is called as the client wishes. */
static void start_thread(const json_t *id, const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    answer(id, "result",
           json_pack("{s:{s:s, s:b}}", "thread", "id", name ? name : "stand-in-thread", "ephemeral",
                     0));
}

int main(void)
{
    json_t *message;
    json_error_t error;
    turns = json_array();
    while ((message = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, &error))) {
        const json_t *id = json_object_get(message, "id");
        const char *method = json_string_value(json_object_get(message, "method"));
        if (!id || !method)
            ; /* a notification */
        else if (!strcmp(method, "turn/start"))
            start_turn(id, json_object_get(message, "params"));
        else if (!strcmp(method, "thread/start") || !strcmp(method, "thread/resume"))
            start_thread(id, json_object_get(message, "params"));
        else if (!strcmp(method, "thread/rollback"))
            roll_back(id, json_object_get(message, "params"));
        else if (!strcmp(method, "thread/read"))
            tell_turns(id, json_object_get(message, "params"));
        else if (getenv("STANDIN_OTHER") && !strcmp(method, "thread/inject_items"))
            refuse_listing(id);
        else
            answer(id, "result", json_object());
        json_decref(message);
    }
    return 0;
}
