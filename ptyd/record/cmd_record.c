/* ptyd record: what a session shows, as it does or as its log has it, as an asciicast. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/client/chosen.h"
#include "ptyd/client/share.h"
#include "ptyd/command/cli.h"
#include "ptyd/command/own_rules.h"
#include "ptyd/command/progress.h"
#include "ptyd/command/rpc.h"
#include "ptyd/command/since.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/names.h"
#include "ptyd/core/paths.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"
#include "ptyd/record/cast.h"
#include "ptyd/record/sink.h"
#include "ptyd/record/tape.h"
#include "ptyd/record/veil.h"

static const char help[] =
    "usage: ptyd record -o FILE [-s NAME] [--from BLOCK|TIME [--to BLOCK|TIME | -f]] [--share]\n"
    "                   [--format v3|v2] [--idle-limit S] [--title TEXT] [--blank] [--overwrite]\n"
    "                   [--json]\n\n"
    "Records what a session shows, until Ctrl-C or the shell's end, whoever uses it meanwhile: a\n"
    "file that `asciinema play` plays, and of which `ptyd replay` makes the same blocks again. It\n"
    "begins with the screen as it stands; a prompt that stands there is part of it. --from "
    "records\n"
    "what was shown before now, also of a session that is closed.\n\n"
    "  -o FILE            the recording (0600); - is standard output\n"
    "  --from BLOCK|TIME  from that command's prompt (an ID as of `ptyd block`), or since then\n"
    "                     (30m, 2d, 14:30, yesterday, 2026-11-20), until now\n"
    "  --to BLOCK|TIME    until that command's end, or until then\n"
    "  -f, --follow       with --from: and go on\n"
    "  --blank            it begins with an empty screen\n"
    "  --share            for others: without the shell's marks, with stars for secrets\n"
    "  --format v3|v2     of asciicast (default v3); v2 for asciinema 2\n"
    "  --idle-limit S     players wait at most S seconds where nothing happens\n"
    "  --title TEXT       what it is called\n"
    "  --overwrite        FILE may be there already\n"
    "  --json             say as JSON what was recorded\n\n"
    "examples:\n"
    "  ptyd record -s work -o demo.cast\n"
    "  ptyd record -s work --from 12 --to 15 --share -o fix.cast --idle-limit 2\n"
    "  ptyd record -s work --from 30m -o - | asciinema play -\n";

enum { FROM = CLI_FIRST_OWN, TO, SHARE, FORMAT, IDLE_LIMIT, TITLE, OVERWRITE, BLANK };

#define LINES_BYTES (1 << 20) /* that are written at once */

struct request {
    struct cli cli;
    const char *file, *from, *to, *title;
    bool follow, share, overwrite, blank;
    int version;
    double idle_limit;
};

struct recording {
    const struct request *request;
    struct rpc rpc;
    bool connected;
    bool live;   /* it goes on with what comes */
    int signals; /* -1: they do what they do */
    char *directory;
    struct tape *tape;
    struct tape_place from;
    uint64_t to; /* UINT64_MAX: the log's end */
    struct cast cast;
    struct veil *veil; /* --share */
    struct redact_secrets *secrets;
    struct sink sink;
    struct progress progress;
    bool tells;     /* how far it is: in the past, and not where the recording goes to stdout */
    int64_t ms;     /* of what came last */
    uint64_t taken; /* bytes of output */
    uint64_t missing;
    uint64_t behind; /* where the stream stands, as the daemon says */
    bool interrupted, exited;
    bool failed;    /* after a message */
    json_t *status; /* the shell's, once it exited */
};

/* ---- from the log into the file ---- */

static void write_lines(struct recording *r, size_t least)
{
    if (r->cast.lines.len > least)
        sink_write(&r->sink, &r->cast.lines);
}

static void cast_event_size(void *user, int64_t ms, int cols, int rows)
{
    cast_size(&((struct recording *)user)->cast, ms, cols, rows);
}

