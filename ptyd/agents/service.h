/* service.h - the user service that stands in for codex's control socket. */
#ifndef PTYD_AGENTS_SERVICE_H
#define PTYD_AGENTS_SERVICE_H

#include <stdbool.h>

/* Whether a systemd user manager runs for this user. */
bool service_manager_runs(void);

/* Whether the unit is installed. */
bool service_exists(void);

/* Writes the unit for this ptyd and this codex, and starts it. Returns 0, or 1 after a message. */
int service_install(const char *program, const char *codex);

/* Stops and removes it. Returns 0 (also when there was none), or 1 after a message. */
int service_remove(void);

#endif
