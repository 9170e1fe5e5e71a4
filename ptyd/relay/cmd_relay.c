/* ptyd relay: the process itself, and what sets it up. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/progress.h"
#include "ptyd/command/since.h"
#include "ptyd/command/unit.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/program.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/cmd_private.h"
#include "ptyd/relay/credentials.h"
#include "ptyd/relay/grant.h"
#include "ptyd/relay/relaying.h"
#include "ptyd/relay/subject.h"

#define UNIT    "ptyd-relay.service"
#define LOOK_MS 20 /* between two looks at the relay that runs */

static const char help[] =
    "usage: ptyd relay [enable --url URL | disable | status | output BLOCK | hub] [OPTIONS]\n"
    "                  [--json]\n\n"
    "The commands of this host told to the agents on your other hosts, and theirs to those here,\n"
    "through a NATS server of yours (JetStream). Without a word it is the process that does so;\n"
    "`enable` writes its settings and, under systemd, starts it now and whenever you log in.\n"
    "Nothing of it is needed on one machine, and nothing runs before `enable`.\n\n"
    "  --url URL         of the hub: tls://HOST:4222; nats:// on this machine alone\n"
    "  --creds FILE      what proves who this is (an NKey's seed, or credentials of NATS);\n"
    "                    without it this host has an NKey of its own\n"
    "  --ca FILE         certificates to trust instead of the system's\n"
    "  --user NAME       whose hosts these are; the same on all of them (your login name)\n"
    "  --host NAME       what others call this host (its own name)\n"
    "  --publish-only    nothing comes here: for machines without an agent\n"
    "  --outputs         your other hosts may ask for whole outputs, without their secrets\n"
    "  --seal            nobody but your hosts can read what is sent: makes a key, in a file, for "
    "all\n"
    "  --seal-key FILE   the same with the key of another host\n"
    "  --new-host        this machine gets another id: it is a copy of one that has this id\n"
    "What is not said again stays as the last `enable` had it; `disable` forgets all of it.\n\n"
    "output prints what a command on another host printed, by its id (`ptyd blocks --host HOST\n"
    "--json`), as that host shows it to agents:\n"
    "  --offset N, --limit N, --grep TEXT   behind N lines, as many, those that hold a text\n\n"
    "hub prints a configuration for nats-server, or with --init makes in it what it needs:\n"
    "  --owner KEY       the owner's public key; --new-key FILE makes one\n"
    "  --member ID=KEY   a host that publishes and receives, as its `enable` prints it\n"
    "  --publisher ID=KEY  one that only publishes\n"
    "  --creds FILE      the owner's key: the configuration names no host, and lets in whom\n"
    "                    --grant ID makes credentials for: a host that publishes and receives,\n"
    "                    with --publish-only one that only publishes, or `owner`, who may do\n"
    "                    --init\n"
    "  --out FILE        a new file for them, which its owner alone may read; else stdout\n"
    "  --expires TIME    of what is granted: 30m, 2h, 7d, or when (2026-12-24 18:00)\n"
    "  --listen ADDRESS:PORT, --cert FILE, --key FILE, --store DIR\n"
    "  --per-session N, --hours N, --bytes N   what is kept (50, 24, 256M)\n\n"
    "examples:\n"
    "  ptyd relay enable --url tls://hub.example:4222\n"
    "  ptyd relay status\n"
    "  ptyd relay hub --new-key owner.nk\n"
    "  ptyd relay hub --owner UD... --member 0123456789abcdef=UA... > hub.conf\n";

enum {
    URL = CLI_FIRST_OWN,
    CREDS,
    CA,
    USER,
    HOST,
    PUBLISH_ONLY,
    OUTPUTS,
    NEW_HOST,
    SEAL,
    SEAL_KEY,
    INIT,
    OWNER,
    NEW_KEY,
    GRANT,
    OUT,
    EXPIRES,
    MEMBER,
    PUBLISHER,
    LISTEN,
    CERT,
    KEY,
    STORE,
    PER_SESSION,
    HOURS,
    BYTES,
    OFFSET,
    LIMIT,
    GREP
};

/* ---- enable, disable ---- */

static char *own_name(void)
{
    char name[LIMIT_HOST_BYTES + 1] = {0};
    return gethostname(name, sizeof name - 1) == 0 && *name ? text_copy(name) : text_copy("host");
}

