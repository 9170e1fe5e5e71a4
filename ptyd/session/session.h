/* session.h - one shell and everything known of it.
 *
 * Life: session_adopt() when the keeper hands over a shell (new, or known to a worker before);
 * bytes flow until the shell is reaped; then the last of them are drained, a running block ends,
 * and the session stays readable as `exited` until it is closed or opened again.
 */
#ifndef PTYD_SESSION_SESSION_H
#define PTYD_SESSION_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "ptyd/core/board.h"
#include "ptyd/core/conf.h"
#include "ptyd/core/intake.h"
#include "ptyd/core/tracker.h"
#include "ptyd/core/turns.h"
#include "ptyd/session/rawlog.h"
#include "ptyd/session/store.h"
#include "ptyd/session/typing.h"

struct pump;
struct session;

/* What a session reports to whoever serves it; called on the loop. None is NULL. */
struct session_events {
    /* Its files are open, and nothing of it is rebuilt yet: what they say of the past may be read.
     */
    void (*opened)(void *user, struct session *s);
    /* Its first genuine mark: what the shell read to start with is needed no more. */
    void (*marked)(void *user, struct session *s);
    void (*block_begun)(void *user, struct session *s, struct block *block);
    /* A block ended, its secrets are out of it; it is not stored yet and may get its key. */
    void (*block_ended)(void *user, struct session *s, struct block *block);
    void (*block_stored)(void *user, struct session *s, struct block *block);
    /* All up to `offset` is taken in and in the log, and a block ended in it. */
    void (*settled)(void *user, struct session *s, uint64_t offset);
    void (*capture_changed)(void *user, struct session *s);
    /* The shell is gone and all that it said is taken in: the keeper may close its terminal. */
    void (*over)(void *user, struct session *s);
    /* What it cannot write is kept in that memory, too (store.h), which is borrowed: the keeper is
     * to hold it. False: it cannot. */
    bool (*owes)(void *user, struct session *s, int slate);
    /* Somebody typed, and the baton of that number is no agent's any more. */
    void (*baton_taken)(void *user, struct session *s, uint64_t baton);
};

/* Descriptors that a session holds at most: the master, two for its log, the running block's file.
 */
#define SESSION_FILES 4

/* Taken of a session at once; then others have their turn. */
#define SESSION_SCRATCH_BYTES TURN_BYTES_MOST

/* What all sessions share. Outlives them. */
struct session_host {
    uv_loop_t *loop;
    struct turns *turns; /* of the loop */
    struct pump *pump;   /* reads floods */
    const char *state;   /* state directory */
    char *scratch;       /* SESSION_SCRATCH_BYTES, for bytes on their way through a terminal */
    const struct session_events *events;
    void *user;             /* of the events */
    struct conf_file *conf; /* the user's settings; NULL: the usual ones */
    bool redacts;           /* secrets stay out of files (worker/redacting.h) */
};

/* Somebody who follows a session: an attached terminal, a `run`. Embedded in its owner; removed by
 * session_unwatch(). Each callback may be NULL; none may remove another watcher. */
struct watcher {
    LIST_ENTRY(watcher) others; /* the session's */
    /* The program's bytes, verbatim, but for marks and nonce; `offset` is behind them in the stream
     * (terminal.h). */
    void (*display)(struct watcher *w, const char *bytes, size_t len, uint64_t offset);
    /* One read's worth was taken, and is in no file yet: whoever batches sends now. */
    void (*drained)(struct watcher *w);
    void (*resized)(struct watcher *w);
    /* A line can be typed. */
    void (*prompt)(struct watcher *w);
    /* It looks as if a program without marks waits for input. */
    void (*maybe_prompt)(struct watcher *w);
    void (*block_begin)(struct watcher *w, struct block *block);
    void (*block_output)(struct watcher *w, struct block *block, const char *text, size_t len);
    /* Its command's last byte was displayed. */
    void (*output_end)(struct watcher *w, struct block *block);
    void (*block_end)(struct watcher *w, struct block *block);
    /* The shell is gone; `status` as a shell would give it, 128+n for a signal. */
    void (*exited)(struct watcher *w, int status);
    /* The session is being destroyed: forget it. */
    void (*gone)(struct watcher *w);
    /* An agent asks to type, may, or may no more: JSON, as VIEW_BATON has it. */
    void (*baton)(struct watcher *w, const char *text);
    /* The baton of that number is an agent's no more: what waits to be typed by it never will be,
     * and where `typing` is true the rest of what is half typed will not, either. */
    void (*baton_lost)(struct watcher *w, uint64_t number, bool typing);
};

