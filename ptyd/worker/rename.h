/* rename.h - session.rename: a session gets another name (core/names.h). */
#ifndef PTYD_WORKER_RENAME_H
#define PTYD_WORKER_RENAME_H

#include <jansson.h>

struct client;
struct session;
struct worker;

void rename_call(struct client *client, const json_t *id, const json_t *params);

/* Requests may name a session by the name that it was given: puts its own one in its place. */
void rename_resolve(const struct worker *w, const json_t *params);

/* A session has come: it gets the name that it was given before. */
void rename_restore(const struct worker *w, struct session *s);

/* What was closed is removed: its name is free. */
void rename_forget(struct worker *w, const char *own);

#endif
