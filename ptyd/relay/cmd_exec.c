/* ptyd exec: one command, without a session or a daemon, whose block goes to the hub. For CI and
 * containers: what is given here counts before what `ptyd relay enable` wrote. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "envelope/redact/redact.h"
#include "ptyd/command/cli.h"
#include "ptyd/core/conf.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/ask.h"
#include "ptyd/relay/child.h"
#include "ptyd/relay/credentials.h"
#include "ptyd/relay/letter.h"
#include "ptyd/relay/roles.h"
#include "ptyd/relay/subject.h"
#include "ptyd/relay/unsent.h"
#include "ptyd/relay/visit.h"

static const char help[] =
    "usage: ptyd exec [--url URL] [--creds FILE] [--id HOSTID] [--ca FILE] [--user NAME]\n"
    "                 [--host NAME] [--seal-key FILE] [-s NAME] [--json] -- COMMAND [ARGS...]\n\n"
    "Runs a command, without a terminal, a session or a daemon, and tells your hosts of it "
    "through\n"
    "the hub, as `ptyd relay` does: command, status, the end of its output, without secrets. Its\n"
    "status is the command's; 125 where ptyd failed before it ran. A hub that is not reached is "
    "said\n"
    "on stderr and changes nothing; the next `ptyd exec` here that reaches it sends what waits.\n"
    "One word is a command line for sh.\n\n"
    "  --url, --creds, --ca, --user, --host, --seal-key   as of `ptyd relay enable`, which need "
    "not\n"
    "                 have run\n"
    "  --id HOSTID    whose key --creds is: 16 hexadecimal digits, as the hub's owner has them;\n"
    "                 credentials of `ptyd relay hub --grant` say it themselves\n"
    "  -s NAME        the session that others see it in (exec)\n"
    "  --json         the block as it was sent, behind the command's output\n\n"
    "examples:\n"
    "  ptyd exec -- make test\n"
    "  ptyd exec --url tls://hub.example:4222 --creds $KEY_FILE --id $ID --host ci -- 'make && "
    "ls'\n";

enum { URL = CLI_FIRST_OWN, CREDS, ID, CA, USER, HOST, SEAL_KEY };

struct wishes {
    const char *url, *creds, *id, *ca, *user, *host, *seal;
};

static void set(char **text, const char *by)
{
    if (!by)
        return;
    free(*text);
    *text = text_copy(by);
}

/* Returns NULL, or why it cannot be told of (a new string). */
static char *prepare(const struct wishes *w, struct setup *s, struct identity *own)
{
    char name[LIMIT_HOST_BYTES + 1] = "host", *state = paths_state();
    char *none = setup_read(s);
    if (none)
        *s = (struct setup){0};
    char *why = none && !w->url ? none : NULL;
    if (none && !why)
        free(none);
    gethostname(name, sizeof name - 1);
    const char *user = getenv("USER");
    set(&s->url, w->url);
    set(&s->creds, w->creds);
    set(&s->authority, w->ca);
    set(&s->seal, w->seal);
    set(&s->user, w->user ? w->user : s->user ? NULL : user && *user ? user : "user");
    set(&s->host, w->host ? w->host : s->host ? NULL : name);
    if (!why && hub_check_url(s->url))
        why = text_format("'%s' is no hub's URL: %s", s->url, hub_check_url(s->url));
    if (!why && setup_check_name(s->user))
        why =
            text_format("$USER is no user's name: %s; --user gives one", setup_check_name(s->user));
    if (!why && setup_check_name(s->host))
        why = text_format("this host's name is none: %s; --host gives one",
                          setup_check_name(s->host));
    if (!why)
        why = setup_read_key(s);
    if (!why)
        why = identity_open(state, IDENTITY_MAKE, own);
    if (!why && w->id)
        strcpy(own->host_id, w->id);
    else if (!why && s->creds)
        credentials_host(s->creds, own->host_id); /* else it stays this machine's */
    free(state);
    return why;
}

/* ---- the block ---- */

