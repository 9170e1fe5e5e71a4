/* cli.h - what every command shares: options, exit statuses, the table of commands. */
#ifndef PTYD_COMMAND_CLI_H
#define PTYD_COMMAND_CLI_H

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>

/* Exit statuses. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_TIMEOUT = 124, EXIT_PTYD = 125 };

/* Options that every command takes. */
struct cli {
    const char *session; /* -s NAME, else $PTYD_SESSION, else "default" */
    bool session_given;  /* by -s or as a bare NAME */
    bool json;
    bool no_start;
    const char *help; /* of the command at hand */
};

#define CLI_SHORT       "+s:h" /* options come before arguments */
#define CLI_SHORT_MIXED "s:h"  /* or among them */
enum { CLI_JSON = 256, CLI_NO_START, CLI_SOCKET, CLI_STATE_DIR, CLI_FIRST_OWN };
#define CLI_LONG                                                                                   \
    {"session", required_argument, NULL, 's'}, {"json", no_argument, NULL, CLI_JSON},              \
        {"no-start", no_argument, NULL, CLI_NO_START},                                             \
        {"socket", required_argument, NULL, CLI_SOCKET},                                           \
        {"state-dir", required_argument, NULL, CLI_STATE_DIR},                                     \
    {                                                                                              \
        "help", no_argument, NULL, 'h'                                                             \
    }

/* The command at hand, for what is said of wrong usage. Returns what getopt_long() is to call it.
 */
char *cli_name_command(const char *name);

/* Starts reading a command's options. */
struct cli cli_begin(const char *help);

/* getopt_long(), which says on standard error what is wrong; of a long option that there is not it
 * is kept which may have been meant, for the end of what is said. */
int cli_next(int argc, char **argv, const char *order, const struct option *options);

/* Handles an option that cli_next() returned if it is a shared one. Returns 0 when done, 1
 * when the command must handle it; does not return for --help (prints, exit 0) and for bad
 * options (exit 2). */
int cli_option(struct cli *cli, int option);

/* Reads the options of a command that has none of its own; `order` is CLI_SHORT or
 * CLI_SHORT_MIXED. */
struct cli cli_plain(int argc, char **argv, const char *order, const char *help);

/* Takes argv[optind] as the session's NAME if there is one and -s was not given. */
void cli_bare_name(struct cli *cli, int argc, char **argv);

/* Ends with status 2 if anything is left of the arguments. */
void cli_no_more(const struct cli *cli, int argc, char **argv);

/* Ends with status 2 if one of the shared options was given that the command would not heed. */
enum { CLI_NO_SESSION = 1, CLI_NO_JSON = 2 };
void cli_heeds(const struct cli *cli, int not_heeded);

/* The argument of --timeout in seconds, more than 0 and less than LIMIT_RUN_S; ends with status 2
 * for anything else. */
double cli_seconds(const char *text);

/* An argument that is text: what the daemon is asked is JSON, and what is looked for in is UTF-8,
 * too. Ends with status 2 where it is not, and says so of `what`. */
const char *cli_text(const char *what, const char *text);

/* Says the message (say.h) and which --help says more; ends with status 2. */
_Noreturn void cli_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints one JSON value and a newline; steals the reference. Returns 0, or 1 when stdout fails. */
int cli_print_json(json_t *value);

/* The commands; argv[0] is what cli_name_command() returned. Each returns the exit status. */
int command_attach(int argc, char **argv);
int command_block(int argc, char **argv);
int command_blocks(int argc, char **argv);
int command_close(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_copy(int argc, char **argv);
int command_context(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_default(int argc, char **argv);
int command_codex(int argc, char **argv);
int command_detach(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_disable(int argc, char **argv);
int command_enable(int argc, char **argv);
int command_exec(int argc, char **argv);
int command_expect(int argc, char **argv);
int command_events(int argc, char **argv);
int command_forget(int argc, char **argv);
int command_hook(int argc, char **argv);
int command_hosts(int argc, char **argv);
int command_inside(int argc, char **argv);
int command_last(int argc, char **argv);
int command_list(int argc, char **argv);
int command_mcp(int argc, char **argv);
int command_notify(int argc, char **argv);
int command_open(int argc, char **argv);
int command_proxy(int argc, char **argv);
int command_record(int argc, char **argv);
int command_relay(int argc, char **argv);
int command_rename(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_rerun(int argc, char **argv);
int command_grant(int argc, char **argv);
int command_reset(int argc, char **argv);
int command_resize(int argc, char **argv);
int command_run(int argc, char **argv);
int command_screen(int argc, char **argv);
int command_scrollback(int argc, char **argv);
int command_search(int argc, char **argv);
int command_script(int argc, char **argv);
int command_send(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_status(int argc, char **argv);
int command_test(int argc, char **argv);
int command_upgrade(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_version(int argc, char **argv);
int command_wait(int argc, char **argv);

#endif
