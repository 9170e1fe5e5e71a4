/* What was told in which turn, without the text: for every lease what it holds is noted when it is
 * rendered (entries with their hash, blocks with what is missing of them), goes along with the
 * lease and its receipt, over a worker's death, too, and is a line of receipts.jsonl when the agent
 * has it.
 *
 * A lease may be committed again, by a taker who heard no answer: its line is there already. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "envelope/encode.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/deliver.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* ---- what a lease tells ---- */

/* Of what a block's command and output were when it was rendered, this is missing. */
struct loss {
    int64_t lines; /* of the output, in front */
    bool output;   /* something of the output, a part of a line, say */
    bool command;
};

static json_t *entry_json(const char *key, const char *kind, const char *bytes)
{
    char hash[SHA256_DIGEST_STRING_LENGTH];
    size_t len = strlen(bytes);
    SHA256Data((const uint8_t *)bytes, len, hash);
    return json_pack("{s:s, s:s, s:I, s:s}", "key", key, "kind", kind, "bytes", (json_int_t)len,
                     "sha256", hash);
}

static json_t *block_json(const struct offer *o, const char *entry, const struct loss *loss)
{
    char *id = block_id(o->block);
    json_t *json = json_pack("{s:s, s:s, s:I, s:b, s:b, s:i}", "block_id", id, "entry", entry,
                             "omitted_lines", (json_int_t)loss->lines, "output_cut", loss->output,
                             "command_cut", loss->command, "redacted", o->block->redacted);
    free(id);
    return json;
}

/* The block of that id among those that are told, NULL for none. */
static const struct offer *offer_of(const struct found *f, const char *wanted)
{
    for (size_t i = f->count - f->kept; i < f->count; i++) {
        char *id = block_id(f->due[i]->block);
        bool is_it = !strcmp(id, wanted);
        free(id);
        if (is_it)
            return f->due[i];
    }
    return NULL;
}

/* A command that is too long keeps its head, and an ellipsis behind it. */
static bool is_cut(const char *told, const char *cmd)
{
    size_t len = strlen(told), sign = strlen(ELLIPSIS);
    return len >= sign && !strcmp(told + len - sign, ELLIPSIS) && strcmp(told, cmd) != 0;
}

static void add_block(const struct found *f, const char *entry, const json_t *value, json_t *told)
{
    const struct offer *o = offer_of(f, json_text(value, "block_id", ""));
    const json_t *preview = json_object_get(value, "preview");
    if (!o)
        return;
    struct loss loss = {
        .lines = json_number(value, "omitted_lines", o->block->omitted_lines),
        .output = preview ? json_flag(preview, "truncated") : *deliver_preview(o->block) != '\0',
        .command = is_cut(json_text(value, "cmd", ""), deliver_cmd(o->block)),
    };
    json_array_append_new(told, block_json(o, entry, &loss));
}

/* An entry that is apart has the preview of the block in front of it. */
static void join_output(const json_t *map, const char *key, json_t *value)
{
    const char *number = strrchr(key, '_');
    char *apart = text_format("terminal_output%s", number ? number : "");
    json_t *output = json_loads(json_text(json_object_get(map, apart), "value", ""), 0, NULL);
    if (json_object_get(output, "preview"))
        json_object_set(value, "preview", json_object_get(output, "preview"));
    json_decref(output);
    free(apart);
}

static void tell_entries(const struct found *f, json_t *map, json_t *entries, json_t *blocks)
{
    const char *key;
    json_t *entry;
    json_object_foreach(map, key, entry) {
        const char *text = json_text(entry, "value", "");
        json_t *value = json_loads(text, 0, NULL);
        json_array_append_new(entries,
                              entry_json(key, json_text(entry, "kind", "application"), text));
        if (json_object_get(value, "cmd")) {
            join_output(map, key, value);
            add_block(f, key, value, blocks);
        }
        json_decref(value);
    }
}

