/* roles.h - what the hub's owner sets up: a configuration of nats-server in which each host may do
 * what its role needs and nothing else, and in the server the stream, the bucket and a consumer for
 * each member.
 */
#ifndef PTYD_RELAY_ROLES_H
#define PTYD_RELAY_ROLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "ptyd/relay/hub.h"

/* A host: a member publishes, receives and asks; a publisher (CI, say) only publishes. */
struct roles_host {
    char *host_id,
        *key; /* its id and the public key of its NKey; the latter may be NULL for init */
    bool publishes_only;
};

/* Strings are borrowed; hosts owned. */
struct roles {
    const char *user;                      /* as a token */
    const char *owner;                     /* public key */
    const char *listen;                    /* ADDRESS:PORT */
    const char *certificate, *key, *store; /* files; the first two NULL for none */
    long per_session, hours;               /* what is kept */
    int64_t bytes;
    struct roles_host *hosts;
    size_t host_count;
};

/* Whether it is a HOSTID. */
bool roles_is_id(const char *text);

/* Takes HOSTID=KEY, or HOSTID alone. Returns whether it is that. */
bool roles_add(struct roles *plan, const char *text, bool publishes_only);
void roles_finish(struct roles *plan);

/* What a host may do, as the server has it: {publish: {allow}, subscribe: {allow}}; new reference.
 */
json_t *roles_permissions(const struct roles *plan, const char *host_id, bool publishes_only);

/* The server's two accounts: one has JetStream and the owner, the other all hosts, who come to the
 * former by these services alone. An answer is published in the name of the server where its asker
 * wants it, under no permission: so it may not come to where what hosts say is stored. From one
 * account to another the server takes no answer to a service back into the export that it came
 * from, and so all of them are one export (tests/e2e/relay_roles.js). `local`: what a host says in
 * place of the subject; NULL for the same. NULL behind the last. */
#define ROLES_EXPORT   ">"
#define ROLES_ANSWER_S 15 /* answers may come so long after another; longer than a pull lasts */
struct roles_service {
    const char *subject, *local;
};
const struct roles_service *roles_service(size_t index);

/* Appends the configuration: of the hosts' keys, or with `seed`, the owner's, of tokens, which
 * grant.h makes. */
void roles_print(const struct roles *plan, const char *seed, struct bytes *out);

/* Makes stream, bucket and consumers, or brings them to what they should be. Returns NULL, or what
 * went wrong (a new string). */
char *roles_init(const struct roles *plan, struct hub *hub);

#endif
