/* view_link.h - a viewer's connection to its session, over the deaths of workers.
 *
 * A connection that is lost is made again, while what is typed waits, and what is shown goes on
 * behind the last byte that came. What was sent and not answered may have been typed or not: it is
 * not sent again, but for what the daemon is known not to have begun.
 */
#ifndef PTYD_CLIENT_VIEW_LINK_H
#define PTYD_CLIENT_VIEW_LINK_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "ptyd/command/rpc.h"
#include "ptyd/core/view_wire.h"

struct view_link;

/* A `session.open` that attached, too. */
struct view_opened {
    const json_t *answer;  /* the descriptor is the connection's (rpc_take_passed()) */
    struct view_size size; /* that was asked for */
    json_int_t token;      /* that was noted */
    json_int_t lends;      /* the number that was made up (view_wire.h) */
};

struct view_link_options {
    const char *name;   /* of the session */
    const char *within; /* the session whose own terminal this is; NULL or "" for none */
    bool looks;         /* types nothing */
    bool owns;          /* the session ends with this terminal */
    const struct view_opened *opened; /* how it was attached already; NULL: it was not */
    json_int_t run; /* token: only that command is shown (`session.run`), and ends it; 0: all */
    bool lends;     /* its terminal (view_wire.h): `shown` and `read` are there */
    void (*show)(void *user, const char *bytes, size_t len);
    /* The daemon showed these bytes; it read these keys, which are to be looked at. */
    void (*shown)(void *user, const char *bytes, size_t len);
    void (*read)(void *user, const char *bytes, size_t len);
    /* Everything is drawn anew on the terminal's own modes. */
    void (*renewed)(void *user);
    /* So many lines are not shown, 0 where nobody counted; a drawing follows. */
    void (*skipped)(void *user, uint64_t lines);
    void (*moved)(void *user, const char *cwd); /* the session's directory is another */
    /* A command that ran so long ended while nobody looked (view_wire.h). */
    void (*ended)(void *user, int64_t duration_ms, const json_t *block);
    /* An agent asks to type, may, or may no more (view_wire.h). */
    void (*baton)(void *user, const json_t *baton);
    void *user;
};

enum view_link_state {
    VIEW_LINK_STANDS,       /* or is being made again */
    VIEW_LINK_DETACHED,     /* somebody asked that this viewer leaves */
    VIEW_LINK_ENDED,        /* the shell did: view_link_status() */
    VIEW_LINK_ENDED_UNSEEN, /* it did while nobody could say how */
    VIEW_LINK_LOST,         /* the daemon did not come back, or shows it no more */
};

/* Both outlive it. */
struct view_link *view_link_create(struct rpc *rpc, const struct view_link_options *options,
                                   struct view_size size);
void view_link_destroy(struct view_link *link);

/* Becomes a viewer, within `wait_ms`. Returns the session (a new reference), NULL after a word on
 * stderr; without one where the daemon is an older one, which cannot show one command alone. */
json_t *view_link_join(struct view_link *link, int wait_ms);

/* To be typed, behind what was before. */
void view_link_type(struct view_link *link, const char *bytes, size_t len);
/* Bytes that are not known to have reached the session; and those of which nobody knows whether
 * they did. */
size_t view_link_unsent(const struct view_link *link);
size_t view_link_doubtful(const struct view_link *link);
/* Whether the daemon is there. */
bool view_link_is_connected(const struct view_link *link);

/* Lends its terminal, for a moment: view_wire.h. What was typed before goes before; nothing is lent
 * where that is not known, or without a descriptor. While it is lent its owner reads no keys. */
void view_link_lend(struct view_link *link, int fd, char special);
bool view_link_lends(const struct view_link *link);

/* The user grants what an agent asks for. */
void view_link_grant(struct view_link *link);

void view_link_resize(struct view_link *link, struct view_size size);

/* Asks for a drawing, behind what is on its way. */
void view_link_draw(struct view_link *link);
/* From now on nothing is lent, or all may be again. */
void view_link_keep(struct view_link *link, bool keeps);

/* Of what was shown the terminal has not taken so many bytes yet: the session waits for it. */
void view_link_shown(struct view_link *link, size_t waiting);

/* What to poll(2) for; how long at most, in ms, -1 for ever. */
#define VIEW_LINK_FDS 2
void view_link_poll(const struct view_link *link, struct pollfd ret_fds[VIEW_LINK_FDS]);
int view_link_wait_ms(const struct view_link *link);
/* After poll(2), with what it found. Does what there is to do; with `again` (the user has not left)
 * makes a lost connection again. */
void view_link_work(struct view_link *link, const struct pollfd fds[VIEW_LINK_FDS], bool again);

enum view_link_state view_link_state(const struct view_link *link);
int view_link_status(const struct view_link *link);
/* Of one that is lost: why the daemon refused to show it again; NULL where it did not come back. */
const char *view_link_refusal(const struct view_link *link);
/* Then: for how many seconds it was waited for. */
int view_link_waited_s(const struct view_link *link);

/* No more is shown: what was sent and not answered is settled as far as it can be. */
void view_link_settle(struct view_link *link);

/* The user goes: the session stays, also one that this terminal owns. What was typed and is not on
 * its way to the program is given up, and counted as unsent. It is over when the link is connected
 * no more; until then view_link_work() shows the end, and what the terminal says is typed while
 * view_link_reads_on(): it answers what programs asked. */
void view_link_leave(struct view_link *link);
bool view_link_reads_on(const struct view_link *link);

/* What was typed in the moment when the shell ended and reached nobody: for whoever reads the
 * terminal next. Borrowed. */
const struct bytes *view_link_returned(const struct view_link *link);

#endif
