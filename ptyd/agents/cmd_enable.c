#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "ptyd/agents/profile.h"
#include "ptyd/agents/service.h"
#include "ptyd/agents/settings.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/unit.h"
#include "ptyd/core/agent.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/child.h"
#include "ptyd/proxy/managed.h"

enum { HOOK = CLI_FIRST_OWN };

static char *help;

/* One line for each agent whose way is a hook. */
static char *enable_help(void)
{
    struct bytes text = {0};
    char *names = agent_names("|", "|", true);
    bytes_printf(
        &text,
        "usage: ptyd enable shell [bash|zsh|fish]...\n"
        "       ptyd enable codex [--hook]\n"
        "       ptyd enable %s\n\n"
        "Makes every new terminal a session, or an agent hear of the terminal, from now "
        "on.\n\n"
        "  shell     a line at the top of the profile of these shells (yours, and those "
        "that have\n"
        "            one): where a person has a terminal, ptyd takes the shell's place\n"
        "  codex     a user service in front of its app-server, which the plain `codex` "
        "finds by\n"
        "            itself (codex's own is stopped); without systemd, a process now and the\n"
        "            line for your profile\n"
        "  --hook    a prompt hook in hooks.json instead, for `codex exec`; never both\n",
        names);
    for (const struct agent *a = agents; a->name; a++)
        if (!a->app_server)
            bytes_printf(&text, "  %-9s a %s ~/%s/%s\n", a->name,
                         a->plugin ? "plugin," : "prompt hook in", a->directory, a->file);
    bytes_append_text(&text, "\nDoing it twice does nothing; `ptyd disable ...` undoes it.\n\n"
                             "examples:\n  ptyd enable shell\n  ptyd enable claude\n");
    free(names);
    return text.data;
}

static char *disable_help(void)
{
    char *names = agent_names("|", "|", false);
    char *text = text_format("usage: ptyd disable shell|%s\n\n"
                             "Undoes `ptyd enable`.\n\n"
                             "examples:\n  ptyd disable shell\n  ptyd disable claude\n",
                             names);
    free(names);
    return text;
}

/* ---- hooks ---- */

static void hook_finish(struct settings_hook *h)
{
    free((char *)h->path);
    free((char *)h->program);
}

