/* Trace readers, tracker and entries with any bytes, on screens of several sizes; the same result
 * in chunks of another size, but where a run of text is longer than the screen: what is looked for
 * between two reads may have left it by then. The first byte says which format and size. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/replay/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    int cols, rows;
} sizes[] = {{0, 0}, {20, 6}, {7, 3}};
#define SIZES (sizeof sizes / sizeof *sizes)

static char *replay_in(const uint8_t *data, size_t size, unsigned kind, size_t chunk)
{
    enum trace_format format = (enum trace_format)(kind % 5);
    struct replay *r = replay_create(&(struct replay_options){.cols = sizes[kind / 5 % SIZES].cols,
                                                              .rows = sizes[kind / 5 % SIZES].rows,
                                                              .chunk = chunk,
                                                              .foreign_marks = true,
                                                              .scrollback = 50});
    char *error = NULL;
    const char *timing = format == TRACE_SCRIPT ? (const char *)data : NULL;
    trace_read((const char *)data, size, format, timing, size, replay_events(), r, &error);
    free(error);
    json_t *result = replay_finish(r);
    char *text = json_dumps(result, JSON_COMPACT);
    json_decref(result);
    replay_destroy(r);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    char *whole = replay_in(data + 1, size - 1, data[0], 0);
    char *cut = replay_in(data + 1, size - 1, data[0], 3);
    if (!whole || !cut || (!sizes[data[0] / 5 % SIZES].cols && strcmp(whole, cut)))
        abort();
    free(whole);
    free(cut);
    return 0;
}
