#define _GNU_SOURCE
#include "ptyd/core/intake.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "ptyd/core/cores.h"
#include "ptyd/core/file.h"

/* Its last digit is the layout's: one that is not understood is not mapped. */
#define MAGIC 0x7074796431696e34ull

/* Where the ring begins; it reaches to the file's end. An upgrade hands the memory to a worker of
 * another version: neither this place nor anything before it moves, and further facts go behind
 * the last, where an older maker has left zeros. */
#define RING_START 4096

/* In `typing_keys`: what is being typed is known. */
#define KEYS_KNOWN 2

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
    char *said;  /* keys that intake_place() told last; NULL before */
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
    cores_leave_out(shared, sizeof *shared);
    shared->facts = *facts;
    shared->magic = MAGIC;
    munmap(shared, sizeof *shared);
    return fd;
}

/* How many of the `len` bytes behind `head` there are up to the last that is not zero. They are
 * read from the file: a look through the mapping would give memory to every page. Of a session that
 * begins there is none. */
static size_t uncounted(const struct intake *in, int fd, uint64_t head, size_t len)
{
    char chunk[4096];
    off_t start = RING_START + (off_t)(head % in->size), data = lseek(fd, start, SEEK_DATA);
    if (data >= start + (off_t)len || (data < 0 && errno == ENXIO))
        return 0;
    while (len) {
        size_t n = len % sizeof chunk ? len % sizeof chunk : sizeof chunk;
        if (file_read_at(fd, chunk, n, start + (off_t)(len - n)) != (ssize_t)n)
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

void intake_read_shell_id(int fd, char ret_id[32])
{
    const long long at = offsetof(struct shared, facts.shell_id);
    bool read = intake_layout(fd) && file_read_at(fd, ret_id, 32, at) == 32;
    ret_id[read ? 31 : 0] = '\0';
}

static void *map(int fd, size_t *ret_size)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || st.st_size <= RING_START || st.st_size > LIMIT_INTAKE_FILE_BYTES)
        return MAP_FAILED;
    *ret_size = (size_t)st.st_size - RING_START;
    void *memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED)
        cores_leave_out(memory, (size_t)st.st_size);
    return memory;
}

