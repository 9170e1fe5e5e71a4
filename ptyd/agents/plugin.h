/* plugin.h - a plugin of ours in the folder that an agent loads its plugins from (opencode). */
#ifndef PTYD_AGENTS_PLUGIN_H
#define PTYD_AGENTS_PLUGIN_H

#include <stdbool.h>

/* What it is: a module that runs `PROGRAM hook NAME` for each message of the user's. New string. */
char *plugin_text(const char *program, const char *name);

/* Whether the file is one of ours, of any version. */
bool plugin_is_ours(const char *path);

/* Writes it. Returns 1 when it was written, 0 when it was there, or -errno: -EEXIST where a file of
 * somebody else's stands there. */
int plugin_add(const char *path, const char *program, const char *name);

/* Returns 1 when it was removed, 0 when there was none, or -errno likewise. */
int plugin_remove(const char *path);

#endif
