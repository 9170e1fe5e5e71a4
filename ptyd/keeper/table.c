#define _GNU_SOURCE
#include "ptyd/keeper/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/pack.h"
#include "ptyd/core/file.h"
#include "ptyd/core/text.h"

#define MAGIC 0x7074796474626c65ull

/* What a later version adds: as many bytes to each record, and a record of a kind of its own. The
 * tests build such a version. */
#ifndef TABLE_LATER
#define TABLE_LATER 0
#endif

struct head {
    uint64_t magic;
    uint32_t version, size; /* of this head */
    uint64_t checksum;      /* of what follows it */
};

enum kind {
    KIND_DAEMON = 1,
    KIND_SHELL,
    KIND_SOCKET, /* text */
    KIND_STATE,  /* text */
    KIND_PATH,   /* text */
    KIND_UPGRADE,
    KIND_PREVIOUS_PATH, /* text */
    KIND_KEEP,          /* what keep_days and keep_bytes are, of a program without KIND_OPTIONS */
    KIND_OVER,    /* a shell of which what it said is left; who does not know the kind forgets it */
    KIND_OPTIONS, /* text */
    KIND_LATER = 1000,
};

struct record {
    uint32_t kind, size; /* of what follows */
};

struct record_daemon {
    int32_t listener, lock, state_lock, program, inherited, auto_ended;
    uint64_t files, files_at_most, last_event;
    int32_t vault_and_1, unused; /* 0: none, or a program that knows of none */
};

struct record_keep {
    int64_t days, bytes;
};

/* ---- writing ---- */

static void add(struct bytes *out, enum kind kind, const void *data, size_t size)
{
    static const char later[TABLE_LATER + 1];
    struct record record = {.kind = kind, .size = (uint32_t)(size + TABLE_LATER)};
    bytes_append(out, &record, sizeof record);
    bytes_append(out, data, size);
    bytes_append(out, later, TABLE_LATER);
}

