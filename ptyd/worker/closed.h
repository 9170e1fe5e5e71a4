/* closed.h - sessions that are closed: what they held is read from their files. */
#ifndef PTYD_WORKER_CLOSED_H
#define PTYD_WORKER_CLOSED_H

#include <jansson.h>

struct client;
struct worker;

/* `<state>/conversations/<name>/agent_pty` of a session that is served no more and whose files are
 * there; NULL for any other name. New string. */
char *closed_directory(struct worker *worker, const char *name);

/* Answer with all sessions, or with blocks of one whose files lie in `directory`, as the methods of
 * the same name do for those that are served. */
void closed_list(struct client *client, const json_t *id);
void closed_blocks(struct client *client, const json_t *id, const json_t *params,
                   const char *directory);
void closed_block(struct client *client, const json_t *id, const json_t *params,
                  const char *directory);

#endif
