#define _GNU_SOURCE
#include "ptyd/search/harvest.h"

#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/redacted.h"
#include "ptyd/core/seal.h"
#include "ptyd/core/text.h"
#include "ptyd/search/facts.h"
#include "ptyd/search/groups.h"
#include "ptyd/search/sheet.h"
#include "ptyd/session/block_lines.h"
#include "ptyd/session/block_reader.h"

#define PAUSE_BYTES (16 << 20) /* between two rests, or */
#define PAUSE_MS    500
#define LOOK_MS     5 /* between two looks at what is about to be done */

#define ALL (INT64_C(1) << 39) /* more than any number */

struct harvest {
    struct index *index;
    void (*pause)(void *user, int64_t bytes);
    void *user;
    sqlite3_stmt *add_sheet, *add_block;
    struct groups *groups;
    int64_t bytes, paused_bytes, paused_ms;

    int64_t session;
    const char *directory;
    int64_t last;                        /* block that ended and was added */
    int64_t oldest_output;               /* number of the first whose file is there */
    int64_t redacted;                    /* outputs up to this block's are without secrets */
    int looks;                           /* that are left, in all sessions, for one that is not */
    bool waits, waited;                  /* for one of this session; the last search did, too */
    bool ends;                           /* of an output only the end is kept */
    struct bytes running;                /* the line that was read last, when it has no end */
    struct sheet sheet;                  /* not in the index yet, */
    struct bytes hashes;                 /* with those of its blocks, */
    int64_t first_seq, last_seq, newest; /* their numbers, and when the last one ended */
    struct facts facts;                  /* of the block at hand */
    struct bytes cwd;                    /* whose hashes the sheet has last */
};

