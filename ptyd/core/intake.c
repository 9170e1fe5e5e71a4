#define _GNU_SOURCE
#include "ptyd/core/intake.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC     0x7074796431696e31ull
#define HEAD_BITS 17

/* The word: which half (bit 63), the stream offset of its first byte, how many bytes it holds. */
struct shared {
    uint64_t magic;
    _Atomic uint64_t word;
    struct intake_facts facts;
    char half[2][INTAKE_HALF];
};

struct intake {
    int fd;
    struct shared *shared;
};

static uint64_t pack(int half, uint64_t start, size_t head)
{
    return (uint64_t)half << 63 | start << HEAD_BITS | head;
}

static int half_of(uint64_t word)
{
    return (int)(word >> 63);
}

static uint64_t start_of(uint64_t word)
{
    return (word & ~(1ull << 63)) >> HEAD_BITS;
}

static size_t head_of(uint64_t word)
{
    return word & ((1u << HEAD_BITS) - 1);
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

static void count_uncounted(struct shared *shared)
{
    uint64_t word = atomic_load(&shared->word);
    const char *half = shared->half[half_of(word)];
    size_t head = head_of(word), end = INTAKE_HALF;
    while (end > head && half[end - 1] == 0)
        end--;
    atomic_store(&shared->word, pack(half_of(word), start_of(word), end));
    /* Killed between the switch of halves and the clearing of the old one. */
    memset(shared->half[!half_of(word)], 0, INTAKE_HALF);
}

struct intake *intake_map(int fd)
{
    struct stat st;
    struct intake *in = calloc(1, sizeof *in);
    struct shared *shared = MAP_FAILED;
    if (in && fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof *shared)
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED || shared->magic != MAGIC ||
        head_of(atomic_load(&shared->word)) > INTAKE_HALF) {
        if (shared != MAP_FAILED)
            munmap(shared, sizeof *shared);
        close(fd);
        free(in);
        return NULL;
    }
    count_uncounted(shared);
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

ssize_t intake_read(struct intake *in, int fd)
{
    uint64_t word = atomic_load(&in->shared->word);
    char *half = in->shared->half[half_of(word)];
    size_t head = head_of(word), before = head;
    ssize_t result = -ENOBUFS;
    while (head < INTAKE_HALF) {
        ssize_t n = read(fd, half + head, INTAKE_HALF - head);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            result = n < 0 ? -errno : 0;
            break;
        }
        head += (size_t)n;
        atomic_store(&in->shared->word, pack(half_of(word), start_of(word), head));
    }
    return head > before ? (ssize_t)(head - before) : result;
}

const char *intake_bytes(const struct intake *in, size_t *ret_len, uint64_t *ret_start)
{
    uint64_t word = atomic_load(&in->shared->word);
    *ret_len = head_of(word);
    *ret_start = start_of(word);
    return in->shared->half[half_of(word)];
}

void intake_set_start(struct intake *in, uint64_t start)
{
    uint64_t word = atomic_load(&in->shared->word);
    atomic_store(&in->shared->word, pack(half_of(word), start, head_of(word)));
}

void intake_consume(struct intake *in, size_t len)
{
    uint64_t word = atomic_load(&in->shared->word);
    int from = half_of(word), to = !from;
    size_t rest = head_of(word) - len;
    memcpy(in->shared->half[to], in->shared->half[from] + len, rest);
    atomic_store(&in->shared->word, pack(to, start_of(word) + len, rest));
    memset(in->shared->half[from], 0, head_of(word));
}
