/* The commands, in the order in which one meets them. */
#include "ptyd/commands.h"

#include <string.h>

#include "ptyd/command/cli.h"
#include "ptyd/core/text.h"
#include "ptyd/proxy/proxy.h"

const struct command commands[] = {
    {"open", command_open, "a session that outlives terminals"},
    {"attach", command_attach, "show and drive a session in this terminal"},
    {"detach", command_detach, "the terminals that show a session leave it"},
    {"run", command_run, "type a command at a session's prompt and wait for it"},
    {"send", command_send, "type keys into a session"},
    {"wait", command_wait, "until something is printed, shown, ready or over"},
    {"expect", command_expect, "type, and wait for what comes of it"},
    {"script", command_script, "a file of steps: type, wait, expect"},
    {"list", command_list, "the sessions"},
    {"status", command_status, "the daemon's health"},
    {"blocks", command_blocks, "the commands of a session"},
    {"block", command_block, "one command and its output"},
    {"last", command_last, "the newest command and its output"},
    {"rerun", command_rerun, "run a command again"},
    {"diff", command_diff, "a command's output against its previous run"},
    {"copy", command_copy, "a command or its output onto the clipboard"},
    {"search", command_search, "find text in what all sessions did"},
    {"screen", command_screen, "what a session's screen shows"},
    {"scrollback", command_scrollback, "the lines above the screen"},
    {"context", command_context, "what the agent will be told"},
    {"explain", command_explain, "what the agent was told, turn by turn"},
    {"forget", command_forget, "take commands, or a text, out of all that is kept"},
    {"events", command_events, "what happens, as it happens"},
    {"resize", command_resize, "give a session's terminal another size"},
    {"rename", command_rename, "give a session another name"},
    {"reset", command_reset, "go on with a quarantined session"},
    {"grant", command_grant, "let an agent that asks type"},
    {"close", command_close, "end a session"},
    {"inside", command_inside, "whether this is a session's own terminal"},
    {"enable", command_enable, "make every terminal a session, or an agent hear of it"},
    {"disable", command_disable, "undo that"},
    {"hook", command_hook, "the context, for an agent's prompt hook"},
    {"codex", command_codex, "codex, with its app-server behind ptyd"},
    {"proxy", command_proxy, "stand between a client and an app-server"},
    {"notify", command_notify, "a turn for codex when a command is over, fails, prints something"},
    {"mcp", command_mcp, "an MCP server on stdio"},
    {"exec", command_exec, "one command without a session, told to your hosts"},
    {"hosts", command_hosts, "which of your hosts are there, and what runs"},
    {"relay", command_relay, "commands to and from your other hosts"},
    {"record", command_record, "what a session shows, for asciinema"},
    {"replay", command_replay, "blocks and screen of a recorded session"},
    {"test", command_test, "recordings against what they should give"},
    {"upgrade", command_upgrade, "go on as the program that is on disk, with every shell"},
    {"serve", command_serve, "the daemon in the foreground"},
    {"verify", command_verify, "whether the state files are whole"},
    {"doctor", command_doctor, "whether all is there, and what is set up"},
    {"completion", command_completion, "what a shell completes behind ptyd"},
    {"version", command_version, "the version"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const size_t command_count = COUNT(commands);

/* What whoever comes from tmux or screen types. */
static const struct synonym {
    const char *word, *name;
} synonyms[] = {
    {"a", "attach"},
    {"attach-session", "attach"},
    {"capture-pane", "screen"},
    {"detach-client", "detach"},
    {"kill", "close"},
    {"kill-session", "close"},
    {"list-sessions", "list"},
    {"ls", "list"},
    {"new", "open"},
    {"new-session", "open"},
    {"rename-session", "rename"},
    {"send-keys", "send"},
};

const struct command *command_find(const char *word)
{
    for (size_t i = 0; i < COUNT(synonyms); i++)
        if (!strcmp(word, synonyms[i].word))
            word = synonyms[i].name;
    for (size_t i = 0; i < COUNT(commands); i++)
        if (!strcmp(word, commands[i].name))
            return &commands[i];
    return NULL;
}

const struct command *command_nearest(const char *word)
{
    struct text_nearest nearest = text_nearest_begin(word);
    for (size_t i = 0; i < COUNT(commands); i++)
        text_nearest_offer(&nearest, commands[i].name);
    for (size_t i = 0; i < COUNT(synonyms); i++)
        text_nearest_offer(&nearest, synonyms[i].word);
    return nearest.found ? command_find(nearest.found) : NULL;
}
