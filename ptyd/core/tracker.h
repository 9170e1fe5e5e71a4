/* tracker.h - marks in, command blocks out.
 *
 * The state machine of one shell's prompt: prompt, input, running. It asks the terminal for the
 * text of the command line and for the output of the command. Knows no clock and no file: the
 * time is told, blocks are handed out.
 */
#ifndef PTYD_CORE_TRACKER_H
#define PTYD_CORE_TRACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptyd/core/block.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/tracker_point.h"
#include "ptyd/core/typed_keys.h"
#include "vterm_snapshot/terminal.h"

struct tracker;

enum tracker_state {
    TRACKER_START,   /* no mark seen */
    TRACKER_PROMPT,  /* the prompt is being drawn */
    TRACKER_INPUT,   /* a line can be typed */
    TRACKER_RUNNING, /* a command runs */
};

/* Called from tracker_mark() and tracker_abandon(). Each may be NULL. */
struct tracker_events {
    /* A command started; the block is shared and still changes. Return the time it is known to
     * have begun at, 0 for now (a rebuild knows better). */
    int64_t (*begin)(void *user, struct block *block);
    /* Rendered output, in order. */
    void (*output)(void *user, struct block *block, const char *text, size_t len);
    /* All of it came: what is printed from here on is the shell's. */
    void (*output_end)(void *user, struct block *block);
    /* It ended: the block is complete. Take a reference to keep it. */
    void (*end)(void *user, struct block *block);
    /* A prompt is ready for input. */
    void (*prompt)(void *user);
    /* The line at the prompt, which still stands there, ran nothing: it was empty or given up. May
     * be said twice of one. */
    void (*dropped)(void *user);
};

struct tracker_options {
    const char *conversation_id; /* borrowed */
    const char *shell_id;        /* borrowed */
    struct terminal *terminal;
    const struct tracker_events *events;
    void *user;
    uint64_t seq;    /* of the last block there was */
    const char *cwd; /* copied */
};

struct tracker *tracker_create(const struct tracker_options *options);
void tracker_destroy(struct tracker *t);

/* Appends all of it to `out`; and makes of that a tracker which goes on as this one would, with a
 * terminal that was saved at the same point. NULL for what is no tracker, or one of another program
 * that saves other fields. No event is called. */
void tracker_save(const struct tracker *t, struct bytes *out);
struct tracker *tracker_load(const struct tracker_options *options, struct unpack *in);

/* What comes next is from a log, in which nothing stands of what was typed: in a shell without C
 * any line may be a command. */
void tracker_deafen(struct tracker *t);

/* Applies a genuine mark. Returns false when it is out of order: it is then dropped. */
bool tracker_mark(struct tracker *t, const struct mark *mark, struct moment now);

/* Gives the terminal what was printed, as terminal_write() does, and hears in it the echo of what
 * was typed. */
size_t tracker_write(struct tracker *t, char *bytes, size_t len);

/* Gives the terminal another size, as terminal_resize() does. */
void tracker_resize(struct tracker *t, int cols, int rows);

/* The terminal's event `line`: in a shell without C (`line=1`) the command may start here. Returns
 * false where no line is awaited, else what it was: for tracker_line_was(), of one that goes
 * through the log. */
bool tracker_line(struct tracker *t, struct moment now, enum typed_answer *ret_answer);
void tracker_line_was(struct tracker *t, enum typed_answer answer, struct moment now);

/* Something runs in front of the shell: if a line that was typed ahead is due, it is that. Returns
 * whether one was. */
bool tracker_runs(struct tracker *t, struct moment now);

/* So much was printed at the prompt (LIMIT_OVERDUE_BYTES) that such a line does run, whether its
 * echo came or not. */
bool tracker_overdue(const struct tracker *t);

/* Where the tty edits lines, which echoes what comes ahead in front of the prompt, whether one is
 * half typed: returns false where another does, and nothing is known here. */
bool tracker_half_line(const struct tracker *t, bool *ret_half);

/* What stands behind B, a new string: the line so far; where a prompt is drawn later, that, too. */
char *tracker_echoed_line(const struct tracker *t);

/* At a prompt without C: whether a whole line was typed; and one that was ahead of that prompt. It
 * runs, or a command read it: then, when the shell waits and the terminal holds no line, they are
 * forgotten. `all`: also those whose echo did not come, for long enough. Where keys are missing in
 * a shell that edits lines, it is sure again by that. */
bool tracker_waits(const struct tracker *t);
bool tracker_unsure(const struct tracker *t);
bool tracker_due(const struct tracker *t);
void tracker_settle(struct tracker *t, bool all);

/* A line was given up (Ctrl-C) in a shell whose lines the terminal edits, and no other prompt came:
 * where the shell rests, it reads on at the one that stood (`trap ... INT`). */
bool tracker_gave_up(const struct tracker *t);
void tracker_read_on(struct tracker *t);

/* What comes next is from a terminal again: of the line that is typed now keys may be lost. */
void tracker_lose_keys(struct tracker *t);

/* At a prompt: keys came before it, which a command or the line editor reads. The shell rests there
 * and the terminal holds none: a command did. */
bool tracker_doubts(const struct tracker *t);
void tracker_dispel(struct tracker *t);

