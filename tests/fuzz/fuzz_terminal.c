/* Guard, terminal, capture and redraw with any bytes, cut anywhere, resized at any time. The first
 * bytes choose the cuts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vterm_snapshot/preview.h"
#include "vterm_snapshot/terminal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_output(void *user, const char *text, size_t len)
{
    preview_append(user, text, len);
}

static void on_reply(void *user, const char *bytes, size_t len)
{
    (void)user;
    static const char answers[] = "\x1b[]P?>$!|+=:;/\\\"0123456789abcdefABCDEFRcynrqmsutxSgLlpz ";
    for (size_t i = 0; i < len; i++) /* nothing printed ever comes back as input */
        if (!memchr(answers, bytes[i], sizeof answers - 1))
            abort();
}

static void on_display(void *user, const char *bytes, size_t len, uint64_t offset)
{
    (void)offset;
    (void)user;
    if (len && memchr(bytes, 0, 0))
        abort();
}

static const struct terminal_events events = {.reply = on_reply, .display = on_display};

/* Writes a piece as a session does: what is not taken comes again in front of the next. */
static void write_piece(struct terminal *t, struct bytes *pending, const uint8_t *data, size_t len)
{
    bytes_append(pending, data, len);
    bytes_consume(pending, terminal_write(t, pending->data, pending->len));
}

static void read_everything(struct terminal *t, struct preview *preview)
{
    struct bytes out = {0};
    struct preview_result result;
    for (int i = 0; i < terminal_rows(t); i++)
        terminal_row_text(t, i, &out);
    for (size_t i = 0; i < terminal_scrollback_count(t); i++)
        terminal_scrollback_text(t, i, &out);
    terminal_redraw(t, &out);
    terminal_capture_peek(t, UINT64_MAX, on_output, preview);
    terminal_capture_end(t);
    if (preview_finish(preview, LIMIT_PREVIEW_LINES, LIMIT_PREVIEW_BYTES, &result) == 0) {
        if (result.len > LIMIT_PREVIEW_BYTES || result.lines > LIMIT_PREVIEW_LINES)
            abort();
        preview_result_finish(&result);
    }
    bytes_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct preview *preview = calloc(1, sizeof *preview);
    struct bytes pending = {0};
    uint8_t seed = size ? data[0] : 0;
    struct terminal *t = terminal_create(&(struct terminal_options){
        .cols = 10 + seed % 20, .rows = 3 + seed % 7, .scrollback = 10, .events = &events});
    terminal_set_nonce(t, "0123456789abcdef0123456789abcdef");
    terminal_capture_begin(t, on_output, preview);
    for (size_t at = 1; at < size;) {
        size_t len = 1 + (size_t)(data[at] ^ seed) % 37;
        len = len < size - at ? len : size - at;
        if (data[at] == 0xfe && at + 2 < size)
            terminal_resize(t, data[at + 1] % 40, data[at + 2] % 20);
        write_piece(t, &pending, data + at, len);
        at += len;
    }
    read_everything(t, preview);
    bytes_finish(&pending);
    terminal_destroy(t);
    free(preview);
    return 0;
}
