/* `ptyd codex ARGS`, or a link named codex: what clients that start codex can be pointed at. With
 * the app-server in ARGS it proxies, otherwise it is codex. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/child.h"
#include "ptyd/proxy/proxy.h"

/* Options of codex's that take the next word as their value. */
static bool takes_value(const char *word)
{
    static const char *const options[] = {"-c",
                                          "--config",
                                          "-m",
                                          "--model",
                                          "-i",
                                          "--image",
                                          "-p",
                                          "--profile",
                                          "-s",
                                          "--sandbox",
                                          "-a",
                                          "--ask-for-approval",
                                          "-C",
                                          "--cd",
                                          "--add-dir",
                                          "--enable",
                                          "--disable",
                                          "--remote",
                                          "--remote-auth-token-env",
                                          "--local-provider"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(word, options[i]))
            return true;
    return false;
}

/* The place of `app-server` as codex's own command, 0 when it is none. A word behind an option that
 * is not known here may be that option's value. */
static int find_app_server(int argc, char **argv)
{
    bool may_be_value = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "app-server"))
            return i;
        if (!strcmp(argv[i], "--"))
            return 0;
        if (argv[i][0] == '-') {
            if (takes_value(argv[i]))
                i++;
            may_be_value = i < argc && !strchr(argv[i], '=');
        } else if (!may_be_value) {
            return 0;
        } else {
            may_be_value = false;
        }
    }
    return 0;
}

/* Whether `app-server` at `at` starts a server: not with its other subcommands, or options that
 * only print something. */
static bool is_server(int argc, char **argv, int at)
{
    static const char *const others[] = {
        "daemon", "proxy", "generate-ts", "generate-json-schema",  "help", "-h",
        "--help", "-V",    "--version",   "--print-startup-config"};
    for (int i = at + 1; i < argc; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (!strcmp(argv[i], others[k]))
                return false;
    return true;
}

/* Takes `--listen URL` out of the arguments; the URL, or NULL. */
static const char *take_listen(char **argv)
{
    const char *url = NULL;
    char **to = argv;
    for (char **at = argv; *at; at++) {
        if (!strcmp(*at, "--listen") && at[1])
            url = *++at;
        else if (!strncmp(*at, "--listen=", 9))
            url = *at + 9;
        else
            *to++ = *at;
    }
    *to = NULL;
    return url;
}

static int exec_codex(char **argv)
{
    char *program = child_find("codex");
    if (!program)
        return say_fail(127, "codex is not in PATH; `npm install -g @openai/codex` installs it");
    cores_give_back();
    execv(program, argv);
    int error = errno;
    say("cannot run %s: %s", program, strerror(error));
    free(program);
    return error == ENOENT ? 127 : 126;
}

/* Where the server was told to listen the proxy listens instead; the server gets a private address.
 */
static int proxy(char **argv, bool start)
{
    struct proxy_options o = {0};
    struct rpc rpc;
    const char *listen = take_listen(argv);
    o.listen = listen && strncmp(listen, "stdio", 5) && strcmp(listen, "off") ? listen : NULL;
    if (start && rpc_connect(&rpc, true, LIMIT_START_MS) == 0)
        rpc_close(&rpc);
    return proxy_run(&o, argv);
}

int codex_main(int argc, char **argv)
{
    char **args = memory_new(((size_t)argc + 1) * sizeof *args);
    int at = find_app_server(argc, argv);
    memcpy(args, argv, (size_t)argc * sizeof *args);
    args[0] = (char *)"codex";
    int status =
        at && is_server(argc, argv, at) ? proxy(args, !getenv("PTYD_NO_START")) : exec_codex(args);
    free(args);
    return status;
}

int command_codex(int argc, char **argv)
{
    static const char help[] =
        "usage: ptyd codex [ARGS...]        (codex's own help: ptyd codex help)\n\n"
        "Runs codex with ARGS. When they start an app-server, ptyd stands between it and its\n"
        "client, so that the agent knows what happened in the terminal. A link named codex to\n"
        "ptyd does the same; the real codex is the next one in PATH.\n\n"
        "examples:\n"
        "  ptyd codex app-server\n"
        "  CODEX_CLI_PATH=~/bin/codex, a link to ptyd, for clients that start codex themselves\n";
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        printf("%s", help);
        return EXIT_OK;
    }
    return codex_main(argc, argv);
}
