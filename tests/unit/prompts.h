/* prompts.h - a tracker that a test prints marks to, and the blocks it found. */
#ifndef TESTS_UNIT_PROMPTS_H
#define TESTS_UNIT_PROMPTS_H

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"
#include "ptyd/core/tracker.h"

static struct terminal *terminal;
static struct tracker *tracker;
static json_t *blocks;
static uint64_t mark_seq;
static struct moment now;

static void on_end(void *user, struct block *block)
{
    (void)user;
    json_array_append_new(blocks, block_to_json(block));
}

static const struct tracker_events tracker_events = {.end = on_end};

static void on_line(void *user)
{
    (void)user;
    tracker_line(tracker, now);
}

static const struct terminal_events terminal_events = {.line = on_line};

static int setup(void **state)
{
    (void)state;
    blocks = json_array();
    mark_seq = 0;
    now = (struct moment){1000, 0};
    terminal = terminal_create(
        &(struct terminal_options){.cols = 80, .rows = 24, .events = &terminal_events});
    tracker = tracker_create(&(struct tracker_options){.conversation_id = "c",
                                                       .shell_id = "s",
                                                       .terminal = terminal,
                                                       .events = &tracker_events,
                                                       .cwd = "/start"});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    tracker_destroy(tracker);
    terminal_destroy(terminal);
    json_decref(blocks);
    return 0;
}

static void print(const char *text)
{
    char *copy = text_copy(text);
    terminal_write(terminal, copy, strlen(copy));
    free(copy);
}

static bool counts = true;

/* A mark with the next seq (0 where `counts` is off); `fields` as behind the kind. */
static bool mark(char kind, const char *fields)
{
    struct mark m;
    char *payload =
        text_format("%llu;%c%s", counts ? (unsigned long long)++mark_seq : 0, kind, fields);
    assert_int_equal(mark_parse(payload, strlen(payload), &m), 0);
    bool accepted = tracker_mark(tracker, &m, now);
    mark_finish(&m);
    free(payload);
    return accepted;
}

static const json_t *member(size_t i, const char *name)
{
    return json_object_get(json_array_get(blocks, i), name);
}

static const char *string(size_t i, const char *name)
{
    return json_string_value(member(i, name));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
