#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/dialog.h"
#include "ptyd/client/keystrokes.h"

static const char help[] =
    "usage: ptyd send [-s NAME] [--timeout SECONDS] [--key KEY]... [--paste TEXT]...\n"
    "                 [--hex BYTES]... [--json] [TEXT...]\n\n"
    "Types into the session, as a keyboard would: in the order given, TEXT without an Enter.\n"
    "Ends when the terminal has all of it; nothing is ever typed twice.\n\n"
    "  --key KEY       Enter Tab BTab Escape Space BSpace Delete Insert Home End PageUp PageDown\n"
    "                  Up Down Left Right F1 to F24, or a character; C- is Ctrl, M- Alt, S- Shift\n"
    "                  in front: C-c M-x C-Left S-F5 C-Space. As the program wants them\n"
    "  --paste TEXT    as a paste: in one piece where the program knows pastes\n"
    "  --hex BYTES     bytes in hexadecimal, like 1b5b41\n"
    "  --timeout SECONDS   124 when the terminal has not taken all by then; the rest is not "
    "typed\n"
    "  --json          {typed, cursor}: behind that cursor comes what it does, for `ptyd wait "
    "--from`\n\n"
    "To type and wait for what comes of it: `ptyd expect`.\n\n"
    "examples:\n"
    "  ptyd send -s work --key C-c\n"
    "  ptyd send -s work yes --key Enter\n"
    "  ptyd send -s work --key Escape ':wq' --key Enter\n";

enum { KEY = CLI_FIRST_OWN, PASTE, HEX, TIMEOUT };

/* Ends with status 2 for a word about what is wrong, which it steals. */
static void refuse(char *error)
{
    if (error)
        cli_usage("%s", error);
}

static int type(const struct cli *cli, const struct keystrokes *k, double timeout)
{
    struct dialog d;
    uint64_t cursor = 0;
    int most =
        timeout <= 0 || timeout * 1000 > LIMIT_START_MS ? LIMIT_START_MS : (int)(timeout * 1000);
    if (dialog_open(&d, cli, most) < 0)
        return EXIT_FAILED;
    bool asks = cli->json || keystrokes_ask_modes(k);
    const struct bytes *input;
    int status = asks && dialog_look(&d) < 0 ? EXIT_FAILED : EXIT_OK;
    if (status == EXIT_OK) {
        input = keystrokes_bytes(k, &d.modes);
        status = dialog_type(&d, input, timeout, &cursor);
        if (status == EXIT_OK && cli->json)
            status = cli_print_json(json_pack("{s:I, s:I}", "typed", (json_int_t)input->len,
                                              "cursor", (json_int_t)cursor));
    }
    dialog_close(&d);
    return status;
}

int command_send(int argc, char **argv)
{
    /* A leading `-` makes TEXT an option of value 1, so that the order is kept. */
    static const struct option options[] = {{"key", required_argument, NULL, KEY},
                                            {"paste", required_argument, NULL, PASTE},
                                            {"hex", required_argument, NULL, HEX},
                                            {"timeout", required_argument, NULL, TIMEOUT},
                                            CLI_LONG,
                                            {0}};
    struct cli cli = cli_begin(help);
    struct keystrokes k = {0};
    double timeout = 0;
    int option;
    while ((option = cli_next(argc, argv, "-s:h", options)) != -1)
        if (option == 1)
            keystrokes_add_text(&k, optarg, strlen(optarg));
        else if (cli_option(&cli, option) && option == KEY)
            refuse(keystrokes_add_key(&k, optarg));
        else if (option == PASTE)
            keystrokes_add_paste(&k, optarg);
        else if (option == HEX)
            refuse(keystrokes_add_hex(&k, optarg));
        else if (option == TIMEOUT)
            timeout = cli_seconds(optarg);
    for (; optind < argc; optind++)
        keystrokes_add_text(&k, argv[optind], strlen(argv[optind]));
    if (keystrokes_empty(&k))
        cli_usage("what to type?");
    int status = type(&cli, &k, timeout);
    keystrokes_finish(&k);
    return status;
}