static void tell_text(const struct found *f, const char *text, json_t *entries, json_t *blocks)
{
    json_array_append_new(entries, entry_json("text", "text", text));
    for (size_t i = 0; i < f->kept; i++) {
        const struct offer *o = f->due[f->count - f->kept + i];
        const char *cmd = deliver_cmd(o->block);
        size_t len = strlen(cmd);
        struct loss loss = {.lines = f->text_omitted[i],
                            .output = f->text_omitted[i] > 0 || o->block->truncated,
                            .command = encoded_head(cmd, len, LIMIT_TOLD_COMMAND_BYTES) < len};
        if (f->text_omitted[i] >= 0)
            json_array_append_new(blocks, block_json(o, "text", &loss));
    }
}

static void tell_envelope(const struct found *f, const char *text, json_t *entries, json_t *blocks)
{
    json_t *object = json_loads(text, 0, NULL), *command;
    size_t i;
    json_array_append_new(entries, entry_json("envelope", "envelope", text));
    json_array_foreach(json_object_get(object, "commands"), i, command)
        add_block(f, "envelope", command, blocks);
    json_decref(object);
}

/* Those that are due and not among them, the newest. */
static json_t *dropped_ids(const struct found *f, const json_t *blocks)
{
    json_t *ids = json_array(), *block;
    for (size_t i = f->count; i > 0 && json_array_size(ids) < LIMIT_RECEIPT_DROPPED; i--) {
        char *id = block_id(f->due[i - 1]->block);
        bool told = false;
        size_t k;
        json_array_foreach(blocks, k, block)
            told = told || !strcmp(json_text(block, "block_id", ""), id);
        if (!told)
            json_array_append_new(ids, json_string(id));
        free(id);
    }
    return ids;
}

json_t *ledger_told(const struct ledger_request *q, const struct found *f, const json_t *taken)
{
    json_t *entries = json_array(), *blocks = json_array(), *entry;
    json_int_t bytes = 0;
    size_t i;
    if (q->format == LEDGER_TEXT)
        tell_text(f, json_text(taken, "text", ""), entries, blocks);
    else if (q->format == LEDGER_ENVELOPE)
        tell_envelope(f, json_text(taken, "envelope", ""), entries, blocks);
    else
        tell_entries(f, json_object_get(taken, "additionalContext"), entries, blocks);
    json_array_foreach(entries, i, entry)
        bytes += json_number(entry, "bytes", 0);
    char *running = f->running ? block_id(f->running) : NULL;
    json_int_t kept = (json_int_t)json_array_size(blocks);
    json_t *told = json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:s?}", "bytes", bytes,
                             "total_commands_run", (json_int_t)f->total, "kept", kept, "dropped",
                             (json_int_t)f->total - kept, "dropped_blocks", dropped_ids(f, blocks),
                             "entries", entries, "blocks", blocks, "running", running);
    free(running);
    return told;
}

/* ---- the file ---- */

static char *path_of(const struct ledger *l, bool former)
{
    return text_format("%s/receipts.jsonl%s", l->state, former ? ".1" : "");
}

static bool is_written(const struct ledger *l, json_int_t lease)
{
    for (size_t i = 0; i < LIMIT_LEASES; i++)
        if (l->receipts.written[i] == lease)
            return true;
    return false;
}

static void add_line(void *lines, const char *line)
{
    json_array_append_new(lines, json_string(line));
}

/* Those that wait with somebody else, oldest first; new reference. */
static json_t *waiting(const struct ledger *l)
{
    json_t *lines = json_array();
    char *path = path_of(l, false);
    if (l->events->each_waiting)
        l->events->each_waiting(l->user, path, add_line, lines);
    free(path);
    return lines;
}

/* A commit may be made again behind a worker's death, while what the first one said waits. */
static bool is_waiting(const struct ledger *l, json_int_t lease)
{
    json_t *lines = waiting(l), *line;
    bool found = false;
    size_t i;
    json_array_foreach(lines, i, line) {
        json_t *receipt = seal_load(json_string_value(line), json_string_length(line));
        found = found || json_number(receipt, "lease", 0) == lease;
        json_decref(receipt);
    }
    json_decref(lines);
    return found;
}

static void note_written(struct ledger *l, json_int_t lease)
{
    l->receipts.written[l->receipts.next++ % LIMIT_LEASES] = lease;
}

