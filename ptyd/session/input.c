/* What is typed into a session. */
#define _GNU_SOURCE
#include "ptyd/core/prompt_line.h"
#include "ptyd/core/typed.h"
#include "ptyd/session/private.h"
#include "ptyd/session/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/limits.h"
#include "ptyd/core/text.h"

#define CROWD_MS     5    /* is given to a crowded terminal at a time */
#define PASTE_LENGTH 1024 /* longer lines are pasted: editors redraw at each key that is typed */

/* All of it between two looks at a shell that did nothing meanwhile. */
static bool has_read_all(const struct session *s, bool (*look)(pid_t pid, uint64_t *ret_turn))
{
    uint64_t before, after;
    return look(s->pid, &before) && tcgetpgrp(s->master) == s->pid &&
           !session_holds_input(s, NULL) && !session_output_waits(s) && look(s->pid, &after) &&
           before == after;
}

bool session_rests(const struct session *s)
{
    return has_read_all(s, process_rests);
}

bool session_input_read(const struct session *s)
{
    return !session_holds_input(s, NULL) && !s->typing.first;
}

/* ---- whether a line is half typed ---- */

/* The cursor's column, and what stands from its row on: not how far that is from the bottom, which
 * changes with the size. */
static uint64_t look_at_line(const struct session *s)
{
    struct terminal_cursor cursor = terminal_cursor(s->terminal);
    struct bytes text = {0};
    uint64_t hash = hash_bytes(HASH_START, &cursor.col, sizeof cursor.col);
    for (int row = cursor.row; row < terminal_rows(s->terminal); row++) {
        terminal_row_text(s->terminal, row, &text);
        bytes_append_char(&text, '\n');
    }
    while (text.len && text.data[text.len - 1] == '\n')
        text.len--;
    hash = hash_bytes(hash, text.data, text.len);
    bytes_finish(&text);
    return hash | 1; /* 0: not known */
}

/* An empty row is no look of a prompt's: a job's line leaves one, too. */
static bool is_drawn(const struct session *s)
{
    return terminal_cursor(s->terminal).col != 0;
}

void session_note_prompt(struct session *s)
{
    s->drawing = !is_drawn(s);
    prompt_line_prompted(&intake_facts(s->intake)->prompt_line, s->drawing ? 0 : look_at_line(s),
                         s->ahead);
}

void session_note_drawn(struct session *s)
{
    struct prompt_line *line = &intake_facts(s->intake)->prompt_line;
    if (!s->drawing)
        return;
    bool bare = !(line->flags & PROMPT_LINE_TYPED) && tracker_state(s->tracker) == TRACKER_INPUT;
    if (bare && is_drawn(s))
        line->drawn = look_at_line(s);
    s->drawing = bare && !is_drawn(s);
}

bool session_has_line(const struct session *s)
{
    const struct prompt_line *line = &intake_facts(s->intake)->prompt_line;
    bool half;
    if (tracker_state(s->tracker) != TRACKER_INPUT || !(line->flags & PROMPT_LINE_TYPED))
        return false;
    if (tracker_half_line(s->tracker, &half))
        return half;
    char *text = tracker_echoed_line(s->tracker);
    half = prompt_line_is_half(line, look_at_line(s), text);
    free(text);
    return half;
}

void session_forget_line(struct session *s)
{
    struct prompt_line *line = &intake_facts(s->intake)->prompt_line;
    if (line->bare) /* else keys may wait for a prompt that is not drawn yet */
        prompt_line_forget(line);
}

bool session_knows_line(const struct session *s)
{
    return !(intake_facts(s->intake)->prompt_line.flags & PROMPT_LINE_TYPED) ||
           has_read_all(s, process_waits);
}

bool session_takes_line(const struct session *s)
{
    return tracker_state(s->tracker) == TRACKER_INPUT && !s->answered && !s->ahead &&
           !session_brackets_due(s) && session_input_read(s) && session_knows_line(s) &&
           !session_has_line(s);
}

/* Before they are typed: a worker that dies meanwhile is followed by one that takes them for typed.
 */
