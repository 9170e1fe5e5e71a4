/* A mark's payload, any bytes: what is read of it is bounded, and the same however often. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "vterm_snapshot/mark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decoded text is never longer than what it was decoded from. */
static void check_text(const struct bytes *text, size_t size)
{
    if (text->len > size || (text->len && !text->data))
        abort();
}

static void check_history(const struct mark *mark, size_t size)
{
    struct bytes text = {0};
    mark_history_text(mark->raw.data ? mark->raw.data : "", mark->raw.len, mark->entries, &text);
    check_text(&text, size);
    bytes_finish(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mark mark, again;
    char *payload = malloc(size + 1); /* exactly as long as it is: a sanitizer sees beyond */
    memcpy(payload, data, size);
    if (mark_parse(payload, size, true, &mark) == 0) {
        if (!strchr("ABCODPT", (int)mark.kind))
            abort();
        check_text(&mark.cwd, size);
        check_text(&mark.cmd, size);
        check_text(&mark.lost, size);
        check_text(&mark.raw, size);
        check_history(&mark, size);
        if (mark_parse(payload, size, true, &again) < 0 || again.seq != mark.seq ||
            again.cmd.len != mark.cmd.len)
            abort();
        mark_finish(&again);
        mark_finish(&mark);
    }
    free(payload);
    return 0;
}
