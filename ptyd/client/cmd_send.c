#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "ptyd/client/request.h"
#include "ptyd/core/base64.h"

static const char help[] =
    "usage: ptyd send [-s NAME] [--key KEY]... [--hex BYTES]... [TEXT...]\n\n"
    "Types into the session, as a keyboard would: in the order given, TEXT without an Enter.\n\n"
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

int command_send(int argc, char **argv)
{
    /* A leading `-` makes TEXT an option of value 1, so that the order is kept. */
    static const struct option options[] = {{"key", required_argument, NULL, KEY},
                                            {"hex", required_argument, NULL, HEX},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    struct bytes input = {0}, data = {0};
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
    base64_encode(input.data, input.len, &data);
    json_t *result = request_once(&cli, !cli.no_start, "session.input",
                                  json_pack("{s:s, s:s}", "name", cli.session, "data", data.data));
    bytes_finish(&input);
    bytes_finish(&data);
    if (!result)
        return EXIT_FAILED;
    json_decref(result);
    return EXIT_OK;
}
