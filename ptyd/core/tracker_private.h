/* tracker_private.h - a tracker from inside: what tracker.c (blocks and marks), tracker_lines.c
 * (shells without C) and tracker_foreign*.c (marks of others) share. */
#ifndef PTYD_CORE_TRACKER_PRIVATE_H
#define PTYD_CORE_TRACKER_PRIVATE_H

#include "ptyd/core/line_keys.h"
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

/* The prompt at hand of a shell whose marks are another terminal's, and what its commands were
 * (tracker_foreign.c). */
struct foreign {
    bool heard;     /* the prompt is such a one */
    bool further;   /* the prompt of a further line is being drawn */
    bool right;     /* a right prompt is, between marks */
    bool passing;   /* its line ran nothing: up to the next prompt nothing is a command's */
    bool by_cursor; /* where the input begins was found, not told */
    bool returned;  /* CR was drawn last */
    bool cleared;   /* since it was found, and it has to be again */
    bool bare;      /* texts come without a nonce */
    bool kept;      /* behind the mark of the input DECSC was drawn, here */
    bool aside_too; /* and the cursor went elsewhere */
    bool moved;     /* and came back: there the input begins */
    bool given_up;  /* bash's line editor showed that the line is */
    bool shows;     /* it took bracketed paste back: it would have shown that */
    bool doubtful;  /* C came behind one of which neither is known */
    bool fed;       /* a line feed was drawn since the input of this line began */
    bool written;   /* anything was drawn behind it, beside a right prompt */
    bool in_line;   /* C came before that: the command begins behind it */
    bool by_done;   /* there is no C: D with a status says that the line ran */
    char drawn[2];  /* the last characters that were, since the last line feed */
    int returns;    /* CRs behind them */
    int swept;      /* blanks that were drawn since the last line feed */
    struct terminal_anchor kept_at;
    int begins; /* the column in which it was found */
    int column; /* where this row of the prompt was erased from on; 0: it was not */
    struct terminal_anchor start; /* of the prompt */
    struct bytes lines;           /* of the command, before the last one's */
    char *line;   /* what the line is, where more than the screen had to be asked; or NULL */
    char *last;   /* what was told of the command before; or NULL */
    char *prompt; /* the last that was seen in front of what was told, or of a mark; or NULL */
    char *seen;   /* what stood up to DECSC; or NULL */
    char *sign;   /* what stood between such a mark and the input that was found so; or NULL */
    char *row;    /* what stands in its row in front of the input that was found; or NULL */
    char *held;   /* the line as it stood when its editor left it for a place above; or NULL */
    char *title;  /* the one that was set since the last line feed; or NULL */
    bool redrawn; /* and what stood there was erased: it is drawn again without marks */
    struct moment at;

    bool has_right; /* a right prompt stands there, with this text */
    struct terminal_anchor right_at;
    struct bytes beside;

    bool jumped; /* the cursor went there; this came since, up to the column `edge` */
    struct terminal_anchor beyond;
    struct bytes aside;
    int edge;
};

/* Columns that a right prompt may leave free at the edge. */
#define RIGHT_MARGIN 2

/* A text that came in marks of its own (T), as it was printed. */
struct parts {
    struct bytes text;
    uint64_t count;
    uint64_t last; /* the number of the last of them; 0 where one is missing */
};

/* What outlives a call is saved by tracker_save.c, field by field. */
struct tracker {
    struct tracker_options options;
    enum stage stage;
    bool marked; /* a mark was accepted */
    enum loss loss;
    char *lost; /* why, for people; "" for LOSS_NONE */
    bool seals; /* a mark was sealed: those that are not are no marks of this shell */
    struct parts cmd_parts, cwd_parts;
    uint64_t last_seq; /* of the last mark accepted */
    enum mark_kind last_kind;
    uint64_t uncounted; /* the number of a D or A that was none of its own, of a shell without
                           hooks; 0 where the last D counted */
    uint64_t seq;       /* of the last block */
    char *cwd;
    bool ignore_space;                /* the shell keeps lines that begin with a space to itself */
    enum block_type next_type;        /* of the next block */
    bool has_input;                   /* B came since A */
    struct terminal_anchor input;     /* and stood here */
    struct terminal_anchor prompt_at; /* where the last A stood */
    bool prompt_late;                 /* and B: the prompt is drawn behind both */
    struct terminal_anchor keyed_at;  /* the cursor as the line's first key came, if keys.here */
    bool moved;                       /* since B the line was drawn anew further up (Ctrl-L) ... */
    uint64_t moved_to;                /* ... in this row, or below */
    char *announced;                  /* command text told before C (OSC 633 E), or NULL */

