#include "vterm_snapshot/scrollback.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

/* One allocation a line: this head, the runs, the text. */
struct packed {
    uint32_t len;
    uint16_t runs;
    uint16_t continuation;
    struct row_run run[];
};

struct scrollback {
    size_t limit;
    struct packed **lines; /* a ring that grows to `limit` */
    size_t capacity;
    size_t first, count;
    uint64_t total;
};

struct scrollback *scrollback_create(size_t limit)
{
    struct scrollback *s = calloc(1, sizeof *s);
    if (s)
        s->limit = limit ? limit : 1;
    return s;
}

void scrollback_clear(struct scrollback *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->lines[(s->first + i) % s->capacity]);
    s->first = s->count = 0;
}

void scrollback_destroy(struct scrollback *s)
{
    if (!s)
        return;
    scrollback_clear(s);
    free(s->lines);
    free(s);
}

static bool grow(struct scrollback *s)
{
    size_t capacity = s->capacity ? s->capacity * 2 : 64;
    capacity = capacity < s->limit ? capacity : s->limit;
    struct packed **lines = malloc(capacity * sizeof(struct packed *));
    if (!lines)
        return false;
    for (size_t i = 0; i < s->count; i++)
        lines[i] = s->lines[(s->first + i) % s->capacity];
    free(s->lines);
    s->lines = lines;
    s->capacity = capacity;
    s->first = 0;
    return true;
}

static struct packed *pack(const struct scrollback_line *line)
{
    size_t runs = line->runs * sizeof(struct row_run);
    struct packed *p = malloc(sizeof *p + runs + line->len);
    if (!p)
        return NULL;
    *p = (struct packed){.len = line->len, .runs = line->runs, .continuation = line->continuation};
    if (runs)
        memcpy(p->run, line->run, runs);
    if (line->len)
        memcpy((char *)p->run + runs, line->text, line->len);
    return p;
}

void scrollback_push(struct scrollback *s, const struct scrollback_line *line)
{
    s->total++;
    if (s->count == s->capacity && s->capacity < s->limit && !grow(s))
        return;
    struct packed *p = pack(line);
    if (!p)
        return;
    if (s->count == s->capacity) {
        free(s->lines[s->first]);
        s->first = (s->first + 1) % s->capacity;
        s->count--;
    }
    s->lines[(s->first + s->count++) % s->capacity] = p;
}

size_t scrollback_count(const struct scrollback *s)
{
    return s->count;
}

uint64_t scrollback_total(const struct scrollback *s)
{
    return s->total;
}

struct scrollback_line scrollback_get(const struct scrollback *s, size_t i)
{
    struct packed *p = s->lines[(s->first + i) % s->capacity];
    return (struct scrollback_line){
        .len = p->len,
        .runs = p->runs,
        .continuation = p->continuation,
        .run = p->run,
        .text = (char *)(p->run + p->runs),
    };
}

struct row_run *scrollback_runs(struct scrollback *s, size_t i, size_t *ret_count)
{
    struct packed *p = s->lines[(s->first + i) % s->capacity];
    *ret_count = p->runs;
    return p->run;
}

void scrollback_save(const struct scrollback *s, struct bytes *out)
{
    uint64_t count = s->count;
    bytes_append(out, &s->total, sizeof s->total);
    bytes_append(out, &count, sizeof count);
    for (size_t i = 0; i < s->count; i++) {
        const struct packed *p = s->lines[(s->first + i) % s->capacity];
        bytes_append(out, p, sizeof *p + p->runs * sizeof *p->run + p->len);
    }
}

static bool load_line(struct scrollback *s, struct unpack *in)
{
    struct packed head;
    unpack_value(in, &head, sizeof head);
    const char *runs = unpack_bytes(in, head.runs * sizeof(struct row_run));
    const char *text = unpack_bytes(in, head.len);
    if (!text)
        return false;
    struct row_run run[LIMIT_SIZE_MAX];
    if (head.runs > LIMIT_SIZE_MAX)
        return false;
    memcpy(run, runs, head.runs * sizeof *run);
    scrollback_push(s, &(struct scrollback_line){.len = head.len,
                                                 .runs = head.runs,
                                                 .continuation = head.continuation,
                                                 .run = run,
                                                 .text = text});
    return true;
}

struct scrollback *scrollback_load(size_t limit, struct unpack *in)
{
    uint64_t total, count;
    struct scrollback *s = scrollback_create(limit);
    unpack_value(in, &total, sizeof total);
    unpack_value(in, &count, sizeof count);
    while (s && count && load_line(s, in))
        count--;
    if (s && !in->failed) {
        s->total = total;
        return s;
    }
    scrollback_destroy(s);
    return NULL;
}