static void note_line(struct session *s, const struct termios *modes, const char *keys, size_t len)
{
    struct prompt_line *line = &intake_facts(s->intake)->prompt_line;
    enum tracker_state state = tracker_state(s->tracker);
    bool here = state == TRACKER_INPUT && !s->answered, edits = modes->c_lflag & ICANON;
    /* A shell in front edits its next line already: that its command is over waits to be read. */
    bool theirs = state == TRACKER_RUNNING && !edits && tcgetpgrp(s->master) != s->pid;
    if (here && !edits && !(line->flags & PROMPT_LINE_TYPED))
        line->bare = !s->drawing && has_read_all(s, process_waits) ? look_at_line(s) : 0;
    if (here) /* a line that is gone again is not always followed by output */
        uv_timer_start(&s->quiet_timer, session_on_quiet, QUIET_PROMPT_MS, 0);
    prompt_line_typed(line,
                      here     ? PROMPT_LINE_HERE
                      : theirs ? PROMPT_LINE_NOWHERE
                               : PROMPT_LINE_ELSEWHERE,
                      keys, len);
}

static size_t behind_last(const char *bytes, size_t len, unsigned char key)
{
    const char *last = memrchr(bytes, key, len);
    return last ? (size_t)(last + 1 - bytes) : 0;
}

/* How many of the bytes come to nothing: those up to the last Ctrl-C or Ctrl-\ that the terminal
 * turns into a signal now, for it throws away what was typed before. */
static size_t interrupts(const struct termios *modes, const char *bytes, size_t len)
{
    if (!(modes->c_lflag & ISIG))
        return 0;
    size_t gone = behind_last(bytes, len, modes->c_cc[VINTR]);
    return gone + behind_last(bytes + gone, len - gone, modes->c_cc[VQUIT]);
}

void session_keep_place(struct session *s, uint64_t offset)
{
    struct intake_place place = {.point = tracker_point(s->tracker),
                                 .keys = tracker_keys(s->tracker)};
    place.point.inside = terminal_is_inside(s->terminal);
    place.in_mark = terminal_open_mark(s->terminal, &place.mark);
    intake_set_place(s->intake, offset, &place);
}

/* What may end a line in some editor: an Enter, an end of file, readline's Ctrl-O. */
static bool is_line_end(char key)
{
    return key == '\r' || key == '\n' || key == '\x04' || key == '\x0f';
}

/* None, one, or more: 2. */
static size_t line_ends(const char *bytes, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len && count < 2; i++)
        count += is_line_end(bytes[i]);
    return count;
}

/* Where the line at hand begins that comes behind others in them; 0 where it is the first. */
static size_t line_start(const char *bytes, size_t len)
{
    while (len && !is_line_end(bytes[len - 1]))
        len--;
    return len;
}

/* A key that is text in the line and, behind Enter, too: history makes something else of `!`. */
static bool is_plain(char key)
{
    return (unsigned char)key >= ' ' && key != '\x7f' && key != '!' && key != '^';
}

/* Lines behind those of `run`s may become blocks that look like theirs. Returns `text`, of the line
 * at hand, behind these keys. */
static uint32_t doubt_runs(struct session *s, uint32_t text, const char *keys, size_t len)
{
    struct run_table *runs = &intake_facts(s->intake)->runs;
    size_t from = run_table_waits(runs) ? 0 : line_start(keys, len);
    text = from ? RUN_TEXT_START : text;
    for (size_t i = from, end; i < len; i = end) {
        for (end = i; end < len && is_plain(keys[end]);)
            end++;
        text = text && end > i ? run_text(text, keys + i, end - i) : text;
        if (end == len)
            break;
        bool ends = is_line_end(keys[end++]);
        if (ends)
            run_table_doubt(runs, text);
        text = ends ? RUN_TEXT_START : 0;
    }
    return text;
}

/* One line at a prompt is the command that begins there. Whose further ones are shows when all is
 * quiet. */
static void note_lines(struct session *s, bool interrupts, size_t lines)
{
    bool stands = tracker_state(s->tracker) == TRACKER_INPUT;
    s->ahead = s->ahead || (lines && (!stands || s->answered)) || lines > 1;
    s->answered = s->answered || (stands && (lines || interrupts));
}

/* A line that was typed ahead runs, if one waits; the log does not tell. */
static void let_run(struct session *s)
{
    struct moment now = clock_now();
    if (tracker_runs(s->tracker, now))
        rawlog_record(s->log, RAWLOG_RUNS, intake_start(s->intake), now, 0,
                      (uint32_t)tracker_seq(s->tracker));
}

