/* What a session's terminal and tracker find: marks become blocks, blocks are kept, told and shown
 * to whoever watches. */
#define _GNU_SOURCE
#include "ptyd/core/prompt_line.h"
#include "ptyd/session/private.h"

#include <stdlib.h>

#include "base/limits.h"
#include "ptyd/core/text.h"
#include "ptyd/session/process.h"

static struct session *of(void *user)
{
    return user;
}

/* ---- what the terminal finds ---- */

/* The index has the number of the last block at each mark. A rebuild lacks what was typed, and may
 * see no block where there was one, which is over and told, or in an index of an older program one
 * that was none: it is taken back. */
static bool take_logged_mark(struct session *s, const struct mark *mark)
{
    const struct rawlog_record *record =
        mark->signature == MARK_ZEROED ? session_recorded_mark(s, mark->offset) : NULL;
    if (!record)
        return false;
    if (tracker_running(s->tracker) && tracker_seq(s->tracker) > record->value)
        tracker_withdraw(s->tracker);
    bool taken = tracker_mark(s->tracker, mark, s->now);
    if (!tracker_running(s->tracker))
        tracker_set_seq(s->tracker, record->value);
    return taken;
}

static bool take_mark(struct session *s, const struct mark *mark)
{
    bool taken = mark->signature == MARK_SIGNED && tracker_mark(s->tracker, mark, s->now);
    s->spoofed += !taken;
    session_withhold_ended(s);
    return taken;
}

/* A prompt has the number of where it stands from its own mark on: what begins behind it began
 * there. What a former worker took in it has numbered, and the blocks, too. */
static bool take_numbered_mark(struct session *s, const struct mark *mark)
{
    struct run_table *runs = &intake_facts(s->intake)->runs;
    uint64_t before = runs->prompt;
    if (mark->kind == MARK_PROMPT ||
        (mark->kind == MARK_INPUT && tracker_state(s->tracker) != TRACKER_INPUT))
        runs->prompt = mark->offset + 1;
    bool taken = take_mark(s, mark);
    bool again = mark->kind == MARK_PROMPT && tracker_state(s->tracker) != TRACKER_PROMPT;
    if (!taken || again)
        runs->prompt = before;
    return taken;
}

/* The process is not looked at earlier: a wrapper may have started the shell. */
void session_note_marked(struct session *s)
{
    if (s->marked && !intake_facts(s->intake)->process)
        intake_facts(s->intake)->process = process_fingerprint(s->pid);
    if (s->marked_first)
        REPORT(s, marked);
    s->marked = s->marked_first = false;
}

/* A command that goes on was typed ahead: it begins with this. */
static void note_begun(struct session *s, const struct mark *mark, uint64_t before)
{
    uint64_t seq = tracker_seq(s->tracker);
    if (mark->kind == MARK_PROPERTY && seq > before)
        rawlog_record(s->log, RAWLOG_RUNS, mark->offset, s->now, 0, (uint32_t)seq);
}

static void on_mark(void *user, const struct mark *mark)
{
    struct session *s = of(user);
    bool first = !tracker_marked(s->tracker);
    uint64_t before = tracker_seq(s->tracker);
    bool taken = s->rebuilding ? take_logged_mark(s, mark) : take_numbered_mark(s, mark);
    if (!taken)
        return;
    s->marked = true;
    s->marked_first = s->marked_first || first;
    if (s->rebuilding) {
        session_note_marked(s);
        return;
    }
    note_begun(s, mark, before);
    rawlog_record(s->log, RAWLOG_MARK, mark->offset, s->now, (uint16_t)mark->kind,
                  (uint32_t)tracker_seq(s->tracker));
}

static enum mark_record on_recorded(void *user, uint64_t offset)
{
    struct session *s = of(user);
    if (!s->rebuilding)
        return MARK_UNKNOWN;
    if ((s->led || s->kept) && s->place.in_mark && s->place.mark == offset)
        return MARK_OPEN;
    return session_recorded_mark(s, offset) ? MARK_RECORDED : MARK_UNKNOWN;
}

/* The record of that kind that stands at `offset`; NULL for none. */
static const struct rawlog_record *recorded(const struct session *s, enum rawlog_kind kind,
                                            uint64_t offset)
{
    const struct rawlog_record *r = s->records + s->record_at, *end = s->records + s->record_count;
    for (; r < end && (r->kind != kind || r->offset <= offset); r++)
        if (r->kind == kind && r->offset == offset)
            return r;
    return NULL;
}