/* What the keeper sent of a session. */
struct session_start {
    const char *name;
    pid_t pid;          /* of its shell; 0 when that was reaped */
    int master, intake; /* descriptors, which become ours */
    int slate;          /* what a former worker could not write; -1 for none; stays the caller's */
    /* It exited and was drained, `master` is -1: it can be looked at. `status` as waitpid gave it.
     */
    bool over;
    int status;
    /* Where workers died too often: it is quarantined: its output is kept, and nothing of it is
     * read. NULL for nowhere. */
    const struct board_place *deadly;
    uint64_t seq; /* of the last block of the shell that it follows here; 0 for none */
    /* Its blocks' files were compared already (block_mend.h); NULL: not. */
    struct block_mended *mended;
};

/* Takes it over. Returns NULL, with a message on stderr, when it cannot be served: a new one
 * without its files, or any without memory. *ret_error is why then, as -errno. An older one without
 * files goes on without them. */
struct session *session_adopt(const struct session_host *host, const struct session_start *start,
                              int *ret_error);

/* Whether it is quarantined; and it is no more: it goes on with what its shell says next. */
bool session_quarantined(const struct session *s);
void session_reset(struct session *s);

/* The keeper could not hold what `owes` reported last: it is reported again after a while. */
void session_slate_lost(struct session *s);
/* What workers died of, until it has gone on; BOARD_NOTHING where none did. */
enum board_step session_deadly_step(const struct session *s);

/* The shell was reaped, `wait_status` as waitpid gives it: what it said last is drained, at most
 * LIMIT_EXIT_MS; then the session has exited. */
void session_shell_reaped(struct session *s, int wait_status);

/* One whose shell was reaped has exited now, without a wait for more; for the worker's end. */
void session_exit_now(struct session *s);

/* One that has exited: nobody will go on from it. Before session_destroy(). */
void session_give_up(struct session *s);

/* Frees it; watchers hear `gone`. Files stay. */
void session_destroy(struct session *s);

/* Writes meta.json, and what is held back of the screen. */
void session_flush(struct session *s);

/* A member of meta.json that others own: borrowed, NULL for none. session_keep() sets it (stealing
 * `value`; NULL takes it away); it is on disk after the next session_flush(). */
json_t *session_kept(const struct session *s, const char *key);
void session_keep(struct session *s, const char *key, json_t *value);

/* A number that outlives the worker even where no file can be written; 0 for none yet. */
uint64_t session_key(const struct session *s);
void session_set_key(struct session *s, uint64_t key);

/* Somebody has yet to be told of its end, behind all that came before; or (false) has been, or is
 * gone. Whether anybody has. */
void session_hold(struct session *s, bool holds);
bool session_is_held(const struct session *s);

/* From now on the watcher hears, until it is removed, which may be asked of one that does not; it
 * stays its owner's. */
void session_watch(struct session *s, struct watcher *w);
void session_unwatch(struct session *s, struct watcher *w);

/* How many bytes can be typed ahead of what the terminal takes. */
size_t session_input_room(const struct session *s);
/* Types what a request holds: its `done` is called when the terminal has all of it, perhaps at
 * once, or when the session ends. Returns 0, or, with nothing typed and `done` not called, -ENOBUFS
 * for want of room, -ESRCH when its shell is gone, or -EPERM for an agent's without the baton. */
int session_type(struct session *s, struct typing *typing);
/* Says what of a request, not typed yet, that a viewer sent is for whom (queries.h): what its
 * terminal answered, or reports, is for the program and counts as typed for nobody; what it answers
 * too late goes nowhere, `typed` counts it. Returns whether a person typed any of it. */
bool session_sort(struct session *s, uint64_t viewer, struct typing *typing);
/* Who answers what the program asks from now on: the viewer that leads and is shown all that is
 * displayed; 0: the session's own terminal. */
void session_set_leader(struct session *s, uint64_t viewer);
uint64_t session_leader(const struct session *s);
/* A viewer goes, or stays and is passed over: not shown what is displayed for now. What it left
 * open the session's own terminal answers at once. It leads no more. */
void session_leave_viewer(struct session *s, uint64_t viewer);
void session_pass_over_viewer(struct session *s, uint64_t viewer);
/* The same of what stands behind `offset`, which a viewer never will be shown. */
void session_skip_viewer(struct session *s, uint64_t viewer, uint64_t offset);
/* Whether its terminal may have something to say yet (queries.h). And a last query, DA1, that no
 * program asked: what is asked from now on is not for this viewer. */
bool session_awaits_viewer(struct session *s, uint64_t viewer);
void session_ask_last(struct session *s, uint64_t viewer);
/* The command is over that asked, of which alone it is a viewer: it leads no more, and what it was
 * asked nobody answers. */