struct harvest *harvest_create(struct index *index, void (*pause)(void *user, int64_t bytes),
                               void *user)
{
    struct harvest *h = memory_new(sizeof *h);
    *h = (struct harvest){
        .index = index, .pause = pause, .user = user, .groups = groups_begin(index)};
    h->add_sheet = index_prepare(
        index, "INSERT INTO sheets(session, newest, first, last, size, words, parts, text)"
               " VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    h->add_block =
        index_prepare(index, "INSERT OR REPLACE INTO blocks VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    h->paused_ms = clock_monotonic_ms();
    h->looks = LIMIT_SEARCH_REDACTED_MS / LOOK_MS;
    return h;
}

void harvest_end(struct harvest *h)
{
    groups_end(h->groups);
    sqlite3_finalize(h->add_sheet);
    sqlite3_finalize(h->add_block);
    sheet_finish(&h->sheet);
    bytes_finish(&h->hashes);
    bytes_finish(&h->running);
    bytes_finish(&h->cwd);
    facts_finish(&h->facts);
    free(h);
}

/* A statement with numbers alone, run once. */
static bool ask(struct harvest *h, sqlite3_stmt *s, const int64_t *values, int count)
{
    for (int i = 0; s && i < count; i++)
        sqlite3_bind_int64(s, i + 1, values[i]);
    return index_step(h->index, s);
}

#define ASK(h, s, ...)                                                                             \
    ask(h, s, (int64_t[]){__VA_ARGS__}, sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t))

static void run(struct harvest *h, const char *sql, int64_t one, int64_t two, int64_t three)
{
    sqlite3_stmt *s = index_prepare(h->index, sql);
    if (s)
        ask(h, s, (int64_t[]){one, two, three}, sqlite3_bind_parameter_count(s));
    sqlite3_finalize(s);
}

/* ---- sheets ---- */

static void bind_bytes(sqlite3_stmt *s, int at, const struct bytes *b)
{
    sqlite3_bind_blob(s, at, b->data ? b->data : "", (int)b->len, SQLITE_STATIC);
}

static void empty_sheet(struct harvest *h)
{
    h->sheet.text.len = h->sheet.parts.len = h->hashes.len = h->cwd.len = 0;
    h->first_seq = h->last_seq = h->newest = 0;
}

static void end_sheet(struct harvest *h)
{
    if (!sheet_count(&h->sheet))
        return;
    if (h->add_sheet) {
        bind_bytes(h->add_sheet, 6, &h->hashes);
        bind_bytes(h->add_sheet, 7, &h->sheet.parts);
        bind_bytes(h->add_sheet, 8, &h->sheet.text);
    }
    ASK(h, h->add_sheet, h->session, h->newest, h->first_seq, h->last_seq,
        (int64_t)h->sheet.text.len);
    empty_sheet(h);
    groups_add_sheet(h->groups);
}

static void take_column(sqlite3_stmt *s, int column, struct bytes *out)
{
    bytes_append(out, sqlite3_column_blob(s, column), (size_t)sqlite3_column_bytes(s, column));
}

static void remove_sheet(struct harvest *h, int64_t sheet)
{
    groups_remove_sheet(h->groups, sheet);
    run(h, "DELETE FROM sheets WHERE id = ?", sheet, 0, 0);
}

/* Removes those of the session whose last block is below a number. */
static void remove_sheets(struct harvest *h, int64_t session, int64_t below)
{
    static const char sql[] = "SELECT id FROM sheets WHERE session = ? AND last < ? LIMIT 1";
    sqlite3_stmt *s = index_prepare(h->index, sql);
    while (ASK(h, s, session, below)) {
        int64_t sheet = sqlite3_column_int64(s, 0);
        sqlite3_reset(s);
        remove_sheet(h, sheet);
    }
    sqlite3_finalize(s);
}

/* The last sheet, where much fits into it yet, is at hand again. */
static void reopen_sheet(struct harvest *h)
{
    sqlite3_stmt *s = index_prepare(
        h->index, "SELECT id, parts, text, words, first, last, newest, size FROM sheets"
                  " WHERE session = ? ORDER BY id DESC LIMIT 1");
    if (ASK(h, s, h->session) && sqlite3_column_int64(s, 7) < LIMIT_SEARCH_SHEET_BYTES / 2 &&
        sheet_load(&h->sheet, sqlite3_column_blob(s, 2), (size_t)sqlite3_column_bytes(s, 2),
                   sqlite3_column_blob(s, 1), (size_t)sqlite3_column_bytes(s, 1))) {
        int64_t sheet = sqlite3_column_int64(s, 0);
        take_column(s, 3, &h->hashes);
        h->first_seq = sqlite3_column_int64(s, 4);
        h->last_seq = sqlite3_column_int64(s, 5);
        h->newest = sqlite3_column_int64(s, 6);
        sqlite3_reset(s);
        remove_sheet(h, sheet);
    }
    sqlite3_finalize(s);
}

/* ---- blocks ---- */

/* What one part of a sheet may hold of a text: whole lines, or what fits of one that is longer than
 * a sheet. */
static size_t piece_of(const char *text, size_t len, size_t room)
{
    if (len <= room)
        return len;
    const char *end = memrchr(text, '\n', room);
    if (end)
        return (size_t)(end - text) + 1;
    return room == LIMIT_SEARCH_SHEET_BYTES ? utf8_floor(text, len, room) : 0;
}

static uint32_t count_lines(const char *text, size_t len)
{
    uint32_t count = 0;
    for (const char *at = text; (at = memchr(at, '\n', len - (size_t)(at - text))); at++)
        count++;
    return count;
}

static void add_hash(struct harvest *h, uint64_t hash)
{
    if (!memmem(h->hashes.data ? h->hashes.data : "", h->hashes.len, &hash, sizeof hash))
        bytes_append(&h->hashes, &hash, sizeof hash);
}

/* The directories at and above the one it began in. */
static void add_directories(struct harvest *h, const struct bytes *cwd)
{
    if (cwd->len == h->cwd.len && (!cwd->len || !memcmp(cwd->data, h->cwd.data, cwd->len)))
        return;
    h->cwd.len = 0;
    bytes_append(&h->cwd, cwd->data, cwd->len);
    for (size_t len = cwd->len; len > 0 && *cwd->data == '/'; len--)
        if (len == 1 || !cwd->data[len] || cwd->data[len] == '/')
            add_hash(h, index_directory_hash(cwd->data, len));
}

static void note_in_sheet(struct harvest *h)
{
    const struct facts *f = &h->facts;
    h->first_seq = sheet_count(&h->sheet) ? h->first_seq : f->seq;
    h->last_seq = f->seq;
    h->newest = f->ts_end > h->newest ? f->ts_end : h->newest;
    if (f->exit_code)
        add_hash(h, INDEX_FAILED);
    add_directories(h, &f->cwd);
}

/* A line that is longer than a sheet goes on in the next one a little before its cut, so that
 * nothing is cut apart everywhere. */
static void add_text(struct harvest *h, struct sheet_part part, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t used = h->sheet.text.len;
        size_t room = used < LIMIT_SEARCH_SHEET_BYTES ? LIMIT_SEARCH_SHEET_BYTES - used : 0;
        size_t piece = piece_of(text + at, len - at, room);
        if (!piece) {
            end_sheet(h);
            continue;
        }
        note_in_sheet(h);
        sheet_add(&h->sheet, part, text + at, piece);
        part.line += count_lines(text + at, piece);
        at += piece;
        if (at < len && text[at - 1] != '\n')
            at = utf8_ceil(text, len, at - LIMIT_SEARCH_PATTERN_BYTES);
    }
}

