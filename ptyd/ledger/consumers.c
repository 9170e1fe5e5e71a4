/* Consumers and their cursors. */
#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"
#include "ptyd/ledger/private.h"

struct cursor *ledger_find_cursor(const struct consumer *consumer, const char *session)
{
    for (size_t i = 0; i < consumer->cursor_count; i++)
        if (!strcmp(consumer->cursors[i].session, session))
            return &consumer->cursors[i];
    return NULL;
}

bool ledger_lists(const json_t *keys, uint64_t key)
{
    const json_t *value;
    size_t i;
    json_array_foreach(keys, i, value)
        if ((uint64_t)json_integer_value(value) == key)
            return true;
    return false;
}

bool ledger_is_returned(const struct cursor *cursor, uint64_t key)
{
    for (size_t i = 0; i < cursor->returned_count; i++)
        if (cursor->returned[i] == key)
            return true;
    return false;
}

struct consumer *ledger_find_consumer(struct ledger *l, const char *id)
{
    for (size_t i = 0; i < l->consumer_count; i++)
        if (!strcmp(l->consumers[i].id, id))
            return &l->consumers[i];
    return NULL;
}

void ledger_consumer_finish(struct consumer *consumer)
{
    for (size_t i = 0; i < consumer->cursor_count; i++) {
        free(consumer->cursors[i].session);
        free(consumer->cursors[i].returned);
    }
    free(consumer->cursors);
    free(consumer->id);
    json_decref(consumer->running_told);
    json_decref(consumer->turns);
}

static void forget_oldest(struct ledger *l)
{
    size_t oldest = 0;
    for (size_t i = 1; i < l->consumer_count; i++)
        if (l->consumers[i].used_ms < l->consumers[oldest].used_ms)
            oldest = i;
    for (size_t i = 0; i < l->consumers[oldest].cursor_count; i++)
        ledger_changed(l, l->consumers[oldest].cursors[i].session);
    ledger_consumer_finish(&l->consumers[oldest]);
    l->consumers[oldest] = l->consumers[--l->consumer_count];
}

struct consumer *ledger_add_consumer(struct ledger *l, struct consumer consumer)
{
    if (l->consumer_count == LIMIT_CONSUMERS)
        forget_oldest(l);
    l->consumers[l->consumer_count] = consumer;
    return &l->consumers[l->consumer_count++];
}

struct consumer *ledger_consumer(struct ledger *l, const char *id)
{
    struct consumer *found = ledger_find_consumer(l, id);
    return found ? found : ledger_add_consumer(l, (struct consumer){.id = text_copy(id)});
}

struct cursor *ledger_cursor(struct consumer *consumer, const char *session)
{
    struct cursor *found = ledger_find_cursor(consumer, session);
    if (found)
        return found;
    consumer->cursors =
        memory_grow(consumer->cursors, (consumer->cursor_count + 1) * sizeof *consumer->cursors);
    found = &consumer->cursors[consumer->cursor_count++];
    *found = (struct cursor){.session = text_copy(session)};
    return found;
}

static const char *turn_name(const json_t *turns, size_t index)
{
    const char *name = json_string_value(json_array_get(json_array_get(turns, index), 0));
    return name ? name : "";
}

void ledger_add_turn(struct consumer *consumer, json_t *turn)
{
    const char *name = json_string_value(json_array_get(turn, 0));
    json_t *turns = consumer->turns = consumer->turns ? consumer->turns : json_array();
    size_t at = json_array_size(turns);
    while (name && at > 0 && strcmp(turn_name(turns, at - 1), name) > 0)
        at--;
    if (!name || (at > 0 && json_equal(json_array_get(turns, at - 1), turn)))
        return;
    json_array_insert(turns, at, turn);
    if (json_array_size(turns) > LIMIT_TURNS)
        json_array_remove(turns, 0);
}

void ledger_add_returned(struct cursor *cursor, uint64_t key)
{
    if (ledger_is_returned(cursor, key))
        return;
    cursor->returned =
        memory_grow(cursor->returned, (cursor->returned_count + 1) * sizeof *cursor->returned);
    cursor->returned[cursor->returned_count++] = key;
}
