#include "ptyd/core/owed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

#define AGAIN_FIRST_MS 200 /* until it is tried again, doubling to the most */
#define AGAIN_MS       3200

enum kind { LINE, OUTPUT, WHOLE };

struct write {
    struct write *next;
    enum kind kind;
    char *path, *data;
    size_t len;
    long long most; /* LINE: then the file becomes .1 */
    bool behind;    /* of one for the same file that failed in this try */
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
    void *user;
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

static int perform(const struct write *w)
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

/* It is not this file alone. What is appended to others then waits as well, also where a little
 * room is left in their last page: a line is never there without those that came before it. */
static bool shows_full(const struct write *w, int error)
{
    return w->kind != WHOLE &&
           (error == -ENOSPC || error == -EDQUOT || error == -EROFS || error == -EIO);
}

/* ---- those that wait ---- */

static void take_out(struct owed *o, struct write **at)
{
    struct write *w = *at;
    *at = w->next;
    o->count--;
    o->bytes -= w->kind == WHOLE ? 0 : w->len;
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

static void add(struct owed *o, const struct write *w)
{
    struct write *copy = memory_new(sizeof *copy);
    struct write **end = &o->first;
    bool begins = !o->first;
    *copy = *w;
    copy->path = text_copy(w->path);
    copy->data = copy_of(w->data, w->len);
    while (*end)
        end = &(*end)->next;
    *end = copy;
    o->count++;
    o->bytes += w->kind == WHOLE ? 0 : w->len;
    bound(o);
    if (!begins)
        return;
    o->since_ms = clock_wall_ms();
    o->owing(o->user);
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
    int result = waits ? 0 : perform(w);
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

void owed_replace(struct owed *o, const char *path, const char *data, size_t len)
{
    struct write *old = *find(o, path);
    if (!old) {
        submit(o, &(struct write){
                      .kind = WHOLE, .path = (char *)path, .data = (char *)data, .len = len});
        return;
    }
    free(old->data);
    old->data = copy_of(data, len);
    old->len = len;
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
    o->full = false;
    for (struct write *w = o->first; w; w = w->next)
        w->behind = false;
    for (struct write **at = &o->first; *at;) {
        struct write *w = *at;
        int result = w->behind || (o->full && w->kind != WHOLE) ? 1 : perform(w);
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
                               .since_ms = o->since_ms};
}

void owed_each(const struct owed *o, const char *path, void (*each)(void *user, const char *line),
               void *user)
{
    for (const struct write *w = o->first; w; w = w->next)
        if (w->kind == LINE && !strcmp(w->path, path))
            each(user, w->data);
}
