/* private.h - a session from inside, for the files that it is made of. */
#ifndef PTYD_SESSION_PRIVATE_H
#define PTYD_SESSION_PRIVATE_H

#include "base/bytes.h"
#include "ptyd/session/pump.h"
#include "ptyd/session/queries.h"
#include "ptyd/session/session.h"
#include "vterm_snapshot/scrub.h"

/* The screen as screen.jsonl has it. Zeroed it has nothing: the first line has every row. */
struct told_screen {
    uint64_t *rows; /* a hash of each row's text; owned */
    int row_count;
    uint64_t frame; /* of cursor, title and size */
};

/* Bracketed paste at the shell's prompts: a look at one that waits says that there is none. */
enum brackets { BRACKETS_UNKNOWN, BRACKETS_USED, BRACKETS_UNUSED };

struct session {
    const struct session_host *host;
    char *name, *shell_id;
    char *called; /* another name that it was given; or NULL */
    pid_t pid;
    int master;
    bool reaped;     /* the shell is; what it said last is drained yet */
    bool ending;     /* drained, too: its last checkpoint is made */
    bool exited;     /* and that: it is over */
    int exit_status; /* as a shell gives it */
    struct intake *intake;
    struct flow *flow; /* in a flood the pump reads; else NULL */
    int floods;        /* wakeups in a row that found much */
    struct turn turn;  /* for what the intake holds */
    size_t room;       /* session_set_room() */
    int polled_for;    /* events */
    struct terminal *terminal;
    struct tracker *tracker;
    struct rawlog *log;
    struct store *store;
    LIST_HEAD(, watcher) watchers;
    int displays; /* of these with `display` */
    int held;     /* session_hold() */
    uint64_t spoofed;
    struct redact_secrets *secrets; /* of the shell's environment, or NULL */
    bool secrets_known;             /* that was read */
    bool paused;                    /* nothing is recorded */
    bool marked, marked_first;      /* session_note_marked() is due */
    enum brackets brackets;
    bool bracketed; /* it was on when output was looked at last */

    uv_poll_t poll;
    uv_timer_t exit_timer, quiet_timer, screen_timer;
    uv_timer_t again_timer; /* runs while something could not be written */
    uv_timer_t crowd_timer; /* runs while `crowd` is one */
    int open_handles;       /* freed when all are closed */
    bool has_poll;          /* `poll` is one of them */
    bool polling;
    int64_t reaped_at, last_read; /* monotonic ms */
    int64_t log_tried_ms;         /* monotonic: when a broken log was tried again */
    int64_t timed_ms;             /* when it was last recorded that bytes came */
    int64_t typed_ms;             /* monotonic: when something was typed last */
    struct typing_queue typing;   /* what the terminal has not taken yet */
    struct crowd {                /* session/crowded.c */
        bool is;                  /* nothing is typed at the moment, for the sake of marks */
        bool shell;               /* whose marks they are reads what is typed */
        bool hurried;             /* behind what waits there is an interrupt */
        int typed;                /* bytes that were not read at the last look, or typed since */
        int64_t since;            /* monotonic ms: since when nobody read any of that */
    } crowd;
    struct queries *queries;      /* what viewers have yet to answer */
    uint64_t leader;              /* who answers the next; 0 for the terminal itself */
    uint64_t leader_since;        /* behind this offset */
    uint64_t sizes_by;            /* a viewer whose terminal tells its size itself, 0 for none */
    uint64_t led_from, led_until; /* where in the stream a former worker's leader was to answer */
    uint64_t heir;                /* the viewer that does; 0 for none yet */
    uint64_t asked, asked_from;   /* and the first that it had not; see intake_facts; 0 for none */
    uint64_t read_from;   /* whoever reads the stream from here sees all of the piece at hand */
    struct bytes lefts;   /* uint64_t: where the terminal left the alternate screen by itself */
    bool lefts_recalled;  /* also under former workers */
    char term[32];        /* TERM of its shell; "" when it is not known */
    bool answered;        /* what ends a line was typed at the prompt that stands */
    bool ahead;           /* more than that: lines that are of no prompt yet, or of a program */
    uint64_t read_before; /* the shell had read so much when keys came that wait yet; 0: unknown */
    bool drawing;         /* a prompt came, and where it ends nothing stood yet */
    uint32_t line_text;   /* run_text() of what was typed behind the last Enter; 0: not known */
    uint64_t prompt_end;  /* session_prompt_end() */
    int64_t reply_second; /* window of the reply limit */
    int reply_bytes;
    bool tested; /* checksums are answered, and without that limit (PTYD_ANSWER_CHECKSUMS) */

