#define _GNU_SOURCE
#include "ptyd/core/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/text.h"

/* An environment variable that is set to something. */
static const char *set(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static char *absolute(const char *path)
{
    char here[4096];
    if (path[0] == '/' || !getcwd(here, sizeof here))
        return text_copy(path);
    return text_format("%s/%s", here, path);
}

char *paths_socket(void)
{
    const char *given = set("PTYD_SOCKET"), *runtime = set("XDG_RUNTIME_DIR");
    if (given)
        return absolute(given);
    if (runtime && runtime[0] == '/')
        return text_format("%s/ptyd/ptyd.sock", runtime);
    return text_format("/tmp/ptyd-%u/ptyd.sock", (unsigned)geteuid());
}

char *paths_state(void)
{
    const char *given = set("PTYD_STATE_DIR"), *state = set("XDG_STATE_HOME"), *home = set("HOME");
    if (given)
        return absolute(given);
    if (state && state[0] == '/')
        return text_format("%s/ptyd", state);
    return text_format("%s/.local/state/ptyd", home ? home : "/tmp");
}

char *paths_conf(void)
{
    const char *config = set("XDG_CONFIG_HOME"), *home = set("HOME");
    if (config && config[0] == '/')
        return text_format("%s/ptyd/ptyd.conf", config);
    return text_format("%s/.config/ptyd/ptyd.conf", home ? home : "/nonexistent");
}

char *paths_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return text_copy(".");
    return slash == path ? text_copy("/") : text_format("%.*s", (int)(slash - path), path);
}
