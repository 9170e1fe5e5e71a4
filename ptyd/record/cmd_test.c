/* ptyd test: recordings against goldens, cut into pieces in every way that could matter. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/replay/golden.h"
#include "ptyd/replay/replay.h"

#define DIRECTORY "ptyd-tests"
#define GOLDEN    ".golden.json"
#define SEED      UINT64_C(88172645463325252)

static const char help[] =
    "usage: ptyd test [DIR|NAME]... [--update] [--junit FILE]\n"
    "       ptyd test new NAME --from BLOCK [--to BLOCK] [-s SESSION]\n\n"
    "Replays recordings and compares what comes of them with their goldens: whole, byte by byte "
    "and\n"
    "in pieces of random lengths. A test is a trace (NAME.cast, .raw, .script with NAME.timing,\n"
    ".ttyrec) beside NAME" GOLDEN ", in DIR; NAME is one in " DIRECTORY
    ". Without any: all there.\n"
    "The second form makes one of a command that ran, its block and its screen: edit the golden, "
    "and\n"
    "what is not in it is not compared.\n\n"
    "  --from BLOCK   the command (an ID as of `ptyd block`)\n"
    "  --to BLOCK     and those up to this one\n"
    "  --update       write what comes of them now into the goldens\n"
    "  --junit FILE   the results as JUnit XML, too\n\n"
    "status: 0 all are as they should be; 1 some are not; 2 there is nothing to test, or wrong "
    "usage\n\n"
    "examples:\n"
    "  ptyd test new progress-bar --from 12 -s work\n"
    "  ptyd test\n"
    "  ptyd test tests/traces --junit results.xml\n";

enum { FROM = CLI_FIRST_OWN, TO, UPDATE, JUNIT };

struct request {
    struct cli cli;
    const char *from, *to, *junit;
    bool update;
};

struct run {
    bool update;
    int passed, failed;
    struct bytes cases; /* of --junit */
};

/* ---- one test ---- */

/* How a trace is cut. */
static const struct way {
    const char *name;
    size_t chunk;
    uint64_t seed;
} ways[] = {{"whole", 0, 0}, {"byte by byte", 1, 0}, {"in random pieces", 0, SEED}};

#define WAYS (sizeof ways / sizeof *ways)

struct trace {
    char *path, *golden;
    struct bytes data, timing;
};

/* DIRECTORY/NAME.*: false where there is none. */
static bool find_trace(const char *directory, const char *name, struct trace *t)
{
    static const char *const ends[] = {"cast", "raw", "script", "ttyrec"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        t->path = text_format("%s/%s.%s", directory, name, ends[i]);
        if (file_read(t->path, LIMIT_REPLAY_BYTES, &t->data) == 0)
            break;
        free(t->path);
        t->path = NULL;
    }
    char *timing = text_format("%s/%s.timing", directory, name);
    file_read(timing, LIMIT_REPLAY_BYTES, &t->timing);
    t->golden = text_format("%s/%s" GOLDEN, directory, name);
    free(timing);
    return t->path != NULL;
}

static void trace_finish(struct trace *t)
{
    free(t->path);
    free(t->golden);
    bytes_finish(&t->data);
    bytes_finish(&t->timing);
}

/* What comes of it; NULL with why in *ret_error. */
static json_t *replay_cut(const struct trace *t, const struct way *way, char **ret_error)
{
    struct progress progress = progress_begin(t->path);
    struct replay *r = replay_create(
        &(struct replay_options){.chunk = way->chunk, .seed = way->seed, .progress = &progress});
    int result = trace_read(t->data.data ? t->data.data : "", t->data.len, TRACE_AUTO,
                            t->timing.data, t->timing.len, replay_events(), r, ret_error);
    json_t *actual = replay_finish(r);
    progress_clear(&progress);
    replay_destroy(r);
    if (result == 0)
        return actual;
    json_decref(actual);
    return NULL;
}

/* Appends how it differs when it is cut that way, unless that is said already. */
static void test_way(const struct trace *t, json_t *golden, const struct way *way,
                     struct bytes *said)
{
    char *error = NULL;
    struct bytes text = {0};
    json_t *actual = replay_cut(t, way, &error);
    if (actual)
        golden_compare(golden, actual, &text);
    else
        bytes_printf(&text, "%s: %s\n", t->path, error);
    if (text.len && !(said->len && strstr(said->data, text.data)))
        bytes_printf(said, "%s:\n%s", way->name, text.data);
    bytes_finish(&text);
    free(error);
    json_decref(actual);
}

static void test_ways(const struct trace *t, struct bytes *said)
{
    char *error = NULL;
    json_t *golden = golden_read(t->golden, &error);
    for (size_t i = 0; golden && i < WAYS; i++)
        test_way(t, golden, &ways[i], said);
    if (error)
        bytes_printf(said, "%s\n", error);
    free(error);
    json_decref(golden);
}

static void update(const struct trace *t, struct bytes *said)
{
    char *error = NULL;
    json_t *actual = replay_cut(t, &ways[0], &error);
    if (!actual)
        bytes_printf(said, "%s: %s\n", t->path, error);
    else if (golden_check(t->golden, actual, true) != 0)
        bytes_printf(said, "%s could not be written\n", t->golden);
    free(error);
    json_decref(actual);
}

/* ---- what is said ---- */

static void append_xml(struct bytes *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (strchr("&<>\"", c))
            bytes_printf(out, "&#%d;", c);
        else
            bytes_append_char(out, c < ' ' && c != '\n' && c != '\t' ? '?' : (char)c);
    }
}

