#define _GNU_SOURCE
#include "ptyd/command/rpc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* The daemon goes its own way: own session, no terminal, its messages in a file. */
static _Noreturn void become_daemon(const char *log)
{
    setsid();
    int null = open("/dev/null", O_RDWR);
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
    dup2(null, 0);
    dup2(null, 1);
    dup2(out >= 0 ? out : null, 2);
    close_range(3, ~0u, 0);
    if (chdir("/") == 0)
        execl("/proc/self/exe", "ptyd", "serve", "--auto", (char *)NULL);
    _exit(127);
}

static int start_daemon(const char *socket_path)
{
    char *directory = paths_parent(socket_path);
    char *log = text_format("%s/ptyd.log", directory);
    int result = file_make_private_directory(directory);
    pid_t pid = result < 0 ? -1 : fork();
    if (pid == 0) {
        if (fork() == 0)
            become_daemon(log);
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
    free(directory);
    free(log);
    return result < 0 ? result : pid < 0 ? -errno : 0;
}

static int wait_for_daemon(const char *path)
{
    int fd = -ENOENT;
    for (int waited = 0; waited < LIMIT_START_MS; waited += 10) {
        fd = local_socket_connect(path, LIMIT_START_MS);
        if (fd >= 0)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return fd;
}

static int say_failure(const char *path, int error, bool start)
{
    char *directory = paths_parent(path);
    if (error == -EPERM)
        say("the directory %s is not yours alone; remove it or set PTYD_SOCKET", directory);
    else if (start)
        say("the daemon did not start; %s/ptyd.log says why", directory);
    else if (error == -ENOENT || error == -ECONNREFUSED)
        say("no daemon runs at %s; `ptyd open NAME` starts it", path);
    else
        say("cannot connect to %s: %s", path, strerror(-error));
    free(directory);
    return -1;
}

int rpc_connect(struct rpc *ret_rpc, bool start)
{
    char *path = paths_socket();
    int fd = local_socket_connect(path, LIMIT_START_MS);
    signal(SIGPIPE, SIG_IGN);
    if ((fd == -ENOENT || fd == -ECONNREFUSED) && start) {
        int result = start_daemon(path);
        fd = result < 0 ? result : wait_for_daemon(path);
    }
    int result = fd >= 0 ? 0 : say_failure(path, fd, start);
    free(path);
    if (result == 0)
        *ret_rpc = (struct rpc){.fd = fd, .lines = {.limit = LIMIT_ANSWER_BYTES}};
    return result;
}

void rpc_close(struct rpc *rpc)
{
    close(rpc->fd);
    lines_finish(&rpc->lines);
}

json_int_t rpc_send(struct rpc *rpc, const char *method, json_t *params)
{
    json_int_t id = ++rpc->next_id;
    json_t *request = json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method",
                                method, "params", params);
    char *text = json_dumps(request, JSON_COMPACT);
    char *line = text_format("%s\n", text ? text : "");
    int result = file_write_all(rpc->fd, line, strlen(line), -1);
    json_decref(request);
    free(text);
    free(line);
    return result < 0 ? -1 : id;
}

int rpc_fill(struct rpc *rpc)
{
    char chunk[1 << 16];
    ssize_t n;
    while ((n = read(rpc->fd, chunk, sizeof chunk)) < 0 && errno == EINTR)
        ;
    if (n <= 0)
        return 0;
    lines_add(&rpc->lines, chunk, (size_t)n);
    return 1;
}

json_t *rpc_next(struct rpc *rpc)
{
    char *line;
    size_t len;
    while (lines_next(&rpc->lines, &line, &len) > 0) {
        json_t *message = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
        if (json_is_object(message))
            return message;
        json_decref(message);
    }
    return NULL;
}

/* Says why the daemon hangs up, when that is what the message is for. */
static bool say_closing(const json_t *message)
{
    bool closing = !strcmp(json_text(message, "method", ""), "closing");
    if (closing)
        say("%s", json_text(json_at(message, "params"), "message", "the daemon hangs up"));
    return closing;
}

/* The same for one that hung up before it was asked. */
static bool say_hung_up(struct rpc *rpc)
{
    bool said = false;
    do {
        json_t *message;
        while ((message = rpc_next(rpc))) {
            said = say_closing(message) || said;
            json_decref(message);
        }
    } while (rpc_fill(rpc));
    return said;
}

/* Handles one message; true when it is the reply. */
static bool take_message(json_t *message, json_int_t id, rpc_notification *each, void *user,
                         json_t **ret_result)
{
    const char *method = json_text(message, "method", NULL);
    if (method && each)
        each(user, method, json_object_get(message, "params"));
    if (method || json_number(message, "id", 0) != id)
        return false;
    const char *error = json_text(json_at(message, "error"), "message", NULL);
    *ret_result = error ? NULL : json_incref(json_object_get(message, "result"));
    if (error)
        say("%s", error);
    return true;
}

json_t *rpc_call(struct rpc *rpc, const char *method, json_t *params, rpc_notification *each,
                 void *user)
{
    json_t *result = NULL;
    json_int_t id = rpc_send(rpc, method, params);
    for (bool done = false; id > 0 && !done;) {
        json_t *message = rpc_next(rpc);
        if (!message) {
            if (!rpc_fill(rpc))
                id = -1;
            continue;
        }
        done = take_message(message, id, each, user, &result);
        bool closing = !done && say_closing(message);
        json_decref(message);
        if (closing)
            return NULL;
    }
    if (id < 0 && !say_hung_up(rpc))
        say("the daemon went away before it answered; `ptyd status` shows its state");
    return result;
}
