#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/clients.h"
#include "ptyd/proxy/managed.h"
#include "ptyd/proxy/proxy.h"
#include "ptyd/proxy/relay.h"
#include "ptyd/proxy/upgrade.h"

static const char help[] =
    "usage: ptyd proxy [OPTIONS] -- SERVER [ARGS...]\n"
    "       ptyd proxy [OPTIONS] --connect URL\n"
    "       ptyd proxy --acp [-s NAME] [--wait SECONDS] -- AGENT [ARGS...]\n\n"
    "Stands between a client and an app-server. Everything passes as it is; each turn/start of\n"
    "the user's gets what the user did in the terminal since the last one, as\n"
    "additionalContext. Without a daemon everything passes untouched.\n\n"
    "  -s NAME          only session NAME (default: the one that fits the thread)\n"
    "  --listen URL     serve clients at unix://PATH or ws://IP:PORT (default: stdin, stdout);\n"
    "                   `codex` is where the codex TUI looks for a server by itself\n"
    "  --connect URL    an app-server that listens there already\n"
    "  --token-env VAR  with --connect on stdin and stdout: a bearer token for it\n"
    "  --steer          turn/steer carries context too\n"
    "  --no-upgrade     do not ask for experimentalApi on the client's behalf; context then\n"
    "                   follows an accepted turn as thread/inject_items\n"
    "  --envelope       the legacy CODEX_META envelope in the user's text\n"
    "  --acp            in front of an agent that speaks the Agent Client Protocol: each\n"
    "                   session/prompt gets a content block. A hook of that agent's is silent "
    "then\n"
    "  --wait SECONDS   how long a turn waits for the daemon before it goes without (0.05)\n\n"
    "examples:\n"
    "  ptyd proxy -- codex app-server\n"
    "  ptyd proxy --listen codex                          then just `codex`\n"
    "  ptyd proxy --acp -- gemini --acp\n"
    "  ptyd proxy --listen ws://127.0.0.1:4500 -- codex app-server\n";

enum { LISTEN = CLI_FIRST_OWN, CONNECT, TOKEN_ENV, STEER, NO_UPGRADE, ENVELOPE, ACP, WAIT };

/* ---- one client, on stdin and stdout ---- */

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    return flags;
}

static struct peer *server_end(struct upstream *u, const char *authorization)
{
    if (!upstream_is_piped(u))
        return upgrade_connect(&u->address, authorization);
    set_nonblocking(u->child.in);
    set_nonblocking(u->child.out);
    struct peer *peer = peer_create_lines(u->child.out, u->child.in, true);
    u->child.in = -1; /* the peer closes it now */
    return peer;
}

static int relay_stdio(const struct proxy_options *o, struct upstream *u)
{
    const char *token = o->token_env ? getenv(o->token_env) : NULL;
    char *authorization = token ? text_format("Bearer %s", token) : NULL;
    struct peer *server = server_end(u, authorization);
    free(authorization);
    if (!server)
        return EXIT_FAILED;
    int in = set_nonblocking(STDIN_FILENO), out = set_nonblocking(STDOUT_FILENO);
    struct peer *client = peer_create_lines(STDIN_FILENO, STDOUT_FILENO, false);
    struct gate *gate = gate_create(&o->gate);
    relay_run(gate, client, server, u->child.pidfd);
    peer_destroy(server); /* first: it hears the end of its input */
    gate_destroy(gate);
    peer_destroy(client);
    fcntl(STDIN_FILENO, F_SETFL, in); /* shared with whoever started us */
    fcntl(STDOUT_FILENO, F_SETFL, out);
    return EXIT_OK;
}

/* ---- several clients ---- */

/* Where codex looks by itself it may have put a server of its own. */
static int make_room(const struct address *address, char **argv)
{
    const char *slash = argv ? strrchr(argv[0], '/') : NULL;
    bool is_codex = slash && !strcmp(slash + 1, "codex");
    char *control = address_codex_socket(), *codex = child_find(is_codex ? argv[0] : "codex");
    bool needed = address->path && !strcmp(address->path, control);
    int status = needed ? managed_stop(codex ? codex : "codex") : EXIT_OK;
    free(control);
    free(codex);
    return status;
}

