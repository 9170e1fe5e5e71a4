/* Rows that agents are told nothing of, by their numbers since the start: what private commands and
 * those that capture was paused in took, from their prompt to where they ended. They are kept with
 * the session, for another worker sees in its log only that something was printed. Where that
 * worker has no checkpoint to go on from its rows have other numbers (the log's head is gone, and
 * what came while capture was paused never was in it): they are found again by where in the stream
 * they were printed. So are those of a private command that runs: its begin may have left the log
 * by then. */
#include "ptyd/session/private.h"

#include <string.h>

#include "ptyd/core/json.h"

#define OPEN_END INT64_MAX /* of rows that are still coming */

static json_t *range_json(const struct row_range *r)
{
    return json_pack("[I, I, I, I, i]", (json_int_t)r->from, (json_int_t)r->to,
                     (json_int_t)r->begin, (json_int_t)r->end, (int)r->running);
}

static void keep(struct session *s)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < s->withheld_count; i++)
        json_array_append_new(rows, range_json(&s->withheld[i]));
    json_object_set_new(store_meta(s->store), "withheld",
                        json_pack("{s:s, s:o}", "shell_id", s->shell_id, "rows", rows));
}

/* Whoever comes behind a worker that is killed has to know it. */
static void keep_at_once(struct session *s)
{
    keep(s);
    if (!s->rebuilding)
        store_save_meta(s->store);
}

void session_recall_withheld(struct session *s)
{
    const json_t *kept = json_object_get(store_meta(s->store), "withheld"),
                 *rows = json_object_get(kept, "rows"), *range;
    size_t i;
    s->withheld_count = 0;
    if (strcmp(json_text(kept, "shell_id", ""), s->shell_id) != 0)
        return;
    json_array_foreach((json_t *)rows, i, range) {
        json_int_t from = json_integer_value(json_array_get(range, 0));
        json_int_t to = json_integer_value(json_array_get(range, 1));
        json_int_t begin = json_integer_value(json_array_get(range, 2));
        json_int_t end = json_integer_value(json_array_get(range, 3));
        bool placed = begin >= 0 && end > begin;
        if (from >= 0 && to >= from && s->withheld_count < LIMIT_WITHHELD)
            s->withheld[s->withheld_count++] =
                (struct row_range){.from = (uint64_t)from,
                                   .to = (uint64_t)to,
                                   .running = json_integer_value(json_array_get(range, 4)) == 1,
                                   .begin = placed ? (uint64_t)begin : 0,
                                   .end = placed ? (uint64_t)end : OPEN_END};
    }
}

/* Of more than there is room for the oldest two become one, with what lies between them. */
static void add(struct session *s, uint64_t from, uint64_t to, bool running)
{
    uint64_t here = terminal_offset(s->terminal);
    if (s->withheld_count == LIMIT_WITHHELD) {
        s->withheld[1].from = s->withheld[0].from;
        s->withheld[1].begin = s->withheld[0].begin;
        memmove(s->withheld, s->withheld + 1, --s->withheld_count * sizeof *s->withheld);
    }
    s->withheld[s->withheld_count++] =
        (struct row_range){.from = from,
                           .to = to,
                           .running = running,
                           .begin = s->line_from < here ? s->line_from : here,
                           .end = to == OPEN_END ? OPEN_END : here,
                           .place = s->rebuilding ? RANGE_AGAIN : RANGE_KNOWN};
    keep(s);
}

/* The first row of the command that runs, or of the line that is typed. */
static uint64_t first_row(const struct session *s)
{
    uint64_t row = tracker_input_row(s->tracker);
    return row == UINT64_MAX ? terminal_scrollback_total(s->terminal) : row;
}

/* Behind the last row that something was printed in. */
static uint64_t end_row(const struct session *s)
{
    struct terminal_anchor at = terminal_anchor(s->terminal);
    return anchor_row(at) + (anchor_col(at) > 0);
}

/* From there to here. Of a command that moved the cursor up all that the screen shows may be its
 * own. */
static void end_range(const struct session *s, uint64_t *from, uint64_t *ret_to)
{
    uint64_t top = terminal_scrollback_total(s->terminal);
    *ret_to = end_row(s);
    if (*ret_to <= *from) {
        *from = top < *from ? top : *from;
        *ret_to = top + (uint64_t)terminal_rows(s->terminal);
    }
}

/* While rebuilding: whether the rows are numbered as those of the terminal are at this point. */
static bool is_here(const struct session *s, const struct row_range *range)
{
    return !s->rebuilding || range->place == RANGE_OPEN || range->place == RANGE_AGAIN;
}

/* What was kept of the command that runs is not, any more. Returns it; `from` is UINT64_MAX for
 * none. While rebuilding one that begins further on is another's. */
