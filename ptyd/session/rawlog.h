/* rawlog.h - the bytes of a session on disk, and when they came.
 *
 * output.raw holds the stream at its offsets; its oldest part is given back by punching holes, so
 * that offsets never move. output.idx holds fixed records in order of offset, but that a mark is
 * recorded at its begin when its end has come: marks are in order among themselves. With the bytes
 * their records go, but for what says how it stood there. It is replaced as a whole and never
 * larger than LIMIT_INDEX_BYTES and what one flush adds.
 */
#ifndef PTYD_SESSION_RAWLOG_H
#define PTYD_SESSION_RAWLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptyd/core/aside.h"
#include "ptyd/core/tracker.h"

enum rawlog_kind {
    RAWLOG_TIME = 1, /* bytes came */
    RAWLOG_RESIZE,   /* value: columns << 16 | rows, from this offset on */
    RAWLOG_MARK,     /* a mark was accepted here; detail: its kind; value: seq of the last block */
    RAWLOG_SHELL,    /* a new shell begins here; value: seq of the last block */
    RAWLOG_GAP, /* capture was paused (detail 1) or resumed (0); value: seq of the last block */
    RAWLOG_CHECKPOINT, /* the checkpoint, if it speaks of this offset, was taken here */
    RAWLOG_LOST,       /* what came before is not whole; detail: how the tracker stood here
                          (rawlog_point()); value: seq of the last block */
    RAWLOG_LINE,    /* a line feed ended here that the tracker waited for; detail: its answer (enum
                       typed_answer); value: seq of the last block, this one's if one began */
    RAWLOG_RUNS,    /* here a line that was typed ahead was found to run; value: its block's seq */
    RAWLOG_LEFT,    /* the terminal went back from the alternate screen by itself here */
    RAWLOG_FOREIGN, /* another terminal's mark was taken here; as RAWLOG_MARK */
};

struct rawlog_record {
    uint64_t offset;
    int64_t wall_ms, monotonic_ms;
    uint16_t kind, detail;
    uint32_t value;
    uint64_t sum; /* of what is before; a record with another one is none */
};

struct rawlog;

/* Opens or makes both files in `directory`. An index with records that are none is set aside, and
 * the others are kept. Where that fails, and where a write fails, the log is
 * broken (rawlog_error()): nothing is written any more, offsets stay true, until rawlog_resume().
 */
struct rawlog *rawlog_open(const char *directory, struct aside *aside);
void rawlog_close(struct rawlog *log);

/* 0, or why the log is broken, as -errno; and since when. */
int rawlog_error(const struct rawlog *log, int64_t *ret_since_ms);

/* Tries to go on with a broken log, with the bytes at `offset`: what is missing before them stays a
 * hole, and a record behind them says how the tracker stands there. Returns whether it works. */
bool rawlog_resume(struct rawlog *log, uint64_t offset, const char *bytes, size_t len,
                   struct moment now, const struct tracker_point *point);

/* Stream offset behind the last byte there is, and of the first that is still held. */
uint64_t rawlog_end(const struct rawlog *log);
uint64_t rawlog_base(const struct rawlog *log);

/* From there on every byte of the stream is held; UINT64_MAX while the log is broken. */
uint64_t rawlog_whole_from(const struct rawlog *log);

/* The highest offset and number of a block that the index named when it was opened. */
uint64_t rawlog_named_end(const struct rawlog *log);
uint64_t rawlog_named_seq(const struct rawlog *log);

/* Writes at the offset; gives back the oldest bytes beyond LIMIT_RAW_LOG_BYTES. Returns 0 or
 * -errno. */
int rawlog_write(struct rawlog *log, uint64_t offset, const char *bytes, size_t len);

/* Bytes up to `end` came and are not kept: a hole. All of it is a hole when nothing was there. */
void rawlog_skip(struct rawlog *log, uint64_t end);

/* Reads at most `len` bytes at the offset; what is given back reads as zeros. Returns how many, 0
 * at the end, or -errno. */
ssize_t rawlog_read(const struct rawlog *log, uint64_t offset, char *bytes, size_t len);

/* Adds a record; it reaches the file with the next rawlog_flush(), which returns 0 or -errno. */
void rawlog_record(struct rawlog *log, enum rawlog_kind kind, uint64_t offset, struct moment now,
                   uint16_t detail, uint32_t value);
int rawlog_flush(struct rawlog *log);

/* Whether so many records came since the last RAWLOG_CHECKPOINT that a further one is due: the
 * bound of the index gives nothing back that is behind it then. */
bool rawlog_wants_checkpoint(const struct rawlog *log);

/* The record that nothing before `offset` can be relied on, and what it says. */
void rawlog_record_lost(struct rawlog *log, uint64_t offset, struct moment now,
                        const struct tracker_point *point);
struct tracker_point rawlog_point(const struct rawlog_record *record);

/* Whether it is as it was written. */
bool rawlog_is_record(const struct rawlog_record *record);

/* All records from the last RAWLOG_SHELL on (from the first without one); new array. */
struct rawlog_record *rawlog_records(const struct rawlog *log, size_t *ret_count);

/* Drops of those `count` records the ones of bytes at and behind `offset`, which come again, from
 * the file, too. Returns how many stay. */
size_t rawlog_cut(struct rawlog *log, const struct rawlog_record *records, size_t count,
                  uint64_t offset);

#endif
