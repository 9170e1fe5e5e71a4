#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/client/request.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"

static const char help[] =
    "usage: ptyd send [-s NAME] [--key KEY]... [--hex BYTES]... [TEXT...]\n\n"
    "Types into the session, as a keyboard would: in the order given, TEXT without an Enter.\n"
    "Ends when the terminal has all of it; nothing is ever typed twice.\n\n"
    "  --key KEY       Enter Tab Escape Backspace Space Up Down Left Right, or C-x for Ctrl\n"
    "  --hex BYTES     bytes in hexadecimal, like 1b5b41\n\n"
    "examples:\n"
    "  ptyd send -s work --key C-c\n"
    "  ptyd send -s work yes --key Enter\n";

enum { KEY = CLI_FIRST_OWN, HEX };

static const struct {
    const char *name, *bytes;
} keys[] = {
    {"Enter", "\r"},       {"Tab", "\t"},       {"Escape", "\x1b"},
    {"Backspace", "\x7f"}, {"Space", " "},      {"Up", "\x1b[A"},
    {"Down", "\x1b[B"},    {"Right", "\x1b[C"}, {"Left", "\x1b[D"},
};

static void add_key(const char *name, struct bytes *out)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcasecmp(keys[i].name, name)) {
            bytes_append_text(out, keys[i].bytes);
            return;
        }
    if ((name[0] == 'C' || name[0] == 'c') && name[1] == '-' && name[2] && !name[3] &&
        toupper((unsigned char)name[2]) >= '@' && toupper((unsigned char)name[2]) <= '_') {
        bytes_append_char(out, (char)(toupper((unsigned char)name[2]) & 0x1f));
        return;
    }
    cli_usage("there is no key '%s'", name);
}

static void add_hex(const char *text, struct bytes *out)
{
    size_t len = strlen(text);
    if (len % 2 || strspn(text, "0123456789abcdefABCDEF") != len)
        cli_usage("'%s' is not bytes in hexadecimal", text);
    for (; *text; text += 2) {
        char digits[3] = {text[0], text[1], 0};
        bytes_append_char(out, (char)strtol(digits, NULL, 16));
    }
}

/* ---- asking ---- */

/* Nothing is typed again: whoever reads the session may have it already. */
static int say_what_is_known(const struct cli *cli, json_int_t token, size_t len)
{
    json_t *known = request_once(cli, false, "session.typed",
                                 json_pack("{s:s, s:I}", "name", cli->session, "token", token));
    json_int_t typed = json_number(known, "typed", 0), doubt = json_number(known, "in_doubt", 0);
    if (!known)
        say("the daemon's worker died: %zu bytes may or may not have been typed; nothing was typed "
            "again",
            len);
    else if ((size_t)typed == len)
        say("the daemon's worker died, but all %zu bytes were typed", len);
    else if (doubt)
        say("the daemon's worker died: of %zu bytes %lld were typed, %lld more may or may not have "
            "been; nothing was typed again",
            len, (long long)typed, (long long)doubt);
    else
        say("the daemon's worker died: of %zu bytes %lld were typed, the rest was not", len,
            (long long)typed);
    json_decref(known);
    return (size_t)typed == len ? EXIT_OK : EXIT_FAILED;
}

/* The answer, a new reference; NULL when the connection is lost before it came. */
static json_t *ask(struct rpc *rpc, const char *method, json_t *params)
{
    json_int_t id = rpc_send(rpc, method, params, clock_monotonic_ms() + LIMIT_ANSWER_MS);
    json_t *message = NULL;
    while (id > 0 && rpc_wait(rpc, -1, &message) == RPC_CAME) {
        if (json_number(message, "id", 0) == id)
            return message;
        json_decref(message);
    }
    return NULL;
}

static int type(const struct cli *cli, const struct bytes *input)
{
    struct bytes data = {0};
    struct rpc rpc;
    json_int_t token = request_new_token();
    if (rpc_connect(&rpc, !cli->no_start, LIMIT_START_MS) < 0)
        return EXIT_FAILED;
    base64_encode(input->data, input->len, &data);
    json_t *answer =
        ask(&rpc, "session.input",
            json_pack("{s:s, s:s, s:I}", "name", cli->session, "data", data.data, "token", token));
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    if (error)
        say("%s", error);
    int status = !answer ? say_what_is_known(cli, token, input->len)
                 : error ? EXIT_FAILED
                         : EXIT_OK;
    json_decref(answer);
    bytes_finish(&data);
    rpc_close(&rpc);
    return status;
}

int command_send(int argc, char **argv)
{
    /* A leading `-` makes TEXT an option of value 1, so that the order is kept. */
    static const struct option options[] = {{"key", required_argument, NULL, KEY},
                                            {"hex", required_argument, NULL, HEX},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    struct bytes input = {0};
    int option;
    while ((option = getopt_long(argc, argv, "-s:h", options, NULL)) != -1)
        if (option == 1)
            bytes_append_text(&input, optarg);
        else if (cli_option(&cli, option) && option == KEY)
            add_key(optarg, &input);
        else if (option == HEX)
            add_hex(optarg, &input);
    for (; optind < argc; optind++)
        bytes_append_text(&input, argv[optind]);
    if (!input.len)
        cli_usage("what to type?");
    int status = type(&cli, &input);
    bytes_finish(&input);
    return status;
}
