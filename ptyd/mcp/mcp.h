/* mcp.h - one client of `ptyd mcp`, and a tool that it calls. */
#ifndef PTYD_MCP_MCP_H
#define PTYD_MCP_MCP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "ptyd/mcp/backend.h"
#include "ptyd/mcp/schema.h"
#include "ptyd/mcp/wire.h"

/* Versions of the protocol that begin with `initialize`, oldest first, and the one in which each
 * request says its own. */
enum version {
    VERSION_NONE = -1,
    VERSION_2024_11_05,
    VERSION_2025_03_26,
    VERSION_2025_06_18,
    VERSION_2025_11_25,
    VERSION_2026_07_28,
    VERSION_COUNT,
};

struct waits;
struct updates;

struct mcp {
    struct wire *wire;
    struct backend *daemon;
    struct waits *waits;     /* tools that wait for a command */
    struct updates *updates; /* resources whose changes are told */
    const char *session;     /* where a call names none */
    bool session_given;      /* it was said; else the only one will do, too */
    bool drive;              /* it may ask to type */
    bool all;                /* the tools of tools_all.c, too */
    struct call *timed;      /* calls that end by themselves */
    bool leaving;            /* the client says nothing more: they end now */
    json_t *interactive;     /* of sessions, the block that pty_exec_interactive began. Owned */
    char *agent;             /* who the client says it is; NULL before. Owned */
    enum version version;    /* negotiated */
};

/* ---- a call ---- */

struct tool;
struct call;

/* What drive.c types for a call. */
struct typing {
    char *text;     /* owned */
    int timeout_ms; /* of a command */
    void (*then)(struct call *call, const json_t *result);
};

struct call {
    struct mcp *mcp;
    struct request *request;
    const struct tool *tool;
    enum version version;
    json_t *arguments; /* an object, checked. Owned */
    char *session;     /* the one it is about; owned */
    struct ask *ask;   /* under way; NULL for none */
    void (*then)(struct call *call, const json_t *result);
    struct typing typing;
    struct call *timed; /* the next of those that end by themselves */
    int64_t until;      /* when, monotonic ms; 0: it is none of them */
    void (*late)(struct call *call);
    json_int_t token; /* by which the user was asked for the baton, and what that came to is not
                         known; 0: he was not */
    void *state;      /* the tool's own, */
    void (*drop)(struct call *call); /* and how it is freed; NULL for nothing */
};

struct tool {
    const char *name, *title, *about;
    const struct param *params;
    const char *output; /* a JSON Schema of what it answers */
    bool anywhere;      /* it is about no session in particular */
    bool types;         /* only with --drive */
    void (*call)(struct call *call);
};

/* Asks the daemon as an agent does, but where `params` say otherwise, about the call's session;
 * steals `params`. What fails is the call's failure. */
void call_ask(struct call *call, const char *method, json_t *params,
              void (*then)(struct call *call, const json_t *result));
/* The same of what may take so long, in ms; -1: for ever. */
void call_ask_for(struct call *call, const char *method, json_t *params, int wait_ms,
                  void (*then)(struct call *call, const json_t *result));

/* End it. The first steals the value, an object, which is told without hidden characters. */
void call_answer(struct call *call, json_t *value);
void call_fail(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text without hidden characters; steals the value, new reference. */
json_t *call_visible(json_t *value);

/* At that time (monotonic ms; 0: never), or when the client has gone, nothing is asked any more and
 * `late` ends it. */
void call_until(struct call *call, int64_t until, void (*late)(struct call *call));
int64_t calls_due(const struct mcp *mcp);
void calls_work(struct mcp *mcp);
void calls_end(struct mcp *mcp);

/* What its arguments say. */
const char *call_text(const struct call *call, const char *key, const char *otherwise);
long long call_number(const struct call *call, const char *key, long long otherwise);

/* Finds the session that a call is about and goes on with its tool. */
void call_begin(struct mcp *mcp, struct request *request, enum version version,
                const struct tool *tool, json_t *arguments);

/* ---- tools.c and tools_all.c ---- */

void tools_list(struct mcp *mcp, struct request *request, enum version version,
                const json_t *params);
void tools_call(struct mcp *mcp, struct request *request, enum version version,
                const json_t *params);

/* The tools of `--tools all`, beside the others and instead of those of the same name. */
const struct tool *tools_all(size_t *ret_count);

/* ---- cursors ---- */

/* An opaque word for a place in a list of that kind; new string. And back: false for what is none
 * of this kind. *ret_place is a new string. */
char *cursor_make(const char *kind, const char *place);
bool cursor_read(const char *kind, const char *cursor, char **ret_place);

/* ---- the tools that look at commands ---- */

void tool_blocks(struct call *call);
void tool_block_output(struct call *call);
void tool_search(struct call *call);
/* Text as a pattern; new string. */
char *search_quoted(const char *text);
void tool_wait(struct call *call);

/* ---- the tools that type (drive.c) ---- */

/* Asks the user to let it type; nothing is asked where the baton is held. A call that ends without
 * drive_answer() takes the question back, and what was not typed. */
void drive_ask(struct call *call, const char *purpose,
               void (*then)(struct call *call, const json_t *granted));
void drive_answer(struct call *call, json_t *value);
/* Gives the baton back, or the question for it. */
void drive_give_up(struct call *call);
/* Types a command, which has so many ms to end (session.run), or keys (session.input), once the
 * user lets it. */
void drive_run(struct call *call, const char *command, int timeout_ms,
               void (*then)(struct call *call, const json_t *ran));
void drive_keys(struct call *call, const char *keys, const char *purpose,
                void (*then)(struct call *call, const json_t *typed));

void tool_run(struct call *call);
void tool_send(struct call *call);
void tool_give_back(struct call *call);

/* ---- wait.c ---- */

struct waits *waits_create(struct mcp *mcp);
void waits_destroy(struct waits *waits);
/* A block ended; and it may have, unseen; and nobody will say. */
void waits_ended(struct waits *waits, const char *session, long long seq);
void waits_look_again(struct waits *waits);
void waits_gone(struct waits *waits);
/* When the next of them is to be told of or ended (monotonic ms, -1 for never), and doing it. */
int64_t waits_due(const struct waits *waits);
void waits_work(struct waits *waits);
/* Ends all of them. */
void waits_end(struct waits *waits);

/* ---- resources.c ---- */

void resources_list(struct mcp *mcp, struct request *request, const json_t *params);
void resources_templates(struct mcp *mcp, struct request *request, const json_t *params);
void resources_read(struct mcp *mcp, struct request *request, enum version version,
                    const json_t *params);

/* ---- updates.c ---- */

struct updates *updates_create(struct mcp *mcp);
void updates_destroy(struct updates *updates);
void updates_subscribe(struct mcp *mcp, struct request *request, const json_t *params, bool on);
/* subscriptions/listen */
void updates_listen(struct mcp *mcp, struct request *request, const json_t *params);
/* From now on a client that began with `initialize` hears when the list of resources changes. */
void updates_begin(struct updates *updates);
void updates_event(struct updates *updates, const json_t *event);
/* Anything may have changed. */
void updates_all(struct updates *updates);
int64_t updates_due(const struct updates *updates);
void updates_work(struct updates *updates);
/* Ends what listens, with an answer. */
void updates_end(struct updates *updates);

/* ---- protocol.c ---- */

/* What a wire's handler does. */
void protocol_call(void *mcp, struct request *request, const char *method, const json_t *params);
void protocol_notified(void *mcp, const char *method, const json_t *params);

#endif
