/* quarantine.h - a session at which the worker died too often.
 *
 * Its output is kept and nothing of it is parsed; terminal and tracker stay as they were made. What
 * is in the shared memory (struct intake_deadly) outlives workers: one that finds it there while
 * its keeper says nothing any more goes on from here.
 */
#ifndef PTYD_SESSION_QUARANTINE_H
#define PTYD_SESSION_QUARANTINE_H

#include "ptyd/session/session.h"

/* It is, from now on, because of what happened at `deadly`. */
void session_quarantine(struct session *s, const struct board_place *deadly);

/* It was, and has not gone on since. */
bool session_was_quarantined(const struct session *s);

/* Overwrites the shell's nonce in the next bytes of output; returns how many of them can be kept
 * now: what may be the begin of one waits for more. */
size_t session_scrub(struct session *s, char *bytes, size_t len);

/* Goes on with what comes next, as behind a log that was lost: the block that ran has ended unseen,
 * and nothing before is gone through again. */
void session_go_on_from_here(struct session *s);

#endif
