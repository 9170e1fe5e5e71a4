/* A table of who has which place, and behind it a place for each, as large as an environment may
 * be. What nobody uses takes no memory. An entry of the table is written behind what it stands for,
 * and before that is taken away: whoever dies in between leaves a place that is free. The table is
 * read once and written through, so that looking costs nothing where a shell begins. */
#define _GNU_SOURCE
#include "ptyd/core/vault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "ptyd/core/file.h"

struct entry {
    char shell_id[32]; /* "": it is free */
    uint64_t len;
};

/* Shells that were replaced stay for those who look at them. */
#define PLACES (2 * LIMIT_SESSIONS)

/* Of a page that two had a part in the kernel would give back neither's. */
_Static_assert(PLACES * sizeof(struct entry) <= LIMIT_ENVIRONMENT_BYTES, "the table is a place");
_Static_assert(LIMIT_ENVIRONMENT_BYTES % (64 << 10) == 0, "a place is made of whole pages");

static int vault = -1;
static struct entry table[PLACES];
static int taken_end; /* from there on all are free */

int vault_create_fd(void)
{
    int fd = memfd_create("ptyd-vault", MFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* What was never written is free. */
void vault_open(int fd)
{
    if (vault >= 0)
        close(vault);
    vault = fd;
    memset(table, 0, sizeof table);
    if (vault >= 0 && file_read_at(vault, (char *)table, sizeof table, 0) < 0)
        memset(table, 0, sizeof table);
    for (int i = taken_end = 0; i < PLACES; i++) {
        table[i].shell_id[sizeof table[i].shell_id - 1] = '\0';
        if (*table[i].shell_id)
            taken_end = i + 1;
    }
}

static off_t place_of(int index)
{
    return ((off_t)index + 1) * LIMIT_ENVIRONMENT_BYTES;
}

static bool set_entry(int index, const struct entry *entry)
{
    off_t at = (off_t)((size_t)index * sizeof *entry);
    if (file_write_all(vault, (const char *)entry, sizeof *entry, at) < 0)
        return false;
    table[index] = *entry;
    if (index >= taken_end)
        taken_end = index + 1;
    return true;
}

/* The place of that shell; -1 for none. */
static int find(const char *shell_id)
{
    for (int i = 0; *shell_id && i < taken_end; i++)
        if (!strcmp(table[i].shell_id, shell_id))
            return i;
    return -1;
}

static int find_free(void)
{
    for (int i = 0; i < taken_end; i++)
        if (!*table[i].shell_id)
            return i;
    return taken_end < PLACES ? taken_end : -1;
}

static void drop_at(int index)
{
    if (set_entry(index, &(struct entry){0}))
        fallocate(vault, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place_of(index),
                  LIMIT_ENVIRONMENT_BYTES);
}

void vault_put(const char *shell_id, const char *environment, size_t len)
{
    struct entry entry = {.len = len};
    vault_drop(shell_id);
    int index = vault >= 0 && len <= LIMIT_ENVIRONMENT_BYTES ? find_free() : -1;
    if (index < 0)
        return;
    snprintf(entry.shell_id, sizeof entry.shell_id, "%s", shell_id);
    if (file_write_all(vault, environment, len, place_of(index)) < 0 || !set_entry(index, &entry))
        drop_at(index);
}

bool vault_get(const char *shell_id, struct bytes *environment)
{
    int index = find(shell_id);
    size_t len = index < 0 ? 0 : (size_t)table[index].len;
    char *to = len && len <= LIMIT_ENVIRONMENT_BYTES ? bytes_reserve(environment, len) : NULL;
    if (!to || file_read_at(vault, to, len, place_of(index)) != (ssize_t)len)
        return false;
    environment->len += len;
    environment->data[environment->len] = '\0';
    return true;
}

void vault_drop(const char *shell_id)
{
    int index = find(shell_id);
    if (index >= 0)
        drop_at(index);
}

void vault_sweep(bool (*stays)(void *user, const char *shell_id), void *user)
{
    for (int i = 0; i < taken_end; i++)
        if (*table[i].shell_id && !stays(user, table[i].shell_id))
            drop_at(i);
}
