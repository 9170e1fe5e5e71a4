#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ptyd/client/cli.h"
#include "ptyd/proxy/relay.h"

static const char help[] =
    "usage: ptyd proxy [-s NAME] [--no-upgrade] -- SERVER [ARGS...]\n\n"
    "Starts an app-server and stands between it and the client on stdin and stdout. Everything\n"
    "passes as it is; each turn/start of the user's gets what the user did in the terminal since\n"
    "the last one, as additionalContext. Without a daemon everything passes untouched.\n\n"
    "  -s NAME         only session NAME (default: the one that fits the thread)\n"
    "  --no-upgrade    do not ask for experimentalApi on the client's behalf\n\n"
    "examples:\n"
    "  ptyd proxy -- codex app-server\n"
    "  ptyd proxy -s work -- codex -c model=... app-server\n";

enum { NO_UPGRADE = CLI_FIRST_OWN };

static pid_t server_pid;

static void pass_signal(int number)
{
    kill(server_pid, number);
}

static _Noreturn void become_server(char **argv, const int in[2], const int out[2], pid_t proxy)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != proxy)
        _exit(125);
    signal(SIGPIPE, SIG_DFL);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execvp(argv[0], argv);
    cli_fail(0, "cannot run %s: %s", argv[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

static int exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(char **argv, const struct gate_options *options)
{
    int in[2], out[2], status = 0;
    pid_t self = getpid();
    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        return cli_fail(EXIT_FAILED, "cannot make pipes: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    server_pid = fork();
    if (server_pid < 0)
        return cli_fail(EXIT_FAILED, "cannot start a process: %s", strerror(errno));
    if (server_pid == 0)
        become_server(argv, in, out, self);
    close(in[0]);
    close(out[1]);
    struct sigaction action = {.sa_handler = pass_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    struct gate *gate = gate_create(options);
    relay_run(gate, (struct relay_ends){.client_in = STDIN_FILENO,
                                        .client_out = STDOUT_FILENO,
                                        .server_in = in[1],
                                        .server_out = out[0]});
    while (waitpid(server_pid, &status, 0) < 0 && errno == EINTR)
        ;
    gate_destroy(gate);
    return exit_status(status);
}

int command_proxy(int argc, char **argv)
{
    static const struct option options[] = {
        {"no-upgrade", no_argument, NULL, NO_UPGRADE}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    struct gate_options gate = {0};
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT, options, NULL)) != -1)
        if (cli_option(&cli, option))
            gate.no_upgrade = true;
    if (optind >= argc)
        cli_usage("which SERVER? For example: ptyd proxy -- codex app-server");
    gate.session = cli.session_given ? cli.session : NULL;
    return run(argv + optind, &gate);
}
