#include "ptyd/core/heard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/block.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/lines.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

char *heard_directory(const char *state)
{
    return text_format("%s/hosts", state);
}

static int open_file(struct heard *h, const char *directory)
{
    int result = h->is_open ? 0 : file_make_directory(directory);
    char *path = text_format("%s/blocks.jsonl", directory);
    if (result == 0 && !h->is_open)
        result = file_lines_open(&h->lines, path);
    h->is_open = result == 0;
    free(path);
    return result;
}

int heard_append(struct heard *h, const char *directory, const json_t *line, bool *ret_full)
{
    int result = open_file(h, directory);
    char *text = result == 0 ? seal_dump(line) : NULL;
    long long size = text ? file_lines_append(&h->lines, text) : result < 0 ? result : -ENOMEM;
    *ret_full = size > LIMIT_HEARD_BYTES;
    free(text);
    return size < 0 ? (int)size : 0;
}

void heard_close(struct heard *h)
{
    if (h->is_open)
        file_lines_close(&h->lines);
    h->is_open = false;
}

void heard_rotate(struct heard *h, const char *directory)
{
    heard_close(h);
    char *path = text_format("%s/blocks.jsonl", directory);
    char *before = text_format("%s.1", path);
    rename(path, before);
    free(before);
    free(path);
}

struct reading {
    void (*each)(void *user, json_t *line);
    void *user;
};

static void take_line(void *user, char *text, size_t len, bool is_whole)
{
    const struct reading *r = user;
    json_t *line = text && is_whole ? seal_load(text, len) : NULL;
    if (line)
        r->each(r->user, line);
    json_decref(line);
}

static void each_line(const char *path, void (*each)(void *user, json_t *line), void *user)
{
    struct reading reading = {each, user};
    lines_each_of(path, LIMIT_JSONL_LINE_BYTES, take_line, &reading);
}

void heard_each(const char *directory, void (*each)(void *user, json_t *line), void *user)
{
    char *path = text_format("%s/blocks.jsonl", directory);
    char *before = text_format("%s.1", path);
    each_line(before, each, user);
    each_line(path, each, user);
    free(before);
    free(path);
}

struct chosen {
    const char *host;
    size_t last;
    json_t *blocks;
};

static void choose(void *user, json_t *line)
{
    struct chosen *c = user;
    if (c->host && strcmp(json_text(line, "host", ""), c->host) != 0 &&
        strcmp(json_text(line, "host_id", ""), c->host) != 0)
        return;
    block_remove_internal(line);
    json_object_del(line, "number");
    json_object_del(line, "sent_ms");
    json_array_append(c->blocks, line);
    if (c->last && json_array_size(c->blocks) > c->last)
        json_array_remove(c->blocks, 0);
}

json_t *heard_blocks(const char *directory, const char *host, size_t last)
{
    struct chosen c = {.host = host, .last = last, .blocks = json_array()};
    heard_each(directory, choose, &c);
    return c.blocks;
}
