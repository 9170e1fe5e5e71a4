/* abroad.h - searching what came of other hosts (core/heard.h): their commands and the ends of
 * their outputs, which are all that is here. They are few: no index is kept of them. */
#ifndef PTYD_SEARCH_ABROAD_H
#define PTYD_SEARCH_ABROAD_H

#include <stdbool.h>

#include "ptyd/search/find.h"

/* As find_run(), of the host of that name or id; each result has `host` and `host_id`, too. Whether
 * anything of such a host came here. */
bool abroad_find(const char *state, const char *host, const struct find_query *query,
                 struct find_answer *ret);

#endif
