/* paths.h - where the socket, the state and the settings are. */
#ifndef PTYD_CORE_PATHS_H
#define PTYD_CORE_PATHS_H

/* The control socket: $PTYD_SOCKET, else $XDG_RUNTIME_DIR/ptyd/ptyd.sock, else
 * /tmp/ptyd-UID/ptyd.sock. New string. */
char *paths_socket(void);

/* The state directory: $PTYD_STATE_DIR, else $XDG_STATE_HOME/ptyd, else ~/.local/state/ptyd. New
 * string, absolute. */
char *paths_state(void);

/* ptyd.conf: in $XDG_CONFIG_HOME/ptyd, else ~/.config/ptyd. New string. */
char *paths_conf(void);

/* The directory part of a path, "." when it has none. New string. */
char *paths_parent(const char *path);

#endif
