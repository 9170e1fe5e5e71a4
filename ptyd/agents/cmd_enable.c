#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "ptyd/agents/service.h"
#include "ptyd/agents/settings.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/agent.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/child.h"

enum { HOOK = CLI_FIRST_OWN };

static char *help;

/* One line for each agent whose way is a hook. */
static char *enable_help(void)
{
    struct bytes text = {0};
    char *names = agent_names("|", "|", true);
    bytes_printf(&text,
                 "usage: ptyd enable codex [--hook]\n"
                 "       ptyd enable %s\n\n"
                 "Makes an agent hear of the terminal from now on.\n\n"
                 "  codex     a user service in front of its app-server, which the plain `codex` "
                 "finds by\n"
                 "            itself; without systemd, prints the line to start one\n"
                 "  --hook    a prompt hook in hooks.json instead, for `codex exec`; never both\n",
                 names);
    for (const struct agent *a = agents; a->name; a++)
        if (!a->app_server)
            bytes_printf(&text, "  %-9s a prompt hook in ~/%s/%s\n", a->name, a->directory,
                         a->file);
    bytes_append_text(&text, "\nDoing it twice does nothing; `ptyd disable AGENT` undoes it.\n\n"
                             "example:\n  ptyd enable claude\n");
    free(names);
    return text.data;
}

static char *disable_help(void)
{
    char *names = agent_names("|", "|", false);
    char *text = text_format("usage: ptyd disable %s\n\n"
                             "Undoes `ptyd enable`.\n\n"
                             "example:\n  ptyd disable claude\n",
                             names);
    free(names);
    return text;
}

/* ---- hooks ---- */

/* The file that an agent's hook stands in; new string. */
static char *settings_path(const struct agent *a)
{
    const char *given = a->variable ? getenv(a->variable) : NULL, *home = getenv("HOME");
    if (given && *given)
        return text_format("%s/%s", given, a->file);
    return text_format("%s/%s/%s", home ? home : "", a->directory, a->file);
}

static void hook_finish(struct settings_hook *h)
{
    free((char *)h->path);
    free((char *)h->program);
}

static int explain(const struct settings_hook *h, int error, bool add)
{
    if (error != -EBADMSG)
        return say_fail(EXIT_FAILED, "cannot change %s: %s", h->path, strerror(-error));
    say("%s is not plain JSON; it stays as it is. %s by hand:", h->path,
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
           h->path, h->agent->name);
    if (h->agent->advice)
        puts(h->agent->advice);
    return EXIT_OK;
}

static int remove_hook(const struct settings_hook *h, bool quiet)
{
    int result = settings_remove(h);
    if (result < 0 && !(quiet && result == -EBADMSG))
        return explain(h, result, false);
    if (result == 1)
        printf("%s no longer runs `ptyd hook %s`.\n", h->path, h->agent->name);
    else if (!quiet)
        printf("%s has no hook of ptyd's.\n", h->path);
    return EXIT_OK;
}

/* ---- codex ---- */

static int enable_service(const struct settings_hook *hook)
{
    char *codex = child_find("codex");
    if (!codex)
        return say_fail(EXIT_FAILED,
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

static int enable_server(const struct settings_hook *hook, bool by_hook)
{
    if (!by_hook)
        return enable_service(hook);
    if (service_exists() && service_remove() != EXIT_OK)
        return EXIT_FAILED;
    return add_hook(hook);
}

static int disable_server(const struct settings_hook *hook)
{
    bool had = service_exists();
    int status = service_remove();
    if (had && status == EXIT_OK)
        puts("The service ptyd-codex is gone.");
    return status == EXIT_OK ? remove_hook(hook, had) : status;
}

/* ---- commands ---- */

static const struct agent *pick(const char *name)
{
    const struct agent *agent = agent_find(name, strlen(name));
    if (!agent)
        cli_usage("which agent? %s%s%s", agent_names(", ", " or ", false),
                  *name ? "; there is no " : "", name);
    return agent;
}

static int run(int argc, char **argv, bool enable)
{
    static const struct option options[] = {{"hook", no_argument, NULL, HOOK}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help = enable ? enable_help() : disable_help());
    bool by_hook = false;
    int option;
    while ((option = getopt_long(argc, argv, CLI_SHORT_MIXED, options, NULL)) != -1)
        if (cli_option(&cli, option))
            by_hook = true;
    const char *name = optind < argc ? argv[optind++] : "";
    cli_no_more(&cli, argc, argv);
    const struct agent *agent = pick(name);
    struct settings_hook hook = {
        .agent = agent, .path = settings_path(agent), .program = realpath("/proc/self/exe", NULL)};
    int status = enable ? agent->app_server ? enable_server(&hook, by_hook) : add_hook(&hook)
                 : agent->app_server ? disable_server(&hook)
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