static char *own_user(void)
{
    const char *user = getenv("USER");
    user = user && *user ? user : getenv("LOGNAME");
    return user && *user ? text_copy(user) : text_format("%ld", (long)getuid());
}

/* Relative to where the command was given; the service runs elsewhere. */
static char *absolute(const char *path)
{
    char *found = path ? realpath(path, NULL) : NULL;
    if (path && !found)
        say("%s: %s", path, strerror(errno));
    return found;
}

static int install_unit(void)
{
    struct bytes text = {0};
    char *program = program_path(-1);
    bytes_append_text(&text, "# Made by `ptyd relay enable`; `ptyd relay disable` removes it.\n"
                             "[Unit]\n"
                             "Description=ptyd's commands to and from your other hosts\n"
                             "Documentation=man:ptyd-relay(7)\n\n"
                             "[Service]\n");
    unit_append_variable("PTYD_SOCKET", &text);
    unit_append_variable("PTYD_STATE_DIR", &text);
    unit_append_variable("XDG_STATE_HOME", &text);
    bytes_append_text(&text, "ExecStart=");
    unit_append_word(program, &text);
    bytes_append_text(&text, " relay\nRestart=on-failure\nRestartSec=5\n\n"
                             "[Install]\nWantedBy=default.target\n");
    int status = unit_install(UNIT, &text, UNIT_ANEW);
    bytes_finish(&text);
    free(program);
    return status;
}

/* The relay that runs, and when it began to go by its settings. */
struct running {
    long pid;
    json_int_t since_ms;
};

static struct running running_now(const char *state)
{
    json_t *status = relaying_status(state);
    struct running now = {relaying_pid(state), json_number(status, "since_ms", 0)};
    json_decref(status);
    return now;
}

/* Until the relay that ran `before` goes by what was said now; one that ended goes by nothing.
 * Returns EXIT_OK, or EXIT_FAILED after a message. */
static int see_taken_on(const char *state, struct running before)
{
    int64_t until = clock_monotonic_ms() + LIMIT_RELAY_ANEW_MS;
    struct running now = before;
    struct progress progress = progress_begin("waiting for the relay");
    while (before.pid && now.since_ms == before.since_ms &&
           (now.pid || kill((pid_t)before.pid, 0) == 0) && clock_monotonic_ms() < until) {
        poll(NULL, 0, LOOK_MS);
        progress_say(&progress, "that runs");
        now = running_now(state);
    }
    progress_clear(&progress);
    if (!now.pid || now.since_ms != before.since_ms)
        return EXIT_OK;
    return say_fail(EXIT_FAILED,
                    "the relay that runs (process %ld) still goes by what it was told before: end "
                    "it, and start `ptyd relay` again",
                    now.pid);
}

/* `key`: what the hub's owner is to be told; NULL where the credentials hold it. */
static int say_enabled(const struct cli *cli, const char *state, const struct setup *s,
                       const char *id, const char *key)
{
    bool service = unit_manager_runs(), runs = relaying_pid(state);
    if (cli->json)
        return cli_print_json(json_pack("{s:s, s:s?, s:s, s:s, s:b, s:s?}", "host_id", id, "key",
                                        key, "user", s->user, "url", s->url, "service", service,
                                        "seal_key", s->seal));
    printf("Commands that end from now on go to %s. ", s->url);
    if (key)
        printf("The hub's owner lets this host in with\n  --%s %s=%s\n",
               s->publish_only ? "publisher" : "member", id, key);
    else
        printf("This host is %s there, with the credentials given.\n", id);
    if (s->seal)
        printf(
            "All is sealed with the key %s in %s, and nothing else is believed.\nCopy that file to "
            "your other hosts, by scp, say, and there: ptyd relay enable --seal-key FILE\n",
            s->sealing.id, s->seal);
    if (!service && !runs)
        puts("No systemd user manager runs here: start `ptyd relay` yourself, where it stays.");
    return EXIT_OK;
}

/* Takes `by`, where it is something, in place of what stands there. */
static void set(char **text, char *by)
{
    if (!by)
        return;
    free(*text);
    *text = by;
}

/* Settings of before that are not said again stay. Returns whether the files that are said are
 * there. */
