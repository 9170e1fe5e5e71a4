/* parting.h - how a terminal that was lent to a session, or to a command in it, is given back. */
#ifndef PTYD_CLIENT_PARTING_H
#define PTYD_CLIENT_PARTING_H

#include "ptyd/client/outer.h"
#include "ptyd/client/view_link.h"

/* The user goes (view_link_leave()). The session shows its end; what the terminal answers meanwhile
 * to what programs asked goes there, and to nobody who reads it next. LIMIT_LEAVE_MS at most. */
void parting_leave(struct view_link *link, struct outer *outer);

/* outer_close(). Keys that reached nobody because `what` (`session`, `command`) ended are for
 * whoever reads the terminal next. Where it takes nothing any more, what is said in it from now on
 * goes nowhere: it would wait for ever. */
void parting_close(const struct view_link *link, struct outer *outer, const char *what);

#endif
