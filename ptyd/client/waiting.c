#include "ptyd/client/waiting.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/client/matcher.h"
#include "ptyd/core/base64.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/json.h"
#include "ptyd/core/say.h"
#include "ptyd/core/text.h"

/* A wait under way. */
struct wait {
    struct dialog *dialog;
    const struct waiting_for *what;
    const json_t *before;
    int64_t until;
    struct waiting_result *result;
};

/* ---- what is waited for ---- */

char *waiting_prepare(struct waiting_for *f)
{
    char *error = NULL;
    if (f->is_regex)
        f->regex = regex_create(f->text, false, &error);
    return error;
}

void waiting_finish(struct waiting_for *f)
{
    regex_destroy(f->regex);
    f->regex = NULL;
}

const char *waiting_name(const struct waiting_for *f)
{
    static const char *const names[] = {"nothing", "text", "screen", "prompt",
                                        "exit",    "idle", "change", "settled"};
    return names[f->kind];
}

const char *waiting_end_name(enum waiting_end end)
{
    static const char *const names[] = {"met", "timeout", "ended", "limit", "nothing-runs", "lost"};
    return names[end];
}

void waiting_result_finish(struct waiting_result *r)
{
    free(r->matched);
    json_decref(r->block);
    *r = (struct waiting_result){.end = r->end, .cursor = r->cursor};
}

int waiting_status(const struct waiting_result *r)
{
    const json_t *status = json_object_get(r->block, "exit_code");
    return json_is_integer(status) ? (int)json_integer_value(status) : EXIT_PTYD;
}

/* ---- asking ---- */

static void end_with(struct wait *w, enum waiting_end end)
{
    w->result->end = end;
}

static void meet(struct wait *w, uint64_t cursor)
{
    w->result->end = WAITING_MET;
    w->result->cursor = cursor;
}

/* Asks for `goal` behind `from`, until `until`; RPC_LOST has ended the wait. */
static enum rpc_wait ask(struct wait *w, const char *goal, uint64_t from, bool data, int64_t until,
                         json_t **ret_answer)
{
    json_t *params =
        json_pack("{s:s, s:I, s:b}", "for", goal, "from", (json_int_t)from, "data", data);
    enum rpc_wait end = dialog_ask(w->dialog, "session.wait", params, until, ret_answer);
    if (end == RPC_LOST)
        end_with(w, WAITING_LOST);
    return end;
}

/* ---- text ---- */

static void feed(struct wait *w, struct matcher *m, const json_t *answer)
{
    const char *data = json_text(answer, "data", "");
    struct bytes bytes = {0};
    base64_decode(data, strlen(data), &bytes);
    matcher_set_cols(m, (int)json_number(answer, "cols", LIMIT_COLS_DEFAULT));
    matcher_take(m, (uint64_t)json_number(answer, "from", 0), bytes.data, bytes.len);
    bytes_finish(&bytes);
    (void)w;
}

/* What is kept nowhere was not searched: said once, unless it is in front of the cursor. */
static void say_lost(const struct wait *w, const json_t *answer, bool *said)
{
    uint64_t from = (uint64_t)json_number(answer, "from", 0);
    if (*said || json_number(answer, "lost", 0) == 0 || from <= w->result->cursor)
        return;
    say("some of the output is kept nowhere (capture is paused, or it is too old): it was not "
        "looked at");
    *said = true;
}

static void take_match(struct wait *w, const struct matcher *m)
{
    uint64_t cursor;
    w->result->matched = text_copy(matcher_text(m, &cursor));
    meet(w, cursor);
}

