#include "ptyd/core/run_table.h"

#include <stdatomic.h>
#include <string.h>

uint32_t run_text(uint32_t before, const char *bytes, size_t len)
{
    uint32_t hash = before;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)bytes[i] > ' ')
            hash = (hash ^ (unsigned char)bytes[i]) * 0x01000193u;
    return hash ? hash : RUN_TEXT_START;
}

static uint32_t text_of(const char *line)
{
    return run_text(RUN_TEXT_START, line, strlen(line));
}

static struct run_record *find(struct run_table *table, uint64_t token)
{
    for (int i = 0; token && i < LIMIT_RUNS_KEPT; i++)
        if (table->records[i].token == token)
            return &table->records[i];
    return NULL;
}

static bool is_free(const struct run_record *record, int64_t now_ms)
{
    return !record->token ||
           (record->left_ms <= now_ms && now_ms - record->left_ms > LIMIT_RUN_KEPT_MS);
}

/* A worker may die between any two writes: the token, which makes it a record, comes last. */
bool run_table_add(struct run_table *table, uint64_t token, uint64_t prompt, const char *line,
                   int64_t now_ms)
{
    int at = 0;
    if (!token)
        return true;
    while (at < LIMIT_RUNS_KEPT && !is_free(&table->records[at], now_ms))
        at++;
    if (at == LIMIT_RUNS_KEPT)
        return false;
    struct run_record *record = &table->records[at];
    record->token = 0;
    atomic_thread_fence(memory_order_seq_cst);
    record->prompt = prompt;
    record->seq = 0;
    record->left_ms = INT64_MAX;
    record->state = RUN_TYPING;
    record->text = text_of(line);
    atomic_thread_fence(memory_order_seq_cst);
    record->token = token;
    return true;
}

void run_table_keep(struct run_table *table, uint64_t token, bool waits, int64_t now_ms)
{
    struct run_record *record = find(table, token);
    if (record)
        record->left_ms = waits ? INT64_MAX : now_ms;
}

void run_table_take_over(struct run_table *table, int64_t now_ms)
{
    for (int i = 0; i < LIMIT_RUNS_KEPT; i++)
        if (table->records[i].left_ms == INT64_MAX)
            table->records[i].left_ms = now_ms;
}

void run_table_typed(struct run_table *table, uint64_t token)
{
    struct run_record *record = find(table, token);
    if (record && record->state == RUN_TYPING)
        record->state = RUN_TYPED;
}

static bool waits(const struct run_record *record)
{
    return record->token && (record->state == RUN_TYPING || record->state == RUN_TYPED);
}

bool run_table_waits(const struct run_table *table)
{
    int at = 0;
    while (at < LIMIT_RUNS_KEPT && !waits(&table->records[at]))
        at++;
    return at < LIMIT_RUNS_KEPT;
}

void run_table_doubt(struct run_table *table, uint32_t text)
{
    for (int i = 0; i < LIMIT_RUNS_KEPT; i++)
        if (waits(&table->records[i]) && (!text || text == table->records[i].text))
            table->records[i].text = 0;
}

static bool is_its_own(const struct run_table *table, const struct run_record *record,
                       uint32_t text)
{
    return !record->prompt || record->prompt == table->prompt ||
           (record->state == RUN_TYPED && record->text == text);
}

void run_table_began(struct run_table *table, uint64_t seq, const char *line)
{
    uint32_t text = text_of(line);
    for (int i = 0; i < LIMIT_RUNS_KEPT; i++) {
        struct run_record *record = &table->records[i];
        if (!waits(record) || !is_its_own(table, record, text))
            continue;
        record->seq = seq;
        atomic_thread_fence(memory_order_seq_cst);
        record->state = record->state == RUN_TYPED ? RUN_BEGAN : RUN_DOUBTFUL;
    }
}

const struct run_record *run_table_find(const struct run_table *table, uint64_t token)
{
    return find((struct run_table *)table, token);
}

void run_table_drop(struct run_table *table, uint64_t token)
{
    struct run_record *record = find(table, token);
    if (record)
        record->token = 0;
}
