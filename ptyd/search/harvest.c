#define _GNU_SOURCE
#include "ptyd/search/harvest.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/file.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/search/fold.h"
#include "ptyd/search/grams.h"
#include "ptyd/search/sheet.h"
#include "ptyd/session/block_lines.h"
#include "ptyd/session/block_reader.h"

#define PAUSE_BYTES (16 << 20) /* between two rests, or */
#define PAUSE_MS    500

struct harvest {
    struct index *index;
    void (*pause)(void *user, int64_t bytes);
    void *user;
    sqlite3_stmt *add_sheet, *add_words, *remove_words, *add_block;
    struct grams *grams;
    int64_t bytes, paused_bytes, paused_ms;

    int64_t session;
    const char *directory;
    int64_t last;                        /* block that ended and was added */
    json_t *running;                     /* what was read last, when it has no end */
    struct sheet sheet;                  /* not in the index yet, */
    struct bytes words;                  /* with the words of its blocks, */
    int64_t first_seq, last_seq, newest; /* their numbers, and when the last one ended */
    char *cwd;                           /* of the block added last */
};

struct harvest *harvest_create(struct index *index, void (*pause)(void *user, int64_t bytes),
                               void *user)
{
    struct harvest *h = memory_new(sizeof *h);
    *h = (struct harvest){.index = index, .pause = pause, .user = user, .grams = grams_create()};
    h->add_sheet = index_prepare(
        index, "INSERT INTO sheets(session, first, last, newest, size, words, parts, text)"
               " VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    h->add_words = index_prepare(index, "INSERT INTO words(rowid, word) VALUES(?, ?)");
    h->remove_words =
        index_prepare(index, "INSERT INTO words(words, rowid, word) VALUES('delete', ?, ?)");
    h->add_block =
        index_prepare(index, "INSERT OR REPLACE INTO blocks VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    h->paused_ms = clock_monotonic_ms();
    return h;
}

void harvest_destroy(struct harvest *h)
{
    sqlite3_finalize(h->add_sheet);
    sqlite3_finalize(h->add_words);
    sqlite3_finalize(h->remove_words);
    sqlite3_finalize(h->add_block);
    grams_destroy(h->grams);
    sheet_finish(&h->sheet);
    bytes_finish(&h->words);
    json_decref(h->running);
    free(h->cwd);
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

/* All words of a sheet: those of its text and those of its blocks. */
static void words_of(struct grams *grams, const struct sheet *sheet, const struct bytes *words,
                     struct bytes *out)
{
    struct bytes folded = {0};
    bytes_append(&folded, sheet->text.data, sheet->text.len);
    fold_text(folded.data, folded.len);
    for (uint32_t output = 0; output < 2; output++) {
        for (size_t i = 0; i < sheet_count(sheet); i++)
            if (sheet_part(sheet, i)->output == output)
                grams_add(grams, folded.data + sheet_part(sheet, i)->at, sheet_part(sheet, i)->len);
        grams_write(grams, output ? "" : "c", out);
    }
    bytes_append(out, words->data, words->len);
    bytes_finish(&folded);
}

static void bind_bytes(sqlite3_stmt *s, int at, const struct bytes *b, bool text)
{
    const char *data = b->data ? b->data : "";
    if (s && text)
        sqlite3_bind_text(s, at, data, (int)b->len, SQLITE_STATIC);
    else if (s)
        sqlite3_bind_blob(s, at, data, (int)b->len, SQLITE_STATIC);
}

static void run_words(struct harvest *h, sqlite3_stmt *s, int64_t sheet, const struct bytes *words)
{
    bind_bytes(s, 2, words, true);
    ASK(h, s, sheet);
}

static void end_sheet(struct harvest *h)
{
    struct bytes words = {0};
    if (!sheet_count(&h->sheet))
        return;
    words_of(h->grams, &h->sheet, &h->words, &words);
    bind_bytes(h->add_sheet, 6, &h->words, true);
    bind_bytes(h->add_sheet, 7, &h->sheet.parts, false);
    bind_bytes(h->add_sheet, 8, &h->sheet.text, false);
    ASK(h, h->add_sheet, h->session, h->first_seq, h->last_seq, h->newest,
        (int64_t)h->sheet.text.len);
    run_words(h, h->add_words, index_last_rowid(h->index), &words);
    bytes_finish(&words);
    h->sheet.text.len = h->sheet.parts.len = h->words.len = 0;
    h->first_seq = h->last_seq = h->newest = 0;
    free(h->cwd);
    h->cwd = NULL;
}

static void take_column(sqlite3_stmt *s, int column, struct bytes *out)
{
    bytes_append(out, sqlite3_column_blob(s, column), (size_t)sqlite3_column_bytes(s, column));
}

/* Removes a sheet whose row is at hand: parts, text and words are columns 1 to 3. */
static void remove_sheet(struct harvest *h, sqlite3_stmt *row)
{
    struct sheet sheet = {0};
    struct bytes own = {0}, words = {0};
    int64_t id = sqlite3_column_int64(row, 0);
    take_column(row, 3, &own);
    if (sheet_load(&sheet, sqlite3_column_blob(row, 2), (size_t)sqlite3_column_bytes(row, 2),
                   sqlite3_column_blob(row, 1), (size_t)sqlite3_column_bytes(row, 1))) {
        words_of(h->grams, &sheet, &own, &words);
        run_words(h, h->remove_words, id, &words);
    }
    run(h, "DELETE FROM sheets WHERE id = ?", id, 0, 0);
    sheet_finish(&sheet);
    bytes_finish(&own);
    bytes_finish(&words);
}

/* Removes those of the session whose last block is below a number. */
static void remove_sheets(struct harvest *h, int64_t session, int64_t below)
{
    static const char sql[] = "SELECT id, parts, text, words FROM sheets"
                              " WHERE session = ? AND last < ? ORDER BY id LIMIT 1";
    sqlite3_stmt *s = index_prepare(h->index, sql);
    while (ASK(h, s, session, below)) {
        remove_sheet(h, s);
        if (s)
            sqlite3_reset(s);
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
        take_column(s, 3, &h->words);
        h->first_seq = sqlite3_column_int64(s, 4);
        h->last_seq = sqlite3_column_int64(s, 5);
        h->newest = sqlite3_column_int64(s, 6);
        remove_sheet(h, s);
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

static void note_in_sheet(struct harvest *h, int64_t seq, int64_t ended, const char *words)
{
    h->first_seq = sheet_count(&h->sheet) ? h->first_seq : seq;
    h->last_seq = seq;
    h->newest = ended > h->newest ? ended : h->newest;
    for (const char *at = words, *end; *at; at = end + 1) {
        end = strchr(at, ' ');
        size_t len = (size_t)(end + 1 - at);
        if (!memmem(h->words.data ? h->words.data : "", h->words.len, at, len))
            bytes_append(&h->words, at, len);
    }
}

/* What is to be added of a block. */
struct adding {
    struct sheet_part part;
    int64_t ended;
    const char *words; /* each ends in a blank */
};

/* A line that is longer than a sheet goes on in the next one a little before its cut, so that
 * nothing is cut apart everywhere. */
static void add_text(struct harvest *h, struct adding adding, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        size_t used = h->sheet.text.len;
        size_t room = used < LIMIT_SEARCH_SHEET_BYTES ? LIMIT_SEARCH_SHEET_BYTES - used : 0;
        size_t piece = piece_of(text + at, len - at, room);
        if (!piece) {
            end_sheet(h);
            continue;
        }
        note_in_sheet(h, index_block_seq(adding.part.block), adding.ended, adding.words);
        sheet_add(&h->sheet, adding.part, text + at, piece);
        adding.part.line += count_lines(text + at, piece);
        at += piece;
        if (at < len && text[at - 1] != '\n')
            at = utf8_ceil(text, len, at - LIMIT_SEARCH_PATTERN_BYTES);
    }
}

/* Text of a file that is no UTF-8 any more is made some, for pcre2 takes nothing else. */
static void clean(struct bytes *text)
{
    if (!text->len || (utf8_valid(text->data, text->len) && !memchr(text->data, 0, text->len)))
        return;
    char *cleaned = text_clean(text->data, text->len, 3 * text->len);
    bytes_finish(text);
    bytes_append_text(text, cleaned);
    free(cleaned);
}

/* A block's output as far as it is kept. */
struct output {
    struct bytes text;
    bool whole;    /* else: its end, as the preview has it */
    uint32_t line; /* number of the first one, from 0 */
    uint32_t tail; /* of the first one that the preview has, too */
};

static void read_preview(const json_t *block, struct bytes *out)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_at(block, "preview", "lines"), i, line) {
        const char *text = json_string_value(line);
        bytes_append_text(out, text ? text : "");
        bytes_append_char(out, '\n');
    }
}

/* Lines up to the last one that is not blank: what a preview is the end of. */
static uint32_t count_shown(const struct bytes *text)
{
    size_t len = text->len;
    while (len && (text->data[len - 1] == '\n' || text->data[len - 1] == ' '))
        len--;
    return len ? count_lines(text->data, len) + 1 : 0;
}

static void read_output(const json_t *block, const char *directory, struct output *ret)
{
    const char *name = json_text(block, "output_path", "");
    size_t previewed = json_array_size(json_at(block, "preview", "lines"));
    char *path = text_format("%s/%s", directory, name);
    *ret = (struct output){0};
    ret->whole = *name && file_read(path, LIMIT_OUTPUT_FILE_BYTES + 1, &ret->text) == 0;
    uint32_t shown =
        ret->whole ? count_shown(&ret->text) : (uint32_t)json_number(block, "output_lines", 0);
    ret->tail = shown > previewed ? shown - (uint32_t)previewed : 0;
    if (!ret->whole) {
        ret->text.len = 0;
        read_preview(block, &ret->text);
        ret->line = ret->tail;
        ret->whole = json_number(block, "output_bytes", 0) == 0;
    }
    clean(&ret->text);
    free(path);
}

/* `failed`, and the directories at and above the one it began in. */
static void block_words(const json_t *block, struct bytes *out)
{
    const char *name = json_text(block, "cwd", "");
    bytes_append_text(out, json_number(block, "exit_code", 0) ? "failed " : "");
    for (size_t len = strlen(name); len > 0 && *name == '/'; len--)
        if (len == 1 || !name[len] || name[len] == '/') {
            index_directory_word(name, len, out);
            bytes_append_char(out, ' ');
        }
}

static void add_row(struct harvest *h, int64_t id, const json_t *block, const struct output *output)
{
    sqlite3_stmt *s = h->add_block;
    const json_t *code = json_object_get(block, "exit_code");
    if (!s)
        return;
    sqlite3_bind_text(s, 6, json_text(block, "status", ""), -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 7, json_text(block, "cwd", ""), -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 8, output->whole);
    sqlite3_bind_int64(s, 9, output->tail);
    sqlite3_bind_text(s, 10, json_text(block, "cmd", ""), -1, SQLITE_STATIC);
    sqlite3_bind_null(s, 5);
    if (json_is_integer(code))
        sqlite3_bind_int64(s, 5, json_integer_value(code));
    ASK(h, s, id, json_number(block, "ts_begin", 0), json_number(block, "ts_end", 0),
        json_number(block, "duration_ms", 0));
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

static void add_ended(struct harvest *h, const json_t *block)
{
    int64_t seq = json_number(block, "seq", 0), id = index_block(h->session, seq);
    const char *cmd = json_text(block, "cmd", "");
    struct output output;
    struct bytes words = {0};
    block_words(block, &words);
    read_output(block, h->directory, &output);
    struct adding adding = {.part = {.block = id},
                            .ended = json_number(block, "ts_end", 0),
                            .words = words.data ? words.data : ""};
    add_text(h, adding, cmd, strlen(cmd));
    adding.part.line = output.line;
    adding.part.output = 1;
    add_text(h, adding, output.text.data, output.text.len);
    add_row(h, id, block, &output);
    h->bytes += (int64_t)(strlen(cmd) + output.text.len);
    h->last = seq;
    bytes_finish(&output.text);
    bytes_finish(&words);
    rest(h);
}

/* Of a block without an end that another follows nobody knows one; one that is the last runs. */
static void add(struct harvest *h, json_t *block)
{
    if (h->running)
        add_ended(h, h->running);
    json_decref(h->running);
    h->running = NULL;
    if (!strcmp(json_text(block, "status", ""), "running"))
        h->running = json_incref(block);
    else if (json_number(block, "seq", 0) > 0)
        add_ended(h, block);
}

void harvest_running(const json_t *block, const char *directory, int64_t id, struct sheet *sheet)
{
    const char *cmd = json_text(block, "cmd", "");
    struct output output;
    read_output(block, directory, &output);
    sheet_add(sheet, (struct sheet_part){.block = id}, cmd, strlen(cmd));
    sheet_add(sheet, (struct sheet_part){.block = id, .output = 1, .line = output.line},
              output.text.data ? output.text.data : "", output.text.len);
    bytes_finish(&output.text);
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

#define ALL (INT64_C(1) << 39) /* more than any number */

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

static void read_all(struct harvest *h)
{
    struct block_reader *reader = block_reader_open(h->directory, 0, false);
    json_t *block;
    for (int found; (found = block_reader_next(reader, &block)) >= 0 && !index_failure(h->index);)
        if (found) {
            add(h, block);
            json_decref(block);
        }
    h->bytes += (int64_t)block_reader_passed(reader);
    block_reader_close(reader);
}

static void read_new(struct harvest *h)
{
    uint64_t after = (uint64_t)h->last;
    bool all = false;
    reopen_sheet(h);
    while (!all && !index_failure(h->index)) {
        json_t *blocks = block_lines_after(h->directory, after, LIMIT_BLOCKS_PAGE_BYTES, &all);
        size_t i;
        json_t *block;
        json_array_foreach(blocks, i, block) {
            add(h, block);
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

/* What the bound on files in blocks/ took: of those outputs the previews are left. */
static void forget_outputs(struct harvest *h)
{
    char *path = text_format("%s/blocks", h->directory);
    DIR *directory = opendir(path);
    struct dirent *entry;
    int64_t oldest = ALL;
    while (directory && (entry = readdir(directory))) {
        long long seq = atoll(entry->d_name);
        oldest = seq > 0 && seq < oldest ? seq : oldest;
    }
    if (directory)
        closedir(directory);
    free(path);
    run(h, "UPDATE blocks SET whole = 0 WHERE id >= ? AND id < ? AND whole AND tail > 0",
        index_block(h->session, 0), index_block(h->session, oldest), 0);
}

static void begin_session(struct harvest *h, const struct harvest_session *session)
{
    h->session = session->id;
    h->last = session->last;
    if (h->session)
        return;
    sqlite3_stmt *s = index_prepare(h->index, "INSERT INTO sessions(name) VALUES(?)");
    if (s)
        sqlite3_bind_text(s, 1, session->name, -1, SQLITE_STATIC);
    index_step(h->index, s);
    sqlite3_finalize(s);
    h->session = index_last_rowid(h->index);
}

static void end_session(struct harvest *h, const struct harvest_file *file)
{
    sqlite3_stmt *s = index_prepare(h->index, "UPDATE sessions SET inode = ?, size = ?, mtime = ?,"
                                              " last = ?, running = ?6 WHERE id = ?5");
    char *running = h->running ? json_dumps(h->running, JSON_COMPACT) : NULL;
    end_sheet(h);
    if (s && running)
        sqlite3_bind_text(s, 6, running, -1, SQLITE_STATIC);
    ASK(h, s, file->inode, file->size, file->mtime, h->last, h->session);
    sqlite3_finalize(s);
    free(running);
    json_decref(h->running);
    h->running = NULL;
}

int64_t harvest_read(struct harvest *h, const struct harvest_session *session,
                     const char *directory, const struct harvest_file *file)
{
    int64_t gone = 0;
    h->directory = directory;
    begin_session(h, session);
    if (session->id && goes_on(h, session, file)) {
        gone = forget_blocks(h);
        read_new(h);
    } else {
        remove_all(h, h->session);
        h->last = 0;
        run(h, "UPDATE sessions SET inode = ?2, size = 0, running = NULL WHERE id = ?1", h->session,
            file->inode, 0);
        read_all(h);
    }
    forget_outputs(h);
    end_session(h, file);
    return gone;
}