static int serve(const struct proxy_options *o, struct upstream *u, const struct address *address,
                 char **argv)
{
    if (make_room(address, argv) != EXIT_OK)
        return EXIT_FAILED;
    if (!address_is_local(address) && !o->connect && address_is_local(&u->address))
        say("warning: %s is reachable from elsewhere, and the app-server asks for no token",
            address->host);
    return clients_run(address, u, &o->gate);
}

int proxy_run(const struct proxy_options *o, char **argv)
{
    struct upstream upstream;
    struct address address = {0};
    char *message;
    signal(SIGPIPE, SIG_IGN);
    cores_hide();
    if (o->listen && address_parse(o->listen, &address, &message) < 0)
        cli_usage("%s", message);
    int status = upstream_start(o->connect, argv, o->listen != NULL, &upstream);
    if (status == 0) {
        if (!o->listen && upstream.child.pid > 0)
            child_pass_signals(&upstream.child);
        status = o->listen ? serve(o, &upstream, &address, argv) : relay_stdio(o, &upstream);
        if (status && upstream.child.pid > 0)
            kill(upstream.child.pid, SIGTERM);
        int ended = upstream_finish(&upstream);
        status = status ? status : ended;
    }
    address_finish(&address);
    return status;
}

static int wait_ms(const char *text)
{
    double seconds = cli_seconds(text);
    if (seconds > LIMIT_PROXY_WAIT_S)
        cli_usage("a turn waits at most %d s for the daemon", LIMIT_PROXY_WAIT_S);
    return seconds < 0.001 ? 1 : (int)(seconds * 1000);
}

static void check_acp(const struct proxy_options *o, char **server)
{
    if (o->listen || o->connect || o->token_env || o->gate.steer || o->gate.no_upgrade ||
        o->gate.envelope)
        cli_usage("--acp stands between stdin, stdout and an agent: of the other options it takes "
                  "-s and --wait");
    if (!server)
        cli_usage("which AGENT? For example: ptyd proxy --acp -- gemini --acp");
}

int command_proxy(int argc, char **argv)
{
    static const struct option options[] = {{"listen", required_argument, NULL, LISTEN},
                                            {"connect", required_argument, NULL, CONNECT},
                                            {"token-env", required_argument, NULL, TOKEN_ENV},
                                            {"steer", no_argument, NULL, STEER},
                                            {"no-upgrade", no_argument, NULL, NO_UPGRADE},
                                            {"envelope", no_argument, NULL, ENVELOPE},
                                            {"acp", no_argument, NULL, ACP},
                                            {"wait", required_argument, NULL, WAIT},
                                            CLI_LONG,
                                            {0}};
    static char *codex_server[] = {(char *)"codex", (char *)"app-server", NULL};
    struct cli cli = cli_begin(help);
    struct proxy_options o = {0};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT, options)) != -1) {
        if (!cli_option(&cli, option))
            continue;
        o.listen = option == LISTEN ? optarg : o.listen;
        o.connect = option == CONNECT ? optarg : o.connect;
        o.token_env = option == TOKEN_ENV ? optarg : o.token_env;
        o.gate.steer = o.gate.steer || option == STEER;
        o.gate.no_upgrade = o.gate.no_upgrade || option == NO_UPGRADE;
        o.gate.envelope = o.gate.envelope || option == ENVELOPE;
        o.gate.acp = o.gate.acp || option == ACP;
        if (option == WAIT)
            o.gate.wait_ms = wait_ms(optarg);
    }
    char **server = optind < argc ? argv + optind : NULL;
    if (o.gate.acp)
        check_acp(&o, server);
    if (o.connect && server)
        cli_usage("--connect names a server that runs; SERVER would start another");
    if (!server && o.listen && !strcmp(o.listen, "codex"))
        server = codex_server;
    if (!server && !o.connect)
        cli_usage("which SERVER? For example: ptyd proxy -- codex app-server");
    o.gate.session = cli.session_given ? cli.session : NULL;
    return proxy_run(&o, server);
}