static void cast_event_output(void *user, int64_t ms, const char *bytes, size_t len)
{
    struct recording *r = user;
    cast_output(&r->cast, ms, bytes, len);
    write_lines(r, LINES_BYTES);
}

static void cast_event_marker(void *user, int64_t ms, const char *text)
{
    cast_marker(&((struct recording *)user)->cast, ms, text);
}

static void on_size(void *user, int64_t ms, int cols, int rows)
{
    struct recording *r = user;
    r->ms = ms;
    if (r->veil)
        veil_size(r->veil, ms, cols, rows);
    else
        cast_event_size(r, ms, cols, rows);
}

static void on_output(void *user, int64_t ms, const char *bytes, size_t len)
{
    struct recording *r = user;
    r->ms = ms;
    r->taken += len;
    if (r->tells)
        progress_say(&r->progress, "%.1f MB", (double)r->taken / 1e6);
    if (r->veil)
        veil_output(r->veil, ms, bytes, len);
    else
        cast_event_output(r, ms, bytes, len);
}

static void on_missing(void *user, int64_t ms, uint64_t count)
{
    struct recording *r = user;
    static const char word[] = "ptyd: output is missing here";
    r->missing += count;
    if (r->veil)
        veil_marker(r->veil, ms, word);
    else
        cast_event_marker(r, ms, word);
}

/* Takes what there is. Returns false when that was all. */
static bool take(struct recording *r, bool all)
{
    static const struct tape_events events = {
        .size = on_size, .output = on_output, .missing = on_missing};
    int result = tape_read(r->tape, r->to, all, &events, r);
    progress_clear(&r->progress);
    if (result < 0)
        say("cannot read the log in %s: %s", r->directory, strerror(-result));
    r->failed = r->failed || result < 0;
    if (result == 1)
        say("the shell ended there, and another one began: `--from` a time behind that records it");
    r->exited = r->exited || result == 1;
    cast_flush(&r->cast, false);
    write_lines(r, 0);
    return result == 0 && !r->sink.error;
}

/* ---- while it goes on ---- */

/* Ctrl-C and its like end a recording that goes on, not this program in the middle of a line. */
static bool take_signals(struct recording *r)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    r->signals = signalfd(-1, &set, SFD_CLOEXEC);
    r->failed = r->signals < 0;
    if (r->failed)
        say("cannot take signals: %s", strerror(errno));
    return !r->failed;
}

static bool interrupted(struct recording *r, int wait_ms)
{
    struct pollfd fd = {.fd = r->signals, .events = POLLIN};
    r->interrupted = r->interrupted || poll(&fd, 1, wait_ms) > 0;
    return r->interrupted;
}

static void note_answer(struct recording *r, const json_t *answer)
{
    const char *error = json_text(json_at(answer, "error"), "message", NULL);
    const json_t *result = json_object_get(answer, "result");
    r->behind = (uint64_t)json_number(result, "end", (json_int_t)r->behind);
    if (error)
        say("%s", error);
    if (!error && json_flag(result, "exited"))
        r->status = json_incref(json_object_get(result, "status"));
    r->exited = r->exited || error || json_flag(result, "exited");
}

/* Until the daemon says something, a signal comes, or nobody reads the recording any more: that
 * ends it also where nothing is to be written. */
static void wait_for_any(struct recording *r)
{
    struct pollfd fds[] = {{.fd = r->rpc.fd, .events = POLLIN},
                           {.fd = r->signals, .events = POLLIN},
                           {.fd = r->sink.seeks ? -1 : r->sink.fd}};
    if (poll(fds, 3, -1) <= 0)
        return;
    r->interrupted = fds[1].revents != 0;
    if (fds[2].revents)
        sink_unread(&r->sink);
    if (fds[0].revents)
        rpc_fill(&r->rpc);
}

/* Waits for the answer, or what ends the recording. False when the connection is lost. */
static bool wait_for_answer(struct recording *r, json_int_t id)
{
    while (!r->interrupted && !r->sink.error) {
        json_t *answer = rpc_next(&r->rpc);
        if (answer) {
            bool mine = json_number(answer, "id", 0) == id;
            if (mine)
                note_answer(r, answer);
            json_decref(answer);
            if (mine)
                return true;
        } else if (r->rpc.fd < 0) {
            return false;
        } else {
            wait_for_any(r);
        }
    }
    return true;
}

