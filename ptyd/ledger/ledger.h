/* ledger.h - who has been told what: blocks that wait for agents, cursors, leases.
 *
 * A consumer is an agent's conversation, like `codex:<thread>`. Each is told every deliverable
 * block of the sessions that feed it once: ledger_take() leases, ledger_commit() makes it final,
 * ledger_release() offers the same blocks again, with the same keys and bytes.
 *
 * The ledger knows no session and no loop. Whoever has them says what there is (struct feed), and
 * after each call asks which sessions' part of the ledger has changed (ledger_next_changed()) and
 * keeps it (ledger_saved()) before anybody is answered: a worker that takes over then knows every
 * lease. Its own files are `keys.json` and `context.json` in the state directory, each with a copy.
 */
#ifndef PTYD_LEDGER_LEDGER_H
#define PTYD_LEDGER_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ptyd/core/block.h"
#include "ptyd/core/clock.h"
#include "ptyd/core/conf.h"

struct ledger;

/* What becomes of leases, for those who follow. `block_ids` is borrowed. */
struct ledger_events {
    /* `turn`: the turn's id, or NULL. */
    void (*delivered)(void *user, const char *consumer, const char *turn, json_t *block_ids);
    void (*released)(void *user, const char *consumer, json_t *block_ids);
    /* What finds no room: appends a line to the file, which behind `most` bytes becomes PATH.1, as
     * soon as there is some, whatever dies meanwhile. False: nobody can, as without it. And calls
     * `each` for what of that waits, oldest first. */
    bool (*append)(void *user, const char *path, const char *line, long long most);
    void (*each_waiting)(void *user, const char *path, void (*each)(void *user, const char *line),
                         void *each_user);
};

/* `state`: the directory of its files, which are read; `events` and `user` outlive the ledger. */
struct ledger *ledger_create(const char *state, const struct ledger_events *events, void *user);
void ledger_destroy(struct ledger *l);

/* What the user has set, until it is set again: borrowed. Before that, what usually is. */
void ledger_set_conf(struct ledger *l, const struct conf *conf);

/* A session as the ledger sees it, valid during a call. Borrowed. */
struct feed {
    const char *name, *shell_id, *cwd;
    const struct redact_secrets *secrets; /* of its shell's environment, or NULL */
    bool paused;                          /* its capture: nothing of it is told meanwhile */
    bool exited;                          /* its shell is gone */
    struct block *running;                /* the command that runs, or NULL */
};

struct feeds {
    const struct feed *feed;
    size_t count;
};

/* A session is there. `saved`: what ledger_saved() gave before, or NULL; `blocks`: the newest of
 * its blocks as they are kept, with their keys; `directory`: in front of their output_path. */
void ledger_add_session(struct ledger *l, const char *name, const char *directory,
                        const json_t *saved, const json_t *blocks, struct moment now);
/* Numbers of entries up to this one were given out, says somebody who was there; asked for that,
 * the ledger says the highest of them. */
void ledger_raise_keys(struct ledger *l, uint64_t highest);
uint64_t ledger_last_key(const struct ledger *l);

/* It goes away; its blocks stay on offer. */
void ledger_remove_session(struct ledger *l, const char *name);

/* The name of a session whose part has changed since it was asked for here, NULL when there is
 * none; valid until the next call of the ledger. */
const char *ledger_next_changed(struct ledger *l);
/* A session's part, which has not changed since then; new reference. */
json_t *ledger_saved(struct ledger *l, const char *name);
/* What nobody has been told yet, as the object `pending_cmd_buffer` of meta.json; NULL when there
 * is nothing; new reference. */
json_t *ledger_pending_buffer(const struct ledger *l, const char *name, const char *shell_id);

/* The session that stands for all that other hosts ran: its blocks feed every consumer that asks
 * for no session of its own, and are a half of LIMIT_CONTEXT_MEMORY at most. */
#define LEDGER_HOSTS "@hosts"

/* A block ended. Gives it its key, unless agents are not to be told; returns whether it did. */
bool ledger_offer(struct ledger *l, const char *session, const char *directory,
                  struct block *block);

/* The block that was offered last could not be kept: it is offered no more. */
void ledger_withdraw(struct ledger *l, uint64_t key);

/* How a taker wants it besides the map of entries. */
enum ledger_format {
    LEDGER_ENTRIES,  /* additionalContext alone */
    LEDGER_TEXT,     /* `text`: plain text, at most LIMIT_HOOK_BYTES */
    LEDGER_ENVELOPE, /* `envelope`: one JSON object, at most LIMIT_ENVELOPE_BYTES */
};

