/* What of a session is recorded, and what in it is secret. */
#include "ptyd/session/private.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "ptyd/core/former.h"
#include "ptyd/core/proc.h"
#include "ptyd/core/text.h"
#include "ptyd/core/vault.h"

/* Of an environment: strings that NUL ends. */
static void read_term(struct session *s, const char *environ, size_t len)
{
    for (const char *at = environ; at < environ + len; at += strlen(at) + 1)
        if (!strncmp(at, "TERM=", 5))
            snprintf(s->term, sizeof s->term, "%s", at + 5);
}

/* The environment a shell was started with. The vault has it as long as the session; of a shell
 * that a former program started, or where that had no room, the kernel has a copy as long as the
 * shell lives. */
static bool find_environment(const char *shell_id, pid_t shell, struct bytes *environ)
{
    if (!vault_get(shell_id, environ) && shell)
        proc_read(shell, "environ", 2 * LIMIT_ENVIRONMENT_BYTES, environ);
    return environ->len && !environ->failed;
}

/* Returns whether it is known what in it is secret. */
static bool read_environment(const char *shell_id, pid_t shell, struct session *s,
                             struct redact_secrets **secrets)
{
    struct bytes environ = {0};
    bool known = find_environment(shell_id, shell, &environ);
    if (known && redact_secrets_create(environ.data, environ.len, secrets) < 0)
        memory_end(); /* what is not known to be secret would be told */
    if (known && s)
        read_term(s, environ.data, environ.len);
    if (environ.data)
        explicit_bzero(environ.data, environ.len);
    bytes_finish(&environ);
    return known;
}

void session_read_environment(struct session *s, pid_t shell)
{
    s->secrets_known = read_environment(s->shell_id, shell, s, &s->secrets);
    former_keep(store_meta(s->store), s->secrets, s->secrets_known, !tracker_seq(s->tracker));
    former_add(store_meta(s->store), &s->secrets);
    session_name_terminal(s);
}

struct redact_secrets *session_secrets_of(const char *state, const char *name, const char *shell_id,
                                          pid_t shell)
{
    struct redact_secrets *secrets = NULL;
    read_environment(shell_id, shell, NULL, &secrets);
    former_read(state, name, &secrets);
    return secrets;
}

const struct redact_secrets *session_secrets(const struct session *s)
{
    return s->secrets;
}

bool session_knows_secrets(const struct session *s)
{
    return s->secrets_known;
}

bool session_paused(const struct session *s)
{
    return s->paused;
}

static uint64_t first_line_behind(const struct session *s)
{
    return terminal_scrollback_total(s->terminal) + (uint64_t)terminal_rows(s->terminal);
}

void session_set_paused(struct session *s, bool paused)
{
    struct block *running = tracker_running(s->tracker);
    if (s->paused == paused)
        return;
    session_leave_checkpoint(s);
    session_screen_flush(s);
    s->paused = paused;
    if (running)
        running->unrecorded = true; /* the part of it that was not seen is not guessed */
    rawlog_record(s->log, RAWLOG_GAP, terminal_offset(s->terminal), clock_now(), paused,
                  (uint32_t)tracker_seq(s->tracker));
    rawlog_flush(s->log);
    if (paused) {
        session_withhold_from_here(s);
    } else {
        s->unrecorded_until = first_line_behind(s);
        session_withhold_to_here(s, s->unrecorded_until);
        store_set_snapshot_from(s->store, s->unrecorded_until);
    }
    session_keep(s, "paused", json_boolean(paused));
    session_flush(s);
    REPORT(s, capture_changed);
}

/* A block that capture was paused in: begun before, it ends without output; begun within, it never
 * was. */
void session_end_unrecorded(struct session *s, struct block *block)
{
    struct block *known = store_running(s->store);
    if (known && known->seq == block->seq) {
        free(block->preview);
        block->preview = text_copy("");
        block->private = true;
        block->output_lines = block->output_bytes = block->omitted_lines = 0;
        store_end(s->store, block, NULL);
    }
    block_unref(known);
}
