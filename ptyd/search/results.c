#include "ptyd/search/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "ptyd/core/json.h"

struct result {
    int64_t block, ended;
    json_t *json;
    uint64_t
        *edges; /* lines that a part of a sheet begins or ends with: another may have them, too */
    size_t edge_count;
};

struct results {
    struct result *all;
    size_t count, room;
    size_t *slots; /* a hash table: index + 1 into `all` */
    size_t slot_count;
};

struct results *results_new(void)
{
    return memory_new(sizeof(struct results));
}

static void finish(struct result *result)
{
    json_decref(result->json);
    free(result->edges);
}

void results_free(struct results *results)
{
    for (size_t i = 0; i < results->count; i++)
        finish(&results->all[i]);
    free(results->all);
    free(results->slots);
    free(results);
}

/* ---- which block is where ---- */

static size_t slot_of(const struct results *r, int64_t block)
{
    size_t slot = hash_bytes(HASH_START, &block, sizeof block) & (r->slot_count - 1);
    while (r->slots[slot] && r->all[r->slots[slot] - 1].block != block)
        slot = (slot + 1) & (r->slot_count - 1);
    return slot;
}

static void grow(struct results *r)
{
    r->room = r->room ? 2 * r->room : 64;
    r->all = memory_grow(r->all, r->room * sizeof *r->all);
    free(r->slots);
    r->slot_count = 2 * r->room;
    r->slots = memory_new(r->slot_count * sizeof *r->slots);
    for (size_t i = 0; i < r->count; i++)
        r->slots[slot_of(r, r->all[i].block)] = i + 1;
}

struct result *results_find(const struct results *results, int64_t block)
{
    size_t index = results->slot_count ? results->slots[slot_of(results, block)] : 0;
    return index ? &results->all[index - 1] : NULL;
}

static struct result new_result(int64_t block, int64_t ended, json_t *head)
{
    json_object_set_new(head, "match_count", json_integer(0));
    json_object_set_new(head, "matches", json_array());
    return (struct result){.block = block, .ended = ended, .json = head};
}

struct result *results_begin(struct results *results, int64_t block, int64_t ended, json_t *head)
{
    if (results->count == results->room)
        grow(results);
    results->all[results->count] = new_result(block, ended, head);
    results->slots[slot_of(results, block)] = results->count + 1;
    return &results->all[results->count++];
}

bool result_runs(const struct result *result)
{
    return result->ended == RESULT_RUNNING;
}

void result_end(struct result *result, int64_t ended, json_t *head)
{
    int64_t block = result->block;
    finish(result);
    *result = new_result(block, ended, head);
}

/* ---- their lines ---- */

static json_t *match_json(const struct match *m, const char *text)
{
    size_t begin = m->begin, end = m->end, more = LIMIT_SEARCH_LINE_BYTES / 2;
    size_t to = m->to - m->from > 2 * more ? utf8_floor(text, m->end, m->from + 2 * more) : m->to;
    if (m->from - begin > more)
        begin = utf8_ceil(text, m->end, m->from - more);
    if (end - to > more)
        end = utf8_floor(text, m->end, to + more);
    json_t *json =
        json_pack("{s:s, s:I, s:o, s:I, s:I}", "in", m->part->output ? "output" : "command", "line",
                  (json_int_t)m->line + 1, "text", json_stringn(text + begin, end - begin), "from",
                  (json_int_t)(m->from - begin), "to", (json_int_t)(to - begin));
    if (begin > m->begin)
        json_object_set_new(json, "cut_before", json_true());
    if (end < m->end)
        json_object_set_new(json, "cut_after", json_true());
    return json;
}

/* Commands before outputs, lines by their numbers. */
static uint64_t place_of(const struct match *m)
{
    return (uint64_t)(m->part->output != 0) << 32 | m->line;
}

static uint64_t place_of_json(const json_t *match)
{
    bool output = !strcmp(json_text(match, "in", ""), "output");
    return (uint64_t)output << 32 | (uint32_t)(json_number(match, "line", 1) - 1);
}

static bool is_known(struct result *result, const struct match *m)
{
    uint64_t place = place_of(m);
    if (m->begin > 0 && m->end < m->part->len)
        return false;
    for (size_t i = 0; i < result->edge_count; i++)
        if (result->edges[i] == place)
            return true;
    size_t count = result->edge_count++;
    result->edges = memory_grow(result->edges, result->edge_count * sizeof *result->edges);
    result->edges[count] = place;
    return false;
}

/* Sheets come in any order: the first lines stay. */
static void keep_first(json_t *matches, const struct match *m, const char *text)
{
    size_t at = json_array_size(matches);
    while (at && place_of_json(json_array_get(matches, at - 1)) > place_of(m))
        at--;
    if (at == LIMIT_SEARCH_LINES)
        return;
    json_array_insert_new(matches, at, match_json(m, text));
    if (json_array_size(matches) > LIMIT_SEARCH_LINES)
        json_array_remove(matches, LIMIT_SEARCH_LINES);
}

static json_int_t match_count(const struct result *result)
{
    return json_number(result->json, "match_count", 0);
}

void result_note(struct result *result, const struct match *match, const char *text)
{
    if (is_known(result, match))
        return;
    json_object_set_new(result->json, "match_count", json_integer(match_count(result) + 1));
    keep_first(json_object_get(result->json, "matches"), match, text);
}

/* ---- all of them ---- */

size_t results_since(const struct results *results, int64_t ended)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++)
        count += results->all[i].ended >= ended && match_count(&results->all[i]);
    return count;
}

static int by_age(const void *a, const void *b)
{
    const struct result *const *x = a, *const *y = b;
    if ((*x)->ended != (*y)->ended)
        return (*x)->ended < (*y)->ended ? -1 : 1;
    return (*x)->block < (*y)->block ? -1 : (*x)->block > (*y)->block;
}

bool results_list(struct results *results, size_t last, json_t *ret)
{
    const struct result **found = memory_new((results->count + 1) * sizeof *found);
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++)
        if (match_count(&results->all[i]))
            found[count++] = &results->all[i];
    qsort(found, count, sizeof *found, by_age);
    for (size_t i = count > last ? count - last : 0; i < count; i++)
        json_array_append(ret, found[i]->json);
    free(found);
    return count > last;
}