static int explain(const struct settings_hook *h, int error, bool add)
{
    if (error == -EEXIST)
        return say_fail(EXIT_FAILED, "%s is another's; it stays as it is: move it away", h->path);
    if (error != -EBADMSG)
        return say_fail(EXIT_FAILED, "cannot change %s: %s", h->path,
                        error == -EINVAL ? "it is no file; move it away" : strerror(-error));
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

/* The line is for logins to come; the proxy runs from now on. */
static int enable_proxy(const struct settings_hook *hook, const char *codex)
{
    int status = service_start_proxy(codex);
    puts("No systemd user manager runs here. To have it in every login, add to ~/.profile:\n");
    printf("  %s proxy --listen codex -- %s app-server >/dev/null 2>&1 &\n", hook->program, codex);
    return status;
}

static int enable_service(const struct settings_hook *hook)
{
    char *codex = child_find("codex");
    if (!codex)
        return say_fail(EXIT_FAILED,
                        "codex is not in PATH; `npm install -g @openai/codex` installs it");
    int status = remove_hook(hook, true); /* both would tell everything twice as often */
    if (status == EXIT_OK)
        status = managed_stop(codex);
    if (status == EXIT_OK && !unit_manager_runs()) {
        status = enable_proxy(hook, codex);
    } else if (status == EXIT_OK) {
        status = service_install(hook->program, codex);
        if (status == EXIT_OK)
            puts("The service ptyd-codex runs: the plain `codex` hears of the terminal.");
    }
    free(codex);
    return status;
}

/* Ends what stands in for codex's control socket, and gives it back to codex. Returns whether there
 * was anything, in *ret_had. */
static int remove_server(bool *ret_had)
{
    char *codex = child_find("codex");
    bool had = unit_exists(SERVICE_UNIT);
    int status = unit_remove(SERVICE_UNIT);
    if (had && status == EXIT_OK)
        puts("The service ptyd-codex is gone.");
    if (status == EXIT_OK && service_end_proxy()) {
        puts("The proxy for codex has ended.");
        had = true;
    }
    if (status == EXIT_OK)
        status = managed_put_back(codex);
    free(codex);
    *ret_had = had;
    return status;
}

static int enable_server(const struct settings_hook *hook, bool by_hook)
{
    bool ignored;
    if (!by_hook)
        return enable_service(hook);
    return remove_server(&ignored) == EXIT_OK ? add_hook(hook) : EXIT_FAILED;
}

static int disable_server(const struct settings_hook *hook)
{
    bool had;
    int status = remove_server(&had);
    return status == EXIT_OK ? remove_hook(hook, had) : status;
}

/* ---- shells ---- */

static const struct profile_shell *shell_named(const char *name)
{
    const struct profile_shell *s = profile_shells;
    while (s->name && strcmp(s->name, name))
        s++;
    return s->name ? s : NULL;
}

static bool is_in_path(const char *program)
{
    char *path = text_copy(getenv("PATH")), *rest = path, *directory;
    bool found = false;
    while (!found && (directory = strsep(&rest, ":"))) {
        char *file = text_format("%s/%s", directory, program);
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(path);
    return found;
}

/* The user's own shell, and those that there is a profile of. */
static int enable_used_shells(void)
{
    const char *own = getenv("SHELL"), *slash = own ? strrchr(own, '/') : NULL;
    int status = EXIT_OK, count = 0;
    for (const struct profile_shell *s = profile_shells; s->name; s++) {
        if (!profile_exists(s) && !(slash && !strcmp(slash + 1, s->name)))
            continue;
        status = profile_enable(s) == EXIT_OK ? status : EXIT_FAILED;
        count++;
    }
    if (!count)
        return say_fail(EXIT_USAGE,
                        "which shell? bash, zsh or fish, like `ptyd enable shell bash`");
    return status;
}

static int enable_shells(int argc, char **argv)
{
    int status = EXIT_OK;
    for (int i = optind; i < argc; i++)
        if (!shell_named(argv[i]))
            cli_usage("the profile of bash, zsh or fish can have it, not of %s", argv[i]);
    if (optind == argc)
        status = enable_used_shells();
    for (; optind < argc; optind++)
        status = profile_enable(shell_named(argv[optind])) == EXIT_OK ? status : EXIT_FAILED;
    if (!is_in_path("ptyd") && status == EXIT_OK)
        say("ptyd is not in PATH here: where it is not, the line does nothing");
    return status;
}

static int disable_shells(const struct cli *cli, int argc, char **argv)
{
    cli_no_more(cli, argc, argv);
    return profile_disable();
}

/* ---- commands ---- */

static const struct agent *pick(const char *name)
{
    const struct agent *agent = agent_find(name, strlen(name));
    if (!agent)
        cli_usage("what? shell, or an agent: %s%s%s", agent_names(", ", " or ", false),
                  *name ? "; there is no " : "", name);
    return agent;
}

/* Without a home directory it would be below / or here, where nobody reads it. `variable`: NULL, or
 * what says the place instead. */
static bool is_place_known(const char *variable)
{
    const char *home = getenv("HOME"), *given = variable ? getenv(variable) : NULL;
    if ((home && *home == '/') || (given && *given))
        return true;
    say("HOME is not the name of a directory from / on, so nobody knows whose files these are; "
        "set it");
    return false;
}

static int run(int argc, char **argv, bool enable)
{
    static const struct option options[] = {{"hook", no_argument, NULL, HOOK}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help = enable ? enable_help() : disable_help());
    bool by_hook = false;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            by_hook = true;
    const char *name = optind < argc ? argv[optind++] : "";
    cli_heeds(&cli, CLI_NO_SESSION | CLI_NO_JSON);
    if (!strcmp(name, "shell") && !is_place_known(NULL))
        return EXIT_FAILED;
    if (!strcmp(name, "shell"))
        return enable ? enable_shells(argc, argv) : disable_shells(&cli, argc, argv);
    cli_no_more(&cli, argc, argv);
    const struct agent *agent = pick(name);
    if (!is_place_known(agent->variable))
        return EXIT_FAILED;
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
