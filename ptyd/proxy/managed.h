/* managed.h - the app-server that the codex TUI starts by itself and leaves running, its "managed
 * daemon": it has the control socket that a proxy needs.
 *
 * It is codex's: only `codex app-server daemon` stops and starts it. That it was stopped is noted
 * beside the socket, in SOCKET.before-ptyd. Each step is said on stderr.
 */
#ifndef PTYD_PROXY_MANAGED_H
#define PTYD_PROXY_MANAGED_H

#include <sys/types.h>

/* Frees the control socket: a managed daemon is stopped, a link that leads to nobody any more is
 * removed. `codex`: the program to do it with. Returns EXIT_OK, also where nothing was to be done
 * or a ptyd serves there, or EXIT_FAILED after a message: what serves is no managed daemon, say. */
int managed_stop(const char *codex);

/* Starts the managed daemon where managed_stop() had stopped it. `codex` as there; NULL where there
 * is none any more. Returns EXIT_OK or EXIT_FAILED likewise. */
int managed_put_back(const char *codex);

/* The process of the ptyd that serves the control socket; 0 where none does. */
pid_t managed_proxy(void);

#endif
