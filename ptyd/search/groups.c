#include "ptyd/search/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/search/fold.h"
#include "ptyd/search/sheet.h"

#define SHEETS LIMIT_SEARCH_GROUP
#define WORDS  (GRAMS_BITS / 64) /* of a signature */
#define ROW    (SHEETS / 64)     /* words that say which sheets have a bit */
#define SLICES WORDS             /* rows of 64 bits each stand together */
#define LEAST  (SHEETS / 4)      /* sheets that a group has left */
#define FEW    1

_Static_assert(SHEETS % 64 == 0, "a word knows 64 sheets");

struct groups {
    struct index *index;
    int64_t loose; /* sheets in no group */
    uint64_t (*signatures)[WORDS];
    struct grams *words[2]; /* of commands, of outputs */
};

/* A sheet of a group. */
struct column {
    int64_t sheet, newest, session;
};

static int64_t number(struct index *ix, const char *sql, int64_t value)
{
    sqlite3_stmt *s = index_prepare(ix, sql);
    if (s && sqlite3_bind_parameter_count(s))
        sqlite3_bind_int64(s, 1, value);
    int64_t result = index_step(ix, s) ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return result;
}

/* Behind the last sheet that is in one. */
static int64_t last_grouped(struct index *ix)
{
    return number(ix, "SELECT coalesce(max(last), 0) FROM groups", 0);
}

/* ---- a new one ---- */

/* All of one kind, one behind the other: each part ends in controls. */
static void gather(const struct sheet *sheet, bool output, struct bytes *out)
{
    out->len = 0;
    for (size_t i = 0; i < sheet_count(sheet); i++) {
        const struct sheet_part *part = sheet_part(sheet, i);
        if ((part->output != 0) == output)
            bytes_append(out, sheet->text.data + part->at, part->len);
    }
    if (out->len)
        fold_text(out->data, out->len);
}

static void sign(struct groups *g, const struct sheet *sheet, uint64_t *signature)
{
    struct bytes text = {0};
    for (int output = 0; output < 2; output++) {
        gather(sheet, output, &text);
        if (!text.len)
            continue;
        grams_sign(text.data, text.len, output, signature);
        grams_add(g->words[output], text.data, text.len);
    }
    bytes_finish(&text);
}

static void sign_hashes(const void *hashes, size_t len, uint64_t *signature)
{
    for (size_t at = 0; at + 8 <= len; at += 8) {
        uint64_t hash;
        memcpy(&hash, (const char *)hashes + at, sizeof hash);
        grams_sign_hash(hash, signature);
    }
}

/* The sheet of a row as read_sheets() asks for it. */
static struct column read_sheet(struct groups *g, sqlite3_stmt *s, uint64_t *signature)
{
    struct sheet sheet = {0};
    if (sheet_load(&sheet, sqlite3_column_blob(s, 5), (size_t)sqlite3_column_bytes(s, 5),
                   sqlite3_column_blob(s, 4), (size_t)sqlite3_column_bytes(s, 4)))
        sign(g, &sheet, signature);
    sign_hashes(sqlite3_column_blob(s, 3), (size_t)sqlite3_column_bytes(s, 3), signature);
    sheet_finish(&sheet);
    return (struct column){.sheet = sqlite3_column_int64(s, 0),
                           .newest = sqlite3_column_int64(s, 2),
                           .session = sqlite3_column_int64(s, 1)};
}

/* Returns how many there are. */
static size_t read_sheets(struct groups *g, struct column columns[SHEETS])
{
    sqlite3_stmt *s = index_prepare(g->index, "SELECT id, session, newest, words, parts, text"
                                              " FROM sheets WHERE id > ? ORDER BY id LIMIT ?");
    size_t count = 0;
    if (s) {
        sqlite3_bind_int64(s, 1, last_grouped(g->index));
        sqlite3_bind_int64(s, 2, SHEETS);
    }
    while (index_step(g->index, s)) {
        columns[count] = read_sheet(g, s, g->signatures[count]);
        count++;
    }
    sqlite3_finalize(s);
    return count;
}

/* Bit j of word i becomes bit i of word j. */
static void transpose(uint64_t words[64])
{
    uint64_t mask = UINT64_C(0xffffffff);
    for (unsigned step = 32; step; step >>= 1, mask ^= mask << step)
        for (unsigned i = 0; i < 64; i = ((i | step) + 1) & ~step) {
            uint64_t differ = (words[i] >> step ^ words[i | step]) & mask;
            words[i | step] ^= differ;
            words[i] ^= differ << step;
        }
}

/* The rows of the 64 bits that word `at` of the signatures holds. */
static void slice(const struct groups *g, size_t at, uint64_t rows[64][ROW])
{
    for (size_t part = 0; part < ROW; part++) {
        uint64_t words[64];
        for (size_t i = 0; i < 64; i++)
            words[i] = g->signatures[64 * part + i][at];
        transpose(words);
        for (size_t i = 0; i < 64; i++)
            rows[i][part] = words[i];
    }
}

