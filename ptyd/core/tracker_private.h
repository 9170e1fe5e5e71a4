/* tracker_private.h - a tracker from inside: what tracker.c (blocks and marks), tracker_lines.c
 * (shells without C) and tracker_foreign.c (marks of others) share. */
#ifndef PTYD_CORE_TRACKER_PRIVATE_H
#define PTYD_CORE_TRACKER_PRIVATE_H

#include "ptyd/core/tracker.h"
#include "ptyd/core/typed.h"
#include "vterm_snapshot/preview.h"

/* Where the shell is. A, B, C, O, D are its marks; in a shell without C (typed.h) B's line feed, or
 * a line that was typed ahead, is C.
 *
 *   START -A-> PROMPT -B-> INPUT -C-> OUTPUT -O-> ENDED
 *                ^ ^         |    more=1| ^line feed |
 *                | +--Ctrl-C-+          v |          |
 *                |                     MORE          |
 *                +--------------D or A---------------+  (from OUTPUT and MORE, too)
 */
enum stage {
    STAGE_START,  /* no prompt seen */
    STAGE_PROMPT, /* the prompt is being drawn */
    STAGE_INPUT,  /* a line can be typed */
    STAGE_OUTPUT, /* a command runs; its output is captured. From here on `block` is one */
    STAGE_MORE,   /* a command's next line is typed (more=1) */
    STAGE_ENDED,  /* a command runs; what is printed is its shell's */
};

/* What the shell cannot tell. */
enum loss {
    LOSS_NONE,
    LOSS_FOUND, /* somebody found that it says nothing: the next prompt takes it back */
    LOSS_TOLD,  /* it says so itself (lost=), and takes it back itself */
};

/* What outlives a call is saved by tracker_save.c, field by field. */
struct tracker {
    struct tracker_options options;
    enum stage stage;
    bool marked; /* a mark was accepted */
    enum loss loss;
    char *lost;        /* why, for people; "" for LOSS_NONE */
    uint64_t last_seq; /* of the last mark accepted */
    enum mark_kind last_kind;
    uint64_t seq; /* of the last block */
    char *cwd;
    bool ignore_space;            /* the shell keeps lines that begin with a space to itself */
    enum block_type next_type;    /* of the next block */
    bool has_input;               /* B came since A */
    struct terminal_anchor input; /* and stood here */
    char *announced;              /* command text told before C (OSC 633 E), or NULL */

    struct typed typed;    /* into a shell without C */
    struct bytes held;     /* printed since B there, while it is no block's */
    struct moment line_at; /* GIVEN_UP: of its line feed */

    /* Within tracker_write(): its bytes, where they begin, and how many were heard; else NULL. */
    const char *piece;
    uint64_t piece_at;
    size_t heard;

    struct block *block; /* running, or NULL */
    struct preview preview;
    int64_t began_ms;       /* monotonic */
    int64_t interrupted_ms; /* monotonic; -1 for never */
    bool prompt_shown;      /* B came since: PS1 was printed, and no hook said that it would be */
};

/* Replaces a string; takes `text` over. */
void tracker_set_text(char **place, char *text);

/* The terminal's rendered output; `user` is the tracker: of the running block, and what is held. */
void tracker_output(void *user, const char *text, size_t len);
void tracker_hold(void *user, const char *text, size_t len);

/* Sets the running block's command, without trailing newlines. */
void tracker_set_command(struct block *b, const char *text, size_t len, enum block_source source,
                         bool truncated);

/* A block begins: all but the capture of its output; and with it. */
void tracker_start_block(struct tracker *t, const struct mark *mark, struct moment now);
void tracker_begin(struct tracker *t, const struct mark *mark, struct moment now);

/* Shells without C: what was printed up to here is heard; B came, and the stage is INPUT unless its
 * line is given up; the line goes on (more=1); D came, which begins a block yet if one is due. */
void tracker_hear(struct tracker *t);
void tracker_await_line(struct tracker *t);
void tracker_await_more(struct tracker *t);
void tracker_end_line(struct tracker *t, const struct mark *mark, struct moment now);

#endif
