/* tape_private.h - what tape.c and tape_mark.c share. */
#ifndef PTYD_RECORD_TAPE_PRIVATE_H
#define PTYD_RECORD_TAPE_PRIVATE_H

#include <sys/types.h>

#include "ptyd/record/tape.h"
#include "ptyd/session/rawlog.h"

#define TAPE_MARK_BYTES  (32 << 10) /* a longer mark is not waited for */
#define TAPE_RECORD_SIZE sizeof(struct rawlog_record)

struct tape_time {
    struct moment moment;
    int64_t ms; /* since the origin */
};

struct tape {
    char *directory;
    int raw, index;
    ino_t inode; /* of the index */
    off_t read;  /* of the index */
    struct bytes records;
    size_t next;               /* record */
    struct rawlog_record last; /* as it was read, in front of `read` */
    struct bytes applied;      /* sums of the records that were, at `applied_at` */
    uint64_t applied_at;
    uint64_t from, at;            /* where it began, and stands */
    struct tape_time now, anchor; /* of what comes now; from where on the time of day counts */
    int cols, rows;
    bool gap;         /* capture is paused here */
    bool behind_hole; /* what is zero belongs to it */
    bool over;        /* another shell begins */
    const struct tape_events *events;
    void *user;
    char *piece;
};

static inline struct rawlog_record *tape_record(const struct tape *t, size_t i)
{
    return (struct rawlog_record *)t->records.data + i;
}

static inline size_t tape_count(const struct tape *t)
{
    return t->records.len / TAPE_RECORD_SIZE;
}

#endif