/* Until the session shows more than what was taken. Of a worker that died the successor is asked.
 * False when it is over. */
static bool wait_for_more(struct recording *r)
{
    uint64_t end = tape_end(r->tape);
    uint64_t from = r->behind > end ? r->behind : end; /* the log may lag behind: a full disk */
    for (;;) {
        json_t *params = json_pack("{s:s, s:s, s:I}", "name", r->request->cli.session, "for",
                                   "output", "from", (json_int_t)from);
        json_int_t id =
            rpc_send(&r->rpc, "session.wait", params, clock_monotonic_ms() + LIMIT_ANSWER_MS);
        if (id > 0 && wait_for_answer(r, id))
            return !r->interrupted && !r->exited && !r->sink.error;
        if (rpc_reconnect(&r->rpc, clock_monotonic_ms() + LIMIT_RECONNECT_MS) < 0) {
            say("the daemon went away and did not come back within %d s; what it wrote before is "
                "recorded",
                LIMIT_RECONNECT_MS / 1000);
            return false;
        }
    }
}

/* What the daemon says came stands in the log a moment later; on a full disk it does not. */
static bool catch_up(struct recording *r, bool more)
{
    int64_t by = clock_monotonic_ms() + LIMIT_RECORD_LAG_MS;
    while (more && r->behind > tape_end(r->tape) && clock_monotonic_ms() < by &&
           !interrupted(r, LIMIT_RECORD_PAUSE_MS))
        more = take(r, false);
    return more;
}

/* In the past, which may be long, signals do what they do. */
static void record_live(struct recording *r)
{
    bool more = take(r, false);
    r->tells = false;
    if (!take_signals(r))
        return;
    say("recording session %s to %s; Ctrl-C ends it", r->request->cli.session, r->request->file);
    while (more && wait_for_more(r) && !interrupted(r, LIMIT_RECORD_PAUSE_MS))
        more = catch_up(r, take(r, false));
    catch_up(r, more);
}

/* ---- where it begins and ends ---- */

/* The files of a session that no daemon serves. */
static char *closed_directory(const char *session)
{
    char *state = paths_state();
    struct names *names = names_open(state, false);
    char *directory =
        text_format("%s/conversations/%s/agent_pty", state, names_own(names, session));
    bool exists = text_is_name(session) && access(directory, R_OK) == 0;
    names_close(names);
    free(state);
    if (exists)
        return directory;
    free(directory);
    return NULL;
}

/* Asks the daemon, if one runs; else, and of a closed session, the files are where they are. */
static bool find_session(struct recording *r)
{
    const char *session = r->request->cli.session;
    char *error = NULL;
    r->connected = rpc_connect_again(&r->rpc) == 0;
    json_t *state = r->connected
                        ? rpc_ask(&r->rpc, "session.wait", json_pack("{s:s}", "name", session),
                                  LIMIT_ANSWER_MS, &error)
                        : NULL;
    r->live = state && !json_flag(state, "exited") && (!r->request->from || r->request->follow);
    r->exited = json_flag(state, "exited");
    if (r->exited)
        r->status = json_incref(json_object_get(state, "status"));
    r->directory = state ? text_copy(json_text(state, "directory", "")) : closed_directory(session);
    if (!r->directory)
        say("%s", error ? error : "no daemon runs, and no such session left files here");
    else if (!r->live && !r->request->from)
        say("session %s shows nothing any more: --from BLOCK or TIME records what it did", session);
    json_decref(state);
    free(error);
    return r->directory && (r->live || r->request->from);
}

/* NUMBER, or the id of a block. */
static bool is_block(const char *text, uint64_t *ret_seq)
{
    const char *colon = strchr(text, ':');
    const char *digits = colon && strchr(colon + 1, ':') ? colon + 1 : text;
    char *end;
    *ret_seq = strtoull(digits, &end, 10);
    return end > digits && (!*end || (*end == ':' && digits > text));
}

