/* Without memory the two libraries return their errors and stay usable. */
#define _GNU_SOURCE
#include "streams.h"
#include "torture.h"

#include "envelope/edit.h"
#include "envelope/entry.h"
#include "envelope/legacy.h"
#include "envelope/redact/redact.h"
#include "vterm_snapshot/scrollback.h"
#include "vterm_snapshot/terminal.h"

static void torture_wrong(const char *what)
{
    fprintf(stderr, "%s\n", what);
    _exit(TORTURE_WRONG);
}

/* ---- a terminal ---- */

static const struct terminal_events terminal_events;
static const struct terminal_options terminal_options = {
    .cols = 80, .rows = 24, .events = &terminal_events};

static void take_output(void *user, const char *text, size_t len)
{
    (void)user;
    (void)text;
    (void)len;
}

static void give_all(struct terminal *t, struct bytes *text)
{
    for (size_t n = 1; n && text->len; bytes_consume(text, n))
        n = terminal_write(t, text->data, text->len);
    text->len = 0;
}

/* Whatever was missing before: what is written now is there. */
static void expect_usable(struct terminal *t)
{
    struct bytes text = {0};
    char hello[] = "\033\\\033[?1049l\033c\033[2J\033[HHello";
    torture_state->armed = false;
    bytes_append_text(&text, hello);
    give_all(t, &text);
    terminal_row_text(t, 0, &text);
    if (!text.data || strcmp(text.data, "Hello") != 0)
        torture_wrong("the terminal shows nothing any more");
    bytes_finish(&text);
    torture_state->armed = true;
}

static struct terminal *saved_and_loaded(struct terminal *t)
{
    struct bytes saved = {0};
    struct terminal *other = NULL;
    if (terminal_save(t, &saved))
        other = terminal_load(&terminal_options,
                              &(struct unpack){saved.data, saved.data + saved.len, false});
    bytes_finish(&saved);
    return other;
}

static void tell_terminal(void)
{
    struct bytes text = {0};
    seed = 7;
    struct terminal *t = terminal_create(&terminal_options);
    for (int i = 0; t && i < 40; i++) {
        torture_state->armed = false;
        (i % 4 == 3 ? make_drawing : make_stream)(&text);
        bytes_append_text(&text, "e\u0301\u0302 \U0001f469\u200d\U0001f467 "
                                 "\u4e16\r\n\033]2;title\007\033[38;2;1;2;3mx\r\n");
        torture_state->armed = true;
        if (i % 5 == 1)
            terminal_capture_begin(t, take_output, NULL);
        give_all(t, &text);
        if (i % 5 == 4)
            terminal_capture_end(t);
        if (i % 7 == 3)
            terminal_resize(t, 30 + 9 * i, 10 + i);
        terminal_redraw(t, &text);
        text.len = 0;
        if (terminal_scrollback_count(t))
            terminal_scrollback_text(t, terminal_scrollback_count(t) - 1, &text);
        text.len = 0;
    }
    struct terminal *other = t ? saved_and_loaded(t) : NULL;
    torture_state->armed = false;
    bytes_finish(&text);
    torture_state->armed = true;
    if (t)
        expect_usable(t);
    if (other)
        expect_usable(other);
    terminal_destroy(other);
    terminal_destroy(t);
}

/* ---- what left it, at another width ---- */

#define PIECES 2000 /* of two rows each, */
#define ROWS   10   /* and behind them such as are one */

static struct scrollback *pushed_at_two_widths(void)
{
    struct scrollback *s = scrollback_create(3 * PIECES);
    struct scrollback_row row = {.text = "0123456789", .len = 10};
    scrollback_set_cols(s, 10);
    for (int i = 0; i < PIECES; i++)
        scrollback_push(s, &row);
    scrollback_set_cols(s, 5);
    row.len = 5;
    for (int i = 0; i < ROWS; i++)
        scrollback_push(s, &row);
    return s;
}

/* The number of the piece that is the row, by how many there are to the end. */
static uint64_t piece_at(size_t to_end)
{
    return to_end <= ROWS ? PIECES + ROWS - to_end : PIECES - (to_end - ROWS + 1) / 2;
}

/* Older ones may be missing; those there are go on without a gap to the newest. */
static void tell_rows(void)
{
    struct scrollback_row row;
    torture_state->armed = false;
    struct scrollback *s = pushed_at_two_widths();
    torture_state->armed = true;
    size_t rows = scrollback_count(s);
    struct scrollback_hold *hold = scrollback_hold(s, 0, rows);
    if (rows < ROWS || (!torture_state->failing && rows != 2 * PIECES + ROWS))
        torture_wrong("rows are missing");
    for (size_t to_end = rows; to_end; to_end--) {
        if (scrollback_get(s, rows - to_end).first != piece_at(to_end))
            torture_wrong("a row is another one");
        if (hold && (!scrollback_hold_next(hold, &row) || row.first != piece_at(to_end)))
            torture_wrong("a row that is held is another one");
    }
    scrollback_release(hold);
    scrollback_destroy(s);
}

/* ---- an envelope ---- */

static const char turn[] =
    "{\"id\":7,\"method\":\"turn/"
    "start\",\"params\":{\"threadId\":\"t\",\"input\":[{\"type\":\"text\","
    "\"text\":\"what \\u00e4 next?\",\"text_elements\":[{\"byteRange\":{\"start\":0,\"end\":4}}]}],"
    "\"additionalContext\":{\"terminal_block_000000004\":{\"kind\":\"application\",\"value\":\"v\"}"
    "}}}";

