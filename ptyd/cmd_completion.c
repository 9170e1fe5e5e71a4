/* What may come next on a command line. The scripts know nothing: they ask this program, which
 * knows its commands, reads a command's options out of what its own --help says, and asks the
 * daemon for sessions and blocks. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/rpc.h"
#include "ptyd/command/show.h"
#include "ptyd/commands.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd completion bash|zsh|fish\n"
    "       ptyd completion --words [WORD...]\n\n"
    "Prints the script by which that shell completes commands, options, sessions and blocks\n"
    "behind `ptyd`. The second form is what it asks: the words that may stand where the last WORD\n"
    "does, each with a tab and what it is.\n\n"
    "examples:\n"
    "  eval \"$(ptyd completion bash)\"      in ~/.bashrc\n"
    "  eval \"$(ptyd completion zsh)\"       in ~/.zshrc, behind compinit\n"
    "  ptyd completion fish | source       in ~/.config/fish/config.fish\n";

static const char bash_script[] =
    "_ptyd() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word prefix=\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=('')\n"
    "    word=${words[${#words[@]} - 1]}\n"
    "    [[ $word == *:* ]] && prefix=${word%\"${word##*:}\"} # readline takes a colon for a "
    "space\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        COMPREPLY+=(\"${word#\"$prefix\"}\")\n"
    "    done < <(command ptyd completion --words \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "complete -o default -F _ptyd ptyd\n";

static const char zsh_script[] =
    "#compdef ptyd\n"
    "_ptyd() {\n"
    "    local line\n"
    "    local -a found\n"
    "    for line in \"${(@f)$(command ptyd completion --words \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "        [[ -n $line ]] && found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
    "    done\n"
    "    if (( $#found )); then _describe -V ptyd found; else _files; fi\n"
    "}\n"
    "if [[ ${funcstack[1]} == _ptyd ]]; then _ptyd \"$@\"; else compdef _ptyd ptyd; fi\n";

static const char fish_script[] =
    "function __ptyd_words\n"
    "    set -l words (commandline -opc)\n"
    "    command ptyd completion --words $words[2..-1] (commandline -ct) 2>/dev/null\n"
    "end\n"
    "complete -c ptyd -n 'test (count (__ptyd_words)) -gt 0' -f -k -a '(__ptyd_words)'\n";

#define SHOWN_BYTES 60 /* of a block's command */

/* ---- one word ---- */

static void offer(const char *typed, const char *word, const char *what)
{
    if (strncmp(word, typed, strlen(typed)) != 0)
        return;
    printf("%s\t", word);
    show_text(what); /* a command may be what it says */
    putchar('\n');
}

static void offer_commands(const char *typed)
{
    for (size_t i = 0; i < command_count; i++)
        offer(typed, commands[i].name, commands[i].summary);
}

/* ---- what the daemon has ---- */

/* Nothing is said where none answers: this is asked while somebody types. */
static json_t *ask(const char *method, json_t *params)
{
    struct rpc rpc;
    char *error = NULL;
    json_t *result = NULL;
    if (rpc_connect(&rpc, false, LIMIT_COMPLETION_MS) < 0) {
        json_decref(params);
        return NULL;
    }
    result = rpc_ask(&rpc, method, params, LIMIT_COMPLETION_MS, &error);
    rpc_close(&rpc);
    free(error);
    return result;
}

static void offer_sessions(const char *typed)
{
    json_t *sessions = ask("session.list", json_object()), *session;
    size_t i;
    json_array_foreach(sessions, i, session)
        offer(typed, json_text(session, "name", ""), json_text(session, "state", ""));
    json_decref(sessions);
}

/* Newest first. */
static void offer_blocks(const char *typed, const char *name)
{
    json_t *blocks = ask("session.blocks",
                         json_pack("{s:s, s:i}", "name", name, "last", LIMIT_COMPLETION_BLOCKS));
    for (size_t i = json_array_size(blocks); i-- > 0;) {
        const json_t *block = json_array_get(blocks, i);
        const char *cmd = json_text(block, "cmd", "");
        char *what = text_clean(cmd, strcspn(cmd, "\n"), SHOWN_BYTES);
        offer(typed, json_text(block, "block_id", ""), what);
        free(what);
    }
    json_decref(blocks);
}

/* ---- options ---- */

/* What the command's --help prints. New string. */
static char *help_of(const struct command *command)
{
    char *argv[] = {(char *)command->name, "--help", NULL}, *text = NULL;
    size_t len = 0;
    int ends[2];
    if (pipe(ends) < 0)
        return text_copy("");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        exit(command->run(2, argv));
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    if (said && getdelim(&text, &len, '\0', said) < 0)
        text[0] = '\0';
    fclose(said);
    waitpid(child, NULL, 0);
    return text;
}

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

