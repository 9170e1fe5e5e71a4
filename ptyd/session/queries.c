/* The open queries stand in the order in which they were displayed. Terminals answer in that order,
 * so that an answer closes what stands before it, too: that terminal does not know it. */
#include "ptyd/session/queries.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"

struct open_query {
    uint64_t viewer;
    uint64_t offset; /* behind it in the stream */
    int64_t since;   /* ms */
    bool answered;   /* by somebody else: its answer is dropped */
    bool held;       /* its terminal takes nothing: it does not age */
    bool shown;      /* from the log: what equals it there is another one */
    struct query query;
};

/* What a viewer sends, as far as it came. */
struct sender {
    struct sender *next;
    uint64_t viewer;
    struct query_input input;
    bool known;                 /* what the sequence at hand is, though its end is to come */
    bool passed;                /* some of it was passed on before that was known */
    enum queries_piece verdict; /* when known */
};

struct queries {
    struct open_query *open; /* the oldest first; room for LIMIT_QUERIES, NULL at first */
    size_t count;
    struct sender *senders;
    queries_heard *heard; /* may be NULL */
    void *user;
};

struct queries *queries_create(queries_heard *heard, void *user)
{
    struct queries *q = memory_new(sizeof *q);
    *q = (struct queries){.heard = heard, .user = user};
    return q;
}

void queries_destroy(struct queries *q)
{
    if (!q)
        return;
    while (q->senders) {
        struct sender *next = q->senders->next;
        free(q->senders);
        q->senders = next;
    }
    free(q->open);
    free(q);
}

size_t queries_count(const struct queries *q)
{
    return q->count;
}

/* ---- the open ones ---- */

static void close_at(struct queries *q, size_t i)
{
    q->count--;
    memmove(q->open + i, q->open + i + 1, (q->count - i) * sizeof *q->open);
}

static void close_late(struct queries *q, int64_t now)
{
    for (size_t i = q->count; i--;) {
        const struct open_query *o = &q->open[i];
        int most = query_is_slow(&o->query) ? LIMIT_QUERY_SLOW_MS : LIMIT_QUERY_MS;
        if (!o->held && now - o->since >= most)
            close_at(q, i);
    }
}

bool queries_awaits(struct queries *q, uint64_t viewer, int64_t now)
{
    close_late(q, now);
    for (size_t i = 0; i < q->count; i++)
        if (q->open[i].viewer == viewer && !query_is_slow(&q->open[i].query))
            return true;
    return false;
}

bool queries_oldest(const struct queries *q, uint64_t *ret_offset, int64_t *ret_since)
{
    for (size_t i = 0; i < q->count; i++) {
        const struct open_query *o = &q->open[i];
        if (o->answered || query_is_slow(&o->query))
            continue;
        *ret_offset = o->offset;
        *ret_since = o->since;
        return true;
    }
    return false;
}

static size_t first_held(const struct queries *q)
{
    size_t i = 0;
    while (i < q->count && !q->open[i].held)
        i++;
    return i;
}

static size_t first_answered(const struct queries *q)
{
    size_t i = 0;
    while (i < q->count && !q->open[i].answered)
        i++;
    return i;
}

/* Whoever takes nothing for ever keeps no place from others; nor does what nobody waits for. */
static void make_room(struct queries *q)
{
    if (q->count < LIMIT_QUERIES)
        return;
    size_t i = first_held(q);
    if (i == q->count)
        i = first_answered(q);
    if (i < q->count)
        close_at(q, i);
}

/* What is shown again comes behind what is asked now, and stands before it. */
void queries_open(struct queries *q, uint64_t viewer, const struct query *query, uint64_t offset,
                  int64_t now, bool answered)
{
    close_late(q, now);
    make_room(q);
    if (q->count == LIMIT_QUERIES)
        return;
    if (!q->open)
        q->open = memory_new(LIMIT_QUERIES * sizeof *q->open);
    size_t at = q->count++;
    for (; at && q->open[at - 1].offset > offset; at--)
        q->open[at] = q->open[at - 1];
    q->open[at] = (struct open_query){
        .viewer = viewer, .offset = offset, .since = now, .answered = answered, .query = *query};
}

/* It is noted where another one would not be. */
void queries_ask_last(struct queries *q, uint64_t viewer, int64_t now)
{
    if (q->count == LIMIT_QUERIES)
        close_at(q, q->count - 1);
    queries_open(q, viewer, &(struct query){.kind = QUERY_DEVICE}, UINT64_MAX, now, true);
}

bool queries_shown(struct queries *q, uint64_t viewer, const struct query *query, uint64_t offset,
                   int64_t now)
{
    close_late(q, now);
    for (size_t i = 0; i < q->count; i++) {
        struct open_query *o = &q->open[i];
        if (o->viewer != viewer || o->offset != offset || o->shown ||
            !query_equal(&o->query, query))
            continue;
        o->shown = true;
        o->since = now;
        return true;
    }
    return false;
}

/* ---- what comes ---- */

static struct sender *sender_of(struct queries *q, uint64_t viewer)
{
    struct sender *s = q->senders;
    while (s && s->viewer != viewer)
        s = s->next;
    if (s)
        return s;
    s = memory_new(sizeof *s);
    *s = (struct sender){.viewer = viewer, .next = q->senders};
    q->senders = s;
    return s;
}

/* The first that the sequence at hand answers; if none does, *ret_maybe says whether it may become
 * an answer. `count` for none. */
