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
    "usage: ptyd send [-s NAME] [--timeout SECONDS] [--key KEY]... [--hex BYTES]... [TEXT...]\n\n"
    "Types into the session, as a keyboard would: in the order given, TEXT without an Enter.\n"
    "Ends when the terminal has all of it; nothing is ever typed twice.\n\n"
    "  --key KEY       Enter Tab Escape Backspace Space Up Down Left Right, or C-x for Ctrl\n"
    "  --hex BYTES     bytes in hexadecimal, like 1b5b41\n"
    "  --timeout SECONDS   124 when the terminal has not taken all by then; the rest is not "
    "typed\n\n"
    "examples:\n"
    "  ptyd send -s work --key C-c\n"
    "  ptyd send -s work yes --key Enter\n";

enum { KEY = CLI_FIRST_OWN, HEX, TIMEOUT };

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

/* What is to be typed, and for how long. */
struct sending {
    const struct cli *cli;
    struct bytes input;
    double timeout; /* seconds; 0 for none */
    int64_t until;  /* monotonic ms; -1 for ever */
    json_int_t token;
};

static json_t *params_of(const struct sending *s)
{
    struct bytes data = {0};
    base64_encode(s->input.data, s->input.len, &data);
    json_t *params =
        json_pack("{s:s, s:s, s:I}", "name", s->cli->session, "data", data.data, "token", s->token);
    int64_t left = s->until - clock_monotonic_ms();
    if (s->until >= 0)
        json_object_set_new(params, "timeout_ms", json_integer(left > 0 ? left : 1));
    bytes_finish(&data);
    return params;
}

/* The daemon watches the time; one that does not say how it stands is not waited for much longer.
 * *ret_answer is a new reference, or NULL. */
static enum rpc_wait ask(const struct sending *s, struct rpc *rpc, json_t **ret_answer)
{
    int64_t last = s->until < 0 ? -1 : s->until + LIMIT_RUN_GRACE_MS;
    int64_t soon = clock_monotonic_ms() + LIMIT_ANSWER_MS;
    json_int_t id =
        rpc_send(rpc, "session.input", params_of(s), last >= 0 && last < soon ? last : soon);
    enum rpc_wait end = id > 0 ? RPC_CAME : RPC_LOST;
    while (end == RPC_CAME && (end = rpc_wait(rpc, last, ret_answer)) == RPC_CAME) {
        if (json_number(*ret_answer, "id", 0) == id)
            return RPC_CAME;
        json_decref(*ret_answer);
    }
    *ret_answer = NULL;
    return end;
}

static int finish(const struct sending *s, const json_t *answer)
{
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    if (!error)
        return EXIT_OK;
    say("%s", error);
    return s->until >= 0 && clock_monotonic_ms() >= s->until ? EXIT_TIMEOUT : EXIT_FAILED;
}

static int type(const struct sending *s)
{
    struct rpc rpc;
    json_t *answer;
    int status, most = s->until < 0 || s->timeout * 1000 > LIMIT_START_MS
                           ? LIMIT_START_MS
                           : (int)(s->timeout * 1000);
    if (rpc_connect(&rpc, !s->cli->no_start, most) < 0)
        return EXIT_FAILED;
    enum rpc_wait end = ask(s, &rpc, &answer);
    if (end == RPC_CAME)
        status = finish(s, answer);
    else if (end == RPC_LATE)
        status = say_fail(EXIT_TIMEOUT,
                          "the daemon does not answer: after %g s %zu bytes may or may not have "
                          "been typed",
                          s->timeout, s->input.len);
    else
        status = say_what_is_known(s->cli, s->token, s->input.len);
    json_decref(answer);
    rpc_close(&rpc);
    return status;
}

int command_send(int argc, char **argv)
{
    /* A leading `-` makes TEXT an option of value 1, so that the order is kept. */
    static const struct option options[] = {{"key", required_argument, NULL, KEY},
                                            {"hex", required_argument, NULL, HEX},
                                            {"timeout", required_argument, NULL, TIMEOUT},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    struct sending s = {.cli = &cli, .until = -1, .token = request_new_token()};
    int option;
    while ((option = getopt_long(argc, argv, "-s:h", options, NULL)) != -1)
        if (option == 1)
            bytes_append_text(&s.input, optarg);
        else if (cli_option(&cli, option) && option == KEY)
            add_key(optarg, &s.input);
        else if (option == HEX)
            add_hex(optarg, &s.input);
        else if (option == TIMEOUT)
            s.timeout = cli_seconds(optarg);
    for (; optind < argc; optind++)
        bytes_append_text(&s.input, argv[optind]);
    if (!s.input.len)
        cli_usage("what to type?");
    if (s.timeout > 0)
        s.until = clock_monotonic_ms() + (int64_t)(s.timeout * 1000);
    int status = type(&s);
    bytes_finish(&s.input);
    return status;
}
