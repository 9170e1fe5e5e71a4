/* The words of the pattern say which sheets may hold it; those are looked through, the newest
 * first, until none of the others can have a newer result than those that were found. */
#define _GNU_SOURCE
#include "ptyd/search/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "ptyd/core/json.h"
#include "ptyd/core/text.h"
#include "ptyd/search/fold.h"
#include "ptyd/search/grams.h"
#include "ptyd/search/harvest.h"
#include "ptyd/search/results.h"
#include "ptyd/search/sheet.h"

#define GRAM_BYTES 64 /* of a pattern whose words are asked for; the rest is looked at */

struct candidate {
    int64_t id, newest;
    bool wanted;
};

struct find {
    struct index *index;
    const char *state;
    const struct find_query *query;
    struct find_answer *answer;
    struct bytes pattern; /* folded where case is ignored */
    sqlite3_stmt *row, *sheet_row;
    int64_t session; /* rowid of the one that is asked for; 0: all */

    struct candidate *candidates;
    size_t candidate_count;

    struct results *results;

    struct sheet sheet;
    struct bytes folded;   /* its text */
    int64_t block;         /* looked at last, */
    struct result *result; /* NULL where it is not wanted; good until the next is added */
    const json_t *running; /* the block in `sheet`, where it is one that runs */
    bool whole;
    int64_t tail;
};

/* ---- which blocks are wanted ---- */

static bool is_below(const char *directory, const char *name)
{
    size_t len = name ? strlen(name) : 0;
    return len && !strncmp(directory, name, len) &&
           (!directory[len] || directory[len] == '/' || name[len - 1] == '/');
}

static bool wants(const struct find *f, int64_t begun, bool failed, const char *cwd)
{
    const struct find_query *q = f->query;
    return begun >= q->since_ms && (failed || !q->failed) &&
           (!q->directories[0] || is_below(cwd, q->directories[0]) ||
            is_below(cwd, q->directories[1]));
}

static char *session_name(struct find *f, int64_t block)
{
    sqlite3_stmt *s = index_prepare(f->index, "SELECT name FROM sessions WHERE id = ?");
    if (s)
        sqlite3_bind_int64(s, 1, index_block_session(block));
    char *name = text_copy(index_step(f->index, s) ? (const char *)sqlite3_column_text(s, 0) : "");
    sqlite3_finalize(s);
    return name;
}

static const char *column(sqlite3_stmt *s, int at)
{
    const char *text = (const char *)sqlite3_column_text(s, at);
    return text ? text : "";
}

/* Of a row as find_run() asks for it. */
static json_t *head_of_row(struct find *f, int64_t block)
{
    sqlite3_stmt *s = f->row;
    char *name = session_name(f, block);
    long long seq = index_block_seq(block), begin = sqlite3_column_int64(s, 0);
    char *id = text_format("%s:%lld:%lld", name, seq, begin);
    bool known = sqlite3_column_type(s, 3) != SQLITE_NULL;
    json_t *json = json_pack(
        "{s:s, s:s, s:I, s:s, s:s, s:o, s:s, s:I, s:I, s:I}", "block_id", id, "conversation_id",
        name, "seq", seq, "cmd", column(s, 8), "cwd", column(s, 5), "exit_code",
        known ? json_integer(sqlite3_column_int64(s, 3)) : json_null(), "status", column(s, 4),
        "ts_begin", begin, "ts_end", (json_int_t)sqlite3_column_int64(s, 1), "duration_ms",
        (json_int_t)sqlite3_column_int64(s, 2));
    free(id);
    free(name);
    return json;
}

static json_t *head_of_json(const json_t *block)
{
    static const char *const names[] = {"block_id", "conversation_id", "seq",    "cmd",
                                        "cwd",      "exit_code",       "status", "ts_begin",
                                        "ts_end",   "duration_ms"};
    json_t *json = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_object_set(json, names[i], json_object_get(block, names[i]));
    return json;
}