    struct line_keys keys; /* of the line that a shell's own editor is given */
    enum mark_keeps keeps; /* what is known of lines that do not enter its history */
    bool blank;            /* the running block's line may have begun with a blank */
    char *keyed, *echoed;  /* what was typed, if that is certain; what was seen; or NULL */

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
    int64_t interrupted_ms; /* monotonic: the command, or the line in front of it; -1 for never */
    bool prompt_shown;      /* B came since: PS1 was printed, and no hook said that it would be */

    struct foreign foreign;
};

void foreign_finish(struct foreign *f);

/* A prompt begins: unless it turns out to be another terminal's, it is a shell's with marks of
 * ours. */
void tracker_foreign_leave(struct tracker *t);

/* The line behind such a prompt, as it is seen: a new string. */
char *tracker_foreign_line(const struct tracker *t);

/* What was typed into the line that is seen as `seen`, where others printed into that: a new
 * string, or NULL where the screen says it, or nothing does for certain. */
char *tracker_foreign_keyed(const struct tracker *t, const char *seen);

/* What stands from an anchor on up to the cursor, with the blanks in front of that: a new string.
 */
char *foreign_text_since(const struct tracker *t, struct terminal_anchor from);

/* A command begins as such marks say: it is unsigned. Returns whether it is legal. */
bool tracker_foreign_begin(struct tracker *t, struct moment now);

/* How many characters it is; for rows that is about their columns. */
int foreign_count(const char *text, size_t len);

/* What stands beside the place where the input begins is a right prompt. */
void foreign_see_right_prompt(struct tracker *t);

/* What stands there of its last row, appended. */
void foreign_append_input(const struct tracker *t, struct bytes *out);

/* The line as it is seen: its text (the reader frees it), and what was printed behind the row that
 * was typed last. */
struct foreign_line {
    char *text;
    size_t len;
    const char *output;
    bool further; /* of several rows, which marks parted */
};

struct foreign_line foreign_see(const struct tracker *t);

/* What bash's DEBUG trap does not see; whether a shell asks for more behind such a text; whether
 * the line may be one that was given up, where bash's editor did not show which it is. */
bool foreign_is_unseen(const char *line);
bool foreign_is_open(const char *text, size_t len);
/* Whether it is to be seen, character by character, with anything between them. */
bool foreign_is_within(const char *text, const char *seen);
bool foreign_may_be_given_up(const struct tracker *t, const struct foreign_line *seen);

/* No more than blanks; without those at its end. */
bool foreign_is_blank(const char *text);
void foreign_trim(struct bytes *text);

/* tracker_whole.c: whether a mark is what the shell wrote; it with what came before, in parts (T)
 * or in D, which is finished by the last of these. */
bool tracker_is_whole(const struct tracker *t, const struct mark *mark);
void tracker_take_parts(struct tracker *t, const struct mark *mark);
void tracker_make_whole(const struct tracker *t, const struct mark *mark, struct mark *ret_whole);
void tracker_finish_whole(const struct mark *mark, struct mark *whole);

/* Replaces a string; takes `text` over. */
void tracker_set_text(char **place, char *text);

/* The terminal's rendered output; `user` is the tracker: of the running block, and what is held. */
void tracker_output(void *user, const char *text, size_t len);
void tracker_hold(void *user, const char *text, size_t len);

/* Sets the running block's command, without trailing newlines. */
void tracker_set_command(struct block *b, const char *text, size_t len, enum block_source source,
                         bool truncated);

/* At its end bash tells the text of the running block: `line` is what entered its history, or the
 * entry before it where the mark says that the line was not recorded. */
void tracker_take_history(struct tracker *t, const struct mark *mark, const struct bytes *line);

/* D says that the shell could not parse the line: if that stands behind B with what the shell said
 * of it, a block begins which printed the latter. */
void tracker_begin_refused(struct tracker *t, const struct mark *mark, struct moment now);

/* The line at the prompt ran nothing, and another is read from here on. */
void tracker_drop_line(struct tracker *t);

/* Where the line is drawn by now: as keys come, and as it begins to run. */
void tracker_note_place(struct tracker *t);

/* A block begins: all but the capture of its output; and with it. */
void tracker_start_block(struct tracker *t, const struct mark *mark, struct moment now);
void tracker_begin(struct tracker *t, const struct mark *mark, struct moment now);

/* Shells without C: what was printed up to here is heard; B came, and the stage is INPUT unless its
 * line is given up; the line goes on (more=1); D came, which begins a block yet if one is due. */
void tracker_hear(struct tracker *t);
void tracker_await_line(struct tracker *t);
void tracker_await_more(struct tracker *t);
void tracker_end_line(struct tracker *t, const struct mark *mark, struct moment now);

/* Where the tty echoes what is typed, that can stand in the middle of a mark, which then is none:
 * by its number, how many prompts in front of this one never came whole; and what they would have
 * told of lines that were typed ahead, but for how a command ended. */
uint64_t tracker_count_lost(const struct tracker *t, const struct mark *mark);
void tracker_pass_lost(struct tracker *t, const struct mark *mark, struct moment now);

#endif
