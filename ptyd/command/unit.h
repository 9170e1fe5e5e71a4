/* unit.h - a service of the user's own systemd. */
#ifndef PTYD_COMMAND_UNIT_H
#define PTYD_COMMAND_UNIT_H

#include <stdbool.h>

#include "base/bytes.h"

/* Whether a systemd user manager runs for this user. */
bool unit_manager_runs(void);

/* Whether a unit of that name was written. */
bool unit_exists(const char *unit);

/* Append, for a unit's text: a word of a command line (systemd.service(5)), and a line that gives
 * it a variable of this environment; nothing where that is not set. */
void unit_append_word(const char *word, struct bytes *out);
void unit_append_variable(const char *name, struct bytes *out);

/* Writes the unit; where a manager runs, starts it now and whenever the user logs in. One that
 * runs goes on as it is, or with UNIT_ANEW is started again. Returns 0, or 1 after a message. */
enum unit_way { UNIT_GOES_ON, UNIT_ANEW };
int unit_install(const char *unit, const struct bytes *text, enum unit_way way);

/* Stops and removes it. Returns 0 (also when there was none), or 1 after a message. */
int unit_remove(const char *unit);

#endif