void session_settle_overdue(struct session *s)
{
    if (tracker_overdue(s->tracker))
        let_run(s);
}

/* Lines that were typed ahead of the prompt at which more is typed now: they run, are about to, or
 * commands read them before. Where all is quiet it was those. */
static void settle_ahead(struct session *s)
{
    if (!tracker_waits(s->tracker))
        return;
    bool in_front = tcgetpgrp(s->master) == s->pid, due = tracker_due(s->tracker);
    if (!due && (in_front || session_output_waits(s))) /* an echo may be to come */
        return;
    if (in_front && session_rests(s))
        tracker_settle(s->tracker, false);
    else
        let_run(s);
}

/* What a command reads without an echo is a secret: it is not kept. */
static bool is_secret(const struct session *s, const struct termios *modes)
{
    return tracker_state(s->tracker) == TRACKER_RUNNING && (modes->c_lflag & ICANON) &&
           !(modes->c_lflag & ECHO);
}

size_t session_input_room(const struct session *s)
{
    return typing_room(&s->typing);
}

static bool echoes(const struct termios *modes)
{
    return (modes->c_lflag & ICANON) && (modes->c_lflag & ECHO);
}

/* From here on it is in doubt whether these keys were typed, and whoever goes on without us is to
 * know. What is no secret stands there for it, if it can tell by the echo. */
static void begin_typing(struct session *s, const struct termios *modes, const char *bytes,
                         size_t len)
{
    bool known = tracker_point(s->tracker).editor == EDITOR_TTY && echoes(modes) &&
                 !interrupts(modes, bytes, len);
    if (known || !is_secret(s, modes))
        intake_begin_typing(s->intake, bytes, len, known);
}

static void on_command_typed(struct typing *t);

/* Whether the request at hand is a `run`'s line, which doubted others when it was made. */
static bool types_command(const struct session *s)
{
    return s->typing.first->done == on_command_typed;
}

/* Before keys are typed: who goes on without us doubts, too. */
static void note_runs(struct session *s, const struct termios *modes, const char *keys, size_t len)
{
    if (interrupts(modes, keys, len)) /* the terminal forgets what it holds */
        run_table_doubt(&intake_facts(s->intake)->runs, 0);
    if (!types_command(s) && run_table_waits(&intake_facts(s->intake)->runs))
        doubt_runs(s, s->line_text, keys, len);
}

/* A person did that, or an agent in a person's stead. */
static void hear_person(struct session *s, const char *bytes, size_t len, size_t gone)
{
    bool agent = s->typing.first->agent;
    size_t lines = line_ends(bytes + gone, len - gone);
    if (lines)
        tracker_set_actor(s->tracker, agent ? BLOCK_AGENT_CMD : BLOCK_USER_CMD);
    s->typed_ms = clock_now().monotonic_ms;
    if (agent)
        turns_hurry(s->host->turns);
    else
        turns_note_keys(s->host->turns);
    if (gone) {
        session_withhold_interrupted(s);
        tracker_interrupt(s->tracker, clock_now());
    }
    note_lines(s, gone, lines);
    s->line_text = types_command(s) ? RUN_TEXT_START : doubt_runs(s, s->line_text, bytes, len);
}

/* What the terminal has been given; `modes` are those it had then. */
static void hear(struct session *s, const struct termios *modes, enum typing_kind kind,
                 const char *bytes, size_t len)
{
    size_t gone = interrupts(modes, bytes, len);
    if (kind == TYPING_KEYS)
        hear_person(s, bytes, len, gone);
    if (!is_secret(s, modes))
        session_tell_keys(s, modes, kind == TYPING_REPLY, bytes + gone, len - gone);
    session_keep_place(s, intake_start(s->intake));
}

