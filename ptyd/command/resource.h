/* resource.h - context as a content block of the Agent Client Protocol. */
#ifndef PTYD_COMMAND_RESOURCE_H
#define PTYD_COMMAND_RESOURCE_H

#include <jansson.h>

#define RESOURCE_URI "ptyd:///context/" /* behind it comes the lease's number */

/* The `text` of what was taken as an embedded resource; new reference, NULL where it has none. */
json_t *resource_block(const json_t *taken);

#endif