static void wait_for_text(struct wait *w)
{
    uint64_t cursor = w->result->cursor;
    uint64_t from = cursor > LIMIT_BEFORE_CURSOR_BYTES ? cursor - LIMIT_BEFORE_CURSOR_BYTES : 0;
    struct matcher *m = matcher_create(w->what->text, w->what->regex, cursor, w->dialog->cols);
    bool said = false;
    for (;;) {
        json_t *answer = NULL;
        enum rpc_wait end = ask(w, "output", from, true, w->until, &answer);
        if (end != RPC_CAME) {
            if (end == RPC_LATE)
                end_with(w, WAITING_LATE);
            break;
        }
        uint64_t next = (uint64_t)json_number(answer, "next", 0);
        bool over = json_flag(answer, "exited") && next >= (uint64_t)json_number(answer, "end", 0);
        say_lost(w, answer, &said);
        feed(w, m, answer);
        from = next;
        json_decref(answer);
        enum matcher_state state = matcher_take(m, 0, NULL, 0);
        if (state == MATCHER_FOUND)
            take_match(w, m);
        else if (state == MATCHER_LIMIT)
            end_with(w, WAITING_LIMIT);
        else if (over)
            end_with(w, WAITING_OVER);
        else if (w->until < 0 || clock_monotonic_ms() < w->until)
            continue;
        else
            end_with(w, WAITING_LATE);
        break;
    }
    matcher_destroy(m);
}

/* ---- prompts and ends ---- */

static void wait_for_prompt(struct wait *w)
{
    json_t *answer = NULL;
    enum rpc_wait end = ask(w, "prompt", w->result->cursor, false, w->until, &answer);
    if (end == RPC_LATE)
        end_with(w, WAITING_LATE);
    else if (end == RPC_CAME && json_flag(answer, "exited"))
        end_with(w, WAITING_OVER);
    else if (end == RPC_CAME)
        meet(w, (uint64_t)json_number(answer, "to", 0));
    json_decref(answer);
}

static void wait_for_exit(struct wait *w)
{
    json_t *answer = NULL;
    enum rpc_wait end = ask(w, "exit", w->result->cursor, false, w->until, &answer);
    const json_t *block = json_object_get(answer, "block");
    if (end == RPC_LATE) {
        end_with(w, WAITING_LATE);
    } else if (end == RPC_CAME && json_is_object(block)) {
        w->result->block = json_incref((json_t *)block);
        meet(w, (uint64_t)json_number(answer, "to", 0));
    } else if (end == RPC_CAME) {
        end_with(w, json_flag(answer, "exited") ? WAITING_OVER : WAITING_NOTHING);
    }
    json_decref(answer);
}

/* ---- silence ---- */

static int64_t sooner(int64_t one, int64_t until)
{
    return until >= 0 && until < one ? until : one;
}

/* Waits until more is printed than up to *end: RPC_CAME. RPC_LATE at `until`; RPC_LOST: the wait is
 * over. */
static enum rpc_wait wait_for_more(struct wait *w, uint64_t *end, int64_t until)
{
    json_t *answer = NULL;
    enum rpc_wait came = ask(w, "output", *end, false, until, &answer);
    if (came != RPC_CAME)
        return came;
    uint64_t now = (uint64_t)json_number(answer, "end", 0);
    bool over = json_flag(answer, "exited") && now == *end;
    *end = now;
    json_decref(answer);
    if (over)
        end_with(w, WAITING_OVER);
    return over ? RPC_LOST : RPC_CAME;
}

static void wait_for_silence(struct wait *w)
{
    uint64_t end = w->dialog->end;
    enum rpc_wait came;
    int64_t due;
    do {
        due = clock_monotonic_ms() + w->what->ms;
        came = wait_for_more(w, &end, sooner(due, w->until));
    } while (came == RPC_CAME && (w->until < 0 || clock_monotonic_ms() < w->until));
    if (came == RPC_LATE && clock_monotonic_ms() >= due)
        meet(w, end);
    else if (came != RPC_LOST)
        end_with(w, WAITING_LATE);
}

/* ---- the screen ---- */

static json_t *look_at_screen(struct dialog *d)
{
    json_t *screen = NULL;
    int64_t until = dialog_until(d, LIMIT_ANSWER_MS);
    enum rpc_wait end = dialog_ask(d, "session.screen", json_object(), until, &screen);
    if (end == RPC_LATE)
        dialog_say_late(d);
    return screen;
}

