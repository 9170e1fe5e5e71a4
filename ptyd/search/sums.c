/* The database file alone is covered: the write-ahead log has sums of its own, and what comes from
 * it passes xWrite on its way into the database. Pages are read whole; a few bytes of the head that
 * SQLite reads by themselves are read again with their page. */
#include "ptyd/search/sums.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"

struct sums_file {
    sqlite3_file base;
    sqlite3_file *real; /* behind this one */
};

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct sums_file *)file)->real;
}

#define REAL(file, method, ...) real_of(file)->pMethods->method(real_of(file), ##__VA_ARGS__)

static bool is_page(int amount, sqlite3_int64 offset)
{
    return amount >= 512 && !(amount & (amount - 1)) && offset % amount == 0;
}

/* Four sums side by side: a page is read for each search. Where it stands is part of it: a page
 * that stands in another's place is none. */
static void make_sum(const void *page, int amount, sqlite3_int64 offset,
                     unsigned char sum[SUMS_BYTES])
{
    enum { LANES = 4, STEP = LANES * 8 };
    uint64_t lanes[LANES] = {HASH_START, HASH_START + 1, HASH_START + 2, HASH_START + 3},
             words[LANES];
    unsigned char rest[STEP] = {0};
    int end = amount - SUMS_BYTES;
    for (int at = 0; at < end; at += STEP) {
        const void *from = (const char *)page + at;
        if (end - at < STEP)
            from = memcpy(rest, from, (size_t)(end - at));
        memcpy(words, from, STEP);
        for (int i = 0; i < LANES; i++) {
            lanes[i] = (lanes[i] ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
            lanes[i] ^= lanes[i] >> 32;
        }
    }
    uint64_t hash = hash_bytes(HASH_START, &offset, sizeof offset);
    hash = hash_bytes(hash, lanes, sizeof lanes);
    memcpy(sum, &hash, SUMS_BYTES);
}

static int sums_read(sqlite3_file *file, void *page, int amount, sqlite3_int64 offset)
{
    unsigned char sum[SUMS_BYTES];
    int result = REAL(file, xRead, page, amount, offset);
    if (result != SQLITE_OK || !is_page(amount, offset))
        return result;
    make_sum(page, amount, offset, sum);
    return memcmp(sum, (char *)page + amount - SUMS_BYTES, SUMS_BYTES) ? SQLITE_CORRUPT : SQLITE_OK;
}

/* The bytes at the end are the database's, reserved for this. */
static int sums_write(sqlite3_file *file, const void *page, int amount, sqlite3_int64 offset)
{
    if (is_page(amount, offset))
        make_sum(page, amount, offset, (unsigned char *)page + amount - SUMS_BYTES);
    return REAL(file, xWrite, page, amount, offset);
}

static int sums_close(sqlite3_file *file)
{
    return REAL(file, xClose);
}

static int sums_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return REAL(file, xTruncate, size);
}

static int sums_sync(sqlite3_file *file, int flags)
{
    return REAL(file, xSync, flags);
}

static int sums_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
    return REAL(file, xFileSize, ret_size);
}

static int sums_lock(sqlite3_file *file, int level)
{
    return REAL(file, xLock, level);
}

static int sums_unlock(sqlite3_file *file, int level)
{
    return REAL(file, xUnlock, level);
}

static int sums_is_reserved(sqlite3_file *file, int *ret_is)
{
    return REAL(file, xCheckReservedLock, ret_is);
}

static int sums_control(sqlite3_file *file, int what, void *argument)
{
    return REAL(file, xFileControl, what, argument);
}

static int sums_sector(sqlite3_file *file)
{
    return REAL(file, xSectorSize);
}

static int sums_device(sqlite3_file *file)
{
    return REAL(file, xDeviceCharacteristics);
}

static int sums_shared_map(sqlite3_file *file, int page, int size, int extend, void volatile **ret)
{
    return REAL(file, xShmMap, page, size, extend, ret);
}

static int sums_shared_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return REAL(file, xShmLock, offset, count, flags);
}

static void sums_shared_barrier(sqlite3_file *file)
{
    REAL(file, xShmBarrier);
}

static int sums_shared_unmap(sqlite3_file *file, int delete)
{
    return REAL(file, xShmUnmap, delete);
}

/* The second version: what the third adds would map the file and pass by sums_read(). */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = sums_close,
    .xRead = sums_read,
    .xWrite = sums_write,
    .xTruncate = sums_truncate,
    .xSync = sums_sync,
    .xFileSize = sums_size,
    .xLock = sums_lock,
    .xUnlock = sums_unlock,
    .xCheckReservedLock = sums_is_reserved,
    .xFileControl = sums_control,
    .xSectorSize = sums_sector,
    .xDeviceCharacteristics = sums_device,
    .xShmMap = sums_shared_map,
    .xShmLock = sums_shared_lock,
    .xShmBarrier = sums_shared_barrier,
    .xShmUnmap = sums_shared_unmap,
};

static int sums_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret)
{
    sqlite3_vfs *real = vfs->pAppData;
    struct sums_file *f = (struct sums_file *)file;
    if (!(flags & SQLITE_OPEN_MAIN_DB))
        return real->xOpen(real, name, file, flags, ret);
    f->real = (sqlite3_file *)(f + 1);
    f->base.pMethods = NULL;
    int result = real->xOpen(real, name, f->real, flags, ret);
    if (result == SQLITE_OK)
        f->base.pMethods = &methods;
    return result;
}

int sums_register(void)
{
    static sqlite3_vfs vfs;
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (vfs.zName)
        return SQLITE_OK;
    if (!real)
        return SQLITE_ERROR;
    vfs = *real;
    vfs.pNext = NULL;
    vfs.szOsFile = (int)sizeof(struct sums_file) + real->szOsFile;
    vfs.zName = SUMS_NAME;
    vfs.pAppData = real;
    vfs.xOpen = sums_open;
    return sqlite3_vfs_register(&vfs, 0);
}
