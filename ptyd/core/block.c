#include "ptyd/core/block.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "ptyd/core/text.h"

char *block_id(const struct block *b)
{
    return text_format("%s%s%s:%llu:%lld", b->host_id, *b->host_id ? ":" : "", b->conversation_id,
                       (unsigned long long)b->seq, (long long)b->ts_begin);
}

static const char *signal_name(int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},       {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
        {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},     {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
        {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},     {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"},
        {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"},     {SIGTERM, "SIGTERM"}, {SIGSTOP, "SIGSTOP"},
        {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},     {SIGTTOU, "SIGTTOU"}, {SIGXCPU, "SIGXCPU"},
        {SIGXFSZ, "SIGXFSZ"}, {SIGVTALRM, "SIGVTALRM"}, {SIGPROF, "SIGPROF"}, {SIGSYS, "SIGSYS"},
        {SIGPOLL, "SIGPOLL"}, {SIGPWR, "SIGPWR"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}

const char *block_signal(const struct block *b)
{
    return b->has_exit_code && b->exit_code > 128 ? signal_name(b->exit_code - 128) : NULL;
}

void block_set_exit(struct block *b, int status)
{
    b->has_exit_code = true;
    b->exit_code = status;
    b->status = BLOCK_COMPLETED;
    if (!block_signal(b))
        return;
    int number = status - 128;
    bool stops = number == SIGTSTP || number == SIGSTOP || number == SIGTTIN || number == SIGTTOU;
    b->status = stops ? BLOCK_STOPPED : BLOCK_KILLED;
}

/* ---- what agents are told ---- */

void block_add_width(struct block *b, int cols)
{
    int count = 0;
    while (b->widths[count] && b->widths[count] != cols)
        count++;
    b->widths[count < LIMIT_BLOCK_WIDTHS ? count : LIMIT_BLOCK_WIDTHS - 1] = cols;
}

void block_untell(struct block *b)
{
    free(b->told_cmd);
    free(b->told_preview);
    free(b->told_cwd);
    free(b->told_cwd_after);
    b->told_cmd = b->told_preview = b->told_cwd = b->told_cwd_after = NULL;
    b->redacted = 0;
}

/* ---- nested shells ---- */

static bool is_word(const char *word, size_t len, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == len && !memcmp(word, *list, len))
            return true;
    return false;
}

static const char *next_word(const char *at, size_t *ret_len)
{
    at += strspn(at, " \t");
    *ret_len = strcspn(at, " \t\n;|&");
    return at;
}

static const char *base_name(const char *word, size_t *len)
{
    for (size_t i = *len; i > 0; i--)
        if (word[i - 1] == '/') {
            *len -= i;
            return word + i;
        }
    return word;
}

/* A shell nests when it reads its commands from the terminal: no script, no -c. */
static bool shell_is_interactive(const char *arguments)
{
    size_t len;
    for (const char *at = next_word(arguments, &len); len; at = next_word(at + len, &len)) {
        if (at[0] != '-' || (at[1] != '-' && memchr(at, 'c', len)))
            return false;
    }
    return true;
}

bool block_command_nests(const char *cmd)
{
    static const char *const shells[] = {"bash", "zsh", "fish", "sh",    "dash", "ksh", "mksh",
                                         "tcsh", "csh", "nu",   "xonsh", "pwsh", NULL};
    static const char *const always[] = {"ssh",        "mosh",      "telnet",  "su",
                                         "tmux",       "screen",    "zellij",  "login",
                                         "machinectl", "distrobox", "toolbox", NULL};
    static const char *const prefixes[] = {"sudo", "doas", "env", "command", "exec", "time", NULL};
    static const char *const containers[] = {"docker", "podman", "kubectl", "lxc", NULL};
    static const char *const enters[] = {"run", "exec", "attach", "shell", NULL};
    size_t len;
    const char *word = next_word(cmd, &len);
    bool elevated = false;
    while (len && is_word(word, len, prefixes)) {
        elevated = elevated || (len == 4 && (!memcmp(word, "sudo", 4) || !memcmp(word, "doas", 4)));
        word = next_word(word + len, &len);
        if (elevated && len == 2 && (!memcmp(word, "-i", 2) || !memcmp(word, "-s", 2)))
            return true;
    }
    const char *rest = word + len;
    word = base_name(word, &len);
    if (is_word(word, len, always))
        return true;
    if (is_word(word, len, shells))
        return shell_is_interactive(rest);
    if (!is_word(word, len, containers))
        return false;
    word = next_word(rest, &len);
    return is_word(word, len, enters);
}