void session_release_viewer(struct session *s, uint64_t viewer);
/* The terminal of one that was passed over took something. */
void session_viewer_took(struct session *s, uint64_t viewer);
/* A viewer is shown from the log what stands before `offset`, a query: whether it is to answer it
 * is noted. And where behind `offset` the terminal left the alternate screen by itself next;
 * UINT64_MAX for nowhere. */
void session_shown_again(struct session *s, uint64_t viewer, const struct query *query,
                         uint64_t offset);
uint64_t session_left_behind(struct session *s, uint64_t offset);
/* What a former worker's leader had yet to answer and nobody took over: each query that ends within
 * [from, until] of the stream, which is read from `read_from` on, slow ones aside. False for none.
 */
struct session_asked {
    uint64_t read_from, from, until;
};
bool session_unanswered(const struct session *s, struct session_asked *ret_asked);
/* The session's own terminal answers one of them; and did so to all. */
void session_answer(struct session *s, const struct query *query);
void session_asked_over(struct session *s);
/* That leader is back, as this viewer, and was shown the stream up to `offset`: the rest it will be
 * shown. What it was shown of them it answers; `query` is one that ends there. */
void session_set_heir(struct session *s, uint64_t viewer, uint64_t offset);
void session_inherit(struct session *s, uint64_t viewer, uint64_t offset,
                     const struct query *query);
/* Takes back what the terminal does not have of it; `done` is not called. */
void session_untype(struct session *s, struct typing *typing);
/* Whoever typed as `of` (typing.h) goes. A paste that it cuts, as one that is taken back, is ended
 * for the program. */
void session_leave_typing(struct session *s, const void *of);
/* What is known of a request with that token, as typing_find() says it. */
bool session_find_typed(const struct session *s, uint64_t token, size_t *ret_typed,
                        size_t *ret_doubt);
/* What is kept of the terminal that a viewer has lent. */
struct intake_lent *session_lent(struct session *s);
/* Whether keys that were read there wait to be typed: until then it is theirs. */
bool session_types_lent(const struct session *s);
/* typing_note(), typing_never(). */
void session_note_token(struct session *s, uint64_t token);
bool session_never_typed(const struct session *s, uint64_t token, uint64_t before);
/* Whether a prompt stands, and what is typed now goes to it: nothing that came before waits to be
 * read, nor may have ended its line or interrupt it (readline throws away what it reads with a
 * Ctrl-C), nor is half a line. */
bool session_takes_line(const struct session *s);
/* Whether a line is half typed at the prompt that stands; of what was typed just now it may be
 * known only when all is quiet. */
bool session_has_line(const struct session *s);
/* Whether all that was typed has been read by whoever reads the terminal. */
bool session_input_read(const struct session *s);

/* An agent may type by this number from now on, until somebody else types; 0: none may. What agents
 * typed before and the terminal does not have is not typed any more. */
void session_hand_baton(struct session *s, uint64_t baton);
/* Tells those who watch. */
void session_tell_baton(struct session *s, const char *text);
void session_lose_baton(struct session *s, uint64_t number, bool typing);

/* Types a command line, as a paste when it has several lines, and Enter; `agent`: struct typing's.
 * What becomes of it is recorded for `token` (run_table.h), 0 for nobody, as typed at the prompt of
 * that number, 0 for none. False: nothing was typed, for want of room. */
bool session_type_command(struct session *s, const char *command, uint64_t agent, uint64_t token,
                          uint64_t prompt);
/* The number of the newest prompt; of the running command, that at which it began. */
uint64_t session_prompt(const struct session *s);
/* Where in the stream the prompt that stands ends; 0 where a former worker took it in. */
uint64_t session_prompt_end(const struct session *s);
/* The seq of the block that ended first behind an offset, as far as the shell's marks and the log's
 * index say, and (*ret_behind) where in the stream that is over; 0 for none. */
uint64_t session_ended_behind(struct session *s, uint64_t offset, uint64_t *ret_behind);
/* What is known of a command that was typed for `token`, NULL when none was; and its owner knows
 * all of it. */
const struct run_record *session_find_run(const struct session *s, uint64_t token);
void session_drop_run(struct session *s, uint64_t token);
/* Its owner waits for it again; or (not `waits`) went, and may come back to another worker. */
void session_keep_run(struct session *s, uint64_t token, bool waits);

/* Resizes terminal and shell, clamped as terminal_resize() does; watchers hear `resized` when it
 * has other cells. The pixels of all of it are 0 where they are not known.
 * `viewer`: whose terminal has it, 0 for none. */
struct session_size {
    int cols, rows, x_pixels, y_pixels;
};
void session_resize(struct session *s, struct session_size size, uint64_t viewer);