static void append_case(struct run *r, const char *name, int64_t ms, const char *said)
{
    bytes_append_text(&r->cases, "<testcase classname=\"ptyd\" name=\"");
    append_xml(&r->cases, name);
    bytes_printf(&r->cases, "\" time=\"%lld.%03d\">", (long long)(ms / 1000), (int)(ms % 1000));
    if (said) {
        bytes_append_text(&r->cases, "<failure>");
        append_xml(&r->cases, said);
        bytes_append_text(&r->cases, "</failure>");
    }
    bytes_append_text(&r->cases, "</testcase>\n");
}

static void test_one(struct run *r, const char *directory, const char *name)
{
    struct trace t = {0};
    struct bytes said = {0};
    int64_t began = clock_monotonic_ms();
    if (!find_trace(directory, name, &t))
        bytes_printf(&said, "there is no trace %s/%s.cast, .raw, .script or .ttyrec\n", directory,
                     name);
    else if (r->update)
        update(&t, &said);
    else
        test_ways(&t, &said);
    printf("%s - %s\n%s", said.len ? "not ok" : "ok", name, said.len ? said.data : "");
    append_case(r, name, clock_monotonic_ms() - began, said.len ? said.data : NULL);
    *(said.len ? &r->failed : &r->passed) += 1;
    bytes_finish(&said);
    trace_finish(&t);
}

static int write_junit(const struct run *r, const char *path)
{
    struct bytes out = {0};
    bytes_printf(&out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<testsuite name=\"ptyd\" tests=\"%d\" failures=\"%d\">\n",
                 r->passed + r->failed, r->failed);
    bytes_append(&out, r->cases.data, r->cases.len);
    bytes_append_text(&out, "</testsuite>\n");
    int result = file_replace(path, out.data, out.len);
    bytes_finish(&out);
    if (result < 0)
        say("cannot write %s: %s", path, strerror(-result));
    return result;
}

/* ---- all of them ---- */

static int is_golden(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name), end = strlen(GOLDEN);
    return len > end && !strcmp(entry->d_name + len - end, GOLDEN);
}

static void test_directory(struct run *r, const char *directory)
{
    struct dirent **found = NULL;
    int count = scandir(directory, &found, is_golden, alphasort);
    for (int i = 0; i < count; i++) {
        found[i]->d_name[strlen(found[i]->d_name) - strlen(GOLDEN)] = '\0';
        test_one(r, directory, found[i]->d_name);
        free(found[i]);
    }
    free(found);
}

static void test_named(struct run *r, const char *what)
{
    struct stat st;
    if (stat(what, &st) == 0 && S_ISDIR(st.st_mode))
        test_directory(r, what);
    else
        test_one(r, DIRECTORY, what);
}

static int test_all(const struct request *q, int count, char **named)
{
    struct run r = {.update = q->update};
    for (int i = 0; i < count; i++)
        test_named(&r, named[i]);
    if (!count)
        test_directory(&r, DIRECTORY);
    int status = r.failed ? EXIT_FAILED : EXIT_OK;
    if (r.passed + r.failed)
        printf("%d passed, %d failed\n", r.passed, r.failed);
    else
        status = say_fail(EXIT_USAGE,
                          "there is no test in %s; `ptyd test new NAME --from BLOCK` "
                          "makes one",
                          count ? named[0] : DIRECTORY);
    if (q->junit && write_junit(&r, q->junit) < 0)
        status = EXIT_USAGE;
    bytes_finish(&r.cases);
    return status;
}

/* ---- a new one ---- */

static int new_test(const struct request *q, const char *name)
{
    struct stat st;
    struct run r = {.update = true};
    if (!text_is_name(name) || (stat(name, &st) == 0 && S_ISDIR(st.st_mode)))
        cli_usage("'%s' is no NAME: letters, digits, '.', '_', '-'", name);
    char *path = text_format(DIRECTORY "/%s.cast", name);
    char *args[] = {(char *)"record",
                    (char *)"--from",
                    (char *)q->from,
                    (char *)"--to",
                    (char *)q->to,
                    (char *)"--blank",
                    (char *)"-o",
                    path,
                    (char *)"-s",
                    (char *)q->cli.session,
                    NULL};
    int result = mkdir(DIRECTORY, 0777) < 0 && stat(DIRECTORY, &st) < 0;
    if (result)
        say("cannot make the directory " DIRECTORY);
    args[q->cli.session_given ? 10 : 8] = NULL;
    optind = 0; /* another command line */
    int status = result ? EXIT_FAILED : command_record(q->cli.session_given ? 10 : 8, args);
    if (status == EXIT_OK)
        test_one(&r, DIRECTORY, name);
    free(path);
    bytes_finish(&r.cases);
    return status != EXIT_OK || r.failed ? EXIT_FAILED : EXIT_OK;
}

int command_test(int argc, char **argv)
{
    static const struct option options[] = {{"from", required_argument, NULL, FROM},
                                            {"to", required_argument, NULL, TO},
                                            {"update", no_argument, NULL, UPDATE},
                                            {"junit", required_argument, NULL, JUNIT},
                                            CLI_LONG,
                                            {0}};
    struct request q = {.cli = cli_begin(help)};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED, options)) != -1)
        if (cli_option(&q.cli, option)) {
            q.from = option == FROM ? optarg : q.from;
            q.to = option == TO ? optarg : q.to;
            q.junit = option == JUNIT ? optarg : q.junit;
            q.update = q.update || option == UPDATE;
        }
    cli_heeds(&q.cli, CLI_NO_JSON);
    if (!q.from && optind < argc && !strcmp(argv[optind], "new"))
        cli_usage("new NAME --from BLOCK: of which command?");
    if (!q.from)
        return test_all(&q, argc - optind, argv + optind);
    if (argc - optind != 2 || strcmp(argv[optind], "new") != 0)
        cli_usage("--from goes with `new NAME`");
    q.to = q.to ? q.to : q.from;
    return new_test(&q, argv[optind + 1]);
}
