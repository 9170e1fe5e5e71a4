#define _GNU_SOURCE
#include "ptyd/agents/service.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/daemon.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/managed.h"

#define UNIT    "ptyd-codex.service"
#define LOOK_MS 20 /* between two looks at whether systemctl is done */

static char *unit_path(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config == '/')
        return text_format("%s/systemd/user/" UNIT, config);
    return text_format("%s/.config/systemd/user/" UNIT, home ? home : "");
}

bool service_manager_runs(void)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *path = text_format("%s/systemd/private", runtime ? runtime : "");
    bool runs = runtime && access(path, F_OK) == 0;
    free(path);
    return runs;
}

bool service_exists(void)
{
    char *path = unit_path();
    bool exists = access(path, F_OK) == 0;
    free(path);
    return exists;
}

static int systemctl(const char *verb, const char *option, const char *unit)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        cores_give_back();
        execlp("systemctl", "systemctl", "--user", verb, option ? option : unit,
               option ? unit : NULL, (char *)NULL);
        _exit(127);
    }
    struct progress progress = progress_begin("waiting for systemd");
    int result = 0;
    while (pid > 0 &&
           ((result = waitpid(pid, &status, WNOHANG)) == 0 || (result < 0 && errno == EINTR))) {
        poll(NULL, 0, LOOK_MS);
        progress_say(&progress, "%s", verb);
    }
    progress_clear(&progress);
    if (pid > 0 && status == 0)
        return 0;
    return say_fail(EXIT_FAILED,
                    "`systemctl --user %s %s` failed; `journalctl --user -u %s` says "
                    "more",
                    verb, unit ? unit : "", UNIT);
}

/* A word of a unit's command line (systemd.service(5), "Command lines"). */
static void append_word(const char *word, struct bytes *out)
{
    bytes_append_char(out, '"');
    for (; *word; word++) {
        if (strchr("\"\\", *word))
            bytes_append_char(out, '\\');
        if (strchr("%$", *word))
            bytes_append_char(out, *word);
        bytes_append_char(out, *word);
    }
    bytes_append_char(out, '"');
}

static void append_variable(const char *name, struct bytes *out)
{
    const char *value = getenv(name);
    if (!value || !*value)
        return;
    char *both = text_format("%s=%s", name, value);
    bytes_append_text(out, "Environment=");
    append_word(both, out);
    bytes_append_char(out, '\n');
    free(both);
}

static int write_unit(const char *path, const char *program, const char *codex)
{
    struct bytes text = {0};
    char *directory = paths_parent(path);
    bytes_append_text(&text, "# Made by `ptyd enable codex`; `ptyd disable codex` removes it.\n"
                             "[Unit]\n"
                             "Description=ptyd in front of codex's app-server\n\n"
                             "[Service]\n");
    append_variable("PATH", &text); /* codex may be a script that needs node */
    append_variable("CODEX_HOME", &text);
    append_variable("PTYD_SOCKET", &text);
    bytes_append_text(&text, "ExecStart=");
    append_word(program, &text);
    bytes_append_text(&text, " proxy --listen codex -- ");
    append_word(codex, &text);
    bytes_append_text(&text, " app-server\nRestart=on-failure\n\n"
                             "[Install]\nWantedBy=default.target\n");
    int result = file_make_directory(directory);
    if (result == 0)
        result = text.failed ? -ENOMEM : file_replace(path, text.data, text.len);
    bytes_finish(&text);
    free(directory);
    return result;
}

int service_install(const char *program, const char *codex)
{
    char *path = unit_path();
    int result = write_unit(path, program, codex);
    if (result < 0)
        say("cannot write %s: %s", path, strerror(-result));
    free(path);
    if (result < 0 || systemctl("daemon-reload", NULL, NULL))
        return EXIT_FAILED;
    return systemctl("enable", "--now", UNIT);
}

int service_remove(void)
{
    char *path = unit_path();
    int status = EXIT_OK;
    if (service_exists()) {
        if (service_manager_runs())
            status = systemctl("disable", "--now", UNIT);
        if (unlink(path) < 0)
            status = say_fail(EXIT_FAILED, "cannot remove %s: %s", path, strerror(errno));
        if (service_manager_runs())
            systemctl("daemon-reload", NULL, NULL);
    }
    free(path);
    return status;
}

/* ---- without systemd ---- */

static void say_why(const struct daemon *proxy)
{
    char *words = daemon_last_words(proxy);
    say("the proxy for codex did not come up%s%s", words ? ": " : "", words ? words : "");
    free(words);
}

int service_start_proxy(const char *codex)
{
    char *argv[] = {(char *)"ptyd", (char *)"proxy", (char *)"--listen",   (char *)"codex",
                    (char *)"--",   (char *)codex,   (char *)"app-server", NULL};
    pid_t pid = managed_proxy();
    struct daemon proxy = {0};
    char *socket = paths_socket();
    int64_t until = clock_monotonic_ms() + LIMIT_SERVER_START_MS + LIMIT_CODEX_COMMAND_MS;
    int result = pid ? 0 : daemon_launch(socket, "codex-proxy.log", argv, &proxy);
    bool started = result == 0 && !pid;
    while (started && !(pid = managed_proxy()) && !daemon_ended(&proxy) &&
           clock_monotonic_ms() < until)
        poll(NULL, 0, LOOK_MS);
    if (result < 0)
        say("cannot write beside %s: %s", socket, strerror(-result));
    else if (!pid)
        say_why(&proxy);
    else
        printf("A proxy for codex runs%s (process %ld): the plain `codex` hears of the terminal.\n",
               started ? "" : " already", (long)pid);
    daemon_forget(&proxy);
    free(socket);
    return pid ? EXIT_OK : EXIT_FAILED;
}

int service_end_proxy(void)
{
    pid_t pid = managed_proxy();
    int64_t until = clock_monotonic_ms() + LIMIT_SERVER_START_MS;
    if (!pid)
        return 0;
    kill(pid, SIGTERM);
    while (managed_proxy() == pid && clock_monotonic_ms() < until)
        poll(NULL, 0, LOOK_MS);
    return 1;
}
