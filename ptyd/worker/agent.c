/* Lines are counted as they stand in the file, so that a number means the same line whatever was
 * taken out of it. Secrets are looked for in pieces that always begin at the same places: a key of
 * several lines is found from wherever somebody reads on. */
#define _GNU_SOURCE
#include "ptyd/worker/agent.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/block.h"
#include "ptyd/core/edges.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/worker/listing.h"
#include "ptyd/worker/look.h"
#include "ptyd/worker/worker.h"

/* ---- blocks ---- */

json_t *agent_block(json_t *block, const struct redact_secrets *secrets)
{
    if (!block || json_flag(block, "private")) {
        json_decref(block);
        return NULL;
    }
    json_object_set_new(block, "redacted", json_integer(block_redact_json(block, secrets)));
    return block;
}

json_t *agent_blocks(json_t *blocks, const struct redact_secrets *secrets)
{
    json_t *shown = json_array(), *block;
    size_t i;
    json_array_foreach(blocks, i, block) {
        json_t *seq = json_incref(json_object_get(block, "seq"));
        json_t *one = agent_block(json_incref(block), secrets);
        json_array_append_new(shown,
                              one ? one : json_pack("{s:O, s:b}", "seq", seq, "private", true));
        json_decref(seq);
    }
    json_decref(blocks);
    return shown;
}

json_t *agent_session(json_t *session, bool told, const struct redact_secrets *secrets)
{
    if (told)
        block_redact_member(session, "cwd", secrets);
    else
        json_object_set_new(session, "cwd", json_null());
    return session;
}

/* ---- output ---- */

/* Where a piece of a block's file begins that secrets were looked for in. */
struct place {
    char shell_id[LIMIT_PLACE_SHELL_BYTES];
    uint64_t seq;   /* of the block; 0: none */
    uint64_t line;  /* the number of its first line */
    off_t at, read; /* its first byte, and how far the file was read for it */
};

/* Of those that were read last, so that who reads page by page does not read all from the front
 * each time. The loop's. */
static struct place places[LIMIT_PLACES];
static size_t next_place;

struct reading {
    struct stream stream;
    char *name, *shell_id; /* of the session, whose secrets may go with it meanwhile */
    int fd;                /* -1: there is no file; the text has all that is kept */
    uint64_t seq;          /* of the block */
    bool runs;             /* it did when this began: its newest lines may be in no file yet */
    int widths[LIMIT_BLOCK_WIDTHS + 1];
    bool ended;          /* nothing more will be read */
    bool at_end;         /* the file ended: what it holds later comes in other pieces */
    off_t at, read;      /* in the file: of the text's first byte, and how far it was read */
    size_t want;         /* bytes that are read next; 0: LIMIT_OUTPUT_PIECE_BYTES */
    struct place piece;  /* the last that was begun; its seq is 0 for none */
    struct bytes text;   /* was read, and is not told yet: from the begin of a line on, or */
    bool within;         /* from within the one at hand, of which no more is told */
    char *grep;          /* only lines that hold it; NULL for all */
    uint64_t line, from; /* the number of the next line in the text; the first that is told */
    uint64_t limit, told;
    uint64_t bytes;       /* of lines that were told */
    struct bytes numbers; /* of those */
    int redacted;
    char *head; /* JSON text of the members that come first, without its last brace */
    bool begun;
};

static const struct session *session_of(const struct reading *r)
{
    const struct session *s = worker_find(client_worker(r->stream.client), r->name);
    return s && !strcmp(session_shell_id(s), r->shell_id) ? s : NULL;
}

/* Behind the last line in front of `end` with which no line of a program's ends; 0 for none. */
static size_t ends_apart(const struct reading *r, size_t end)
{
    while (end) {
        const char *before = end > 1 ? memrchr(r->text.data, '\n', end - 1) : NULL;
        size_t line = before ? (size_t)(before + 1 - r->text.data) : 0;
        if (!edges_reached(r->text.data + line, end - 1 - line, r->widths))
            break;
        end = line;
    }
    return end;
}

/* The end of the last whole line, or of all where the text will not grow. A secret that goes on in
 * a line is looked for with that one, too. */