static char *command_line(char *const *argv)
{
    struct bytes line = {0};
    if (!argv[1])
        return text_clean(argv[0], strlen(argv[0]), LIMIT_COMMAND_BYTES);
    for (int i = 0; argv[i]; i++) {
        char *word = text_shell_quote(argv[i]);
        bytes_append_text(&line, i ? " " : "");
        bytes_append_text(&line, word);
        free(word);
    }
    char *clean = text_clean(line.data, line.len, LIMIT_COMMAND_BYTES);
    bytes_finish(&line);
    return clean;
}

static struct redact_secrets *secrets_of_environment(void)
{
    extern char **environ;
    struct redact_secrets *secrets = NULL;
    struct bytes all = {0};
    for (char **at = environ; *at; at++)
        bytes_append(&all, *at, strlen(*at) + 1);
    if (all.failed || (all.len && redact_secrets_create(all.data, all.len, &secrets) < 0))
        memory_end();
    bytes_finish(&all);
    return secrets;
}

static void replace(char **text, char *by)
{
    free(*text);
    *text = by;
}

/* The secrets go first: the end alone may be a part of one. */
static void set_preview(struct block *b, const struct child *child,
                        const struct redact_secrets *secrets)
{
    struct bytes told = {0};
    b->redacted +=
        redact_text(child->text.data ? child->text.data : "", child->text.len, secrets, &told);
    if (told.failed)
        memory_end();
    size_t len = told.len, from = len, lines = 0;
    const char *text = told.data ? told.data : "";
    if (len && text[len - 1] == '\n')
        len--;
    for (from = len; from > 0 && len - from < LIMIT_PREVIEW_BYTES - 1; from--)
        if (text[from - 1] == '\n' && ++lines == LIMIT_PREVIEW_LINES)
            break;
    from = utf8_ceil(text, len, from);
    int64_t shown = len > from ? 1 : 0;
    for (size_t i = from; i < len; i++)
        shown += text[i] == '\n';
    b->omitted_lines = child->lines > shown ? child->lines - shown : 0;
    b->truncated = from > 0 || b->omitted_lines;
    replace(&b->preview, text_format("%.*s%s", (int)(len - from), text + from, shown ? "\n" : ""));
    bytes_finish(&told);
}

static struct block *block_of(char *const *argv, const char *session, const struct child *child)
{
    struct block *b = block_create();
    unsigned char random[4];
    char hex[2 * sizeof random + 1], cwd[LIMIT_CWD_BYTES];
    struct redact_secrets *secrets = secrets_of_environment();
    keys_random(random, sizeof random);
    keys_hex(random, sizeof random, hex);
    replace(&b->conversation_id, text_copy(session));
    replace(&b->shell_id, text_format("shell_%s", hex));
    replace(&b->cmd, command_line(argv));
    replace(&b->cwd, getcwd(cwd, sizeof cwd) ? text_clean(cwd, strlen(cwd), LIMIT_CWD_BYTES)
                                             : text_copy("/"));
    replace(&b->cwd_after, text_copy(b->cwd));
    b->seq = 1;
    b->cmd_source = BLOCK_FROM_SHELL;
    b->ts_begin = child->begun_ms;
    b->ts_end = child->ended_ms;
    b->duration_ms = child->lasted_ms;
    b->output_lines = child->lines;
    b->output_bytes = child->bytes;
    block_set_exit(b, child->status);
    block_redact(b, secrets);
    set_preview(b, child, secrets);
    letter_take_secrets_out(b);
    redact_secrets_destroy(secrets);
    return b;
}

/* ---- to the hub ---- */

/* Returns NULL, or what went wrong (a new string). */
static char *send_letter(struct visit *v, const struct unsent *letter)
{
    json_t *answer =
        ask_hub_text(v->hub, letter->subject, letter->text, letter->id, LIMIT_RELAY_ACK_MS);
    const char *error = ask_error(answer);
    char *why = error ? text_format("%s%s", error, ask_hub_hint(error)) : NULL;
    json_decref(answer);
    return why;
}

