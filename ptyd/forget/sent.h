/* sent.h - what of some commands went to other hosts. */
#ifndef PTYD_FORGET_SENT_H
#define PTYD_FORGET_SENT_H

#include <jansson.h>

/* Of these commands (find.h) those that `ptyd relay` sent, or has on their way, by how far it says
 * that it is: {hub, hosts, blocks: [block_id, ...]}, new reference. `hub` is the URL of the hub,
 * null where no relay said one; `hosts` are those that this one heard there, by the names they have
 * for themselves: who else hears is not known here. NULL where none was sent. */
json_t *sent_of(const char *state, const json_t *commands);

#endif
