/* What is shown and what the log shows again, with any bytes, cut anywhere: the same however it was
 * cut, and the same from the log. A terminal's input of the same bytes is cut into pieces that lose
 * nothing. The first byte chooses the cuts. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "vterm_snapshot/passage.h"
#include "vterm_snapshot/query_input.h"
#include "vterm_snapshot/terminal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct side {
    struct bytes shown, log, asked, lefts;
    struct terminal *terminal;
};

static void on_display(void *user, const char *bytes, size_t len, uint64_t offset)
{
    (void)offset;
    bytes_append(&((struct side *)user)->shown, bytes, len);
}

static bool on_query(void *user, const struct query *query)
{
    bytes_append(&((struct side *)user)->asked, query, sizeof *query);
    return true;
}

static void on_passed_query(void *user, const struct query *query, uint64_t offset)
{
    (void)offset;
    on_query(user, query);
}

static const struct terminal_events events = {.display = on_display, .query = on_query};
static const struct passage_events passage_events = {.display = on_display,
                                                     .query = on_passed_query};

static size_t piece(const uint8_t *data, size_t at, size_t size, unsigned seed)
{
    size_t len = seed ? 1 + (data[at] ^ seed) % 29u : size;
    return len < size - at ? len : size - at;
}

static void show(struct side *side, const uint8_t *data, size_t size, unsigned seed)
{
    struct bytes pending = {0};
    *side = (struct side){0};
    side->terminal = terminal_create(&(struct terminal_options){
        .cols = 20, .rows = 5, .scrollback = 10, .events = &events, .user = side});
    terminal_set_nonce(side->terminal, "0123456789abcdef0123456789abcdef");
    for (size_t at = 0, n; at < size; at += n) {
        n = piece(data, at, size, seed);
        bytes_append(&pending, data + at, n);
        size_t taken = terminal_write(side->terminal, pending.data, pending.len);
        bytes_append(&side->log, pending.data, taken);
        bytes_consume(&pending, taken);
    }
    bytes_finish(&pending);
}

static void show_again(struct side *side, const struct bytes *log, unsigned seed)
{
    struct passage *p = passage_create(0, &passage_events, side);
    struct bytes pending = {0};
    const uint8_t *data = (const uint8_t *)log->data;
    for (size_t at = 0, n; at < log->len; at += n) {
        n = piece(data, at, log->len, seed);
        bytes_append(&pending, data + at, n);
        bytes_consume(&pending, passage_write(p, pending.data, pending.len));
    }
    passage_destroy(p);
    bytes_finish(&pending);
}

static void must_be_same(const struct bytes *a, const struct bytes *b)
{
    if (a->len != b->len || (a->len && memcmp(a->data, b->data, a->len)))
        abort();
}

static void finish(struct side *side)
{
    terminal_destroy(side->terminal);
    bytes_finish(&side->shown);
    bytes_finish(&side->log);
    bytes_finish(&side->asked);
}

static void read_as_input(const uint8_t *data, size_t size, const struct bytes *asked)
{
    struct query_input in = {0};
    for (size_t at = 0; at < size;) {
        enum query_piece kind;
        bool whole;
        size_t taken = query_input_next(&in, (const char *)data + at, size - at, &kind, &whole);
        if (!taken || taken > size - at)
            abort();
        for (size_t i = 0; kind != QUERY_KEYS && i < asked->len; i += sizeof(struct query)) {
            struct query query;
            memcpy(&query, asked->data + i, sizeof query);
            query_input_answers(&in, &query);
        }
        at += taken;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct side whole, cut, again = {0};
    unsigned seed = size ? data[0] | 1u : 1;
    show(&whole, data, size, 0);
    show(&cut, data, size, seed);
    must_be_same(&whole.shown, &cut.shown);
    must_be_same(&whole.log, &cut.log);
    must_be_same(&whole.asked, &cut.asked);
    show_again(&again, &cut.log, seed + 2);
    /* the live one saw more than the log has: that an ESC at its end begins no mark, say */
    if (cut.shown.len > again.shown.len && cut.shown.len - again.shown.len <= 2)
        cut.shown.len = again.shown.len;
    must_be_same(&again.shown, &cut.shown);
    must_be_same(&again.asked, &cut.asked);
    read_as_input(data, size, &cut.asked);
    finish(&whole);
    finish(&cut);
    finish(&again);
    return 0;
}
