#define _GNU_SOURCE
#include "ptyd/worker/closed.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/kept.h"
#include "ptyd/core/names.h"
#include "ptyd/core/text.h"
#include "ptyd/session/block_lines.h"
#include "ptyd/session/block_reader.h"
#include "ptyd/worker/listing.h"
#include "ptyd/worker/look.h"
#include "ptyd/worker/worker.h"

char *closed_directory(struct worker *w, const char *name)
{
    if (!text_is_name(name) || worker_find(w, name) || !kept_exists(w->options->state, name))
        return NULL;
    return text_format("%s/conversations/%s/agent_pty", w->options->state, name);
}

/* ---- their blocks ---- */

void closed_blocks(struct client *client, const json_t *id, const json_t *params,
                   const char *directory)
{
    bool all;
    if (json_object_get(params, "after"))
        client_reply(client, id,
                     block_lines_after(directory, (uint64_t)json_number(params, "after", 0),
                                       LIMIT_BLOCKS_PAGE_BYTES, &all));
    else
        listing_files(client, id, directory, (size_t)json_number(params, "last", 0));
}

static uint64_t seq_of_first(json_t *blocks)
{
    uint64_t seq = (uint64_t)json_number(json_array_get(blocks, 0), "seq", 0);
    json_decref(blocks);
    return seq;
}

static uint64_t oldest_block(const char *directory)
{
    bool all;
    return seq_of_first(block_lines_after(directory, 0, 1, &all));
}

static uint64_t newest_block(const char *directory)
{
    return seq_of_first(block_reader_all(directory, 1, false));
}

void closed_block(struct client *client, const json_t *id, const json_t *params,
                  const char *directory)
{
    const char *wanted = json_text(params, "block", "");
    uint64_t bytes_read = 0;
    json_t *block = block_lines_find(directory, look_seq_of(wanted), &bytes_read);
    if (block && look_is_block(block, wanted)) {
        client_reply(client, id, look_block_json(params, block, directory));
        return;
    }
    json_decref(block);
    look_fail_without_block(client, id,
                            &(struct block_choice){.session = json_text(params, "name", ""),
                                                   .wanted = wanted,
                                                   .oldest = oldest_block(directory),
                                                   .newest = newest_block(directory)});
}

/* ---- the list of them ---- */

struct list {
    struct stream stream;
    DIR *directory;    /* NULL where there is none */
    bool begun, holds; /* something was written; a session was */
};

/* When something of it was written last: its blocks, or that it was made. */
static int64_t used_ms(int parent, const char *name)
{
    char *path = text_format("%s/agent_pty/blocks.jsonl", name);
    struct stat st;
    bool found = fstatat(parent, path, &st, 0) == 0 || fstatat(parent, name, &st, 0) == 0;
    free(path);
    return found ? st.st_mtim.tv_sec * INT64_C(1000) + st.st_mtim.tv_nsec / 1000000 : 0;
}

static json_t *shell_id(const struct worker *w, const char *name)
{
    char *path = text_format("%s/conversations/%s/agent_pty/shell_id.txt", w->options->state, name);
    struct bytes text = {0};
    int result = file_read_regular(path, LIMIT_NAME_BYTES, &text);
    size_t len = text.len;
    while (len && text.data[len - 1] == '\n')
        len--;
    json_t *value = result == 0 && len ? json_stringn(text.data, len) : NULL;
    bytes_finish(&text);
    free(path);
    return value ? value : json_null();
}

static void append(struct list *l, const char *name, struct bytes *out)
{
    const struct worker *w = client_worker(l->stream.client);
    const char *given = names_given(w->names, name);
    json_t *closed =
        json_pack("{s:s, s:o, s:n, s:n, s:n, s:n, s:s, s:b, s:s, s:I}", "name",
                  given ? given : name, "shell_id", shell_id(w, name), "shell", "shell_pid", "cwd",
                  "size", "state", "closed", "marks", false, "conversation_id", name, "used_ms",
                  (json_int_t)used_ms(dirfd(l->directory), name));
    char *text = json_dumps(closed, JSON_COMPACT);
    bytes_append_text(out, l->holds ? "," : "");
    bytes_append_text(out, text);
    l->holds = true;
    free(text);
    json_decref(closed);
}

static void append_served(struct list *l, struct bytes *out)
{
    size_t before = out->len;
    worker_append_sessions(client_worker(l->stream.client), NULL, NULL, out);
    l->begun = true;
    l->holds = out->len > before + 2;
    out->len--; /* the bracket; the others follow */
}

static bool list_piece(struct stream *stream, size_t bytes, struct bytes *out)
{
    struct list *l = (struct list *)stream;
    struct worker *w = client_worker(stream->client);
    size_t end = out->len + bytes;
    if (!l->begun)
        append_served(l, out);
    struct dirent *entry = NULL;
    while (l->directory && out->len < end && (entry = readdir(l->directory))) {
        const struct session *s = worker_find(w, entry->d_name);
        if (text_is_name(entry->d_name) && (!s || !worker_lists(s)))
            append(l, entry->d_name, out);
    }
    if (!entry)
        bytes_append_char(out, ']');
    return entry != NULL;
}

static void list_finish(struct stream *stream)
{
    struct list *l = (struct list *)stream;
    if (l->directory)
        closedir(l->directory);
    free(l);
}

void closed_list(struct client *client, const json_t *id)
{
    struct list *l = memory_new(sizeof *l);
    char *path = text_format("%s/conversations", client_worker(client)->options->state);
    *l = (struct list){.stream = {.piece = list_piece, .finish = list_finish},
                       .directory = opendir(path)};
    free(path);
    client_stream(client, id, &l->stream);
}