static bool find_block(struct recording *r, uint64_t seq, struct tape_place *ret_from,
                       uint64_t *ret_to)
{
    if (tape_find_block(r->tape, seq, ret_from, ret_to))
        return true;
    say("block %llu is not in the log of session %s: it is too old, or there is none; `ptyd blocks "
        "-s %s` lists them",
        (unsigned long long)seq, r->request->cli.session, r->request->cli.session);
    return false;
}

static bool find_places(struct recording *r)
{
    const struct request *q = r->request;
    struct tape_place place;
    uint64_t seq, to;
    r->to = UINT64_MAX;
    if (!q->from)
        tape_find_end(r->tape, &r->from);
    else if (!is_block(q->from, &seq))
        tape_find_time(r->tape, since_option(q->from), &r->from);
    else if (!find_block(r, seq, &r->from, &to))
        return false;
    if (q->to && is_block(q->to, &seq)) {
        if (!find_block(r, seq, &place, &r->to))
            return false;
    } else if (q->to) {
        tape_find_time(r->tape, since_option(q->to), &place);
        r->to = place.offset;
    }
    if (r->to < r->from.offset)
        say("--to is before --from");
    return r->to >= r->from.offset;
}

/* ---- all of it ---- */

static void begin_veil(struct recording *r)
{
    static const struct veil_events events = {
        .size = cast_event_size, .output = cast_event_output, .marker = cast_event_marker};
    bool shell;
    r->secrets = share_secrets(r->request->cli.session, &shell);
    if (!shell)
        say("the environment of session %s's shell cannot be read any more: what was secret in it "
            "is not known; look through the recording before you share it",
            r->request->cli.session);
    r->veil = veil_create(r->from.cols, r->secrets, &events, r);
}

static void begin(struct recording *r)
{
    const struct request *q = r->request;
    struct moment origin = q->from ? r->from.moment : clock_now();
    struct bytes picture = {0};
    cast_begin(&r->cast, &(struct cast_header){.version = q->version,
                                               .cols = r->from.cols,
                                               .rows = r->from.rows,
                                               .wall_ms = origin.wall_ms,
                                               .idle_limit = q->idle_limit,
                                               .title = q->title});
    if (q->share)
        begin_veil(r);
    if (!q->blank)
        tape_picture(r->tape, &r->from, &picture);
    tape_first_mark(r->tape, &r->from, &picture);
    tape_begin(r->tape, &r->from, origin);
    if (picture.len)
        on_output(r, 0, picture.data, picture.len);
    bytes_finish(&picture);
}

static void end(struct recording *r)
{
    if (!r->failed)
        take(r, true);
    if (r->veil)
        veil_flush(r->veil);
    cast_flush(&r->cast, true);
    if (r->status && r->to == UINT64_MAX && json_is_integer(r->status))
        cast_exit(&r->cast, r->ms, (int)json_integer_value(r->status));
    write_lines(r, 0);
    if (r->behind > tape_end(r->tape))
        r->missing += r->behind - tape_end(r->tape);
    if (r->missing)
        say("%llu bytes of output are kept nowhere: capture was paused, the disk was full, or they "
            "are too old",
            (unsigned long long)r->missing);
}

static int report(const struct recording *r)
{
    const struct request *q = r->request;
    if (!q->cli.json) {
        say("recorded %.1f s of session %s to %s (%lld bytes)", (double)r->ms / 1000,
            q->cli.session, q->file, r->sink.written);
        return EXIT_OK;
    }
    char *file = text_clean(q->file, strlen(q->file), LIMIT_CWD_BYTES);
    int status = cli_print_json(json_pack("{s:s, s:s, s:i, s:I, s:I, s:I}", "file", file, "session",
                                          q->cli.session, "version", q->version, "duration_ms",
                                          (json_int_t)r->ms, "bytes", (json_int_t)r->sink.written,
                                          "missing", (json_int_t)r->missing));
    free(file);
    return status;
}