/* What a taker says of itself. */
struct ledger_request {
    const char *consumer; /* `codex:<thread>`, `cli`, ... */
    const char *session;  /* explicit, or NULL */
    const char *thread;   /* its name: a session called like it feeds it; or NULL */
    const json_t *roots;  /* array of directories of the thread, or NULL */
    const json_t *taken;  /* array of keys in use by the client, or NULL */
    bool renumber;        /* entries get keys that nobody has seen */
    enum ledger_format format;
    bool peek;         /* look only: no lease, no new consumer */
    bool expires;      /* released by itself after LIMIT_LEASE_CLI_MS */
    int64_t lasts_ms;  /* or after this, if that is more: from then on it gives way to others */
    const void *owner; /* ledger_release_owner() releases it */
    pid_t pid;         /* the taker's: what a worker to come holds the lease for; 0 for nobody's */
    struct moment now;
    bool tagged; /* LEDGER_TEXT goes between tags */
};

/* The session that the header of a take would speak of, or NULL: only of that one are `running`'s
 * preview and told text read, and need be up to date. */
const struct feed *ledger_header_feed(struct ledger *l, const struct ledger_request *request,
                                      const struct feeds *feeds);

/* Leases what is pending. Returns {lease, receipt, pending, total_commands_run, kept, dropped,
 * injection, additionalContext}, without the first two when nothing is pending or with peek, and
 * with what `format` asks for; new reference. NULL when LIMIT_LEASES are out. */
json_t *ledger_take(struct ledger *l, const struct ledger_request *request,
                    const struct feeds *feeds);

/* The agent has it. `receipt`: what ledger_take() gave with the lease, for when the lease has
 * expired; or NULL. `turn`: the id of the turn that carries it, or NULL. Returns false when
 * neither lease nor receipt says anything. */
bool ledger_commit(struct ledger *l, json_int_t lease, const json_t *receipt, const char *turn);

/* What turns were told, without the text (ptyd-rpc(7), context.explain): the newest `most`, or
 * those of a turn, or of a lease by its number; an array, the oldest first, new reference. */
json_t *ledger_receipts(struct ledger *l, const char *turn, size_t most);

/* The file that receipts are appended to, a new string; and one that was handed over, to wait with
 * somebody who goes: a line of it. */
char *ledger_receipts_path(const struct ledger *l);
void ledger_take_receipt_back(struct ledger *l, const char *line);

/* A consumer's thread was forked: the new one has its history, and is told what comes after; where
 * that thread is off it is told nothing.
 * `last`: the last turn it keeps, or `before`: the first it does not; NULL for all of them. */
void ledger_inherit(struct ledger *l, const char *from, const char *to, const char *last,
                    const char *before, struct moment now);

/* Turns that a consumer's thread has lost. */
struct ledger_cut {
    const char *last;    /* those behind this one, which it keeps ("": it keeps none); or NULL */
    const char *before;  /* this one and those behind it; or NULL */
    const json_t *turns; /* these, an array of their ids; or NULL */
};

/* What the consumer was told in them is no more in its history, and is told again. */
void ledger_revert(struct ledger *l, const char *consumer, const struct ledger_cut *cut);

/* Its taker goes, and says later what became of it: for that it is held `lasts_ms`, but gives way
 * to others behind LIMIT_LEASE_CLI_MS. Returns false when there is no such lease. */
bool ledger_hold(struct ledger *l, json_int_t lease, int64_t lasts_ms, struct moment now);

/* It never reached the agent. `unseen`: it may have, nobody could see it; this is counted. Returns
 * false when there is no such lease. */
bool ledger_release(struct ledger *l, json_int_t lease, bool unseen);

/* Its taker went away without a word. */
void ledger_release_owner(struct ledger *l, const void *owner);

/* What a process took of an earlier worker, and whose answer it never got, because the worker died:
 * `held` are the leases that it knows of (an array of numbers). They come back; nobody has seen
 * what they held. */
void ledger_release_unheard(struct ledger *l, pid_t pid, const json_t *held);

/* Blocks that nobody has been told, of one session or (NULL) of all. */
size_t ledger_pending(const struct ledger *l, const char *session);

/* Releases whose acceptance could not be seen: these blocks may reach an agent twice. */
json_int_t ledger_unseen(const struct ledger *l);

/* Blocks that agents may be told again, because what they were told of them is lost. */
json_int_t ledger_repeated(const struct ledger *l);

/* A block that ends now had ended before, and what was known of it is lost. */
void ledger_note_repeated(struct ledger *l, const char *session, struct moment now);

/* What people should know of the ledger's files, as strings at the end of an array. */
void ledger_add_warnings(const struct ledger *l, json_t *warnings);

/* Drops what is pending, of one session or (NULL) of all; nobody will be told. Returns how many
 * blocks went. */
size_t ledger_clear(struct ledger *l, const char *session);

/* Injection off and on, for one thread (its id, or the consumer that it is) or (NULL) for all; what
 * is pending waits. Returns false when LIMIT_THREADS_OFF others are off already: this thread stays
 * as it is. */
bool ledger_set_injection(struct ledger *l, const char *thread, bool on);
/* Whether `consumer` (NULL: somebody) is told, for `thread` where it says one. */
bool ledger_injects(const struct ledger *l, const char *consumer, const char *thread);

/* `change` is 1: a `ptyd mcp` serves the conversation, or ("") all of them; or -1: one that did has
 * stopped. */
void ledger_mcp(struct ledger *l, const char *conversation, int change);

#endif
