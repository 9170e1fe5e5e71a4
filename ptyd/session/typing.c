#include "ptyd/session/typing.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"

struct typing *typing_create(const char *bytes, size_t len)
{
    struct typing *t = memory_new(sizeof *t);
    *t = (struct typing){.done = typing_destroy};
    bytes_append(&t->bytes, bytes, len);
    return t;
}

void typing_destroy(struct typing *t)
{
    bytes_finish(&t->bytes);
    free(t);
}

static size_t left_of(const struct typing *t)
{
    return t->bytes.len - t->typed;
}

size_t typing_room(const struct typing_queue *q)
{
    bool full = q->count >= LIMIT_TYPINGS || q->len >= LIMIT_INPUT_BYTES;
    return full ? 0 : LIMIT_INPUT_BYTES - q->len;
}

static const struct typing_part *part_of(const struct typing *t, size_t i)
{
    return i < t->parts.len / sizeof(struct typing_part)
               ? (const struct typing_part *)t->parts.data + i
               : NULL;
}

void typing_add_part(struct typing *t, size_t len, enum typing_kind kind)
{
    size_t count = t->parts.len / sizeof(struct typing_part);
    struct typing_part *last = count ? (struct typing_part *)t->parts.data + count - 1 : NULL;
    struct typing_part part = {.end = (last ? last->end : 0) + len, .kind = kind};
    if (last && last->kind == kind)
        last->end = part.end;
    else
        bytes_append(&t->parts, &part, sizeof part);
}

void typing_append(struct typing *t, const char *bytes, size_t len, size_t more)
{
    bytes_append(&t->bytes, bytes, len);
    struct typing_grown grown = {.end = t->bytes.len, .len = len, .more = more};
    if (more)
        bytes_append(&t->grown, &grown, sizeof grown);
}

size_t typing_came(const struct typing *t, size_t typed)
{
    const struct typing_grown *grown = (const struct typing_grown *)t->grown.data;
    size_t count = t->grown.len / sizeof *grown, more = 0;
    for (size_t i = 0; i < count && grown[i].end - grown[i].len < typed; i++) {
        size_t last = grown[i].end - grown[i].more - 1;
        if (typed < grown[i].end)
            return (typed < last ? typed : last) - more;
        more += grown[i].more;
    }
    return typed - more;
}

/* As many of the keys as are whole lines; all of them where none is. */
static size_t whole_lines(const char *keys, size_t len)
{
    size_t end = len;
    while (end && keys[end - 1] != '\r' && keys[end - 1] != '\n')
        end--;
    return end ? end : len;
}

size_t typing_piece(const struct typing_queue *q, enum typing_kind *ret_kind)
{
    const struct typing *t = q->first;
    const size_t most = q->piece ? q->piece : LIMIT_TYPED_PIECE;
    const struct typing_part *part = part_of(t, t->part);
    size_t len = (part ? part->end : t->bytes.len) - t->typed;
    *ret_kind = part ? part->kind : t->is_reply ? TYPING_REPLY : TYPING_KEYS;
    if (len <= most)
        return len;
    return q->piece ? whole_lines(t->bytes.data + t->typed, most) : most;
}

/* So many bytes more are done with. */
static void advance(struct typing_queue *q, struct typing *t, size_t len)
{
    const struct typing_part *part = part_of(t, t->part);
    t->typed += len;
    q->len -= len;
    t->part += part && part->end == t->typed;
}

bool typing_is_persons(const struct typing *t)
{
    bool keys = !t->parts.len && !t->is_reply && t->bytes.len;
    for (size_t i = 0; part_of(t, i); i++)
        keys = keys || part_of(t, i)->kind == TYPING_KEYS;
    return keys && !t->agent;
}

void typing_take_baton(struct typing_queue *q)
{
    struct typing *t = q->first;
    q->baton = 0;
    while (t && !t->agent)
        t = t->next;
    if (!t)
        return;
    typing_remove(q, t);
    t->done(t);
    typing_take_baton(q); /* done() may have changed the rest */
}

bool typing_add(struct typing_queue *q, struct typing *t)
{
    struct typing **at = &q->first;
    if (t->agent && t->agent != q->baton)
        return false;
    if (typing_is_persons(t))
        typing_take_baton(q);
    if (!t->has_room && left_of(t) > typing_room(q))
        return false;
    while (*at)
        at = &(*at)->next;
    *at = t;
    t->next = NULL;
    q->len += left_of(t);
    q->count++;
    return true;
}

