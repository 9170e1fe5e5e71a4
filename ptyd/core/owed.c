#define _GNU_SOURCE
#include "ptyd/core/owed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/slate.h"
#include "ptyd/core/text.h"

#define AGAIN_FIRST_MS 200 /* until it is tried again, doubling to the most */
#define AGAIN_MS       3200

/* Of notes each has a kind of its own: a program that does not know one lets go of it. */
enum kind { LINE, OUTPUT, WHOLE, NOTE };

struct write {
    struct write *next;
    enum kind kind;
    char *path, *data;
    size_t len;
    long long most; /* LINE: then the file becomes .1 */
    bool behind;    /* of one for the same file that failed in this try */
    uint32_t place; /* on the slate; 0 for none */
};

struct owed {
    struct write *first;
    size_t count, bytes; /* bytes: of lines and outputs */
    uint64_t dropped;
    int error;
    bool full; /* what is appended waits for what came before, whichever file it is for */
    int64_t since_ms, tried_ms; /* wall clock; monotonic */
    int again_ms;
    void (*owing)(void *user);
    bool (*keep)(void *user, int slate); /* NULL: what waits does not outlive us */
    void *user;
    struct slate *slate;    /* NULL: none yet, or none can be had */
    int64_t slate_tried_ms; /* monotonic: when none could be had, or nobody held it */
    struct bytes notes[OWED_NOTES];
    uint32_t note_places[OWED_NOTES];
};

struct owed *owed_create(void (*owing)(void *user), void *user)
{
    struct owed *o = memory_new(sizeof *o);
    *o = (struct owed){.owing = owing, .user = user, .again_ms = AGAIN_FIRST_MS};
    return o;
}

/* ---- one write ---- */

static int append(const struct write *w)
{
    long long size = file_append_line(w->path, w->data);
    if (size > w->most) {
        char *old = text_format("%s.1", w->path);
        rename(w->path, old);
        free(old);
    }
    return size < 0 ? (int)size : 0;
}

static int write_file(const struct write *w)
{
    switch (w->kind) {
    case LINE:
        return append(w);
    case OUTPUT:
        return file_append(w->path, w->data, w->len);
    default:
        return file_replace(w->path, w->data, w->len);
    }
}

static int64_t size_of_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

/* A successor that finds it begun looks whether it is there (is_there()). */
static int perform(struct owed *o, const struct write *w)
{
    bool noted = w->place && w->kind != WHOLE;
    if (noted)
        slate_begin(o->slate, w->place, size_of_file(w->path));
    int result = write_file(w);
    if (noted && result < 0)
        slate_wait(o->slate, w->place);
    return result;
}

/* It is not this file alone. What is appended to others then waits as well, also where a little
 * room is left in their last page: a line is never there without those that came before it. */
static bool shows_full(const struct write *w, int error)
{
    return w->kind != WHOLE &&
           (error == -ENOSPC || error == -EDQUOT || error == -EROFS || error == -EIO);
}

/* ---- those that wait ---- */

/* Bytes of it that count against the bound. */
static size_t weight(const struct write *w)
{
    return w->kind == WHOLE ? 0 : slate_cost(w->path, w->len);
}

static void take_out(struct owed *o, struct write **at)
{
    struct write *w = *at;
    *at = w->next;
    o->count--;
    o->bytes -= weight(w);
    if (w->place)
        slate_remove(o->slate, w->place);
    free(w->path);
    free(w->data);
    free(w);
}

static struct write **find(struct owed *o, const char *path)
{
    struct write **at = &o->first;
    while (*at && strcmp((*at)->path, path))
        at = &(*at)->next;
    return at;
}

static struct write **find_oldest(struct owed *o, enum kind kind)
{
    struct write **at = &o->first;
    while (*at && (*at)->kind != kind)
        at = &(*at)->next;
    return at;
}

static void bound(struct owed *o)
{
    while (o->bytes > LIMIT_OWED_BYTES) {
        struct write **output = find_oldest(o, OUTPUT);
        take_out(o, *output ? output : find_oldest(o, LINE));
        o->dropped++;
    }
    if (o->slate)
        slate_facts(o->slate)->dropped = o->dropped;
}

