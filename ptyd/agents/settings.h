/* settings.h - a hook in an agent's JSON settings, put there and taken away without harm.
 *
 * Claude Code, Gemini CLI, Qwen Code, Copilot CLI and codex share the shape: {"hooks": {EVENT:
 * [{"hooks": [{"type": "command", "command": ...}]}]}}. Before the first change the file is kept
 * beside itself; taking the hook away gives back that very file when nothing else has changed
 * since. What cannot be parsed is never written.
 */
#ifndef PTYD_AGENTS_SETTINGS_H
#define PTYD_AGENTS_SETTINGS_H

#include <stdbool.h>

#include "ptyd/core/agent.h"

struct settings_hook {
    const struct agent *agent; /* its name behind `ptyd hook` is by what ours is known */
    const char *path;          /* of the file; made when it is not there */
    const char *program;       /* ptyd's own path */
};

/* The file that an agent's hook stands in, as the environment has it; new string. */
char *settings_path(const struct agent *agent);

/* Whether the hook is there; `program` is not looked at. */
bool settings_has(const struct settings_hook *hook);

/* Returns 1 when the hook was added, 0 when it was there, or -errno (-EBADMSG: not to be parsed;
 * -EEXIST: a plugin that is not ours) with the file as it was. */
int settings_add(const struct settings_hook *hook);

/* Returns 1 when it was removed, 0 when there was none, or -errno likewise. */
int settings_remove(const struct settings_hook *hook);

/* What a person would have to write; new string. */
char *settings_example(const struct settings_hook *hook);

#endif