static int write_line(const struct ledger *l, const char *line)
{
    char *path = path_of(l, false);
    long long size = file_append_line(path, line);
    if (size > LIMIT_RECEIPTS_BYTES) {
        char *former = path_of(l, true);
        rename(path, former);
        free(former);
    }
    free(path);
    return size < 0 ? (int)size : 0;
}

static bool hand_over(const struct ledger *l, const char *line)
{
    char *path = path_of(l, false);
    bool taken = l->events->append && l->events->append(l->user, path, line, LIMIT_RECEIPTS_BYTES);
    free(path);
    return taken;
}

/* Behind those that wait with somebody else, or where there is no room, it waits there, too.
 * Returns 0 or -errno: it has to wait here. */
static int write_or_hand_over(const struct ledger *l, const char *line)
{
    json_t *before = waiting(l);
    int result = json_array_size(before) ? -EAGAIN : write_line(l, line);
    json_decref(before);
    return result < 0 && hand_over(l, line) ? 0 : result;
}

/* Those that found no room go first, in their order. */
static void write_owed(struct ledger *l)
{
    struct receipts *r = &l->receipts;
    while (r->owed_count && (r->error = -write_or_hand_over(l, r->owed[0])) == 0) {
        free(r->owed[0]);
        memmove(r->owed, r->owed + 1, --r->owed_count * sizeof *r->owed);
    }
}

static void owe(struct ledger *l, char *line)
{
    struct receipts *r = &l->receipts;
    if (r->owed_count == LIMIT_RECEIPTS_OWED) {
        free(r->owed[0]);
        memmove(r->owed, r->owed + 1, --r->owed_count * sizeof *r->owed);
        r->lost++;
    }
    r->owed[r->owed_count++] = line;
    bool said = r->error;
    write_owed(l);
    if (r->error && !said)
        say("receipts cannot be written: %s; they wait", strerror(r->error));
}

char *ledger_receipts_path(const struct ledger *l)
{
    return path_of(l, false);
}

void ledger_take_receipt_back(struct ledger *l, const char *line)
{
    owe(l, text_copy(line));
}

bool ledger_is_told(const struct ledger *l, const json_t *receipt)
{
    json_int_t lease = json_number(receipt, "lease", 0);
    return is_written(l, lease) || is_waiting(l, lease);
}

void ledger_write_told(struct ledger *l, const json_t *receipt, const char *turn)
{
    const json_t *told = json_object_get(receipt, "told");
    json_int_t lease = json_number(receipt, "lease", 0);
    const char *consumer = json_text(receipt, "consumer", NULL);
    if (!json_is_object(told) || !lease || !consumer || ledger_is_told(l, receipt))
        return;
    json_t *line =
        json_pack("{s:i, s:I, s:s, s:s?, s:I}", "v", 1, "ts", (json_int_t)clock_now().wall_ms,
                  "consumer", consumer, "turn", turn, "lease", lease);
    json_object_update_missing(line, (json_t *)told);
    char *text = seal_dump(line);
    json_decref(line);
    if (!text || strlen(text) > LIMIT_RECEIPT_BYTES) {
        free(text);
        l->receipts.lost++;
        return;
    }
    note_written(l, lease);
    owe(l, text);
}

/* ---- reading, from the newest on ---- */

struct receipts_asked {
    const char *turn; /* or a lease's number; NULL for any */
    char *spelled;    /* as lines have it */
    size_t most;
    json_t *found; /* newest first */
};

static bool is_asked(const struct receipts_asked *asked, const json_t *receipt)
{
    char lease[24];
    if (!asked->turn)
        return true;
    snprintf(lease, sizeof lease, "%lld", (long long)json_number(receipt, "lease", 0));
    const char *turn = json_text(receipt, "turn", NULL);
    return !strcmp(asked->turn, lease) || (turn && !strcmp(asked->turn, turn));
}

static void take_line(struct receipts_asked *asked, const char *line, size_t len)
{
    if (asked->turn && !memmem(line, len, asked->spelled, strlen(asked->spelled)))
        return;
    json_t *receipt = len ? seal_load(line, len) : NULL;
    if (receipt && is_asked(asked, receipt))
        json_array_append(asked->found, receipt);
    json_decref(receipt);
}

