/* Two halves, one of which counts: records, each behind the other. A record is whole before the
 * half's end is moved behind it, so that whoever dies while writing leaves none that is half. */
#define _GNU_SOURCE
#include "ptyd/core/cores.h"
#include "ptyd/core/slate.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"

#define MAGIC 0x70747964736c7431ull
#define START 4096        /* of the first half; a page, so that each half can be given back */
#define MUCH  (256 << 10) /* used, and most of it done: it is written anew */

enum state { DONE, WAITS, BEGUN };

struct shared {
    uint64_t magic;
    _Atomic uint64_t half;    /* the one that counts */
    _Atomic uint64_t ends[2]; /* bytes used of each */
    struct slate_facts facts;
};

struct record {
    uint32_t size; /* of all of it, a multiple of 8 */
    uint32_t kind;
    _Atomic uint32_t state;
    uint32_t path_len, len; /* without their zeros */
    uint32_t unused;
    int64_t most, file_size;
};

struct slate {
    struct shared *shared;
    unsigned half; /* that is written to */
    size_t live;   /* bytes of it that wait */
};

int slate_create_fd(void)
{
    int fd = memfd_create("ptyd-slate", MFD_CLOEXEC);
    uint64_t magic = MAGIC;
    if (fd < 0)
        return -errno;
    if (ftruncate(fd, START + 2 * LIMIT_SLATE_BYTES) < 0 ||
        pwrite(fd, &magic, sizeof magic, 0) != sizeof magic) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

static char *half_at(const struct slate *s, unsigned half)
{
    return (char *)s->shared + START + (size_t)half * LIMIT_SLATE_BYTES;
}

static struct record *at(const struct slate *s, uint32_t place)
{
    return (struct record *)((char *)s->shared + place);
}

static bool is_sound(const struct shared *shared)
{
    return shared->magic == MAGIC && atomic_load(&shared->half) < 2 &&
           atomic_load(&shared->ends[0]) <= LIMIT_SLATE_BYTES &&
           atomic_load(&shared->ends[1]) <= LIMIT_SLATE_BYTES;
}

static void count_live(void *user, uint32_t place, const struct slate_entry *entry)
{
    struct slate *s = user;
    (void)entry;
    s->live += at(s, place)->size;
}

struct slate *slate_map(int fd)
{
    const size_t size = START + 2 * LIMIT_SLATE_BYTES;
    struct stat st;
    if (fstat(fd, &st) < 0 || (size_t)st.st_size != size)
        return NULL;
    struct shared *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return NULL;
    cores_leave_out(shared, size);
    if (!is_sound(shared)) {
        munmap(shared, size);
        return NULL;
    }
    struct slate *s = memory_new(sizeof *s);
    *s = (struct slate){.shared = shared, .half = (unsigned)atomic_load(&shared->half)};
    slate_each(s, count_live, s);
    return s;
}

void slate_unmap(struct slate *s)
{
    if (!s)
        return;
    munmap(s->shared, START + 2 * LIMIT_SLATE_BYTES);
    free(s);
}

/* ---- writing ---- */

static size_t size_of(size_t path_len, size_t len)
{
    return (sizeof(struct record) + path_len + len + 2 + 7) & ~(size_t)7;
}

size_t slate_cost(const char *path, size_t len)
{
    return size_of(strlen(path), len);
}

uint32_t slate_add(struct slate *s, const struct slate_entry *e)
{
    size_t path_len = strlen(e->path), size = size_of(path_len, e->len);
    size_t end = (size_t)atomic_load(&s->shared->ends[s->half]);
    if (e->len > LIMIT_SLATE_BYTES || size > LIMIT_SLATE_BYTES - end ||
        (end > MUCH && s->live < end / 4))
        return 0;
    struct record *r = (struct record *)(half_at(s, s->half) + end);
    *r = (struct record){.size = (uint32_t)size,
                         .kind = e->kind,
                         .state = WAITS,
                         .path_len = (uint32_t)path_len,
                         .len = (uint32_t)e->len,
                         .most = e->most};
    char *text = (char *)(r + 1);
    memcpy(text, e->path, path_len + 1);
    memcpy(text + path_len + 1, e->data, e->len);
    text[path_len + 1 + e->len] = '\0';
    atomic_store(&s->shared->ends[s->half], end + size);
    s->live += size;
    return (uint32_t)((char *)r - (char *)s->shared);
}

void slate_anew(struct slate *s)
{
    s->half = !atomic_load(&s->shared->half);
    s->live = 0;
    atomic_store(&s->shared->ends[s->half], 0);
}

void slate_turn(struct slate *s)
{
    unsigned before = !s->half;
    atomic_store(&s->shared->half, s->half);
    atomic_store(&s->shared->ends[before], 0);
    madvise(half_at(s, before), LIMIT_SLATE_BYTES, MADV_REMOVE);
}

/* ---- what becomes of one ---- */

void slate_begin(struct slate *s, uint32_t place, int64_t size)
{
    at(s, place)->file_size = size;
    atomic_store(&at(s, place)->state, BEGUN);
}

void slate_wait(struct slate *s, uint32_t place)
{
    atomic_store(&at(s, place)->state, WAITS);
}

void slate_remove(struct slate *s, uint32_t place)
{
    struct record *r = at(s, place);
    atomic_store(&r->state, DONE);
    s->live -= r->size < s->live ? r->size : s->live;
    if (s->live)
        return;
    atomic_store(&s->shared->ends[s->half], 0);
    madvise(half_at(s, s->half), LIMIT_SLATE_BYTES, MADV_REMOVE);
}

struct slate_facts *slate_facts(struct slate *s)
{
    return &s->shared->facts;
}

/* ---- reading ---- */

/* Whether what lies there is a record: no crash of ours leaves anything else. */
static bool is_record(const struct record *r, size_t room)
{
    const char *text = (const char *)(r + 1);
    return room >= sizeof *r && r->size <= room && r->path_len < r->size && r->len < r->size &&
           size_of(r->path_len, r->len) == r->size && !text[r->path_len] &&
           !text[r->path_len + 1 + r->len];
}

void slate_each(const struct slate *s,
                void (*each)(void *user, uint32_t place, const struct slate_entry *entry),
                void *user)
{
    size_t end = (size_t)atomic_load(&s->shared->ends[s->half]);
    char *half = half_at(s, s->half);
    for (size_t from = 0; from < end;) {
        struct record *r = (struct record *)(half + from);
        if (!is_record(r, end - from))
            return;
        from += r->size;
        uint32_t state = atomic_load(&r->state);
        const char *path = (const char *)(r + 1);
        if (state != DONE)
            each(user, (uint32_t)((char *)r - (char *)s->shared),
                 &(struct slate_entry){.kind = r->kind,
                                       .begun = state == BEGUN,
                                       .size = r->file_size,
                                       .most = r->most,
                                       .path = path,
                                       .data = path + r->path_len + 1,
                                       .len = r->len});
    }
}
