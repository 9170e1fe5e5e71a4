/* private.h - the ledger from inside: offers.c (what there is to tell), consumers.c (who knows
 * what), take.c, render.c and settle.c (leases), receipts.c (what turns were told), saved.c (a
 * session's part on disk), state.c (the ledger's own files). */
#ifndef PTYD_LEDGER_PRIVATE_H
#define PTYD_LEDGER_PRIVATE_H

#include "base/limits.h"
#include "envelope/entry.h"
#include "ptyd/core/aside.h"
#include "ptyd/core/pair.h"
#include "ptyd/ledger/ledger.h"

/* A block on offer. */
struct offer {
    struct block *block;
    char *session;            /* its name */
    char *directory;          /* in front of its output_path */
    char *value;              /* as first rendered; NULL before */
    char *output;             /* that of its preview, when that is apart */
    char *shell_id;           /* the header's, for which `value` was rendered; NULL before */
    struct entry_shape shape; /* in which it was rendered; no room: not yet */
    bool told;                /* some consumer has it */
};

/* What a consumer knows of one session. */
struct cursor {
    char *session;
    uint64_t key;       /* of the last block it needs no more */
    uint64_t *returned; /* keys at or before that which came back */
    size_t returned_count;
    int64_t missed; /* blocks it was never told and that are gone from memory */
};

struct consumer {
    char *id;
    int64_t used_ms; /* wall clock */
    struct cursor *cursors;
    size_t cursor_count;
    json_t *running_told; /* of the running command it heard of last, or NULL */
    json_t *turns;        /* [[turn, [key it carried, ...]], ...] in order of time; or NULL */
};

struct lease {
    json_int_t id;
    char *consumer;
    const void *owner;
    int64_t expires_ms; /* monotonic; 0 for never */
    int64_t spare_ms;   /* from when on it gives way where there is no room; 0 for never */
    pid_t pid;          /* of the taker: released when it is gone; 0 for nobody in particular */
    int64_t wall_ms;    /* when it was taken */
    int64_t lasts_ms;   /* for how long, where that is said; 0 */
    struct offer_key {
        uint64_t key;
        char *session;
    } * keys;
    size_t key_count;
    struct upto { /* what the take has seen of each session: all up to `key`, but for `held` */
        char *session;
        uint64_t key;
        json_t *held;   /* keys that another lease of the consumer held then */
        json_t *others; /* keys that did not feed it: it does without them, nobody was told */
    } * upto;
    size_t upto_count;
    json_t *told; /* what it tells, without the text (receipts.c); NULL for an older worker's */
};

/* A session whose part of the ledger is kept, by whoever has the session. */
struct part {
    char *session;
    bool closed;      /* it is gone, and a lease or an offer of it is not: memory knows best */
    uint64_t cleared; /* what has this key or a lower one is offered no more: dropped, or too old */
    bool changed;     /* since it was asked for */
    int64_t repeated; /* blocks offered again because what was told of them is lost; and when */
    int64_t repeated_ms;
};

/* What was told, on its way to the file. */
struct receipts {
    json_int_t written[LIMIT_LEASES]; /* the leases of the newest, in a ring */
    size_t next;
    char *owed[LIMIT_RECEIPTS_OWED]; /* lines that found no room yet, nor anybody to wait with */
    size_t owed_count;
    int error; /* why */
    int64_t lost;
};

struct ledger {
    char *state; /* the directory of its own files */
    struct pair keys_file, switches_file;
    struct aside aside; /* what of them was not whole */
    int keys_error;     /* why the last numbers are not reserved in their file; 0 */
    const struct ledger_events *events;
    void *user;
    const struct conf *conf;         /* the user's settings, as they are now */
    uint64_t next_key, reserved_key; /* the file says that those below the second are given out */
    struct offer *offers[LIMIT_CONTEXT_MEMORY]; /* in order of their keys */
    size_t offer_count;
    struct consumer consumers[LIMIT_CONSUMERS];
    size_t consumer_count;
    struct lease leases[LIMIT_LEASES];
    size_t lease_count;
    struct part *parts;
    size_t part_count;
    json_t *mcp;      /* conversation: how many serve it; "": all of them */
    json_t *switches; /* context.json: {off, threads_off: {id: true}, unseen} */
    struct receipts receipts;
};

/* What a take finds. */
struct found {
    struct offer *due[LIMIT_CONTEXT_MEMORY]; /* oldest first */
    size_t count, kept;                      /* the newest `kept` are told, in these shapes: */
    struct entry_shape shapes[LIMIT_CONTEXT_BLOCKS];
    int64_t total;           /* with those that are gone from memory */
    const struct feed *feed; /* that the header speaks of; or NULL */
    struct block *running;   /* there, to be told; or NULL */
    json_t *running_told;    /* what a consumer then knows of it; owned */
    int64_t
        text_omitted[LIMIT_CONTEXT_BLOCKS]; /* of those kept, as text: lines in front; -1: all */
};

/* ---- offers.c ---- */

