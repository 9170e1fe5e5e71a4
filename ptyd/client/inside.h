/* inside.h - whether this process sits on a session's own terminal. */
#ifndef PTYD_CLIENT_INSIDE_H
#define PTYD_CLIENT_INSIDE_H

enum inside {
    INSIDE_YES,
    INSIDE_NO,
    INSIDE_UNKNOWN, /* whoever leads this terminal's session cannot be seen: in a container, or
                       where /proc hides the processes of others */
};

/* Asks /proc alone, in microseconds: no daemon, whatever the environment says. */
enum inside inside(void);

/* The session's name as its environment has it; "" outside, and where the environment is another,
 * behind `su -`. Borrowed. */
const char *inside_session(void);

#endif