    uint64_t checkpoint_at;    /* offset of the last checkpoint */
    bool checkpoint_due;       /* the log alone does not lead here */
    struct saving *saving;     /* the one that is being made, or NULL */
    int64_t checkpoint_failed; /* monotonic ms: when it could not be written; 0 when it could */
    struct row_range withheld[LIMIT_WITHHELD]; /* see withheld.c */
    size_t withheld_count;
    bool gives_up;             /* a line that would be private is, by Ctrl-C */
    uint64_t line_from;        /* offset where the line at hand, or that of what runs, begins */
    uint64_t unrecorded_until; /* scrollback lines before this one came while capture was paused */

    struct told_screen told_screen;
    bool screen_changed; /* since it was told */
    int64_t screen_told_ms;

    bool rebuilding;
    struct moment now; /* of the bytes at hand */
    struct rawlog_record *records;
    size_t record_count, record_at;
    bool led;  /* the log leads to `place`, which the former worker said, */
    bool kept; /* or the mark there, which is fed again, was kept elsewhere */
    struct intake_place place;
    size_t marks_checked, marks_missing; /* records that were; those whose mark is not in the log */

    struct session_printed {
        uint64_t offset, seq, total; /* see unwritten.c; zeros where nothing is noted */
    } printed_at;
    struct bytes printed; /* tracker_save_printed() there */
    struct bytes open;    /* what was taken of the sequence at hand, which began at `open_at` */
    uint64_t open_at;
    struct bytes open_before; /* a part as it is noted, of the one before */
    bool open_noted;          /* it is kept for the next worker: the log lacks it */

    bool settles; /* a block ended in the piece at hand */
    bool parsing; /* inside terminal_write(): what is typed waits until its bytes are let go of */
    bool quarantined;   /* nothing of it is read (quarantine.h) */
    struct scrub scrub; /* then: of its output */
    bool foreign;       /* the mark at hand is one of others */
};

/* Output stopped this long: look whether a prompt waits. */
#define QUIET_PROMPT_MS 100
/* It looks again, at most this far apart, while the shell is busy or has not read what was typed.
 */
#define QUIET_LOOK_MS 3200

/* Tells the host. */
#define REPORT(s, event, ...) (s)->host->events->event((s)->host->user, (s), ##__VA_ARGS__)

/* Calls the method of every watcher that has it; among the arguments `w_` is the watcher. */
#define EACH_WATCHER(s, method, ...)                                                               \
    for (struct watcher *w_ = LIST_FIRST(&(s)->watchers), *next_; w_; w_ = next_) {                \
        next_ = LIST_NEXT(w_, others);                                                             \
        if (w_->method)                                                                            \
            w_->method(__VA_ARGS__);                                                               \
    }

/* Writes of what waits to be typed as much as the terminal takes now. */
void session_write_input(struct session *s);

/* The terminal's answer to a query, typed behind what waits; dropped for want of room. */
void session_reply(struct session *s, const char *bytes, size_t len);

/* For the next worker: what viewers have yet to answer is not what it was. And finds what it is to
 * be of a former worker's; before anything is taken in. */
void session_keep_asked(struct session *s);
void session_recall_asked(struct session *s);

