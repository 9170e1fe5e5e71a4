/* elsewhere.h - a session on another host, HOST:NAME: the same command is run there, by ssh(1). */
#ifndef PTYD_COMMAND_ELSEWHERE_H
#define PTYD_COMMAND_ELSEWHERE_H

#include <stdbool.h>

/* Where the arguments name such a session, with -s or, where `bare`, as a word of their own,
 * becomes an ssh there with the same arguments, in a terminal where this one has one, and does not
 * return; says why and ends where there is no ssh. HOST is what ssh takes, with no - in front.
 * Where it is nearly the name of a host that was heard here (core/heard.h), and none of those, that
 * is said first. `valued` is an option that has a value, or NULL. */
void elsewhere_go(int argc, char **argv, bool bare, const char *valued);

#endif
