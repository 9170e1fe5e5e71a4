/* redacting.h - with `redact_disk` secrets do not stay in the files of the state directory.
 *
 * Lines of JSON and snapshots are written without them; the log and the output of a command are
 * gone through when it has ended, what stands at a prompt with the next command, in a thread
 * (forget/secrets.h). What a worker that died left is gone through when the next one serves the
 * session, and what closed sessions left, or times without the setting, when a worker begins. What
 * fails, and what waits for room on the disk, is tried again. */
#ifndef PTYD_WORKER_REDACTING_H
#define PTYD_WORKER_REDACTING_H

#include "ptyd/worker/worker.h"

struct redacting;

/* Goes by the setting as it is now, until the worker ends. What is besides sessions is gone
 * through. */
struct redacting *redacting_create(struct worker *w);

bool redacting_is_on(const struct redacting *r);

/* Looks at the settings as they are by now: where secrets are to go that this worker leaves,
 * another one begins, which goes through what is there before it opens it. */
void redacting_look(struct redacting *r);

/* The session's files are about to be opened, for the shell of that intake (0: it is gone): what
 * was written without the setting goes. What a worker before `owed` comes with secrets yet: when it
 * is written another worker begins, as when something found no room. */
void redacting_before(struct redacting *r, const char *session, int intake, pid_t shell, bool owed);

/* Whether files of a session that is not served are gone through. */
bool redacting_works_on(struct redacting *r, const char *session);

/* It was opened; a command of it ended and all up to `offset` is in its log; its shell is gone. */
void redacting_opened(struct redacting *r, const struct session *s);
void redacting_settled(struct redacting *r, const struct session *s, uint64_t offset);
void redacting_over(struct redacting *r, const struct session *s);

/* All sessions that live were taken over: the others follow. */
void redacting_go_on(struct redacting *r);

void redacting_close(struct redacting *r);
void redacting_destroy(struct redacting *r);

#endif
