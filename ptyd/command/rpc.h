/* rpc.h - talking to the daemon, one request at a time.
 *
 * Every wait has an end that its caller names, whatever the daemon does. A worker that dies is
 * followed by another: a lost connection is made again, and what is known not to have been done, or
 * only reads, is asked again. Nothing else is.
 */
#ifndef PTYD_COMMAND_RPC_H
#define PTYD_COMMAND_RPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/core/lines.h"

/* How long an answer has, where silence counts. */
struct rpc_window {
    int64_t end;        /* monotonic ms */
    unsigned long used; /* ticks of a processor that the daemon had used */
    bool looked;        /* at that, in the middle of it */
    bool heard;         /* something came */
    bool full;          /* and the last of it was as much as is read at once */
    bool over;
};

struct rpc {
    int fd; /* -1 when there is no connection */
    struct lines lines;
    json_int_t next_id;
    bool unread;       /* it was lost before the daemon had read all that was sent */
    int reconnections; /* how often it was made again */
    int64_t made_ms;   /* monotonic: when it was made again last; 0: it was not */
    int64_t losing_ms; /* since when none of them lasted; 0: none was lost */
    int silence_ms;    /* in which an answer has to be there, all of it, unless the daemon works;
                          0: any */
    struct rpc_window window; /* of that, for what is asked now */
    bool said_busy;           /* that it works, and is waited for */
    bool said_silent;         /* that there is no answer yet, which is waited for */
    char *closing;            /* why the daemon closes it, as it said; NULL. Owned */
    int refusal;              /* the code of the error that the last request was answered with; 0 */
    int passed; /* a descriptor that came with an answer and was not taken yet, and 1; 0 */
};

/* Connects, in at most `wait_ms`. `may_start`: start a daemon when none runs. On failure says on
 * stderr what to do and returns -1. */
int rpc_connect(struct rpc *ret_rpc, bool may_start, int wait_ms);

/* Connects once, without a word; what had come on a former connection is forgotten. Returns 0 or
 * -errno. */
int rpc_connect_again(struct rpc *rpc);

/* The same until it works, or `until` (monotonic ms); a moment later where the last one was lost
 * soon. Returns 0 or -1. */
int rpc_reconnect(struct rpc *rpc, int64_t until);

/* Whether it has been lost again and again, each soon, for so long that a word is due. */
bool rpc_is_losing(const struct rpc *rpc);

void rpc_close(struct rpc *rpc);

/* Sends a request, which steals `params`, and waits for nothing but room, at most until `until`
 * (monotonic ms). Returns its id, -1 when the connection is lost: then it is closed, the request
 * was not done, and what came before is rpc_next()'s. */
json_int_t rpc_send(struct rpc *rpc, const char *method, json_t *params, int64_t until);

/* Whether that is what the request of that id is answered with: or one that could not be read, for
 * it is too long, say, whose answer has no id. */
bool rpc_is_answer(const json_t *message, json_int_t id);

/* How a wait ended. */
enum rpc_wait {
    RPC_CAME, /* a message */
    RPC_LATE, /* the time is over */
    RPC_LOST, /* the connection, which is closed */
};

/* Waits for a message until `until` (monotonic ms, -1 for ever): a new reference. */
enum rpc_wait rpc_wait(struct rpc *rpc, int64_t until, json_t **ret_message);
/* The same with `until` in time; says meanwhile how long it has waited. */
struct progress;
enum rpc_wait rpc_wait_telling(struct rpc *rpc, struct progress *progress, int64_t until,
                               json_t **ret_message);

/* Sends and waits at most `wait_ms` in all, over a worker's death, too (LIMIT_RECONNECT_MS for the
 * next one to answer); says meanwhile that it waits. Returns the result (a new reference), or NULL
 * with what is wrong in *ret_error (a new string). Steals `params`. */
json_t *rpc_ask(struct rpc *rpc, const char *method, json_t *params, int wait_ms, char **ret_error);

/* The same, and says on stderr what is wrong. */
json_t *rpc_call(struct rpc *rpc, const char *method, json_t *params, int wait_ms);

/* Reads what has come. Returns 1, 0 when the connection is lost. */
int rpc_fill(struct rpc *rpc);

/* The next message that has come, a new reference; NULL for none yet. */
json_t *rpc_next(struct rpc *rpc);

/* The descriptor that came with the answer taken last: the caller's; -1 for none. */
int rpc_take_passed(struct rpc *rpc);

#endif
