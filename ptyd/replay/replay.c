#include "ptyd/replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "envelope/entry.h"
#include "ptyd/command/progress.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/screen.h"
#include "ptyd/core/text.h"
#include "ptyd/core/tracker.h"

#define TELL_BYTES (64 << 10) /* from one word of how much to the next */

struct replay {
    struct replay_options options;
    struct terminal *terminal;
    struct tracker *tracker;
    struct bytes pending; /* bytes the terminal has not taken yet */
    uint64_t fed;         /* bytes */
    struct moment now;
    int64_t start_ms;
    bool clamped;
    json_t *blocks;
    struct block *kept[LIMIT_CONTEXT_BLOCKS]; /* the newest deliverable ones, oldest first */
    int kept_count;
    int64_t deliverable;
};

static bool outside(int value)
{
    return value && (value < LIMIT_SIZE_MIN || value > LIMIT_SIZE_MAX);
}

/* ---- what the terminal and the tracker find ---- */

static void on_mark(void *user, const struct mark *mark)
{
    struct replay *r = user;
    if (mark->signature == MARK_SIGNED)
        tracker_mark(r->tracker, mark, r->now);
}

static void on_line(void *user)
{
    struct replay *r = user;
    enum typed_answer answer;
    tracker_line(r->tracker, r->now, &answer);
}

static void on_foreign(void *user, int number, const char *payload, size_t len)
{
    struct replay *r = user;
    if (r->options.foreign_marks)
        tracker_foreign(r->tracker, number, payload, len, r->now);
}

static void on_drawn(void *user, const struct op *op)
{
    struct replay *r = user;
    tracker_drawn(r->tracker, op);
}

static void keep_deliverable(struct replay *r, struct block *block)
{
    block->key = (uint64_t)++r->deliverable;
    if (r->kept_count == LIMIT_CONTEXT_BLOCKS) {
        block_unref(r->kept[0]);
        memmove(r->kept, r->kept + 1, sizeof r->kept - sizeof r->kept[0]);
        r->kept_count--;
    }
    r->kept[r->kept_count++] = block_ref(block);
}

static void on_end(void *user, struct block *block)
{
    struct replay *r = user;
    json_array_append_new(r->blocks, block_to_json(block));
    block_redact(block, NULL); /* what an agent would be told, as it would be */
    if (deliver_wanted(block, conf_usual()))
        keep_deliverable(r, block);
}

static const struct terminal_events terminal_events = {
    .mark = on_mark, .line = on_line, .foreign_mark = on_foreign, .drawn = on_drawn};
static const struct tracker_events tracker_events = {.end = on_end};

/* ---- the trace's events ---- */

static void on_start(void *user, int64_t epoch_ms)
{
    struct replay *r = user;
    r->start_ms = epoch_ms;
}

static void on_size(void *user, int64_t ms, int cols, int rows)
{
    struct replay *r = user;
    if (r->options.cols && ms == 0)
        return; /* the user's size wins over the recorded one */
    r->clamped = r->clamped || outside(cols) || outside(rows);
    tracker_resize(r->tracker, cols, rows);
}

static void tell(struct replay *r, size_t len)
{
    uint64_t before = r->fed;
    r->fed += len;
    if (r->options.progress && (!before || before / TELL_BYTES != r->fed / TELL_BYTES))
        progress_say(r->options.progress, "%.1f MB", (double)r->fed / 1e6);
}

static void take(struct replay *r, const char *bytes, size_t len)
{
    tell(r, len);
    bytes_append(&r->pending, bytes, len);
    if (r->pending.failed)
        memory_end();
    bytes_consume(&r->pending, terminal_write(r->terminal, r->pending.data, r->pending.len));
}

/* xorshift64: the same lengths for the same seed, anywhere. */
static size_t random_length(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return 1 + *state % LIMIT_REPLAY_PIECE_BYTES;
}

static void on_output(void *user, int64_t ms, const char *bytes, size_t len)
{
    struct replay *r = user;
    size_t chunk = r->options.chunk ? r->options.chunk : 1 << 16;
    r->now = (struct moment){.wall_ms = r->start_ms + ms, .monotonic_ms = ms};
    for (size_t at = 0; at < len; at += chunk) {
        chunk = r->options.seed ? random_length(&r->options.seed) : chunk;
        take(r, bytes + at, len - at < chunk ? len - at : chunk);
    }
}

static void on_input(void *user, int64_t ms, const char *bytes, size_t len)
{
    struct replay *r = user;
    (void)ms;
    tracker_edited(r->tracker, bytes, len);
}

const struct trace_events *replay_events(void)
{
    static const struct trace_events events = {
        .size = on_size, .output = on_output, .input = on_input, .start = on_start};
    return &events;
}

/* ---- life ---- */

struct replay *replay_create(const struct replay_options *options)
{
    struct replay *r = memory_new(sizeof *r);
    r->options = *options;
    r->clamped = outside(options->cols) || outside(options->rows);
    r->blocks = json_array();
    r->terminal = terminal_create(&(struct terminal_options){
        .cols = options->cols,
        .rows = options->rows,
        .scrollback = options->scrollback,
        .events = &terminal_events,
        .user = r,
    });
    if (!r->terminal)
        memory_end();
    terminal_trust_first_mark(r->terminal);
    r->tracker = tracker_create(&(struct tracker_options){
        .conversation_id = "replay",
        .shell_id = "shell_replay",
        .terminal = r->terminal,
        .events = &tracker_events,
        .user = r,
        .cwd = "",
    });
    return r;
}

void replay_destroy(struct replay *r)
{
    if (!r)
        return;
    for (int i = 0; i < r->kept_count; i++)
        block_unref(r->kept[i]);
    tracker_destroy(r->tracker);
    terminal_destroy(r->terminal);
    bytes_finish(&r->pending);
    json_decref(r->blocks);
    free(r);
}

bool replay_was_clamped(const struct replay *r)
{
    return r->clamped;
}

static void set_entry(json_t *map, struct bytes *key, struct bytes *value)
{
    json_object_set_new(map, key->data,
                        json_pack("{s:s, s:s}", "value", value->data, "kind", "application"));
    key->len = value->len = 0;
}

static json_t *context(const struct replay *r)
{
    json_t *map = json_object();
    static const struct entry_shape whole = {.room = LIMIT_ENTRY_BYTES};
    struct bytes key = {0}, value = {0};
    if (r->kept_count) {
        entry_header_key((uint64_t)r->deliverable + 1, &key);
        deliver_header(&(struct deliver_header){.conversation_id = "replay",
                                                .shell_id = "shell_replay",
                                                .cwd = tracker_cwd(r->tracker),
                                                .total = r->deliverable,
                                                .kept = r->kept_count},
                       &value, NULL);
        set_entry(map, &key, &value);
    }
    for (int i = 0; i < r->kept_count; i++) {
        entry_block_key(r->kept[i]->key, &key);
        deliver_block(r->kept[i], "", "shell_replay", &whole, &value, NULL);
        set_entry(map, &key, &value);
    }
    bytes_finish(&key);
    bytes_finish(&value);
    return map;
}

json_t *replay_finish(struct replay *r)
{
    tracker_abandon(r->tracker, r->now, false, 0);
    json_t *result = json_object();
    json_object_set(result, "blocks", r->blocks);
    json_object_set_new(result, "screen", screen_json(r->terminal));
    json_object_set_new(result, "scrollback", screen_scrollback_json(r->terminal, 0, 0));
    json_object_set_new(result, "additionalContext", context(r));
    return result;
}
