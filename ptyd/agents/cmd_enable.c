#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/agents/service.h"
#include "ptyd/agents/settings.h"
#include "ptyd/client/cli.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/child.h"

static const char enable_help[] =
    "usage: ptyd enable codex [--hook]\n"
    "       ptyd enable claude|gemini\n\n"
    "Makes an agent hear of the terminal from now on.\n\n"
    "  codex     a user service in front of its app-server, which the plain `codex` finds by\n"
    "            itself; without systemd, prints the line to start one\n"
    "  --hook    a prompt hook in hooks.json instead, for `codex exec`; never both\n"
    "  claude    a prompt hook in ~/.claude/settings.json\n"
    "  gemini    a prompt hook in ~/.gemini/settings.json\n\n"
    "Doing it twice does nothing; `ptyd disable AGENT` undoes it.\n\n"
    "example:\n  ptyd enable claude\n";
static const char disable_help[] = "usage: ptyd disable codex|claude|gemini\n\n"
                                   "Undoes `ptyd enable`.\n\n"
                                   "example:\n  ptyd disable claude\n";

enum { HOOK = CLI_FIRST_OWN };

static char *in_home(const char *variable, const char *fallback, const char *file)
{
    const char *given = variable ? getenv(variable) : NULL, *home = getenv("HOME");
    if (given && *given)
        return text_format("%s/%s", given, file);
    return text_format("%s/%s/%s", home ? home : "", fallback, file);
}

/* The hook of an agent; `path` and `program` are new strings. */
static bool hook_of(const char *agent, struct settings_hook *ret_hook)
{
    struct settings_hook h = {.agent = agent, .event = "UserPromptSubmit", .timeout = 5};
    if (!strcmp(agent, "claude")) {
        h.path = in_home("CLAUDE_CONFIG_DIR", ".claude", "settings.json");
    } else if (!strcmp(agent, "codex")) {
        h.path = in_home("CODEX_HOME", ".codex", "hooks.json");
    } else if (!strcmp(agent, "gemini")) {
        h.path = in_home(NULL, ".gemini", "settings.json");
        h.event = "BeforeAgent";
        h.name = "ptyd";
        h.timeout = 5000; /* ms there */
    } else {
        return false;
    }
    h.program = realpath("/proc/self/exe", NULL);
    *ret_hook = h;
    return true;
}

static void hook_finish(struct settings_hook *h)
{
    free((char *)h->path);
    free((char *)h->program);
}

/* ---- hooks ---- */

static int explain(const struct settings_hook *h, int error, bool add)
{
    if (error != -EBADMSG)
        return cli_fail(EXIT_FAILED, "cannot change %s: %s", h->path, strerror(-error));
    cli_fail(0, "%s is not plain JSON; it stays as it is. %s by hand:", h->path,
             add ? "Add this" : "Take this out");
    char *example = settings_example(h);
    fprintf(stderr, "%s\n", example);
    free(example);
    return EXIT_FAILED;
}

static int add_hook(const struct settings_hook *h)
{
    int result = settings_add(h);
    if (result < 0)
        return explain(h, result, true);
    printf(result ? "%s now runs `ptyd hook %s` when a prompt is sent.\n"
                  : "%s runs `ptyd hook %s` already.\n",
           h->path, h->agent);
    if (!strcmp(h->agent, "codex"))
        puts("codex asks to trust a new hook: type /hooks in it, once.");
    return EXIT_OK;
}

static int remove_hook(const struct settings_hook *h, bool quiet)
{
    int result = settings_remove(h);
    if (result < 0 && !(quiet && result == -EBADMSG))
        return explain(h, result, false);
    if (result == 1)
        printf("%s no longer runs `ptyd hook %s`.\n", h->path, h->agent);
    else if (!quiet)
        printf("%s has no hook of ptyd's.\n", h->path);
    return EXIT_OK;
}

/* ---- codex ---- */

static int enable_service(const struct settings_hook *hook)
{
    char *codex = child_find("codex");
    if (!codex)
        return cli_fail(EXIT_FAILED,
                        "codex is not in PATH; `npm install -g @openai/codex` installs it");
    int status = remove_hook(hook, true); /* both would tell everything twice as often */
    if (status == EXIT_OK && !service_manager_runs()) {
        puts("No systemd user manager runs here. To have it in every login, add to ~/.profile:\n");
        printf("  %s proxy --listen codex -- %s app-server >/dev/null 2>&1 &\n", hook->program,
               codex);
    } else if (status == EXIT_OK) {
        status = service_install(hook->program, codex);
        if (status == EXIT_OK)
            puts("The service ptyd-codex runs: the plain `codex` hears of the terminal.");
    }
    free(codex);
    return status;
}

static int enable_codex(const struct settings_hook *hook, bool by_hook)
{
    if (!by_hook)
        return enable_service(hook);
    if (service_exists() && service_remove() != EXIT_OK)
        return EXIT_FAILED;
    return add_hook(hook);
}

static int disable_codex(const struct settings_hook *hook)
{
    bool had = service_exists();
    int status = service_remove();
    if (had && status == EXIT_OK)
        puts("The service ptyd-codex is gone.");
    return status == EXIT_OK ? remove_hook(hook, had) : status;
}

/* ---- commands ---- */

static int run(int argc, char **argv, bool enable)
{
    static const struct option options[] = {{"hook", no_argument, NULL, HOOK}, CLI_LONG, {0}};
    struct cli cli = cli_begin(enable ? enable_help : disable_help);
    struct settings_hook hook;
    bool by_hook = false;
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED, options, NULL)) != -1)
        if (cli_option(&cli, option))
            by_hook = true;
    const char *agent = optind < argc ? argv[optind++] : "";
    cli_no_more(&cli, argc, argv);
    if (!hook_of(agent, &hook))
        cli_usage("which agent? codex, claude or gemini%s%s", *agent ? "; there is no " : "",
                  agent);
    bool codex = !strcmp(agent, "codex");
    int status = enable  ? codex ? enable_codex(&hook, by_hook) : add_hook(&hook)
                  : codex ? disable_codex(&hook)
                         : remove_hook(&hook, false);
    hook_finish(&hook);
    return status;
}

int command_enable(int argc, char **argv)
{
    return run(argc, argv, true);
}

int command_disable(int argc, char **argv)
{
    return run(argc, argv, false);
}