static void write_slices(struct groups *g, int64_t group)
{
    sqlite3_stmt *s = index_prepare(g->index, "INSERT INTO slices(id, rows) VALUES(?, ?)");
    uint64_t rows[64][ROW];
    for (size_t at = 0; s && at < SLICES; at++) {
        slice(g, at, rows);
        sqlite3_bind_int64(s, 1, group * SLICES + (int64_t)at);
        sqlite3_bind_blob(s, 2, rows, sizeof rows, SQLITE_STATIC);
        index_step(g->index, s);
    }
    sqlite3_finalize(s);
}

/* `grams`: those of commands, then those of outputs. */
static void run_words(struct groups *g, const char *sql, int64_t group, const struct bytes grams[2])
{
    sqlite3_stmt *s = index_prepare(g->index, sql);
    struct bytes words = {0};
    for (int output = 0; output < 2; output++)
        grams_write(&grams[output], output, &words);
    if (s) {
        sqlite3_bind_int64(s, 1, group);
        sqlite3_bind_text(s, 2, words.data ? words.data : "", (int)words.len, SQLITE_STATIC);
    }
    index_step(g->index, s);
    sqlite3_finalize(s);
    bytes_finish(&words);
}

static void bind_bytes(sqlite3_stmt *s, int at, const struct bytes *bytes)
{
    sqlite3_bind_blob(s, at, bytes->data ? bytes->data : "", (int)bytes->len, SQLITE_STATIC);
}

static void write_group(struct groups *g, const struct column columns[SHEETS])
{
    struct bytes grams[2] = {0};
    sqlite3_stmt *s = index_prepare(g->index, "INSERT INTO groups(last, live, columns, commands,"
                                              " outputs) VALUES(?, ?, ?, ?, ?)");
    for (int output = 0; output < 2; output++)
        grams_take(g->words[output], &grams[output]);
    if (s) {
        sqlite3_bind_int64(s, 1, columns[SHEETS - 1].sheet);
        sqlite3_bind_int64(s, 2, SHEETS);
        sqlite3_bind_blob(s, 3, columns, SHEETS * sizeof *columns, SQLITE_STATIC);
        bind_bytes(s, 4, &grams[0]);
        bind_bytes(s, 5, &grams[1]);
    }
    index_step(g->index, s);
    sqlite3_finalize(s);
    int64_t group = index_last_rowid(g->index);
    run_words(g, "INSERT INTO words(rowid, word) VALUES(?, ?)", group, grams);
    write_slices(g, group);
    bytes_finish(&grams[0]);
    bytes_finish(&grams[1]);
}

static void make_group(struct groups *g)
{
    struct column columns[SHEETS];
    if (!g->signatures) {
        g->signatures = memory_new(SHEETS * sizeof *g->signatures);
        g->words[0] = grams_create(false);
        g->words[1] = grams_create(true);
    }
    memset(g->signatures, 0, SHEETS * sizeof *g->signatures);
    if (read_sheets(g, columns) == SHEETS)
        write_group(g, columns);
    g->loose = 0;
}

/* ---- an old one ---- */

/* Its sheets become the last ones, and are in none again. */
static void dissolve(struct groups *g, sqlite3_stmt *row)
{
    int64_t group = sqlite3_column_int64(row, 0), last = sqlite3_column_int64(row, 1);
    struct bytes grams[2] = {0};
    for (int i = 0; i < 2; i++)
        bytes_append(&grams[i], sqlite3_column_blob(row, 2 + i),
                     (size_t)sqlite3_column_bytes(row, 2 + i));
    int64_t before =
        number(g->index, "SELECT coalesce(max(last), 0) FROM groups WHERE last < ?", last);
    int64_t end = number(g->index, "SELECT max(id) FROM sheets", 0);
    run_words(g, "INSERT INTO words(words, rowid, word) VALUES('delete', ?, ?)", group, grams);
    char *sql = sqlite3_mprintf("DELETE FROM slices WHERE id >= %lld AND id < %lld;"
                                "DELETE FROM groups WHERE id = %lld;"
                                "UPDATE sheets SET id = id + %lld WHERE id > %lld AND id <= %lld;"
                                /* an UPDATE leaves it: numbers are never given twice */
                                "UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max("
                                "id), 0) FROM sheets)) WHERE name = 'sheets'",
                                group * SLICES, (group + 1) * SLICES, group,
                                (end > last ? end : last) - before, before, last);
    if (!sql)
        memory_end();
    index_run(g->index, sql);
    sqlite3_free(sql);
    bytes_finish(&grams[0]);
    bytes_finish(&grams[1]);
}

static bool dissolve_one(struct groups *g)
{
    sqlite3_stmt *s = index_prepare(
        g->index, "SELECT id, last, commands, outputs FROM groups WHERE live < ? LIMIT 1");
    if (s)
        sqlite3_bind_int64(s, 1, LEAST);
    bool found = index_step(g->index, s);
    if (found)
        dissolve(g, s);
    sqlite3_finalize(s);
    return found && !index_failure(g->index);
}