/* What was typed is in no log, but what came of it is in the index. */
static void on_line(void *user)
{
    struct session *s = of(user);
    uint64_t offset = terminal_offset(s->terminal);
    enum typed_answer answer;
    if (s->rebuilding) {
        const struct rawlog_record *r = recorded(s, RAWLOG_LINE, offset);
        tracker_line_was(s->tracker, r ? (enum typed_answer)r->detail : LINE_IS_OTHERS, s->now);
    } else if (tracker_line(s->tracker, s->now, &answer)) {
        rawlog_record(s->log, RAWLOG_LINE, offset, s->now, (uint16_t)answer,
                      (uint32_t)tracker_seq(s->tracker));
    }
}

/* Of a shell without our marks, where the user wants to hear of them: what they say is the word of
 * whoever prints them. A rebuild goes by what was taken then, as the index has it. */
static void on_foreign(void *user, int number, const char *payload, size_t len)
{
    struct session *s = of(user);
    uint64_t offset = terminal_offset(s->terminal);
    const struct rawlog_record *r = s->rebuilding ? recorded(s, RAWLOG_FOREIGN, offset) : NULL;
    if (s->rebuilding ? !r : session_integrated(s) || !conf_now(s->host->conf)->foreign_marks)
        return;
    if (r)
        s->now = (struct moment){r->wall_ms, r->monotonic_ms};
    s->foreign = true;
    bool taken = tracker_foreign(s->tracker, number, payload, len, s->now);
    s->foreign = false;
    session_withhold_ended(s);
    if (r && !tracker_running(s->tracker))
        tracker_set_seq(s->tracker, r->value);
    if (taken && !r)
        rawlog_record(s->log, RAWLOG_FOREIGN, offset, s->now, (uint16_t)payload[0],
                      (uint32_t)tracker_seq(s->tracker));
}

static void on_drawn(void *user, const struct op *op)
{
    struct session *s = of(user);
    s->foreign = true;
    tracker_drawn(s->tracker, op);
    s->foreign = false;
}

static void on_malformed(void *user)
{
    of(user)->spoofed++;
}

/* Programs that ask without end, or do not read, get answers at a bounded rate. */
static void on_reply(void *user, const char *bytes, size_t len)
{
    struct session *s = of(user);
    int64_t second = s->now.monotonic_ms / 1000;
    if (s->rebuilding)
        return;
    if (second != s->reply_second) {
        s->reply_second = second;
        s->reply_bytes = 0;
    }
    s->reply_bytes += (int)len;
    if (s->reply_bytes <= LIMIT_REPLY_BYTES_PER_S || s->tested)
        session_reply(s, bytes, len);
}

static void on_display(void *user, const char *bytes, size_t len, uint64_t offset)
{
    struct session *s = of(user);
    if (!s->rebuilding)
        EACH_WATCHER(s, display, w_, bytes, len, offset);
}

/* What a terminal says of its colours is its own. */
static void on_heard(void *user, const char *answer, size_t len)
{
    terminal_hear(of(user)->terminal, answer, len);
}

struct queries *session_create_queries(struct session *s)
{
    return queries_create(on_heard, s);
}

/* Whoever leads was shown it and answers; else the terminal does at once. */
static bool on_query(void *user, const struct query *query)
{
    struct session *s = of(user);
    if (s->rebuilding || !s->leader)
        return false;
    queries_open(s->queries, s->leader, query, terminal_offset(s->terminal), s->now.monotonic_ms,
                 false);
    session_keep_asked(s);
    return true;
}

/* Its terminal tells its own. */
static bool on_sized(void *user)
{
    return of(user)->leader != 0;
}

/* At most LIMIT_LEFTS are remembered; of more the older half goes. */
static void remember_left(struct session *s, uint64_t offset)
{
    if (s->lefts.len >= LIMIT_LEFTS * sizeof offset)
        bytes_consume(&s->lefts, LIMIT_LEFTS / 2 * sizeof offset);
    bytes_append(&s->lefts, &offset, sizeof offset);
}

/* Those under former workers, once. */
static void recall_lefts(struct session *s)
{
    size_t count;
    if (s->lefts_recalled)
        return;
    rawlog_flush(s->log);
    struct rawlog_record *records = rawlog_records(s->log, &count);
    s->lefts_recalled = true;
    for (size_t i = 0; i < count; i++)
        if (records[i].kind == RAWLOG_LEFT)
            remember_left(s, records[i].offset);
    free(records);
}

uint64_t session_left_behind(struct session *s, uint64_t offset)
{
    recall_lefts(s);
    const uint64_t *left = (const uint64_t *)s->lefts.data;
    size_t i = s->lefts.len / sizeof *left;
    uint64_t next = UINT64_MAX;
    while (i-- && left[i] > offset)
        next = left[i];
    return next;
}

