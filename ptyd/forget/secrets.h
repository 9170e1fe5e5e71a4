/* secrets.h - secrets go out of a session's log and outputs, where they stand.
 *
 * What was printed is looked at as agents' text is, whatever colours, wraps and corrections come in
 * between. In output.raw a character becomes another one (vterm_snapshot/blot.h), so that nothing
 * moves; in an output `[redacted:TYPE]` stands in a secret's place, in as many bytes
 * (forget/covering.h). How far that went is kept (core/redacted.h). */
#ifndef PTYD_FORGET_SECRETS_H
#define PTYD_FORGET_SECRETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "envelope/redact/redact.h"
#include "vterm_snapshot/blot.h"

/* What they are found with. */
struct secrets_finder {
    struct blot_finder finder;
    const struct redact_secrets *secrets; /* of the shell; or NULL */
    const atomic_bool *gives_up;          /* nothing is found any more; or NULL */
};
void secrets_finder_init(struct secrets_finder *finder, const struct redact_secrets *secrets,
                         const atomic_bool *gives_up);

/* How far. */
#define SECRETS_ALL   UINT64_MAX /* nobody writes it any more */
#define SECRETS_ENDED 0          /* of the log: to where a command ended last */
struct secrets_part {
    uint64_t offset; /* of the log: what lies before is over */
    uint64_t seq;    /* blocks up to this one have ended */
    bool guarded; /* each step is counted as begun: what workers died of 20 times is left alone */
};

/* Goes on behind what is done of the session `name`, step by step. Returns whether it changed
 * anything, or -errno, where it is to be tried again: -EINTR for given up. What will stay as it is,
 * an output that nobody can change or what workers died of, is said and passed over. */
int secrets_take_out(const char *state, const char *name, const struct secrets_finder *finder,
                     const struct secrets_part *part, void (*moves)(void));

#endif