void groups_remove_sheet(struct groups *g, int64_t sheet)
{
    sqlite3_stmt *s = index_prepare(g->index, "UPDATE groups SET live = live - 1 WHERE id = (SELECT"
                                              " id FROM groups WHERE last >= ? ORDER BY last"
                                              " LIMIT 1)");
    bool grouped = sheet <= last_grouped(g->index);
    if (s)
        sqlite3_bind_int64(s, 1, sheet);
    index_step(g->index, s);
    sqlite3_finalize(s);
    g->loose -= !grouped && g->loose > 0;
}

/* ---- life ---- */

static int64_t count_loose(struct index *ix)
{
    return number(ix, "SELECT count(*) FROM (SELECT session FROM sheets WHERE id > ?)",
                  last_grouped(ix));
}

struct groups *groups_begin(struct index *index)
{
    struct groups *g = memory_new(sizeof *g);
    *g = (struct groups){.index = index, .loose = count_loose(index)};
    return g;
}

void groups_add_sheet(struct groups *g)
{
    if (++g->loose >= SHEETS)
        make_group(g);
}

void groups_end(struct groups *g)
{
    while (dissolve_one(g))
        ;
    for (g->loose = count_loose(g->index); g->loose >= SHEETS && !index_failure(g->index);
         g->loose = count_loose(g->index))
        make_group(g);
    grams_destroy(g->words[0]);
    grams_destroy(g->words[1]);
    free(g->signatures);
    free(g);
}

/* ---- asking ---- */

struct asking {
    struct index *index;
    sqlite3_stmt *slice;
    int64_t group;
};

static void and_row(struct asking *a, uint32_t bit, uint64_t have[ROW])
{
    sqlite3_stmt *s = a->slice;
    if (s)
        sqlite3_bind_int64(s, 1, a->group * SLICES + (bit >> 6));
    const char *rows = index_step(a->index, s) ? sqlite3_column_blob(s, 0) : NULL;
    if (rows && sqlite3_column_bytes(s, 0) == 64 * ROW * 8)
        for (size_t i = 0; i < ROW; i++) {
            uint64_t row;
            memcpy(&row, rows + ((bit & 63) * ROW + i) * 8, sizeof row);
            have[i] &= row;
        }
    if (s)
        sqlite3_reset(s);
}

/* Whether so few are left that looking through them costs less than a further row. */
static bool is_few(const uint64_t have[ROW])
{
    int count = 0;
    for (size_t i = 0; i < ROW; i++)
        count += __builtin_popcountll(have[i]);
    return count <= FEW;
}

static void and_condition(struct asking *a, const struct groups_condition *c, uint64_t have[ROW])
{
    uint64_t either[ROW] = {0};
    for (size_t k = 0; k < c->count; k++) {
        uint64_t all[ROW];
        memcpy(all, have, sizeof all);
        for (size_t i = 0; i < c->either[k].count && !is_few(all); i++)
            and_row(a, c->either[k].bits[i], all);
        for (size_t i = 0; i < ROW; i++)
            either[i] |= all[i];
    }
    memcpy(have, either, sizeof either);
}

static void ask_group(struct asking *a, const struct groups_question *q, const void *columns,
                      groups_found *found, void *user)
{
    uint64_t have[ROW];
    memset(have, 0xff, sizeof have);
    for (size_t i = 0; i < q->count && !is_few(have); i++)
        and_condition(a, &q->conditions[i], have);
    for (size_t i = 0; i < SHEETS; i++) {
        struct column column;
        memcpy(&column, (const char *)columns + i * sizeof column, sizeof column);
        if (have[i >> 6] >> (i & 63) & 1)
            found(user, column.sheet, column.newest, column.session);
    }
}

static void ask_groups(struct index *ix, const struct groups_question *q, groups_found *found,
                       void *user)
{
    static const char all[] = "SELECT id, columns FROM groups";
    static const char some[] = "SELECT id, columns FROM groups WHERE id IN"
                               " (SELECT rowid FROM words WHERE words MATCH ?)";
    struct asking a = {.index = ix,
                       .slice = index_prepare(ix, "SELECT rows FROM slices WHERE id = ?")};
    sqlite3_stmt *s = index_prepare(ix, q->words.len ? some : all);
    if (s && q->words.len)
        sqlite3_bind_text(s, 1, q->words.data, (int)q->words.len, SQLITE_STATIC);
    while (index_step(ix, s)) {
        a.group = sqlite3_column_int64(s, 0);
        if (sqlite3_column_bytes(s, 1) == SHEETS * sizeof(struct column))
            ask_group(&a, q, sqlite3_column_blob(s, 1), found, user);
    }
    sqlite3_finalize(s);
    sqlite3_finalize(a.slice);
}

void groups_ask(struct index *ix, const struct groups_question *q, groups_found *found, void *user)
{
    ask_groups(ix, q, found, user);
    sqlite3_stmt *s = index_prepare(ix, "SELECT id, newest, session FROM sheets WHERE id >"
                                        " (SELECT coalesce(max(last), 0) FROM groups)");
    while (index_step(ix, s))
        found(user, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1),
              sqlite3_column_int64(s, 2));
    sqlite3_finalize(s);
}
