/* ptyd hosts: who is there. ptyd relay output: what a command printed there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/command/show.h"
#include "ptyd/command/table.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/relay/cmd_private.h"
#include "ptyd/relay/local.h"
#include "ptyd/relay/visit.h"

static const char help[] =
    "usage: ptyd hosts [--json]\n\n"
    "Which of your hosts are there, as their relays say at the hub: since when, and what runs.\n"
    "`ptyd relay enable` makes this one of them.\n\n"
    "examples:\n"
    "  ptyd hosts\n"
    "  ptyd blocks --host devbox      what ran there\n";

static int fail(char *why)
{
    say("%s", why);
    free(why);
    return EXIT_FAILED;
}

void cmd_print_clock(int64_t ahead_ms, const char *whose)
{
    struct bytes text = {0};
    if (ahead_ms <= LIMIT_CLOCK_APART_MS && ahead_ms >= -LIMIT_CLOCK_APART_MS)
        return;
    table_duration(ahead_ms < 0 ? -ahead_ms : ahead_ms, &text);
    printf("; its clock is %.*s %s %s", (int)text.len, text.data ? text.data : "",
           ahead_ms < 0 ? "behind" : "ahead of", whose);
    bytes_finish(&text);
}

static void print_state(const json_t *host)
{
    struct bytes text = {0};
    char when[CLOCK_TEXT_SIZE];
    table_duration(json_number(host, "silent_ms", 0), &text);
    if (json_flag(host, "here") && !json_number(host, "since_ms", 0))
        printf("here");
    else if (json_flag(host, "here"))
        printf("here since %s", clock_text(json_number(host, "since_ms", 0), when));
    else
        printf("%s %.*s ago", json_flag(host, "gone") ? "left" : "silent, last heard",
               (int)text.len, text.data ? text.data : "");
    cmd_print_clock(json_number(host, "ahead_ms", 0), "the hub's");
    if (json_number(host, "missing", 0))
        printf("; %lld of its commands fell out of what the hub keeps, and never came here",
               json_number(host, "missing", 0));
    bytes_finish(&text);
}

/* What the daemon here has heard of them. */
static void add_heard(json_t *hosts)
{
    json_t *answer = local_ask("host.list", json_object()), *host;
    const json_t *heard;
    size_t i, k;
    json_array_foreach(hosts, i, host)
        json_array_foreach(json_at(answer, "result"), k, heard)
            if (!strcmp(json_text(heard, "host_id", ""), json_text(host, "host_id", "")))
                json_object_set(host, "missing", json_object_get(heard, "missing"));
    json_decref(answer);
}

static void print_host(const json_t *host)
{
    const json_t *session;
    size_t i;
    show_text(json_text(host, "host", ""));
    fputs(" (", stdout);
    show_text(json_text(host, "host_id", ""));
    fputs("): ", stdout);
    print_state(host);
    putchar('\n');
    json_array_foreach(json_object_get(host, "sessions"), i, session) {
        printf("  %-16s ", json_text(session, "name", ""));
        show_text(json_text(session, "state", ""));
        if (json_text(session, "cmd", NULL)) {
            fputs("  ", stdout);
            show_text(json_text(session, "cmd", ""));
        }
        putchar('\n');
    }
}

int command_hosts(int argc, char **argv)
{
    struct cli cli = cli_plain(argc, argv, CLI_SHORT_MIXED, help);
    struct visit visit;
    const json_t *host;
    size_t i;
    cli_no_more(&cli, argc, argv);
    cli_heeds(&cli, CLI_NO_SESSION);
    char *why = visit_begin(&visit);
    json_t *hosts = why ? NULL : visit_hosts(&visit, &why);
    visit_end(&visit);
    if (!hosts)
        return fail(why);
    add_heard(hosts);
    if (cli.json)
        return cli_print_json(hosts);
    json_array_foreach(hosts, i, host)
        print_host(host);
    if (!json_array_size(hosts))
        puts("No relay has said anything yet.");
    json_decref(hosts);
    return EXIT_OK;
}

/* HOSTID:SESSION:SEQ:TS, and what of it the other host is asked; NULL for none. */
static json_t *wanted_of(const struct relay_options *o, char **ret_host_id)
{
    const char *id = o->block ? o->block : "";
    size_t host = strcspn(id, ":");
    const char *session = id[host] ? id + host + 1 : "";
    size_t len = strcspn(session, ":");
    char *name = text_format("%.*s", (int)len, session);
    json_t *wanted = NULL;
    if (host && text_is_name(name) && session[len]) {
        wanted = json_pack("{s:s, s:s, s:I}", "session", name, "block", session, "offset",
                           (json_int_t)o->offset);
        *ret_host_id = text_format("%.*s", (int)host, id);
    }
    if (wanted && o->limit)
        json_object_set_new(wanted, "limit", json_integer(o->limit));
    if (wanted && o->grep)
        json_object_set_new(wanted, "grep", json_string(o->grep));
    free(name);
    return wanted;
}

int relay_output(const struct cli *cli, const struct relay_options *o)
{
    struct visit visit;
    char *host_id = NULL;
    json_t *wanted = wanted_of(o, &host_id);
    const json_t *line;
    size_t i;
    if (!wanted)
        cli_usage("output takes the id of a command on another host, HOSTID:SESSION:SEQ:TIME");
    char *why = visit_begin(&visit);
    json_t *output = why ? NULL : visit_output(&visit, host_id, json_incref(wanted), &why);
    visit_end(&visit);
    json_decref(wanted);
    free(host_id);
    if (!output)
        return fail(why);
    if (cli->json)
        return cli_print_json(output);
    json_array_foreach(json_object_get(output, "lines"), i, line) {
        show_text(json_string_value(line) ? json_string_value(line) : "");
        putchar('\n');
    }
    if (json_is_integer(json_object_get(output, "next")))
        say("there is more: --offset %lld", json_number(output, "next", 0));
    json_decref(output);
    return EXIT_OK;
}