/* One of the index; without a row it is gone. */
static struct result *look_up(struct find *f, int64_t block)
{
    sqlite3_stmt *s = f->row;
    struct result *result = NULL;
    if (s)
        sqlite3_bind_int64(s, 1, block);
    if (!index_step(f->index, s))
        return NULL;
    int64_t ended = sqlite3_column_int64(s, 1);
    f->whole = sqlite3_column_int(s, 6);
    f->tail = sqlite3_column_int64(s, 7);
    if (wants(f, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 3) != 0, column(s, 5))) {
        result = results_find(f->results, block);
        if (!result)
            result = results_begin(f->results, block, ended, head_of_row(f, block));
        else if (result_runs(result))
            result_end(result, ended, head_of_row(f, block));
    }
    sqlite3_reset(s);
    return result;
}

static struct result *look_at_running(struct find *f, int64_t block)
{
    f->whole = true;
    return wants(f, json_number(f->running, "ts_begin", 0), false, json_text(f->running, "cwd", ""))
               ? results_begin(f->results, block, RESULT_RUNNING, head_of_json(f->running))
               : NULL;
}

/* ---- matches ---- */

static void note_match(struct find *f, const struct match *m, const char *text)
{
    if (m->part->block != f->block) {
        f->block = m->part->block;
        f->result = f->running ? look_at_running(f, f->block) : look_up(f, f->block);
    }
    if (f->result && (!m->part->output || f->whole || m->line >= f->tail))
        result_note(f->result, m, text);
}

/* The next match of a part at `start` or behind. */
static bool next_match(struct find *f, const struct sheet_part *part, size_t start,
                       size_t *ret_from, size_t *ret_to)
{
    const struct find_query *q = f->query;
    const char *text = f->sheet.text.data + part->at;
    if (q->regex) {
        enum regex_result result =
            regex_search(q->regex, text, part->len, start, false, ret_from, ret_to);
        f->answer->unknown += result == REGEX_LIMIT;
        return result == REGEX_FOUND && *ret_from < part->len;
    }
    const char *in = q->ignore_case ? f->folded.data + part->at : text;
    const char *found = memmem(in + start, part->len - start, f->pattern.data, f->pattern.len);
    if (!found)
        return false;
    *ret_from = (size_t)(found - in);
    *ret_to = *ret_from + f->pattern.len;
    return true;
}

static uint32_t lines_between(const char *text, size_t from, size_t to)
{
    uint32_t count = 0;
    for (const char *at = text + from; (at = memchr(at, '\n', to - (size_t)(at - text))); at++)
        count++;
    return count;
}

/* Each line that matches once. */
static void search_part(struct find *f, const struct sheet_part *part)
{
    const char *text = f->sheet.text.data + part->at;
    struct match m = {.part = part, .line = part->line};
    size_t counted = 0;
    for (size_t start = 0; start < part->len && next_match(f, part, start, &m.from, &m.to);) {
        const char *before = memrchr(text, '\n', m.from);
        size_t back = m.to > m.from && text[m.to - 1] == '\n' ? m.to - 1 : m.to;
        const char *after = memchr(text + back, '\n', part->len - back);
        m.begin = before ? (size_t)(before - text) + 1 : 0;
        m.end = after ? (size_t)(after - text) : part->len;
        m.to = m.to > m.end ? m.end : m.to;
        m.line += lines_between(text, counted, m.begin);
        counted = m.begin;
        note_match(f, &m, text);
        start = m.end + 1;
    }
}

static void search_sheet(struct find *f)
{
    const struct find_query *q = f->query;
    struct bytes *text = &f->sheet.text;
    f->block = -1;
    if (!q->regex && q->ignore_case) {
        f->folded.len = 0;
        bytes_append(&f->folded, text->data, text->len);
        fold_text(f->folded.data, f->folded.len);
        text = &f->folded;
    }
    if (!q->regex && !memmem(text->data, text->len, f->pattern.data, f->pattern.len))
        return;
    for (size_t i = 0; i < sheet_count(&f->sheet); i++)
        if (sheet_part(&f->sheet, i)->output ? q->output : q->command)
            search_part(f, sheet_part(&f->sheet, i));
}

