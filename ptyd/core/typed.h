/* typed.h - what was typed into a shell that never says where a command starts (no C), and what
 * that tells of the lines on its screen.
 *
 *   line   NOTHING -key-> TYPED -Enter-> ENTERED            NOTHING again at each B
 *   feed   NO_FEED -line feed-> FED or GIVEN_UP             NO_FEED again at each B
 *   trust  DEAF -key-> HEARS <-a line that was entered runs- UNSURE <-keys were lost- any
 *          (an editor's: when it is found to wait)
 *          DEAF again where a log is gone through
 *   keys   typed, then echoed, then read
 *
 * Where the tty echoes, each line is echoed once, in its order, before the shell can read it: an
 * echo in front of B was typed ahead, a line feed behind B that ends one starts its command, and
 * any other is somebody else's. What commands read of the lines is not told: who finds that the
 * shell waits for more although lines are due calls typed_settle().
 *
 * Pure: it is told keys, output and moments, and is asked once at each moment. A zeroed struct is
 * one to which nothing was typed.
 */
#ifndef PTYD_CORE_TYPED_H
#define PTYD_CORE_TYPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "ptyd/core/typed_keys.h"

/* What edits a line before the shell reads it, by a terminal's defaults (termios(3)). */
#define TYPED_ERASE     '\x7f'
#define TYPED_KILL_LINE '\x15'
#define TYPED_KILL_WORD '\x17'

/* Who edits and echoes a line. */
enum typed_editor {
    EDITOR_UNASKED, /* the shell tells its commands: nothing here matters */
    EDITOR_TTY,     /* (line=1) it echoes at once, whoever reads it later; dash */
    EDITOR_SHELL,   /* (line=2) at its prompt, also what was typed before; busybox */
};

struct typed {
    enum typed_editor editor;
    enum typed_line { NOTHING, TYPED, ENTERED } line; /* since B */
    enum typed_feed { NO_FEED, FED, GIVEN_UP } feed;  /* since B; GIVEN_UP: behind `^C` */
    enum typed_trust {
        DEAF,  /* keys are not told: a recorded trace, a log */
        HEARS, /* whatever waits for a prompt is in `keys` */
        UNSURE /* some of it is not, or some of `keys` was read by a command */
    } trust;
    struct bytes keys;        /* typed and not read by the shell; under LIMIT_COMMAND_BYTES */
    size_t shared;            /* so many of them, from the front, a command may have read instead */
    size_t loose_from, loose; /* of `keys`, where the tty echoes: the shell may have got others, or
                                 none */
    bool doubtful;            /* such were in the line taken last */
    bool in_doubt; /* keys were lost with whoever was told them: what runs may be another line */

    /* Where the tty echoes: of `keys`. */
    size_t echoed;     /* so many, whole lines, were echoed; or will not be */
    size_t piece;      /* the next line's last keys came behind here in one go; 0: the line did */
    size_t matched;    /* so much of its echo came so far */
    bool fresh;        /* the output heard last ended with the echo of the line ... */
    size_t fresh_from; /* ... from here */
    size_t doubt_from, doubted; /* whole lines from there: all of them were typed, or none */
    size_t doubt_matched;       /* of the echo of the line behind those */
};

void typed_finish(struct typed *t);

/* What a terminal makes of the keys of a line, which are plain or erase; new string. */
char *typed_cook(const char *keys, size_t len);

/* Whether they are such; and how many bytes the shell reads of whole lines of them. */
bool typed_is_plain(const char *keys, size_t len);
size_t typed_cooked_len(const char *keys, size_t len);

/* A: whose prompt it is. What was typed to a shell that tells its commands is forgotten. */
void typed_begin(struct typed *t, enum typed_editor editor);

/* What was printed, up to what is told or asked next. */
void typed_hear(struct typed *t, const char *output, size_t len);

/* Whether it matters: an echo is to come, or was the last that came. */
bool typed_listens(const struct typed *t);

/* B: a line is awaited. Returns false when the shell finds it given up (Ctrl-C typed ahead). */
bool typed_await(struct typed *t);

/* A line feed behind B, or behind the line feed before; `echo` is what stands since B. `overdue`:
 * too much was printed since B to wait for an echo any longer. Fills *ret_line (new string) for
 * LINE_RAN_AHEAD, and for LINE_RUNS where the keys say it better than the screen. */
enum typed_answer typed_line_ends(struct typed *t, const char *echo, bool overdue, char **ret_line);

/* The command line goes on (more=1). `printed`: since its last line feed; whole lines of it were
 * typed with that line. Returns the next line when it is typed already, a new string, or NULL. */
char *typed_more(struct typed *t, const char *printed, size_t len);

/* A command runs, or ran, that no line feed told of: the line typed ahead that it is, a new string;
 * NULL when none is due. */
char *typed_ahead(struct typed *t);

/* Whether the tty holds a line that was begun and not ended, as far as its keys say it for certain.
 */
bool typed_half(const struct typed *t);

/* Whether a whole line was typed; whether one is known to have been ahead of B. */
bool typed_waits(const struct typed *t);
bool typed_due(const struct typed *t);

/* Whether keys are missing in a shell that edits lines: each line feed is taken for a line's, until
 * it is found to wait. */
bool typed_unsure(const struct typed *t);

/* The shell waits for a line, and the tty has none: commands read what was typed. `all`: also what
 * was not echoed yet, for long enough; and a shell that edits lines has read every key. */
void typed_settle(struct typed *t, bool all);

/* D while a line is awaited, as above: LINE_RAN_AHEAD, LINE_IS_GIVEN_UP, or there was no command.
 */
enum typed_answer typed_done(struct typed *t, char **ret_line);

/* The prompt of a further line was passed: the line that was typed for it, wherever its echo is, a
 * new string; NULL where none is known. */
char *typed_read(struct typed *t);

/* Keys at the prompt where a line is awaited; `echoes`: the terminal does, and edits lines. Returns
 * false when they give it up (Ctrl-C that a line editor takes for itself). */
bool typed_here(struct typed *t, const char *keys, size_t len, bool echoes);

/* Keys at any other time; `runs`: while a command does, which may read them. */
void typed_early(struct typed *t, const char *keys, size_t len, bool runs, bool echoes);

/* What the terminal answered, at any time: the tty holds it as it holds keys, and nobody's were
 * heard. */
void typed_reply(struct typed *t, const char *bytes, size_t len, bool runs, bool echoes);

/* The last `len` keys are such that the terminal makes something else of them. */
void typed_change(struct typed *t, size_t len);

/* Lines of this prompt's were typed: so many bytes of all that waits have come to the shell since
 * the first of them was typed, or wait for it yet. Tells whether a command, or nobody, has those
 * that came before the prompt. */
void typed_account(struct typed *t, size_t bytes);

/* A command starts: it may read what was typed ahead. */
void typed_share(struct typed *t);

/* The terminal forgot what was typed and not read (an interrupt). */
void typed_discard(struct typed *t);

/* What comes next is from a log, in which keys are not, until one is told. */
void typed_deafen(struct typed *t);

/* What stands here; and goes on there, with one whose log led to the same point. */
struct typed_keys typed_keys(const struct typed *t);
void typed_recall(struct typed *t, const struct typed_keys *keys);

#endif
