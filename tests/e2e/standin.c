/* A stand-in for an app-server: it knows the shapes of the protocol that the demo needs and runs no
 * model. Lines of JSON on stdin and stdout. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void answer(const json_t *id, const char *what, json_t *value)
{
    json_t *message = json_pack("{s:O, s:o}", "id", id, what, value);
    json_dumpf(message, stdout, JSON_COMPACT);
    putchar('\n');
    fflush(stdout);
    json_decref(message);
}

static void start_turn(const json_t *id, const json_t *params)
{
    const json_t *context = json_object_get(params, "additionalContext");
    const char *key;
    json_t *entry;
    json_object_foreach((json_t *)context, key, entry)
    {
        const char *kind = json_string_value(json_object_get(entry, "kind"));
        if (!kind || (strcmp(kind, "application") && strcmp(kind, "untrusted"))) {
            answer(id, "error",
                   json_pack(
                       "{s:i, s:s}", "code", -32600, "message",
                       "Invalid request: unknown variant, expected `untrusted` or `application`"));
            return;
        }
    }
    answer(id, "result",
           json_pack("{s:{s:s, s:s}}", "turn", "id", "turn-1", "status", "inProgress"));
    puts("{\"method\":\"turn/"
         "completed\",\"params\":{\"turn\":{\"id\":\"turn-1\",\"status\":\"completed\"}}}");
    fflush(stdout);
}

int main(void)
{
    json_t *message;
    while ((message = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, NULL))) {
        const json_t *id = json_object_get(message, "id");
        const char *method = json_string_value(json_object_get(message, "method"));
        if (!id || !method)
            ; /* a notification */
        else if (!strcmp(method, "turn/start"))
            start_turn(id, json_object_get(message, "params"));
        else if (!strcmp(method, "thread/start"))
            answer(id, "result",
                   json_pack("{s:{s:s, s:b}}", "thread", "id", "stand-in-thread", "ephemeral", 0));
        else
            answer(id, "result", json_object());
        json_decref(message);
    }
    return 0;
}
