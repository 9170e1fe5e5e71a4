/* tracker_private.h - a tracker from inside: what tracker.c (blocks and marks), tracker_lines.c
 * (shells without C) and tracker_foreign.c (marks of others) share. */
#ifndef PTYD_CORE_TRACKER_PRIVATE_H
#define PTYD_CORE_TRACKER_PRIVATE_H

#include "ptyd/core/tracker.h"
#include "vterm_snapshot/preview.h"

/* tracker_save() copies it as it is: pointers are made anew by hand there. */
struct tracker {
    struct tracker_options options;
    enum tracker_state state;
    bool marked;
    char *lost;        /* "" while marks work */
    bool lost_told;    /* by the shell itself */
    uint64_t last_seq; /* of the last mark accepted */
    enum mark_kind last_kind;
    uint64_t seq; /* of the last block */
    char *cwd;
    bool ignore_space;            /* the shell keeps lines that begin with a space to itself */
    enum block_type next_type;    /* of the next block */
    struct terminal_anchor input; /* where the last B stood */
    bool has_input;
    char *announced; /* command text told before C (OSC 633 E) */

    bool by_line;        /* no C in this shell: see the section on lines */
    bool edits;          /* the shell echoes, also what was typed ahead */
    bool typed, entered; /* since the last B: anything, an Enter */
    bool fed;            /* since the last B: a line feed came */
    struct bytes ahead;  /* typed before its prompt came */
    size_t shared;       /* so many of them a command may have read */
    bool hears;          /* what is typed is told */
    bool unknown;        /* but not all that was typed ahead is in `ahead` */
    bool more;           /* the running command's next line is typed (more=1) */
    struct bytes held;   /* output since B while no block is there */
    bool discards;       /* output that comes now is an echo */
    bool interrupted;    /* the line ends in ^C: whether it is a command shows later */
    struct moment line_at;

    struct block *block; /* running, or NULL */
    struct preview preview;
    int64_t began_ms;       /* monotonic */
    int64_t interrupted_ms; /* monotonic; -1 for never */
    bool output_ended;
    bool
        prompt_shown; /* B came while it runs: PS1 was printed, and no hook said that it would be */
};

/* Replaces a string; takes `text` over. */
void tracker_set_text(char **place, char *text);

/* The terminal's rendered output; `user` is the tracker. */
void tracker_output(void *user, const char *text, size_t len);

/* The line as it was typed, from the screen; new string. */
char *tracker_echoed_line(const struct tracker *t);

/* Sets the running block's command, without trailing newlines. */
void tracker_set_command(struct block *b, const char *text, size_t len, enum block_source source,
                         bool truncated);

/* A block begins: all but the capture of its output; and with it. */
void tracker_start_block(struct tracker *t, const struct mark *mark, struct moment now);
void tracker_begin(struct tracker *t, const struct mark *mark, struct moment now);

/* Shells without C: B came; the line goes on (more=1); D came, which begins a block yet if one is
 * due. */
void tracker_await_line(struct tracker *t);
void tracker_await_more(struct tracker *t);
void tracker_end_line(struct tracker *t, const struct mark *mark, struct moment now);

#endif