/* So many bytes more may be taken of its terminal, SIZE_MAX for any number: then the programs in it
 * wait. They count down as bytes are taken in; what a shell that was reaped said last is taken
 * whatever there is room for. */
void session_set_room(struct session *s, size_t room);

/* Whether a leading viewer follows it, or did when its worker died; and now one does, or none. */
bool session_led(struct session *s);
void session_set_led(struct session *s, bool led);

/* The stream: the offset up to which it was taken in, and from which on all of it can be read; and
 * reads at most `len` bytes at an offset. Returns how many, 0 at the end, or -errno. */
uint64_t session_offset(const struct session *s);
uint64_t session_readable_from(const struct session *s);
ssize_t session_read(const struct session *s, uint64_t offset, char *bytes, size_t len);

/* Where in the stream the block's output stands, as the log says; *ret_until is 0 while it goes on.
 */
bool session_find_output(struct session *s, uint64_t seq, uint64_t *ret_from, uint64_t *ret_until);

/* Stops and resumes capture: while it is paused nothing is recorded and nothing pending is told. */
void session_set_paused(struct session *s, bool paused);
bool session_paused(const struct session *s);

/* Rows by their numbers since the start: [from, to). What they show was printed within [begin, end)
 * of the stream. */
struct row_range {
    uint64_t from, to;
    uint64_t begin, end;
    bool running; /* of a private command that has not ended yet */
    enum range_place {
        RANGE_KNOWN, /* the rows are these */
        RANGE_DUE,   /* while rebuilding: they come again where the log comes to `begin`, */
        RANGE_OPEN,  /* are those since `from` */
        RANGE_AGAIN  /* and are these up to here */
    } place;
};

/* Whether agents are told nothing of a row, by its number since the start; and of which on because
 * of what runs or is typed now, UINT64_MAX for none. */
bool session_withholds_row(const struct session *s, uint64_t row);
/* The rows of which that is so: at most LIMIT_WITHHELD ranges; borrowed. */
const struct row_range *session_withheld(const struct session *s, size_t *ret_count);
uint64_t session_withheld_from(const struct session *s);

/* What is secret in the shell's environment, and was in those before it; NULL for nothing.
 * Borrowed. And whether the first is known: it is not where the vault has no such shell, and that
 * had ended when the session was opened. */
const struct redact_secrets *session_secrets(const struct session *s);
bool session_knows_secrets(const struct session *s);
/* The same of a session by its name that is not open yet, with a shell (`shell` is 0 where it is
 * gone); the caller destroys them. */
struct redact_secrets *session_secrets_of(const char *state, const char *name, const char *shell_id,
                                          pid_t shell);

/* A look at what is there. */
const char *session_name(const struct session *s);
/* What people call it: the name that session_call() gave it, else its own. NULL takes that away. */
const char *session_called(const struct session *s);
void session_call(struct session *s, const char *name);
const char *session_shell_id(const struct session *s);
/* Where its shell works, links resolved; a new string, NULL where that is not known. */
char *session_place(const struct session *s);
/* Its shell was reaped and all that it said is taken in; then its status, as a shell gives it. */
bool session_exited(const struct session *s);

/* Whether it was made for a terminal (worker/terminals.h); whether it ends with that. And: its user
 * left it, it does not. A worker to come knows, too. */
bool session_is_terminals(const struct session *s);
bool session_is_owned(const struct session *s);
void session_leave(struct session *s);
int session_exit_status(const struct session *s);
struct terminal *session_terminal(const struct session *s);
struct tracker *session_tracker(const struct session *s);
struct store *session_store(const struct session *s);
/* The seq of the last block before its shell. */
uint64_t session_first_seq(const struct session *s);
uint64_t session_spoofed_marks(const struct session *s);
/* Its shell has our integration and has not lost it, so marks are to be expected. */
bool session_integrated(const struct session *s);
/* starting, prompt, running, fullscreen, quarantined or exited. */
const char *session_state(const struct session *s);
/* The member of `list`, as JSON text and (new reference) as a value. */
void session_append_json(const struct session *s, struct bytes *out);
json_t *session_json(const struct session *s);
/* Some of what it says, for lists of many that are read often: which, in which order. */
#define SESSION_MEMBERS 10
struct session_choice {
    int count;
    unsigned char members[SESSION_MEMBERS];
};
/* Of an array of their names; false, with nothing set, where it is none or one of them is unknown.
 */
bool session_choose(const json_t *names, struct session_choice *ret_choice);
/* Their values, as the text of a JSON array. */
void session_append_chosen(const struct session *s, const struct session_choice *choice,
                           struct bytes *out);
/* What people should know, as strings at the end of an array. */
void session_add_warnings(const struct session *s, json_t *warnings);

#endif
