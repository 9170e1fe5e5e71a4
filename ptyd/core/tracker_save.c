/* A tracker into bytes and back: its values as they are, then what it owns. */
#include "ptyd/core/tracker_private.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"

static void save_text(const char *text, struct bytes *out)
{
    pack_run(out, text ? text : "", text ? strlen(text) : 0);
}

static char *load_text(struct unpack *in)
{
    size_t len;
    const char *text = unpack_run(in, &len);
    char *copy = memory_new(len + 1);
    if (text)
        memcpy(copy, text, len);
    return copy;
}

void tracker_save(const struct tracker *t, struct bytes *out)
{
    bytes_append(out, t, sizeof *t);
    save_text(t->lost, out);
    save_text(t->cwd, out);
    save_text(t->announced, out);
    pack_run(out, t->ahead.data, t->ahead.len);
    pack_run(out, t->held.data, t->held.len);
    block_save(t->block, out);
}

static void load_bytes(struct unpack *in, struct bytes *ret_bytes)
{
    size_t len;
    const char *data = unpack_run(in, &len);
    *ret_bytes = (struct bytes){0};
    if (data)
        bytes_append(ret_bytes, data, len);
}

struct tracker *tracker_load(const struct tracker_options *options, struct unpack *in)
{
    struct tracker *t = memory_new(sizeof *t);
    unpack_value(in, t, sizeof *t);
    bool announced = t->announced != NULL, runs = t->block != NULL;
    t->options = *options;
    t->lost = load_text(in);
    t->cwd = load_text(in);
    t->announced = load_text(in);
    if (!announced)
        tracker_set_text(&t->announced, NULL);
    load_bytes(in, &t->ahead);
    load_bytes(in, &t->held);
    t->block = block_load(in);
    if (in->failed || runs != (t->block != NULL)) {
        tracker_destroy(t);
        return NULL;
    }
    terminal_capture_resume(options->terminal, tracker_output, t);
    return t;
}
