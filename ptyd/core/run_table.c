#include "ptyd/core/run_table.h"

#include <stdatomic.h>
#include <stddef.h>

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
bool run_table_add(struct run_table *table, uint64_t token, uint64_t prompt, int64_t now_ms)
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

void run_table_began(struct run_table *table, uint64_t seq)
{
    for (int i = 0; i < LIMIT_RUNS_KEPT; i++) {
        struct run_record *record = &table->records[i];
        bool waits = record->state == RUN_TYPING || record->state == RUN_TYPED;
        if (!record->token || !waits || (record->prompt && record->prompt != table->prompt))
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
