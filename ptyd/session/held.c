#include "ptyd/session/held.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/block.h"
#include "ptyd/core/json.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_lines.h"

/* What is looked for in the lines that wait. */
struct wanted {
    json_t *blocks;
    bool with_keys, apart;
    uint64_t seq;   /* one block alone; 0: all */
    uint64_t after; /* those with a higher number */
};

static void add(const struct wanted *w, json_t *block)
{
    if (!w->apart) {
        block_lines_add(w->blocks, block, w->with_keys);
        return;
    }
    block_remove_internal(block);
    json_array_append(w->blocks, block);
}

static void take(void *user, const char *line)
{
    const struct wanted *w = user;
    json_t *block = seal_load(line, strlen(line));
    uint64_t seq = (uint64_t)json_number(block, "seq", 0);
    if (block && seq > w->after && (!w->seq || seq == w->seq))
        add(w, block);
    json_decref(block);
}

static void look(const struct owed *owed, const char *directory, const struct wanted *wanted)
{
    char *path = text_format("%s/blocks.jsonl", directory);
    owed_each(owed, path, take, (void *)wanted);
    free(path);
}

void held_add(const struct owed *owed, const char *directory, uint64_t after, bool with_keys,
              json_t *blocks)
{
    look(owed, directory,
         &(struct wanted){.blocks = blocks, .with_keys = with_keys, .after = after});
}

json_t *held_block(const struct owed *owed, const char *directory, uint64_t seq)
{
    json_t *blocks = json_array();
    look(owed, directory, &(struct wanted){.blocks = blocks, .seq = seq});
    json_t *found = json_incref(json_array_get(blocks, 0));
    json_decref(blocks);
    return found;
}

json_t *held_lines(const struct owed *owed, const char *directory, uint64_t after)
{
    json_t *lines = json_array();
    look(owed, directory, &(struct wanted){.blocks = lines, .apart = true, .after = after});
    return lines;
}
