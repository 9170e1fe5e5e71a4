#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/client/request.h"
#include "ptyd/command/show.h"
#include "ptyd/core/json.h"
#include "ptyd/core/program.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd status [--short] [-s NAME] [--json]\n\n"
    "The daemon's health, its sessions and warnings; with -s session NAME and what concerns it.\n\n"
    "  --short    one line for a prompt or a status bar: how many commands wait for the agent,\n"
    "             and `paused`, `off` or `degraded` when it is so; of session NAME, or of all\n\n"
    "examples:\n"
    "  ptyd status\n"
    "  ptyd status -s work\n"
    "  tmux: set -g status-right '#(ptyd status --short)'\n";

enum { SHORT = CLI_FIRST_OWN };

/* What closed sessions left. */
static void show_closed(const json_t *closed)
{
    json_int_t count = json_number(closed, "sessions", 0);
    if (count || json_number(closed, "removed", 0))
        printf("%lld closed session%s %.1f MiB (kept %lld days, %.0f MiB); %lld removed\n", count,
               count == 1 ? " holds" : "s hold",
               (double)json_number(closed, "bytes", 0) / (1 << 20),
               json_number(closed, "keep_days", 0),
               (double)json_number(closed, "keep_bytes", 0) / (1 << 20),
               json_number(closed, "removed", 0));
}

static void show_batons(const json_t *batons)
{
    size_t i;
    json_t *baton;
    json_array_foreach(batons, i, baton) {
        const char *name = json_text(baton, "conversation_id", "");
        bool asks = !strcmp(json_text(baton, "state", ""), "asks");
        printf("%s ", json_text(baton, "agent", ""));
        if (asks)
            printf("asks to type in session %s, `ptyd grant %s` lets it: %s\n", name, name,
                   json_text(baton, "purpose", ""));
        else
            printf("may type in session %s (%s); any key of yours there takes it back\n", name,
                   json_text(baton, "scope", ""));
    }
}

/* Where the daemon is another build than this program: it does not know what this one knows. */
static void compare(json_t *status)
{
    const char *theirs = json_text(status, "version", ""), *build = json_text(status, "build", "");
    bool same_version = !strcmp(theirs, PTYD_VERSION);
    if (same_version && !strcmp(build, program_build()))
        return;
    char *own = program_path(-1);
    bool same_file = !strcmp(own, json_text(status, "program", ""));
    char *what = same_version ? text_format("another build of ptyd %s than this one", theirs)
                              : text_format("ptyd %s, this is %s", theirs, PTYD_VERSION);
    char *text =
        text_format("the daemon is %s; `ptyd upgrade%s%s` replaces it and keeps every shell", what,
                    same_file ? "" : " --binary ", same_file ? "" : own);
    json_array_append_new(json_object_get(status, "warnings"), json_string(text));
    free(what);
    free(text);
    free(own);
}

static void show_status(const json_t *status)
{
    size_t i;
    json_t *warning;
    printf("ptyd %s, keeper %lld, worker %lld, up %lld s, %lld spoofed marks dropped\n",
           json_text(status, "version", ""), json_number(status, "keeper_pid", 0),
           json_number(status, "worker_pid", 0), json_number(status, "uptime_ms", 0) / 1000,
           json_number(status, "spoofed_marks", 0));
    printf("the worker's confinement is %s\n", json_text(status, "confinement", "off"));
    if (json_flag(status, "redact_disk"))
        printf("secrets are taken out of files, too\n");
    show_sessions(json_object_get(status, "sessions"));
    show_batons(json_object_get(status, "batons"));
    show_closed(json_object_get(status, "closed"));
    json_array_foreach(json_object_get(status, "warnings"), i, warning)
        printf("warning: %s\n", json_string_value(warning));
}

/* What of it is asked for: new reference. */
static json_t *asked_for(const struct cli *cli)
{
    json_t *params = json_object();
    if (cli->session_given)
        json_object_set_new(params, "name", json_string(cli->session));
    return params;
}

static int show_short(const struct cli *cli)
{
    json_t *status = request_look("status.short", asked_for(cli));
    if (!status)
        return EXIT_FAILED;
    if (cli->json)
        return cli_print_json(status);
    printf("%lld pending%s%s%s\n", json_number(status, "pending", 0),
           json_flag(status, "paused") ? ", paused" : "",
           json_is_false(json_object_get(status, "injection")) ? ", off" : "",
           json_flag(status, "degraded") ? ", degraded" : "");
    json_decref(status);
    return EXIT_OK;
}

int command_status(int argc, char **argv)
{
    static const struct option options[] = {{"short", no_argument, NULL, SHORT}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    bool brief = false;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            brief = true;
    cli_no_more(&cli, argc, argv);
    if (brief)
        return show_short(&cli);
    json_t *asked = asked_for(&cli);
    if (!cli.json)
        json_object_set_new(asked, "members", show_session_members());
    json_t *status = request_look("status", asked);
    if (!status)
        return EXIT_FAILED;
    compare(status);
    if (cli.json)
        return cli_print_json(status);
    show_status(status);
    json_decref(status);
    return EXIT_OK;
}