static size_t whole_lines(const struct reading *r)
{
    const char *end = r->text.len ? memrchr(r->text.data, '\n', r->text.len) : NULL;
    if (r->ended)
        return r->text.len;
    if (end) {
        size_t all = (size_t)(end + 1 - r->text.data), apart = ends_apart(r, all);
        return apart || all < LIMIT_OUTPUT_PIECE_BYTES ? apart : all;
    }
    return r->text.len > LIMIT_OUTPUT_LINE_BYTES
               ? utf8_floor(r->text.data, r->text.len, LIMIT_OUTPUT_LINE_BYTES)
               : 0;
}

static bool read_file(struct reading *r)
{
    size_t want = r->want ? r->want : LIMIT_OUTPUT_PIECE_BYTES;
    char *room = r->fd >= 0 ? bytes_reserve(&r->text, want) : NULL;
    ssize_t n = room ? read(r->fd, room, want) : 0;
    r->at_end = r->at_end || n < (ssize_t)want;
    r->want = 0;
    if (n > 0) {
        r->text.len += (size_t)n;
        r->read += n;
    }
    return n > 0;
}

/* ---- reading on ---- */

static bool is_of(const struct place *p, const struct reading *r)
{
    return p->seq == r->seq && !strcmp(p->shell_id, r->shell_id);
}

/* A piece is begun: who reads on in it begins there, too, and reads as much for it. */
static void note_piece(struct reading *r)
{
    if (r->within || r->at_end || r->ended || strlen(r->shell_id) >= sizeof r->piece.shell_id)
        return;
    r->piece = (struct place){.seq = r->seq, .line = r->line, .at = r->at, .read = r->read};
    strcpy(r->piece.shell_id, r->shell_id);
}

static void keep_piece(const struct reading *r)
{
    if (!r->piece.seq)
        return;
    for (size_t i = 0; i < LIMIT_PLACES; i++)
        if (is_of(&places[i], r) && places[i].at == r->piece.at)
            return;
    places[next_place++ % LIMIT_PLACES] = r->piece;
}

/* Goes to the last piece that is known in front of what is asked for. */
static void go_on(struct reading *r)
{
    const struct place *best = NULL;
    for (const struct place *p = places; r->fd >= 0 && p < places + LIMIT_PLACES; p++)
        if (is_of(p, r) && p->line <= r->from && (!best || p->line > best->line))
            best = p;
    if (!best || lseek(r->fd, best->at, SEEK_SET) != best->at)
        return;
    r->line = best->line;
    r->at = r->read = best->at;
    r->want = (size_t)(best->read - best->at);
}

static void add_shown(void *out, const char *text, size_t len)
{
    bytes_append(out, text, len);
}

/* What a command that runs has on the screen yet is in no file: it follows what was handed out,
 * which is written now. */
static void read_shown(struct reading *r)
{
    const struct session *s = session_of(r);
    struct tracker *tracker = s ? session_tracker(s) : NULL;
    const struct block *running = tracker ? tracker_running(tracker) : NULL;
    if (!running || running->seq != r->seq)
        return; /* it has ended: what is not in the file was read, or comes with the next look */
    struct board_place before = worker_looks_at(s);
    if (!tracker_between(tracker))
        terminal_capture_peek(session_terminal(s), UINT64_MAX, add_shown, &r->text);
    board_leave(&before);
}

static void flush_running(const struct reading *r)
{
    const struct session *s = r->runs ? session_of(r) : NULL;
    if (s)
        store_flush(session_store(s), NULL, 0);
}

static void consume(struct reading *r, size_t bytes)
{
    bytes_consume(&r->text, bytes);
    r->at += (off_t)bytes;
}

static void read_more(struct reading *r)
{
    if (read_file(r))
        return;
    flush_running(r);
    if (r->runs && r->fd >= 0 && read_file(r))
        return;
    if (r->runs && r->fd >= 0)
        read_shown(r);
    r->ended = true;
}

/* What is left of the line [from, to) of the text; *ret_all: it lies within a secret that began
 * before it. */
