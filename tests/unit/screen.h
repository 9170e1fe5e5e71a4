/* screen.h - the terminal that a test writes to, and what its rows show. */
#ifndef TESTS_UNIT_SCREEN_H
#define TESTS_UNIT_SCREEN_H

#include "test.h"

#include <string.h>

#include "base/bytes.h"
#include "vterm_snapshot/terminal.h"

static struct terminal *terminal;

/* In pieces of `chunk` bytes, as a pty hands them out. */
static void give(const char *bytes, size_t len, size_t chunk)
{
    struct bytes pending = {0};
    for (size_t i = 0; i < len; i += chunk) {
        bytes_append(&pending, bytes + i, len - i < chunk ? len - i : chunk);
        bytes_consume(&pending, terminal_write(terminal, pending.data, pending.len));
    }
    bytes_finish(&pending);
}

static void write_text(const char *text)
{
    give(text, strlen(text), strlen(text));
}

static inline void assert_row(int row, const char *expected)
{
    struct bytes text = {0};
    bytes_append_text(&text, "");
    terminal_row_text(terminal, row, &text);
    assert_string_equal(text.data, expected);
    bytes_finish(&text);
}

#endif
