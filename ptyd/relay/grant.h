/* grant.h - a hub that knows no host's key: whoever shows a token that its owner signed is let in,
 * as what the token says and until its end. Tokens are JWTs of NATS
 * (https://docs.nats.io/running-a-nats-service/configuration/securing_nats/jwt), the owner is its
 * operator and the one account of all hosts.
 */
#ifndef PTYD_RELAY_GRANT_H
#define PTYD_RELAY_GRANT_H

#include "ptyd/relay/roles.h"

#define GRANT_OWNER "owner" /* in place of a host's id */

/* Appends what a configuration says of accounts. `seed`: the owner's. */
void grant_print(const char *seed, struct bytes *out);

/* Appends credentials, a file that `--creds` takes: a new key, and what it may do. `host_id` is
 * GRANT_OWNER for who makes stream, bucket and consumers. `until_s`: when it ends, seconds since
 * 1970 by the server's clock; 0 for never. */
void grant_credentials(const struct roles *plan, const char *seed, const char *host_id,
                       bool publishes_only, int64_t until_s, struct bytes *out);

/* What credentials, as text, say: {name, exp?, ...}, unchecked; new reference, NULL where they
 * are none. */
json_t *grant_read(const char *credentials);

#endif
