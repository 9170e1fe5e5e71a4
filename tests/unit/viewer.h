/* viewer.h - test_passage.c's viewer: what is shown to it, and where each piece ended. */
#ifndef TESTS_UNIT_VIEWER_H
#define TESTS_UNIT_VIEWER_H

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/terminal.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define SHOWN "01234560000000000000000000000000" /* what is left of a printed nonce */
#define OTHER "fedcba9876543210fedcba9876543210"

/* Where a piece that was shown ended, in the stream and in what was shown. */
struct end {
    uint64_t offset;
    size_t shown;
};

struct viewer {
    struct bytes shown, ends, log, lefts;
    struct bytes asked; /* kinds, a byte each */
    struct terminal *terminal;
};

static void on_display(void *user, const char *bytes, size_t len, uint64_t offset)
{
    struct viewer *v = user;
    assert_true(len > 0);
    bytes_append(&v->shown, bytes, len);
    bytes_append(&v->ends, &(struct end){offset, v->shown.len}, sizeof(struct end));
}

static bool on_query(void *user, const struct query *query)
{
    bytes_append_char(&((struct viewer *)user)->asked, (char)(query->kind + 1));
    return true;
}

static void on_passed_query(void *user, const struct query *query, uint64_t offset)
{
    (void)offset;
    on_query(user, query);
}

static void on_left(void *user, uint64_t offset)
{
    bytes_append(&((struct viewer *)user)->lefts, &offset, sizeof offset);
}

static uint64_t next_left(void *user, uint64_t behind)
{
    const struct viewer *v = *(struct viewer **)user;
    for (size_t i = 0; i < v->lefts.len; i += sizeof behind) {
        uint64_t left;
        memcpy(&left, v->lefts.data + i, sizeof left);
        if (left > behind)
            return left;
    }
    return UINT64_MAX;
}

/* The tracker goes back so when a command ends. */
static void on_mark(void *user, const struct mark *mark)
{
    if (mark->signature == MARK_SIGNED && mark->kind == MARK_DONE)
        terminal_leave_alt_screen(((struct viewer *)user)->terminal);
}

static const struct terminal_events events = {
    .mark = on_mark, .left = on_left, .query = on_query, .display = on_display};

static void open_viewer(struct viewer *v, const char *nonce)
{
    *v = (struct viewer){0};
    v->terminal = terminal_create(&(struct terminal_options){
        .cols = 40, .rows = 6, .scrollback = 50, .events = &events, .user = v});
    terminal_set_nonce(v->terminal, nonce);
}

static void close_viewer(struct viewer *v)
{
    terminal_destroy(v->terminal);
    bytes_finish(&v->shown);
    bytes_finish(&v->ends);
    bytes_finish(&v->log);
    bytes_finish(&v->lefts);
    bytes_finish(&v->asked);
}

/* One read's worth, behind what was not taken of those before. */
static void give(struct viewer *v, struct bytes *pending, const char *bytes, size_t len)
{
    bytes_append(pending, bytes, len);
    size_t taken = terminal_write(v->terminal, pending->data, pending->len);
    bytes_append(&v->log, pending->data, taken);
    bytes_consume(pending, taken);
    if (v->ends.len) {
        const struct end *last = (struct end *)(v->ends.data + v->ends.len - sizeof(struct end));
        assert_true(terminal_shown_offset(v->terminal) >= last->offset);
    }
}

static void show(struct viewer *v, const char *bytes, size_t len, size_t first, size_t chunk)
{
    struct bytes pending = {0};
    for (size_t at = 0, n = first ? first : chunk; at < len; at += n, n = chunk) {
        n = n < len - at ? n : len - at;
        give(v, &pending, bytes + at, n);
    }
    bytes_finish(&pending);
}

static void assert_shown(const struct viewer *v, const char *expected, size_t len)
{
    assert_int_equal(v->shown.len, len);
    if (len)
        assert_memory_equal(v->shown.data, expected, len);
}

/* Cut at `first`, then every `chunk`. */
static void assert_passes(const char *bytes, size_t len, const char *expected, size_t expected_len,
                          size_t first, size_t chunk)
{
    struct viewer v;
    open_viewer(&v, NONCE);
    show(&v, bytes, len, first, chunk);
    assert_shown(&v, expected, expected_len);
    close_viewer(&v);
}

/* At every place, at each byte, and not at all. */
static void assert_passes_however_cut(const char *bytes, size_t len, const char *expected,
                                      size_t expected_len)
{
    for (size_t first = 0; first < len; first++)
        assert_passes(bytes, len, expected, expected_len, first, len);
    for (size_t chunk = 1; chunk < 5; chunk++)
        assert_passes(bytes, len, expected, expected_len, 0, chunk);
}

#endif