static void on_left(void *user, uint64_t offset)
{
    struct session *s = of(user);
    if (!s->rebuilding)
        rawlog_record(s->log, RAWLOG_LEFT, offset, s->now, 0, 0);
    if (!s->rebuilding && s->lefts_recalled)
        remember_left(s, offset);
}

static const struct terminal_events terminal_events = {.mark = on_mark,
                                                       .recorded = on_recorded,
                                                       .line = on_line,
                                                       .foreign_mark = on_foreign,
                                                       .drawn = on_drawn,
                                                       .malformed = on_malformed,
                                                       .left = on_left,
                                                       .query = on_query,
                                                       .sized = on_sized,
                                                       .reply = on_reply,
                                                       .display = on_display};

/* ---- what the tracker finds ---- */

/* Blocks that a former worker has stored are not told again; nor are those that it never had, which
 * a rebuild that lacks the keys takes for one. */
static bool is_stored(const struct session *s, const struct block *block)
{
    bool is_none = s->rebuilding && s->led && block->seq > s->place.point.seq;
    return is_none || block->seq <= store_last_ended(s->store);
}

/* A rebuild sees the line on the screen; the former worker may have known better. */
static void take_command(struct block *block, const struct block *known)
{
    free(block->cmd);
    block->cmd = text_copy(known->cmd);
    block->cmd_source = known->cmd_source;
    block->cmd_truncated = known->cmd_truncated;
    block->private = known->private;
    block->nested = known->nested;
    block->type = known->type;
}

/* What the user keeps from agents, as it is set now. */
static void keep_private(struct session *s, struct block *block)
{
    const struct conf *conf = conf_now(s->host->conf);
    if (block->spaced && conf->private_space != PRIVATE_SPACE_AUTO)
        block->private = conf->private_space == PRIVATE_SPACE_ALWAYS;
    block->private = block->private || conf_keeps_private(conf, block->cmd);
}

static int64_t on_block_begin(void *user, struct block *block)
{
    struct session *s = of(user);
    session_leave_checkpoint(s);
    block->is_unsigned = block->is_unsigned || s->foreign;
    session_trim_withheld(s);
    if (!s->rebuilding)
        run_table_began(&intake_facts(s->intake)->runs, block->seq, block->cmd);
    if (is_stored(s, block))
        return 0;
    struct block *known = store_running(s->store);
    int64_t began = known && known->seq == block->seq ? known->ts_begin : 0;
    block->ts_begin = began ? began : block->ts_begin;
    if (began && s->rebuilding && known != block)
        take_command(block, known);
    else
        keep_private(s, block);
    block_unref(known);
    if (block->private)
        session_withhold_running(s);
    block->unrecorded = s->paused;
    if (!s->paused)
        store_begin(s->store, block);
    if (!s->rebuilding)
        EACH_WATCHER(s, block_begin, w_, block);
    if (!s->rebuilding && !s->paused)
        REPORT(s, block_begun, block);
    return began;
}

static void on_block_output(void *user, struct block *block, const char *text, size_t len)
{
    struct session *s = of(user);
    if (is_stored(s, block))
        return;
    if (!block->unrecorded)
        store_output(s->store, text, len);
    if (!s->rebuilding)
        EACH_WATCHER(s, block_output, w_, block, text, len);
}

static void on_output_end(void *user, struct block *block)
{
    struct session *s = of(user);
    if (!s->rebuilding && !is_stored(s, block))
        EACH_WATCHER(s, output_end, w_, block);
}

static void end_block(struct session *s, struct block *block)
{
    session_leave_checkpoint(s);
    if (is_stored(s, block)) { /* maybe by one that died before its last bytes were in the log */
        s->settles = !s->rebuilding;
        return;
    }
    if (block->unrecorded) {
        session_withhold_block(s);
        session_end_unrecorded(s, block);
        EACH_WATCHER(s, block_end, w_, block);
        return;
    }
    keep_private(s, block); /* its text may be known better now */
    block->private = block->private || !s->secrets_known;
    if (block->private)
        session_withhold_block(s);
    block_redact(block, s->secrets);
    REPORT(s, block_ended, block);
    store_end(s->store, block, s->terminal);
    REPORT(s, block_stored, block);
    EACH_WATCHER(s, block_end, w_, block);
    s->settles = true;
    terminal_stop(s->terminal); /* that was work enough for a piece */
}

static void on_block_end(void *user, struct block *block)
{
    struct session *s = of(user);
    end_block(s, block);
    s->line_from = terminal_offset(s->terminal);
}

/* While rebuilding: at the prompt where the command that runs came from, its line is known. It may
 * have been typed ahead: then what stands behind the prompt is output. */
