#define _GNU_SOURCE
#include "ptyd/core/intake.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Its last digit is the layout's: one that is not understood is not mapped. */
#define MAGIC 0x7074796431696e34ull

/* Where the ring begins; it reaches to the file's end. An upgrade hands the memory to a worker of
 * another version: neither this place nor anything before it moves, and further facts go behind
 * the last, where an older maker has left zeros. */
#define RING_START 3072

/* How long a ring we make. */
#ifndef RING_BYTES
#define RING_BYTES LIMIT_INTAKE_BYTES
#endif

/* Three stream offsets, each only growing: clean <= tail <= head. The bytes from `tail` to `head`
 * wait; those from `clean` to `tail` are being zeroed; all others of the ring are zero. `head` is
 * the reader's, the other two the consumer's. */
struct shared {
    uint64_t magic;
    _Atomic uint64_t clean, tail, head;
    struct intake_facts facts;
};

_Static_assert(sizeof(struct shared) <= RING_START, "the facts have grown into the ring");

struct intake {
    struct shared *shared;
    char *ring;
    size_t size; /* of the ring */
};

static char *place(const struct intake *in, uint64_t offset)
{
    return in->ring + offset % in->size;
}

/* How many bytes lie in one piece of the ring from `offset` on, up to `end`. */
static size_t piece(const struct intake *in, uint64_t offset, uint64_t end)
{
    uint64_t to_edge = in->size - offset % in->size;
    return (size_t)(end - offset < to_edge ? end - offset : to_edge);
}

static void clear(struct intake *in, uint64_t from, uint64_t to)
{
    while (from < to) {
        size_t n = piece(in, from, to);
        memset(place(in, from), 0, n);
        from += n;
    }
    atomic_store(&in->shared->clean, to);
}

int intake_create_fd(const struct intake_facts *facts)
{
    int fd = memfd_create("ptyd-intake", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct shared *shared = MAP_FAILED;
    if (ftruncate(fd, RING_START + RING_BYTES) == 0)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED) {
        int error = -errno;
        close(fd);
        return error;
    }
    shared->facts = *facts;
    shared->magic = MAGIC;
    munmap(shared, sizeof *shared);
    return fd;
}

/* How many of the `len` bytes behind `head` there are up to the last that is not zero. They are
 * read from the file: a look through the mapping would give memory to every page. */
static size_t uncounted(const struct intake *in, int fd, uint64_t head, size_t len)
{
    char chunk[4096];
    off_t start = RING_START + (off_t)(head % in->size);
    while (len) {
        size_t n = len % sizeof chunk ? len % sizeof chunk : sizeof chunk;
        if (pread(fd, chunk, n, start + (off_t)(len - n)) != (ssize_t)n)
            return len;
        for (; n && chunk[n - 1] == 0; n--)
            len--;
        if (n)
            return len;
    }
    return 0;
}

/* What a killed worker left half done: bytes let go of but not zeroed, bytes read but not counted.
 */
static void recover(struct intake *in, int fd)
{
    struct shared *shared = in->shared;
    uint64_t tail = atomic_load(&shared->tail), head = atomic_load(&shared->head);
    clear(in, atomic_load(&shared->clean), tail);
    size_t room = piece(in, head, tail + in->size); /* of the read it was in */
    atomic_store(&shared->head, head + uncounted(in, fd, head, room));
}

static bool is_sound(const struct intake *in)
{
    struct shared *shared = in->shared;
    uint64_t clean = atomic_load(&shared->clean), tail = atomic_load(&shared->tail),
             head = atomic_load(&shared->head);
    return shared->magic == MAGIC && clean <= tail && tail <= head && head - clean <= in->size;
}

uint64_t intake_layout(int fd)
{
    uint64_t magic;
    bool is_one = pread(fd, &magic, sizeof magic, 0) == sizeof magic && magic >> 8 == MAGIC >> 8;
    return is_one ? magic : 0;
}

bool intake_knows(uint64_t layout)
{
    return layout == MAGIC;
}

static void *map(int fd, size_t *ret_size)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || st.st_size <= RING_START || st.st_size > LIMIT_INTAKE_FILE_BYTES)
        return MAP_FAILED;
    *ret_size = (size_t)st.st_size - RING_START;
    return mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

