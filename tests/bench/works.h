/* works.h - eleven kinds of output, made here so that everybody measures the same bytes. */
#ifndef TESTS_BENCH_WORKS_H
#define TESTS_BENCH_WORKS_H

#include "base/bytes.h"

struct work {
    const char *name;
    void (*make)(struct bytes *out, int i); /* appends the i-th piece: a line or a few */
    double asked; /* in memory, times libvterm's screen layer at 80x24; 0: nothing was asked */
};

#define WORK_COUNT 11
extern const struct work works[WORK_COUNT];

/* Appends at least `len` bytes of it, the same each time. */
void work_make(const struct work *work, size_t len, struct bytes *out);

#endif
