/* A session's terminal and tracker from its log, after a worker was lost. In the log nonces are
 * zeros: a mark is genuine where the index says that one was accepted, or the shared memory that
 * the former worker stood within it. */
#include "ptyd/core/typed.h"
#include "ptyd/session/private.h"

#include <stdlib.h>
#include <string.h>

const struct rawlog_record *session_recorded_mark(struct session *s, uint64_t offset)
{
    const struct rawlog_record *r = s->records + s->record_at, *end = s->records + s->record_count;
    while (r < end && (r->kind != RAWLOG_MARK || r->offset < offset))
        r++; /* a mark's record may stand behind those of bytes that came within it */
    s->record_at = (size_t)(r - s->records);
    if (r == end || r->offset != offset)
        return NULL;
    s->now = (struct moment){r->wall_ms, r->monotonic_ms};
    return r;
}

/* Puts the tracker at a point that the log does not lead to. */
static void go_to_point(struct session *s, const struct tracker_point *point)
{
    struct block *running = tracker_running(s->tracker), *known = store_running(s->store);
    bool runs = point->state == TRACKER_RUNNING;
    if (!runs || !running || running->seq != point->seq) {
        s->now = clock_now();
        if (!runs && !running && known && known->seq <= point->seq)
            tracker_resume(s->tracker, known, s->now); /* it is over, and nobody could say how */
        tracker_set_point(s->tracker, point, s->now);
        if (runs && known && known->seq == point->seq)
            tracker_resume(s->tracker, known, s->now);
    }
    block_unref(known);
}

/* Does what the index says happened up to `offset`, besides bytes. Returns whether what follows is
 * a gap: capture was paused, and blocks of that time are counted but not known. */
static bool apply_records(struct session *s, size_t *at, uint64_t offset, bool gap)
{
    for (; *at < s->record_count && s->records[*at].offset <= offset; (*at)++) {
        const struct rawlog_record *r = &s->records[*at];
        if (r->kind == RAWLOG_RESIZE) {
            tracker_resize(s->tracker, (int)(r->value >> 16), (int)(r->value & 0xffff));
            session_follow_withheld(s);
        }
        if (r->kind == RAWLOG_GAP)
            gap = r->detail;
        if (r->kind == RAWLOG_GAP && !gap)
            tracker_set_seq(s->tracker, r->value);
        if (r->kind == RAWLOG_RUNS)
            tracker_runs(s->tracker, s->now);
        struct tracker_point point = rawlog_point(r);
        if (r->kind == RAWLOG_LOST &&
            r->offset == offset) /* for an earlier one the marks behind it say more */
            go_to_point(s, &point);
    }
    return gap;
}

static uint64_t next_record(const struct session *s, size_t at, uint64_t end)
{
    for (; at < s->record_count; at++) {
        const struct rawlog_record *r = &s->records[at];
        bool matters = r->kind == RAWLOG_RESIZE || r->kind == RAWLOG_GAP ||
                       r->kind == RAWLOG_LOST || r->kind == RAWLOG_RUNS;
        if (matters && r->offset < end)
            return r->offset;
    }
    return end;
}

/* What was lost before a loss that is known was said then. */
static size_t behind_loss(const struct session *s, size_t at)
{
    for (size_t i = s->record_count; i > at; i--)
        if (s->records[i - 1].kind == RAWLOG_LOST)
            return i;
    return at;
}

/* Whether those of `n` bytes of the log begin with marks that should. */
static void check_marks(struct session *s, uint64_t from, const char *bytes, ssize_t n)
{
    const size_t len = sizeof MARK_HEAD - 1;
    for (; s->marks_checked < s->record_count; s->marks_checked++) {
        const struct rawlog_record *r = &s->records[s->marks_checked];
        if (r->kind != RAWLOG_MARK || r->offset < from)
            continue;
        if (n < 0 || r->offset + len > from + (size_t)n)
            return;
        s->marks_missing += memcmp(bytes + (r->offset - from), MARK_HEAD, len) != 0;
    }
}

/* Feeds [from, to) of the log; what the terminal holds back at the end comes again later. */
static void feed_log(struct session *s, uint64_t from, uint64_t to)
{
    size_t at = s->record_at;
    bool gap = false;
    s->marks_checked = behind_loss(s, at);
    s->marks_missing = 0;
    terminal_set_offset(s->terminal, from);
    while (from < to) {
        session_withhold_again(s, from);
        gap = apply_records(s, &at, from, gap);
        uint64_t stop = next_record(s, at, to), place = session_next_withheld(s, from);
        if (gap) {
            from = stop;
            terminal_set_offset(s->terminal, from);
            continue;
        }
        uint64_t end = place < stop ? place : stop;
        size_t want =
            end - from < SESSION_SCRATCH_BYTES ? (size_t)(end - from) : SESSION_SCRATCH_BYTES;
        struct board_place before = board_enter(s->name, BOARD_REBUILD, from);
        ssize_t n = rawlog_read(s->log, from, s->host->scratch, want);
        check_marks(s, from, s->host->scratch, n);
        size_t taken = n > 0 ? terminal_write(s->terminal, s->host->scratch, (size_t)n) : 0;
        board_leave(&before);
        if (!taken && end < stop) { /* within a sequence, which is taken whole */
            session_withhold_again(s, end);
            continue;
        }
        if (!taken && stop == to)
            break;
        from = taken ? from + taken : stop; /* a loss cut a sequence short: on behind it */
        if (!taken)
            terminal_set_offset(s->terminal, from);
    }
    apply_records(s, &at, to, gap);
    terminal_set_offset(s->terminal, to);
}