static ssize_t write_piece(struct session *s)
{
    struct intake_facts *facts = intake_facts(s->intake);
    const char *bytes = s->typing.first->bytes.data + s->typing.first->typed;
    struct termios modes = {0};
    enum typing_kind kind;
    size_t len = typing_piece(&s->typing, &kind);
    bool heard = kind != TYPING_DROPPED && !s->quarantined;
    struct board_place before = board_enter(s->name, BOARD_TYPE, terminal_offset(s->terminal));
    if (heard)
        settle_ahead(s);
    tcgetattr(s->master, &modes);
    if (heard && kind == TYPING_KEYS) {
        note_line(s, &modes, bytes, len);
        note_runs(s, &modes, bytes, len);
    }
    if (heard)
        session_count_read(s);
    board_hold(); /* nobody could say whether it was typed */
    if (heard)
        begin_typing(s, &modes, bytes, len);
    ssize_t n = typing_write(&s->typing, facts, s->master);
    if (n > 0 && heard)
        hear(s, &modes, kind, bytes, (size_t)n);
    intake_end_typing(s->intake);
    board_leave(&before);
    session_press_in(s, n);
    typing_settle(&s->typing);
    board_let_go();
    return n;
}

static void on_crowd(uv_timer_t *timer)
{
    session_write_input(timer->data);
}

/* A terminal that takes nothing any more ends what waits for it. */
void session_write_input(struct session *s)
{
    ssize_t n = 1;
    session_look_at_crowd(s);
    while (n > 0 && s->typing.first && s->master >= 0 && !s->crowd.is)
        n = write_piece(s);
    if (n < 0 && n != -EAGAIN)
        typing_end(&s->typing);
    s->crowd.hurried = s->crowd.hurried && s->typing.first;
    if (s->crowd.is && s->typing.first && s->open_handles &&
        !uv_is_active((uv_handle_t *)&s->crowd_timer))
        uv_timer_start(&s->crowd_timer, on_crowd, CROWD_MS, 0);
    session_poll_for(s);
}

/* Who pasted went before the end of that: what reads it takes no key for one, up to that end. A
 * program that came since did not ask for brackets. */
static void end_paste(struct session *s)
{
    if (!s->typing.cut)
        return;
    if (!s->reaped && terminal_bracketed_paste(s->terminal))
        typing_end_paste(&s->typing, typing_create(PASTE_END, sizeof PASTE_END - 1));
    s->typing.cut = false;
}

/* Who interrupts a busy shell waits for nothing that it has not taken in. */
static void hurry(struct session *s, const struct typing *t)
{
    struct termios modes;
    if (tcgetattr(s->master, &modes) == 0 && interrupts(&modes, t->bytes.data, t->bytes.len))
        s->crowd.hurried = true;
}

int session_type(struct session *s, struct typing *t)
{
    if (s->reaped)
        return -ESRCH;
    if (t->agent && t->agent != s->typing.baton)
        return -EPERM;
    uint64_t before = s->typing.baton;
    bool added = typing_add(&s->typing, t);
    if (added && s->crowd.is)
        hurry(s, t);
    end_paste(s);
    typing_settle(&s->typing); /* it may be empty */
    if (added && s->parsing)
        session_poll_for(s); /* what is kept of a place is of one between two pieces */
    else if (added)
        session_write_input(s);
    if (before && !s->typing.baton) /* also by keys for which there is no room */
        REPORT(s, baton_taken, before);
    return added ? 0 : -ENOBUFS;
}

void session_hand_baton(struct session *s, uint64_t baton)
{
    typing_take_baton(&s->typing);
    end_paste(s);
    s->typing.baton = baton;
    session_poll_for(s);
}

void session_tell_baton(struct session *s, const char *text)
{
    EACH_WATCHER(s, baton, w_, text);
}

void session_lose_baton(struct session *s, uint64_t number, bool typing)
{
    EACH_WATCHER(s, baton_lost, w_, number, typing);
}

bool session_sort(struct session *s, uint64_t viewer, struct typing *t)
{
    const enum typing_kind kinds[] = {
        [QUERIES_TYPED] = TYPING_KEYS,
        [QUERIES_REPLY] = TYPING_REPLY,
        [QUERIES_SIZE] = viewer == s->leader ? TYPING_REPLY : TYPING_DROPPED,
        [QUERIES_DROPPED] = TYPING_DROPPED,
    };
    int64_t now = clock_monotonic_ms();
    bool keys = false;
    for (size_t at = 0, taken; at < t->bytes.len; at += taken) {
        enum queries_piece piece;
        taken =
            queries_take(s->queries, viewer, t->bytes.data + at, t->bytes.len - at, now, &piece);
        typing_add_part(t, taken, kinds[piece]);
        keys = keys || piece == QUERIES_TYPED;
        s->sizes_by = piece == QUERIES_SIZE ? viewer : s->sizes_by;
    }
    session_keep_asked(s);
    return keys;
}

