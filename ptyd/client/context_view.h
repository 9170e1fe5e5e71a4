/* context_view.h - what an agent will be told, as a person reads it. */
#ifndef PTYD_CLIENT_CONTEXT_VIEW_H
#define PTYD_CLIENT_CONTEXT_VIEW_H

#include <jansson.h>

#include "base/bytes.h"
#include "ptyd/command/table.h"

/* Appends what context.show answered: how much waits, each command as a row of the table of blocks
 * with the output that goes along behind `| `, and what of it is cut or redacted. */
void context_view(const json_t *result, const struct table_look *look, struct bytes *out);

#endif
