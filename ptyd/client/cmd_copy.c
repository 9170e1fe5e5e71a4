/* ptyd copy: a command, or its output, onto the clipboard of this terminal. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/client/chosen.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd copy [ID] [-s NAME] [--output] [--json]\n\n"
    "The newest command, or the one named (ID as of `ptyd block`), onto the clipboard of this\n"
    "terminal (OSC 52, which it has to know and allow; in tmux: set -g set-clipboard on). Those\n"
    "that are `ptyd` itself do not count.\n\n"
    "  --output    its output instead; of one that is longer than 73 KiB, the end\n\n"
    "Controls and hidden characters are left out, and the line ends behind the last line. Those\n"
    "between lines stay: a program that does not tell a paste from typing takes each line but\n"
    "the last as entered.\n\n"
    "examples:\n"
    "  ptyd copy\n"
    "  ptyd copy work:12 --output\n";

enum { OUTPUT = CLI_FIRST_OWN };

/* Without what a terminal or a shell would take for more than text; behind the last line nothing,
 * so that the paste of it alone enters nothing. */
static void add_clean(const char *text, size_t len, struct bytes *out)
{
    for (size_t at = 0, step; at < len; at += step) {
        uint32_t code = 0;
        int bytes = utf8_decode(text + at, len - at, &code);
        bool shown = bytes > 0 && (!utf8_hidden(code) || code == '\n' || code == '\t' ||
                                   code == 0x200d || utf8_modifies(code));
        step = bytes > 0 ? (size_t)bytes : 1;
        if (shown)
            bytes_append(out, text + at, step);
    }
    while (out->len && out->data[out->len - 1] == '\n')
        out->len--;
}

/* The end of it, from the begin of a line where there is one. */
static size_t bounded_from(const struct bytes *text)
{
    if (text->len <= LIMIT_COPY_BYTES)
        return 0;
    size_t from = text->len - LIMIT_COPY_BYTES;
    const char *end = memchr(text->data + from, '\n', text->len - from - 1);
    return end ? (size_t)(end + 1 - text->data) : utf8_ceil(text->data, text->len, from);
}

static int send_to_terminal(const char *text, size_t len)
{
    struct bytes sequence = {0};
    bytes_append_text(&sequence, "\x1b]52;c;");
    base64_encode(text, len, &sequence);
    bytes_append_text(&sequence, "\x1b\\");
    int fd = open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int result = fd < 0 ? -errno : file_write_all(fd, sequence.data, sequence.len, -1);
    if (fd >= 0)
        close(fd);
    bytes_finish(&sequence);
    return result;
}

static void say_sent(long long seq, const char *what, size_t sent, size_t total)
{
    if (sent < total)
        say("sent the last %zu of %zu bytes of block %lld's %s to the clipboard", sent, total, seq,
            what);
    else
        say("sent block %lld's %s to the clipboard, %zu bytes", seq, what, sent);
}

static int copy(const struct cli *cli, const json_t *block, const char *what,
                const struct bytes *text)
{
    long long seq = json_number(block, "seq", 0);
    size_t from = bounded_from(text), len = text->len - from;
    if (!len)
        return say_fail(EXIT_FAILED, "block %lld has no %s to copy", seq, what);
    int result = send_to_terminal(text->data + from, len);
    if (result < 0)
        return say_fail(EXIT_FAILED,
                        "there is no terminal to copy to (%s); `ptyd block %lld` prints it",
                        strerror(-result), seq);
    if (cli->json)
        return cli_print_json(json_pack("{s:s, s:s, s:I, s:I}", "block_id",
                                        json_text(block, "block_id", ""), "what", what, "sent",
                                        (json_int_t)len, "total", (json_int_t)text->len));
    say_sent(seq, what, len, text->len);
    return EXIT_OK;
}

int command_copy(int argc, char **argv)
{
    static const struct option options[] = {{"output", no_argument, NULL, OUTPUT}, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    struct bytes text = {0}, clean = {0};
    bool output = false;
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            output = true;
    const char *id = optind < argc ? chosen_id(&cli, argv[optind++]) : NULL;
    cli_no_more(&cli, argc, argv);
    json_t *result = chosen_block(&cli, id, false);
    if (!result)
        return EXIT_FAILED;
    const json_t *block = json_object_get(result, "block");
    if (output)
        chosen_output(result, &text);
    else
        bytes_append_text(&text, json_text(block, "cmd", ""));
    if (text.len)
        add_clean(text.data, text.len, &clean);
    int status = copy(&cli, block, output ? "output" : "command", &clean);
    bytes_finish(&text);
    bytes_finish(&clean);
    json_decref(result);
    return status;
}
