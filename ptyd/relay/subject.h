/* subject.h - how what a relay speaks of is called at the hub (docs/ptyd-relay.7). New strings. */
#ifndef PTYD_RELAY_SUBJECT_H
#define PTYD_RELAY_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

/* A name as one token: what is neither a letter, digit, _ nor - is %XX. */
char *subject_token(const char *name);

/* ptyd.v1.USER.HOSTID.SESSION.block; USER is a token already, as in all others. */
char *subject_block(const char *user, const char *host_id, const char *session);
/* Whether it is such a subject of that user's; *ret_host_id and *ret_session are what it says, new
 * strings, the session as the token that it is. */
bool subject_is_block(const char *subject, const char *user, char **ret_host_id,
                      char **ret_session);

/* The place in its stream of a message that is acknowledged at this address; 0 for none. */
uint64_t subject_place(const char *reply);
/* When it was kept there, by the hub's clock; 0 for none. */
int64_t subject_kept_ms(const char *reply);

char *subject_requests(const char *user, const char *host_id); /* ptyd.rpc.v1.USER.HOSTID */
char *subject_stream(const char *user);                        /* PTYD_USER */
char *subject_presence(const char *user);                      /* the bucket: ptyd_hosts_USER */

/* _INBOX.HOSTID: answers come below it, the hub's and other hosts'. Another host's has its id in
 * the second place below (subject_answer() behind a part of the asker's own), by which the hub lets
 * nobody else say it. */
char *subject_inbox(const char *host_id);
char *subject_answer(const char *host_id, unsigned number);
/* Whether it is an address at which that host answers. */
bool subject_is_answer(const char *subject, const char *host_id);

/* In front of what a host asks JetStream, where its owner says $JS.API. (relay/roles.h). */
#define SUBJECT_HUB "ptyd.hub."

#endif