static bool complete(const struct relay_options *o, struct setup *s)
{
    char *none = setup_read(s), *creds = absolute(o->creds), *authority = absolute(o->ca);
    char *seal = absolute(o->seal_key);
    bool found = (creds || !o->creds) && (authority || !o->ca) && (seal || !o->seal_key);
    set(&s->url, o->url ? text_copy(o->url) : NULL);
    set(&s->user, o->user ? text_copy(o->user) : s->user ? NULL : own_user());
    set(&s->host, o->host ? text_copy(o->host) : s->host ? NULL : own_name());
    set(&s->creds, creds);
    set(&s->authority, authority);
    set(&s->seal, seal);
    s->publish_only = s->publish_only || o->publish_only;
    s->outputs = s->outputs || o->outputs;
    s->since_ms = s->since_ms ? s->since_ms : clock_wall_ms();
    free(none);
    return found;
}

/* What was not said may be wrong, too: it is from the environment, or from a file. */
static void check(const struct setup *s)
{
    if (!s->url)
        cli_usage("enable needs --url");
    if (hub_check_url(s->url))
        cli_usage("'%s' is no hub's URL: %s", s->url, hub_check_url(s->url));
    if (setup_check_name(s->user))
        cli_usage("that is no user's name: %s; --user gives one", setup_check_name(s->user));
    if (setup_check_name(s->host))
        cli_usage("that is no host's name: %s; --host gives one", setup_check_name(s->host));
}

/* Of this host's own making, where it has none. Returns NULL, or why not (a new string). */
static char *prepare_key(struct setup *s, const char *state, bool wanted)
{
    char *why = NULL;
    if (wanted && !s->seal) {
        char *directory = identity_directory(state);
        s->seal = text_format("%s/fleet.key", directory);
        if (access(s->seal, F_OK) < 0)
            why = sealing_make(s->seal);
        free(directory);
    }
    return why ? why : setup_read_key(s);
}

/* Returns NULL, or why these credentials are not this host's (a new string). */
static char *check_named(const char *creds, const char *host_id)
{
    char named[2 * 8 + 1];
    if (!creds || !credentials_host(creds, named) || !strcmp(named, host_id))
        return NULL;
    return text_format("the credentials in %s are of host %s, and this is %s: the hub's owner "
                       "makes others with `ptyd relay hub --grant %s`",
                       creds, named, host_id, host_id);
}

/* Those that name a host cannot be another's: that is said while it still is the one it was. */
static char *check_new(const struct relay_options *o, const struct setup *s)
{
    char named[2 * 8 + 1];
    if (!o->new_host || !s->creds || !credentials_host(s->creds, named))
        return NULL;
    return text_format("the credentials in %s are of host %s alone, which this would not be any "
                       "more: `ptyd relay disable`, then `ptyd relay enable --new-host --url %s` "
                       "prints the new id, for which the hub's owner makes others",
                       s->creds, named, s->url);
}

static int enable(const struct cli *cli, const struct relay_options *o, const char *state)
{
    struct setup s = {0};
    struct identity own;
    struct running before = running_now(state);
    char seed[KEYS_SEED_SIZE], *why = NULL;
    bool is_seed = false;
    if (!complete(o, &s)) {
        setup_finish(&s);
        return EXIT_FAILED;
    }
    check(&s);
    if (s.creds)
        why = credentials_read(s.creds, &is_seed, seed);
    if (!why)
        why = check_new(o, &s);
    if (!why)
        why = identity_open(state, o->new_host ? IDENTITY_ANEW : IDENTITY_MAKE, &own);
    if (!why && is_seed)
        keys_public(seed, own.public);
    if (!why)
        why = check_named(s.creds, own.host_id);
    if (!why)
        why = prepare_key(&s, state, o->seal);
    int result = why ? 0 : setup_write(&s);
    int status = why || result < 0 ? EXIT_FAILED : install_unit();
    if (why)
        say("%s", why);
    else if (result < 0)
        say("cannot write the settings: %s", strerror(-result));
    if (status == EXIT_OK)
        status = see_taken_on(state, before);
    if (status == EXIT_OK)
        status = say_enabled(cli, state, &s, own.host_id, s.creds && !is_seed ? NULL : own.public);
    setup_finish(&s);
    free(why);
    return status;
}

