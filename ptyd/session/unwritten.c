/* The output of the command that runs, where neither its file has all of it nor the log leads to
 * it: a full disk. What the file lacks, and what stands on the screen yet, is noted beside what
 * could not be written (store_note()) whenever a piece was taken in, and as it was before that
 * piece: who dies before its bytes are let go of is followed by one that takes them in again. */
#include "ptyd/session/private.h"

#include <string.h>

/* Of the stream's byte `offset`: the block that ran there, how much there was of its output, and
 * how many bytes of tracker_save_printed() are noted of it. */
struct stand {
    uint64_t offset, seq, total, len;
};

/* What is noted. The unwritten text follows, and what is noted of both. */
struct note {
    struct stand stands[2]; /* before the last piece, and behind it */
    int64_t written, missing;
    uint64_t len; /* of the text */
};

static bool is_needed(struct session *s)
{
    const struct block *running = tracker_running(s->tracker);
    struct output_rest rest = store_unwritten(s->store);
    int64_t since;
    return running && !running->unrecorded && !s->paused &&
           (rest.len || rest.missing || s->checkpoint_due || rawlog_error(s->log, &since));
}

static uint64_t total_of(const struct output_rest *rest)
{
    return (uint64_t)(rest->written + rest->missing) + rest->len;
}

static void forget(struct session *s)
{
    store_note(s->store, OWED_OUTPUT, NULL, 0);
    s->printed.len = 0;
    s->printed_at = (struct session_printed){0};
}

void session_keep_output(struct session *s, uint64_t offset)
{
    if (!is_needed(s)) {
        forget(s);
        return;
    }
    struct output_rest rest = store_unwritten(s->store);
    struct bytes printed = {0}, text = {0};
    tracker_save_printed(s->tracker, &printed);
    struct session_printed before = s->printed_at;
    s->printed_at =
        (struct session_printed){offset, tracker_running(s->tracker)->seq, total_of(&rest)};
    struct note note = {.stands = {{before.offset, before.seq, before.total, s->printed.len},
                                   {offset, s->printed_at.seq, s->printed_at.total, printed.len}},
                        .written = rest.written,
                        .missing = rest.missing,
                        .len = rest.len};
    bytes_append(&text, &note, sizeof note);
    bytes_append(&text, rest.text, rest.len);
    bytes_append(&text, s->printed.data, s->printed.len);
    bytes_append(&text, printed.data, printed.len);
    store_note(s->store, OWED_OUTPUT, text.data, text.len);
    bytes_finish(&text);
    bytes_finish(&s->printed);
    s->printed = printed;
}

/* What a former worker noted of where the stream was consumed up to `start`. */
struct found {
    struct note note;
    const char *text, *printed;
    int which; /* of the two */
};

static bool find(const struct session *s, uint64_t start, struct found *ret_found)
{
    size_t len;
    struct note *note = &ret_found->note;
    const char *at = store_noted(s->store, OWED_OUTPUT, &len);
    if (!at || len < sizeof *note)
        return false;
    memcpy(note, at, sizeof *note);
    len -= sizeof *note;
    const struct stand *before = &note->stands[0], *behind = &note->stands[1];
    if (note->len > len || before->len > len - note->len ||
        behind->len != len - note->len - before->len || note->written < 0 || note->missing < 0)
        return false;
    ret_found->text = at + sizeof *note;
    ret_found->which = behind->offset == start;
    ret_found->printed = ret_found->text + note->len + (ret_found->which ? before->len : 0);
    bool is_of_start =
        ret_found->which || (before->len && before->offset == start && before->seq == behind->seq);
    return is_of_start &&
           tracker_is_printed(ret_found->printed, note->stands[ret_found->which].len);
}

bool session_hold_output(struct session *s, uint64_t start)
{
    struct found found;
    bool holds = find(s, start, &found);
    store_hold_output(s->store, holds);
    return holds;
}

/* Without what the last piece added. */
static void cut(struct output_rest *rest, uint64_t total)
{
    uint64_t more = total_of(rest) - total;
    size_t text = more < rest->len ? (size_t)more : rest->len;
    rest->len -= text;
    more -= text;
    int64_t missing = (int64_t)more < rest->missing ? (int64_t)more : rest->missing;
    rest->missing -= missing;
    rest->written -= (int64_t)more - missing;
}

void session_restore_output(struct session *s, uint64_t start)
{
    struct found found;
    struct block *running = tracker_running(s->tracker);
    bool is_there = find(s, start, &found);
    const struct stand *stand = is_there ? &found.note.stands[found.which] : NULL;
    if (!is_there || !running || running->seq != stand->seq) {
        store_hold_output(s->store, false);
        return;
    }
    struct output_rest rest = {.written = found.note.written,
                               .missing = found.note.missing,
                               .text = found.text,
                               .len = found.note.len};
    if (total_of(&rest) > stand->total)
        cut(&rest, stand->total);
    store_restore_output(s->store, &rest);
    tracker_load_printed(s->tracker, found.printed, stand->len);
    session_keep_output(s, start);
}
