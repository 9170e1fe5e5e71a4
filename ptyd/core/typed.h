/* typed.h - what was typed into a shell that never says where a command starts (no C), and what
 * that tells of the lines on its screen.
 *
 *   line   NOTHING -key-> TYPED -Enter-> ENTERED            NOTHING again at each B
 *   feed   NO_FEED -line feed-> FED or GIVEN_UP             NO_FEED again at each B
 *   trust  DEAF -key-> HEARS <-a line that was entered runs- UNSURE <-keys went elsewhere- any
 *          DEAF again where a log is gone through
 *   keys   shared, then not shared: typed, and read at no prompt yet
 *
 * Pure: it is told keys and moments, and is asked once at each moment. A zeroed struct is one to
 * which nothing was typed.
 */
#ifndef PTYD_CORE_TYPED_H
#define PTYD_CORE_TYPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "ptyd/core/typed_keys.h"

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
    struct bytes keys; /* typed before their prompt came; under LIMIT_COMMAND_BYTES */
    size_t shared;     /* so many of them, from the front, a command may have read instead */
    bool in_doubt; /* keys were lost with whoever was told them: what runs may be another line */
};

/* What a line is, seen at its line feed or when the next prompt says how it ended (D). */
enum typed_answer {
    LINE_IS_NONE,     /* empty, a comment, or there is none */
    LINE_WAS_EMPTY,   /* that, typed ahead: what was printed since B may be the next one's */
    LINE_IS_GIVEN_UP, /* it ends in ^C: no command if D says 130 and nothing was printed since */
    LINE_IS_OTHERS,   /* nobody entered one: a job in the background spoke */
    LINE_RUNS,        /* a command, as it was echoed */
    LINE_RAN_AHEAD,   /* a command typed ahead: what was printed since B is its output */
};

void typed_finish(struct typed *t);

/* A: whose prompt it is. What was typed to a shell that tells its commands is forgotten. */
void typed_begin(struct typed *t, enum typed_editor editor);

/* B: a line is awaited. Returns false when the shell finds it given up (Ctrl-C typed ahead). */
bool typed_await(struct typed *t);

/* A line feed behind B, or behind the line feed before; `echo` is what stands since B. Fills
 * *ret_line (new string) for LINE_RAN_AHEAD alone. */
enum typed_answer typed_line_ends(struct typed *t, const char *echo, char **ret_line);

/* The command line goes on (more=1). `printed`: since its last line feed; whole lines of it were
 * typed with that line. Returns the next line when it is typed already, a new string, or NULL. */
char *typed_more(struct typed *t, const char *printed, size_t len);

/* A command runs, or ran, that no line feed told of: the line typed ahead that it is, a new string;
 * NULL when none is due. */
char *typed_ahead(struct typed *t);

/* D while a line is awaited, as above: LINE_RAN_AHEAD, LINE_IS_GIVEN_UP, or there was no command.
 */
enum typed_answer typed_done(struct typed *t, char **ret_line);

/* Keys at the prompt where a line is awaited. Returns false when they give it up (Ctrl-C that a
 * line editor takes for itself). */
bool typed_here(struct typed *t, const char *keys, size_t len);

/* Keys at any other time; `runs`: while a command does, which may read them. */
void typed_early(struct typed *t, const char *keys, size_t len, bool runs);

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