/* Whether a `ptyd mcp` serves the conversation. */
bool ledger_is_served(const struct ledger *l, const char *conversation);

/* Whether a block is on offer; and one, by its place, is no more. */
bool ledger_is_offered(const struct ledger *l, uint64_t key);
void ledger_remove_offer(struct ledger *l, size_t index);

/* A session's part, NULL for none. The others: it has changed, all of them have. */
struct part *ledger_part(const struct ledger *l, const char *session);
void ledger_changed(struct ledger *l, const char *session);
void ledger_all_changed(struct ledger *l);

/* ---- consumers.c ---- */

/* A consumer by its id, NULL when there is none; the second function makes it then, and at
 * LIMIT_CONSUMERS forgets the one that was unused longest. */
struct consumer *ledger_find_consumer(struct ledger *l, const char *id);
struct consumer *ledger_consumer(struct ledger *l, const char *id);
void ledger_consumer_finish(struct consumer *consumer);

/* Adds one that is not there yet and returns its place; owns what it holds. Places of consumers
 * that were found before hold no longer: at LIMIT_CONSUMERS one is forgotten, another moves. */
struct consumer *ledger_add_consumer(struct ledger *l, struct consumer consumer);

/* Its cursor in a session, NULL when it has none; the second function makes it then. */
struct cursor *ledger_find_cursor(const struct consumer *consumer, const char *session);
struct cursor *ledger_cursor(struct consumer *consumer, const char *session);

/* Whether an array of keys, or NULL, has this one. */
bool ledger_lists(const json_t *keys, uint64_t key);

/* Whether a block came back to the consumer; and that it did. */
bool ledger_is_returned(const struct cursor *cursor, uint64_t key);
void ledger_add_returned(struct cursor *cursor, uint64_t key);

/* Remembers a turn, as in `turns`; once, whichever session's part it is read from. */
void ledger_add_turn(struct consumer *consumer, json_t *turn);

/* ---- fit.c ---- */

/* Says in which shapes the blocks kept are told, so that all entries together have the room that
 * the user gives them: the previews of the oldest commands that succeeded shrink first. Where that
 * does not do, fewer are kept. */
void ledger_fit(const struct ledger *l, const struct ledger_request *request, struct found *found);

/* ---- render.c ---- */

/* Appends a block's value, and to `output` that of its preview if that is apart. */
void ledger_render_block(const struct offer *offer, const struct found *found,
                         const struct entry_shape *shape, struct bytes *out, struct bytes *output);
/* Those of the header. */
void ledger_render_header(const struct ledger *l, const struct ledger_request *request,
                          const struct found *found, struct bytes *out, struct bytes *output);

/* Sets `additionalContext`, an object, and what the request's format asks for. */
void ledger_render(struct ledger *l, const struct ledger_request *request, struct found *found,
                   json_t *result);

/* ---- settle.c ---- */

/* Releases what has expired, or whose taker is gone. */
void ledger_expire(struct ledger *l, struct moment now);

/* Whether there is room for a lease: one that waits for its taker's word for long gives way. */
bool ledger_make_room(struct ledger *l, struct moment now);

/* Makes room for `keys` further keys and one further session. */
void ledger_lease_grow(struct lease *lease, size_t keys);
void ledger_lease_finish(struct lease *lease);

/* What a taker hands back with its commit; new reference. */
json_t *ledger_receipt(const struct lease *lease);

/* Whether a lease of the consumer holds the block. */
bool ledger_is_leased(const struct ledger *l, const char *consumer, uint64_t key);

/* ---- receipts.c ---- */

/* What a take tells, without the text: {bytes, total_commands_run, kept, dropped, dropped_blocks,
 * entries, blocks, running}; new reference. `taken`: what ledger_render() made. */
json_t *ledger_told(const struct ledger_request *request, const struct found *found,
                    const json_t *taken);

/* Whether what the receipt's lease told is kept already. */
bool ledger_is_told(const struct ledger *l, const json_t *receipt);

/* The turn (its id, or NULL) has what the receipt's lease told: it is kept, once. */
void ledger_write_told(struct ledger *l, const json_t *receipt, const char *turn);

void ledger_open_receipts(struct ledger *l);
void ledger_close_receipts(struct ledger *l);
void ledger_add_receipts_warning(const struct ledger *l, json_t *warnings);

/* ---- saved.c ---- */

/* Reads what a session's part says of consumers and leases. */
void ledger_load(struct ledger *l, const char *session, const json_t *saved, struct moment now);

/* ---- state.c ---- */

/* Opens the ledger's own files; and lets go of what is held of them. */
void ledger_open_state(struct ledger *l, const char *state);
void ledger_close_state(struct ledger *l);

/* The next number for an entry; never repeats, whatever dies. */
uint64_t ledger_new_key(struct ledger *l);

/* The highest number that a session's part speaks of. */
uint64_t ledger_highest_key(const json_t *saved);

void ledger_save_switches(struct ledger *l);

/* A fork of a thread that is off is off, too. */
void ledger_switch_fork(struct ledger *l, const char *from, const char *to);

#endif
