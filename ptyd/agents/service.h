/* service.h - what stands in for codex's control socket: a user service, or a process alone. */
#ifndef PTYD_AGENTS_SERVICE_H
#define PTYD_AGENTS_SERVICE_H

#define SERVICE_UNIT "ptyd-codex.service" /* command/unit.h */

/* Writes the unit for this ptyd and this codex, and starts it. Returns 0, or 1 after a message. */
int service_install(const char *program, const char *codex);

/* Without systemd: starts the proxy itself, for as long as this machine runs; where one serves
 * already that is said. Returns 0, or 1 after a message. */
int service_start_proxy(const char *codex);

/* Ends the proxy that serves codex's control socket, however it was started. Returns 1 when there
 * was one, 0 when none. */
int service_end_proxy(void);

#endif
