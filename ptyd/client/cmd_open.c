#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/client/request.h"
#include "ptyd/command/show.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char open_help[] =
    "usage: ptyd open [NAME] [options] [-- ARGV...]\n\n"
    "Makes sure that session NAME runs; starts the daemon when none runs. The session has your\n"
    "environment, directory and umask, and goes on when this terminal closes.\n\n"
    "  --shell S            another shell than $SHELL\n"
    "  --cwd D              another directory\n"
    "  --size COLSxROWS     default: this terminal's\n"
    "  --login              a login shell\n"
    "  --env K=V            one more variable, may be repeated\n"
    "  --no-start           fail where no daemon runs, rather than start one\n"
    "  --json               print the session as JSON\n"
    "  -- ARGV...           run this instead of a shell (no command blocks)\n\n"
    "examples:\n"
    "  ptyd open work\n"
    "  ptyd open build --cwd ~/src --size 120x40\n";

static const char close_help[] =
    "usage: ptyd close [NAME]\n\n"
    "Ends a session: its shell is hung up, after 3 s killed. Its blocks stay "
    "on disk.\n\nexample:\n  ptyd close work\n";

enum { SHELL = CLI_FIRST_OWN, CWD, SIZE, LOGIN, ENV };

static void set(json_t *params, const char *key, const char *value)
{
    if (json_object_set_new(params, key, json_string(value)) < 0)
        cli_usage("'%s' is not UTF-8", key);
}

static void own_option(json_t *params, int option)
{
    const char *equals;
    switch (option) {
    case SHELL:
        set(params, "shell", optarg);
        break;
    case CWD: {
        char *path = realpath(optarg, NULL);
        if (!path)
            cli_usage("there is no directory %s", optarg);
        request_set_directory(params, path);
        free(path);
        break;
    }
    case SIZE:
        json_object_set_new(params, "size", request_size_of(optarg));
        break;
    case LOGIN:
        json_object_set_new(params, "login", json_true());
        break;
    case ENV:
        equals = strchr(optarg, '=');
        if (!equals || equals == optarg)
            cli_usage("'%s' is not NAME=VALUE", optarg);
        char *name = text_format("%.*s", (int)(equals - optarg), optarg);
        set(json_object_get(params, "env"), name, equals + 1);
        free(name);
        break;
    default:
        break;
    }
}

static json_t *rest_of(int argc, char **argv)
{
    json_t *list = json_array();
    for (; optind < argc; optind++)
        json_array_append_new(list, json_string(cli_text("ARGV", argv[optind])));
    return list;
}

static void say_opened(const struct cli *cli, const json_t *session, bool created)
{
    const char *name = json_text(session, "name", cli->session);
    bool renamed = strcmp(name, cli->session) != 0;
    printf("Session %s%s%s%s %s. `ptyd attach %s` shows it.\n", cli->session,
           renamed ? ", which is called " : "", renamed ? name : "", renamed ? " now," : "",
           created ? "runs" : "was running already", name);
}

int command_open(int argc, char **argv)
{
    static const struct option options[] = {{"shell", required_argument, NULL, SHELL},
                                            {"cwd", required_argument, NULL, CWD},
                                            {"size", required_argument, NULL, SIZE},
                                            {"login", no_argument, NULL, LOGIN},
                                            {"env", required_argument, NULL, ENV},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(open_help);
    json_t *params = request_open_params("default");
    int option, end = argc;
    json_object_set_new(params, "size", request_size_json(request_terminal_size()));
    for (int i = 1; i < argc && end == argc; i++)
        if (!strcmp(argv[i], "--"))
            end = i;
    /* NAME may stand before the options. */
    while ((option = cli_next(end, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            own_option(params, option);
    cli_bare_name(&cli, end, argv);
    cli_no_more(&cli, end, argv);
    optind = end + 1;
    if (end < argc)
        json_object_set_new(params, "argv", rest_of(argc, argv));
    set(params, "name", cli.session);
    setlocale(LC_CTYPE, ""); /* nothing else asks for it, and reading it takes time */
    if (strcmp(nl_langinfo(CODESET), "UTF-8"))
        say("your locale is %s; sessions are UTF-8 (set LANG=C.UTF-8)", nl_langinfo(CODESET));
    json_t *result = request_once(&cli, true, "session.open", params);
    if (!result)
        return EXIT_FAILED;
    const json_t *session = json_object_get(result, "session");
    int status = EXIT_OK;
    if (cli.json)
        status = cli_print_json(json_incref((json_t *)session));
    else
        say_opened(&cli, session, json_flag(result, "created"));
    json_decref(result);
    return status;
}

int command_close(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, close_help);
    cli_bare_name(&cli, argc, argv);
    cli_no_more(&cli, argc, argv);
    json_t *result =
        request_once(&cli, false, "session.close", json_pack("{s:s}", "name", cli.session));
    if (!result)
        return EXIT_FAILED;
    if (cli.json)
        return cli_print_json(result);
    printf("Session %s is closed.\n", cli.session);
    json_decref(result);
    return EXIT_OK;
}