static bool is_enough(const struct receipts_asked *asked)
{
    return json_array_size(asked->found) >= asked->most;
}

/* The lines of a text, the last first, but for its first, which may have begun before it: its
 * length is returned. What has no line end is half a line. */
static size_t take_lines(struct receipts_asked *asked, const char *text, size_t len)
{
    const char *end = memrchr(text, '\n', len), *before;
    while (end && !is_enough(asked) && (before = memrchr(text, '\n', (size_t)(end - text)))) {
        take_line(asked, before + 1, (size_t)(end - before - 1));
        end = before;
    }
    return end ? (size_t)(end - text) + 1 : 0;
}

static void take_file(struct receipts_asked *asked, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    const size_t step = 8 * LIMIT_RECEIPT_BYTES; /* more than a line */
    char *text = memory_new(step);
    long long end = fstat(fd, &st) == 0 ? (long long)st.st_size : 0;
    while (end > 0 && !is_enough(asked)) {
        long long from = end > (long long)step ? end - (long long)step : 0;
        ssize_t n = file_read_at(fd, text, (size_t)(end - from), from);
        if (n != (ssize_t)(end - from))
            break;
        size_t rest = take_lines(asked, text, (size_t)n);
        if (!from && rest && !is_enough(asked))
            take_line(asked, text, rest - 1);
        /* No line of ours is as long as that: it is passed over. */
        end = !rest || rest == (size_t)n ? from : from + (long long)rest;
        if (!from)
            break;
    }
    free(text);
    close(fd);
}

static void take_waiting(const struct ledger *l, struct receipts_asked *asked)
{
    json_t *lines = waiting(l);
    for (size_t i = json_array_size(lines); i > 0 && !is_enough(asked); i--) {
        const json_t *line = json_array_get(lines, i - 1);
        take_line(asked, json_string_value(line), json_string_length(line));
    }
    json_decref(lines);
}

/* A text as JSON spells it, without its quotes. New string. */
static char *spell(const char *text)
{
    json_t *value = json_string(text);
    char *quoted = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    char *spelled = quoted ? text_format("%.*s", (int)strlen(quoted) - 2, quoted + 1) : NULL;
    free(quoted);
    json_decref(value);
    return spelled ? spelled : text_copy(text);
}

json_t *ledger_receipts(struct ledger *l, const char *turn, size_t most)
{
    struct receipts_asked asked = {
        .turn = turn, .spelled = turn ? spell(turn) : NULL, .most = most, .found = json_array()};
    json_t *oldest_first = json_array();
    write_owed(l);
    for (size_t i = l->receipts.owed_count; i > 0 && !is_enough(&asked); i--)
        take_line(&asked, l->receipts.owed[i - 1], strlen(l->receipts.owed[i - 1]));
    take_waiting(l, &asked);
    for (int former = 0; former < 2 && !is_enough(&asked); former++) {
        char *path = path_of(l, former);
        take_file(&asked, path);
        free(path);
    }
    for (size_t i = json_array_size(asked.found); i > 0; i--)
        json_array_append(oldest_first, json_array_get(asked.found, i - 1));
    json_decref(asked.found);
    free(asked.spelled);
    return oldest_first;
}

void ledger_open_receipts(struct ledger *l)
{
    json_t *newest = ledger_receipts(l, NULL, LIMIT_LEASES), *receipt;
    size_t i;
    json_array_foreach(newest, i, receipt)
        note_written(l, json_number(receipt, "lease", 0));
    json_decref(newest);
}

void ledger_close_receipts(struct ledger *l)
{
    write_owed(l);
    for (size_t i = 0; i < l->receipts.owed_count; i++)
        free(l->receipts.owed[i]);
}

void ledger_add_receipts_warning(const struct ledger *l, json_t *warnings)
{
    const struct receipts *r = &l->receipts;
    if (r->error)
        json_array_append_new(
            warnings, json_sprintf("%zu receipts of what agents were told wait for room: %s",
                                   r->owed_count, strerror(r->error)));
    if (r->lost)
        json_array_append_new(
            warnings,
            json_sprintf("%lld receipts of what agents were told are lost", (long long)r->lost));
}