/* What its viewers have yet to answer: an empty queue. */
struct queries *session_create_queries(struct session *s);

/* Says where the session stands once the stream is consumed up to `offset`, for the next worker. */
void session_keep_place(struct session *s, uint64_t offset);

/* A sequence (a mark, say) that is cut is kept for a worker to come where the log does not have its
 * first part: these bytes at `start`, before they are let go of. The other one comes before the
 * next are taken: what is over is kept no more. */
void session_keep_open(struct session *s, uint64_t start, const char *bytes, size_t len);
void session_let_go_of_open(struct session *s);

/* The same for what the command that runs has printed, where its file and the log do not have it:
 * what is noted when the stream is consumed up to `offset`. While rebuilding: the file is left as
 * it is where something is noted of `start`, and then that goes on behind it. */
void session_keep_output(struct session *s, uint64_t offset);
bool session_hold_output(struct session *s, uint64_t start);
void session_restore_output(struct session *s, uint64_t start);

/* While rebuilding: takes in again what a former worker kept of the sequence that it stood in at
 * `start`. */
void session_reenter(struct session *s, uint64_t start);

/* Polls the master: for output unless a thread reads it, for room while input waits. The other one
 * ends that, and the thread, for good: it comes before the master is closed, for libuv takes the
 * number out of its poll when the handle is closed, whosever it is by then. */
void session_poll_for(struct session *s);
void session_stop_reading(struct session *s);

/* What each of the session's handles is closed with: the last one frees it. */
void session_handle_closed(uv_handle_t *handle);

/* One that is over already; `status` as waitpid gave it. */
void session_set_over(struct session *s, int status);

/* Takes in all that the intake holds now. Elsewhere that is done in pieces, by turns. */
void session_drain(struct session *s);

/* A turn of the loop: takes in a piece of what the intake holds. */
bool session_take_piece(struct turn *turn, size_t bytes);

/* Does what marks entail that can wait until what came with them is shown. */
void session_note_marked(struct session *s);

/* Something could not be written: it is tried again after a moment, until it is. `session` is a
 * struct session. */
void session_owes(void *session);

/* What quiet_timer calls QUIET_PROMPT_MS after output stopped: finds out whether a prompt waits. */
void session_on_quiet(uv_timer_t *timer);

/* zsh turns bracketed paste on behind its prompt: who types in between has lines taken for Enter,
 * and a long one drawn anew at each of its bytes. Whether it is to come yet. */
bool session_brackets_due(const struct session *s);
/* Output came: who waits for a prompt hears when bracketed paste came behind it. */
void session_look_at_brackets(struct session *s);

/* Lines that were typed are due, or missing, at the prompt of a shell without C: when it is found
 * to wait there, it has read them. */
bool session_awaits_rest(const struct session *s);

/* Output of the shell's is under way that this loop has not taken in yet. */
bool session_output_waits(const struct session *s);

/* Behind a piece that was consumed: what it printed at the prompt may be too much for one. */
void session_settle_overdue(struct session *s);

/* A prompt stands; and behind the pieces that come next, for fish draws it behind its end. */
void session_note_prompt(struct session *s);
void session_note_drawn(struct session *s);

/* None stands at the prompt that was typed there: forgets it where what the prompt looked like in
 * front of it tells that. */
void session_forget_line(struct session *s);

/* Whether the screen shows all that was typed at the prompt: then session_has_line() is certain. */
bool session_knows_line(const struct session *s);

/* Whether the shell waits for a line: it is in front, at rest, has said all and read all. */
bool session_rests(const struct session *s);

/* Whether the terminal holds what nobody has read, whole lines where it edits them; and how many
 * bytes, -1 when that cannot be told (`ret_bytes` may be NULL). */
bool session_holds_input(const struct session *s, int *ret_bytes);

/* Before something is written, and behind each piece: whether the rest waits where the terminal
 * echoes it, so that the shell takes in, and we read, what there is, lest an echo tear its marks.
 */