static int clean_line(const struct reading *r, const struct redact_matches *f, size_t from,
                      size_t to, struct bytes *out, bool *ret_all)
{
    int count = 0;
    size_t at = from;
    *ret_all = false;
    for (size_t i = 0; i < f->count && f->list[i].from < to; i++) {
        const struct redact_match *one = &f->list[i];
        if (one->to <= from)
            continue;
        if (one->from < from && one->to >= to) {
            *ret_all = true;
            return 0;
        }
        if (one->from > at)
            bytes_append(out, r->text.data + at, one->from - at);
        if (one->from >= from) {
            bytes_printf(out, "[redacted:%s]", one->type);
            count++;
        }
        at = one->to < to ? one->to : to;
    }
    if (at < to)
        bytes_append(out, r->text.data + at, to - at);
    return count;
}

static void tell_line(struct reading *r, const struct bytes *line, struct bytes *out)
{
    char *text = text_clean(line->data ? line->data : "", line->len, LIMIT_OUTPUT_LINE_BYTES);
    bytes_append_text(out, r->told ? "," : "");
    json_append_string(out, text);
    bytes_printf(&r->numbers, "%s%llu", r->told ? "," : "", (unsigned long long)r->line);
    r->told++;
    r->bytes += line->len;
    free(text);
}

static bool is_full(const struct reading *r)
{
    return r->told >= r->limit || r->bytes >= LIMIT_OUTPUT_TOLD_BYTES;
}

static void take_line(struct reading *r, const struct redact_matches *f, size_t from, size_t to,
                      struct bytes *out)
{
    struct bytes line = {0};
    bool all;
    int count = clean_line(r, f, from, to, &line, &all);
    bool wanted =
        !all && (!r->grep || (line.len && memmem(line.data, line.len, r->grep, strlen(r->grep))));
    if (wanted) {
        tell_line(r, &line, out);
        r->redacted += count;
    }
    bytes_finish(&line);
}

/* The lines of the text up to `end`, as far as there is room for. Without the session it is not
 * known what is secret: nothing is told then. */
static void take_lines(struct reading *r, size_t end, struct bytes *out)
{
    const struct session *s = session_of(r);
    struct redact_matches finds = {0};
    size_t at = 0;
    struct redact_ends broken = edges_find(r->text.data, s ? end : 0, r->widths);
    if (s)
        redact_find_over(r->text.data, end, &broken, session_secrets(s), redact_matches_note,
                         &finds);
    redact_ends_finish(&broken);
    while (s && at < end && !is_full(r)) {
        const char *feed = memchr(r->text.data + at, '\n', end - at);
        size_t to = feed ? (size_t)(feed - r->text.data) : end;
        bool ends = feed || r->ended;
        /* What a secret is may be known only from behind the end of a piece. */
        size_t told = ends || to - at < LIMIT_OUTPUT_EDGE_BYTES ? to : to - LIMIT_OUTPUT_EDGE_BYTES;
        if (r->line >= r->from && !r->within)
            take_line(r, &finds, at, told, out);
        r->line += ends;
        r->within = !ends;
        at = to + 1;
    }
    redact_matches_finish(&finds);
    consume(r, s && at < end ? at : end);
    r->ended = r->ended || !s;
}

static void pass_lines(struct reading *r, size_t end)
{
    for (const char *at = r->text.data; (at = memchr(at, '\n', (size_t)(r->text.data + end - at)));
         at++)
        r->line++;
    r->within = r->text.data[end - 1] != '\n';
    consume(r, end);
}

/* Whether none of them is wanted: then nothing need be looked for. */
static bool all_before(const struct reading *r, size_t end)
{
    uint64_t lines = r->line; /* the number of the one behind the last line end */
    for (const char *at = r->text.data;
         lines <= r->from && (at = memchr(at, '\n', (size_t)(r->text.data + end - at))); at++)
        lines++;
    return lines < r->from || (lines == r->from && r->text.data[end - 1] == '\n');
}

static void end_output(struct reading *r, bool more, struct bytes *out)
{
    bytes_printf(out, "],\"numbers\":[%s],\"redacted\":%d,\"next\":",
                 r->numbers.data ? r->numbers.data : "", r->redacted);
    if (more)
        bytes_printf(out, "%llu}", (unsigned long long)r->line - !r->within);
    else
        bytes_append_text(out, "null}");
}

