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
#include "ptyd/search/groups.h"
#include "ptyd/search/harvest.h"
#include "ptyd/search/results.h"
#include "ptyd/search/sheet.h"

#define GRAM_BYTES 64 /* of a pattern whose words are asked for; the rest is looked at */

struct candidate {
    int64_t id, newest;
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
    size_t candidate_count, candidate_room;

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

/* The text, or what is asked of it: the first bytes of a long one. */
static void add_text(const struct find *f, struct groups_question *q)
{
    struct groups_condition *c = &q->conditions[q->count++];
    size_t len = utf8_floor(f->pattern.data, f->pattern.len, GRAM_BYTES);
    struct bytes folded = {0};
    bool every = true; /* alternative has words */
    bytes_append(&folded, f->pattern.data, len);
    fold_text(folded.data, folded.len);
    for (int output = 0; output < 2; output++) {
        if (!(output ? f->query->output : f->query->command))
            continue;
        struct groups_bits *bits = &c->either[c->count++];
        bits->count = grams_bits(folded.data, folded.len, output, bits->bits);
        bytes_append_text(&q->words, q->words.len ? " OR (" : "(");
        every = grams_query(folded.data, folded.len, output, &q->words) && every;
        bytes_append_char(&q->words, ')');
    }
    q->words.len = every ? q->words.len : 0;
    bytes_finish(&folded);
}

static void add_directories(const struct find *f, struct groups_question *q)
{
    char *const *names = f->query->directories;
    struct groups_condition *c = &q->conditions[q->count++];
    for (int i = 0; i < 2 && names[i]; i++) {
        struct groups_bits *bits = &c->either[c->count++];
        uint64_t hash = index_directory_hash(names[i], strlen(names[i]));
        bits->count = grams_bits_of_hash(hash, bits->bits);
    }
}

static void add_failed(struct groups_question *q)
{
    struct groups_condition *c = &q->conditions[q->count++];
    c->count = 1;
    c->either->count = grams_bits_of_hash(INDEX_FAILED, c->either->bits);
}

static void on_sheet(void *user, int64_t sheet, int64_t newest, int64_t session)
{
    struct find *f = user;
    if (newest < f->query->since_ms || (f->session && session != f->session))
        return;
    if (f->candidate_count == f->candidate_room) {
        f->candidate_room = f->candidate_room ? 2 * f->candidate_room : 1024;
        f->candidates = memory_grow(f->candidates, f->candidate_room * sizeof *f->candidates);
    }
    f->candidates[f->candidate_count++] = (struct candidate){.id = sheet, .newest = newest};
}

static int by_newest(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->newest != y->newest)
        return x->newest > y->newest ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void choose_sheets(struct find *f)
{
    struct groups_question question = {0};
    if (!f->query->regex)
        add_text(f, &question);
    if (f->query->directories[0])
        add_directories(f, &question);
    if (f->query->failed)
        add_failed(&question);
    groups_ask(f->index, &question, on_sheet, f);
    if (f->candidate_count)
        qsort(f->candidates, f->candidate_count, sizeof *f->candidates, by_newest);
    bytes_finish(&question.words);
}

/* ---- the search ---- */

static void search_sheets(struct find *f)
{
    for (size_t i = 0; i < f->candidate_count; i++) {
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
        sheet_finish(&f->sheet);
        f->running = block;
        harvest_running(column(s, 2), directory, sqlite3_column_int64(s, 0), &f->sheet);
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

static bool has_ends(struct find *f)
{
    sqlite3_stmt *s = index_prepare(f->index, "SELECT 1 FROM sessions WHERE ends LIMIT 1");
    bool has = index_step(f->index, s);
    sqlite3_finalize(s);
    return has;
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
        ret->ends = has_ends(&f);
    sqlite3_finalize(f.row);
    sqlite3_finalize(f.sheet_row);
    index_run(index, "COMMIT");
    free(f.candidates);
    results_free(f.results);
    sheet_finish(&f.sheet);
    bytes_finish(&f.folded);
    bytes_finish(&f.pattern);
}
