/* scenario.h - the steps of a scenario (test_scenarios.c lists them), and a file of them run. */
#ifndef TESTS_UNIT_SCENARIO_H
#define TESTS_UNIT_SCENARIO_H

#include "expect.h"

#include <dirent.h>
#include <stdio.h>

#include "ptyd/core/file.h"

#define FOLDER    "tests/unit/scenarios"
#define WORDS_MAX 32

/* ---- steps; `words` end with NULL ---- */

static char *join_fields(char **words)
{
    struct bytes fields = {0};
    bytes_append_text(&fields, "");
    for (; *words; words++)
        bytes_printf(&fields, ";%s", *words);
    return fields.data;
}

static bool step_mark(char **words)
{
    bool numbered = words[1] && words[1][0] == '@';
    char *fields = join_fields(words + 1 + numbered);
    if (numbered)
        seq = strtoull(words[1] + 1, NULL, 10) - 1;
    bool accepted = mark(words[0][0], fields);
    free(fields);
    return accepted;
}

static void do_mark(char **words)
{
    if (!step_mark(words))
        fail_step("the mark was dropped");
}

static void do_refused(char **words)
{
    if (step_mark(words + 1))
        fail_step("the mark was accepted");
}

static void do_count(char **words)
{
    counts = !strcmp(words[0], "on");
}

static void do_seal(char **words)
{
    characters = !strcmp(words[0], "characters");
    seals = characters || !strcmp(words[0], "on");
}

/* Of the next mark. */
static void do_number(char **words)
{
    seq = strtoull(words[0], NULL, 10) - 1;
}

static void do_bare(char **words)
{
    bool sealed = seals;
    bool refused = !strcmp(words[0], "refused");
    seals = false;
    if (mark(words[refused][0], "") == refused)
        fail_step(refused ? "the mark was accepted" : "the mark was dropped");
    seals = sealed;
}

static void do_torn(char **words)
{
    char *fields = join_fields(words + 2);
    if (torn_mark(words[1][0], fields, words[0]))
        fail_step("the mark was accepted");
    free(fields);
}

static void do_prompt(char **words)
{
    char *done = text_format(";st=%s;line=1", words[1]);
    mark('P', ";raw=/in;side");
    mark('D', done);
    mark('A', strcmp(words[0], "editor") ? ";line=1" : ";line=2");
    print("$ ");
    mark('B', "");
    free(done);
}

static void do_run(char **words)
{
    char *fields = join_fields(words + 2);
    mark('A', "");
    print("$ ");
    mark('B', "");
    print(words[0]);
    print("\r\n");
    mark('C', "");
    print(words[1]);
    mark('D', fields);
    free(fields);
}

static void do_out(char **words)
{
    print(words[0]);
}

static void do_type(char **words)
{
    type(words[0]);
}

static void do_type_raw(char **words)
{
    tracker_typed(tracker, words[0], strlen(words[0]), false);
}

static void do_change(char **words)
{
    tracker_change_keys(tracker, strtoull(words[0], NULL, 10));
}

static void do_account(char **words)
{
    tracker_account(tracker, strtoull(words[0], NULL, 10));
}

static void do_interrupt(char **words)
{
    (void)words;
    tracker_interrupt(tracker, now);
}

static void do_runs(char **words)
{
    (void)words;
    tracker_runs(tracker, now);
}

static void do_withdraw(char **words)
{
    (void)words;
    tracker_withdraw(tracker);
}

static void do_lost(char **words)
{
    tracker_set_lost(tracker, words[0]);
}

static void do_abandon(char **words)
{
    tracker_abandon(tracker, now, words[0] != NULL, words[0] ? atoi(words[0]) : 0);
}

static void do_wait(char **words)
{
    now.wall_ms += atoll(words[0]);
    now.monotonic_ms += atoll(words[0]);
}

static void do_resize(char **words)
{
    int cols, rows;
    if (text_parse_size(words[0], &cols, &rows))
        terminal_resize(terminal, cols, rows);
    else
        fail_step("%s is no size", words[0]);
}

static void do_save_load(char **words)
{
    (void)words;
    if (!save_and_load())
        fail_step("nothing can be saved here");
}

static void do_load_checkpoint(char **words)
{
    do_save_load(words);
    tracker_deafen(tracker);
}

static void do_new_worker(char **words)
{
    struct typed_keys keys = tracker_keys(tracker);
    struct bytes kept = {0};
    bytes_append(&kept, keys.keys, keys.len);
    keys.keys = kept.data;
    do_save_load(words);
    tracker_deafen(tracker);
    tracker_recall(tracker, &keys);
    tracker_lose_keys(tracker);
    bytes_finish(&kept);
}

/* ---- a scenario ---- */

