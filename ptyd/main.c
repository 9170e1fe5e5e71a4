/* main.c - the table of commands. */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/command/cli.h"
#include "ptyd/core/json.h"
#include "ptyd/proxy/proxy.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"open", command_open, "a session that outlives terminals"},
    {"attach", command_attach, "show and drive a session in this terminal"},
    {"detach", command_detach, "the terminals that show a session leave it"},
    {"run", command_run, "type a command at a session's prompt and wait for it"},
    {"send", command_send, "type keys into a session"},
    {"list", command_list, "the sessions"},
    {"status", command_status, "the daemon's health"},
    {"blocks", command_blocks, "the commands of a session"},
    {"block", command_block, "one command and its output"},
    {"last", command_last, "the newest command and its output"},
    {"rerun", command_rerun, "run a command again"},
    {"diff", command_diff, "a command's output against its previous run"},
    {"copy", command_copy, "a command or its output onto the clipboard"},
    {"screen", command_screen, "what a session's screen shows"},
    {"scrollback", command_scrollback, "the lines above the screen"},
    {"context", command_context, "what the agent will be told"},
    {"events", command_events, "what happens, as it happens"},
    {"resize", command_resize, "give a session's terminal another size"},
    {"reset", command_reset, "go on with a quarantined session"},
    {"close", command_close, "end a session"},
    {"inside", command_inside, "whether this is a session's own terminal"},
    {"enable", command_enable, "make every terminal a session, or an agent hear of it"},
    {"disable", command_disable, "undo that"},
    {"hook", command_hook, "the context, for an agent's prompt hook"},
    {"codex", command_codex, "codex, with its app-server behind ptyd"},
    {"proxy", command_proxy, "stand between a client and an app-server"},
    {"mcp", command_mcp, "an MCP server on stdio"},
    {"replay", command_replay, "blocks and screen of a recorded session"},
    {"upgrade", command_upgrade, "go on as the program that is on disk, with every shell"},
    {"serve", command_serve, "the daemon in the foreground"},
    {"verify", command_verify, "whether the state files are whole"},
    {"version", command_version, "the version"},
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static int print_help(void)
{
    puts("ptyd - your terminal's commands, told to your coding agent\n\n"
         "usage: ptyd                    this terminal becomes a session\n"
         "       ptyd COMMAND [ARGS...]  one of these, each with --help:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-11s %s\n", commands[i].name, commands[i].summary);
    puts("\nexamples:\n"
         "  ptyd open work                              a session named work\n"
         "  ptyd run -s work -- make                    run make in it\n"
         "  ptyd context show -s work                   what the agent would be told\n"
         "  ptyd proxy -s work -- codex app-server      tell it, with every turn");
    return EXIT_OK;
}

int command_version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("ptyd " PTYD_VERSION);
    return EXIT_OK;
}

/* A standard descriptor that came closed must not become a socket's: what is written there would go
 * astray. It stays one that fails. */
static void occupy_standard_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            _exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    occupy_standard_descriptors();
    setlocale(LC_CTYPE, "");
    if (argc < 2 || strcmp(argv[1], "serve")) /* the keeper goes on without memory */
        json_need_memory();
    if (!strcmp(slash ? slash + 1 : argv[0], "codex"))
        return codex_main(argc, argv);
    if (argc < 2)
        return command_default(argc, argv);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return print_help();
    if (!strcmp(argv[1], "--version"))
        return command_version(argc, argv);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    cli_usage("there is no command '%s'", argv[1]);
}
