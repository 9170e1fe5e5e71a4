#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/own_rules.h"
#include "ptyd/command/progress.h"
#include "ptyd/command/show.h"
#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/replay/golden.h"
#include "ptyd/replay/replay.h"

static const char help[] =
    "usage: ptyd replay FILE [options]\n\n"
    "Reads a recorded terminal session and prints its command blocks and last screen.\n"
    "Needs no daemon, runs nothing.\n\n"
    "  --format auto|asciicast|script|ttyrec|raw|vscode   default: auto\n"
    "  --timing FILE        timing file of script(1)\n"
    "  --size COLSxROWS     instead of the recorded size (80x24 where none is)\n"
    "  --marks ptyd|any     any: OSC 133 and 633 make blocks too\n"
    "  --scrollback N       lines kept (default 10000)\n"
    "  --rules              what agents would be told goes by your redact and redact_except\n"
    "                       in ptyd.conf, too\n"
    "  --json               everything as one object\n"
    "  --check GOLDEN       compare with the members in GOLDEN, exit 1 on a difference\n"
    "  --update             with --check: write what is there now into GOLDEN\n\n"
    "examples:\n"
    "  ptyd replay session.cast\n"
    "  ptyd replay typescript --timing times --json\n"
    "  ptyd replay demo.cast --check demo.golden.json\n";

enum { FORMAT = CLI_FIRST_OWN, TIMING, SIZE, MARKS, SCROLLBACK, RULES, CHECK, UPDATE };

struct request {
    struct cli cli;
    const char *file, *timing, *golden;
    enum trace_format format;
    struct replay_options options;
    bool update, rules;
};

static void own_option(struct request *q, int option)
{
    long number;
    switch (option) {
    case FORMAT:
        if (!trace_parse_format(optarg, &q->format))
            cli_usage("format '%s' is none of auto, asciicast, script, ttyrec, raw, vscode",
                      optarg);
        break;
    case TIMING:
        q->timing = optarg;
        break;
    case SIZE:
        if (!text_parse_size(optarg, &q->options.cols, &q->options.rows))
            cli_usage("size '%s' is not COLSxROWS, like 80x24", optarg);
        q->options.cols = q->options.cols ? q->options.cols : 1; /* 0 would mean "not given" */
        q->options.rows = q->options.rows ? q->options.rows : 1;
        break;
    case MARKS:
        if (strcmp(optarg, "ptyd") && strcmp(optarg, "any"))
            cli_usage("marks '%s' is neither ptyd nor any", optarg);
        q->options.foreign_marks = !strcmp(optarg, "any");
        break;
    case SCROLLBACK:
        if (!text_parse_number(optarg, 1, LIMIT_SCROLLBACK_MAX, &number))
            cli_usage("scrollback '%s' is not a number from 1 to %d", optarg, LIMIT_SCROLLBACK_MAX);
        q->options.scrollback = (size_t)number;
        break;
    case RULES:
        q->rules = true;
        break;
    case CHECK:
        q->golden = optarg;
        break;
    case UPDATE:
        q->update = true;
        break;
    default:
        break;
    }
}

static struct request parse(int argc, char **argv)
{
    static const struct option options[] = {{"format", required_argument, NULL, FORMAT},
                                            {"timing", required_argument, NULL, TIMING},
                                            {"size", required_argument, NULL, SIZE},
                                            {"marks", required_argument, NULL, MARKS},
                                            {"scrollback", required_argument, NULL, SCROLLBACK},
                                            {"rules", no_argument, NULL, RULES},
                                            {"check", required_argument, NULL, CHECK},
                                            {"update", no_argument, NULL, UPDATE},
                                            CLI_LONG,
                                            {0}};
    struct request q = {.cli = cli_begin(help)};
    int option;
    /* FILE may stand first: options are looked for behind it too. */
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&q.cli, option))
            own_option(&q, option);
    if (optind >= argc)
        cli_usage("which FILE to replay?");
    q.file = argv[optind++];
    cli_no_more(&q.cli, argc, argv);
    cli_heeds(&q.cli, CLI_NO_SESSION);
    if (q.update && !q.golden)
        cli_usage("--update goes with --check GOLDEN");
    return q;
}

static int load(const char *path, struct bytes *out)
{
    int result = file_read(path, LIMIT_REPLAY_BYTES, out);
    if (result < 0)
        say_fail(EXIT_FAILED, "cannot read %s: %s", path, strerror(-result));
    return result;
}

static int report(const struct request *q, json_t *result)
{
    if (q->golden) {
        int status = golden_check(q->golden, result, q->update);
        json_decref(result);
        return status;
    }
    if (q->cli.json)
        return cli_print_json(result);
    show_replay(result);
    json_decref(result);
    return EXIT_OK;
}

int command_replay(int argc, char **argv)
{
    struct request q = parse(argc, argv);
    struct bytes trace = {0}, timing = {0};
    char *error = NULL;
    struct progress progress = progress_begin("replaying");
    if (q.rules)
        own_rules_use();
    q.options.progress = &progress;
    if (load(q.file, &trace) < 0 || (q.timing && load(q.timing, &timing) < 0)) {
        bytes_finish(&trace);
        return EXIT_FAILED;
    }
    struct replay *replay = replay_create(&q.options);
    int read = trace_read(trace.data ? trace.data : "", trace.len, q.format,
                          q.timing ? (timing.data ? timing.data : "") : NULL, timing.len,
                          replay_events(), replay, &error);
    progress_clear(&progress);
    if (replay_was_clamped(replay))
        say("size clamped to %dx%d ... %dx%d", LIMIT_SIZE_MIN, LIMIT_SIZE_MIN, LIMIT_SIZE_MAX,
            LIMIT_SIZE_MAX);
    int status = report(&q, replay_finish(replay));
    own_rules_say_met();
    if (read < 0)
        status = say_fail(EXIT_FAILED, "%s: %s; what came before it is above", q.file, error);
    free(error);
    replay_destroy(replay);
    bytes_finish(&trace);
    bytes_finish(&timing);
    return status;
}
