/* sink.h - a file that grows by whole lines: what cannot be written is not begun. */
#ifndef PTYD_RECORD_SINK_H
#define PTYD_RECORD_SINK_H

#include <stdbool.h>

#include "base/bytes.h"

struct sink {
    const char *path;  /* "-" is stdout; borrowed */
    int fd;            /* -1: closed */
    bool seeks;        /* a regular file: what is written in part is cut off again */
    long long written; /* bytes */
    int error;         /* -errno, after a message; then nothing is written any more */
};

/* Makes the file, 0600. One that is there is refused unless `overwrite`, which empties it and makes
 * it 0600, too. Returns 0, or -1 after a message. */
int sink_open(struct sink *sink, const char *path, bool overwrite);
/* Writes whole lines and empties them. */
void sink_write(struct sink *sink, struct bytes *lines);
/* Nobody reads any more what is no regular file, as poll(2) says: as if that was written. */
void sink_unread(struct sink *sink);
/* Returns 0, or -errno of this or an earlier write. */
int sink_close(struct sink *sink);

#endif