void session_look_at_crowd(struct session *s);
void session_press_in(struct session *s, ssize_t typed);

/* Before keys are typed; and tells the tracker of them behind it. Where the terminal edits lines it
 * is said there by what the shell has read whether a command ate those that came before its prompt,
 * and keys are those that do by default what these do with such modes. */
void session_count_read(struct session *s);
void session_tell_keys(struct session *s, const struct termios *modes, bool replied,
                       const char *bytes, size_t len);

/* Reads what is secret in the environment that the shell was started with, and its TERM; `shell` is
 * 0 where it is gone. */
void session_read_environment(struct session *s, pid_t shell);
/* What the terminal says that it is. */
void session_name_terminal(struct session *s);

/* The end of a block that capture was paused in. */
void session_end_unrecorded(struct session *s, struct block *block);

/* Brings terminal and tracker to where the former worker had consumed the stream. */
void session_rebuild(struct session *s, uint64_t start);

/* The screen may have changed at `now`: screen.jsonl will say so, at most ten times a second.
 * Flush: what waits is written now. */
void session_screen_changed(struct session *s);
void session_screen_flush(struct session *s);

/* Begins a checkpoint when one is due and can be had: the session's turns make it then, in pieces
 * (session_save_piece()), and take in nothing meanwhile. Whatever else changes terminal or tracker
 * leaves it first; where the log alone does not lead here it is begun anew a moment later. _now:
 * makes it at once. */
void session_checkpoint(struct session *s);
void session_checkpoint_now(struct session *s);
void session_save_piece(struct session *s, size_t bytes);
void session_leave_checkpoint(struct session *s);

/* Removes the checkpoint of a shell that is gone: nobody will go on from it. */
void session_drop_checkpoint(const struct session *s);

/* Whether the file is a checkpoint as it was written, of whichever version. */
bool session_is_checkpoint(int fd);

/* Goes on from the checkpoint if there is one within [from, to] of the stream: terminal, tracker
 * and `record_at` are then those of its offset. */
bool session_load_checkpoint(struct session *s, uint64_t from, uint64_t to);

/* What the session's terminal and tracker are made with; `terminal` may be NULL. */
struct terminal_options session_terminal_options(struct session *s);
struct tracker_options session_tracker_options(struct session *s, struct terminal *terminal);
/* A terminal that was just made learns what is not in its options. */
void session_prepare_terminal(struct session *s);

/* While rebuilding: what the index says of a mark that was accepted at this offset, or NULL; sets
 * `now` to when it was. */
const struct rawlog_record *session_recorded_mark(struct session *s, uint64_t offset);

/* withheld.c: what agents are told nothing of. What a former worker knew of it; the block that
 * ends; the one that begins; behind a mark, one of which nobody saw the end; the line that ran
 * nothing; and one where Ctrl-C is typed, whose echo may stand in it by then; all from the line at
 * hand on, and up to there; the size is another one; where a block begins, what was cleared. While
 * rebuilding: what follows is the log from `from` on, behind a checkpoint or not; it was fed up to
 * `offset`; where the next rows begin or end, UINT64_MAX for nowhere; and all of it was fed. */
void session_recall_withheld(struct session *s);
void session_find_withheld(struct session *s, uint64_t from, bool is_checkpoint);
void session_withhold_again(struct session *s, uint64_t offset);
uint64_t session_next_withheld(const struct session *s, uint64_t offset);
void session_found_withheld(struct session *s);
void session_withhold_block(struct session *s);
void session_withhold_running(struct session *s);
void session_withhold_ended(struct session *s);
void session_withhold_dropped(struct session *s);
void session_withhold_interrupted(struct session *s);
void session_withhold_from_here(struct session *s);
void session_withhold_to_here(struct session *s, uint64_t end);
void session_follow_withheld(struct session *s);
void session_trim_withheld(struct session *s);

#endif
