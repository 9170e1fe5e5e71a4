/* pack.h - values into bytes and back, for memory that outlives a process of the same program.
 *
 * No portable format: sizes and order are this machine's. Packing is bytes_append(); unpacking
 * checks every length and never reads beyond the end.
 */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

/* Appends a length and as many bytes. */
static inline void pack_run(struct bytes *out, const void *data, size_t len)
{
    uint64_t count = len;
    bytes_append(out, &count, sizeof count);
    bytes_append(out, data, len);
}

/* What is left to unpack; `failed` latches. */
struct unpack {
    const char *at, *end;
    bool failed;
};

/* The next `len` bytes, or NULL. */
static inline const char *unpack_bytes(struct unpack *u, size_t len)
{
    if (u->failed || (size_t)(u->end - u->at) < len) {
        u->failed = true;
        return NULL;
    }
    u->at += len;
    return u->at - len;
}

/* Copies the next value; it is zeroed when there is none. Returns whether there is. */
static inline bool unpack_value(struct unpack *u, void *ret_value, size_t len)
{
    const char *bytes = unpack_bytes(u, len);
    if (bytes)
        memcpy(ret_value, bytes, len);
    else
        memset(ret_value, 0, len);
    return bytes != NULL;
}

/* The next run of pack_run(); borrowed. NULL when there is none. */
static inline const char *unpack_run(struct unpack *u, size_t *ret_len)
{
    uint64_t count;
    unpack_value(u, &count, sizeof count);
    const char *bytes = unpack_bytes(u, (size_t)count);
    *ret_len = bytes ? (size_t)count : 0;
    return bytes;
}

#endif