static size_t find_answered(const struct queries *q, const struct sender *s, bool *ret_maybe)
{
    *ret_maybe = false;
    for (size_t i = 0; i < q->count; i++) {
        if (q->open[i].viewer != s->viewer)
            continue;
        enum query_match found = query_input_answers(&s->input, &q->open[i].query);
        if (found == QUERY_IS)
            return i;
        *ret_maybe = *ret_maybe || found == QUERY_MAYBE;
    }
    return q->count;
}

/* Closes the one that was answered and what its terminal would have answered before. */
static void close_answered(struct queries *q, size_t at, int64_t now)
{
    uint64_t viewer = q->open[at].viewer;
    bool slow = query_is_slow(&q->open[at].query);
    if (query_goes_on(&q->open[at].query))
        q->open[at].since = now;
    else
        close_at(q, at);
    for (size_t i = at; i-- && !slow;)
        if (q->open[i].viewer == viewer && !query_is_slow(&q->open[i].query))
            close_at(q, i);
}

/* Half an answer helps nobody: of one whose front was passed on before it was known, the rest is
 * passed on, too. And a key that looks like an answer is missed where it is dropped. */
static bool may_drop(const struct sender *s)
{
    return !s->passed && !query_input_may_be_key(&s->input);
}

/* An ESC alone is a person's more often than not. */
static enum queries_piece judge(struct queries *q, struct sender *s, int64_t now)
{
    bool maybe;
    size_t at = find_answered(q, s, &maybe);
    if (at == q->count) {
        s->passed = s->passed || maybe;
        return maybe && s->input.len > 1 ? QUERIES_REPLY : QUERIES_TYPED;
    }
    s->known = true;
    s->verdict = q->open[at].answered && may_drop(s) ? QUERIES_DROPPED : QUERIES_REPLY;
    close_answered(q, at, now);
    return s->verdict;
}

/* One whose front was passed on goes on. */
static enum queries_piece judge_report(const struct sender *s)
{
    return s->input.begins && query_input_is_size(&s->input) ? QUERIES_SIZE : QUERIES_REPLY;
}

size_t queries_take(struct queries *q, uint64_t viewer, const char *bytes, size_t len, int64_t now,
                    enum queries_piece *ret_piece)
{
    struct sender *s = sender_of(q, viewer);
    enum query_piece piece;
    bool whole;
    close_late(q, now);
    size_t taken = query_input_next(&s->input, bytes, len, &piece, &whole);
    if (s->input.begins)
        s->known = s->passed = false;
    if (piece == QUERY_KEYS)
        *ret_piece = QUERIES_TYPED;
    else if (s->known)
        *ret_piece = s->verdict;
    else
        *ret_piece = judge(q, s, now);
    if (piece == QUERY_REPORT && *ret_piece == QUERIES_TYPED)
        *ret_piece = judge_report(s);
    if (whole && s->known && piece != QUERY_KEYS && q->heard && s->input.len <= QUERY_HEAD_BYTES)
        q->heard(q->user, s->input.head, s->input.len);
    return taken;
}

/* ---- viewers that do not answer ---- */

static void forget_sender(struct queries *q, uint64_t viewer)
{
    for (struct sender **at = &q->senders; *at; at = &(*at)->next)
        if ((*at)->viewer == viewer) {
            struct sender *gone = *at;
            *at = gone->next;
            free(gone);
            return;
        }
}

/* Takes the viewer's first behind `offset` that is not answered out, or notes that it is. Whoever
 * answers may ask for more: nothing is relied on behind that. */
static bool take_open(struct queries *q, uint64_t viewer, uint64_t offset, bool stays,
                      struct query *ret_query)
{
    for (size_t i = 0; i < q->count; i++) {
        struct open_query *o = &q->open[i];
        if (o->viewer != viewer || o->answered || o->offset <= offset)
            continue;
        *ret_query = o->query;
        o->answered = true;
        if (!stays)
            close_at(q, i);
        return true;
    }
    return false;
}

void queries_skip(struct queries *q, uint64_t viewer, uint64_t offset, queries_answer *answer,
                  void *user)
{
    struct query query;
    while (take_open(q, viewer, offset, false, &query))
        answer(user, &query);
    for (size_t i = q->count; i--;)
        if (q->open[i].viewer == viewer && q->open[i].offset > offset)
            close_at(q, i);
}

void queries_leave(struct queries *q, uint64_t viewer, queries_answer *answer, void *user)
{
    queries_skip(q, viewer, 0, answer, user);
    forget_sender(q, viewer);
}

void queries_pass_over(struct queries *q, uint64_t viewer, queries_answer *answer, void *user,
                       int64_t now)
{
    struct query query;
    close_late(q, now);
    while (take_open(q, viewer, 0, true, &query))
        answer(user, &query);
    for (size_t i = 0; i < q->count; i++)
        q->open[i].held = q->open[i].held || q->open[i].viewer == viewer;
}

void queries_took(struct queries *q, uint64_t viewer, int64_t now)
{
    for (size_t i = 0; i < q->count; i++) {
        struct open_query *o = &q->open[i];
        if (o->viewer != viewer || !o->held)
            continue;
        o->held = false;
        o->since = now;
    }
}

void queries_release(struct queries *q, uint64_t viewer)
{
    for (size_t i = 0; i < q->count; i++)
        q->open[i].answered = q->open[i].answered || q->open[i].viewer == viewer;
}