/* ---- on the slate ---- */

static bool tries_slate(const struct owed *o)
{
    return o->keep && !o->slate &&
           (!o->slate_tried_ms || clock_monotonic_ms() - o->slate_tried_ms >= AGAIN_FIRST_MS);
}

static void make_slate(struct owed *o)
{
    if (!tries_slate(o))
        return;
    int fd = slate_create_fd();
    o->slate_tried_ms = clock_monotonic_ms();
    o->slate = fd < 0 ? NULL : slate_map(fd);
    if (o->slate && !o->keep(o->user, fd)) {
        slate_unmap(o->slate);
        o->slate = NULL;
    }
    if (fd >= 0)
        close(fd);
}

static void put(struct owed *o, struct write *w)
{
    bool fits = w->kind != WHOLE || w->len <= LIMIT_SLATE_WHOLE_BYTES;
    w->place = !fits ? 0
                     : slate_add(o->slate, &(struct slate_entry){.kind = w->kind,
                                                                 .most = w->most,
                                                                 .path = w->path,
                                                                 .data = w->data,
                                                                 .len = w->len});
}

static void put_note(struct owed *o, enum owed_note which)
{
    struct slate_entry entry = {.kind = (uint32_t)NOTE + which,
                                .path = "",
                                .data = o->notes[which].data,
                                .len = o->notes[which].len};
    o->note_places[which] = entry.len ? slate_add(o->slate, &entry) : 0;
}

static void put_all(struct owed *o)
{
    slate_anew(o->slate);
    for (struct write *w = o->first; w; w = w->next)
        put(o, w);
    for (int i = 0; i < OWED_NOTES; i++)
        put_note(o, (enum owed_note)i);
    slate_turn(o->slate);
}

/* Where there is none yet, all that waits is put on the one that is made now. */
static bool begin_slate(struct owed *o)
{
    if (o->slate)
        return false;
    make_slate(o);
    if (!o->slate)
        return false;
    slate_facts(o->slate)->since_ms = o->since_ms;
    slate_facts(o->slate)->dropped = o->dropped;
    put_all(o);
    return true;
}

/* Returns whether, to make room, all that waits was put there anew. */
static bool outlive(struct owed *o, struct write *w)
{
    if (begin_slate(o))
        return true;
    if (!o->slate)
        return false;
    slate_facts(o->slate)->since_ms = o->since_ms;
    put(o, w);
    if (w->place)
        return false;
    put_all(o);
    return true;
}

void owed_slate_lost(struct owed *o)
{
    slate_unmap(o->slate);
    o->slate = NULL;
    o->slate_tried_ms = clock_monotonic_ms();
    memset(o->note_places, 0, sizeof o->note_places);
    for (struct write *w = o->first; w; w = w->next)
        w->place = 0;
}

void owed_note(struct owed *o, enum owed_note which, const char *data, size_t len)
{
    uint32_t before = o->note_places[which];
    len = len > LIMIT_SLATE_WHOLE_BYTES ? 0 : len;
    if (!len && !o->notes[which].len)
        return;
    o->notes[which].len = 0;
    bytes_append(&o->notes[which], data, len);
    if (begin_slate(o) || !o->slate)
        return;
    put_note(o, which);
    if (len && !o->note_places[which])
        put_all(o);
    else if (before)
        slate_remove(o->slate, before);
}

const char *owed_noted(const struct owed *o, enum owed_note which, size_t *ret_len)
{
    *ret_len = o->notes[which].len;
    return o->notes[which].data;
}

/* Whether the file has what was begun behind its former end; what is there of it in part is cut
 * away. A line may stand behind the end of half a line. */
static bool is_in(const char *path, const struct slate_entry *e)
{
    size_t most = e->len + 2, skip;
    char *found = memory_new(most);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : file_read_at(fd, found, most, e->size);
    size_t len = n > 0 ? (size_t)n : 0;
    skip = e->kind == LINE && len && found[0] == '\n';
    size_t same = 0;
    while (skip + same < len && same < e->len && found[skip + same] == e->data[same])
        same++;
    bool is_whole =
        same == e->len && (e->kind != LINE || (skip + same < len && found[skip + same] == '\n'));
    if (len && !is_whole && skip + same == len && ftruncate(fd, (off_t)e->size) < 0)
        is_whole = false; /* half a line then, which the next one's writer finds */
    if (fd >= 0)
        close(fd);
    free(found);
    return is_whole;
}

