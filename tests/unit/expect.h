/* expect.h - what a scenario expects of a tracker, and the complaint with file and line where that
 * is not so. */
#ifndef TESTS_UNIT_EXPECT_H
#define TESTS_UNIT_EXPECT_H

#include "prompts.h"

#include <stdio.h>

#include "base/limits.h"

enum way { AS_IT_STANDS, BYTE_BY_BYTE, SAVED_BEFORE_EACH_STEP };

static enum way way;
static const char *path; /* of the scenario that runs */
static int line_number;
static int failures;
static size_t expected; /* blocks, so far */

static void fail_step(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void fail_step(const char *format, ...)
{
    static const char *const ways[] = {"", " (byte by byte)", " (saved before each step)"};
    va_list arguments;
    char text[4096];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("%s:%d: %s%s\n", path, line_number, text, ways[way]);
    failures++;
}

static char *text_of_lines(const json_t *lines)
{
    struct bytes text = {0};
    bytes_append_text(&text, "");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        bytes_append_text(&text, i ? "\n" : "");
        bytes_append_text(&text, json_string_value(json_array_get(lines, i)));
    }
    return text.data;
}

/* A member as it is written in a scenario, a new string; NULL when there is none. */
static char *text_of(const json_t *object, const char *name)
{
    if (!strcmp(name, "output"))
        return text_of_lines(json_object_get(json_object_get(object, "preview"), "lines"));
    name = !strcmp(name, "exit") ? "exit_code" : !strcmp(name, "source") ? "cmd_source" : name;
    const json_t *value = json_object_get(object, name);
    if (json_is_string(value))
        return text_copy(json_string_value(value));
    return value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
}

static void compare_member(const json_t *object, const char *name, const char *wanted)
{
    char *found = text_of(object, name);
    if (!found)
        fail_step("there is no %s", name);
    else if (strcmp(found, wanted) != 0)
        fail_step("%s is \"%s\", expected \"%s\"", name, found, wanted);
    free(found);
}

static void compare(const json_t *object, char **words)
{
    for (; *words; words++) {
        size_t len = strcspn(*words, "=");
        char *name = text_format("%.*s", (int)len, *words);
        compare_member(object, name, (*words)[len] ? *words + len + 1 : "");
        free(name);
    }
}

static void compare_new(json_t *object, char **words)
{
    compare(object, words);
    json_decref(object);
}

static void expect_none(char **words)
{
    (void)words;
    if (json_array_size(blocks) > expected) {
        char *cmd = text_of(json_array_get(blocks, expected), "cmd");
        fail_step("a block that nobody expects: \"%s\"", cmd);
        free(cmd);
    }
}

static void expect_block(char **words)
{
    if (expected < json_array_size(blocks))
        compare(json_array_get(blocks, expected++), words);
    else
        fail_step("no other block ended");
}

static void expect_running(char **words)
{
    struct block *block = tracker_running(tracker);
    if (!block) {
        fail_step("no block runs");
        return;
    }
    tracker_peek(tracker, LIMIT_PREVIEW_LINES, LIMIT_PREVIEW_BYTES);
    compare_new(block_to_json(block), words);
}

static void expect_idle(char **words)
{
    (void)words;
    if (tracker_running(tracker))
        fail_step("a block runs: \"%s\"", tracker_running(tracker)->cmd);
}

static void expect_tracker(char **words)
{
    static const char *const states[] = {"start", "prompt", "input", "running"};
    struct typed_keys keys = tracker_keys(tracker);
    compare_new(json_pack("{s:s, s:b, s:s, s:b, s:I, s:s, s:s%}", "state",
                          states[tracker_state(tracker)], "marked", tracker_marked(tracker), "lost",
                          tracker_lost(tracker), "prompt_shown", tracker_prompt_shown(tracker),
                          "seq", (json_int_t)tracker_seq(tracker), "cwd", tracker_cwd(tracker),
                          "ahead", keys.len ? keys.keys : "", keys.len),
                words);
}

static void expect_screen(char **words)
{
    compare_new(json_pack("{s:b, s:b, s:I}", "alt_screen", terminal_alt_screen(terminal), "cursor",
                          terminal_cursor(terminal).visible, "scrollback",
                          (json_int_t)terminal_scrollback_count(terminal)),
                words);
}

#endif