static struct row_range drop_running(struct session *s)
{
    size_t left = 0;
    struct row_range known = {.from = UINT64_MAX, .begin = UINT64_MAX};
    for (size_t i = 0; i < s->withheld_count; i++)
        if (!s->withheld[i].running || s->withheld[i].place == RANGE_DUE)
            s->withheld[left++] = s->withheld[i];
        else
            known = s->withheld[i];
    s->withheld_count = left;
    if (!is_here(s, &known))
        known.from = UINT64_MAX;
    return known;
}

void session_withhold_running(struct session *s)
{
    drop_running(s);
    add(s, first_row(s), OPEN_END, true);
    keep_at_once(s);
}

void session_withhold_block(struct session *s)
{
    struct row_range known = drop_running(s);
    uint64_t from = first_row(s), to;
    bool unmarked = tracker_input_row(s->tracker) == UINT64_MAX;
    if (known.from != UINT64_MAX && (unmarked || known.from < from))
        from = known.from; /* in a shell without C the last of several lines is marked */
    end_range(s, &from, &to);
    add(s, from, to, false);
    struct row_range *last = &s->withheld[s->withheld_count - 1];
    last->begin = known.begin < last->begin ? known.begin : last->begin;
    keep_at_once(s);
}

void session_withhold_ended(struct session *s)
{
    bool is_one = false;
    for (size_t i = 0; i < s->withheld_count; i++)
        is_one = is_one || s->withheld[i].running;
    if (is_one && !s->rebuilding && !tracker_running(s->tracker))
        session_withhold_block(s);
}

void session_withhold_from_here(struct session *s)
{
    add(s, first_row(s), OPEN_END, false);
}

void session_withhold_to_here(struct session *s, uint64_t end)
{
    for (size_t i = 0; i < s->withheld_count; i++)
        if (s->withheld[i].to == OPEN_END && !s->withheld[i].running) {
            s->withheld[i].to = end;
            s->withheld[i].end = terminal_offset(s->terminal);
        }
    keep(s);
}

/* Whether the screen shows nothing below the cursor. */
static bool is_blank_below(const struct session *s)
{
    struct bytes text = {0};
    int row = terminal_cursor(s->terminal).row + 1;
    bool blank = !terminal_alt_screen(s->terminal);
    for (; blank && row < terminal_rows(s->terminal); row++) {
        text.len = 0;
        terminal_row_text(s->terminal, row, &text);
        blank = !text.len;
    }
    bytes_finish(&text);
    return blank;
}

/* A line that begins where such rows ended, without a prompt (a trapped Ctrl-C in dash), stands
 * behind them in the same row. */
static bool reaches_below(const struct session *s, const struct row_range *range, uint64_t row)
{
    return is_here(s, range) && range->to > row && range->to != OPEN_END &&
           range->end != s->line_from;
}

/* Where the screen was cleared its rows are new ones. */
void session_trim_withheld(struct session *s)
{
    uint64_t row = first_row(s);
    size_t left = 0;
    bool lower = false;
    for (size_t i = 0; i < s->withheld_count; i++)
        lower = lower || reaches_below(s, &s->withheld[i], row);
    if (!lower || !is_blank_below(s))
        return;
    for (size_t i = 0; i < s->withheld_count; i++) {
        struct row_range *range = &s->withheld[i];
        if (reaches_below(s, range, row))
            range->to = row;
        if (!is_here(s, range) || range->from < range->to)
            s->withheld[left++] = *range;
    }
    s->withheld_count = left;
    keep(s);
}

/* The terminal has another size. */
void session_follow_withheld(struct session *s)
{
    bool moved = false;
    for (size_t i = 0; i < s->withheld_count; i++) {
        struct row_range *range = &s->withheld[i], was = *range;
        if (!is_here(s, range))
            continue;
        range->from = terminal_follow_row(s->terminal, was.from, false);
        if (was.to != OPEN_END)
            range->to = terminal_follow_row(s->terminal, was.to, true);
        moved = moved || range->from != was.from || range->to != was.to;
    }
    s->unrecorded_until = terminal_follow_row(s->terminal, s->unrecorded_until, true);
    store_set_snapshot_from(s->store, s->unrecorded_until);
    if (moved)
        keep(s);
}

/* ---- in another worker's terminal ---- */

/* Of rows that were printed in front of a checkpoint the numbers hold; those of which the log holds
 * nothing any more are gone. Of what an older program kept the places are not known: then it is
 * all that the log leads to. */
void session_find_withheld(struct session *s, uint64_t from, bool is_checkpoint)
{
    size_t left = 0;
    for (size_t i = 0; i < s->withheld_count; i++) {
        struct row_range range = s->withheld[i];
        bool held = range.end > from;
        range.place = is_checkpoint && range.begin < from ? RANGE_KNOWN : RANGE_DUE;
        if (range.place == RANGE_KNOWN || held)
            s->withheld[left++] = range;
    }
    s->withheld_count = left;
}

