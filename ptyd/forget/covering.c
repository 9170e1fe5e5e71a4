#define _GNU_SOURCE
#include "ptyd/forget/covering.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

#define PLACES_MOST 1000 /* that one note has */

/* ---- one place ---- */

/* Where the tag stands: in the first line of [from, to) that has room for it; `to` for none. */
static size_t find_room(const char *text, size_t from, size_t to, size_t need)
{
    while (from < to) {
        const char *feed = memchr(text + from, '\n', to - from);
        size_t end = feed ? (size_t)(feed - text) : to;
        if (end - from >= need)
            return from;
        from = end + 1;
    }
    return to;
}

/* What a byte becomes. A hole in the file stays one. */
static char cover_of(char byte, size_t at, size_t tag_at, const char *tag, size_t tag_len,
                     char fill)
{
    if (at >= tag_at && at - tag_at < tag_len)
        return tag[at - tag_at];
    return byte == '\n' || byte == '\0' ? byte : fill;
}

/* The same whatever part of it was covered before: only its line ends count. */
static int cover_place(struct covering *c, size_t from, size_t to, const char *type)
{
    char piece[16 << 10], *tag = text_format("[redacted:%s]", type);
    size_t len = strlen(tag), tag_at = find_room(c->text, from, to, len);
    char fill = tag_at < to ? ' ' : 'x';
    int result = 0;
    for (size_t at = from; at < to && result == 0; at += sizeof piece) {
        size_t n = to - at < sizeof piece ? to - at : sizeof piece;
        for (size_t i = 0; i < n; i++)
            piece[i] = cover_of(c->text[at + i], at + i, tag_at, tag, len, fill);
        if (!memcmp(piece, c->text + at, n))
            continue;
        c->changed = true;
        result = file_write_all(c->fd, piece, n, (long long)at);
    }
    free(tag);
    return result;
}

/* ---- the note ---- */

static char *note_path(const char *directory)
{
    return text_format("%s/covering.json", directory);
}

static int save_note(const struct covering *c, json_t *places)
{
    char *path = note_path(c->directory);
    json_t *note = json_pack("{s:s, s:O}", "output", c->name, "places", places);
    char *text = note ? seal_dump(note) : NULL;
    int result = text ? file_replace(path, text, strlen(text)) : -ENOMEM;
    free(text);
    json_decref(note);
    free(path);
    return result;
}

static void remove_note(const char *directory)
{
    char *path = note_path(directory);
    unlink(path);
    free(path);
}

static json_t *load_note(const char *directory)
{
    char *path = note_path(directory);
    struct bytes file = {0};
    int result = file_read_regular(path, LIMIT_META_BYTES, &file);
    json_t *note = result == 0 && file.len ? seal_load(file.data, file.len) : NULL;
    bytes_finish(&file);
    free(path);
    return note;
}

/* Those that the file has. */
static int cover_noted(struct covering *c, size_t len, const json_t *places)
{
    int result = 0;
    size_t i;
    json_t *place;
    json_array_foreach(places, i, place) {
        json_int_t from = json_integer_value(json_array_get(place, 0));
        json_int_t to = json_integer_value(json_array_get(place, 1));
        const char *type = json_string_value(json_array_get(place, 2));
        if (result == 0 && type && from >= 0 && from < to && (uint64_t)to <= len)
            result = cover_place(c, (size_t)from, (size_t)to, type);
    }
    if (result == 0 && c->changed && fdatasync(c->fd) < 0)
        result = -errno;
    return result;
}

/* ---- all of them ---- */

static int cover_some(struct covering *c, json_t *places)
{
    int result = json_array_size(places) ? save_note(c, places) : 0;
    if (result < 0)
        return result;
    result = cover_noted(c, SIZE_MAX, places);
    c->left = result < 0;
    json_array_clear(places);
    return result;
}

int covering_do(struct covering *c, const struct redact_matches *matches, size_t base)
{
    json_t *places = json_array();
    int result = 0;
    for (size_t i = 0; i < matches->count && result == 0; i++) {
        const struct redact_match *m = &matches->list[i];
        json_array_append_new(places, json_pack("[I, I, s]", (json_int_t)(base + m->from),
                                                (json_int_t)(base + m->to), m->type));
        if (json_array_size(places) == PLACES_MOST)
            result = cover_some(c, places);
    }
    if (result == 0)
        result = cover_some(c, places);
    if (result == 0 && matches->count)
        remove_note(c->directory);
    json_decref(places);
    return result;
}

static int go_on_in(struct covering *c, const char *path, const json_t *places)
{
    struct stat st;
    int result = 0;
    c->fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    if (c->fd < 0)
        return errno == ENOENT ? 0 : -errno;
    size_t len = fstat(c->fd, &st) == 0 && S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
    c->text = len ? mmap(NULL, len, PROT_READ, MAP_SHARED, c->fd, 0) : NULL;
    if (c->text == MAP_FAILED)
        result = -errno;
    else if (c->text)
        result = cover_noted(c, len, places);
    if (c->text && c->text != MAP_FAILED)
        munmap((char *)c->text, len);
    close(c->fd);
    return result;
}

int covering_go_on(const char *directory)
{
    json_t *note = load_note(directory);
    const char *name = json_text(note, "output", NULL);
    struct covering c = {.directory = directory, .name = name};
    int result = 0;
    if (name && !strchr(name, '/')) {
        char *path = text_format("%s/blocks/%s", directory, name);
        result = go_on_in(&c, path, json_object_get(note, "places"));
        free(path);
    }
    if (note && result == 0)
        remove_note(directory);
    json_decref(note);
    return result < 0 ? result : c.changed;
}
