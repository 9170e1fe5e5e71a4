/* view_private.h - a viewer from inside, for the files that it is made of. */
#ifndef PTYD_WORKER_VIEW_PRIVATE_H
#define PTYD_WORKER_VIEW_PRIVATE_H

#include "base/bytes.h"
#include "ptyd/session/mouse.h"
#include "ptyd/worker/feed.h"
#include "ptyd/worker/leader.h"
#include "ptyd/worker/looker.h"
#include "ptyd/worker/missed.h"
#include "ptyd/worker/task.h"
#include "ptyd/worker/view.h"
#include "ptyd/worker/view_socket.h"

struct view {
    struct task task;
    uint64_t number; /* as the session knows it */
    struct view_socket *socket;
    struct leading leading;
    struct session_size size; /* of the outer terminal */
    bool owns;                /* the session ends with it */
    char *cwd;                /* told last, NULL before */
    uint64_t run;             /* token: it shows that command alone (view_run.c); 0: everything */
    uint64_t seq;             /* of its block; 0 before that */
    bool led;                 /* it has led because its command began */
    uint64_t until; /* where in the stream its output ends; UINT64_MAX before, and of others */
    struct typing typing; /* of the INPUT at hand, which `types` says there is */
    bool types;
    struct query_input input; /* what it sends */
    int top, left;            /* being drawn: where what it shows begins on the screen */

    uint64_t lends;     /* by which it lends its terminal; 0: it does not */
    struct loan *loan;  /* that terminal, NULL before */
    uint32_t returns;   /* READ that it was sent */
    struct typing lent; /* what was read there, of which `types_lent` says there is */
    bool types_lent;
    uint64_t shown; /* up to where in the stream that shows what `feed` is yet to send */
    bool doubts;    /* it is not known what that shows behind `feed.place` */

    struct feed feed;
    bool live;             /* it gets the program's bytes, not drawings */
    struct bytes output;   /* of the piece at hand */
    struct missed *missed; /* while it gets what it missed */
    struct turn turn;      /* for that */
    bool stale;            /* being drawn: another screen than it shows */
    bool anew;             /* live: it is to be drawn once more (VIEW_ANEW) */

    struct looker looker; /* whether somebody looks at it */
    struct bytes notice;  /* of a block that ended, for behind the piece at hand */
    uint64_t notice_ms;   /* how long that ran */

    bool heard; /* it said something: it has its socket */
    bool ended; /* the shell, or the command, is; it is told once it has all that came before */
    int status;
    bool over;             /* it was told */
    bool holds;            /* else its session is held for it (session_hold()) */
    bool fences;           /* it takes VIEW_LAST */
    struct bytes returned; /* keys that came then, behind the end of the shell */
    bool finished;
    void (*when_heard)(struct view *v); /* while it is asked a last time; else NULL */
};

static inline struct view *view_of(struct watcher *w)
{
    return (struct view *)task_of(w);
}

/* ---- what it is shown (view_show.c) ---- */

/* Decides what it gets next: called behind whatever changes where it stands. */
void view_settle(struct view *v);

/* Sends a frame of which its terminal has nothing to take. */
void view_note(struct view *v, enum view_kind kind, uint64_t offset, const char *text);

/* Its terminal shows something else. */
void view_draw_anew(struct view *v);

/* What its terminal prints next stands below what it shows. */
void view_draw_end(struct view *v);

/* It will be shown nothing more. Where its terminal may yet have something to say, asks it a last
 * time, so that no answer is left for who reads it next, and calls `over` within
 * LIMIT_LAST_ANSWER_MS; else at once. */
void view_end_answers(struct view *v, void (*over)(struct view *v));
/* Gives keys back that came meanwhile and that no shell is there to read. */
void view_return_keys(struct view *v);
/* Something came: perhaps it was the last. */
void view_heard(struct view *v);

/* A command begins; it ended: where nobody looks it hears of that, behind all that it is shown
 * before. */
void view_on_block_begin(struct watcher *w, struct block *block);
void view_on_block_end(struct watcher *w, struct block *block);

/* Whether its terminal has the session's size, or is larger than any session. */
bool view_fits(const struct view *v);

/* As a watcher, and in its turn. */
void view_on_display(struct watcher *w, const char *bytes, size_t len, uint64_t offset);
void view_on_drained(struct watcher *w);
bool view_on_turn(struct turn *turn, size_t bytes);

/* ---- what it says (view_frames.c) ---- */

/* As a view_socket_handler. */
void view_on_frame(void *user, const struct view_frame *frame);

/* Types keys of its person, or is done with them at once. */
void view_type(struct view *v, struct typing *typing);

/* The user goes, the session stays. What was not typed yet never will be. It is finished. */
void view_leave(struct view *v);

/* ---- its terminal, while it is lent (view_loan.c) ---- */

/* It joins, and knows of so many reads: it hears what of the last is not typed. */
void view_loan_join(struct view *v, uint64_t known);
void view_lend(struct view *v, const struct view_loan *loan);
/* It is the viewer's again: that is told, or known. What is being typed goes on. */
void view_loan_end(struct view *v);
void view_loan_stop(struct view *v);
void view_loan_close(struct view *v);
/* No more is typed of what was read there: the viewer hears of the rest; where the shell has ended
 * that is returned to it (VIEW_RETURNED). */
void view_loan_untype(struct view *v, bool ended);
/* Shows there what `output` holds, up to `place`, where it is lent and nothing is in between. False
 * where some of it is left. */
bool view_loan_show(struct view *v, uint64_t place);
/* Descriptors of all. */
int view_loans(void);

/* ---- one of a command (view_run.c) ---- */

/* False of a command that is over, when its viewer comes back: nobody knows of it any more. */
bool view_run_is_known(const struct session *s, const json_t *params);
/* Joins: it is shown nothing until its command begins, and what came of it meanwhile. */
void view_run_join(struct view *v, const json_t *params);

/* A block begins, its output ends; of one that shows everything nothing is done. */
void view_run_begins(struct view *v, const struct block *block);
void view_run_on_output_end(struct watcher *w, struct block *block);
/* Behind a piece it leads, or is over. */
void view_run_settle(struct view *v);

/* ---- its life (view.c) ---- */

/* It leads from now on. Returns false where it did before, or cannot. */
bool view_lead(struct view *v);

/* Keys were typed in it: it leads. Its session has its size then. */
void view_take_keys(struct view *v);

/* Another may lead. */
void view_give_up_lead(struct view *v);

/* It will not be shown what is left of what a former worker's leader had yet to answer: that is
 * answered now. */
void view_answer_rest(struct view *v);

/* The terminal is gone: it is finished, and so is a session that ends with it. */
void view_lose(struct view *v);

/* Its session need not stay for it any more. */
void view_release(struct view *v);

/* Ends it; freed by the loop. */
void view_finish(struct view *v);

#endif
