#include "ptyd/command/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char *command = "";
static const char *meant; /* the option that one which there is not may have been */

char *cli_name_command(const char *name)
{
    command = name;
    return text_format("ptyd %s", name);
}

static _Noreturn void end_usage(void)
{
    if (meant)
        fprintf(stderr, "did you mean --%s? ", meant);
    fprintf(stderr, "`ptyd %s%s--help` says how it is used.\n", command, *command ? " " : "");
    exit(EXIT_USAGE);
}

struct cli cli_begin(const char *help)
{
    const char *session = getenv("PTYD_SESSION");
    optind = 1;
    return (struct cli){.session = session && *session ? session : "default", .help = help};
}

/* The long option of `options` that is nearest to `word`, which is `--word` or `--word=value`. */
static const char *nearest_option(const char *word, const struct option *options)
{
    if (strncmp(word, "--", 2))
        return NULL;
    char *name = text_format("%.*s", (int)strcspn(word + 2, "="), word + 2);
    struct text_nearest nearest = text_nearest_begin(name);
    for (; options->name; options++)
        text_nearest_offer(&nearest, options->name);
    free(name);
    return nearest.found;
}

int cli_next(int argc, char **argv, const char *order, const struct option *options)
{
    int option = getopt_long(argc, argv, order, options, NULL);
    /* A long one that there is not, or that may be several; what else is wrong has its number
     * there. */
    if (option == '?' && optopt == 0)
        meant = nearest_option(argv[optind - 1], options);
    return option;
}

int cli_option(struct cli *cli, int option)
{
    switch (option) {
    case 's':
        if (!text_is_name(optarg))
            cli_usage("'%s' is not a session name (letters, digits, . _ -, at most 64)", optarg);
        cli->session = optarg;
        cli->session_given = true;
        return 0;
    case CLI_JSON:
        cli->json = true;
        return 0;
    case CLI_NO_START:
        cli->no_start = true;
        return 0;
    case CLI_SOCKET:
        setenv("PTYD_SOCKET", optarg, 1);
        return 0;
    case CLI_STATE_DIR:
        setenv("PTYD_STATE_DIR", optarg, 1);
        return 0;
    case 'h':
        fputs(cli->help, stdout);
        exit(fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED);
    case '?':
    case ':':
        end_usage(); /* getopt has said what is wrong */
    default:
        return 1;
    }
}

struct cli cli_plain(int argc, char **argv, const char *order, const char *help)
{
    static const struct option options[] = {CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    int option;
    while ((option = cli_next(argc, argv, order, options)) != -1)
        cli_option(&cli, option);
    return cli;
}

void cli_bare_name(struct cli *cli, int argc, char **argv)
{
    if (optind >= argc || cli->session_given)
        return;
    if (!text_is_name(argv[optind]))
        cli_usage("'%s' is not a session name (letters, digits, . _ -, at most 64)", argv[optind]);
    cli->session = argv[optind++];
    cli->session_given = true;
}

void cli_no_more(const struct cli *cli, int argc, char **argv)
{
    (void)cli;
    if (optind < argc)
        cli_usage("unexpected argument '%s'", argv[optind]);
}

void cli_heeds(const struct cli *cli, int not_heeded)
{
    if (not_heeded & CLI_NO_SESSION && cli->session_given)
        cli_usage("`ptyd %s` is about no single session: it takes no -s", command);
    if (not_heeded & CLI_NO_JSON && cli->json)
        cli_usage("`ptyd %s` prints no JSON: it takes no --json", command);
}

void cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
    end_usage();
}

int cli_print_json(json_t *value)
{
    int failed = json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_COMPACT) < 0;
    json_decref(value);
    failed = fputc('\n', stdout) == EOF || fflush(stdout) != 0 || failed;
    return failed ? EXIT_FAILED : EXIT_OK;
}

const char *cli_text(const char *what, const char *text)
{
    if (!utf8_valid(text, strlen(text)))
        cli_usage("%s is not UTF-8, which is all that ptyd takes there", what);
    return text;
}

double cli_seconds(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    if (*end || !(seconds > 0 && seconds < LIMIT_RUN_S))
        cli_usage("timeout '%s' is not a number of seconds", text);
    return seconds;
}
