#define _GNU_SOURCE
#include "ptyd/client/request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

extern char **environ;

/* Connected, asks and disconnects. */
static json_t *ask(struct rpc *rpc, const char *method, json_t *params)
{
    json_t *result = rpc_call(rpc, method, params, LIMIT_ANSWER_MS);
    rpc_close(rpc);
    return result;
}

json_t *request_once(const struct cli *cli, bool start, const char *method, json_t *params)
{
    struct rpc rpc;
    if (rpc_connect(&rpc, start && !cli->no_start, LIMIT_START_MS) == 0)
        return ask(&rpc, method, params);
    json_decref(params);
    return NULL;
}

int request_connect_to_look(struct rpc *ret_rpc)
{
    int64_t until = clock_monotonic_ms() + LIMIT_LOOK_MS;
    if (rpc_connect(ret_rpc, false, LIMIT_LOOK_MS) < 0)
        return -1;
    int64_t left = until - clock_monotonic_ms();
    ret_rpc->silence_ms = left > 1 ? (int)left : 1;
    return 0;
}

json_t *request_look(const char *method, json_t *params)
{
    struct rpc rpc;
    if (request_connect_to_look(&rpc) == 0)
        return ask(&rpc, method, params);
    json_decref(params);
    return NULL;
}

json_int_t request_new_token(void)
{
    uint64_t token = 0;
    if (getrandom(&token, sizeof token, 0) != sizeof token)
        token = (uint64_t)clock_monotonic_ms() << 22 ^ (uint64_t)getpid();
    return (json_int_t)(token >> 2) + 1;
}

/* JSON holds UTF-8 alone: a variable that is none is left out. One that is far too large for a
 * session is not sent whole: the daemon says so of what comes. */
static json_t *environment(void)
{
    json_t *env = json_object();
    size_t sent = 0;
    for (char **at = environ; *at && sent < LIMIT_ENVIRONMENT_BYTES * 3 / 2; at++) {
        const char *equals = strchr(*at, '=');
        size_t len = strlen(*at);
        if (!equals || equals == *at || !utf8_valid(*at, len))
            continue;
        char *name = text_format("%.*s", (int)(equals - *at), *at);
        json_object_set_new(env, name, json_string(equals + 1));
        sent += len + 1;
        free(name);
    }
    return env;
}

char *request_command(char *const *words)
{
    struct bytes line = {0};
    for (char *const *at = words; *at; at++)
        cli_text("COMMAND", *at);
    if (!words[1])
        return text_copy(words[0]);
    for (char *const *at = words; *at; at++) {
        char *word = text_shell_quote(*at);
        bytes_printf(&line, "%s%s", at > words ? " " : "", word);
        free(word);
    }
    return line.data;
}

/* A worker from before cwd_base64 takes cwd alone, and / without it: of a name that is no UTF-8 cwd
 * is no directory, which it says. */
void request_set_directory(json_t *params, const char *path)
{
    struct bytes encoded = {0};
    size_t len = strlen(path);
    char *text = text_clean(path, len, len * 3);
    json_object_set_new(params, "cwd", json_string(text));
    json_object_del(params, "cwd_base64");
    if (!utf8_valid(path, len)) {
        base64_encode(path, len, &encoded);
        json_object_set_new(params, "cwd_base64", json_string(encoded.data));
    }
    bytes_finish(&encoded);
    free(text);
}

json_t *request_open_params(const char *name)
{
    char cwd[LIMIT_CWD_BYTES];
    mode_t mask = umask(0);
    umask(mask);
    json_t *params =
        json_pack("{s:s*, s:o, s:i}", "name", name, "env", environment(), "umask", (int)mask);
    request_set_directory(params, getcwd(cwd, sizeof cwd) ? cwd : "/");
    return params;
}

struct view_size request_terminal_size(void)
{
    struct winsize size = {0};
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
        size = (struct winsize){0};
    return (struct view_size){.cols = size.ws_col ? size.ws_col : LIMIT_COLS_DEFAULT,
                              .rows = size.ws_row ? size.ws_row : LIMIT_ROWS_DEFAULT,
                              .x_pixels = size.ws_xpixel,
                              .y_pixels = size.ws_ypixel};
}

json_t *request_size_json(struct view_size size)
{
    json_t *json = json_pack("{s:i, s:i}", "cols", size.cols, "rows", size.rows);
    if (size.x_pixels && size.y_pixels)
        json_object_update_new(
            json, json_pack("{s:i, s:i}", "x_pixels", size.x_pixels, "y_pixels", size.y_pixels));
    return json;
}

json_t *request_size_of(const char *text)
{
    int cols, rows;
    if (!text_parse_size(text, &cols, &rows))
        cli_usage("size '%s' is not COLSxROWS, like 80x24", text);
    if (limit_size(cols) != cols || limit_size(rows) != rows)
        say("size %dx%d clamped to %dx%d", cols, rows, limit_size(cols), limit_size(rows));
    return request_size_json(
        (struct view_size){.cols = (uint16_t)limit_size(cols), .rows = (uint16_t)limit_size(rows)});
}
