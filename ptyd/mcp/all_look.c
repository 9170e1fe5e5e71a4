/* What a session shows, in the members that the original's tools had. */
#include "ptyd/mcp/all.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"

void all_ping(struct call *c)
{
    call_answer(c, json_pack("{s:b, s:i}", "ok", 1, "pid", (int)getpid()));
}

/* Nobody takes secrets out of bytes with all their sequences. */
void all_read_raw(struct call *c)
{
    call_fail(c,
              "the bytes as they were printed hold secrets and private commands, and are shown to "
              "no agent. pty_read_spool has the text that commands printed, pty_read_screen what "
              "the terminal shows; the user has the bytes with `ptyd record`");
}

/* ---- the screen ---- */

struct shown {
    json_int_t end; /* of the session's stream, before the screen was looked at */
};

static void drop_shown(struct call *c)
{
    free(c->state);
}

static void on_screen(struct call *c, const json_t *screen)
{
    const struct shown *s = c->state;
    json_t *value = json_deep_copy(screen);
    json_object_update_new(value, json_pack("{s:b, s:I, s:I}", "ok", 1, "raw_size", s->end, "ts",
                                            (json_int_t)clock_wall_ms()));
    call_answer(c, value);
}

static void on_end(struct call *c, const json_t *state)
{
    struct shown *s = c->state;
    s->end = (json_int_t)json_number(state, "end", 0);
    call_ask(c, "session.screen", json_object(), on_screen);
}

static void ask_end(struct call *c, void (*then)(struct call *c, const json_t *state))
{
    c->state = memory_new(sizeof(struct shown));
    c->drop = drop_shown;
    call_ask(c, "session.wait", json_object(), then);
}

void all_read_screen(struct call *c)
{
    ask_end(c, on_end);
}

static void on_sized(struct call *c, const json_t *screen)
{
    call_answer(c, json_pack("{s:b, s:O, s:O}", "ok", 1, "cols", json_object_get(screen, "cols"),
                             "rows", json_object_get(screen, "rows_count")));
}

void all_get_size(struct call *c)
{
    call_ask(c, "session.screen", json_object(), on_sized);
}

/* ---- what changed ---- */

static json_t *delta_of(const struct call *c, const json_t *screen)
{
    static const char *const members[] = {"cursor", "title", "alt_screen", "cols", "rows_count"};
    json_t *rows = json_array(), *row;
    size_t i;
    json_array_foreach(json_object_get(screen, "rows"), i, row)
        json_array_append_new(rows, json_pack("{s:I, s:O}", "row", (json_int_t)i, "text", row));
    json_t *delta = json_pack("{s:s, s:s, s:o, s:I}", "type", "screen_delta", "conversation_id",
                              c->session, "rows", rows, "ts", (json_int_t)clock_wall_ms());
    for (i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(delta, members[i], json_object_get(screen, members[i]));
    return delta;
}

static void answer_deltas(struct call *c, json_t *deltas)
{
    const struct shown *s = c->state;
    call_answer(c, json_pack("{s:b, s:I, s:I, s:o, s:I}", "ok", 1, "cursor",
                             (json_int_t)call_number(c, "cursor", 0), "resume_cursor", s->end,
                             "deltas", deltas, "file_size", s->end));
}

static void on_changed(struct call *c, const json_t *screen)
{
    answer_deltas(c, json_pack("[o]", delta_of(c, screen)));
}

static void on_end_of_deltas(struct call *c, const json_t *state)
{
    struct shown *s = c->state;
    s->end = (json_int_t)json_number(state, "end", 0);
    if (s->end > call_number(c, "cursor", 0))
        call_ask(c, "session.screen", json_object(), on_changed);
    else
        answer_deltas(c, json_array());
}

/* No screen but the one that shows is kept: whatever came behind the cursor is one change. */
void all_read_screen_deltas(struct call *c)
{
    ask_end(c, on_end_of_deltas);
}

/* ---- scrollback ---- */

/* Lines are counted as they left the screen, from the first that ever did; at another width one may
 * be several, which come together. */
static void on_part(struct call *c, const json_t *part)
{
    json_int_t total = (json_int_t)json_number(part, "total", 0);
    call_answer(c, json_pack("{s:b, s:I, s:I, s:O, s:I, s:I}", "ok", 1, "cursor",
                             (json_int_t)json_number(part, "first", total), "resume_cursor",
                             (json_int_t)json_number(part, "next", total), "lines",
                             json_object_get(part, "lines"), "total", total, "ts",
                             (json_int_t)clock_wall_ms()));
}

void all_read_scrollback(struct call *c)
{
    json_int_t from = (json_int_t)call_number(c, "cursor", 0);
    json_int_t limit = (json_int_t)call_number(c, "limit", LIMIT_MCP_LINES_DEFAULT);
    call_ask(c, "session.scrollback", json_pack("{s:I, s:I}", "from", from, "limit", limit),
             on_part);
}