void session_withhold_again(struct session *s, uint64_t offset)
{
    for (size_t i = 0; i < s->withheld_count; i++) {
        struct row_range *range = &s->withheld[i];
        if (range->place == RANGE_DUE && range->begin <= offset) {
            range->from = anchor_row(terminal_anchor(s->terminal));
            range->to = OPEN_END;
            range->place = RANGE_OPEN;
        }
        if (range->place == RANGE_OPEN && range->end <= offset) {
            uint64_t first = tracker_input_row(s->tracker); /* the screen may have been cleared */
            range->from = first < range->from ? first : range->from;
            end_range(s, &range->from, &range->to);
            range->place = RANGE_AGAIN;
        }
    }
}

uint64_t session_next_withheld(const struct session *s, uint64_t offset)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < s->withheld_count; i++) {
        const struct row_range *range = &s->withheld[i];
        uint64_t at = range->place == RANGE_DUE    ? range->begin
                      : range->place == RANGE_OPEN ? range->end
                                                   : UINT64_MAX;
        next = at > offset && at < next ? at : next;
    }
    return next;
}

/* Whether the command of such rows may run yet, for all that is said: where it began while capture
 * was paused the log does not say so. */
static bool may_run(const struct session *s, const struct row_range *range)
{
    enum tracker_state state = s->led ? s->place.point.state : tracker_state(s->tracker);
    return range->running && (state == TRACKER_RUNNING || state == TRACKER_START);
}

/* Rows that end nowhere are still coming while capture is paused or their command runs; others
 * ended with the log. */
void session_found_withheld(struct session *s)
{
    size_t left = 0;
    for (size_t i = 0; i < s->withheld_count; i++) {
        struct row_range range = s->withheld[i];
        if (range.place == RANGE_DUE)
            continue; /* the log does not lead there */
        if (range.place == RANGE_OPEN && !may_run(s, &range)) {
            range.running = false;
            if (!s->paused)
                end_range(s, &range.from, &range.to);
        }
        range.place = RANGE_KNOWN;
        s->withheld[left++] = range;
    }
    s->withheld_count = left;
    keep(s);
}

/* ---- what is asked ---- */

static bool is_private_line(const struct conf *conf, const char *line)
{
    return *line && ((*line == ' ' && conf->private_space != PRIVATE_SPACE_NEVER) ||
                     conf_keeps_private(conf, line));
}

/* Whether one may begin at some word of the text. */
static bool holds_private_line(const struct conf *conf, char *text)
{
    bool holds = false;
    for (char *row = text, *end; !holds && (end = strchr(row, '\n')); row = end + 1) {
        *end = '\0';
        for (char *word = row; !holds && *(word += strspn(word, " ")); word += strcspn(word, " "))
            holds = conf_keeps_private(conf, word);
    }
    return holds;
}

/* A line that is being typed, or was given up and still stands there, and would be private. */
static bool types_privately(const struct session *s)
{
    struct bytes seen = {0}, keyed = {0}, drawn = {0};
    if (tracker_state(s->tracker) != TRACKER_INPUT && !tracker_gave_up(s->tracker))
        return false;
    const struct conf *conf = conf_now(s->host->conf);
    tracker_typed_text(s->tracker, &seen);
    tracker_keyed_text(s->tracker, &keyed);
    tracker_drawn_text(s->tracker, &drawn);
    bool is = is_private_line(conf, seen.data) || is_private_line(conf, keyed.data) ||
              holds_private_line(conf, drawn.data);
    bytes_finish(&seen);
    bytes_finish(&keyed);
    bytes_finish(&drawn);
    return is;
}

static bool runs_privately(const struct session *s)
{
    const struct block *running = tracker_running(s->tracker);
    return running && (running->private || running->unrecorded);
}

/* What is typed may have been drawn anew further up. In its own row the cursor may stand at the
 * front: fish draws its prompt behind B, and each time from there. */
uint64_t session_withheld_from(const struct session *s)
{
    if (runs_privately(s))
        return first_row(s);
    if (!types_privately(s))
        return UINT64_MAX;
    uint64_t from = first_row(s), top = terminal_scrollback_total(s->terminal);
    return anchor_row(terminal_anchor(s->terminal)) < from && top < from ? top : from;
}

void session_withhold_interrupted(struct session *s)
{
    s->gives_up = s->gives_up || types_privately(s);
}

/* Empty lines take no room of others. */
void session_withhold_dropped(struct session *s)
{
    uint64_t from = first_row(s), to;
    bool is = s->gives_up || types_privately(s);
    s->gives_up = false;
    if (s->rebuilding || !is || !tracker_shows_line(s->tracker))
        return;
    end_range(s, &from, &to);
    if (session_withholds_row(s, from) && session_withholds_row(s, to - 1))
        return;
    add(s, from, to, false);
    keep_at_once(s);
}

const struct row_range *session_withheld(const struct session *s, size_t *ret_count)
{
    *ret_count = s->withheld_count;
    return s->withheld;
}

bool session_withholds_row(const struct session *s, uint64_t row)
{
    for (size_t i = 0; i < s->withheld_count; i++)
        if (row >= s->withheld[i].from && row < s->withheld[i].to)
            return true;
    return false;
}