static int record(struct recording *r)
{
    int error;
    if (!find_session(r))
        return EXIT_FAILED;
    r->tape = tape_open(r->directory, &error);
    if (!r->tape)
        return say_fail(EXIT_FAILED, "cannot read the log in %s: %s", r->directory,
                        strerror(-error));
    if (!find_places(r) || sink_open(&r->sink, r->request->file, r->request->overwrite) < 0)
        return EXIT_FAILED;
    r->progress = progress_begin("recording");
    r->tells = strcmp(r->request->file, "-") != 0;
    begin(r);
    if (r->live)
        record_live(r);
    end(r);
    return sink_close(&r->sink) < 0 || r->failed ? EXIT_FAILED : report(r);
}

static void finish(struct recording *r)
{
    cast_finish(&r->cast);
    own_rules_say_met();
    veil_destroy(r->veil);
    redact_secrets_destroy(r->secrets);
    tape_close(r->tape);
    json_decref(r->status);
    free(r->directory);
    if (r->connected)
        rpc_close(&r->rpc);
    if (r->signals >= 0)
        close(r->signals);
}

static double seconds(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value < 1e6))
        cli_usage("'%s' is no number of seconds", text);
    return value;
}

static void own_option(struct request *q, int option)
{
    switch (option) {
    case 'o':
        q->file = optarg;
        break;
    case 'f':
        q->follow = true;
        break;
    case FROM:
        q->from = optarg;
        break;
    case TO:
        q->to = optarg;
        break;
    case SHARE:
        q->share = true;
        break;
    case FORMAT:
        if (strcmp(optarg, "v3") && strcmp(optarg, "v2"))
            cli_usage("format '%s' is neither v3 nor v2", optarg);
        q->version = optarg[1] - '0';
        break;
    case IDLE_LIMIT:
        q->idle_limit = seconds(optarg);
        break;
    case TITLE:
        q->title = text_clean(optarg, strlen(optarg), LIMIT_TITLE_BYTES); /* until the end */
        break;
    case BLANK:
        q->blank = true;
        break;
    case OVERWRITE:
        q->overwrite = true;
        break;
    default:
        break;
    }
}

/* NAME:NUMBER names the session, too; 14:30 is a time. */
static const char *place_of(struct cli *cli, const char *text)
{
    int64_t ms;
    return !text || since_parse(text, clock_wall_ms(), &ms) ? text : chosen_id(cli, text);
}

int command_record(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"from", required_argument, NULL, FROM},
                                            {"to", required_argument, NULL, TO},
                                            {"follow", no_argument, NULL, 'f'},
                                            {"share", no_argument, NULL, SHARE},
                                            {"format", required_argument, NULL, FORMAT},
                                            {"idle-limit", required_argument, NULL, IDLE_LIMIT},
                                            {"title", required_argument, NULL, TITLE},
                                            {"overwrite", no_argument, NULL, OVERWRITE},
                                            {"blank", no_argument, NULL, BLANK},
                                            CLI_LONG,
                                            {0}};
    struct request q = {.cli = cli_begin(help), .version = 3};
    int option;
    while ((option = cli_next(argc, argv, CLI_SHORT_MIXED "o:f", options)) != -1)
        if (cli_option(&q.cli, option))
            own_option(&q, option);
    cli_no_more(&q.cli, argc, argv);
    q.from = place_of(&q.cli, q.from);
    q.to = place_of(&q.cli, q.to);
    if (!q.file)
        cli_usage("-o FILE: where to?");
    if ((q.to || q.follow) && !q.from)
        cli_usage("--to and --follow go with --from");
    if (q.to && q.follow)
        cli_usage("--to ends it, --follow goes on");
    if (q.cli.json && !strcmp(q.file, "-"))
        cli_usage("--json and the recording cannot both go to standard output");
    struct recording r = {
        .request = &q, .rpc = {.fd = -1, .lines = {.limit = LIMIT_ANSWER_BYTES}}, .signals = -1};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to tell */
    int status = record(&r);
    finish(&r);
    return status;
}