static void recall_running(struct session *s)
{
    struct block *known = store_running(s->store);
    struct bytes line = {0};
    if (known && s->led && s->place.point.state == TRACKER_RUNNING &&
        known->seq == s->place.point.seq && known->seq == tracker_seq(s->tracker) + 1) {
        bytes_append_text(&line, known->cmd);
        bytes_append_char(&line, '\n');
        tracker_recall(s->tracker, &(struct typed_keys){.keys = line.data, .len = line.len});
    }
    bytes_finish(&line);
    block_unref(known);
}

static void on_prompt(void *user)
{
    struct session *s = of(user);
    s->answered = s->gives_up = false;
    s->line_from = terminal_offset(s->terminal);
    s->prompt_end = s->rebuilding ? 0 : terminal_offset(s->terminal);
    if (!s->rebuilding)
        session_note_prompt(s);
    if (s->rebuilding)
        recall_running(s);
    else
        EACH_WATCHER(s, prompt, w_);
}

static void on_dropped(void *user)
{
    session_withhold_dropped(of(user));
}

static const struct tracker_events tracker_events = {.begin = on_block_begin,
                                                     .output = on_block_output,
                                                     .output_end = on_output_end,
                                                     .end = on_block_end,
                                                     .prompt = on_prompt,
                                                     .dropped = on_dropped};

/* ---- what the index says ---- */

static bool is_mark(const struct rawlog_record *r, enum mark_kind kind)
{
    return (r->kind == RAWLOG_MARK || r->kind == RAWLOG_FOREIGN) && r->detail == kind;
}

static bool begins_block(const struct rawlog_record *r)
{
    return r->kind == RAWLOG_LINE || r->kind == RAWLOG_RUNS || is_mark(r, MARK_COMMAND);
}

static bool ends_output(const struct rawlog_record *r)
{
    return is_mark(r, MARK_OUTPUT_END) || is_mark(r, MARK_DONE) || is_mark(r, MARK_PROMPT);
}

/* At a prompt, and where a command is done, all blocks up to that number are over. */
static bool is_over_at(const struct rawlog_record *r)
{
    return r->kind == RAWLOG_SHELL || is_mark(r, MARK_DONE) || is_mark(r, MARK_PROMPT);
}

uint64_t session_ended_behind(struct session *s, uint64_t offset, uint64_t *ret_behind)
{
    size_t count, i;
    uint64_t over = session_first_seq(s), seq = 0;
    rawlog_flush(s->log);
    struct rawlog_record *records = rawlog_records(s->log, &count);
    for (i = 0; i < count && !seq; i++)
        if (is_over_at(&records[i]) && records[i].value > over) {
            seq = records[i].offset >= offset ? over + 1 : 0;
            over = records[i].value;
        }
    if (seq)
        *ret_behind = i < count ? records[i].offset : intake_start(s->intake);
    free(records);
    return seq;
}

bool session_find_output(struct session *s, uint64_t seq, uint64_t *ret_from, uint64_t *ret_until)
{
    size_t count, i = 0;
    rawlog_flush(s->log);
    struct rawlog_record *records = rawlog_records(s->log, &count);
    while (i < count && !(records[i].value == seq && begins_block(&records[i])))
        i++;
    bool found = i < count;
    if (found) {
        *ret_from = records[i].offset;
        while (i < count && !(records[i].value == seq && ends_output(&records[i])))
            i++;
        *ret_until = i < count ? records[i].offset : 0;
    }
    free(records);
    return found;
}

/* ---- what both are made with ---- */

struct terminal_options session_terminal_options(struct session *s)
{
    const struct intake_facts *facts = intake_facts(s->intake);
    return (struct terminal_options){
        .cols = facts->cols, .rows = facts->rows, .events = &terminal_events, .user = s};
}

struct tracker_options session_tracker_options(struct session *s, struct terminal *terminal)
{
    return (struct tracker_options){.conversation_id = s->name,
                                    .shell_id = s->shell_id,
                                    .terminal = terminal,
                                    .events = &tracker_events,
                                    .user = s};
}

void session_name_terminal(struct session *s)
{
    terminal_set_names(s->terminal, "ptyd(" PTYD_VERSION ")", s->term);
}

void session_prepare_terminal(struct session *s)
{
    const struct intake_facts *facts = intake_facts(s->intake);
    terminal_set_shown(s->terminal, false);
    session_name_terminal(s);
    terminal_set_pixels(s->terminal, facts->x_pixels, facts->y_pixels);
    s->tested = getenv("PTYD_ANSWER_CHECKSUMS") != NULL;
    if (s->tested)
        terminal_answer_checksums(s->terminal);
    if (facts->nonce[0])
        terminal_set_nonce(s->terminal, facts->nonce);
}
