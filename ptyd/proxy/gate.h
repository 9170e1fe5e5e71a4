/* gate.h - what the proxy does with each message between a client and an app-server, or an agent of
 * the Agent Client Protocol.
 *
 * Everything passes as it came, but: a user's turn/start gets the pending entries; an `initialize`
 * asks for experimentalApi, if allowed; answers to the proxy's own requests and notifications that
 * only that flag brought stay here. With ACP: a session/prompt gets a content block, and what an
 * agent tells back of such blocks stays here.
 */
#ifndef PTYD_PROXY_GATE_H
#define PTYD_PROXY_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "ptyd/proxy/messages.h"

struct gate_options {
    const char *session; /* -s NAME, or NULL */
    bool no_upgrade;     /* leave `initialize` alone */
    bool steer;          /* turn/steer carries context too */
    bool envelope;       /* the legacy envelope instead of additionalContext */
    bool acp;            /* the server is an agent that speaks ACP, and none of the above holds */
    int wait_ms;         /* how long a turn waits for the daemon; 0: LIMIT_PROXY_WAIT_MS */
};

struct gate;

struct gate *gate_create(const struct gate_options *options);

/* Gives back what was taken and not settled: nobody saw whether the server had accepted it. */
void gate_destroy(struct gate *g);

/* What to do with a message of which `len` bytes are known; `whole`: it is complete. */
enum gate_verdict {
    GATE_PASS, /* forward it, now and to its end */
    GATE_MORE, /* say again with more of it */
    GATE_TAKE, /* give it whole to gate_client_line() or gate_server_line() */
};

enum gate_verdict gate_client_look(const struct gate *g, const char *line, size_t len, bool whole);
enum gate_verdict gate_server_look(const struct gate *g, const char *line, size_t len, bool whole);

/* A whole message from the client. Adds to `to_server` what goes there. Returns false when it must
 * wait: give it again after a server's message came or gate_wait_ms() is over. */
bool gate_client_line(struct gate *g, const char *line, size_t len, struct messages *to_server);

/* A whole message from the server. Adds to `to_client` what goes there (nothing for answers to us)
 * and to `to_server` what the proxy itself has to ask. */
void gate_server_line(struct gate *g, const char *line, size_t len, struct messages *to_client,
                      struct messages *to_server);

/* Whether an answer of the server is waited for by which a lease is settled, or what a thread has
 * heard is known. */
bool gate_owes(const struct gate *g);

/* How long a client's message may still have to wait, in ms; -1 when none does. */
int gate_wait_ms(const struct gate *g);

#endif