static int disable(void)
{
    char *path = setup_path();
    bool had = unlink(path) == 0;
    int status = unit_remove(UNIT);
    puts(had ? "Nothing leaves this host any more; what other hosts' commands are here stays."
             : "No hub was set.");
    free(path);
    return status;
}

/* ---- the process ---- */

/* As `ptyd relay` once more, whose settings are others now, in the same process. */
static int begin_anew(void)
{
    char *program = program_path(-1);
    execl(program, "ptyd", "relay", (char *)NULL);
    int status = say_fail(EXIT_FAILED, "cannot run %s: %s", program, strerror(errno));
    free(program);
    return status;
}

static int serve(const char *state)
{
    struct setup settings = {0};
    struct setup_stamp stamp = setup_stamp();
    struct identity own;
    bool is_seed = false, anew = false;
    char *why = setup_read(&settings);
    if (!why && hub_check_url(settings.url))
        why = text_format("'%s' is no hub's URL: %s", settings.url, hub_check_url(settings.url));
    if (!why)
        why = setup_read_key(&settings);
    if (!why)
        why = identity_open(state, IDENTITY_READ, &own);
    if (!why && settings.creds)
        why = credentials_read(settings.creds, &is_seed, own.seed);
    if (!why)
        why = check_named(settings.creds, own.host_id);
    if (is_seed) {
        free(settings.creds);
        settings.creds = NULL;
    }
    if (!why)
        say_without_waiting();
    int status =
        why ? say_fail(EXIT_FAILED, "%s", why) : relaying_run(state, &settings, stamp, &own, &anew);
    setup_finish(&settings);
    free(why);
    return anew ? begin_anew() : status;
}

/* ---- options ---- */

static const struct option options[] = {{"url", required_argument, NULL, URL},
                                        {"creds", required_argument, NULL, CREDS},
                                        {"ca", required_argument, NULL, CA},
                                        {"user", required_argument, NULL, USER},
                                        {"host", required_argument, NULL, HOST},
                                        {"publish-only", no_argument, NULL, PUBLISH_ONLY},
                                        {"outputs", no_argument, NULL, OUTPUTS},
                                        {"new-host", no_argument, NULL, NEW_HOST},
                                        {"seal", no_argument, NULL, SEAL},
                                        {"seal-key", required_argument, NULL, SEAL_KEY},
                                        {"init", no_argument, NULL, INIT},
                                        {"owner", required_argument, NULL, OWNER},
                                        {"new-key", required_argument, NULL, NEW_KEY},
                                        {"grant", required_argument, NULL, GRANT},
                                        {"out", required_argument, NULL, OUT},
                                        {"expires", required_argument, NULL, EXPIRES},
                                        {"member", required_argument, NULL, MEMBER},
                                        {"publisher", required_argument, NULL, PUBLISHER},
                                        {"listen", required_argument, NULL, LISTEN},
                                        {"cert", required_argument, NULL, CERT},
                                        {"key", required_argument, NULL, KEY},
                                        {"store", required_argument, NULL, STORE},
                                        {"per-session", required_argument, NULL, PER_SESSION},
                                        {"hours", required_argument, NULL, HOURS},
                                        {"bytes", required_argument, NULL, BYTES},
                                        {"offset", required_argument, NULL, OFFSET},
                                        {"limit", required_argument, NULL, LIMIT},
                                        {"grep", required_argument, NULL, GREP},
                                        CLI_LONG,
                                        {0}};

static void take_host(struct roles *plan, bool publishes_only)
{
    if (!roles_add(plan, optarg, publishes_only))
        cli_usage("'%s' is no host: `ptyd relay enable` there prints what stands here", optarg);
}

/* Returns whether it was one of these. */
static bool take_hub_option(int option, struct roles *plan)
{
    switch (option) {
    case OWNER:
        plan->owner = optarg;
        return true;
    case MEMBER:
    case PUBLISHER:
        take_host(plan, option == PUBLISHER);
        return true;
    case LISTEN:
        plan->listen = optarg;
        return true;
    case CERT:
        plan->certificate = optarg;
        return true;
    case KEY:
        plan->key = optarg;
        return true;
    case STORE:
        plan->store = optarg;
        return true;
    case PER_SESSION:
        if (!text_parse_number(optarg, 1, LIMIT_ASKED, &plan->per_session))
            cli_usage("--per-session takes a number of commands");
        return true;
    case HOURS:
        if (!text_parse_number(optarg, 1, 24L * LIMIT_KEEP_DAYS_MOST, &plan->hours))
            cli_usage("--hours takes a number of hours");
        return true;
    case BYTES:
        if (!text_parse_bytes(optarg, LIMIT_KEEP_BYTES_MOST, &plan->bytes) || !plan->bytes)
            cli_usage("--bytes takes a number of bytes, 256M for example");
        return true;
    default:
        return false;
    }
}