void session_untype(struct session *s, struct typing *t)
{
    typing_remove(&s->typing, t);
    end_paste(s);
    session_poll_for(s);
}

void session_leave_typing(struct session *s, const void *of)
{
    typing_leave(&s->typing, of);
    end_paste(s);
    session_poll_for(s);
}

bool session_find_typed(const struct session *s, uint64_t token, size_t *ret_typed,
                        size_t *ret_doubt)
{
    return typing_find(intake_facts(s->intake), token, ret_typed, ret_doubt);
}

struct intake_lent *session_lent(struct session *s)
{
    return &intake_facts(s->intake)->lent;
}

bool session_types_lent(const struct session *s)
{
    return typing_keeps(&s->typing, &intake_facts(s->intake)->lent.typing);
}

void session_note_token(struct session *s, uint64_t token)
{
    typing_note(intake_facts(s->intake), token);
}

bool session_never_typed(const struct session *s, uint64_t token, uint64_t before)
{
    return typing_never(intake_facts(s->intake), token, before);
}

/* ---- typed by ourselves ---- */

void session_reply(struct session *s, const char *bytes, size_t len)
{
    struct typing *t = typing_create(bytes, len);
    t->is_reply = true;
    if (!typing_add(&s->typing, t))
        typing_destroy(t);
}

/* A command line, for a run. */
struct command_typing {
    struct typing typing; /* first: what the queue is done with is all of it */
    struct session *session;
    uint64_t token; /* of the run */
};

static void on_command_typed(struct typing *t)
{
    const struct command_typing *c = (struct command_typing *)t;
    if (t->typed == t->bytes.len)
        run_table_typed(&intake_facts(c->session->intake)->runs, c->token);
    board_let_go();
    typing_destroy(t);
}

uint64_t session_prompt(const struct session *s)
{
    return intake_facts(s->intake)->runs.prompt;
}

uint64_t session_prompt_end(const struct session *s)
{
    return s->prompt_end;
}

const struct run_record *session_find_run(const struct session *s, uint64_t token)
{
    return run_table_find(&intake_facts(s->intake)->runs, token);
}

void session_drop_run(struct session *s, uint64_t token)
{
    run_table_drop(&intake_facts(s->intake)->runs, token);
}

void session_keep_run(struct session *s, uint64_t token, bool waits)
{
    run_table_keep(&intake_facts(s->intake)->runs, token, waits, clock_monotonic_ms());
}

bool session_type_command(struct session *s, const char *command, uint64_t agent, uint64_t token,
                          uint64_t prompt)
{
    struct bytes line = {0};
    bool paste = (strpbrk(command, "\n\t") || strlen(command) > PASTE_LENGTH) &&
                 terminal_bracketed_paste(s->terminal);
    /* Other control characters are keys in disguise: they are left out. */
    bytes_append_text(&line, paste ? "\x1b[200~" : "");
    for (const char *at = command; *at; at++)
        if (*at == '\n' || *at == '\t' || ((unsigned char)*at >= 0x20 && *at != 0x7f))
            bytes_append_char(&line, *at);
    bytes_append_text(&line, paste ? "\x1b[201~\r" : "\r");
    bool fits = line.len <= session_input_room(s);
    board_hold(); /* until all of it is typed */
    if (fits) {
        doubt_runs(s, RUN_TEXT_START, line.data, line.len);
        fits = run_table_add(&intake_facts(s->intake)->runs, token, prompt, command,
                             clock_monotonic_ms());
    }
    struct command_typing *t = memory_new(sizeof *t);
    *t =
        (struct command_typing){.typing = {.bytes = line, .agent = agent, .done = on_command_typed},
                                .session = s,
                                .token = token};
    if (fits && session_type(s, &t->typing) == 0)
        return true;
    board_let_go();
    typing_destroy(&t->typing);
    return fits; /* a shell that is gone hears nothing; who waits is told of its end */
}