/* A block's output as far as it is kept. */
struct output {
    struct bytes text;
    bool whole;    /* else: its end, as the preview has it */
    uint32_t line; /* number of the first one, from 0 */
    uint32_t tail; /* of the first one that the preview has, too */
};

/* Lines up to the last one that is not blank: what a preview is the end of. */
static uint32_t count_shown(const struct bytes *text)
{
    size_t len = text->len;
    while (len && (text->data[len - 1] == '\n' || text->data[len - 1] == ' '))
        len--;
    return len ? count_lines(text->data, len) + 1 : 0;
}

/* `there`: its file may be. */
static void read_output(const struct facts *f, const char *directory, bool there,
                        struct output *ret)
{
    *ret = (struct output){0};
    if (there && f->output_path.len) {
        char *path = text_format("%s/%s", directory, f->output_path.data);
        ret->whole = file_read_regular(path, LIMIT_OUTPUT_FILE_BYTES + 1, &ret->text) == 0;
        free(path);
    }
    uint32_t shown = ret->whole ? count_shown(&ret->text) : (uint32_t)f->output_lines;
    ret->tail = shown > f->previewed ? shown - f->previewed : 0;
    if (!ret->whole) {
        ret->text.len = 0;
        bytes_append(&ret->text, f->preview.data, f->preview.len);
        ret->line = ret->tail;
        ret->whole = f->output_bytes == 0;
    }
    facts_clean(&ret->text);
}

static void add_row(struct harvest *h, int64_t id, const struct output *output)
{
    sqlite3_stmt *s = h->add_block;
    const struct facts *f = &h->facts;
    if (!s)
        return;
    sqlite3_bind_text(s, 6, f->status.data, (int)f->status.len, SQLITE_STATIC);
    sqlite3_bind_text(s, 7, f->cwd.data, (int)f->cwd.len, SQLITE_STATIC);
    sqlite3_bind_int(s, 8, output->whole);
    sqlite3_bind_int64(s, 9, output->tail);
    sqlite3_bind_text(s, 10, f->cmd.data, (int)f->cmd.len, SQLITE_STATIC);
    sqlite3_bind_null(s, 5);
    if (f->has_exit_code)
        sqlite3_bind_int64(s, 5, f->exit_code);
    ASK(h, s, id, f->ts_begin, f->ts_end, f->duration_ms);
}

static void rest(struct harvest *h)
{
    int64_t now = clock_monotonic_ms();
    if (h->bytes - h->paused_bytes < PAUSE_BYTES && now - h->paused_ms < PAUSE_MS)
        return;
    end_sheet(h);
    run(h, "UPDATE sessions SET last = ?2, running = NULL WHERE id = ?1", h->session, h->last, 0);
    h->pause(h->user, h->bytes);
    h->paused_bytes = h->bytes;
    h->paused_ms = now;
}

/* Where secrets are taken out of a session's files, an output is read when that is done; it is
 * waited for, but not in every search. */
static bool is_redacted(struct harvest *h, int64_t seq)
{
    struct redacted done;
    while (seq > h->redacted) {
        h->redacted = redacted_load(h->directory, &done) ? (int64_t)done.seq : ALL;
        if (seq <= h->redacted)
            break;
        if (h->waited || h->looks-- <= 0)
            return false;
        poll(NULL, 0, LOOK_MS);
    }
    return true;
}

/* From the block at hand on the session has previews, in sheets of their own, until the next
 * search: that one begins with this block again. */
static void wait_for_output(struct harvest *h)
{
    end_sheet(h);
    h->waits = true;
}

/* The block at hand. */
static void add_ended(struct harvest *h)
{
    const struct facts *f = &h->facts;
    struct sheet_part part = {.block = index_block(h->session, f->seq)};
    struct output output;
    /* There may be one by now where there was none. */
    bool kept = h->oldest_output == ALL || f->seq >= h->oldest_output;
    if (kept && !h->waits && !is_redacted(h, f->seq))
        wait_for_output(h);
    read_output(f, h->directory, kept && !h->waits, &output);
    add_text(h, part, f->cmd.data, f->cmd.len);
    part.line = output.line;
    part.output = 1;
    add_text(h, part, output.text.data, output.text.len);
    add_row(h, part.block, &output);
    h->ends = h->ends || (!output.whole && !h->waits);
    h->bytes += (int64_t)(f->cmd.len + output.text.len);
    h->last = h->waits ? h->last : f->seq;
    bytes_finish(&output.text);
    rest(h);
}