/* What a person sees change: text and cursor. */
static bool shows_same(const json_t *one, const json_t *other)
{
    static const char *const members[] = {"rows", "cursor", "alt_screen"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!json_equal(json_object_get(one, members[i]), json_object_get(other, members[i])))
            return false;
    return true;
}

json_t *waiting_begin(struct dialog *d, const struct waiting_for *f, bool *ret_failed)
{
    json_t *screen = f->kind == WAIT_CHANGE ? look_at_screen(d) : NULL;
    *ret_failed = f->kind == WAIT_CHANGE && !screen;
    return screen;
}

static bool is_on_screen(struct wait *w, const json_t *screen)
{
    struct bytes text = {0};
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(screen, "rows"), i, row)
        bytes_printf(&text, "%s\n", json_string_value(row));
    enum matcher_state state =
        matcher_search(w->what->text, w->what->regex, text.data, text.len, &w->result->matched);
    if (state == MATCHER_LIMIT)
        end_with(w, WAITING_LIMIT);
    bytes_finish(&text);
    return state == MATCHER_FOUND;
}

/* Looks at the screen when something was printed, not all the time; NULL ends the wait. With
 * nothing printed by `until`: *ret_late and NULL. */
static json_t *next_screen(struct wait *w, uint64_t *end, int64_t until, bool *ret_late)
{
    enum rpc_wait came = wait_for_more(w, end, until);
    *ret_late = came == RPC_LATE;
    if (came != RPC_CAME)
        return NULL;
    poll(NULL, 0, LIMIT_SCREEN_LOOK_MS);
    json_t *screen = look_at_screen(w->dialog);
    if (!screen)
        end_with(w, WAITING_LOST);
    return screen;
}

/* The screen shows it, or (`changes`) something else than `before`. */
static void wait_for_screen(struct wait *w, bool changes)
{
    uint64_t end = w->dialog->end;
    json_t *screen = look_at_screen(w->dialog);
    bool late = false;
    if (!screen)
        end_with(w, WAITING_LOST);
    while (screen && w->result->end != WAITING_LIMIT) {
        if (changes ? !shows_same(w->before, screen) : is_on_screen(w, screen)) {
            meet(w, end);
            break;
        }
        json_decref(screen);
        screen = w->result->end == WAITING_LIMIT ? NULL : next_screen(w, &end, w->until, &late);
    }
    if (late)
        end_with(w, WAITING_LATE);
    json_decref(screen);
}

static void wait_for_settled(struct wait *w)
{
    uint64_t end = w->dialog->end;
    json_t *screen = look_at_screen(w->dialog), *next;
    int64_t due = clock_monotonic_ms() + w->what->ms;
    bool late = false;
    if (!screen)
        end_with(w, WAITING_LOST);
    while (screen && clock_monotonic_ms() < due &&
           (next = next_screen(w, &end, sooner(due, w->until), &late))) {
        if (!shows_same(screen, next))
            due = clock_monotonic_ms() + w->what->ms;
        json_decref(screen);
        screen = next;
    }
    if (screen && clock_monotonic_ms() >= due)
        meet(w, end);
    else if (late)
        end_with(w, WAITING_LATE);
    json_decref(screen);
}

/* ---- all of them ---- */

struct waiting_result waiting_wait(struct dialog *d, const struct waiting_for *f, uint64_t cursor,
                                   const json_t *before, int64_t until)
{
    struct waiting_result result = {.end = WAITING_LATE, .cursor = cursor};
    struct wait w = {.dialog = d, .what = f, .before = before, .until = until, .result = &result};
    switch (f->kind) {
    case WAIT_TEXT:
        wait_for_text(&w);
        break;
    case WAIT_PROMPT:
        wait_for_prompt(&w);
        break;
    case WAIT_EXIT:
        wait_for_exit(&w);
        break;
    case WAIT_IDLE:
        wait_for_silence(&w);
        break;
    case WAIT_SETTLED:
        wait_for_settled(&w);
        break;
    default:
        wait_for_screen(&w, f->kind == WAIT_CHANGE);
    }
    return result;
}
