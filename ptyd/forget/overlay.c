#define _GNU_SOURCE
#include "ptyd/forget/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"

#define PIECE       (64 << 10)  /* that is compared at once; no place is longer */
#define NOTE_ENOUGH (256 << 10) /* bytes from which a note may end, and places */
#define ENOUGH      2000
#define NOTE_MOST   (512 << 10) /* bytes from which it ends in any case, and places */
#define PLACES_MOST 8000
#define NO_TEXT     PIECE /* no text that is covered reaches over so many bytes that are not */
#define APART       64    /* so many bytes that are right already end a place */

/* ---- one place ---- */

/* A part that was given back stays a hole; where nobody says what is one, none is. */
static int write_place(int fd, const char *bytes, size_t len, off_t at)
{
    off_t data = lseek(fd, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        return 0; /* a hole up to its end */
    size_t hole = data > at ? (size_t)(data - at) : 0;
    return hole < len ? file_write_all(fd, bytes + hole, len - hole, (long long)(at + (off_t)hole))
                      : 0;
}

/* Where they differ next, from `at` on; `len` for nowhere. *ret_end is where that ends. */
static size_t find_place(const char *there, const char *wanted, size_t at, size_t len,
                         size_t *ret_end)
{
    while (at < len && there[at] == wanted[at])
        at++;
    size_t end = at;
    for (size_t i = at; i < len && i - end <= APART; i++)
        end = there[i] != wanted[i] ? i + 1 : end;
    *ret_end = end;
    return at;
}

/* ---- the note ---- */

static char *note_path(const char *directory)
{
    return text_format("%s/overlay.json", directory);
}

/* Of the directory above `agent_pty`: with the state directory it may move. NULL for none. */
static const char *name_below(const char *directory, const char *path)
{
    size_t above = directory ? (size_t)(strrchr(directory, '/') - directory) : 0;
    return above && !strncmp(path, directory, above) && path[above] == '/' ? path + above + 1
                                                                           : NULL;
}

struct writing {
    const struct overlay *overlay;
    const char *name; /* as the note has it; or NULL */
    json_t *places;   /* [[at, bytes], ...] that are written next */
    size_t bytes;     /* of theirs */
    size_t end;       /* of the last one */
    bool noted;
};

static int save_note(const struct writing *w)
{
    char *path = note_path(w->overlay->directory);
    json_t *note = json_pack("{s:s, s:O}", "file", w->name, "places", w->places);
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

static int write_noted(int fd, const json_t *places)
{
    int result = 0;
    size_t i;
    json_t *place;
    json_array_foreach(places, i, place) {
        struct bytes bytes = {0};
        json_int_t at = json_integer_value(json_array_get(place, 0));
        const json_t *text = json_array_get(place, 1);
        bool is = json_is_string(text) && at >= 0 &&
                  base64_decode(json_string_value(text), json_string_length(text), &bytes) == 0;
        if (is && result == 0)
            result = write_place(fd, bytes.data, bytes.len, (off_t)at);
        bytes_finish(&bytes);
    }
    return result;
}

/* ---- all of them ---- */

static int write_some(struct writing *w)
{
    int result = w->name && json_array_size(w->places) ? save_note(w) : 0;
    w->noted = w->noted || (w->name && json_array_size(w->places) && result == 0);
    result = result < 0 ? result : write_noted(w->overlay->fd, w->places);
    json_array_clear(w->places);
    w->bytes = 0;
    return result;
}

/* Between two places of one text none is written without the other. */
static bool may_end(const struct writing *w, size_t next)
{
    size_t places = json_array_size(w->places);
    return w->bytes >= NOTE_MOST || places >= PLACES_MOST ||
           ((w->bytes >= NOTE_ENOUGH || places >= ENOUGH) && next - w->end >= NO_TEXT);
}

/* On the disk before the note of the next ones takes the place of theirs. */
static int write_before(struct writing *w)
{
    int result = write_some(w);
    return result == 0 && fdatasync(w->overlay->fd) < 0 ? -errno : result;
}

static int add_place(struct writing *w, size_t at, size_t len)
{
    struct bytes text = {0};
    int result = may_end(w, at) ? write_before(w) : 0;
    base64_encode(w->overlay->bytes + at, len, &text);
    json_array_append_new(w->places,
                          json_pack("[I, s%]", (json_int_t)at, text.data, (size_t)text.len));
    bytes_finish(&text);
    w->bytes += len;
    w->end = at + len;
    return result;
}

/* Of `n` bytes at `at`, which are there. */
static int write_piece(struct writing *w, const char *there, size_t at, size_t n)
{
    const char *wanted = w->overlay->bytes + at;
    int result = 0;
    for (size_t from = 0, end; from < n && result == 0; from = end)
        if ((from = find_place(there, wanted, from, n, &end)) < n)
            result = add_place(w, at + from, end - from);
    return result;
}

static int write_all(struct writing *w)
{
    const struct overlay *o = w->overlay;
    char *piece = memory_new(PIECE);
    int result = 0;
    ssize_t n;
    for (size_t at = o->from; at < o->len && result == 0; at += (size_t)n) {
        off_t data = lseek(o->fd, (off_t)at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            break; /* a hole up to its end */
        at = data > (off_t)at ? (size_t)data : at;
        if (at >= o->len)
            break;
        n = file_read_at(o->fd, piece, o->len - at < PIECE ? o->len - at : PIECE, (long long)at);
        if (n <= 0)
            result = n < 0 ? (int)n : -EIO;
        else
            result = write_piece(w, piece, at, (size_t)n);
    }
    free(piece);
    return result < 0 ? result : write_some(w);
}

int overlay_write(const struct overlay *o)
{
    struct writing w = {
        .overlay = o, .name = name_below(o->directory, o->path), .places = json_array()};
    int result = write_all(&w);
    if (result == 0 && fdatasync(o->fd) < 0)
        result = -errno;
    if (result == 0 && w.noted)
        remove_note(o->directory);
    json_decref(w.places);
    return result;
}

/* A file that is gone has nothing left. */
static int go_on_in(const char *path, const json_t *places)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    int result = write_noted(fd, places);
    if (result == 0 && fdatasync(fd) < 0)
        result = -errno;
    close(fd);
    return result;
}

int overlay_go_on(const char *directory)
{
    json_t *note = load_note(directory);
    const char *name = json_text(note, "file", NULL);
    int result = 0;
    if (name) {
        const char *end = strrchr(directory, '/');
        char *path = text_format("%.*s/%s", (int)(end - directory), directory, name);
        result = go_on_in(path, json_object_get(note, "places"));
        free(path);
    }
    if (note && result == 0)
        remove_note(directory);
    json_decref(note);
    return result < 0 ? result : name != NULL;
}
