/* mending.h - the files of a session that is opened again are compared (session/block_mend.h)
 * before its shell is started: in a thread, where they are long, while the loop serves others. */
#ifndef PTYD_WORKER_MENDING_H
#define PTYD_WORKER_MENDING_H

#include <jansson.h>
#include <stdbool.h>

#include "ptyd/session/block_mend.h"
#include "ptyd/worker/worker.h"

/* Begins it for a session that is not served, if that takes long: then `then` is called behind it,
 * with a copy of `params`, unless the worker ends before. Returns whether it was begun. */
bool mending_begin(struct worker *w, const char *name, const json_t *params,
                   void (*then)(struct worker *w, const char *name, const json_t *params));

/* Whether it goes on for a session of that name. */
bool mending_is_under_way(const char *name);

/* What came of it; NULL where it was not done. Good until mending_forget(). */
struct block_mended *mending_of(const char *name);
void mending_forget(const char *name);

#endif