/* Bytes were typed; `echoes`: the terminal edits and echoes lines now. In a shell without C they
 * tell an echoed command line from output. */
void tracker_typed(struct tracker *t, const char *bytes, size_t len, bool echoes);
/* The same of a recording, which does not say what the terminal echoed: for a shell that edits its
 * lines. */
void tracker_edited(struct tracker *t, const char *bytes, size_t len);
/* The same of what nobody typed: the answers of a terminal. */
void tracker_replied(struct tracker *t, const char *bytes, size_t len, bool echoes);

/* Where the terminal edits lines: it made something else of the last `len` bytes typed. */
void tracker_change_keys(struct tracker *t, size_t len);
/* The same: whether keys wait that no line was made of. And lines were typed behind some that came
 * before the prompt: so many bytes came to the shell since the first of these was typed, or wait
 * for it, by which it is told whether a command has them. */
bool tracker_holds_keys(const struct tracker *t);
void tracker_account(struct tracker *t, size_t bytes);

/* What was typed into a shell without C, as far as it matters yet (borrowed); and that again, for a
 * tracker that a log brought to the same point. */
struct typed_keys tracker_keys(const struct tracker *t);
void tracker_recall(struct tracker *t, const struct typed_keys *keys);

/* A mark of another terminal's (foreign.h): for --marks any, and foreign_marks. Returns whether it
 * said anything. And the terminal's event `drawn`, by which the lines of such shells are found. */
bool tracker_foreign(struct tracker *t, int number, const char *payload, size_t len,
                     struct moment now);
void tracker_drawn(struct tracker *t, const struct op *op);

/* The shell is gone or the trace ends: a running block ends. `exit_known`: as the shell's own
 * last command with `exit_status`; otherwise it is abandoned. */
void tracker_abandon(struct tracker *t, struct moment now, bool exit_known, int exit_status);

/* The user pressed Ctrl-C or Ctrl-\ and the terminal turns it into a signal. */
void tracker_interrupt(struct tracker *t, struct moment now);

/* The running block was none: nobody hears of its end, and the next one gets its seq. */
void tracker_withdraw(struct tracker *t);

/* Who types the next command line. */
void tracker_set_actor(struct tracker *t, enum block_type type);

/* Goes on with a block whose begin is not in the stream any more; takes a reference. Its counters
 * start anew. */
void tracker_resume(struct tracker *t, struct block *block, struct moment began);

/* Where it stands; and to stand there, with whatever ran given up. A block that runs at that point
 * is for tracker_resume(). */
struct tracker_point tracker_point(const struct tracker *t);
void tracker_set_point(struct tracker *t, const struct tracker_point *point, struct moment now);

enum tracker_state tracker_state(const struct tracker *t);
/* Marks of our shell's were seen, and it can tell of its commands. */
bool tracker_marked(const struct tracker *t);
/* What the shell cannot tell and why, for people; "" when nothing is lost. */
const char *tracker_lost(const struct tracker *t);
/* A command's output has ended, as the shell says, and no line can be typed yet: its hooks run, or
 * its prompt is drawn. */
bool tracker_between(const struct tracker *t);

/* A prompt was printed since the running command began, and its end was not told: the hooks are
 * gone, or somebody printed the prompt. */
bool tracker_prompt_shown(const struct tracker *t);
/* Somebody else found that it says nothing; the next prompt's mark takes it back. */
void tracker_set_lost(struct tracker *t, const char *why);
/* The block that runs, or NULL; borrowed. Its preview is filled for a look at it. */
struct block *tracker_running(struct tracker *t);
/* Fills the preview of a running block from what it has printed so far. */
void tracker_peek(struct tracker *t, int max_lines, size_t max_bytes);
/* What the running block has printed, as far as whoever goes on cannot know it: appended to `out`;
 * and taken in by a tracker whose block runs there: what follows is printed behind it. That returns
 * false, and changes nothing, where another version wrote it: the second says that without one. */
void tracker_save_printed(const struct tracker *t, struct bytes *out);
bool tracker_is_printed(const char *bytes, size_t len);
bool tracker_load_printed(struct tracker *t, const char *bytes, size_t len);
const char *tracker_cwd(const struct tracker *t);
uint64_t tracker_seq(const struct tracker *t);
void tracker_set_seq(struct tracker *t, uint64_t seq);

/* The number of the row in which the line at the prompt begins, or that of the running command
 * began (the last one's of several in a shell without C); UINT64_MAX where no prompt was marked. */
uint64_t tracker_input_row(const struct tracker *t);

/* The text of a line at the prompt as it stands now. Where the prompt is drawn behind B (fish) that
 * is what stands behind where the first key found the cursor. There, and where a prompt is drawn
 * elsewhere without marks (zsh's Ctrl-L), the second is what the keys tell, with a blank in front
 * where one may be; else nothing. */
void tracker_typed_text(const struct tracker *t, struct bytes *out);
void tracker_keyed_text(const struct tracker *t, struct bytes *out);
/* In the latter case all that the screen shows, the line and its prompt somewhere in it; else
 * nothing. */
void tracker_drawn_text(const struct tracker *t, struct bytes *out);
/* Whether anything stands behind B. */
bool tracker_shows_line(const struct tracker *t);

#endif
