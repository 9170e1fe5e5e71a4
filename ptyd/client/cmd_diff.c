/* ptyd diff: what a command prints now beside what it printed before.
 *
 * diff(1) compares the two files: it is in every base system, its algorithm does not end on large
 * outputs, and people know its options and form. What it prints is shown as all text of a terminal
 * is, in colours of our own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/client/chosen.h"
#include "ptyd/client/request.h"
#include "ptyd/client/sight.h"
#include "ptyd/core/block.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

static const char help[] =
    "usage: ptyd diff [ID] [-s NAME] [--ansi|--plain|--html] [--no-pager] [--json]\n\n"
    "The output of the newest command, or of the one named (ID as of `ptyd block`), against that\n"
    "of its previous run in the same directory: unified, in colour on a terminal.\n\n" SIGHT_HELP
    "\nstatus: 0 both are the same, 1 they differ, 2 trouble, as of diff(1)\n\n"
    "examples:\n"
    "  ptyd diff -s work\n"
    "  ptyd diff work:12\n"
    "  make test; ptyd diff            within a session: what changed since the last time\n";

enum { TROUBLE = 2 };
#define FEW  256
#define MORE 16

/* ---- the run before ---- */

static bool is_before(const json_t *block, const json_t *other)
{
    return json_number(other, "seq", 0) < json_number(block, "seq", 0) &&
           !strcmp(json_text(block, "cmd", ""), json_text(other, "cmd", "")) &&
           !strcmp(json_text(block, "cwd", ""), json_text(other, "cwd", ""));
}

/* Its id; a new string, NULL for none, or after a message where *ret_failed. */
static char *find_before(const struct cli *cli, const json_t *block, bool *ret_failed)
{
    char *id = NULL;
    bool all = false;
    *ret_failed = false;
    for (size_t count = FEW; !id && !all && !*ret_failed; count *= MORE) {
        count = count < LIMIT_ASKED ? count : LIMIT_ASKED;
        json_t *blocks =
            request_look("session.blocks",
                         json_pack("{s:s, s:I}", "name", cli->session, "last", (json_int_t)count));
        *ret_failed = !blocks;
        all = json_array_size(blocks) < count || count == LIMIT_ASKED;
        for (size_t i = json_array_size(blocks); i-- && !id;)
            if (is_before(block, json_array_get(blocks, i)))
                id = text_copy(json_text(json_array_get(blocks, i), "block_id", ""));
        json_decref(blocks);
    }
    return id;
}

/* ---- diff(1) ---- */

static char *label_of(const json_t *block)
{
    char time[CLOCK_TEXT_SIZE];
    return text_format("block %lld\t%s", json_number(block, "seq", 0),
                       clock_text(json_number(block, "ts_begin", 0), time));
}

/* What printed nothing has no file. */
static char *file_of(const json_t *result)
{
    bool empty = !json_number(json_object_get(result, "block"), "output_bytes", 0);
    char *path = chosen_path(result);
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        return path;
    free(path);
    return empty ? text_copy("/dev/null") : NULL;
}

/* The same for a page: without secrets, which are looked for in the output as it was printed. On
 * failure a message is said, and it returns NULL. */
static char *page_file_of(struct sight *sight, const json_t *result, int *ret_fd)
{
    struct bytes text = {0}, clean = {0};
    int widths[LIMIT_BLOCK_WIDTHS + 1];
    block_widths(json_object_get(result, "block"), widths);
    bool read = chosen_output(result, &text);
    sight_clean(sight, &text, widths, &clean);
    int fd = read ? memfd_create("ptyd diff", 0) : -1;
    int failed = fd < 0 ? -1 : file_write_whole(fd, clean.data ? clean.data : "", clean.len, 0);
    bytes_finish(&text);
    bytes_finish(&clean);
    *ret_fd = fd;
    return failed < 0 ? NULL : text_format("/proc/self/fd/%d", fd);
}

static int read_all(int fd, struct bytes *out)
{
    char chunk[1 << 16];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
        bytes_append(out, chunk, n > 0 ? (size_t)n : 0);
    return n < 0 ? -errno : 0;
}

static _Noreturn void become(char *const argv[], int out)
{
    dup2(out, STDOUT_FILENO);
    cores_give_back();
    execvp(argv[0], argv);
    say("diff(1) cannot be run: %s", strerror(errno));
    _exit(TROUBLE);
}

