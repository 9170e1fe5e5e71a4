/* Where codex itself serves, the control socket is a link to one elsewhere (/tmp/codex-daemon-UID),
 * which a server that was killed leaves behind; a proxy's is the socket itself. */
#define _GNU_SOURCE
#include "ptyd/proxy/managed.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/local_socket.h"
#include "ptyd/core/proc.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/address.h"
#include "ptyd/proxy/child.h"

#define NOTE                                                                                       \
    "ptyd stopped codex's managed daemon, which served here; `ptyd disable codex` starts it "      \
    "again.\n"
#define STEP_MS 200 /* between two words of progress */

/* ---- codex's own command ---- */

/* What `codex app-server daemon VERB` said, both outputs of it. Returns its exit status; -1 where
 * it could not be run, after a message, or not in time. */
static int run_codex(const char *codex, const char *verb, struct bytes *said)
{
    char *argv[] = {(char *)"/bin/sh",
                    (char *)"-c",
                    (char *)"exec \"$0\" app-server daemon \"$1\" 2>&1 </dev/null",
                    (char *)codex,
                    (char *)verb,
                    NULL};
    struct child child;
    struct progress progress = progress_begin("waiting for codex");
    long long deadline = clock_monotonic_ms() + LIMIT_CODEX_COMMAND_MS;
    if (child_start(argv, true, &child) != 0)
        return -1;
    for (bool more = true; more && clock_monotonic_ms() < deadline;) {
        struct pollfd fds[] = {{.fd = child.out, .events = POLLIN},
                               {.fd = child.pidfd, .events = POLLIN}};
        if (poll(fds, 2, STEP_MS) < 0 && errno != EINTR)
            break;
        progress_say(&progress, "app-server daemon %s", verb);
        char chunk[4096];
        ssize_t n = 0;
        while (fds[0].revents && (n = read(child.out, chunk, sizeof chunk)) < 0 && errno == EINTR)
            ;
        if (n > 0 && said->len < LIMIT_REQUEST_BYTES)
            bytes_append(said, chunk, (size_t)n);
        more = fds[0].revents ? n > 0 : !fds[1].revents; /* what it started may keep the pipe */
    }
    progress_clear(&progress);
    bool late = clock_monotonic_ms() >= deadline;
    if (late)
        kill(child.pid, SIGTERM);
    int status = child_wait(&child);
    return late || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

/* The line of what it said that is JSON with a `status`; of it that status. New string or NULL. */
static char *status_of(const struct bytes *said)
{
    char *text = said->data ? text_copy(said->data) : text_copy(""), *rest = text, *line;
    char *status = NULL;
    while (!status && (line = strsep(&rest, "\n"))) {
        json_t *json = json_loads(line, 0, NULL);
        const char *word = json_text(json, "status", NULL);
        status = word ? text_copy(word) : NULL;
        json_decref(json);
    }
    free(text);
    return status;
}

/* Its complaint, or the first it said otherwise, fit for a message. New string. */
static char *complaint_of(const struct bytes *said)
{
    const char *text = said->data ? said->data : "", *error = strcasestr(text, "error: ");
    const char *from = error ? error + strlen("Error: ") : text;
    size_t len = strcspn(from, "\n");
    return len ? text_clean(from, len, LIMIT_WORD_BYTES) : text_copy("it gave no answer");
}

/* Runs it and says where it failed. Returns the status it told, a new string, or NULL. */
static char *ask_codex(const char *codex, const char *verb)
{
    struct bytes said = {0};
    int result = run_codex(codex, verb, &said);
    char *status = result == 0 ? status_of(&said) : NULL, *why = complaint_of(&said);
    if (!status)
        say("`%s app-server daemon %s` failed: %s", codex, verb, why);
    free(why);
    bytes_finish(&said);
    return status;
}

/* ---- the control socket ---- */

static char *note_of(const char *socket)
{
    return text_format("%s.before-ptyd", socket);
}

/* A connection to whoever serves the socket, or -1. */
static int connect_there(const char *socket)
{
    char *doubt = NULL;
    int fd = local_socket_connect(socket, false, LIMIT_HTTP_WAIT_MS, &doubt);
    free(doubt);
    return fd;
}

static bool is_served(const char *socket)
{
    int fd = connect_there(socket);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid == geteuid();
}

/* Whether a process was started as ptyd: asked of what all may read of it. */
static bool is_ptyd(pid_t pid)
{
    char words[PATH_MAX];
    return proc_head(pid, "cmdline", words, sizeof words) && proc_is_ptyd(words);
}

pid_t managed_proxy(void)
{
    char *socket = address_codex_socket();
    int fd = connect_there(socket);
    struct ucred peer = {0};
    socklen_t len = sizeof peer;
    if (fd >= 0) {
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || !is_ptyd(peer.pid))
            peer.pid = 0;
        close(fd);
    }
    free(socket);
    return peer.pid;
}

/* ---- stopping, putting back ---- */

static int write_note(const char *socket)
{
    char *note = note_of(socket);
    int result = file_replace(note, NOTE, strlen(NOTE));
    if (result < 0)
        say("cannot write %s: %s; `ptyd disable codex` will not start codex's daemon again", note,
            strerror(-result));
    free(note);
    return result;
}

static int stop_served(const char *codex, const char *socket)
{
    char *status = ask_codex(codex, "stop");
    if (!status)
        return EXIT_FAILED;
    if (!strcmp(status, "stopped")) {
        say("codex's own daemon had %s and was stopped (`codex app-server daemon stop`); `ptyd "
            "disable codex` starts it again",
            socket);
        write_note(socket);
    }
    free(status);
    return EXIT_OK;
}

int managed_stop(const char *codex)
{
    char *socket = address_codex_socket();
    bool served = is_served(socket) && !managed_proxy();
    int status = served ? stop_served(codex, socket) : EXIT_OK;
    if (status == EXIT_OK && is_link(socket) && !is_served(socket)) {
        if (unlink(socket) < 0)
            status = say_fail(EXIT_FAILED, "cannot remove %s: %s", socket, strerror(errno));
        else
            say("%s, which led to a codex that is gone, was removed", socket);
    }
    free(socket);
    return status;
}

int managed_put_back(const char *codex)
{
    char *socket = address_codex_socket(), *note = note_of(socket);
    int status = EXIT_OK;
    if (access(note, F_OK) == 0 && codex) {
        char *told = ask_codex(codex, "start");
        if (told)
            say("codex's own daemon runs again (`codex app-server daemon start`)");
        else
            say("the next `codex` starts it by itself, `ptyd disable codex` tries again");
        status = told ? EXIT_OK : EXIT_FAILED;
        free(told);
    }
    if (status == EXIT_OK)
        unlink(note);
    free(socket);
    free(note);
    return status;
}
