/* verify.h - a look at a conversation's files: whether each is as it was written. Writes nothing; a
 * daemon may be at work on them.
 */
#ifndef PTYD_SESSION_VERIFY_H
#define PTYD_SESSION_VERIFY_H

enum verify_state { VERIFY_OK, VERIFY_DAMAGED, VERIFY_ASIDE };

/* Called for each file there is, and for one that is missed. `what` says for people what is wrong
 * and where; NULL where nothing is. */
typedef void verify_report(void *user, const char *path, enum verify_state state, const char *what);

/* All files in `<state>/conversations/<name>`, with little memory, however many and large. */
void verify_conversation(const char *state, const char *name, verify_report *report, void *user);

/* The state directory's own files. */
void verify_state_directory(const char *state, verify_report *report, void *user);

#endif
