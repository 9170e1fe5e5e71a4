/* prompts.h - a tracker and its terminal, what a test prints and types there, and the blocks that
 * came of it. */
#ifndef TESTS_UNIT_PROMPTS_H
#define TESTS_UNIT_PROMPTS_H

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"
#include "ptyd/core/tracker.h"

static struct terminal *terminal;
static struct tracker *tracker;
static struct bytes pending; /* printed, and not taken yet */
static json_t *blocks;       /* that ended */
static struct moment now;
static uint64_t seq;    /* of the last mark */
static bool counts;     /* marks carry a number */
static bool seals;      /* marks end with their length */
static bool characters; /* in characters, which is 1, and not in bytes, which is 2 */
static bool piecemeal;  /* bytes and keys come one at a time */

static void on_end(void *user, struct block *block)
{
    (void)user;
    json_array_append_new(blocks, block_to_json(block));
}

static void on_line(void *user)
{
    (void)user;
    enum typed_answer answer;
    tracker_line(tracker, now, &answer);
}

static const struct tracker_events tracker_events = {.end = on_end};
static const struct terminal_events terminal_events = {.line = on_line};
static const struct terminal_options terminal_options = {
    .cols = 80, .rows = 24, .events = &terminal_events};

static struct tracker_options tracker_options(void)
{
    return (struct tracker_options){.conversation_id = "c",
                                    .shell_id = "s",
                                    .terminal = terminal,
                                    .events = &tracker_events,
                                    .cwd = "/start"};
}

static void begin(void)
{
    blocks = json_array();
    seq = 0;
    counts = true;
    seals = characters = false;
    now = (struct moment){1000, 0};
    terminal = terminal_create(&terminal_options);
    struct tracker_options options = tracker_options();
    tracker = tracker_create(&options);
}

static void end(void)
{
    tracker_destroy(tracker);
    terminal_destroy(terminal);
    json_decref(blocks);
    bytes_finish(&pending);
}

static void load(struct unpack *in)
{
    tracker_destroy(tracker);
    terminal_destroy(terminal);
    terminal = terminal_load(&terminal_options, in);
    assert_non_null(terminal);
    struct tracker_options options = tracker_options();
    tracker = tracker_load(&options, in);
    assert_non_null(tracker);
    assert_ptr_equal(in->at, in->end);
}

/* Returns whether this is a point where that can be done. */
static bool save_and_load(void)
{
    struct bytes saved = {0};
    bool can = !pending.len && terminal_save(terminal, &saved);
    if (can) {
        tracker_save(tracker, &saved);
        load(&(struct unpack){.at = saved.data, .end = saved.data + saved.len});
    }
    bytes_finish(&saved);
    return can;
}

static size_t piece(size_t len)
{
    return piecemeal && len > 1 ? 1 : len;
}

static void print(const char *text)
{
    for (size_t n; *text; text += n) {
        n = piece(strlen(text));
        bytes_append(&pending, text, n);
        bytes_consume(&pending, tracker_write(tracker, pending.data, pending.len));
    }
}

static void type(const char *keys)
{
    for (size_t n; *keys; keys += n) {
        n = piece(strlen(keys));
        tracker_typed(tracker, keys, n, true);
    }
}

/* The length of a text of valid UTF-8, as it is counted. */
static size_t length_of(const char *text)
{
    size_t length = 0;
    for (; *text; text++)
        length += !characters || (*text & 0xc0) != 0x80;
    return length;
}

/* What stands in a mark, new string; with its length where marks have one. `added` stands at the
 * end of what has that length, which does not count it. */
static char *payload_of(uint64_t number, char kind, const char *fields, const char *added)
{
    char *text = text_format("%llu;%c%s", (unsigned long long)number, kind, fields);
    const char *raw = strstr(text, ";raw=");
    if (!seals)
        return text;
    char *sealed = raw ? text_format("%.*s;%d%04zu%s%s", (int)(raw - text), text, 2 - characters,
                                     length_of(text) + 6, raw, added)
                       : text_format("%s%s;%d%04zu", text, added, 2 - characters, length_of(text));
    free(text);
    return sealed;
}

/* Whether it is one that is accepted. */
static bool take_mark(char *payload)
{
    struct mark parsed;
    int result = mark_parse(payload, strlen(payload), seals, &parsed);
    bool accepted = result == 0 && tracker_mark(tracker, &parsed, now);
    if (result == 0)
        mark_finish(&parsed);
    free(payload);
    return accepted;
}

/* A mark of this kind, and its fields as they stand in it: `;name=value`. */
static bool mark(char kind, const char *fields)
{
    return take_mark(payload_of(counts ? ++seq : 0, kind, fields, ""));
}

/* The same while somebody prints. */
static bool torn_mark(char kind, const char *fields, const char *printed)
{
    return take_mark(payload_of(++seq, kind, fields, printed));
}

#endif