/* ---- which sheets may hold it ---- */

static void join(struct bytes *out, const char *by)
{
    if (out->len)
        bytes_append_text(out, by);
}

static void append_text_words(const struct find *f, struct bytes *out)
{
    struct bytes either = {0};
    size_t len = utf8_floor(f->pattern.data, f->pattern.len, GRAM_BYTES);
    struct bytes folded = {0};
    bytes_append(&folded, f->pattern.data, len);
    fold_text(folded.data, folded.len);
    for (int output = 0; output < 2; output++) {
        struct bytes words = {0};
        if ((output ? f->query->output : f->query->command) &&
            grams_query(folded.data, folded.len, output ? "" : "c", &words)) {
            join(&either, " OR ");
            bytes_printf(&either, "(%s)", words.data);
        }
        bytes_finish(&words);
    }
    if (either.len) {
        join(out, " AND ");
        bytes_printf(out, "(%s)", either.data);
    }
    bytes_finish(&folded);
    bytes_finish(&either);
}

static void append_directory_words(const struct find *f, struct bytes *out)
{
    char *const *names = f->query->directories;
    if (!names[0])
        return;
    join(out, " AND ");
    bytes_append_char(out, '(');
    for (int i = 0; i < 2 && names[i]; i++) {
        bytes_append_text(out, i ? " OR " : "");
        index_directory_word(names[i], strlen(names[i]), out);
    }
    bytes_append_char(out, ')');
}

/* What FTS5 is asked; empty where every sheet may hold it. */
static void words_wanted(const struct find *f, struct bytes *out)
{
    if (!f->query->regex)
        append_text_words(f, out);
    append_directory_words(f, out);
    if (f->query->failed) {
        join(out, " AND ");
        bytes_append_text(out, "failed");
    }
}

static int by_id(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_newest(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->wanted != y->wanted)
        return x->wanted ? -1 : 1;
    if (x->newest != y->newest)
        return x->newest > y->newest ? -1 : 1;
    return by_id(a, b);
}

static void list_sheets(struct find *f)
{
    sqlite3_stmt *s = index_prepare(f->index, "SELECT id, newest FROM sheets WHERE newest >= ?1"
                                              " AND (?2 = 0 OR session = ?2)");
    size_t room = 0;
    if (s) {
        sqlite3_bind_int64(s, 1, f->query->since_ms);
        sqlite3_bind_int64(s, 2, f->session);
    }
    while (index_step(f->index, s)) {
        if (f->candidate_count == room) {
            room = room ? 2 * room : 1024;
            f->candidates = memory_grow(f->candidates, room * sizeof *f->candidates);
        }
        f->candidates[f->candidate_count++] = (struct candidate){
            .id = sqlite3_column_int64(s, 0), .newest = sqlite3_column_int64(s, 1)};
    }
    sqlite3_finalize(s);
}

/* FTS5 gives them in order. */
static void mark_wanted(struct find *f, const struct bytes *words)
{
    sqlite3_stmt *s =
        words->len ? index_prepare(f->index, "SELECT rowid FROM words WHERE words MATCH ?") : NULL;
    for (size_t i = 0; i < f->candidate_count; i++)
        f->candidates[i].wanted = !words->len;
    if (s)
        sqlite3_bind_text(s, 1, words->data, (int)words->len, SQLITE_STATIC);
    while (index_step(f->index, s)) {
        struct candidate key = {.id = sqlite3_column_int64(s, 0)};
        struct candidate *found =
            f->candidate_count
                ? bsearch(&key, f->candidates, f->candidate_count, sizeof *f->candidates, by_id)
                : NULL;
        if (found)
            found->wanted = true;
    }
    sqlite3_finalize(s);
}

