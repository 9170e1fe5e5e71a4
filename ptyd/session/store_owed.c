/* What of a store could not be written yet. */
#include "ptyd/session/held.h"
#include "ptyd/session/store_private.h"

/* Until output that could not be written is tried again where nothing else asks for it. */
#define OUTPUT_AGAIN_MS 1000

int store_pay(struct store *s)
{
    bool written = output_flush(s->output);
    int again = owed_pay(s->owed);
    return written || again ? again : OUTPUT_AGAIN_MS;
}

void store_note(struct store *s, enum owed_note which, const char *data, size_t len)
{
    owed_note(s->owed, which, data, len);
}

const char *store_noted(const struct store *s, enum owed_note which, size_t *ret_len)
{
    return owed_noted(s->owed, which, ret_len);
}

struct output_rest store_unwritten(const struct store *s)
{
    return output_rest(s->output);
}

void store_hold_output(struct store *s, bool hold)
{
    output_hold(s->output, hold);
}

void store_restore_output(struct store *s, const struct output_rest *rest)
{
    output_restore(s->output, s->owed, rest);
}

void store_slate_lost(struct store *s)
{
    owed_slate_lost(s->owed);
}

struct owed_state store_owed(const struct store *s)
{
    return owed_state(s->owed);
}

void store_append_other(struct store *s, const char *path, const char *line, long long most)
{
    owed_append(s->owed, path, line, most);
}

void store_each_waiting(const struct store *s, const char *path,
                        void (*each)(void *user, const char *line), void *user)
{
    owed_each(s->owed, path, each, user);
}

void store_take_waiting(struct store *s, const char *path,
                        void (*each)(void *user, const char *line), void *user)
{
    owed_take(s->owed, path, each, user);
}

json_t *store_owed_lines(const struct store *s, uint64_t after)
{
    return held_lines(s->owed, s->directory, after);
}

void store_add_owed(const struct store *s, json_t *blocks)
{
    held_add(s->owed, s->directory, 0, false, blocks);
}

size_t store_held_blocks(const struct store *s)
{
    json_t *blocks = json_array();
    held_add(s->owed, s->directory, 0, false, blocks);
    size_t count = json_array_size(blocks);
    json_decref(blocks);
    return count;
}