/* A mark that says where the shell is. */
static bool tells_stage(const struct rawlog_record *r)
{
    return r->kind == RAWLOG_MARK && r->detail != MARK_TEXT && r->detail != MARK_PROPERTY;
}

/* The log begins inside a command's output: the block goes on without its begin. */
static void resume_block(struct session *s, uint64_t from)
{
    struct block *running = store_running(s->store);
    size_t i = 0;
    while (i < s->record_count && (s->records[i].offset < from || !tells_stage(&s->records[i])))
        i++;
    bool inside = i == s->record_count || s->records[i].detail == MARK_DONE ||
                  s->records[i].detail == MARK_OUTPUT_END;
    if (running && inside) {
        tracker_set_seq(s->tracker, running->seq);
        tracker_resume(s->tracker, running, clock_now());
    }
    block_unref(running);
}

/* The log does not lead to where the stream was consumed: one of its files is another than the
 * former worker wrote. What the shared memory says counts. */
static void bridge_loss(struct session *s, uint64_t start, bool said)
{
    struct tracker_point point = s->place.point;
    if (!said)
        point = (struct tracker_point){.seq = store_last_ended(s->store)};
    if (!point.inside) /* what follows would be swallowed */
        terminal_leave_sequence(s->terminal);
    rawlog_skip(s->log, start);
    go_to_point(s, &point);
    rawlog_record_lost(s->log, start, clock_now(), &point);
    rawlog_flush(s->log);
    s->checkpoint_due = true;
}

static bool is_there(const struct session *s)
{
    struct tracker_point here = tracker_point(s->tracker);
    return here.state == s->place.point.state && here.seq == s->place.point.seq;
}

/* A log without keys may lead elsewhere in a shell without C: what the former worker said counts.
 */
static void settle(struct session *s)
{
    if (s->place.point.editor == EDITOR_UNASKED || is_there(s))
        return;
    if (s->place.point.state == TRACKER_RUNNING)
        tracker_runs(s->tracker, s->now); /* a line typed ahead, of which no line feed told */
    if (is_there(s))
        return;
    if (tracker_running(s->tracker))
        tracker_withdraw(s->tracker);
    go_to_point(s, &s->place.point);
}

/* What the log of a shell with C leads to is what the former worker said, or the log is not whole.
 */
static bool agrees(const struct session *s)
{
    return s->place.point.editor != EDITOR_UNASKED || is_there(s);
}

static void note_damage(struct session *s, bool whole)
{
    const char *directory = store_directory(s->store);
    struct aside *aside = store_aside(s->store);
    if (s->marks_missing)
        aside_note(aside, "%s/output.raw is damaged: %zu marks are not where they were", directory,
                   s->marks_missing);
    else if (!whole)
        aside_note(aside,
                   "%s/output.raw and output.idx are not whole: lines of the screen and above it "
                   "may be missing",
                   directory);
}

/* The seq of the last block before what the log still holds. */
static uint64_t first_seq(const struct session *s)
{
    const struct rawlog_record *r = s->records;
    for (size_t i = 0; i < s->record_count; i++) /* the first mark, when the head is gone */
        if (r[i].kind == RAWLOG_MARK && r[i].offset >= rawlog_base(s->log))
            return r[i].value - (r[i].detail == MARK_COMMAND);
    return s->record_count ? r[0].value : 0;
}

/* Where the line began that is typed or runs at that offset; or the command before it ended. */
static uint64_t line_begin(const struct session *s, uint64_t offset)
{
    uint64_t begin = 0;
    for (size_t i = 0; i < s->record_count && s->records[i].offset <= offset; i++) {
        const struct rawlog_record *r = &s->records[i];
        if (r->kind == RAWLOG_MARK && (r->detail == MARK_INPUT || r->detail == MARK_DONE))
            begin = r->offset;
    }
    return begin;
}

static void rebuild(struct session *s, uint64_t start)
{
    uint64_t from = rawlog_base(s->log);
    s->records = rawlog_records(s->log, &s->record_count);
    tracker_set_seq(s->tracker, first_seq(s));
    s->record_count = rawlog_cut(s->log, s->records, s->record_count, start);
    s->record_at = 0;
    bool whole = s->record_count && rawlog_end(s->log) >= start;
    bool said = intake_place(s->intake, &s->place);
    s->led = whole && said;
    bool headless = s->record_count && s->records[0].offset < from;
    if (s->record_count && s->records[0].offset > from)
        from = s->records[0].offset;
    s->rebuilding = true;
    bool held = session_hold_output(s, start);
    bool is_checkpoint = session_load_checkpoint(s, from, start);
    if (is_checkpoint)
        from = s->checkpoint_at;
    else if (headless)
        resume_block(s, from);
    session_find_withheld(s, from, is_checkpoint);
    s->line_from = line_begin(s, from);
    feed_log(s, from, start);
    session_found_withheld(s);
    whole = whole && (!said || agrees(s));
    note_damage(s, whole || s->paused);
    if (!whole)
        bridge_loss(s, start, said);
    else if (said)
        settle(s);
    if (held)
        session_restore_output(s, start);
    session_reenter(s, start);
    struct typed_keys none = {.in_doubt = true};
    tracker_recall(s->tracker, said ? &s->place.keys : &none);
    tracker_lose_keys(s->tracker);
    s->rebuilding = false;
    free(s->records);
    s->records = NULL;
    s->record_count = 0;
}

void session_rebuild(struct session *s, uint64_t start)
{
    struct board_place before = board_enter(s->name, BOARD_REBUILD, rawlog_base(s->log));
    rebuild(s, start);
    board_leave(&before);
}
