/* Locks: two bytes of search.lock. WRITER is held alone by who brings the index up to date, USERS
 * together by everybody who has the database open, and alone by who removes it: SQLite removes a
 * write-ahead log by its name, which might be the next database's by then. Who wants USERS alone
 * has WRITER first, and nothing else. */
#define _GNU_SOURCE
#include "ptyd/search/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/limits.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/text.h"
#include "ptyd/search/sums.h"

#define VERSION  "2"
#define SEQ_BITS 40
#define LOOK_MS  10 /* between two looks at a lock */

enum { WRITER, USERS };

struct index {
    char *path, *lock_path;
    int lock; /* search.lock; -1 where it cannot be opened */
    sqlite3 *db;
    ino_t inode; /* of the database */
    char *failure;
    bool damaged;
    bool full; /* that was the disk */
};

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE sessions(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, inode INTEGER,"
    " size INTEGER, mtime INTEGER, last INTEGER, ends INTEGER, running TEXT);"
    "CREATE TABLE blocks(id INTEGER PRIMARY KEY, ts_begin INTEGER, ts_end INTEGER,"
    " duration_ms INTEGER, exit_code INTEGER, status TEXT, cwd TEXT, whole INTEGER, tail INTEGER,"
    " cmd TEXT);"
    "CREATE TABLE sheets(id INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER, newest INTEGER,"
    " first INTEGER, last INTEGER, size INTEGER, words BLOB, parts BLOB, text BLOB);"
    "CREATE INDEX sheets_of_session ON sheets(session, newest);"
    "CREATE TABLE groups(id INTEGER PRIMARY KEY AUTOINCREMENT, last INTEGER, live INTEGER,"
    " columns BLOB, commands BLOB, outputs BLOB);"
    "CREATE TABLE slices(id INTEGER PRIMARY KEY, rows BLOB);"
    "CREATE VIRTUAL TABLE words USING"
    " fts5(word, content='', columnsize=0, detail=none, tokenize='ascii');"
    "INSERT INTO words(words, rank) VALUES('hashsize', 16000000);"
    "PRAGMA user_version=" VERSION ";"
    "COMMIT";

/* ---- what fails ---- */

static bool is_damage(int result)
{
    switch (result & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: /* a table is not there */
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_FORMAT:
    case SQLITE_INTERNAL:
        return true;
    default:
        return false;
    }
}

static bool note(struct index *ix, int result)
{
    if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE)
        return true;
    if ((result & 0xff) == SQLITE_NOMEM)
        memory_end();
    if (!ix->failure) {
        ix->failure = text_copy(ix->db ? sqlite3_errmsg(ix->db) : sqlite3_errstr(result));
        ix->damaged = is_damage(result);
        ix->full = (result & 0xff) == SQLITE_FULL;
    }
    return false;
}

const char *index_failure(const struct index *ix)
{
    return ix->failure;
}

bool index_is_damaged(const struct index *ix)
{
    return ix->damaged;
}

bool index_lacks_room(const struct index *ix)
{
    return ix->full;
}

/* ---- locks ---- */

/* `type` is F_RDLCK, F_WRLCK or F_UNLCK. */
static bool lock_byte(const struct index *ix, int byte, short type, bool wait)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    int result;
    while ((result = fcntl(ix->lock, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock)) < 0 &&
           errno == EINTR)
        ;
    return result == 0;
}