static void add_text(struct bytes *out, enum kind kind, const char *text)
{
    add(out, kind, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void add_all(struct bytes *out, const struct table *t)
{
    struct record_daemon daemon = {.listener = t->listener,
                                   .lock = t->lock,
                                   .state_lock = t->state_lock,
                                   .program = t->program,
                                   .inherited = t->inherited,
                                   .auto_ended = t->auto_ended,
                                   .files = t->files,
                                   .files_at_most = t->files_at_most,
                                   .last_event = t->last_event,
                                   .vault_and_1 = t->vault + 1};
    add(out, KIND_DAEMON, &daemon, sizeof daemon);
    add_text(out, KIND_SOCKET, t->socket);
    add_text(out, KIND_STATE, t->state);
    add_text(out, KIND_PATH, t->path);
    add_text(out, KIND_PREVIOUS_PATH, t->previous_path);
    add(out, KIND_UPGRADE, &t->upgrade, sizeof t->upgrade);
    add_text(out, KIND_OPTIONS, t->options);
    for (int i = 0; i < t->count; i++)
        add(out, t->shells[i].over ? KIND_OVER : KIND_SHELL, &t->shells[i], sizeof t->shells[i]);
    if (TABLE_LATER)
        add_text(out, KIND_LATER, "of a later version");
}

int table_write(const struct table *t)
{
    struct head head = {.magic = MAGIC, .version = TABLE_VERSION, .size = sizeof head};
    struct bytes records = {0};
    add_all(&records, t);
    head.checksum = hash_bytes(HASH_START, records.data, records.len);
    int fd = records.failed ? -1 : memfd_create("ptyd-table", MFD_CLOEXEC);
    int result = records.failed ? -ENOMEM
                 : fd < 0       ? -errno
                                : file_write_all(fd, (const char *)&head, sizeof head, 0);
    if (result == 0)
        result = file_write_all(fd, records.data, records.len, sizeof head);
    bytes_finish(&records);
    if (result == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return result;
}

/* ---- reading ---- */

/* Why it cannot be read, as a new string; NULL when all is well. */
static char *read_head(struct unpack *in, struct head *head)
{
    if (!unpack_value(in, head, sizeof *head) || head->magic != MAGIC ||
        head->size < sizeof *head || !unpack_bytes(in, head->size - sizeof *head))
        return text_copy("it is no table");
    if (head->version > TABLE_VERSION)
        return text_format("it is of version %u, this program reads up to %u", head->version,
                           TABLE_VERSION);
    if (hash_bytes(HASH_START, in->at, (size_t)(in->end - in->at)) != head->checksum)
        return text_copy("it is damaged");
    return NULL;
}

/* Copies a record's known part; what its writer did not know is zero. */
static void take(const char *data, size_t size, void *ret_value, size_t known)
{
    memset(ret_value, 0, known);
    memcpy(ret_value, data, size < known ? size : known);
}

static void take_daemon(struct table *t, const char *data, size_t size)
{
    struct record_daemon daemon;
    take(data, size, &daemon, sizeof daemon);
    t->listener = daemon.listener;
    t->lock = daemon.lock;
    t->state_lock = daemon.state_lock;
    t->program = daemon.program;
    t->inherited = daemon.inherited != 0;
    t->auto_ended = daemon.auto_ended != 0;
    t->files = daemon.files;
    t->files_at_most = daemon.files_at_most;
    t->last_event = daemon.last_event;
    t->vault = daemon.vault_and_1 - 1;
}

static void take_text(char **text, const char *data, size_t size)
{
    free(*text);
    *text = text_format("%.*s", (int)size, data);
}

/* What was no option stood there as what is usual: the file may say otherwise. */
static void take_keep(struct table *t, const char *data, size_t size)
{
    struct record_keep keep;
    struct bytes text = {0};
    take(data, size, &keep, sizeof keep);
    if (size >= sizeof keep && keep.days != LIMIT_KEEP_DAYS)
        bytes_printf(&text, "keep_days=%lld\n", (long long)keep.days);
    if (size >= sizeof keep && keep.bytes != LIMIT_KEEP_BYTES)
        bytes_printf(&text, "keep_bytes=%lld\n", (long long)keep.bytes);
    if (text.len && !t->options)
        take_text(&t->options, text.data, text.len);
    bytes_finish(&text);
}

/* Where a shell cannot be held, none is. */
static char *take_shell(struct table *t, const char *data, size_t size, bool over)
{
    if (t->count == LIMIT_SESSIONS)
        return text_format("it holds more than %d shells", LIMIT_SESSIONS);
    struct table_shell *shell = &t->shells[t->count++];
    take(data, size, shell, sizeof *shell);
    shell->over = over;
    shell->master = over ? -1 : shell->master;
    shell->slate = shell->slate > STDERR_FILENO ? shell->slate : -1;
    if (memchr(shell->name, '\0', sizeof shell->name) && text_is_name(shell->name) &&
        (over || shell->master > STDERR_FILENO) && shell->intake > STDERR_FILENO && shell->pid >= 0)
        return NULL;
    return text_copy("a shell in it is none");
}

static char *take_record(struct table *t, const struct record *record, const char *data)
{
    switch (record->kind) {
    case KIND_DAEMON:
        take_daemon(t, data, record->size);
        return NULL;
    case KIND_SOCKET:
        take_text(&t->socket, data, record->size);
        return NULL;
    case KIND_STATE:
        take_text(&t->state, data, record->size);
        return NULL;
    case KIND_PATH:
        take_text(&t->path, data, record->size);
        return NULL;
    case KIND_PREVIOUS_PATH:
        take_text(&t->previous_path, data, record->size);
        return NULL;
    case KIND_UPGRADE:
        take(data, record->size, &t->upgrade, sizeof t->upgrade);
        return NULL;
    case KIND_KEEP:
        take_keep(t, data, record->size);
        return NULL;
    case KIND_OPTIONS:
        take_text(&t->options, data, record->size);
        return NULL;
    case KIND_SHELL:
    case KIND_OVER:
        return take_shell(t, data, record->size, record->kind == KIND_OVER);
    default:
        return record->kind & TABLE_NEEDED
                   ? text_format("it holds what this program does not know (%u)",
                                 record->kind & ~TABLE_NEEDED)
                   : NULL;
    }
}

static char *read_records(struct unpack *in, struct table *t)
{
    struct record record;
    char *error = NULL;
    while (!error && in->at < in->end) {
        const char *data =
            unpack_value(in, &record, sizeof record) ? unpack_bytes(in, record.size) : NULL;
        error = data ? take_record(t, &record, data) : text_copy("it ends too early");
    }
    if (!error && (!t->socket || !t->state || t->listener <= STDERR_FILENO))
        error = text_copy("it lacks the daemon's own record");
    return error;
}

static char *read_all(const struct bytes *all, struct table *t)
{
    struct unpack in = {.at = all->data, .end = all->data + all->len};
    struct head head;
    char *error = read_head(&in, &head);
    if (error)
        return error;
    t->shells = calloc(LIMIT_SESSIONS, sizeof *t->shells);
    return t->shells ? read_records(&in, t) : text_copy(strerror(ENOMEM));
}

/* From its beginning, wherever others have read. */
static int load(int fd, struct bytes *out)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode) || st.st_size > LIMIT_TABLE_BYTES)
        return -EFBIG;
    char *to = bytes_reserve(out, (size_t)st.st_size + 1);
    if (!to)
        return -ENOMEM;
    ssize_t n = pread(fd, to, (size_t)st.st_size, 0);
    out->len = n > 0 ? (size_t)n : 0;
    return n < 0 ? -errno : 0;
}

int table_read(int fd, struct table *ret_table, char **ret_message)
{
    struct table t = {.listener = -1, .lock = -1, .state_lock = -1, .program = -1};
    struct bytes all = {0};
    int result = load(fd, &all);
    char *error = result < 0 ? text_copy(strerror(-result)) : read_all(&all, &t);
    bytes_finish(&all);
    if (!error) {
        *ret_table = t;
        return 0;
    }
    table_finish(&t);
    *ret_message = text_format("the table of shells cannot be read: %s", error);
    free(error);
    return -1;
}

uint64_t table_checksum(int fd)
{
    struct head head = {0};
    return pread(fd, &head, sizeof head, 0) == sizeof head ? head.checksum : 0;
}

/* ---- descriptors ---- */

static void inherit(int fd, bool inherited)
{
    if (fd >= 0)
        fcntl(fd, F_SETFD, inherited ? 0 : FD_CLOEXEC);
}

void table_inherit(const struct table *t, bool inherited)
{
    inherit(t->listener, inherited);
    inherit(t->lock, inherited);
    inherit(t->state_lock, inherited);
    inherit(t->program, inherited);
    inherit(t->vault, inherited);
    for (int i = 0; i < t->count; i++) {
        inherit(t->shells[i].master, inherited);
        inherit(t->shells[i].intake, inherited);
        inherit(t->shells[i].slate, inherited);
    }
}

void table_finish(struct table *t)
{
    free(t->socket);
    free(t->state);
    free(t->path);
    free(t->previous_path);
    free(t->options);
    free(t->shells);
    t->socket = t->state = t->path = t->previous_path = t->options = NULL;
    t->shells = NULL;
    t->count = 0;
}