struct verb {
    const char *name;
    int arguments; /* at least */
    void (*act)(char **words);
};

static void do_step(const struct verb *verbs, char **words)
{
    int count = 0;
    while (words[count])
        count++;
    for (; verbs->name; verbs++)
        if (count && !strcmp(words[0], verbs->name) && count > verbs->arguments) {
            verbs->act(words + 1);
            return;
        }
    fail_step("no such step, or too few words: %s", count ? words[0] : "");
}

static void do_expect(char **words)
{
    static const struct verb verbs[] = {{"block", 0, expect_block},
                                        {"none", 0, expect_none},
                                        {"running", 0, expect_running},
                                        {"idle", 0, expect_idle},
                                        {"tracker", 0, expect_tracker},
                                        {"screen", 0, expect_screen},
                                        {NULL, 0, NULL}};
    do_step(verbs, words);
}

static void do_repeat(char **words);

static const struct verb all_verbs[] = {{"mark", 1, do_mark},
                                        {"refused", 2, do_refused},
                                        {"count", 1, do_count},
                                        {"seal", 1, do_seal},
                                        {"torn", 2, do_torn},
                                        {"bare", 1, do_bare},
                                        {"number", 1, do_number},
                                        {"prompt", 2, do_prompt},
                                        {"run", 2, do_run},
                                        {"out", 1, do_out},
                                        {"type", 1, do_type},
                                        {"type-raw", 1, do_type_raw},
                                        {"change", 1, do_change},
                                        {"account", 1, do_account},
                                        {"interrupt", 0, do_interrupt},
                                        {"runs", 0, do_runs},
                                        {"withdraw", 0, do_withdraw},
                                        {"lost", 1, do_lost},
                                        {"abandon", 0, do_abandon},
                                        {"wait", 1, do_wait},
                                        {"resize", 1, do_resize},
                                        {"save-load", 0, do_save_load},
                                        {"load-checkpoint", 0, do_load_checkpoint},
                                        {"new-worker", 0, do_new_worker},
                                        {"repeat", 2, do_repeat},
                                        {"expect", 1, do_expect},
                                        {NULL, 0, NULL}};

static void do_repeat(char **words)
{
    for (int i = atoi(words[0]); i > 0; i--) {
        if (way == SAVED_BEFORE_EACH_STEP)
            save_and_load();
        do_step(all_verbs, words + 1);
    }
}

/* What `\x` stands for, `at` behind the backslash; moves it on. */
static char unescape(char **at)
{
    static const char from[] = "rnte", to[] = "\r\n\t\x1b";
    char c = *(*at)++;
    char digits[3] = {0};
    const char *found = strchr(from, c);
    if (c != 'x' || !(*at)[0] || !(*at)[1])
        return c && found ? to[found - from] : c;
    memcpy(digits, *at, 2);
    *at += 2;
    return (char)strtol(digits, NULL, 16);
}

/* The next word of a line, cut out in place; NULL at its end. */
static char *next_word(char **at)
{
    bool quoted = false;
    *at += strspn(*at, " \t");
    char *word = *at, *put = word, *from = word;
    if (!*from || *from == '#')
        return NULL;
    while (*from && (quoted || (*from != ' ' && *from != '\t'))) {
        char c = *from++;
        if (c == '"')
            quoted = !quoted;
        else
            *put++ = c == '\\' && quoted && *from ? unescape(&from) : c;
    }
    *at = *from ? from + 1 : from;
    *put = '\0';
    if (quoted)
        fail_step("a quote without its end");
    return word;
}

static void run_line(char *line)
{
    char *words[WORDS_MAX + 1] = {0};
    int count = 0;
    while (count < WORDS_MAX && (words[count] = next_word(&line)))
        count++;
    if (!count)
        return;
    if (way == SAVED_BEFORE_EACH_STEP)
        save_and_load();
    do_step(all_verbs, words);
}

static void run_scenario(const char *of)
{
    struct bytes file = {0};
    path = of;
    line_number = 0;
    assert_int_equal(file_read(path, 1 << 20, &file), 0);
    expected = 0;
    begin();
    for (char *at = file.data, *line; at && (line = strsep(&at, "\n"));) {
        line_number++;
        run_line(line);
    }
    expect_none(NULL);
    end();
    bytes_finish(&file);
}

/* ---- all of them ---- */

static int is_scenario(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 4 && !strcmp(entry->d_name + len - 4, ".txt");
}

/* Each of the folder's, in order. */
static void each_scenario(void (*act)(const char *file))
{
    struct dirent **entries;
    int count = scandir(FOLDER, &entries, is_scenario, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char *file = text_format("%s/%s", FOLDER, entries[i]->d_name);
        act(file);
        free(file);
        free(entries[i]);
    }
    free(entries);
}

#endif
