#include "ptyd/command/elsewhere.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/rpc.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* The NAME of HOST:NAME; NULL where it is none. */
static const char *name_of(const char *text)
{
    static const char host[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@-";
    size_t len = strspn(text, host);
    return len && *text != '-' && text[len] == ':' && text_is_name(text + len + 1) ? text + len + 1
                                                                                   : NULL;
}

/* Where in an argument the session stands; NULL where it says none. */
static char *value_in(char *argument)
{
    if (!strncmp(argument, "--session=", 10))
        return argument + 10;
    return !strncmp(argument, "-s", 2) && argument[2] ? argument + 2 : NULL;
}

/* The argument that names one, and in it the place; 0 for none. */
static int find(int argc, char **argv, bool bare, const char *valued, char **ret_place)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool next = !strcmp(argv[i], "-s") || !strcmp(argv[i], "--session");
        if (valued && !strcmp(argv[i], valued)) {
            i++;
            continue;
        }
        if (next && ++i == argc)
            break;
        bool word = *argv[i] != '-' && !next;
        *ret_place = next || word ? argv[i] : value_in(argv[i]);
        if (*ret_place && name_of(*ret_place) && (bare || !word))
            return i;
        if (word && !bare)
            break; /* what follows is a command's */
    }
    return 0;
}

static void append_word(const char *word, struct bytes *out)
{
    char *quoted = text_shell_quote(word);
    bytes_append_char(out, ' ');
    bytes_append_text(out, quoted);
    free(quoted);
}

/* Of a daemon that runs; a new reference, NULL for nothing. */
static json_t *heard_hosts(void)
{
    struct rpc rpc = {.fd = -1, .lines = {.limit = LIMIT_ANSWER_BYTES}};
    char *error = NULL;
    if (rpc_connect_again(&rpc) < 0)
        return NULL;
    json_t *hosts = rpc_ask(&rpc, "host.list", json_object(), LIMIT_HOSTS_MS, &error);
    rpc_close(&rpc);
    free(error);
    return hosts;
}

/* Only ssh knows whom it reaches, so it is asked in any case; its own words do not say which name
 * was meant. */
static void say_near(const char *host)
{
    const char *at = strrchr(host, '@'), *bare = at ? at + 1 : host;
    struct text_nearest nearest = text_nearest_begin(bare);
    json_t *hosts = heard_hosts();
    const json_t *heard;
    bool is_one = false;
    size_t i;
    json_array_foreach(hosts, i, heard) {
        const char *name = json_text(heard, "host", "");
        is_one = is_one || !strcasecmp(name, bare);
        text_nearest_offer(&nearest, name);
    }
    if (nearest.found && !is_one)
        say("none of your hosts that was heard here is %s; did you mean %s?", bare, nearest.found);
    json_decref(hosts);
}

static _Noreturn void become_ssh(const char *host, const char *command)
{
    const char *argv[6] = {"ssh"};
    int count = 1;
    if (isatty(0) && isatty(1))
        argv[count++] = "-t";
    argv[count++] = "--";
    argv[count++] = host;
    argv[count++] = command;
    cores_give_back();
    execvp("ssh", (char *const *)argv);
    exit(say_fail(EXIT_PTYD, "cannot run ssh: %s", strerror(errno)));
}

void elsewhere_go(int argc, char **argv, bool bare, const char *valued)
{
    char *place;
    struct bytes command = {0};
    int at = find(argc, argv, bare, valued, &place);
    if (!at)
        return;
    const char *name = name_of(place);
    char *host = text_format("%.*s", (int)(name - 1 - place), place);
    char *there = text_format("%.*s%s", (int)(place - argv[at]), argv[at], name);
    bytes_append_text(&command, argv[0]); /* `ptyd attach` */
    for (int i = 1; i < argc; i++)
        append_word(i == at ? there : argv[i], &command);
    say_near(host);
    become_ssh(host, command.data);
}