/* A file may have become .1 behind it. */
static bool is_there(const struct slate_entry *e)
{
    char *old = text_format("%s.1", e->path);
    bool there = is_in(e->path, e) || (e->kind == LINE && is_in(old, e));
    free(old);
    return there;
}

static void note_failure(struct owed *o, const struct write *w, int error)
{
    o->error = error;
    o->full = o->full || shows_full(w, error);
    o->tried_ms = clock_monotonic_ms();
}

static char *copy_of(const char *data, size_t len)
{
    char *copy = memory_new(len + 1);
    memcpy(copy, data, len);
    copy[len] = '\0';
    return copy;
}

static struct write *link_in(struct owed *o, const struct write *w)
{
    struct write *copy = memory_new(sizeof *copy);
    struct write **end = &o->first;
    *copy = *w;
    copy->path = text_copy(w->path);
    copy->data = copy_of(w->data, w->len);
    while (*end)
        end = &(*end)->next;
    *end = copy;
    o->count++;
    o->bytes += weight(w);
    return copy;
}

static void add(struct owed *o, const struct write *w)
{
    bool begins = !o->first;
    o->since_ms = begins ? clock_wall_ms() : o->since_ms;
    outlive(o, link_in(o, w));
    bound(o);
    if (begins)
        o->owing(o->user);
}

/* One of a kind that a newer program had is none here. */
static void take_note(struct owed *o, uint32_t place, const struct slate_entry *e)
{
    uint32_t which = e->kind - NOTE;
    if (which >= OWED_NOTES) {
        slate_remove(o->slate, place);
        return;
    }
    if (o->note_places[which])
        slate_remove(o->slate, o->note_places[which]);
    o->notes[which].len = 0;
    bytes_append(&o->notes[which], e->data, e->len);
    o->note_places[which] = place;
}

static void take_back(void *user, uint32_t place, const struct slate_entry *e)
{
    struct owed *o = user;
    if (e->kind >= NOTE) {
        take_note(o, place, e);
        return;
    }
    struct write w = {.kind = (enum kind)e->kind,
                      .path = (char *)e->path,
                      .data = (char *)e->data,
                      .len = e->len,
                      .most = e->most,
                      .place = place};
    struct write **old = find(o, e->path);
    if (e->begun && is_there(e)) {
        slate_remove(o->slate, place);
        return;
    }
    if (*old && e->kind == WHOLE)
        take_out(o, old);
    slate_wait(o->slate, place);
    link_in(o, &w);
}

void owed_outlive(struct owed *o, int slate, bool (*keep)(void *user, int slate))
{
    o->keep = keep;
    o->slate = slate < 0 ? NULL : slate_map(slate);
    if (!o->slate)
        return;
    o->dropped = slate_facts(o->slate)->dropped;
    o->since_ms = slate_facts(o->slate)->since_ms;
    slate_each(o->slate, take_back, o);
    if (o->first && owed_pay(o))
        o->owing(o->user);
}

static void note_text(void *user, uint32_t place, const struct slate_entry *e)
{
    bool *has = user;
    (void)place;
    *has = *has || e->kind == LINE || e->kind == WHOLE;
}

bool owed_has_text(int fd)
{
    struct slate *slate = fd < 0 ? NULL : slate_map(fd);
    bool has = false;
    if (slate)
        slate_each(slate, note_text, &has);
    slate_unmap(slate);
    return has;
}

static void pay_if_due(struct owed *o)
{
    if (clock_monotonic_ms() - o->tried_ms >= AGAIN_FIRST_MS)
        owed_pay(o);
}

