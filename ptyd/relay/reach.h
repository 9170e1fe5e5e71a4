/* reach.h - why a hub is not reached, for people: what the library says of it names no cause. */
#ifndef PTYD_RELAY_REACH_H
#define PTYD_RELAY_REACH_H

/* Looks the name up and connects, LIMIT_RELAY_CONNECT_MS at most behind the name's answer. New
 * string. */
char *reach_why(const char *host, const char *port);

/* What can be done about what the library says, "" for nothing known. */
const char *reach_hint(const char *words);

#endif
