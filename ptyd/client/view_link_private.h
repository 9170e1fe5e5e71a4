/* view_link_private.h - a viewer's connection from inside, for the files that it is made of. */
#ifndef PTYD_CLIENT_VIEW_LINK_PRIVATE_H
#define PTYD_CLIENT_VIEW_LINK_PRIVATE_H

#include "ptyd/client/lending.h"
#include "ptyd/client/view_link.h"
#include "ptyd/command/patience.h"

struct view_link {
    struct rpc *rpc;
    const struct view_link_options *options;
    struct view_size size, told_size; /* told: as it was asked to be a viewer */

    int fd; /* of frames, -1 for none */
    struct view_reader reader;
    struct bytes out;      /* frames on their way */
    uint64_t came, acked;  /* bytes that were shown since it joined; acknowledged */
    int64_t acked_ms;      /* monotonic: when */
    bool drawn;            /* a drawing among them is not acknowledged yet */
    bool anew;             /* a drawing is asked for, and did not come */
    bool keeps;            /* its terminal is not lent */
    bool drawing;          /* it goes on in the next frame */
    uint64_t place;        /* in the stream: all before was shown */
    bool leads, has_place; /* `place` was said */

    struct bytes typed; /* and not known to have reached the session */
    size_t asked_len;   /* so much of it is in the INPUT that is not answered; 0 for none */
    uint64_t token;     /* of that, by which it is known behind a worker's death */
    struct lending lending;
    uint64_t before;          /* the newest that the session knows */
    bool asked_last;          /* nothing was sent behind it */
    size_t given_up;          /* bytes that were typed before the user left and never will be */
    bool leaves;              /* LEAVE was sent */
    bool last;                /* and the terminal is to be read on (VIEW_LAST) */
    struct bytes returned;    /* nobody read them any more */
    bool unread;              /* the connection ended before the daemon had read all */
    struct patience patience; /* with a lost connection */
    json_int_t joining;       /* the request to be a view again; 0 for none */
    json_int_t resolving;     /* the request that says how far the lost one came; 0 for none */
    size_t lost_len;          /* so much of `typed` the lost one held */
    size_t doubtful;          /* bytes of which nobody knows whether they were typed */
    char *shell_id;           /* of the shell that is shown */
    char *refusal;            /* why it is not shown again, as the daemon says; NULL */
    enum view_link_state state;
    int status;
};

/* Sends what was typed as far as it may be now. */
void view_link_send_input(struct view_link *link);

/* A frame came (view_link_frames.c). */
void view_link_take_frame(struct view_link *link, const struct view_frame *frame);
/* What the daemon had read when its connection was lost is typed once it is known where it
 * belongs. */
void view_link_settle_found(struct view_link *link);

#endif