/* Of a block without an end that another follows nobody knows one; one that is the last runs. */
static void add(struct harvest *h, struct json_piece line)
{
    struct json_piece running = {h->running.data, h->running.len};
    if (facts_read(&h->facts, running))
        add_ended(h);
    h->running.len = 0;
    if (!facts_read(&h->facts, line) || h->facts.seq < 1)
        return;
    if (h->facts.runs)
        bytes_append(&h->running, line.at, line.len);
    else
        add_ended(h);
}

void harvest_running(const char *line, const char *directory, int64_t session, struct sheet *sheet)
{
    struct facts f = {0};
    struct output output;
    if (facts_read(&f, (struct json_piece){line, strlen(line)})) {
        struct sheet_part part = {.block = index_block(session, f.seq)};
        read_output(&f, directory, true, &output);
        sheet_add(sheet, part, f.cmd.data, f.cmd.len);
        part.output = 1;
        part.line = output.line;
        sheet_add(sheet, part, output.text.data ? output.text.data : "", output.text.len);
        bytes_finish(&output.text);
    }
    facts_finish(&f);
}

/* ---- a session ---- */

static int64_t number_of(struct harvest *h, const char *sql, int64_t one, int64_t two)
{
    sqlite3_stmt *s = index_prepare(h->index, sql);
    int64_t number = 0;
    if (s && ask(h, s, (int64_t[]){one, two}, sqlite3_bind_parameter_count(s)))
        number = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return number;
}

/* Removes the rows of blocks below a number; returns how many. */
static int64_t remove_rows(struct harvest *h, int64_t session, int64_t below)
{
    int64_t first = index_block(session, 0), end = index_block(session, below);
    int64_t count =
        number_of(h, "SELECT count(*) FROM blocks WHERE id >= ? AND id < ?", first, end);
    if (count)
        run(h, "DELETE FROM blocks WHERE id >= ? AND id < ?", first, end, 0);
    return count;
}

static int64_t remove_all(struct harvest *h, int64_t session)
{
    remove_sheets(h, session, ALL);
    return remove_rows(h, session, ALL);
}

int64_t harvest_remove(struct harvest *h, int64_t session)
{
    int64_t count = remove_all(h, session);
    run(h, "DELETE FROM sessions WHERE id = ?", session, 0, 0);
    return count;
}

/* Whether the files are those that were read before, with more in them: the last block is the same.
 */
static bool goes_on(struct harvest *h, const struct harvest_session *s,
                    const struct harvest_file *file)
{
    struct stat st;
    uint64_t bytes_read = 0;
    char *old = text_format("%s/blocks.jsonl.1", h->directory);
    bool same = s->file.inode == file->inode && s->file.size <= file->size;
    same = same || (stat(old, &st) == 0 && (int64_t)st.st_ino == s->file.inode);
    free(old);
    if (!same || s->last < 1)
        return false;
    json_t *block = block_lines_find(h->directory, (uint64_t)s->last, &bytes_read);
    int64_t begin =
        number_of(h, "SELECT ts_begin FROM blocks WHERE id = ?", index_block(s->id, s->last), 0);
    same = block && json_number(block, "ts_begin", 0) == begin;
    json_decref(block);
    return same;
}

/* Of a block's lines the later one counts where it is whole. */
static void read_all(struct harvest *h)
{
    struct block_reader *reader = block_reader_open(h->directory, 0, false);
    struct json_piece lines[2];
    for (int found; (found = block_reader_next_lines(reader, lines)) >= 0;) {
        if (found)
            add(h, lines[!seal_is_whole(lines[0].at, lines[0].len) && lines[1].len]);
        if (index_failure(h->index))
            break;
    }
    block_reader_close(reader);
}

static void add_value(struct harvest *h, const json_t *block)
{
    char *line = json_dumps(block, JSON_COMPACT);
    if (line)
        add(h, (struct json_piece){line, strlen(line)});
    free(line);
}