/* The options between `at` and `end`, each of them once: `offered` has a word for each. */
static void offer_each_option(const char *typed, const char *at, const char *end, const char *what,
                              struct bytes *offered)
{
    while ((at = memmem(at, (size_t)(end - at), "--", 2))) {
        size_t len = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
        char *option = text_format("%.*s", (int)len, at), *word = text_format(" %s ", option);
        if (len > 2 && !strstr(offered->data, word)) {
            offer(typed, option, what);
            bytes_append_text(offered, word);
        }
        free(option);
        free(word);
        at += len;
    }
}

/* A line of a help that begins with options: `  --last N   the newest N`, and what they do. */
static void offer_of_line(const char *typed, const char *line, size_t len, struct bytes *offered)
{
    const char *at = skip_spaces(line), *end = strstr(at, "  ");
    if (at == line || *at != '-')
        return;
    end = end && end < line + len ? end : line + len;
    const char *what = skip_spaces(end);
    char *rest = text_format("%.*s", what < line + len ? (int)(line + len - what) : 0, what);
    offer_each_option(typed, at, end, rest, offered);
    free(rest);
}

/* Those of the usage that no line explains come behind those. */
static void offer_options(const char *typed, const struct command *command)
{
    static const char *const shared[][2] = {{"--session", "of which session"},
                                            {"--json", "one JSON value"},
                                            {"--help", "how it is used"}};
    char *text = help_of(command), *examples = strstr(text, "\nexample");
    struct bytes offered = {0};
    bytes_append_text(&offered, " ");
    if (examples)
        *examples = '\0';
    const char *rest = strstr(text, "\n\n");
    rest = rest ? rest : text + strlen(text);
    for (const char *line = rest; *line; line += strcspn(line, "\n"), line += *line == '\n')
        offer_of_line(typed, line, strcspn(line, "\n"), &offered);
    offer_each_option(typed, text, rest, "", &offered);
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        offer_each_option(typed, shared[i][0], shared[i][0] + strlen(shared[i][0]), shared[i][1],
                          &offered);
    bytes_finish(&offered);
    free(text);
}

/* ---- arguments ---- */

static void offer_each(const char *typed, const char *const *words)
{
    for (; *words; words++)
        offer(typed, *words, "");
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words))
        words++;
    return *words != NULL;
}

static void offer_arguments(const char *typed, const char *command, const char *session)
{
    static const char *const of_sessions[] = {"attach", "close",  "detach", "grant",
                                              "open",   "rename", "reset",  NULL};
    static const char *const of_blocks[] = {"block", "copy", "diff", "forget", "rerun", NULL};
    static const char *const of_agents[] = {"enable", "disable", NULL};
    static const char *const agents[] = {"shell", "codex",   "claude",   "gemini",
                                         "qwen",  "copilot", "opencode", NULL};
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    if (is_one_of(command, of_sessions))
        offer_sessions(typed);
    else if (is_one_of(command, of_blocks))
        offer_blocks(typed, session);
    else if (is_one_of(command, of_agents))
        offer_each(typed, agents);
    else if (!strcmp(command, "hook"))
        offer_each(typed, agents + 1);
    else if (!strcmp(command, "notify"))
        offer(typed, "codex", "");
    else if (!strcmp(command, "completion"))
        offer_each(typed, shells);
}

static bool is_session_option(const char *word)
{
    return !strcmp(word, "-s") || !strcmp(word, "--session");
}

static bool is_block_option(const struct command *command, const char *word)
{
    bool takes_blocks = !strcmp(command->name, "record") || !strcmp(command->name, "test");
    return takes_blocks && (!strcmp(word, "--from") || !strcmp(word, "--to"));
}

/* The last of the words is the one that is completed. */
static void offer_words(int count, char **words)
{
    const char *typed = count ? words[count - 1] : "";
    const char *session = getenv("PTYD_SESSION");
    const struct command *command = count > 1 ? command_find(words[0]) : NULL;
    session = session && *session ? session : "default";
    for (int i = 1; i + 1 < count; i++) {
        if (!strcmp(words[i], "--"))
            return; /* what follows is another program's */
        if (is_session_option(words[i]) && i + 2 < count)
            session = words[i + 1];
    }
    if (count < 2 || (count == 2 && !strcmp(words[0], "help")))
        offer_commands(typed);
    else if (is_session_option(words[count - 2]))
        offer_sessions(typed);
    else if (command && is_block_option(command, words[count - 2]))
        offer_blocks(typed, session);
    else if (command && *typed == '-')
        offer_options(typed, command);
    else if (command)
        offer_arguments(typed, command->name, session);
}

int command_completion(int argc, char **argv)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    if (argc > 1 && !strcmp(argv[1], "--words")) { /* what follows may look like options */
        offer_words(argc - 2, argv + 2);
        return EXIT_OK;
    }
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    if (optind >= argc)
        cli_usage("which shell: bash, zsh or fish?");
    const char *shell = argv[optind++];
    cli_no_more(&cli, argc, argv);
    cli_heeds(&cli, CLI_NO_SESSION | CLI_NO_JSON);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (!strcmp(shell, scripts[i].shell)) {
            fputs(scripts[i].script, stdout);
            return EXIT_OK;
        }
    cli_usage("no completion for '%s': bash, zsh or fish", shell);
}
