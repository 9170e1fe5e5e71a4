#include "ptyd/start/environment.h"

#include <stdlib.h>
#include <string.h>

#include "ptyd/core/text.h"

/* A name, or what names begin with where `*` ends it. */
static bool matches(const char *pattern, const char *name)
{
    size_t len = strlen(pattern);
    if (pattern[len - 1] == '*')
        return !strncmp(name, pattern, len - 1);
    return !strcmp(name, pattern);
}

static bool is_among(const char *name, const char *const *patterns)
{
    while (*patterns && !matches(*patterns, name))
        patterns++;
    return *patterns;
}

/* Of whoever started us, which is not the shell's; and of another session. */
static const char *const others[] = {"LISTEN_*", "NOTIFY_SOCKET", "WATCHDOG_*",
                                     "PTYD_*",   "__ptyd_*",      NULL};
/* Where the daemon is: without them `ptyd` would speak to another one inside. */
static const char *const places[] = {"PTYD_SOCKET", "PTYD_STATE_DIR", NULL};

/* What emulators, multiplexers and editors say of the terminal they made: by these names programs
 * take the session for that terminal, and use protocols that lead nowhere once it is shown in
 * another one, or in none. */
static const char *const emulators[] = {
    "TERM", "TERMCAP", "TERMINFO", "COLORTERM", "COLORFGBG", "LINES", "COLUMNS", "WINDOWID",
    /* of more than one */
    "TERM_PROGRAM*", "TERM_SESSION_ID", "TERM_FEATURES", "TERMINAL_EMULATOR", "TERMINAL_NAME",
    "TERMINAL_VERSION_*", "LC_TERMINAL*", "VTE_*",
    /* one by one */
    "ALACRITTY_*", "APPLE_TERMINAL*", "ConEmu*", "CONTOUR_*", "DOMTERM", "ETERM_*", "GHOSTTY_*",
    "GNOME_TERMINAL_*", "GUAKE_*", "HYPER_*", "ITERM_*", "ITERM2_*", "KITTY_*", "KONSOLE_*",
    "MINTTY_*", "MLTERM", "PROFILEHOME", "RIO_*", "ROXTERM_*", "SHELL_SESSION_*", "TABBY_*",
    "TERMINATOR_*", "TERMINOLOGY", "TILIX_*", "WARP_*", "WAVETERM*", "WEZTERM_*", "WT_*", "XTERM_*",
    "YAKUAKE_*",
    /* multiplexers */
    "TMUX", "TMUX_PANE", "STY", "WINDOW", "ZELLIJ", "ZELLIJ_*",
    /* editors */
    "VSCODE_*", "ZED_TERM", "INSIDE_EMACS", "NVIM", "NVIM_LISTEN_ADDRESS", "VIM_TERMINAL", NULL};

static bool is_left_out(const char *name, bool terminal)
{
    return (is_among(name, others) && !is_among(name, places)) ||
           (!terminal && is_among(name, emulators));
}

/* Whether `variable`, NAME=VALUE or NULL, is the one of this name. */
static bool is_assigned(const char *variable, const char *name)
{
    size_t len = strlen(name);
    return variable && !strncmp(variable, name, len) && variable[len] == '=';
}

char **environment_make(const json_t *env, const char *name, const char *variable, bool terminal)
{
    char **made = memory_new((json_object_size(env) + 5) * sizeof *made);
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)env, key, value)
        if (json_is_string(value) && *key && !strchr(key, '=') && !is_left_out(key, terminal) &&
            !is_assigned(variable, key))
            made[count++] = text_format("%s=%s", key, json_string_value(value));
    if (!terminal || !json_object_get(env, "TERM"))
        made[count++] = text_copy("TERM=xterm-256color");
    if (!terminal)
        made[count++] = text_copy("COLORTERM=truecolor");
    made[count++] = text_format("PTYD_SESSION=%s", name);
    if (variable)
        made[count++] = text_copy(variable);
    return made;
}

size_t environment_size(char *const *environment)
{
    size_t size = 0;
    for (; *environment; environment++)
        size += strlen(*environment) + 1;
    return size;
}

void environment_free(char **environment)
{
    for (size_t i = 0; environment && environment[i]; i++)
        free(environment[i]);
    free(environment);
}
