#define _GNU_SOURCE
#include "ptyd/core/intake.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0x7074796431696e33ull

/* Three stream offsets, each only growing: clean <= tail <= head. The bytes from `tail` to `head`
 * wait; those from `clean` to `tail` are being zeroed; all others of the ring are zero. `head` is
 * the reader's, the other two the consumer's. */
struct shared {
    uint64_t magic;
    _Atomic uint64_t clean, tail, head;
    struct intake_facts facts;
    char ring[LIMIT_INTAKE_BYTES];
};

struct intake {
    int fd;
    struct shared *shared;
};

static char *place(struct shared *shared, uint64_t offset)
{
    return shared->ring + offset % LIMIT_INTAKE_BYTES;
}

/* How many bytes lie in one piece of the ring from `offset` on, up to `end`. */
static size_t piece(uint64_t offset, uint64_t end)
{
    uint64_t to_edge = LIMIT_INTAKE_BYTES - offset % LIMIT_INTAKE_BYTES;
    return (size_t)(end - offset < to_edge ? end - offset : to_edge);
}

static void clear(struct shared *shared, uint64_t from, uint64_t to)
{
    while (from < to) {
        size_t n = piece(from, to);
        memset(place(shared, from), 0, n);
        from += n;
    }
    atomic_store(&shared->clean, to);
}

int intake_create_fd(const struct intake_facts *facts)
{
    int fd = memfd_create("ptyd-intake", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct shared *shared = MAP_FAILED;
    if (ftruncate(fd, sizeof *shared) == 0)
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
static size_t uncounted(int fd, uint64_t head, size_t len)
{
    char chunk[4096];
    off_t start = (off_t)offsetof(struct shared, ring) + (off_t)(head % LIMIT_INTAKE_BYTES);
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
static void recover(struct shared *shared, int fd)
{
    uint64_t tail = atomic_load(&shared->tail), head = atomic_load(&shared->head);
    clear(shared, atomic_load(&shared->clean), tail);
    size_t room = piece(head, tail + LIMIT_INTAKE_BYTES); /* of the read it was in */
    atomic_store(&shared->head, head + uncounted(fd, head, room));
}

static bool is_sound(struct shared *shared)
{
    uint64_t clean = atomic_load(&shared->clean), tail = atomic_load(&shared->tail),
             head = atomic_load(&shared->head);
    return shared->magic == MAGIC && clean <= tail && tail <= head &&
           head - clean <= LIMIT_INTAKE_BYTES;
}

struct intake *intake_map(int fd)
{
    struct stat st;
    struct intake *in = calloc(1, sizeof *in);
    struct shared *shared = MAP_FAILED;
    if (in && fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof *shared)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED || !is_sound(shared)) {
        if (shared != MAP_FAILED)
            munmap(shared, sizeof *shared);
        close(fd);
        free(in);
        return NULL;
    }
    recover(shared, fd);
    in->fd = fd;
    in->shared = shared;
    return in;
}

void intake_unmap(struct intake *in)
{
    if (!in)
        return;
    munmap(in->shared, sizeof *in->shared);
    close(in->fd);
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
    size_t room = piece(head, atomic_load(&shared->clean) + LIMIT_INTAKE_BYTES);
    if (!room)
        return -ENOBUFS;
    ssize_t n;
    while ((n = read(fd, place(shared, head), room)) < 0 && errno == EINTR)
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

size_t intake_copy(const struct intake *in, char *out, size_t most)
{
    size_t len = intake_waiting(in);
    uint64_t tail = intake_start(in);
    len = len < most ? len : most;
    size_t first = piece(tail, tail + len);
    memcpy(out, place(in->shared, tail), first);
    memcpy(out + first, in->shared->ring, len - first);
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
    clear(in->shared, from, to);
}
