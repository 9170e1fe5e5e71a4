/* ptyd mcp: an MCP server on stdio (modelcontextprotocol.io). One loop over the client, the daemon
 * and helpers; nothing in it waits for one of them alone. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/mcp/helper.h"
#include "ptyd/mcp/mcp.h"

static const char help[] =
    "usage: ptyd mcp [-s NAME] [--drive] [--tools default|all]\n\n"
    "An MCP server on stdin and stdout with which an agent looks at the user's sessions:\n"
    "sessions, blocks, block_output, search, screen, scrollback, and wait for the command that\n"
    "runs. It cannot type, but for what you grant with --drive. Secrets are taken out, private\n"
    "commands are left out; `ptyd context off` and `ptyd context pause` hold for it, too. It\n"
    "finds the user's daemon without the environment, and starts none. NAME is the session where\n"
    "a call names none; else it is the default one, or the only one.\n\n"
    "  --drive    it may ask to type (run, send): your terminal and `ptyd status` say so,\n"
    "             Ctrl-\\ g there or `ptyd grant` lets it, any key of yours takes it back\n"
    "  --tools T  default; or all: also pty_exec, pty_wait_for, blocks_since and the others\n"
    "             that the original agent PTY had; those that type need --drive\n\n"
    "example, in codex's config.toml:\n"
    "  [mcp_servers.ptyd]\n"
    "  command = \"ptyd\"\n"
    "  args = [\"mcp\"]\n"
    "or, with the tools that type: args = [\"mcp\", \"--tools\", \"all\", \"--drive\"]\n";

enum { DRIVE = CLI_FIRST_OWN, TOOLS };

static const struct option options[] = {
    {"drive", no_argument, NULL, DRIVE}, {"tools", required_argument, NULL, TOOLS}, CLI_LONG, {0}};

/* ---- what the daemon says ---- */

static void on_followed(void *mcp)
{
    struct mcp *m = mcp;
    waits_look_again(m->waits);
    updates_all(m->updates);
}

static void on_event(void *mcp, const json_t *event)
{
    struct mcp *m = mcp;
    const char *type = json_text(event, "type", "");
    if (!strcmp(type, "agent_block_end"))
        waits_ended(m->waits, json_text(event, "conversation_id", ""),
                    json_number(json_object_get(event, "block"), "seq", 0));
    if (!strcmp(type, "capture_changed"))
        waits_look_again(m->waits); /* who waits may be told no more */
    updates_event(m->updates, event);
    if (!strcmp(type, "events_lost"))
        on_followed(m); /* anything may have ended, or changed */
}

static void on_gone(void *mcp)
{
    waits_gone(((struct mcp *)mcp)->waits);
}

/* ---- the loop ---- */

enum { CLIENT_IN, CLIENT_OUT, DAEMON, HELPERS };

static int wait_ms(const struct mcp *m)
{
    int64_t due = clock_sooner(clock_sooner(backend_due(m->daemon), calls_due(m)),
                               clock_sooner(waits_due(m->waits), updates_due(m->updates)));
    int64_t left = due < 0 ? -1 : due - clock_monotonic_ms();
    return due < 0 ? -1 : left < 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX;
}

/* Reads the client; false at its end. */
static bool read_client(struct mcp *m)
{
    char chunk[1 << 16];
    ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
    if (n > 0)
        wire_take(m->wire, chunk, (size_t)n);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* One turn. `*reads`: the client may say more. Returns false when it is gone, or an error ended
 * poll(). While a client does not read what it asked for, neither it nor the daemon is read. */
static bool turn(struct mcp *m, bool *reads)
{
    struct pollfd fds[HELPERS + LIMIT_MCP_HELPERS];
    int helpers[LIMIT_MCP_HELPERS], count = helper_fds(helpers);
    bool room = wire_unsent(m->wire) < LIMIT_MCP_UNSENT_BYTES, takes = *reads && room;
    backend_hold(m->daemon, !room);
    fds[CLIENT_IN] = (struct pollfd){.fd = takes ? STDIN_FILENO : -1, .events = POLLIN};
    fds[CLIENT_OUT] =
        (struct pollfd){.fd = STDOUT_FILENO, .events = wire_unsent(m->wire) ? POLLOUT : 0};
    fds[DAEMON] = (struct pollfd){.fd = backend_fd(m->daemon), .events = POLLIN};
    for (int i = 0; i < count; i++)
        fds[HELPERS + i] = (struct pollfd){.fd = helpers[i], .events = POLLIN};
    if (poll(fds, (nfds_t)(HELPERS + count), wait_ms(m)) < 0)
        return errno == EINTR;
    if (fds[CLIENT_OUT].revents & (POLLERR | POLLNVAL))
        return false;
    if (fds[CLIENT_IN].revents)
        *reads = read_client(m);
    backend_work(m->daemon, fds[DAEMON].revents != 0);
    for (int i = 0; i < count; i++)
        if (fds[HELPERS + i].revents)
            helper_work(helpers[i]);
    waits_work(m->waits);
    calls_work(m);
    updates_work(m->updates);
    return wire_flush(m->wire);
}

/* A client that says nothing more still gets its answers, but for those that only wait. */
static void serve(struct mcp *m)
{
    bool reads = true, there = true;
    int64_t until = 0;
    while (there && reads)
        there = turn(m, &reads);
    if (!there)
        return;
    updates_end(m->updates);
    until = clock_monotonic_ms() + LIMIT_ANSWER_MS;
    while (there && (wire_under_way(m->wire) || wire_unsent(m->wire)) &&
           clock_monotonic_ms() < until) {
        waits_end(m->waits);
        calls_end(m);
        there = turn(m, &reads);
    }
}

/* Which tools, by name; what is none ends it. */
static bool read_tools(const char *word)
{
    struct text_nearest nearest = text_nearest_begin(word);
    text_nearest_offer(&nearest, "default");
    text_nearest_offer(&nearest, "all");
    if (!strcmp(word, "default") || !strcmp(word, "all"))
        return word[0] == 'a';
    if (nearest.found)
        cli_usage("--tools is default or all, not '%.100s'; did you mean %s?", word, nearest.found);
    cli_usage("--tools is default or all, not '%.100s'", word);
}

static void take_option(int option, bool *drive, bool *all)
{
    if (option == DRIVE)
        *drive = true;
    else
        *all = read_tools(optarg);
}

int command_mcp(int argc, char **argv)
{
    struct cli cli = cli_begin(help);
    const char *session = getenv("PTYD_SESSION");
    bool drive = false, all = false;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT, options)) != -1)
        if (cli_option(&cli, option))
            take_option(option, &drive, &all);
    cli_no_more(&cli, argc, argv);
    cores_hide();
    struct mcp m = {.session = cli.session,
                    .session_given = cli.session_given || (session && *session),
                    .drive = drive,
                    .all = all,
                    .interactive = json_object(),
                    .version = VERSION_NONE};
    struct backend_handler heard = {
        .event = on_event, .followed = on_followed, .gone = on_gone, .user = &m};
    struct wire_handler asked = {.call = protocol_call, .notified = protocol_notified, .user = &m};
    m.waits = waits_create(&m);
    m.updates = updates_create(&m);
    m.wire = wire_create(&asked);
    m.daemon = backend_create(m.session_given ? m.session : NULL, &heard);
    serve(&m);
    wire_destroy(m.wire);
    updates_destroy(m.updates);
    waits_destroy(m.waits);
    backend_destroy(m.daemon);
    json_decref(m.interactive);
    free(m.agent);
    return EXIT_OK;
}
