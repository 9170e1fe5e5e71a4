/* main.c - which command is run. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/command/cli.h"
#include "ptyd/commands.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/proxy/proxy.h"

static bool ends_by_pipes; /* SIGPIPE was not ignored when we were started */

static _Noreturn void say_unknown(const char *word)
{
    const struct command *nearest = command_nearest(word);
    if (nearest)
        cli_usage("there is no command '%s'; did you mean %s?", word, nearest->name);
    cli_usage("there is no command '%s'", word);
}

static int run(int argc, char **argv)
{
    const struct command *command = command_find(argv[0]);
    if (!command)
        say_unknown(argv[0]);
    argv[0] = cli_name_command(command->name);
    return command->run(argc, argv);
}

static int print_help(void)
{
    puts("ptyd - your terminal's commands, told to your coding agent\n\n"
         "usage: ptyd                    this terminal becomes a session\n"
         "       ptyd COMMAND [ARGS...]  one of these, each with --help:\n");
    for (size_t i = 0; i < command_count; i++)
        printf("  %-11s %s\n", commands[i].name, commands[i].summary);
    puts("\nexamples:\n"
         "  ptyd open work                              a session named work\n"
         "  ptyd run -s work -- make                    run make in it\n"
         "  ptyd context show -s work                   what the agent would be told\n"
         "  ptyd proxy -s work -- codex app-server      tell it, with every turn");
    return EXIT_OK;
}

static int print_version(void)
{
    puts("ptyd " PTYD_VERSION);
    return EXIT_OK;
}

int command_version(int argc, char **argv)
{
    static const char version_help[] =
        "usage: ptyd version [--json]\n\n"
        "The version of this program; `ptyd status` has the daemon's.\n\n"
        "example:\n  ptyd version\n";
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, version_help);
    cli_no_more(&cli, argc, argv);
    cli_heeds(&cli, CLI_NO_SESSION);
    return cli.json ? cli_print_json(json_pack("{s:s}", "version", PTYD_VERSION)) : print_version();
}

static int help(int argc, char **argv)
{
    char *of_command[] = {argc > 2 ? argv[2] : NULL, "--help", NULL};
    return argc > 2 ? run(2, of_command) : print_help();
}

/* A standard descriptor that came closed must not become a socket's: what is written there would go
 * astray. It stays one that fails. */
static void occupy_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            _exit(EXIT_FAILED);
}

/* Whoever read what is printed has enough, as head(1) has. */
static bool is_read_no_more(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) && !isatty(STDOUT_FILENO);
}

/* Whether what was printed arrived is part of how it went: a full disk takes nothing. A pipe that
 * nobody reads any more ends us as it ends other programs, without a word, unless whoever started
 * us has none end by that. */
static int finish(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (ends_by_pipes && is_read_no_more()) {
        signal(SIGPIPE, SIG_DFL); /* ignored since rpc_connect() */
        raise(SIGPIPE);
    }
    say("not all of it could be printed%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return status ? status : EXIT_FAILED;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    occupy_standard_descriptors();
    struct sigaction pipes;
    ends_by_pipes = sigaction(SIGPIPE, NULL, &pipes) == 0 && pipes.sa_handler != SIG_IGN;
    signal(SIGCHLD, SIG_DFL); /* ignored it would be inherited, and no child's end ever heard of */
    cores_forbid();
    if (argc < 2 || strcmp(argv[1], "serve")) /* the keeper goes on without memory */
        json_need_memory();
    if (!strcmp(slash ? slash + 1 : argv[0], "codex"))
        return codex_main(argc, argv);
    if (argc < 2)
        return command_default(argc, argv);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return finish(help(argc, argv));
    if (!strcmp(argv[1], "--version"))
        return finish(print_version());
    return finish(run(argc - 1, argv + 1));
}
