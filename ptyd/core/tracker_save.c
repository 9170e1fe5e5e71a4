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

static void save_block(const struct block *block, struct bytes *out)
{
    bool unrecorded = block && block->unrecorded;
    json_t *json = block ? block_to_json(block) : NULL;
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    save_text(text, out);
    bytes_append(out, &unrecorded, sizeof unrecorded);
    free(text);
    json_decref(json);
}

static struct block *load_block(struct unpack *in)
{
    size_t len;
    const char *text = unpack_run(in, &len);
    json_t *json = text && len ? json_loadb(text, len, 0, NULL) : NULL;
    struct block *block = json ? block_from_json(json) : NULL;
    bool unrecorded;
    unpack_value(in, &unrecorded, sizeof unrecorded);
    if (block)
        block->unrecorded = unrecorded;
    json_decref(json);
    return block;
}

void tracker_save(const struct tracker *t, struct bytes *out)
{
    bytes_append(out, t, sizeof *t);
    save_text(t->lost, out);
    save_text(t->cwd, out);
    save_text(t->announced, out);
    pack_run(out, t->ahead.data, t->ahead.len);
    pack_run(out, t->held.data, t->held.len);
    save_block(t->block, out);
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
    t->block = load_block(in);
    if (in->failed || runs != (t->block != NULL)) {
        tracker_destroy(t);
        return NULL;
    }
    terminal_capture_resume(options->terminal, tracker_output, t);
    return t;
}