struct intake *intake_map(int fd)
{
    struct intake *in = memory_try(sizeof *in);
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
    free(in->said);
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

ssize_t intake_read_most(struct intake *in, int fd, size_t most)
{
    ssize_t sum = 0, n = -EAGAIN;
    while (intake_waiting(in) < most && (n = intake_read_piece(in, fd)) > 0)
        sum += n;
    return sum ? sum : n;
}

ssize_t intake_read(struct intake *in, int fd)
{
    return intake_read_most(in, fd, SIZE_MAX);
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

static size_t at_most(size_t value, size_t most)
{
    return value < most ? value : most;
}

/* Which of the two speaks of what is consumed; -1 for none. */
static int place_now(const struct intake *in)
{
    const struct intake_facts *facts = &in->shared->facts;
    bool speaks[2];
    for (int at = 0; at < 2; at++)
        speaks[at] = facts->points[at].offset == intake_start(in);
    if (speaks[0] && speaks[1])
        return facts->keys[1].generation > facts->keys[0].generation;
    return speaks[0] ? 0 : speaks[1] ? 1 : -1;
}

/* `ahead` is a ring, too: keys go in behind and are read in front. */
static void copy_ahead(const struct intake_facts *facts, size_t from, char *out, size_t len)
{
    from %= LIMIT_AHEAD_BYTES;
    size_t first = at_most(len, LIMIT_AHEAD_BYTES - from);
    memcpy(out, facts->ahead + from, first);
    memcpy(out + first, facts->ahead, len - first);
}

static void put_ahead(struct intake_facts *facts, size_t to, const char *bytes, size_t len)
{
    to %= LIMIT_AHEAD_BYTES;
    size_t first = at_most(len, LIMIT_AHEAD_BYTES - to);
    memcpy(facts->ahead + to, bytes, first);
    memcpy(facts->ahead, bytes + first, len - first);
}

/* Puts keys where those of `now` are not touched, which mostly are the same but for some that were
 * read and some that were typed; returns their place in `ahead`, -1 without room. */
static int put_keys(struct intake_facts *facts, int now, const struct typed_keys *keys)
{
    char old[LIMIT_AHEAD_BYTES];
    size_t from = now < 0 ? 0 : facts->keys[now].from;
    size_t len = now < 0 ? 0 : at_most(facts->keys[now].len, LIMIT_AHEAD_BYTES), read = 0;
    copy_ahead(facts, from, old, len);
    while (len - read > keys->len || memcmp(old + read, keys->keys, len - read) != 0)
        read++;
    size_t typed = keys->len - (len - read);
    if (len + typed > LIMIT_AHEAD_BYTES)
        return -1;
    put_ahead(facts, from + len, keys->keys + len - read, typed);
    return (int)((from + read) % LIMIT_AHEAD_BYTES);
}

static void set_keys(struct intake_facts *facts, int now, int at, const struct typed_keys *keys)
{
    int from = keys->len ? put_keys(facts, now, keys) : 0;
    size_t len = from < 0 ? 0 : keys->len;
    facts->keys[at].from = (uint16_t)(from < 0 ? 0 : from);
    facts->keys[at].len = (uint16_t)len;
    facts->keys[at].shared = (uint16_t)(keys->shared < len ? keys->shared : len);
    facts->keys[at].line = keys->line;
    facts->keys[at].feed = keys->feed;
    facts->keys[at].trust = keys->trust;
    facts->keys[at].in_doubt = keys->in_doubt || from < 0;
    facts->echoes[at].echoed = (uint16_t)(keys->echoed < len ? keys->echoed : len);
    facts->echoes[at].matched = (uint16_t)keys->matched;
    facts->echoes[at].piece = (uint16_t)(keys->piece < len ? keys->piece : len);
    facts->echoes[at].doubt_from = (uint16_t)(keys->doubt_from < len ? keys->doubt_from : len);
    facts->echoes[at].doubt_matched = (uint16_t)keys->doubt_matched;
    facts->echoes[at].doubted = (uint16_t)(keys->doubted < len ? keys->doubted : len);
    facts->keys[at].generation = now < 0 ? 1 : facts->keys[now].generation + 1;
}

/* Whenever we die, one of the two speaks of the offset that is consumed by then: the other is
 * written, and speaks of none meanwhile. */
void intake_set_place(struct intake *in, uint64_t offset, const struct intake_place *place)
{
    struct intake_facts *facts = &in->shared->facts;
    int now = place_now(in), at = now == 0;
    facts->points[at].offset = UINT64_MAX;
    atomic_thread_fence(memory_order_seq_cst);
    facts->points[at].point = place->point;
    facts->open_marks[at] = place->in_mark ? place->mark + 1 : 0;
    set_keys(facts, now, at, &place->keys);
    atomic_thread_fence(memory_order_seq_cst);
    facts->points[at].offset = offset;
}

bool intake_place(struct intake *in, struct intake_place *ret_place)
{
    const struct intake_facts *facts = &in->shared->facts;
    int at = place_now(in);
    if (at < 0)
        return false;
    size_t len = facts->keys[at].len;
    bool fits = len <= LIMIT_AHEAD_BYTES;
    bool known = facts->typing_keys == KEYS_KNOWN && facts->doubt_len <= LIMIT_AHEAD_BYTES;
    len = fits ? len : 0;
    size_t typing_len = known ? facts->doubt_len : 0;
    if (len + typing_len) {
        in->said = memory_grow(in->said, len + typing_len);
        copy_ahead(facts, facts->keys[at].from, in->said, len);
        copy_ahead(facts, facts->doubt_from, in->said + len, typing_len);
    }
    *ret_place = (struct intake_place){
        .point = facts->points[at].point,
        .keys = {.line = facts->keys[at].line,
                 .feed = facts->keys[at].feed,
                 .trust = facts->keys[at].trust,
                 .in_doubt = facts->keys[at].in_doubt || (facts->typing_keys && !known) || !fits,
                 .shared = facts->keys[at].shared,
                 .echoed = facts->echoes[at].echoed,
                 .matched = facts->echoes[at].matched,
                 .piece = facts->echoes[at].piece,
                 .doubt_from = facts->echoes[at].doubt_from,
                 .doubted = facts->echoes[at].doubted,
                 .doubt_matched = facts->echoes[at].doubt_matched,
                 .typing = typing_len ? in->said + len : NULL,
                 .typing_len = typing_len,
                 .len = len,
                 .keys = in->said},
        .in_mark = facts->open_marks[at] != 0,
        .mark = facts->open_marks[at] - 1};
    return true;
}

/* Behind the keys that stand there, where set_keys() puts them when they are noted: it may be under
 * way when we die. */
void intake_begin_typing(struct intake *in, const char *keys, size_t len, bool known)
{
    struct intake_facts *facts = &in->shared->facts;
    int now = place_now(in);
    known = known && now >= 0 && facts->keys[now].len + len <= LIMIT_AHEAD_BYTES;
    if (known) {
        size_t end = (size_t)facts->keys[now].from + facts->keys[now].len;
        facts->doubt_from = (uint16_t)(end % LIMIT_AHEAD_BYTES);
        facts->doubt_len = (uint16_t)len;
        put_ahead(facts, end, keys, len);
        atomic_thread_fence(memory_order_seq_cst);
    }
    facts->typing_keys = known ? KEYS_KNOWN : 1;
    atomic_thread_fence(memory_order_seq_cst);
}

void intake_end_typing(struct intake *in)
{
    atomic_thread_fence(memory_order_seq_cst);
    in->shared->facts.typing_keys = 0;
}

void intake_consume(struct intake *in, size_t len)
{
    uint64_t from = intake_start(in), to = from + len;
    atomic_store(&in->shared->tail, to);
    clear(in, from, to);
}