static void keep(const char *state, const struct unsent *letter)
{
    size_t given_up;
    char *path = unsent_path(state);
    int result = unsent_keep(state, letter, &given_up);
    if (result < 0)
        say("nor is it kept in %s: %s", path, strerror(-result));
    else
        say("it is kept in %s, and sent by the next `ptyd exec` that reaches that hub, or by the "
            "relay here",
            path);
    if (given_up)
        say("no more than the newest %d are kept: %zu older ones are given up", LIMIT_EXEC_KEPT,
            given_up);
    free(path);
}

/* What was not sent before goes first. Takes the setup. */
static void tell(struct block *b, const char *session, struct setup setup,
                 const struct identity *own)
{
    struct visit visit;
    char id[KEYS_ID_SIZE], *user = subject_token(setup.user), *state = paths_state();
    char *subject = subject_block(user, own->host_id, session);
    char *text = letter_text_within(b, &setup, own, session, 1, LIMIT_RELAY_LETTER_BYTES);
    char *later = letter_text(b, &setup, own, session, 1), *url = text_copy(setup.url);
    letter_id(b, &setup, own, 1, 0, id);
    char *sealed = sealing_close(&setup.sealing, subject, id, text);
    char *sealed_later = sealing_close(&setup.sealing, subject, id, later);
    struct unsent letter = {
        .url = url, .host_id = own->host_id, .subject = subject, .id = id, .text = sealed};
    char *why = visit_begin_as(&visit, setup, own);
    if (!why) {
        unsent_send(state, &visit);
        why = send_letter(&visit, &letter);
    }
    if (why)
        say("your other hosts do not hear of this command: %s", why);
    letter.text = sealed_later;
    if (why)
        keep(state, &letter);
    visit_end(&visit);
    free(why);
    free(url);
    free(sealed_later);
    free(sealed);
    free(later);
    free(text);
    free(subject);
    free(state);
    free(user);
}

/* ---- the command ---- */

static int run(const struct cli *cli, char *const *argv, struct setup setup,
               const struct identity *own)
{
    const char *session = cli->session_given ? cli->session : "exec";
    struct conf_file *conf = conf_open();
    struct child child;
    conf_use_rules(conf);
    int result = child_run(argv, &child);
    if (result < 0) {
        setup_finish(&setup);
        return say_fail(EXIT_PTYD, "cannot run it: %s", strerror(-result));
    }
    struct block *b = block_of(argv, session, &child);
    int status = child.status;
    if (deliver_wanted(b, conf_now(conf)))
        tell(b, session, setup, own);
    else
        setup_finish(&setup);
    if (cli->json)
        cli_print_json(block_to_json(b));
    block_unref(b);
    child_finish(&child);
    return status;
}

static void take_option(int option, struct wishes *w)
{
    switch (option) {
    case URL:
        w->url = optarg;
        break;
    case CREDS:
        w->creds = optarg;
        break;
    case ID:
        if (!roles_is_id(optarg))
            cli_usage("'%s' is no host's id: 16 hexadecimal digits", optarg);
        w->id = optarg;
        break;
    case CA:
        w->ca = optarg;
        break;
    case SEAL_KEY:
        w->seal = optarg;
        break;
    default:
        if (setup_check_name(optarg))
            cli_usage("that is no name: %s", setup_check_name(optarg));
        *(option == USER ? &w->user : &w->host) = optarg;
    }
}

int command_exec(int argc, char **argv)
{
    static const struct option options[] = {{"url", required_argument, NULL, URL},
                                            {"creds", required_argument, NULL, CREDS},
                                            {"id", required_argument, NULL, ID},
                                            {"ca", required_argument, NULL, CA},
                                            {"user", required_argument, NULL, USER},
                                            {"host", required_argument, NULL, HOST},
                                            {"seal-key", required_argument, NULL, SEAL_KEY},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    struct wishes wishes = {0};
    struct setup setup = {0};
    struct identity own;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT, options)) != -1)
        if (cli_option(&cli, option) != 0)
            take_option(option, &wishes);
    if (optind >= argc)
        cli_usage("exec needs a command");
    char *why = prepare(&wishes, &setup, &own);
    if (!why)
        return run(&cli, argv + optind, setup, &own);
    say("%s", why);
    free(why);
    setup_finish(&setup);
    return EXIT_PTYD;
}