/* What waits already goes first. */
static void submit(struct owed *o, const struct write *w)
{
    bool waits = (w->kind != WHOLE && o->full) || *find(o, w->path);
    int result = waits ? 0 : write_file(w);
    if (!waits && result == 0)
        return;
    if (!waits)
        note_failure(o, w, result);
    add(o, w);
    pay_if_due(o);
}

void owed_append(struct owed *o, const char *path, const char *line, long long most)
{
    submit(o, &(struct write){.kind = LINE,
                              .path = (char *)path,
                              .data = (char *)line,
                              .len = strlen(line),
                              .most = most});
}

void owed_append_output(struct owed *o, const char *path, const char *text, size_t len)
{
    submit(o,
           &(struct write){.kind = OUTPUT, .path = (char *)path, .data = (char *)text, .len = len});
}

void owed_drop_output(struct owed *o, const char *path)
{
    for (struct write **at = &o->first; *at;)
        if ((*at)->kind == OUTPUT && !strcmp((*at)->path, path))
            take_out(o, at);
        else
            at = &(*at)->next;
}

void owed_replace(struct owed *o, const char *path, const char *data, size_t len)
{
    struct write *old = *find(o, path);
    if (!old) {
        submit(o, &(struct write){
                      .kind = WHOLE, .path = (char *)path, .data = (char *)data, .len = len});
        return;
    }
    uint32_t before = old->place;
    free(old->data);
    old->data = copy_of(data, len);
    old->len = len;
    old->place = 0;
    if (!outlive(o, old) && before)
        slate_remove(o->slate, before);
    pay_if_due(o);
}

/* ---- paying ---- */

static void hold_back(struct write *failed)
{
    for (struct write *w = failed->next; w; w = w->next)
        w->behind = w->behind || !strcmp(w->path, failed->path);
}

int owed_pay(struct owed *o)
{
    size_t before = o->count;
    if (o->first)
        begin_slate(o);
    o->full = false;
    for (struct write *w = o->first; w; w = w->next)
        w->behind = false;
    for (struct write **at = &o->first; *at;) {
        struct write *w = *at;
        int result = w->behind || (o->full && w->kind != WHOLE) ? 1 : perform(o, w);
        if (result == 0) {
            take_out(o, at);
            continue;
        }
        if (result < 0) {
            note_failure(o, w, result);
            hold_back(w);
        }
        at = &w->next;
    }
    o->again_ms = o->count < before            ? AGAIN_FIRST_MS
                  : o->again_ms * 2 < AGAIN_MS ? o->again_ms * 2
                                               : AGAIN_MS;
    return o->first ? o->again_ms : 0;
}

size_t owed_destroy(struct owed *o)
{
    if (!o)
        return 0;
    owed_pay(o);
    size_t lost = o->count;
    while (o->first)
        take_out(o, &o->first);
    slate_unmap(o->slate);
    for (int i = 0; i < OWED_NOTES; i++)
        bytes_finish(&o->notes[i]);
    free(o);
    return lost;
}

/* ---- a look ---- */

struct owed_state owed_state(const struct owed *o)
{
    return (struct owed_state){.count = o->count,
                               .dropped = o->dropped,
                               .path = o->first ? o->first->path : NULL,
                               .error = o->first ? o->error : 0,
                               .outlives = o->slate != NULL,
                               .since_ms = o->since_ms};
}

void owed_each(const struct owed *o, const char *path, void (*each)(void *user, const char *line),
               void *user)
{
    for (const struct write *w = o->first; w; w = w->next)
        if (w->kind == LINE && !strcmp(w->path, path))
            each(user, w->data);
}

void owed_take(struct owed *o, const char *path, void (*each)(void *user, const char *line),
               void *user)
{
    for (struct write **at = &o->first; *at;) {
        struct write *w = *at;
        if (w->kind != LINE || strcmp(w->path, path) != 0) {
            at = &w->next;
            continue;
        }
        each(user, w->data);
        take_out(o, at);
    }
}

const char *owed_whole(const struct owed *o, const char *path, size_t *ret_len)
{
    const struct write *w = o->first;
    while (w && (w->kind != WHOLE || strcmp(w->path, path)))
        w = w->next;
    if (w)
        *ret_len = w->len;
    return w ? w->data : NULL;
}
