/* gate_private.h - the gate from inside: gate.c decides and remembers, gate_turn.c sends turns and
 * settles them, gate_rollback.c knows what a thread loses that is rolled back, gate_questions.c
 * asks the server what the proxy itself must know, gate_acp.c has all that is ACP's. */
#ifndef PTYD_PROXY_GATE_PRIVATE_H
#define PTYD_PROXY_GATE_PRIVATE_H

#include <jansson.h>

#include "envelope/message.h"
#include "ptyd/proxy/leases.h"
#include "ptyd/proxy/gate.h"

#define EXTRA_METHOD "thread/readState/changed" /* what experimentalApi adds to a plain session */

/* Whether the server knows additionalContext. */
enum capability {
    NOT_ASKED,
    ASKED,
    KNOWN,
    UNKNOWN, /* it complained about something else, or not in time */
    UNCLEAR, /* it did not complain: its yes to anything else means nothing either */
};

/* A request whose answer matters: the client's, or one of our own. */
enum request_kind {
    REQUEST_INITIALIZE,
    REQUEST_THREAD,
    REQUEST_REVERT,   /* a thread loses its last turns: `before` and those behind it */
    REQUEST_ROLLBACK, /* ... as many as were named: the answer lists those that are left */
    REQUEST_TURN,     /* carries `taken`; without it thread/inject_items follows the turn */
    REQUEST_PROBE,    /* ours: whether the server knows additionalContext */
    REQUEST_LOOKUP,   /* ours: whose thread `thread` is */
    REQUEST_TURNS,    /* ours: which turns it has */
    REQUEST_INJECT,   /* ours: thread/inject_items with `taken` */
};

struct request {
    struct request *next;
    enum request_kind kind;
    json_t *id;
    json_t *taken;
    json_t *turns; /* of a thread/rollback: the ids of those that `thread` had, or NULL */
    char *thread;  /* that it is about; of a thread/fork: the one that is forked */
    char *turn;    /* REQUEST_INJECT: the turn it goes with; of a thread/fork: the last it keeps */
    char *before;  /* of a thread/fork or thread/revert: the first turn it does not keep */
    char *cwd;     /* ACP: where the session works */
    bool forks;    /* ACP: the session that is made has the history of `thread` */
};

struct gate {
    struct gate_options options;
    struct leases *leases;
    struct request *requests;
    enum capability capability;
    bool upgraded;      /* experimentalApi is ours, not the client's */
    bool experimental;  /* it is on, whoever asked */
    bool cannot_inject; /* the server refused thread/inject_items */
    bool embeds;        /* ACP: a resource in a prompt reaches the model */
    long own_count;     /* of our own requests so far, for their ids */
    long long deadline; /* until which a turn waits for their answers, monotonic ms */
    json_t *threads;    /* by id: {user: bool, roots: [...]}; null while the server is asked */
    json_t *turns; /* by a thread's id, [turn, ...], or false; null while the server is asked */
    json_t *rolled_back; /* true by a thread's id */
};

/* Remembers a request; steals `id`. NULL when the client uses the id already, or has too many out.
 */
struct request *gate_remember(struct gate *g, enum request_kind kind, json_t *id);

/* The message's id when it is a string or an integer, a new reference; or NULL. */
json_t *gate_id(const struct message *m);

/* What a part that is a string says, a new string; NULL for any other part. */
char *gate_text(struct span part);

/* Ends and sends a turn to whose text `taken` was added, and remembers it with that, stolen; or,
 * where it could not be added (`why`, or NULL), says so. Returns false, with nothing sent and
 * nothing stolen, where that, or remembering it, was not possible. */
bool gate_send_taken(struct gate *g, const struct message *turn, json_t *taken, const char *why,
                     struct messages *out);

/* The message goes on as it came. */
void gate_pass(const struct message *m, struct messages *out);

/* ---- gate_rollback.c ---- */

/* A thread/rollback. False when it must wait. */
bool rollback_send(struct gate *g, const struct message *m, struct messages *to_server);

/* The server answered it. */
void rollback_settle(struct gate *g, const struct request *r, struct span result);

/* It answered which turns a thread has. */
void rollback_learn_turns(struct gate *g, const char *thread, const json_t *result);

/* ---- gate_turn.c ---- */

/* Whether entries of a turn are how context gets to this server. */
bool gate_tells_in_turns(const struct gate *g);

/* A turn/start or turn/steer: edited when something is pending. False when it must wait. */
bool gate_send_turn(struct gate *g, const struct message *turn, bool steer,
                    struct messages *to_server);

/* The server answered the turn. */
void gate_settle_turn(struct gate *g, struct request *r, const struct message *answer,
                      struct messages *to_server);

/* ---- gate_acp.c ---- */

bool acp_is_of_interest(struct span method);

/* A request of the client's that acp_is_of_interest() names. */
void acp_client_line(struct gate *g, const struct message *m, struct messages *to_server);

/* Whether a notification tells back what the proxy has put into a prompt. `line` may be a part. */
bool acp_may_echo(const char *line, size_t len);
bool acp_echoes(const char *line, size_t len);

/* The agent answered. */
void acp_settle(struct gate *g, struct request *r, const struct message *answer);

/* ---- gate_questions.c ---- */

void ask_capability(struct gate *g, struct messages *to_server);
void ask_thread(struct gate *g, const char *thread, struct messages *to_server);
void ask_turns(struct gate *g, const char *thread, struct messages *to_server);
/* `taken` goes to the thread as items of its history; steals `taken`. */
void ask_inject(struct gate *g, const char *thread, const char *turn, json_t *taken,
                struct messages *to_server);

/* An answer to one of them. */
void ask_answered(struct gate *g, struct request *r, const struct message *m);

/* Learns from thread/start, resume, fork and read whose thread it is and where it works. */
void ask_learn_thread(struct gate *g, const json_t *result);

#endif
