/* agent.h - the agents that ptyd knows, one row each.
 *
 * An agent that has an app-server is told of the terminal by the proxy; each may be told by a hook
 * that it runs when its user sends a prompt. Most keep that hook in a file of the shape that
 * ptyd/agents/settings.h describes, and read from it {"hookSpecificOutput": {"hookEventName": ...,
 * "additionalContext": ...}}; one loads a plugin of ours that runs it (ptyd/agents/plugin.h). A
 * further one of these forms is a further row of agent.c.
 */
#ifndef PTYD_CORE_AGENT_H
#define PTYD_CORE_AGENT_H

#include <stdbool.h>
#include <stddef.h>

struct agent {
    const char *name;      /* of its program, behind `ptyd hook`, in front of a consumer's id */
    const char *event;     /* at which it runs the hook */
    const char *variable;  /* of the environment, says where its settings are; or NULL */
    const char *directory; /* where they are otherwise, below the home */
    const char *file;      /* in that directory */
    const char *hook_name; /* the hook's `name` in it, or NULL */
    int timeout;           /* of the hook, in the agent's own unit */
    const char *advice;    /* what its user has to do once the hook is there, or NULL */
    bool app_server;       /* has one: a service in front of it is the way, the hook the other */
    bool flat;             /* it reads {"additionalContext": ...} alone */
    bool versioned;        /* its file says "version": 1, and holds hooks alone */
    bool plugin;           /* its file is a plugin of ours */
    const char *after;     /* the event at which it runs the hook once a turn is over, or NULL */
    const char *no_answer; /* what it says then of a turn that it keeps nothing of; NULL: then it
                              keeps all */
    const char *begins;    /* the event at which a conversation begins, or NULL */
    const char *removes;   /* that at which it loses a turn, or NULL */
    const char *project;   /* of the hook's environment, says where it was started; or NULL */
};

/* The rows; behind the last, `name` is NULL. */
extern const struct agent agents[];

/* The agent whose name is these bytes, or NULL. */
const struct agent *agent_find(const char *name, size_t len);

/* The names, `between` two of them and `last` in front of the last one; with `hooks_only` those
 * without an app-server. New string. */
char *agent_names(const char *between, const char *last, bool hooks_only);

#endif