/* What came of it without a failure is what must come of it whenever it is said to be done. */
static void expect_done(const char *what, int result, int done, const struct bytes *out,
                        const char *expected)
{
    if (result == done && !out->failed && strcmp(out->data, expected) != 0)
        torture_wrong(what);
    if (!torture_state->failing && (result != done || out->failed))
        torture_wrong("without a failure");
}

static void tell_edit(void)
{
    static const char expected[] =
        "{\"id\":7,\"method\":\"turn/"
        "start\",\"params\":{\"threadId\":\"t\",\"input\":[{\"type\":\"text\","
        "\"text\":\"what \\u00e4 "
        "next?\",\"text_elements\":[{\"byteRange\":{\"start\":0,\"end\":4}}]}],"
        "\"additionalContext\":{\"terminal_block_000000005\":{\"value\":\"x\\ny\",\"kind\":"
        "\"application\"},"
        "\"terminal_block_000000004\":{\"kind\":\"application\",\"value\":\"v\"}}}}";
    const char *why;
    struct bytes out = {0};
    struct message m = message_read(turn, sizeof turn - 1);
    json_t *keys = edit_own_keys(&m, "terminal_");
    struct edit_entry entry = {"terminal_block_000000005", "x\ny", "application", NULL};
    int result = edit_add_context(&m, &entry, 1, &out, &why);
    expect_done("the turn lacks something", result, 0, &out, expected);
    json_decref(keys);
    bytes_finish(&out);
}

static void tell_legacy(void)
{
    struct bytes added = {0}, back = {0};
    struct message m = message_read(turn, sizeof turn - 1);
    if (legacy_add(&m, "{\"v\":1}", &added) == 1) {
        int result = legacy_strip(added.data, added.len, &back);
        if (result == 1 && !back.failed &&
            (!strstr(back.data, "what ä next?") && !strstr(back.data, "what \\u00e4 next?")))
            torture_wrong("the user's text is another");
    }
    bytes_finish(&added);
    bytes_finish(&back);
}

static void tell_entries(void)
{
    static const struct entry_block block = {.block_id = "a:1:2",
                                             .shell_id = "s",
                                             .cmd = "make <all>",
                                             .cwd = "/",
                                             .cwd_after = "/usr",
                                             .status = "completed",
                                             .type = "user_cmd",
                                             .signal = "",
                                             .output_path = "/blocks/1.out",
                                             .preview = "one\ntwo\n",
                                             .has_exit_code = true,
                                             .exit_code = 2,
                                             .truncated = true,
                                             .omitted_lines = 9};
    static const char expected[] =
        "{\"cmd\":\"make \\u003call>\",\"exit_code\":2,\"cwd\":\"/\",\"cwd_after\":\"/usr\","
        "\"preview\":{\"lines\":[\"one\",\"two\"],\"truncated\":true},\"omitted_lines\":9,"
        "\"output_path\":\"/blocks/1.out\",\"block_id\":\"a:1:2\",\"ts\":0}";
    struct bytes out = {0};
    entry_render_block(&block, "s", &out);
    expect_done("the value lacks something", 0, 0, &out, expected);
    bytes_finish(&out);
}

/* One that has to be shortened in every way. */
static void render_long(struct bytes *out)
{
    static char line[5000], cmd[9000];
    memset(line, 'l', sizeof line - 1);
    memset(cmd, 'c', sizeof cmd - 1);
    struct entry_block block = {.block_id = "a:1:2",
                                .shell_id = "s",
                                .cmd = cmd,
                                .cwd = line,
                                .cwd_after = "/usr",
                                .status = "completed",
                                .type = "user_cmd",
                                .signal = "",
                                .output_path = "/o",
                                .preview = line};
    entry_render_block(&block, "s", out);
}

static struct bytes long_value;

static void prepare_long(void)
{
    if (!long_value.len)
        render_long(&long_value);
}

static void tell_long_entry(void)
{
    struct bytes out = {0};
    render_long(&out);
    expect_done("the long value lacks something", 0, 0, &out, long_value.data);
    bytes_finish(&out);
}

/* A secret that is not known must not pass for none. */
static void tell_secrets(void)
{
    static const char environ[] = "MY_TOKEN=hunter2hunter2\0GH_TOKEN=plain value 2";
    static const char text[] = "hunter2hunter2 and plain value 2";
    struct redact_secrets *secrets = NULL;
    struct bytes out = {0};
    int result = redact_secrets_create(environ, sizeof environ, &secrets);
    if (result == 0)
        redact_text(text, sizeof text - 1, secrets, &out);
    if (result == 0)
        expect_done("a secret is told", 0, 0, &out,
                    "[redacted:env:MY_TOKEN] and [redacted:env:GH_TOKEN]");
    bytes_finish(&out);
    redact_secrets_destroy(secrets);
}

int main(void)
{
    static const struct torture stories[] = {
        {.name = "a terminal", .tell = tell_terminal},
        {.name = "a terminal, in the program", .tell = tell_terminal, .of_program = true},
        {.name = "rows at another width", .tell = tell_rows},
        {.name = "context added to a turn", .tell = tell_edit},
        {.name = "the legacy envelope", .tell = tell_legacy},
        {.name = "a block's value", .tell = tell_entries},
        {.name = "a long block's value", .tell = tell_long_entry, .prepare = prepare_long},
        {.name = "secrets", .tell = tell_secrets},
    };
    torture_begin();
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        torture_tell(&stories[i]);
    bytes_finish(&long_value);
    return torture_end();
}