bool typing_keeps(const struct typing_queue *q, const struct intake_typing *kept)
{
    const struct typing *t = q->first;
    while (t && t->kept != kept)
        t = t->next;
    return t != NULL;
}

static const void *typist(const struct typing *t)
{
    return t->of ? t->of : t;
}

void typing_leave(struct typing_queue *q, const void *of)
{
    q->cut = paste_leave(&q->paste, of) || q->cut;
}

/* In front of the others, but for one that was begun. */
void typing_end_paste(struct typing_queue *q, struct typing *t)
{
    struct typing **at = q->first && q->first->typed ? &q->first->next : &q->first;
    q->cut = false;
    t->next = *at;
    *at = t;
    q->len += left_of(t);
    q->count++;
}

void typing_remove(struct typing_queue *q, struct typing *t)
{
    struct typing **at = &q->first;
    while (*at && *at != t)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = t->next;
    q->len -= left_of(t);
    q->count--;
    if (!t->of && left_of(t))
        typing_leave(q, t);
    else if (!t->of)
        paste_forget(&q->paste, t);
    bytes_finish(&t->parts);
}

/* Where the request stands in the shared memory, from its first byte on. Whoever looks behind our
 * death finds it whole or not at all. */
static struct intake_typing *keep(struct intake_facts *facts, uint64_t token)
{
    struct intake_typing *kept = &facts->typings[facts->typing_count % LIMIT_TYPINGS_KEPT];
    *kept = (struct intake_typing){0};
    atomic_thread_fence(memory_order_seq_cst);
    kept->token = token;
    facts->typing_count++;
    return kept;
}

/* Another may stand in its place by now. */
static bool is_kept(const struct typing *t)
{
    return t->kept && t->kept->token == t->token;
}

ssize_t typing_write(struct typing_queue *q, struct intake_facts *facts, int fd)
{
    struct typing *t = q->first;
    enum typing_kind kind;
    size_t len = typing_piece(q, &kind);
    if (t->token && !t->kept)
        t->kept = keep(facts, t->token);
    if (is_kept(t))
        t->kept->most = (uint32_t)typing_came(t, t->typed + len);
    atomic_thread_fence(memory_order_seq_cst);
    ssize_t n = (ssize_t)len;
    while (kind != TYPING_DROPPED && (n = write(fd, t->bytes.data + t->typed, len)) < 0 &&
           errno == EINTR)
        ;
    int error = errno;
    if (n > 0 && kind == TYPING_KEYS)
        paste_typed(&q->paste, typist(t), t->bytes.data + t->typed, (size_t)n);
    advance(q, t, n > 0 ? (size_t)n : 0);
    atomic_thread_fence(memory_order_seq_cst);
    if (is_kept(t))
        t->kept->typed = t->kept->most = (uint32_t)typing_came(t, t->typed);
    return n < 0 ? -error : n;
}

static void finish_first(struct typing_queue *q)
{
    struct typing *t = q->first;
    typing_remove(q, t);
    t->done(t);
}

void typing_settle(struct typing_queue *q)
{
    if (q->first && !left_of(q->first))
        finish_first(q);
}

void typing_end(struct typing_queue *q)
{
    while (q->first)
        finish_first(q);
}

bool typing_find(const struct intake_facts *facts, uint64_t token, size_t *ret_typed,
                 size_t *ret_doubt)
{
    for (int i = 0; token && i < LIMIT_TYPINGS_KEPT; i++) {
        const struct intake_typing *kept = &facts->typings[i];
        if (kept->token != token)
            continue;
        *ret_typed = kept->typed;
        *ret_doubt = kept->most > kept->typed ? kept->most - kept->typed : 0;
        return true;
    }
    return false;
}

void typing_note(struct intake_facts *facts, uint64_t token)
{
    size_t typed, doubt;
    if (token && !typing_find(facts, token, &typed, &doubt))
        keep(facts, token);
}

/* What was begun later is forgotten later. */
bool typing_never(const struct intake_facts *facts, uint64_t token, uint64_t before)
{
    size_t typed, doubt;
    return token && !typing_find(facts, token, &typed, &doubt) &&
           typing_find(facts, before, &typed, &doubt);
}
