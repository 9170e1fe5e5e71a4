#include "ptyd/core/agent.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"

const struct agent agents[] = {
    {.name = "codex",
     .event = "UserPromptSubmit",
     .variable = "CODEX_HOME",
     .directory = ".codex",
     .file = "hooks.json",
     .timeout = 5, /* seconds */
     .advice = "codex asks to trust a new hook: type /hooks in it, once.",
     .app_server = true},
    {.name = "claude",
     .event = "UserPromptSubmit",
     .variable = "CLAUDE_CONFIG_DIR",
     .directory = ".claude",
     .file = "settings.json",
     .timeout = 5, /* seconds */
     .after = "Stop",
     .begins = "SessionStart",
     .project = "CLAUDE_PROJECT_DIR"},
    {.name = "gemini",
     .event = "BeforeAgent",
     .directory = ".gemini",
     .file = "settings.json",
     .hook_name = "ptyd",
     .timeout = 5000, /* milliseconds */
     .after = "AfterAgent",
     .no_answer = "[no response text]",
     .project = "GEMINI_PROJECT_DIR"},
    {.name = "qwen",
     .event = "UserPromptSubmit",
     .directory = ".qwen",
     .file = "settings.json",
     .hook_name = "ptyd",
     .timeout = 5000, /* milliseconds, also to versions that count in seconds below 1,000 */
     .project = "QWEN_PROJECT_DIR"},
    {.name = "copilot",
     .event = "UserPromptSubmit",
     .variable = "COPILOT_HOME",
     .directory = ".copilot",
     .file = "hooks/ptyd.json",
     .timeout = 5, /* seconds */
     .flat = true,
     .versioned = true},
    {.name = "opencode",
     .variable = "XDG_CONFIG_HOME",
     .directory = ".config",
     .file = "opencode/plugin/ptyd.js",
     .flat = true,
     .plugin = true,
     .removes = "message.removed"},
    {.name = NULL},
};

const struct agent *agent_find(const char *name, size_t len)
{
    for (const struct agent *a = agents; a->name; a++)
        if (strlen(a->name) == len && !memcmp(a->name, name, len))
            return a;
    return NULL;
}

static const struct agent *skip(const struct agent *a, bool hooks_only)
{
    while (a->name && hooks_only && a->app_server)
        a++;
    return a;
}

char *agent_names(const char *between, const char *last, bool hooks_only)
{
    char *names = text_copy("");
    const struct agent *next;
    for (const struct agent *a = skip(agents, hooks_only); a->name; a = next) {
        next = skip(a + 1, hooks_only);
        char *more = text_format("%s%s%s", names,
                                 !*names      ? ""
                                 : next->name ? between
                                              : last,
                                 a->name);
        free(names);
        names = more;
    }
    return names;
}
