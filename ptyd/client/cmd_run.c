#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd run [-s NAME] [--timeout SECONDS] [--json] -- COMMAND\n\n"
    "Waits for a prompt of the session, types COMMAND there, shows its output and ends with its\n"
    "status. One argument is typed as it is, several are quoted for the shell. Starts daemon and\n"
    "session when they do not run.\n\n"
    "  --timeout SECONDS    124 when it is not done by then; it goes on running\n"
    "  --json               print the command's block instead of its output\n\n"
    "status: the command's own; 124 time is over; 125 ptyd failed or the status stayed unknown\n\n"
    "examples:\n"
    "  ptyd run -s work -- make -j4\n"
    "  ptyd run -- 'cd src && ls | wc -l'\n";

enum { TIMEOUT = CLI_FIRST_OWN };

static void on_notification(void *user, const char *method, const json_t *params)
{
    (void)user;
    const json_t *text = json_object_get(params, "text");
    if (strcmp(method, "run.output") || !json_is_string(text))
        return;
    fwrite(json_string_value(text), 1, json_string_length(text), stdout);
    fflush(stdout);
}

/* The output that came faster than it was read here: the block's file has it. */
static void print_rest(const json_t *result, const json_t *block)
{
    json_int_t streamed = json_number(result, "streamed", 0);
    json_int_t total = json_number(block, "output_bytes", 0);
    const char *directory = json_text(result, "directory", NULL);
    const char *name = json_text(block, "output_path", NULL);
    if (streamed >= total || !directory || !name)
        return;
    char *path = text_format("%s/%s", directory, name);
    char chunk[1 << 16];
    FILE *file = fopen(path, "re");
    size_t n;
    if (file && fseek(file, (long)streamed, SEEK_SET) == 0)
        while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
            streamed += (json_int_t)fwrite(chunk, 1, n, stdout);
    else
        say("%s cannot be read: the rest of the output is missing", path);
    if (file && streamed < total)
        say("%s holds no more: %lld bytes of the output are missing", path,
            (long long)(total - streamed));
    if (file)
        fclose(file);
    free(path);
}

static char *command_text(int argc, char **argv)
{
    if (optind == argc - 1)
        return text_copy(argv[optind]);
    struct bytes line = {0};
    for (int i = optind; i < argc; i++) {
        char *word = text_shell_quote(argv[i]);
        bytes_printf(&line, "%s%s", i > optind ? " " : "", word);
        free(word);
    }
    return line.data;
}

static int report(const struct cli *cli, const json_t *result, double timeout)
{
    json_t *block = json_object_get(result, "block");
    const json_t *exit_code = json_object_get(block, "exit_code");
    if (cli->json && json_is_object(block))
        cli_print_json(json_incref(block));
    else if (json_flag(result, "completed"))
        print_rest(result, block);
    if (json_flag(result, "timed_out"))
        return json_flag(result, "typed")
                   ? say_fail(EXIT_TIMEOUT,
                              "not done after %g s; it goes on. Stop it with "
                              "`ptyd attach %s` and Ctrl-C",
                              timeout, cli->session)
                   : say_fail(EXIT_TIMEOUT,
                              "no prompt after %g s; nothing was typed. `ptyd screen "
                              "-s %s` shows why",
                              timeout, cli->session);
    if (json_is_integer(exit_code) && json_flag(result, "completed"))
        return (int)json_integer_value(exit_code);
    if (!json_flag(result, "typed"))
        return say_fail(EXIT_PTYD,
                        "nothing was typed: something that is no prompt waits for input. "
                        "`ptyd screen -s %s` shows it",
                        cli->session);
    return say_fail(EXIT_PTYD, "its status is not known; `ptyd screen -s %s` shows the terminal",
                    cli->session);
}

static int run(const struct cli *cli, char *text, double timeout)
{
    struct rpc rpc;
    int cols, rows;
    request_terminal_size(&cols, &rows);
    if (rpc_connect(&rpc, !cli->no_start) < 0)
        return EXIT_PTYD;
    json_t *open = request_open_params(cli->session);
    json_object_set_new(open, "size", request_size_json(cols, rows));
    json_t *opened = rpc_call(&rpc, "session.open", open, NULL, NULL);
    json_t *result =
        opened
            ? rpc_call(&rpc, "session.run",
                       json_pack("{s:s, s:s, s:b, s:I}", "name", cli->session, "command", text,
                                 "stream", !cli->json, "timeout_ms", (json_int_t)(timeout * 1000)),
                       on_notification, NULL)
            : NULL;
    int status = result ? report(cli, result, timeout) : EXIT_PTYD;
    json_decref(opened);
    json_decref(result);
    rpc_close(&rpc);
    return status;
}

int command_run(int argc, char **argv)
{
    static const struct option options[] = {
        {"timeout", required_argument, NULL, TIMEOUT}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    double timeout = 0;
    int option;
    char *end;
    while ((option = getopt_long(argc, argv, CLI_SHORT, options, NULL)) != -1)
        if (cli_option(&cli, option)) {
            timeout = strtod(optarg, &end);
            if (*end || !(timeout > 0 && timeout < LIMIT_RUN_S))
                cli_usage("timeout '%s' is not a number of seconds", optarg);
        }
    if (optind >= argc)
        cli_usage("which COMMAND?");
    char *text = command_text(argc, argv);
    int status = run(&cli, text, timeout);
    free(text);
    return status;
}
