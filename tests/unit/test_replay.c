/* The recorded traces give the same result whatever the chunks they are fed in. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ptyd/core/file.h"
#include "ptyd/core/text.h"
#include "ptyd/replay/replay.h"

#define TRACES "tests/replay/traces"

static char *replay_in_chunks(const struct bytes *trace, size_t chunk, uint64_t seed)
{
    struct replay *r = replay_create(
        &(struct replay_options){.chunk = chunk, .seed = seed, .foreign_marks = true});
    char *error = NULL;
    assert_int_equal(
        trace_read(trace->data, trace->len, TRACE_AUTO, NULL, 0, replay_events(), r, &error), 0);
    json_t *result = replay_finish(r);
    char *text = json_dumps(result, JSON_COMPACT);
    json_decref(result);
    replay_destroy(r);
    return text;
}

static void assert_chunks_do_not_matter(const char *path)
{
    static const size_t chunks[] = {1, 2, 3, 7, 64, 4095};
    struct bytes trace = {0};
    assert_int_equal(file_read(path, 1 << 26, &trace), 0);
    char *whole = replay_in_chunks(&trace, 0, 0);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        char *cut = replay_in_chunks(&trace, chunks[i], chunks[i] > 64 ? chunks[i] : 0);
        assert_string_equal(cut, whole);
        free(cut);
    }
    free(whole);
    bytes_finish(&trace);
}

static void every_trace_byte_by_byte(void **state)
{
    DIR *directory = opendir(TRACES);
    struct dirent *entry;
    int count = 0;
    (void)state;
    assert_non_null(directory);
    while ((entry = readdir(directory))) {
        if (!strstr(entry->d_name, ".raw") && !strstr(entry->d_name, ".cast"))
            continue;
        char *path = text_format(TRACES "/%s", entry->d_name);
        assert_chunks_do_not_matter(path);
        free(path);
        count++;
    }
    closedir(directory);
    assert_true(count > 0);
}

/* The processor's seconds that it takes to draw much behind `prompt` on a large screen. */
static double seconds_behind(const char *prompt)
{
    struct bytes trace = {0};
    bytes_append_text(&trace, "{\"version\": 2, \"width\": 500, \"height\": 200}\n");
    bytes_printf(&trace, "[0, \"o\", \"%s\"]\n", prompt);
    for (int i = 0; i < 800; i++) {
        bytes_append_text(&trace, "[0, \"o\", \"");
        for (int n = 0; n < 50; n++)
            bytes_append_text(&trace, "x\\u001b[1my\\u001b[m");
        bytes_append_text(&trace, "\\r\\n\"]\n");
    }
    clock_t begin = clock();
    free(replay_in_chunks(&trace, 0, 0));
    bytes_finish(&trace);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* Of a shell that says no C all output is drawn where a line is looked for. */
static void a_prompt_that_was_drawn_anew_costs_little(void **state)
{
    (void)state;
#define MARKED "\\u001b]133;A\\u0007\\r\\n~/work\\r\\n> \\u001b]133;B\\u0007echo one"
    double once = seconds_behind(MARKED "\\r\\n");
    double anew = seconds_behind(MARKED "\\r\\u001b[2A\\u001b[J> other\\r\\n");
    if (anew > 12 * once + 0.2)
        fail_msg("%.2f s, and %.2f s behind one that was drawn once", anew, once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trace_byte_by_byte),
        cmocka_unit_test(a_prompt_that_was_drawn_anew_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
