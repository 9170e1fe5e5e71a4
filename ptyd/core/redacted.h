/* redacted.h - how far secrets were taken out of a session's files (`redact_disk`).
 *
 * `agent_pty/redacted.json`. Where it is whoever adds lines of JSON takes secrets out first; who
 * does not removes it. It goes on only behind what was done: who dies in between is followed by one
 * that does the same again.
 */
#ifndef PTYD_CORE_REDACTED_H
#define PTYD_CORE_REDACTED_H

#include <stdbool.h>
#include <stdint.h>

struct redacted {
    uint64_t offset; /* of the stream: in the log all before it is covered */
    uint64_t seq;    /* and in outputs up to this block's */
    bool lines;      /* and in all lines */
    /* What comes next was begun, and did not end, so often: up to there. */
    int tries;
    uint64_t until, until_seq;
};

/* That of the directory `agent_pty`; false for none. 0 or -errno. */
bool redacted_load(const char *directory, struct redacted *ret_redacted);
int redacted_save(const char *directory, const struct redacted *redacted);
void redacted_remove(const char *directory);

#endif
