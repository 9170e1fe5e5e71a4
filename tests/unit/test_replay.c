/* The recorded traces give the same result whatever the chunks they are fed in. */
#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_trace_byte_by_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
