/* ptyd relay hub: what the owner of a hub needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/cmd_private.h"
#include "ptyd/relay/credentials.h"
#include "ptyd/relay/grant.h"
#include "ptyd/relay/hub.h"
#include "ptyd/relay/keys.h"
#include "ptyd/relay/subject.h"

static int new_key(const struct cli *cli, const char *path)
{
    char public[KEYS_PUBLIC_SIZE];
    char *why = credentials_make(path, public);
    if (why) {
        say("%s", why);
        free(why);
        return EXIT_FAILED;
    }
    if (cli->json)
        return cli_print_json(json_pack("{s:s, s:s}", "key", public, "file", path));
    printf("%s\n", public);
    return EXIT_OK;
}

/* Where the hub knows nobody by that key. Takes the reason. */
static char *refused_owner(char *why, const char *creds)
{
    if (!why || !strstr(why, "Authorization Violation"))
        return why;
    free(why);
    return text_format(
        "the hub lets nobody in by %s: that is not the key of its owner, or nats-server "
        "runs with another configuration than was printed for it",
        creds);
}

static int init(const struct cli *cli, const struct relay_options *o)
{
    char seed[KEYS_SEED_SIZE];
    bool is_seed = false;
    if (!o->url || !o->creds)
        cli_usage("--init needs --url and the owner's --creds");
    if (hub_check_url(o->url))
        cli_usage("'%s' is no hub's URL: %s", o->url, hub_check_url(o->url));
    char *why = credentials_read(o->creds, &is_seed, seed);
    char *inbox = subject_inbox("owner");
    struct hub_options options = {.url = o->url,
                                  .authority = o->ca,
                                  .inbox = inbox,
                                  .seed = is_seed ? seed : NULL,
                                  .creds = is_seed ? NULL : o->creds};
    struct hub *hub = why ? NULL : hub_open(&options);
    if (!why)
        why = refused_owner(hub_connect(hub), o->creds);
    if (!why)
        why = roles_init(&o->plan, hub);
    hub_close(hub);
    int status = why ? say_fail(EXIT_FAILED, "%s", why) : EXIT_OK;
    if (!why && cli->json)
        status = cli_print_json(
            json_pack("{s:s, s:i}", "stream_of", o->plan.user, "hosts", (int)o->plan.host_count));
    else if (!why)
        printf("The hub keeps the newest %ld commands of a session for %ld hours, for %s.\n",
               o->plan.per_session, o->plan.hours, o->plan.user);
    free(inbox);
    free(why);
    return status;
}

static bool has_keys(const struct roles *plan)
{
    for (size_t i = 0; i < plan->host_count; i++)
        if (!plan->hosts[i].key)
            return false;
    return true;
}

/* The owner's seed; ends the process where there is none. */
static void read_owner(const char *path, char ret_seed[KEYS_SEED_SIZE])
{
    bool is_seed = false;
    char *why = credentials_read(path, &is_seed, ret_seed);
    if (!why && !is_seed)
        why = text_format("%s is no owner's key: `ptyd relay hub --new-key FILE` makes one", path);
    if (!why)
        return;
    say("%s", why);
    free(why);
    exit(EXIT_FAILED);
}

static void check_listen(const struct roles *plan)
{
    if (!plan->certificate != !plan->key)
        cli_usage("--cert and --key go together");
    char *url = text_format("nats://%s", plan->listen);
    if (!plan->certificate && !hub_is_loopback(url))
        cli_usage("other machines are served with TLS alone: --cert FILE --key FILE");
    free(url);
}

static int print(const struct cli *cli, const struct bytes *text)
{
    if (cli->json)
        return cli_print_json(json_string(text->data));
    return fputs(text->data, stdout) == EOF ? EXIT_FAILED : EXIT_OK;
}

/* The shell makes files that all may read; who has this one is somebody at the hub. */
static bool others_could_read(void)
{
    struct stat st;
    return fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077);
}

static void check_grant(const struct relay_options *o)
{
    if (o->out && !o->grant)
        cli_usage("--out goes with --grant");
    if (o->grant && !o->creds)
        cli_usage("--grant needs the owner's key: --creds FILE");
    if (o->grant && o->publish_only && !strcmp(o->grant, GRANT_OWNER))
        cli_usage("the owner does all, and is no host that only publishes");
    if (o->grant && !o->out && others_could_read())
        cli_usage("others could read that file: --out FILE makes one that they cannot");
}

static int grant(const struct cli *cli, const struct relay_options *o, const char *seed)
{
    struct bytes text = {0};
    grant_credentials(&o->plan, seed, o->grant, o->publish_only, o->until_ms / 1000, &text);
    int result = o->out ? file_make_secret(o->out, text.data, text.len) : 0;
    int status = EXIT_OK;
    if (result < 0)
        status = say_fail(EXIT_FAILED, "cannot make %s: %s", o->out, strerror(-result));
    else if (o->out && cli->json)
        status = cli_print_json(json_pack("{s:s}", "file", o->out));
    else if (!o->out)
        status = print(cli, &text);
    bytes_finish(&text);
    return status;
}

int relay_hub(const struct cli *cli, const struct relay_options *o)
{
    struct bytes text = {0};
    char seed[KEYS_SEED_SIZE];
    check_grant(o);
    if (o->new_key)
        return new_key(cli, o->new_key);
    if (o->init)
        return init(cli, o);
    if (o->creds)
        read_owner(o->creds, seed);
    else if (!o->plan.owner || !keys_is_public(o->plan.owner))
        cli_usage("hub needs --owner KEY; `ptyd relay hub --new-key FILE` makes one");
    else if (!has_keys(&o->plan))
        cli_usage("a configuration needs ID=KEY of each host");
    if (o->grant)
        return grant(cli, o, seed);
    check_listen(&o->plan);
    roles_print(&o->plan, o->creds ? seed : NULL, &text);
    int status = print(cli, &text);
    bytes_finish(&text);
    return status;
}