bool index_begin_writing(struct index *ix, int wait_ms)
{
    const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000L};
    int64_t until = clock_monotonic_ms() + wait_ms;
    while (!lock_byte(ix, WRITER, F_WRLCK, false)) {
        if (clock_monotonic_ms() >= until)
            return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

void index_end_writing(struct index *ix)
{
    lock_byte(ix, WRITER, F_UNLCK, false);
}

/* ---- statements ---- */

void index_run(struct index *ix, const char *sql)
{
    if (!ix->failure)
        note(ix, sqlite3_exec(ix->db, sql, NULL, NULL, NULL));
}

void index_go_back(struct index *ix)
{
    free(ix->failure);
    ix->failure = NULL;
    ix->damaged = false;
    if (!sqlite3_get_autocommit(ix->db))
        index_run(ix, "ROLLBACK");
}

sqlite3_stmt *index_prepare(struct index *ix, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (!ix->failure)
        note(ix, sqlite3_prepare_v2(ix->db, sql, -1, &statement, NULL));
    return statement;
}

bool index_step(struct index *ix, sqlite3_stmt *statement)
{
    int result = statement && !ix->failure ? sqlite3_step(statement) : SQLITE_DONE;
    if (result == SQLITE_ROW)
        return true;
    note(ix, result);
    if (statement)
        sqlite3_reset(statement);
    return false;
}

int64_t index_last_rowid(const struct index *ix)
{
    return sqlite3_last_insert_rowid(ix->db);
}

bool index_changes(const struct index *ix)
{
    return sqlite3_changes(ix->db) > 0;
}

/* ---- opening ---- */

static long user_version(struct index *ix)
{
    sqlite3_stmt *statement = index_prepare(ix, "PRAGMA user_version");
    long version = index_step(ix, statement) ? (long)sqlite3_column_int64(statement, 0) : -1;
    sqlite3_finalize(statement);
    return version;
}

static void close_database(struct index *ix)
{
    sqlite3_close(ix->db);
    ix->db = NULL;
}

static void open_database(struct index *ix)
{
    struct stat st;
    int reserved = SUMS_BYTES;
    if (stat(ix->path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a pipe would be waited for */
        ix->failure = text_format("it is no file");
        ix->damaged = true;
        return;
    }
    mode_t mask = umask(0077);
    int result = sums_register();
    if (result == SQLITE_OK)
        result = sqlite3_open_v2(ix->path, &ix->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                 SUMS_NAME);
    umask(mask);
    if (!note(ix, result))
        return;
    ix->inode = stat(ix->path, &st) == 0 ? st.st_ino : 0;
    sqlite3_busy_timeout(ix->db, LIMIT_SEARCH_BUSY_MS);
    sqlite3_file_control(ix->db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    index_run(ix, "PRAGMA page_size=16384; PRAGMA cache_size=-32000; PRAGMA secure_delete=ON");
    index_run(ix, "PRAGMA wal_autocheckpoint=4096"); /* pages: less is written twice */
    /* A page that a power cut kept from the disk has the sum of its old content: what is in the log
     * is on the disk before the file is written, and the file before the log begins anew. */
    index_run(ix, "PRAGMA synchronous=NORMAL");
}

static void make_schema(struct index *ix)
{
    index_run(ix, "PRAGMA journal_mode=WAL");
    index_run(ix, schema);
}

static void remove_files(const struct index *ix)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char *path = text_format("%s%s", ix->path, ends[i]);
        unlink(path);
        free(path);
    }
}

/* Makes it where it is empty; or waits until another, who is at it, has. */
static void prepare(struct index *ix)
{
    int64_t until = clock_monotonic_ms() + LIMIT_SEARCH_BUSY_MS;
    long version;
    open_database(ix);
    while ((version = user_version(ix)) == 0) {
        if (index_begin_writing(ix, LOOK_MS)) {
            if (user_version(ix) == 0)
                make_schema(ix);
            index_end_writing(ix);
        } else if (clock_monotonic_ms() >= until) {
            note(ix, SQLITE_BUSY);
        }
    }
    if (version > 0 && version != atol(VERSION) && !ix->failure) {
        ix->failure = text_format("it is another version's");
        ix->damaged = true;
    }
}

struct index *index_open(const char *state)
{
    struct index *ix = memory_new(sizeof *ix);
    *ix = (struct index){.path = text_format("%s/search.db", state),
                         .lock_path = text_format("%s/search.lock", state)};
    ix->lock = open(ix->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (ix->lock < 0 || !lock_byte(ix, USERS, F_RDLCK, true))
        ix->failure = text_format("%s: %s", ix->lock_path, strerror(errno));
    else
        prepare(ix);
    return ix;
}

void index_make_again(struct index *ix)
{
    struct stat st;
    close_database(ix);
    lock_byte(ix, USERS, F_UNLCK, false);
    lock_byte(ix, WRITER, F_WRLCK, true);
    lock_byte(ix, USERS, F_WRLCK, true);
    if (stat(ix->path, &st) == 0 && st.st_ino == ix->inode)
        remove_files(ix);
    lock_byte(ix, USERS, F_RDLCK, true);
    lock_byte(ix, WRITER, F_UNLCK, false);
    free(ix->failure);
    ix->failure = NULL;
    ix->damaged = false;
    prepare(ix);
}

void index_close(struct index *ix)
{
    if (!ix)
        return;
    close_database(ix);
    if (ix->lock >= 0)
        close(ix->lock);
    free(ix->failure);
    free(ix->lock_path);
    free(ix->path);
    free(ix);
}

/* ---- numbers and words ---- */

int64_t index_block(int64_t session, int64_t seq)
{
    return session << SEQ_BITS | seq;
}

int64_t index_block_session(int64_t block)
{
    return block >> SEQ_BITS;
}

int64_t index_block_seq(int64_t block)
{
    return block & ((INT64_C(1) << SEQ_BITS) - 1);
}

uint64_t index_directory_hash(const char *directory, size_t len)
{
    return hash_bytes(HASH_START, directory, len);
}
