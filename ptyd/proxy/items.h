/* items.h - what was taken for a thread, as items of its history. */
#ifndef PTYD_PROXY_ITEMS_H
#define PTYD_PROXY_ITEMS_H

#include <jansson.h>

/* What `thread/inject_items` takes, of what `context.take` answered: as the server itself would put
 * it into the history. New reference. */
json_t *items_of(const json_t *taken);

#endif
