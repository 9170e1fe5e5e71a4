#define _GNU_SOURCE
#include "ptyd/agents/service.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/daemon.h"
#include "ptyd/command/unit.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/managed.h"

#define LOOK_MS 20 /* between two looks at whether a proxy serves */

int service_install(const char *program, const char *codex)
{
    struct bytes text = {0};
    bytes_append_text(&text, "# Made by `ptyd enable codex`; `ptyd disable codex` removes it.\n"
                             "[Unit]\n"
                             "Description=ptyd in front of codex's app-server\n\n"
                             "[Service]\n");
    unit_append_variable("PATH", &text); /* codex may be a script that needs node */
    unit_append_variable("CODEX_HOME", &text);
    unit_append_variable("PTYD_SOCKET", &text);
    bytes_append_text(&text, "ExecStart=");
    unit_append_word(program, &text);
    bytes_append_text(&text, " proxy --listen codex -- ");
    unit_append_word(codex, &text);
    bytes_append_text(&text, " app-server\nRestart=on-failure\n\n"
                             "[Install]\nWantedBy=default.target\n");
    int status = unit_install(SERVICE_UNIT, &text, UNIT_GOES_ON);
    bytes_finish(&text);
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
