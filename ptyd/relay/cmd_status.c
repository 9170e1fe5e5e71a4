/* ptyd relay status: how the relay fares. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/command/show.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/cmd_private.h"
#include "ptyd/relay/local.h"
#include "ptyd/relay/relaying.h"
#include "ptyd/relay/setup.h"
#include "ptyd/relay/spool.h"
#include "ptyd/relay/unsent.h"

/* What the daemon misses of each host, which its relay need not have heard since it began. */
static void add_missing(json_t *status)
{
    json_t *answer = local_ask("host.list", json_object()),
           *hosts = json_object_get(status, "hosts");
    const json_t *heard;
    size_t i;
    if (!json_is_object(hosts)) {
        hosts = json_object();
        json_object_set_new(status, "hosts", hosts);
    }
    json_array_foreach(json_at(answer, "result"), i, heard) {
        const char *id = json_text(heard, "host_id", "");
        json_int_t missing = json_number(heard, "missing", 0);
        if (missing && !json_object_get(hosts, id))
            json_object_set_new(hosts, id,
                                json_pack("{s:s, s:i, s:i}", "host", json_text(heard, "host", ""),
                                          "blocks", 0, "at_ms", 0));
        if (json_object_get(hosts, id))
            json_object_set_new(json_object_get(hosts, id), "missing", json_integer(missing));
    }
    json_decref(answer);
}

static json_t *status_json(const char *state)
{
    struct setup settings = {0};
    char *why = setup_read(&settings);
    int64_t oldest;
    long pid = relaying_pid(state);
    json_t *status = relaying_status(state);
    status = status ? status : json_object();
    struct spool *spool = why ? NULL : spool_open(state, settings.since_ms, false);
    uint64_t waiting = spool ? spool_waiting(spool, &oldest) : 0;
    json_object_set_new(status, "enabled", json_boolean(!why));
    if (why)
        json_object_set_new(status, "why", json_string(why));
    json_object_set_new(status, "pid", pid ? json_integer(pid) : json_null());
    if (!pid)
        json_object_set_new(status, "connected", json_false());
    if (!why)
        add_missing(status);
    json_object_set_new(status, "spool", json_integer((json_int_t)waiting));
    json_object_set_new(status, "unsent", json_integer((json_int_t)unsent_count(state)));
    json_object_set_new(status, "lag_ms", json_integer(waiting ? clock_wall_ms() - oldest : 0));
    if (!why)
        json_object_set_new(status, "url", json_string(settings.url));
    spool_close(spool);
    setup_finish(&settings);
    free(why);
    return status;
}

static void print_hosts(const json_t *hosts)
{
    const char *id;
    json_t *host;
    char when[CLOCK_TEXT_SIZE];
    json_object_foreach((json_t *)hosts, id, host) {
        fputs("  ", stdout);
        show_text(json_text(host, "host", ""));
        printf(" (%s): %lld commands", id, json_number(host, "blocks", 0));
        if (json_number(host, "at_ms", 0))
            printf(", the last came at %s", clock_text(json_number(host, "at_ms", 0), when));
        if (json_number(host, "missing", 0))
            printf("; %lld fell out of what the hub keeps, and never came",
                   json_number(host, "missing", 0));
        cmd_print_clock(json_number(host, "ahead_ms", 0), "the one here");
        putchar('\n');
    }
}

/* As a sentence. */
static void print_why(const char *why)
{
    char *sentence = text_format("%s.", why);
    sentence[0] = (char)toupper((unsigned char)sentence[0]);
    show_text(sentence);
    putchar('\n');
    free(sentence);
}

/* The hub, since when it is not there or keeps nothing, and why. */
static void print_hub(const json_t *s)
{
    char when[CLOCK_TEXT_SIZE];
    bool connected = json_flag(s, "connected");
    printf("Hub %s: %s", json_text(s, "url", ""), connected ? "connected" : "not reached");
    if (!connected)
        printf(" since %s", clock_text(json_number(s, "lost_ms", 0), when));
    printf(" (process %lld, host %s)\n", json_number(s, "pid", 0), json_text(s, "host_id", ""));
    if (!connected || !json_number(s, "stuck_ms", 0))
        return;
    printf("It keeps nothing since %s: ", clock_text(json_number(s, "stuck_ms", 0), when));
    show_text(json_text(s, "stuck", ""));
    putchar('\n');
}

static void print_status(const json_t *s)
{
    char when[CLOCK_TEXT_SIZE];
    bool runs = json_number(s, "pid", 0);
    if (!json_flag(s, "enabled"))
        print_why(json_text(s, "why", ""));
    else if (!runs)
        printf("Hub %s; no relay runs: `ptyd relay` is one.\n", json_text(s, "url", ""));
    else
        print_hub(s);
    if (json_flag(s, "enabled"))
        printf("%lld commands wait to be sent", json_number(s, "spool", 0));
    if (json_number(s, "lag_ms", 0))
        printf(", the oldest for %lld s", json_number(s, "lag_ms", 0) / 1000);
    if (json_flag(s, "enabled"))
        puts(".");
    if (json_number(s, "unsent", 0))
        printf("%lld more of `ptyd exec` wait in unsent.json: they are sent, oldest first, when "
               "their hub "
               "is reached as their host.\n",
               json_number(s, "unsent", 0));
    if (runs)
        printf("%lld sent, %lld came and were new, %lld were known, %lld were nothing ptyd knows\n",
               json_number(s, "sent", 0), json_number(s, "taken", 0), json_number(s, "known", 0),
               json_number(s, "refused", 0));
    print_hosts(json_object_get(s, "hosts"));
    if (runs && json_flag(s, "waits"))
        puts("What came waits for a daemon: none runs here.");
    if (json_number(s, "clashes", 0))
        printf("%lld commands came under a number that another had: two machines send as one.\n",
               json_number(s, "clashes", 0));
    if (runs && *json_text(s, "sealed", ""))
        printf("Sealed with the key %s.\n", json_text(s, "sealed", ""));
    if (json_number(s, "unsealed", 0))
        printf("%lld commands came unsealed and were refused: their hosts need `ptyd relay enable "
               "--seal-key FILE`.\n",
               json_number(s, "unsealed", 0));
    if (json_number(s, "oversize", 0))
        printf("%lld commands were larger than the hub takes, and were passed over.\n",
               json_number(s, "oversize", 0));
    if (json_number(s, "unopened", 0))
        printf(
            "%lld commands came sealed with a key that this host does not have: `ptyd relay enable "
            "--seal-key FILE` gives it one.\n",
            json_number(s, "unopened", 0));
    if (strcmp(json_text(s, "error", ""), json_text(s, "stuck", "")) != 0) {
        printf("last error, %s: ", clock_text(json_number(s, "error_ms", 0), when));
        show_text(json_text(s, "error", ""));
        putchar('\n');
    }
}

int relay_status(const struct cli *cli, const char *state)
{
    json_t *status = status_json(state);
    if (cli->json)
        return cli_print_json(status);
    print_status(status);
    json_decref(status);
    return EXIT_OK;
}
