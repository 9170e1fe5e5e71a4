/* Trace readers, tracker and entries with any bytes; the same result in chunks of another size. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptyd/replay/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *replay_in(const uint8_t *data, size_t size, enum trace_format format, size_t chunk)
{
    struct replay *r = replay_create(
        &(struct replay_options){.chunk = chunk, .foreign_marks = true, .scrollback = 50});
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
    enum trace_format format = (enum trace_format)(data[0] % 5);
    char *whole = replay_in(data + 1, size - 1, format, 0);
    char *cut = replay_in(data + 1, size - 1, format, 3);
    if (!whole || !cut || strcmp(whole, cut))
        abort();
    free(whole);
    free(cut);
    return 0;
}