/* What the last search had for itself alone. */
static void remove_waiting(struct harvest *h)
{
    static const char sql[] = "SELECT id FROM sheets WHERE session = ? AND first > ? LIMIT 1";
    for (int64_t sheet; (sheet = number_of(h, sql, h->session, h->last));)
        remove_sheet(h, sheet);
    run(h, "DELETE FROM blocks WHERE id > ? AND id < ?", index_block(h->session, h->last),
        index_block(h->session, ALL), 0);
}

static void read_new(struct harvest *h)
{
    uint64_t after = (uint64_t)h->last;
    bool all = false;
    remove_waiting(h);
    reopen_sheet(h);
    while (!all && !index_failure(h->index)) {
        json_t *blocks = block_lines_after(h->directory, after, LIMIT_BLOCKS_PAGE_BYTES, &all);
        size_t i;
        json_t *block;
        json_array_foreach(blocks, i, block) {
            add_value(h, block);
            after = (uint64_t)json_number(block, "seq", 0);
        }
        json_decref(blocks);
    }
}

/* What the quota of blocks.jsonl took. */
static int64_t forget_blocks(struct harvest *h)
{
    bool all;
    json_t *blocks = block_lines_after(h->directory, 0, 1, &all);
    int64_t oldest = json_number(json_array_get(blocks, 0), "seq", 0);
    json_decref(blocks);
    if (oldest < 2)
        return 0;
    remove_sheets(h, h->session, oldest);
    return remove_rows(h, h->session, oldest);
}

/* The number of the first output whose file is there: ALL for none, 0 where nobody can know. */
static int64_t find_oldest_output(const char *session)
{
    char *path = text_format("%s/blocks", session);
    DIR *directory = opendir(path);
    struct dirent *entry;
    int64_t oldest = directory ? ALL : 0;
    while (directory && (entry = readdir(directory))) {
        long long seq = atoll(entry->d_name);
        oldest = seq > 0 && seq < oldest ? seq : oldest;
    }
    if (directory)
        closedir(directory);
    free(path);
    return oldest;
}

/* What the bound on files in blocks/ took: of those outputs the previews are left. */
static void forget_outputs(struct harvest *h)
{
    run(h, "UPDATE blocks SET whole = 0 WHERE id >= ? AND id < ? AND whole AND tail > 0",
        index_block(h->session, 0), index_block(h->session, h->oldest_output), 0);
    h->ends = h->ends || index_changes(h->index);
}

static void begin_session(struct harvest *h, const struct harvest_session *session)
{
    h->session = session->id;
    h->last = session->last;
    if (h->session)
        return;
    sqlite3_stmt *s = index_prepare(h->index, "INSERT INTO sessions(name, ends) VALUES(?, 0)");
    if (s)
        sqlite3_bind_text(s, 1, session->name, -1, SQLITE_STATIC);
    index_step(h->index, s);
    sqlite3_finalize(s);
    h->session = index_last_rowid(h->index);
}

static void end_session(struct harvest *h, const struct harvest_file *file)
{
    sqlite3_stmt *s = index_prepare(h->index, "UPDATE sessions SET inode = ?, size = ?, mtime = ?,"
                                              " last = ?, running = ?6, ends = (ends & 1) | ?7"
                                              " WHERE id = ?5");
    end_sheet(h);
    if (s)
        sqlite3_bind_int(s, 7, h->ends | h->waits << 1);
    if (s && h->running.len)
        sqlite3_bind_text(s, 6, h->running.data, (int)h->running.len, SQLITE_STATIC);
    /* Of another size than it has: it is read again. */
    ASK(h, s, file->inode, h->waits ? 0 : file->size, file->mtime, h->last, h->session);
    sqlite3_finalize(s);
    h->running.len = 0;
}

int64_t harvest_read(struct harvest *h, const struct harvest_session *session,
                     const char *directory, const struct harvest_file *file)
{
    int64_t gone = 0;
    h->directory = directory;
    h->ends = false;
    h->oldest_output = find_oldest_output(directory);
    h->redacted = 0;
    h->waits = false;
    h->waited = session->id && !session->file.size;
    begin_session(h, session);
    if (session->id && goes_on(h, session, file)) {
        gone = forget_blocks(h);
        forget_outputs(h);
        read_new(h);
    } else {
        remove_all(h, h->session);
        h->last = 0;
        run(h, "UPDATE sessions SET inode = ?2, size = 0, ends = 0, running = NULL WHERE id = ?1",
            h->session, file->inode, 0);
        read_all(h);
    }
    end_session(h, file);
    return gone;
}