struct intake *intake_map(int fd)
{
    struct intake *in = calloc(1, sizeof *in);
    void *shared = in ? map(fd, &in->size) : MAP_FAILED;
    if (shared != MAP_FAILED)
        *in = (struct intake){
            .shared = shared, .ring = (char *)shared + RING_START, .size = in->size};
    if (shared != MAP_FAILED && is_sound(in)) {
        recover(in, fd);
        close(fd); /* the mapping is enough, and descriptors are few */
        return in;
    }
    if (shared != MAP_FAILED)
        munmap(shared, RING_START + in->size);
    close(fd);
    free(in);
    return NULL;
}

void intake_unmap(struct intake *in)
{
    if (!in)
        return;
    munmap(in->shared, RING_START + in->size);
    free(in);
}

struct intake_facts *intake_facts(struct intake *in)
{
    return &in->shared->facts;
}

ssize_t intake_read_piece(struct intake *in, int fd)
{
    struct shared *shared = in->shared;
    uint64_t head = atomic_load(&shared->head);
    size_t room = piece(in, head, atomic_load(&shared->clean) + in->size);
    if (!room)
        return -ENOBUFS;
    ssize_t n;
    while ((n = read(fd, place(in, head), room)) < 0 && errno == EINTR)
        ;
    if (n > 0)
        atomic_store(&shared->head, head + (size_t)n);
    return n < 0 ? -errno : n;
}

ssize_t intake_read(struct intake *in, int fd)
{
    ssize_t sum = 0, n;
    while ((n = intake_read_piece(in, fd)) > 0)
        sum += n;
    return sum ? sum : n;
}

uint64_t intake_start(const struct intake *in)
{
    return atomic_load(&in->shared->tail);
}

size_t intake_waiting(const struct intake *in)
{
    return (size_t)(atomic_load(&in->shared->head) - intake_start(in));
}

size_t intake_size(const struct intake *in)
{
    return in->size;
}

size_t intake_copy(const struct intake *in, char *out, size_t most)
{
    size_t len = intake_waiting(in);
    uint64_t tail = intake_start(in);
    len = len < most ? len : most;
    size_t first = piece(in, tail, tail + len);
    memcpy(out, place(in, tail), first);
    memcpy(out + first, in->ring, len - first);
    return len;
}

void intake_set_start(struct intake *in, uint64_t start)
{
    atomic_store(&in->shared->clean, start);
    atomic_store(&in->shared->tail, start);
    atomic_store(&in->shared->head, start);
}

/* Whenever we die, one of the two places speaks of the offset that is consumed by then: the other
 * is written, and speaks of none meanwhile. */
void intake_set_point(struct intake *in, uint64_t offset, const struct tracker_point *point,
                      const uint64_t *open_mark)
{
    struct intake_facts *facts = &in->shared->facts;
    int at = facts->points[0].offset == intake_start(in);
    facts->points[at].offset = UINT64_MAX;
    atomic_thread_fence(memory_order_seq_cst);
    facts->points[at].point = *point;
    facts->open_marks[at] = open_mark ? *open_mark + 1 : 0;
    atomic_thread_fence(memory_order_seq_cst);
    facts->points[at].offset = offset;
}

/* Which of the two places speaks of what is consumed; -1 for none. */
static int point_now(const struct intake *in)
{
    for (int at = 0; at < 2; at++)
        if (in->shared->facts.points[at].offset == intake_start(in))
            return at;
    return -1;
}

bool intake_point(const struct intake *in, struct tracker_point *ret_point)
{
    int at = point_now(in);
    if (at < 0)
        return false;
    *ret_point = in->shared->facts.points[at].point;
    return true;
}

bool intake_open_mark(const struct intake *in, uint64_t *ret_offset)
{
    int at = point_now(in);
    if (at < 0 || !in->shared->facts.open_marks[at])
        return false;
    *ret_offset = in->shared->facts.open_marks[at] - 1;
    return true;
}

void intake_consume(struct intake *in, size_t len)
{
    uint64_t from = intake_start(in), to = from + len;
    atomic_store(&in->shared->tail, to);
    clear(in, from, to);
}
