/* outer.h - this terminal, lent to a session or to a command in it: raw meanwhile, and then as it
 * was. */
#ifndef PTYD_CLIENT_OUTER_H
#define PTYD_CLIENT_OUTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outer;

/* Whether stdin and stdout are a terminal. */
bool outer_is_there(void);

/* Makes it raw. `whole`: it is a session's for a while, not one command's: it keeps its title and,
 * in the end, what the session showed. Returns 0 or -errno. */
int outer_open(struct outer **ret_outer, bool whole);

/* What is on the screen moves into the terminal's own scrollback, no more and no less; and `line`
 * below it, where it is not NULL. No mode is on that changes where text goes (outer_renew()). */
void outer_clear_away(struct outer *outer, const char *line);

/* Undoes what stays behind of all that was put (undo.h). */
void outer_renew(struct outer *outer);

/* The same for good, of a `whole` one the cursor below where it stands: shows what was put, waits
 * for it while the terminal takes some, and gives it back as it was. Returns whether it took all:
 * whoever writes to one that did not waits for ever. */
bool outer_close(struct outer *outer);

/* We are to be stopped: gives it back for that time, of a `whole` one with what the session showed
 * above. And we were: raw again; of a `whole` one nothing of the session's is on it any more, and
 * what was shown meanwhile is above. */
void outer_pause(struct outer *outer);
void outer_resume(struct outer *outer);

/* As if these keys were typed again, for whoever reads the terminal next. Returns how many of them
 * the system let us. */
size_t outer_give_back(const char *keys, size_t len);

/* Reads the keys that poll(2) found on stdin; as read(2). */
long outer_read(struct outer *outer, char *keys, size_t len);

/* A description of our own, to read and write, that does not block: whoever holds it needs no other
 * way to the terminal. -1 where there is none. */
int outer_lendable(const struct outer *outer);
/* Somebody else showed these bytes. */
void outer_note(struct outer *outer, const char *bytes, size_t len);

/* Shows bytes: what the terminal does not take now waits. */
void outer_put(struct outer *outer, const char *bytes, size_t len);

/* Whether what was put ends inside a sequence or string. */
bool outer_is_inside(const struct outer *outer);

/* Says something of our own, which shows nothing: behind the sequence or string that is open. */
void outer_say(struct outer *outer, const char *bytes, size_t len);

/* How many bytes wait, and how many the terminal took since it was opened. While some wait,
 * outer_flush() is called when outer_fd() can be written to. */
size_t outer_waiting(const struct outer *outer);
uint64_t outer_taken(const struct outer *outer);
int outer_fd(const struct outer *outer);
void outer_flush(struct outer *outer);

#endif