/* Returns diff's status. */
static int run_diff(char *const argv[], struct bytes *out)
{
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return TROUBLE;
    pid_t pid = fork();
    if (pid == 0)
        become(argv, ends[1]);
    close(ends[1]);
    int result = pid < 0 ? -errno : read_all(ends[0], out);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return result == 0 && WIFEXITED(status) && WEXITSTATUS(status) < TROUBLE ? WEXITSTATUS(status)
                                                                             : TROUBLE;
}

static void paint_line(const char *line, size_t len, struct bytes *out)
{
    const char *colour = len && line[0] == '-'   ? "\x1b[31m"
                         : len && line[0] == '+' ? "\x1b[32m"
                         : len && line[0] == '@' ? "\x1b[36m"
                                                 : "";
    bytes_append_text(out, colour);
    bytes_append(out, line, len);
    bytes_append_text(out, *colour ? "\x1b[0m\n" : "\n");
}

static struct sight *begin(const struct cli *cli, const struct sight_options *options)
{
    return sight_begin(options, cli->session, "ptyd diff");
}

static int show(struct sight *sight, const struct bytes *text)
{
    static const int none[1]; /* what its lines were broken at is no more seen */
    struct bytes painted = {0}, lines = {0};
    for (size_t at = 0, len; at < text->len; at += len + 1) {
        const char *end = memchr(text->data + at, '\n', text->len - at);
        len = (end ? (size_t)(end - text->data) : text->len) - at;
        paint_line(text->data + at, len, &painted);
    }
    sight_paint(sight, text, none, &painted, &lines);
    sight_lines(sight, &lines);
    bytes_finish(&painted);
    bytes_finish(&lines);
    return sight_end(sight);
}

static int print_json(const json_t *old, const json_t *new, bool same, const struct bytes *text)
{
    return cli_print_json(json_pack("{s:s, s:s, s:b, s:s%}", "block_id",
                                    json_text(json_object_get(new, "block"), "block_id", ""),
                                    "previous",
                                    json_text(json_object_get(old, "block"), "block_id", ""),
                                    "same", same, "diff", text->len ? text->data : "", text->len));
}

static int compare(const struct cli *cli, const struct sight_options *options, const json_t *old,
                   const json_t *new)
{
    bool page = options->html && !cli->json;
    struct sight *sight = page ? begin(cli, options) : NULL;
    int fds[] = {-1, -1};
    char *files[] = {page ? page_file_of(sight, old, &fds[0]) : file_of(old),
                     page ? page_file_of(sight, new, &fds[1]) : file_of(new)};
    char *labels[] = {label_of(json_object_get(old, "block")),
                      label_of(json_object_get(new, "block"))};
    char *argv[] = {"diff",    "-u", "--label", labels[0], "--label",
                    labels[1], "--", files[0],  files[1],  NULL};
    struct bytes out = {0};
    int status = TROUBLE;
    if (files[0] && files[1])
        status = run_diff(argv, &out);
    else
        say("the output of %s is kept no more", files[0] ? "the newer run" : "the run before");
    bool made = page && status < TROUBLE;
    if (page && !made)
        sight_drop(sight);
    int shown = cli->json && status < TROUBLE ? print_json(old, new, !status, &out)
                : status == 1 || made         ? show(page ? sight : begin(cli, options), &out)
                                              : EXIT_OK;
    status = shown == EXIT_OK ? status : TROUBLE;
    for (int i = 0; i < 2; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        free(files[i]);
        free(labels[i]);
    }
    bytes_finish(&out);
    return status;
}

/* ---- the command ---- */

static int diff(const struct cli *cli, const struct sight_options *options, const json_t *new)
{
    const json_t *block = json_object_get(new, "block");
    bool failed;
    char *id = find_before(cli, block, &failed);
    json_t *old = id ? chosen_block(cli, id, false) : NULL;
    if (!id && !failed)
        say("block %lld is the first run of its command in its directory that session %s knows",
            json_number(block, "seq", 0), cli->session);
    int status = old ? compare(cli, options, old, new) : TROUBLE;
    json_decref(old);
    free(id);
    return status;
}

int command_diff(int argc, char **argv)
{
    static const struct option options[] = {SIGHT_LONG, CLI_LONG, {0}};
    struct cli cli = cli_begin(help);
    struct sight_options sight = {0};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&cli, option))
            sight_option(&sight, option);
    const char *id = optind < argc ? chosen_id(&cli, argv[optind++]) : NULL;
    cli_no_more(&cli, argc, argv);
    json_t *result = chosen_block(&cli, id, false);
    int status = result ? diff(&cli, &sight, result) : TROUBLE;
    json_decref(result);
    return status;
}