/* So long from now, or when. */
static int64_t until(const char *text)
{
    int64_t now = clock_wall_ms(), at = since_option(text);
    bool is_long = strchr("smhdw", text[strlen(text) - 1]) && isdigit((unsigned char)*text);
    at = is_long ? now + (now - at) : at;
    if (at <= now)
        cli_usage("'%s' is over: say how long (30m, 2h, 7d), or when (2026-12-24 18:00)", text);
    return at;
}

static void take_option(int option, struct relay_options *o)
{
    switch (option) {
    case URL:
        o->url = optarg;
        break;
    case CREDS:
        o->creds = optarg;
        break;
    case CA:
        o->ca = optarg;
        break;
    case USER:
    case HOST:
        if (setup_check_name(optarg))
            cli_usage("that is no name: %s", setup_check_name(optarg));
        *(option == USER ? &o->user : &o->host) = optarg;
        break;
    case PUBLISH_ONLY:
        o->publish_only = true;
        break;
    case OUTPUTS:
        o->outputs = true;
        break;
    case NEW_HOST:
        o->new_host = true;
        break;
    case SEAL:
        o->seal = true;
        break;
    case SEAL_KEY:
        o->seal_key = optarg;
        break;
    case INIT:
        o->init = true;
        break;
    case NEW_KEY:
        o->new_key = optarg;
        break;
    case GRANT:
        if (!roles_is_id(optarg) && strcmp(optarg, GRANT_OWNER) != 0)
            cli_usage("'%s' is no host's id: 16 hexadecimal digits, or `owner`", optarg);
        o->grant = optarg;
        break;
    case OUT:
        o->out = optarg;
        break;
    case EXPIRES:
        o->until_ms = until(optarg);
        break;
    case OFFSET:
    case LIMIT:
        if (!text_parse_number(optarg, 0, LIMIT_ASKED, option == OFFSET ? &o->offset : &o->limit))
            cli_usage("'%s' is no number of lines", optarg);
        break;
    case GREP:
        o->grep = optarg;
        break;
    default:
        take_hub_option(option, &o->plan);
    }
}

static int do_verb(const struct cli *cli, const char *verb, struct relay_options *o)
{
    char *state = paths_state();
    char *user = o->user ? text_copy(o->user) : own_user(), *token = subject_token(user);
    int status = EXIT_OK;
    o->plan.user = token;
    if (!verb)
        status = serve(state);
    else if (!strcmp(verb, "status"))
        status = relay_status(cli, state);
    else if (!strcmp(verb, "enable"))
        status = enable(cli, o, state);
    else if (!strcmp(verb, "disable"))
        status = disable();
    else if (!strcmp(verb, "output"))
        status = relay_output(cli, o);
    else if (!strcmp(verb, "hub"))
        status = relay_hub(cli, o);
    else
        cli_usage("there is no `ptyd relay %s`", verb);
    free(token);
    free(user);
    free(state);
    return status;
}

int command_relay(int argc, char **argv)
{
    struct cli cli = cli_begin(help);
    struct relay_options o = {.plan = {.listen = "127.0.0.1:4222",
                                       .store = "./jetstream",
                                       .per_session = 50,
                                       .hours = 24,
                                       .bytes = 256 << 20}};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option) != 0)
            take_option(option, &o);
    const char *verb = optind < argc ? argv[optind++] : NULL;
    if (verb && !strcmp(verb, "output"))
        o.block = optind < argc ? argv[optind++] : NULL;
    cli_no_more(&cli, argc, argv);
    cli_heeds(&cli, CLI_NO_SESSION);
    int status = do_verb(&cli, verb, &o);
    roles_finish(&o.plan);
    return status;
}