static void choose_sheets(struct find *f)
{
    struct bytes words = {0};
    words_wanted(f, &words);
    list_sheets(f);
    if (f->candidate_count)
        qsort(f->candidates, f->candidate_count, sizeof *f->candidates, by_id);
    mark_wanted(f, &words);
    if (f->candidate_count)
        qsort(f->candidates, f->candidate_count, sizeof *f->candidates, by_newest);
    bytes_finish(&words);
}

/* ---- the search ---- */

static void search_sheets(struct find *f)
{
    for (size_t i = 0; i < f->candidate_count && f->candidates[i].wanted; i++) {
        sqlite3_stmt *s = f->sheet_row;
        if (results_since(f->results, f->candidates[i].newest) > f->query->last)
            return;
        if (s)
            sqlite3_bind_int64(s, 1, f->candidates[i].id);
        if (index_step(f->index, s) &&
            sheet_load(&f->sheet, sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0),
                       sqlite3_column_blob(s, 1), (size_t)sqlite3_column_bytes(s, 1)))
            search_sheet(f);
        if (s)
            sqlite3_reset(s);
    }
}

/* Their output grows without a word in blocks.jsonl: it is read now. */
static void search_running(struct find *f)
{
    sqlite3_stmt *s = index_prepare(f->index, "SELECT id, name, running FROM sessions WHERE"
                                              " running IS NOT NULL AND (?1 = 0 OR id = ?1)");
    if (s)
        sqlite3_bind_int64(s, 1, f->session);
    while (index_step(f->index, s)) {
        json_t *block = json_loads(column(s, 2), 0, NULL);
        char *directory = text_format("%s/conversations/%s/agent_pty", f->state, column(s, 1));
        int64_t id = index_block(sqlite3_column_int64(s, 0), json_number(block, "seq", 0));
        sheet_finish(&f->sheet);
        f->running = block;
        harvest_running(block, directory, id, &f->sheet);
        search_sheet(f);
        f->running = NULL;
        free(directory);
        json_decref(block);
    }
    sqlite3_finalize(s);
}

/* 0 for all, -1 where the index knows no such session. */
static int64_t session_wanted(struct find *f)
{
    if (!f->query->session)
        return 0;
    sqlite3_stmt *s = index_prepare(f->index, "SELECT id FROM sessions WHERE name = ?");
    if (s)
        sqlite3_bind_text(s, 1, f->query->session, -1, SQLITE_STATIC);
    int64_t id = index_step(f->index, s) ? sqlite3_column_int64(s, 0) : -1;
    sqlite3_finalize(s);
    return id;
}

static size_t count_ends(struct find *f)
{
    sqlite3_stmt *s = index_prepare(f->index, "SELECT count(*) FROM blocks WHERE NOT whole");
    size_t count = index_step(f->index, s) ? (size_t)sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return count;
}

void find_run(struct index *index, const char *state, const struct find_query *query,
              struct find_answer *ret)
{
    struct find f = {
        .index = index, .state = state, .query = query, .answer = ret, .results = results_new()};
    *ret = (struct find_answer){.results = json_array()};
    index_run(index, "BEGIN"); /* one state of it, whoever writes meanwhile */
    bytes_append_text(&f.pattern, query->pattern);
    if (query->ignore_case)
        fold_text(f.pattern.data, f.pattern.len);
    f.row = index_prepare(index, "SELECT ts_begin, ts_end, duration_ms, exit_code, status, cwd,"
                                 " whole, tail, cmd FROM blocks WHERE id = ?");
    f.sheet_row = index_prepare(index, "SELECT text, parts FROM sheets WHERE id = ?");
    f.session = session_wanted(&f);
    search_running(&f);
    choose_sheets(&f);
    search_sheets(&f);
    ret->more = results_list(f.results, query->last, ret->results);
    if (!json_array_size(ret->results))
        ret->ends = count_ends(&f);
    sqlite3_finalize(f.row);
    sqlite3_finalize(f.sheet_row);
    index_run(index, "COMMIT");
    free(f.candidates);
    results_free(f.results);
    sheet_finish(&f.sheet);
    bytes_finish(&f.folded);
    bytes_finish(&f.pattern);
}