static bool output_piece(struct stream *stream, size_t bytes, struct bytes *out)
{
    struct reading *r = (struct reading *)stream;
    size_t before = out->len, worked = 0;
    if (!r->begun)
        bytes_printf(out, "%s,\"lines\":[", r->head);
    r->begun = true;
    do {
        size_t end = whole_lines(r);
        if (!end && !r->ended) {
            read_more(r);
            continue;
        }
        worked += end;
        note_piece(r);
        if (end && all_before(r, end))
            pass_lines(r, end);
        else if (end)
            take_lines(r, end, out);
    } while (!is_full(r) && !(r->ended && !r->text.len) && out->len - before + worked < bytes);
    bool more = is_full(r) && (r->text.len || !r->ended), over = r->ended && !r->text.len;
    if (!is_full(r) && !over)
        return true;
    end_output(r, more, out);
    keep_piece(r);
    return false;
}

static void output_finish(struct stream *stream)
{
    struct reading *r = (struct reading *)stream;
    if (r->fd >= 0)
        close(r->fd);
    bytes_finish(&r->text);
    bytes_finish(&r->numbers);
    free(r->name);
    free(r->shell_id);
    free(r->grep);
    free(r->head);
    free(r);
}

static size_t output_holds(const struct stream *stream)
{
    const struct reading *r = (const struct reading *)stream;
    return sizeof *r + r->text.capacity + r->numbers.capacity;
}

static uint64_t number_of(const json_t *params, const char *key, uint64_t otherwise)
{
    json_int_t value = json_number(params, key, -1);
    return value < 0 ? otherwise : (uint64_t)value;
}

static void append_preview(const json_t *block, struct bytes *out)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_at(block, "preview", "lines"), i, line)
        bytes_printf(out, "%s\n", json_string_value(line));
}

/* The members in front of the lines. Where the file is gone, or the command runs and all that it
 * printed is on the screen yet, the preview is what there is. */
static char *head_of(const json_t *block, bool whole)
{
    json_t *head = json_pack("{s:O, s:O, s:b}", "block_id", json_object_get(block, "block_id"),
                             "status", json_object_get(block, "status"), "whole", whole);
    json_object_set(head, "output_lines", json_object_get(block, "output_lines"));
    char *text = json_dumps(head, JSON_COMPACT);
    text[strlen(text) - 1] = '\0';
    json_decref(head);
    return text;
}

static int open_output(const struct session *s, const json_t *block)
{
    const char *name = json_text(block, "output_path", "");
    char *path = text_format("%s/%s", store_directory(session_store(s)), name);
    int fd = *name ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    free(path);
    return fd;
}

static void read_output(struct client *client, const json_t *id, const json_t *params,
                        const struct session *s, const json_t *block)
{
    const char *grep = json_text(params, "grep", NULL);
    bool runs = !strcmp(json_text(block, "status", ""), "running");
    struct reading *r = memory_new(sizeof *r);
    *r = (struct reading){
        .stream = {.piece = output_piece, .finish = output_finish, .holds = output_holds},
        .name = text_copy(session_name(s)),
        .shell_id = text_copy(session_shell_id(s)),
        .fd = open_output(s, block),
        .seq = (uint64_t)json_number(block, "seq", 0),
        .runs = runs,
        .grep = grep && *grep ? text_copy(grep) : NULL,
        .line = 1,
        .from = number_of(params, "offset", 0) + 1,
        .limit = number_of(params, "limit", LIMIT_MCP_LINES_DEFAULT)};
    block_widths(block, r->widths);
    go_on(r);
    if (r->fd < 0) {
        append_preview(block, &r->text);
        r->line += (uint64_t)json_number(block, "omitted_lines", 0);
        r->ended = true;
    }
    r->head = head_of(block, !runs && (r->fd >= 0 || !json_number(block, "omitted_lines", 0)));
    client_stream(client, id, &r->stream);
}

void agent_output_call(struct client *client, const json_t *id, const json_t *params)
{
    struct session *s = worker_shown_session(client, id, params);
    json_t *block = look_agent_block(client, id, params, s);
    if (!block)
        return;
    read_output(client, id, params, s, block);
    json_decref(block);
}
